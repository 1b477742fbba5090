"""Executes the action of a step, unless it is a loop, leaves the task's apps, or is not approved."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.agent.checkpoint import Journal
from assistant.agent.secret_entry import SecretDesk
from assistant.agent.stop_checks import Advice, LoopGuard
from assistant.agent.turn_control import Interrupted, TurnControl
from assistant.agent.user_prompts import Asker, NobodyThere
from assistant.events import Cause, Verdict
from assistant.execute.app_lock import AppFence
from assistant.execute.course import Course
from assistant.execute.perception import Perception
from assistant.execute.times import StepTimes
from assistant.i18n import _, later
from assistant.memory.turns import StoredStep
from assistant.phone.device import Phone
from assistant.phone.errors import ActionRefused, PhoneError, Refusal
from assistant.records import Observation, Outcome, TypeText, shown
from assistant.safety.classifier import Risk


@dataclass(slots=True)
class Acting:
    """Executes the actions of one turn.

    Attributes:
        fence: refuses actions outside the apps of the task.
        loop_detector: warns of loops and stops the turn in one.
        read_only: refuse every sensitive action; set for the turn of a lookup in an app.
        last_action_approved: whether the user approved the latest action. It may open another app.
    """

    phone: Phone
    control: TurnControl
    lifecycle: Course
    checkpointer: Journal
    prompter: Asker
    observer: Perception
    secrets: SecretDesk
    fence: AppFence
    loop_detector: LoopGuard
    read_only: bool = False
    last_action_approved: bool = False

    def screen_changed(self, observation: Observation) -> None:
        """Tell the app restriction which app the latest action led to."""
        self.fence.enter_app(observation.app, approved=self.last_action_approved)
        self.last_action_approved = False

    async def execute(
        self, step: StoredStep, risk: Risk | None, observation: Observation, times: StepTimes
    ) -> None:
        """Execute a step's action, or refuse it with a reason.

        Raises:
            PhoneError: the connection to the phone was lost.
            Interrupted: the turn was paused or cancelled before the action was approved.
        """
        if refusal := self.fence.find_refusal(step.action, observation.app):
            self.lifecycle.refuse_step(step, refusal, times)
            return
        verdict = self.loop_detector.check(self.observer.screen_id, step.action)
        if verdict.advice is Advice.STOP:
            self.lifecycle.refuse_step(step, later("it leads nowhere"), times)
            self.loop_detector.reset()
            hint = _("Say what to do instead, or do it on the phone, then press F5.")
            self.lifecycle.pause_or_fail(Cause.LOOP, f"{verdict.sentence} {hint}", verdict.sentence)
            return
        if verdict.advice is Advice.WARN:
            self.checkpointer.add_transient_notes(verdict.sentence)
        if risk and self.read_only:
            self.lifecycle.refuse_step(step, later("a look into an app changes nothing there"), times)
        elif risk is None or await self._get_approval(step, risk, observation, times):
            self.last_action_approved = risk is not None
            await self._perform(step, observation, times)

    async def ask_user(self, step: StoredStep, question: str, times: StepTimes) -> None:
        """Ask the user the model's question, and add the answer to the turn's notes.

        Raises:
            Interrupted: the turn was paused or cancelled before the answer.
        """
        try:
            answer = await self.prompter.ask_question(step, question, times)
        except NobodyThere as error:
            self.lifecycle.finish_step(step, times)
            self.lifecycle.end(Outcome.FAILED, str(error))
            return
        self.checkpointer.add_step(step)
        self.checkpointer.add_user_words(answer, f"The user was asked “{question}” and answered: {answer}")
        self.lifecycle.finish_step(step, times)
        self.loop_detector.reset()

    async def _get_approval(
        self, step: StoredStep, risk: Risk, observation: Observation, times: StepTimes
    ) -> bool:
        try:
            approval = await self.prompter.ask_approval(step, risk, observation, times)
        except NobodyThere as error:
            self.lifecycle.finish_step(step.refused(later("nobody is there to approve it")), times)
            self.lifecycle.end(Outcome.FAILED, str(error))
            return False
        if approval.verdict not in (Verdict.NO, Verdict.INSTEAD):
            return True
        self.lifecycle.refuse_step(step, Refusal.NOT_ALLOWED, times)
        if approval.verdict is Verdict.INSTEAD:
            self.checkpointer.add_user_words(approval.words)
        if approval.verdict is Verdict.NO:
            action_text = shown(step.action, _)
            sentence = _(
                "Not done: {what}. Say what to do instead and press F5, or press Escape twice to end."
            ).format(what=action_text)
            self.control.begin_pause(Cause.USER_PAUSED, sentence)
        return False

    async def _perform(self, step: StoredStep, observation: Observation, times: StepTimes) -> None:
        self.control.set_cause(Cause.ACTING)
        try:
            action = step.action
            if isinstance(action, TypeText):
                action = self.secrets.fill_secrets(action, observation)
            await self.control.run_cancellable(self.phone.perform(action, observation), stop=self.phone.hold)
        except ActionRefused as refusal:
            step = step.refused(str(refusal))
        except Interrupted:
            step = step.refused(Refusal.INTERRUPTED)
        except PhoneError:
            step = step.refused(Refusal.PHONE_LOST)
            raise
        finally:
            if not step.error:
                self.observer.set_last_action(step.action)
            # Stored before the step's event is emitted: the event's duration includes storing the step.
            self.checkpointer.add_step(step)
            self.lifecycle.finish_step(step, times)

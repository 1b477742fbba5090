"""One step of a turn: observe the screen, ask the model for an action, and execute it.

An action is refused instead of executed if it is a loop, leaves the apps of the task, or is not approved.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from assistant.agent.checkpoint import StepTimes, TurnCheckpointer
from assistant.agent.context import TurnContext
from assistant.agent.screen_elements import describe_changes
from assistant.agent.secret_entry import SecretInjector, format_secret_note
from assistant.agent.stop_checks import (
    AppRestriction,
    LoopAdvice,
    LoopDetector,
    ScreenNames,
    UsageTracker,
    describe_no_effect,
)
from assistant.agent.takeover import TakeoverController
from assistant.agent.turn_control import Interrupted, TurnControl, TurnLifecycle
from assistant.agent.user_prompts import Unattended, UserPrompter
from assistant.events import (
    Cause,
    ModelRetrying,
    ReplyMalformed,
    ThoughtStreamed,
    Verdict,
)
from assistant.i18n import _, later
from assistant.memory.turns import StoredStep
from assistant.model.types import (
    Decision,
    Malformed,
    ModelUnavailable,
    Retrying,
    StepRequest,
    Thought,
)
from assistant.phone.device import Phone
from assistant.phone.errors import ActionRefused, PhoneError, Refusal
from assistant.phone.screen import Glimpse
from assistant.records import (
    Action,
    Cost,
    Observation,
    Outcome,
    TypeText,
    Usage,
    shown,
)
from assistant.safety.classifier import Risk


class ScreenObserver:
    """Observes the phone's screen.

    Attributes:
        observation: the latest observation.
        screen_id: the id of its screen, by `ScreenNames.identify`.
    """

    def __init__(
        self,
        phone: Phone,
        control: TurnControl,
        checkpointer: TurnCheckpointer,
        takeover: TakeoverController,
        secrets: SecretInjector,
        glimpse: Glimpse,
    ) -> None:
        self.observation: Observation | None = None
        self.screen_id = ""
        self._phone = phone
        self._glimpse = glimpse
        self._control = control
        self._checkpointer = checkpointer
        self._takeover = takeover
        self._secrets = secrets
        self._screens = ScreenNames()
        self._last_action: tuple[Action, str] | None = None
        self._before_pause: Observation | None = None

    async def observe(self) -> Observation:
        """The screen, once it has settled. Adds a note for the model about what changed.

        Raises:
            PhoneError: the phone cannot be used.
            Interrupted: the turn was paused or cancelled meanwhile.
        """
        self._phone.let_go()
        observation = await self._secrets.hide_secrets(
            await self._control.run_cancellable(self._phone.observe(self._glimpse))
        )
        self.screen_id = await self._screens.identify(observation)
        if self._before_pause is not None:
            if user_actions := self._takeover.describe_user_actions(observation):
                self._checkpointer.add_transient_notes(user_actions)
            self._checkpointer.add_transient_notes(*describe_changes(self._before_pause, observation))
        elif self._last_action is not None and (
            no_effect := describe_no_effect(*self._last_action, self.screen_id)
        ):
            self._checkpointer.add_transient_notes(no_effect)
        self._before_pause = self._last_action = None
        self.observation = observation
        return observation

    def set_last_action(self, action: Action) -> None:
        """Remember the action executed on the latest screen."""
        self._last_action = (action, self.screen_id)

    def start_pause(self) -> None:
        """Remember the screen before a pause; the next observation is compared with it."""
        self._before_pause = self.observation
        self._last_action = None


class ActionSelector:
    """Asks the model what to do on a screen.

    Args:
        context: phone, model, store and settings of the turn.
        checkpointer: the turn so far.
        set_cause: called with `Cause.THINKING`, or `Cause.MODEL` while a request is being repeated.
        secret_names: the secrets that the model may refer to.
    """

    def __init__(
        self,
        context: TurnContext,
        checkpointer: TurnCheckpointer,
        set_cause: Callable[[Cause], None],
        secret_names: Collection[str] = (),
    ) -> None:
        self._context = context
        self._checkpointer = checkpointer
        self._set_cause = set_cause
        self._secret_notes = [format_secret_note(secret_names)] if secret_names else []
        self._usage_tracker = UsageTracker(
            context.store.ledger, checkpointer, context.model, context.settings, context.now
        )

    async def decide(self, number: int, observation: Observation, times: StepTimes) -> Decision:
        """The model's decision for a step. Stores the observation.

        Raises:
            ModelError: the model gave no valid decision.
        """
        request = StepRequest(
            instruction=self._checkpointer.checkpoint.instruction,
            observation=observation,
            history=self._checkpointer.history(self._context.settings.turn.history_steps),
            notes=(*self._checkpointer.notes(), *self._secret_notes),
        )
        replies = self._context.model.decide(request)
        emit, now = self._context.emit, self._context.now
        try:
            async for reply in replies:
                self._set_cause(Cause.MODEL if isinstance(reply, Retrying) else Cause.THINKING)
                match reply:
                    case Thought(text=text):
                        emit(ThoughtStreamed(time=now(), step=number, text=text))
                    case Retrying(attempt=attempt, delay=delay, reason=reason):
                        emit(ModelRetrying(time=now(), attempt=attempt, delay=delay, reason=reason))
                    case Malformed(attempt=attempt, reason=reason):
                        emit(ReplyMalformed(time=now(), step=number, attempt=attempt, reason=reason))
                    case Decision():
                        self._checkpointer.clear_transient_notes()
                        cost = self.count_usage(reply.usage, reply.seconds_to_first_token)
                        times.set_decision_usage(reply.usage, reply.seconds_to_first_token, cost)
                        return reply
            raise ModelUnavailable(_("The model's reply ends without an action."))
        finally:
            await replies.aclose()
            self._checkpointer.store_observation(number, observation)

    def count_usage(self, usage: Usage, seconds_to_first_token: float | None = None) -> Cost | None:
        """Add the usage of a request and emit the new totals; its cost if the price is known."""
        cost, event = self._usage_tracker.count(self._checkpointer.next_step, usage, seconds_to_first_token)
        self._context.emit(event)
        return cost


@dataclass(slots=True)
class ActionExecutor:
    """Executes the actions of one turn.

    Attributes:
        app_restriction: refuses actions outside the apps of the task.
        loop_detector: warns of loops and stops the turn in one.
        read_only: refuse every sensitive action; set for the turn of a lookup in an app.
        last_action_approved: whether the user approved the latest action. It may open another app.
    """

    phone: Phone
    control: TurnControl
    lifecycle: TurnLifecycle
    checkpointer: TurnCheckpointer
    prompter: UserPrompter
    observer: ScreenObserver
    secrets: SecretInjector
    app_restriction: AppRestriction
    loop_detector: LoopDetector
    read_only: bool = False
    last_action_approved: bool = False

    def screen_changed(self, observation: Observation) -> None:
        """Tell the app restriction which app the latest action led to."""
        self.app_restriction.enter_app(observation.app, approved=self.last_action_approved)
        self.last_action_approved = False

    async def execute(
        self, step: StoredStep, risk: Risk | None, observation: Observation, times: StepTimes
    ) -> None:
        """Execute a step's action, or refuse it with a reason.

        Raises:
            PhoneError: the connection to the phone was lost.
            Interrupted: the turn was paused or cancelled before the action was approved.
        """
        if refusal := self.app_restriction.find_refusal(step.action, observation.app):
            self.lifecycle.refuse_step(step, refusal, times)
            return
        verdict = self.loop_detector.check(self.observer.screen_id, step.action)
        if verdict.advice is LoopAdvice.STOP:
            self.lifecycle.refuse_step(step, later("it leads nowhere"), times)
            self.loop_detector.reset()
            hint = _("Say what to do instead, or do it on the phone, then press F5.")
            self.lifecycle.pause_or_fail(Cause.LOOP, f"{verdict.sentence} {hint}", verdict.sentence)
            return
        if verdict.advice is LoopAdvice.WARN:
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
        except Unattended as error:
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
        except Unattended as error:
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

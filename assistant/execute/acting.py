"""Doing what was decided, unless it leads nowhere, leaves the task's apps, or is not allowed."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.events import Cause, Verdict
from assistant.execute.app_lock import AppFence
from assistant.execute.asking import Asker, NobodyThere
from assistant.execute.control import Interrupted, TurnControl
from assistant.execute.course import Course
from assistant.execute.guards import Risk
from assistant.execute.journal import Journal
from assistant.execute.loops import Advice, LoopGuard
from assistant.execute.perception import Perception
from assistant.execute.secrets import SecretDesk
from assistant.execute.times import StepTimes
from assistant.language import _, later
from assistant.memory.turns import StoredStep
from assistant.observations import Observation
from assistant.phone.device import Phone
from assistant.phone.errors import ActionRefused, PhoneError, Refusal
from assistant.records import Outcome, TypeText, shown


@dataclass(slots=True)
class Acting:
    """The acting part of one turn.

    `fence` keeps it in the task's apps, `loops` out of circles. An `errand` does nothing sensitive at all.
    `approved` tells that the user allowed the latest action, which may so lead to another app.
    """

    phone: Phone
    control: TurnControl
    course: Course
    journal: Journal
    asker: Asker
    perception: Perception
    secrets: SecretDesk
    fence: AppFence
    loops: LoopGuard
    errand: bool = False
    approved: bool = False

    def arrived(self, seen: Observation) -> None:
        """The screen after the latest action."""
        self.fence.arrived(seen.app, invited=self.approved)
        self.approved = False

    async def act(self, step: StoredStep, risk: Risk | None, seen: Observation, times: StepTimes) -> None:
        """Do a step's action, or refuse it with a reason.

        Raises:
            PhoneError: the phone was lost.
            Interrupted: the turn was paused or cancelled before it was allowed.
        """
        if refusal := self.fence.refusal(step.action, seen.app):
            self.course.refuse(step, refusal, times)
            return
        verdict = self.loops.choose(self.perception.screen, step.action)
        if verdict.advice is Advice.STOP:
            self.course.refuse(step, later("it leads nowhere"), times)
            self.loops.forget()
            hint = _("Say what to do instead, or do it on the phone, then press F5.")
            self.course.hold_or_fail(Cause.LOOP, f"{verdict.sentence} {hint}", verdict.sentence)
            return
        if verdict.advice is Advice.WARN:
            self.journal.note_once(verdict.sentence)
        if risk and self.errand:
            self.course.refuse(step, later("a look into an app changes nothing there"), times)
        elif risk is None or await self._allowed(step, risk, seen, times):
            self.approved = risk is not None
            await self._perform(step, seen, times)

    async def ask(self, step: StoredStep, question: str, times: StepTimes) -> None:
        """Let the user answer the model's question.

        Raises:
            Interrupted: the turn was paused or cancelled meanwhile.
        """
        try:
            words = await self.asker.answer(step, question, times)
        except NobodyThere as nobody:
            self.course.step_over(step, times)
            self.course.end(Outcome.FAILED, str(nobody))
            return
        self.journal.keep(step)
        self.journal.heard(words, f"The user was asked “{question}” and answered: {words}")
        self.course.step_over(step, times)
        self.loops.forget()

    async def _allowed(self, step: StoredStep, risk: Risk, seen: Observation, times: StepTimes) -> bool:
        try:
            approval = await self.asker.approval(step, risk, seen, times)
        except NobodyThere as nobody:
            self.course.step_over(step.refused(later("nobody is there to approve it")), times)
            self.course.end(Outcome.FAILED, str(nobody))
            return False
        if approval.verdict not in (Verdict.NO, Verdict.INSTEAD):
            return True
        self.course.refuse(step, Refusal.NOT_ALLOWED, times)
        if approval.verdict is Verdict.INSTEAD:
            self.journal.heard(approval.words)
        if approval.verdict is Verdict.NO:
            what = shown(step.action, _)
            sentence = _(
                "Not done: {what}. Say what to do instead and press F5, or press Escape twice to end."
            ).format(what=what)
            self.control.hold(Cause.USER_PAUSED, sentence)
        return False

    async def _perform(self, step: StoredStep, seen: Observation, times: StepTimes) -> None:
        self.control.doing(Cause.ACTING)
        try:
            action = step.action
            if isinstance(action, TypeText):
                action = self.secrets.fill(action, seen)
            await self.control.droppable(self.phone.perform(action, seen), stop=self.phone.hold)
        except ActionRefused as refusal:
            step = step.refused(str(refusal))
        except Interrupted:
            step = step.refused(Refusal.INTERRUPTED)
        except PhoneError:
            step = step.refused(Refusal.PHONE_LOST)
            raise
        finally:
            if not step.error:
                self.perception.acted(step.action)
            # Kept before it is told, so that a step's own time has in it what keeping takes.
            self.journal.keep(step)
            self.course.step_over(step, times)

"""The course of a turn: its steps end, it stands still where a person can help, and it comes to its end."""

from __future__ import annotations

from assistant.events import Cause
from assistant.execute.control import TurnControl
from assistant.execute.journal import Journal
from assistant.execute.parts import TurnParts
from assistant.execute.states import Signal
from assistant.execute.times import StepTimes
from assistant.memory.turns import StoredStep
from assistant.records import Outcome

_SIGNALS = {Outcome.SUCCESS: Signal.FINISH, Outcome.FAILED: Signal.FAIL, Outcome.CANCELLED: Signal.CANCEL}


class Course:
    """`answer` is what the turn found out, or why it ended, once it has; `worked` its steps' seconds."""

    def __init__(self, parts: TurnParts, control: TurnControl, journal: Journal) -> None:
        self.answer = ""
        self.worked = 0.0
        self._parts = parts
        self._control = control
        self._journal = journal

    def end(self, outcome: Outcome, answer: str) -> None:
        """The turn is over."""
        self.answer = answer
        self._control.follow(_SIGNALS[outcome], Cause.DONE, answer)

    def hold_or_fail(self, cause: Cause, sentence: str, reason: str) -> None:
        """Pause where a person can mend it and go on, fail where nobody is there.

        Args:
            cause: why it stands still.
            sentence: what the person is told, and can do.
            reason: why it failed.
        """
        if self._parts.attended:
            self._control.hold(cause, sentence)
        else:
            self.end(Outcome.FAILED, reason)

    def step_over(self, step: StoredStep, times: StepTimes) -> None:
        """A step has ended; it is told with its times."""
        finished = times.finished(step, self._parts.now())
        self.worked += finished.seconds
        self._parts.emit(finished)

    def refuse(self, step: StoredStep, reason: str, times: StepTimes) -> None:
        """A step has ended without its action, which the model is told with the reason."""
        refused = step.refused(reason)
        self._journal.keep(refused)
        self.step_over(refused, times)

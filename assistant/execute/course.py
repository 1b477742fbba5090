"""The lifecycle of a turn: ending steps, pausing when the user can help, and ending the turn."""

from __future__ import annotations

from assistant.agent.checkpoint import Journal
from assistant.agent.turn_control import TurnControl
from assistant.events import Cause
from assistant.execute.parts import TurnParts
from assistant.execute.states import Signal
from assistant.execute.times import StepTimes
from assistant.memory.turns import StoredStep
from assistant.records import Outcome

_SIGNALS = {Outcome.SUCCESS: Signal.FINISH, Outcome.FAILED: Signal.FAIL, Outcome.CANCELLED: Signal.CANCEL}


class Course:
    """Ends steps and the turn.

    Attributes:
        answer: the result, or why the turn ended; empty before its end.
        work_seconds: sum of the durations of its steps.
    """

    def __init__(self, context: TurnParts, control: TurnControl, checkpointer: Journal) -> None:
        self.answer = ""
        self.work_seconds = 0.0
        self._context = context
        self._control = control
        self._checkpointer = checkpointer

    def end(self, outcome: Outcome, answer: str) -> None:
        """End the turn."""
        self.answer = answer
        self._control.apply_signal(_SIGNALS[outcome], Cause.DONE, answer)

    def pause_or_fail(self, cause: Cause, sentence: str, reason: str) -> None:
        """Pause so that the user can fix the problem and resume; fail if no user is present.

        Args:
            cause: why the turn pauses.
            sentence: what the user is told, including what to do.
            reason: why the turn failed.
        """
        if self._context.attended:
            self._control.begin_pause(cause, sentence)
        else:
            self.end(Outcome.FAILED, reason)

    def finish_step(self, step: StoredStep, times: StepTimes) -> None:
        """Emit the event that ends a step, with its durations."""
        finished = times.finish(step, self._context.now())
        self.work_seconds += finished.seconds
        self._context.emit(finished)

    def refuse_step(self, step: StoredStep, reason: str, times: StepTimes) -> None:
        """End a step without executing its action; the model is told the reason."""
        refused = step.refused(reason)
        self._checkpointer.add_step(refused)
        self.finish_step(refused, times)

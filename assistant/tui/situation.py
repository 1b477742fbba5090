"""What goes on, as one small value that decides which keys work and what the state line says."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from assistant.events import Cause, TurnState


class Asking(StrEnum):
    """What the user is asked for."""

    APPROVAL = "approval"
    QUESTION = "question"
    MEANING = "meaning"
    OFFER = "offer"


class Field(StrEnum):
    """Where the words in the input field go."""

    COMMAND = "command"
    SAY = "say"
    ANSWER = "answer"
    INSTEAD = "instead"
    MEANING = "meaning"


@dataclass(frozen=True, slots=True)
class Situation:
    """The turn's state and cause, what is asked, where words go, and whether Escape was pressed once.

    `understood` tells that something in the command was understood from the memory, a look or an answer.
    """

    state: TurnState | None = None
    cause: Cause | None = None
    asking: Asking | None = None
    field: Field = Field.COMMAND
    stopping: bool = False
    understood: bool = False

    deciding: bool = False

    @property
    def active(self) -> bool:
        """Whether a turn is under way."""
        return self.state is not None and not self.state.final

    @property
    def paused(self) -> bool:
        """Whether the turn stands still, or is about to, until it is resumed."""
        return self.state in (TurnState.PAUSING, TurnState.PAUSED)


_RUNNING = {
    Cause.OBSERVING: "Running · waiting for the phone",
    Cause.THINKING: "Running · model thinking",
    Cause.ACTING: "Running · acting",
}
_WAITING = {
    Cause.QUESTION: ("?", "Asking you"),
    Cause.APPROVAL: ("?", "Needs your approval"),
    Cause.MEANING: ("?", "About to begin"),
    Cause.HANDED_OVER: ("?", "Handed over to you"),
    Cause.PHONE: ("◌", "Phone not available, waiting for it"),
    Cause.MODEL: ("◌", "Model not answering, retrying"),
}
_PAUSED = {
    Cause.USER_PAUSED: "Paused by you",
    Cause.HANDED_OVER: "Handed over to you",
    Cause.PHONE: "Paused, the phone is not available",
    Cause.MODEL: "Paused, the model does not answer",
    Cause.TOUCHED: "Paused, you touched the phone",
    Cause.CALL: "Paused, a call comes in",
    Cause.LOOP: "Paused, it was going in circles",
}


def headline(state: TurnState | None, cause: Cause | None) -> tuple[str, str]:
    """A sign and a few words that tell each state apart from every other, without colour."""
    match state:
        case None:
            return "○", "Idle"
        case TurnState.RESOLVING:
            return "◌", "Understanding the command"
        case TurnState.WAITING:
            return _WAITING.get(cause or Cause.COMMAND, ("?", "Waiting for you"))
        case TurnState.RUNNING if cause in (Cause.PHONE, Cause.MODEL):
            return _WAITING[cause]
        case TurnState.RUNNING:
            return "▸", _RUNNING.get(cause or Cause.COMMAND, "Running")
        case TurnState.PAUSING:
            return "‖", "Pausing after this step"
        case TurnState.PAUSED:
            return "‖", _PAUSED.get(cause or Cause.COMMAND, "Paused")
        case TurnState.FINISHED:
            return "✓", "Finished"
        case TurnState.FAILED:
            return "✗", "Failed"
        case TurnState.CANCELLED:
            return "■", "Cancelled"


def advice(situation: Situation) -> str:
    """What the user can do now, for states whose event says nothing about it."""
    if situation.state is None:
        return "Type a command below."
    if situation.state is TurnState.PAUSED:
        return "f5 goes on. Words typed now are heeded then."
    return ""

"""What the interface needs of the engine, so that a scripted one can stand in for it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from assistant.command_queue import CommandQueue
from assistant.events import Answer, Event, Snooze, TurnState
from assistant.i18n import later
from assistant.records import Record
from assistant.settings.schema import MemorySettings, Settings

if TYPE_CHECKING:
    from assistant.history import PastTurns
    from assistant.memory_view.service import MemoryView
    from assistant.phone.errors import PhoneStatus

BESIDE = later(
    "Another assistant is open on this memory. Suggestions come there; turns run here, on another phone or "
    "one after the other."
)


class UnfinishedTurn(Protocol):
    """A turn that a killed program left behind."""

    @property
    def turn_id(self) -> str:
        """Names it to `continue_turn` and `discard`."""
        ...

    @property
    def said(self) -> str:
        """The command, as the user typed it."""
        ...

    @property
    def steps(self) -> int:
        """How many steps were done."""
        ...

    @property
    def time(self) -> datetime:
        """When it began."""
        ...


class PastSuggestion(Protocol):
    """Something that was suggested."""

    @property
    def id(self) -> str:
        """Names it to the memory."""
        ...

    @property
    def instruction(self) -> str:
        """What would have been done."""
        ...

    @property
    def made(self) -> datetime:
        """When."""
        ...

    @property
    def answer(self) -> Answer:
        """What became of it."""
        ...


class EngineProtocol(Protocol):
    """The engine as the interface sees it. All calls but start, idle, close and events return at once."""

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        ...

    @property
    def simulated(self) -> str:
        """Empty, or a sentence that must stay visible, such as "Simulated phone, scripted model"."""
        ...

    @property
    def simulated_time(self) -> datetime | None:
        """The time of a simulated phone, which may pass faster than the real time; None for a real phone."""
        ...

    @property
    def beside(self) -> bool:
        """Whether another program is open on this memory, and offers the suggestions."""
        ...

    @property
    def waiting(self) -> CommandQueue:
        """The commands that wait for the running turn."""
        ...

    @property
    def state(self) -> TurnState | None:
        """The state of the running turn, None when there is none."""
        ...

    async def idle(self) -> None:
        """Wait until no turn runs, and the next can be started."""
        ...

    async def start(self) -> None:
        """Begin to look for phone and model. What is missing is told by events, never raised."""
        ...

    async def memory_ready(self) -> None:
        """Wait until the memory holds what it should."""
        ...

    async def close(self) -> None:
        """Let go of everything."""
        ...

    def events(self) -> AsyncIterator[Event]:
        """Everything that happens, inside and outside turns."""
        ...

    def run(self, said: str) -> None:
        """Start a turn.

        Raises:
            EngineBusy: a turn runs already.
            NotReady: the phone or the model is missing.
        """
        ...

    def pause(self) -> None:
        """Send nothing more to the phone. Does nothing when no turn runs."""
        ...

    def resume(self) -> None:
        """Go on after a pause."""
        ...

    def cancel(self) -> None:
        """End the turn."""
        ...

    def say(self, text: str) -> None:
        """Tell the running turn something. A paused turn stays paused."""
        ...

    @property
    def looking(self) -> bool:
        """Whether phone and model are still looked for, so that nobody knows yet what is missing."""
        ...

    def problem(self) -> str:
        """Empty, or what is missing and what to do about it, in one or several lines."""
        ...

    def interrupted(self) -> UnfinishedTurn | None:
        """The turn that a killed program left behind, if there is one."""
        ...

    def continue_turn(self, turn_id: str) -> None:
        """Take an interrupted turn up where it stopped.

        Raises:
            EngineBusy: a turn runs already.
            NotReady: the phone or the model is missing.
        """
        ...

    def discard(self, turn_id: str) -> None:
        """Forget an interrupted turn."""
        ...

    def type_noted(self, unsent: bool) -> None:
        """The input field changed; nothing is suggested while it has `unsent` words."""
        ...

    def answer_suggestion(self, suggestion_id: str, answer: Answer, instruction: str = "") -> None:
        """Answer a suggestion; an instruction is carried out like a command.

        Raises:
            EngineBusy: a turn runs already.
            NotReady: the phone or the model is missing.
        """
        ...

    async def let_begin(self, suggestion_id: str) -> bool:
        """Let the routine of a suggestion begin by itself from now on; false where it needs a yes."""
        ...

    def hold_suggestion(self, suggestion_id: str) -> None:
        """Let a suggestion not begin by itself; it stays, to be accepted."""
        ...

    def snooze_suggestion(self, suggestion_id: str, snooze: Snooze) -> None:
        """Put a suggestion off."""
        ...

    async def phones(self) -> Sequence[PhoneStatus]:
        """All phones that are connected, in any state."""
        ...

    def use_phone(self, serial: str) -> None:
        """Turn to another phone, and remember it.

        Raises:
            EngineBusy: a turn runs.
            OSError: the choice cannot be remembered; it holds for now all the same.
        """
        ...

    def say_scenario(self, scenario: str) -> None:
        """The user says where they are; an empty word leaves it to the phone again."""
        ...

    def suggestions(self) -> Sequence[PastSuggestion]:
        """Past suggestions, newest first."""
        ...

    def history(self) -> Sequence[str]:
        """Past commands, newest last."""
        ...

    def past_turns(self) -> PastTurns:
        """Past turns with their steps and pictures; to be read in a thread."""
        ...

    @property
    def learns(self) -> bool:
        """Whether turns teach the memory anything."""
        ...

    def pause_learning(self, paused: bool) -> None:
        """Let turns teach the memory nothing, or something again.

        Raises:
            NotReady: the engine has not started.
            StoreError: the memory cannot be written.
        """
        ...

    def keep_for(self, memory: MemorySettings) -> None:
        """Keep screenshots and what was sent by other limits from now on; may be called from any thread."""
        ...

    def memory(self) -> MemoryView:
        """The memory to look through and to change; to be asked for, and used, in a thread.

        Raises:
            NotReady: the engine has not started.
        """
        ...

    def evidence(self, ids: Sequence[str]) -> Sequence[Record]:
        """The records with these ids, in this order, as far as they are kept."""
        ...

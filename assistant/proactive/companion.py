"""What happens unasked while the program runs: it follows where the user is, and offers routines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from assistant.events import Answer, Event, Snooze
from assistant.memory.prototypes.model import Prototype
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.store import Store
from assistant.memory.turns import AcceptedSuggestion
from assistant.phone.sensing import Signals, sense
from assistant.phone.shell import Shell
from assistant.proactive.busy import Typing
from assistant.proactive.countdown import Begin, Countdown
from assistant.proactive.service import Proactive, Situation, Words
from assistant.proactive.suggestions import Suggestion
from assistant.proactive.surroundings import Surroundings
from assistant.settings.schema import MemorySettings, Settings


@dataclass(frozen=True, slots=True)
class Company:
    """What the companion asks its owner.

    `phone` is a shell on the phone, None while it is not to be asked; `turning` tells whether a turn runs;
    `hierarchy` opens the prototypes; `tidy` puts the rest of the memory in order, once a night. `begin`
    carries out a suggestion that the user lets begin by itself, where it is `harmless`; `words` words it.
    """

    phone: Callable[[], Shell | None]
    turning: Callable[[], bool]
    hierarchy: Callable[[], HierarchicalMemory]
    tidy: Callable[[], None] = lambda: None
    begin: Begin = lambda _id, _instruction: None
    harmless: Callable[[Prototype], bool] = lambda _: False
    words: Words | None = None


class Companion:
    """Surroundings and suggestions together. All methods belong to the event loop's thread.

    Args:
        settings: all settings.
        store: the memory.
        company: what its owner knows.
        now: the local time with its zone.
        emit: takes the events.
        speaks: whether somebody is there to be offered routines.
    """

    def __init__(
        self,
        settings: Settings,
        store: Store,
        company: Company,
        now: Callable[[], datetime],
        emit: Callable[[Event], None],
        *,
        speaks: bool,
    ) -> None:
        self._company = company
        self._emit = emit
        self._countdown = Countdown(company.begin, lambda: not self._busy, now)
        self._typing = Typing(now)
        self._surroundings = Surroundings(store, settings.user_id, self._sense, self._move)
        self._proactive: Proactive | None = None
        if speaks:
            situation = Situation(lambda: self.scenario, lambda: self._busy)
            self._proactive = Proactive(
                settings,
                store,
                company.hierarchy,
                now,
                situation,
                self._tell,
                tidy=company.tidy,
                harmless=company.harmless,
                words=company.words,
            )

    def start(self) -> None:
        """Begin to look around and to offer, if there is somebody to offer to."""
        if self._proactive is not None:
            self._proactive.start()
            self._surroundings.start()

    async def close(self) -> None:
        """Look and offer no more, and let nothing begin by itself."""
        self._countdown.stop()
        await self._surroundings.close()
        if self._proactive is not None:
            await self._proactive.close()

    def keep_for(self, memory: MemorySettings) -> None:
        """Sweep by other limits from now on."""
        if self._proactive is not None:
            self._proactive.keep_for(memory)

    def wake(self) -> None:
        """Something has changed, such as a turn that is over: look whether there is something to offer."""
        if self._proactive is not None:
            self._proactive.wake()

    async def settled(self) -> None:
        """Return when all that there was to look at has been looked at."""
        if self._proactive is not None:
            await self._proactive.settled()

    def moments(self) -> list[datetime]:
        """When it will look next because something is likely, due or over."""
        return self._proactive.moments() if self._proactive is not None else []

    @property
    def scenario(self) -> str:
        """Where the user is: what they said, else the place that the phone recognises, else unknown."""
        return self._surroundings.scenario

    def say_scenario(self, scenario: str) -> None:
        """The user says where they are, until the phone is somewhere else; an empty word takes it back."""
        self._surroundings.say(scenario)

    def type_noted(self, unsent: bool) -> None:
        """The user typed; nothing is suggested while there are `unsent` words."""
        self._typing.note(unsent)

    def hold(self, suggestion_id: str) -> None:
        """Let a suggestion not begin by itself; it can be accepted all the same."""
        self._countdown.stop(suggestion_id)

    async def let_begin(self, suggestion_id: str) -> bool:
        """Let the routine of a suggestion begin by itself from now on; whether it may."""
        return self._proactive is not None and await self._proactive.let_begin(suggestion_id)

    def answer(self, suggestion_id: str, answer: Answer) -> None:
        """Keep what the user made of a suggestion."""
        self._countdown.stop(suggestion_id)
        if self._proactive is not None:
            self._proactive.answer(suggestion_id, answer)

    def snooze(self, suggestion_id: str, snooze: Snooze) -> None:
        """Put a suggestion off."""
        self._countdown.stop(suggestion_id)
        if self._proactive is not None:
            self._proactive.snooze(suggestion_id, snooze)

    def suggested(self, suggestion_id: str) -> AcceptedSuggestion | None:
        """An open suggestion for the turn that carries it out; None when it is over."""
        return self._proactive.suggested(suggestion_id) if self._proactive is not None else None

    def suggestions(self) -> Sequence[Suggestion]:
        """Past suggestions, newest first."""
        return self._proactive.latest() if self._proactive is not None else ()

    @property
    def _busy(self) -> bool:
        return self._company.turning() or self._typing.active

    def _tell(self, event: Event) -> None:
        self._emit(event)
        self._countdown.heed(event)

    async def _sense(self) -> Signals | None:
        shell = None if self._company.turning() else self._company.phone()
        return await sense(shell) if shell is not None else None

    def _move(self, event: Event) -> None:
        self._emit(event)
        self.wake()

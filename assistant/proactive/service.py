"""The door to proactivity: it looks when there is a reason to, and tells of suggestions by events."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from typing import TypeVar

from assistant.embedding.errors import EmbeddingError
from assistant.events import Answer, Event, Snooze
from assistant.file_lock import ProactiveLock
from assistant.memory.database import StoreError
from assistant.memory.prototypes.model import Prototype
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.retention import sweep
from assistant.memory.store import Store
from assistant.memory.turns import AcceptedSuggestion
from assistant.proactive.days import Calendar, UnknownCountry
from assistant.proactive.known import KnownHabits
from assistant.proactive.occasions import Expected
from assistant.proactive.offers import Looked, Offering
from assistant.proactive.reasons import in_words
from assistant.proactive.scheduler import HEARTBEAT, NIGHT_AT, Cause, Schedule
from assistant.proactive.screen import SuggestionOnScreen
from assistant.proactive.suggestions import NoSuchSuggestion, Stage, Suggestion
from assistant.settings.schema import MemorySettings, Settings

T = TypeVar("T")

Words = Callable[[Suggestion, datetime], Awaitable[str | None]]
"""The words to show a suggestion with at a time; None when it is not to be shown."""

WATCHED = 0.25
"""Seconds between two looks whether the memory behind a suggestion that waits was changed, by whomever."""

_log = logging.getLogger(__name__)
_MOMENTS = 200


@dataclass(frozen=True, slots=True)
class Situation:
    """What the service asks its owner before it speaks: where the user is, whether they are busy."""

    scenario: Callable[[], str]
    busy: Callable[[], bool]


class Proactive:
    """Offers routines while the program runs. All methods belong to the event loop's thread.

    The memory is read and judged in a thread of its own, one thing after the other.

    Args:
        settings: whose routines, and when something may be said.
        store: the memory.
        memory: opens the prototypes.
        now: the user's local time with its zone.
        situation: where the user is, and whether they are busy.
        emit: takes the events.
        tidy: puts the rest of the memory in order, once a night.
        harmless: whether a routine may begin by itself where the user lets it.
        words: words a suggestion before it is shown, or advises against it.
        heartbeat: seconds between two looks.
        watched: seconds between two checks whether the memory behind what waits was changed.
    """

    def __init__(
        self,
        settings: Settings,
        store: Store,
        memory: Callable[[], HierarchicalMemory],
        now: Callable[[], datetime],
        situation: Situation,
        emit: Callable[[Event], None],
        tidy: Callable[[], None] = lambda: None,
        harmless: Callable[[Prototype], bool] = lambda _: False,
        words: Words | None = None,
        heartbeat: float = HEARTBEAT,
        watched: float = WATCHED,
    ) -> None:
        self._settings = settings
        self._store = store
        self._now = now
        self._situation = situation
        self._tidy = tidy
        self._words = words
        user, calendar = settings.user_id, _calendar(settings.proactive.country)
        self._habits = KnownHabits(store, memory, user, calendar)
        self._offering = Offering(store, user, settings.proactive, now, self._habits, harmless)
        undo = timedelta(seconds=settings.proactive.undo_seconds)
        self._screen = SuggestionOnScreen(emit, now, undo)
        self._speaker = ProactiveLock(store.folder)
        self._schedule = Schedule(self.wake, now, heartbeat)
        self._causes: asyncio.Queue[Cause] = asyncio.Queue()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="proactive")
        self._tasks: list[asyncio.Task[None]] = []
        self._watched = watched
        self._looked_at: int | None = None
        self._answering: set[asyncio.Task[None]] = set()
        self._likely: tuple[datetime, ...] = ()
        self._night: date | None = None

    def start(self) -> None:
        """Begin to look: at once, at every heartbeat, and when a routine is likely."""
        self._schedule.start()
        self._tasks = [asyncio.create_task(self._work()), asyncio.create_task(self._watch())]
        self.wake()

    async def close(self) -> None:
        """Stop looking, and let another program speak. Answers under way are kept."""
        await self._schedule.stop()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        if self._answering:
            await asyncio.wait(self._answering)
        # A look under way still works with the memory, which its owner closes next.
        await asyncio.to_thread(self._thread.shutdown)
        self._speaker.release()

    def wake(self, cause: Cause = Cause.MOMENT) -> None:
        """Look soon, such as when the scenario has changed or a turn is over."""
        self._causes.put_nowait(cause)

    async def settled(self) -> None:
        """Return when all that there was to look at has been looked at, and every answer is kept."""
        await self._causes.join()
        if self._answering:
            await asyncio.wait(self._answering)

    def moments(self) -> list[datetime]:
        """When it will look next because a routine is likely, or because a suggestion is due or lapses."""
        return self._schedule.moments()

    def answer(self, suggestion_id: str, answer: Answer) -> None:
        """Keep what the user made of a suggestion; that it is over already is told by an event."""
        self._in_order(lambda: self._offering.answer(suggestion_id, answer), suggestion_id)

    async def let_begin(self, suggestion_id: str) -> bool:
        """Let the routine of a suggestion begin by itself from now on; whether it may."""
        try:
            return await self._aside(partial(self._offering.let_begin, suggestion_id))
        except NoSuchSuggestion:
            return False

    def snooze(self, suggestion_id: str, snooze: Snooze) -> None:
        """Put a suggestion off."""
        self._in_order(lambda: self._offering.snooze(suggestion_id, snooze), suggestion_id)

    def latest(self, count: int = 100) -> Sequence[Suggestion]:
        """Past suggestions, newest first."""
        return self._offering.suggestions.latest(count)

    def suggested(self, suggestion_id: str) -> AcceptedSuggestion | None:
        """An open suggestion for the turn that carries it out; None when it is over."""
        try:
            one = self._offering.suggestions.get(suggestion_id)
        except NoSuchSuggestion:
            return None
        return AcceptedSuggestion(
            id=one.id,
            instruction=one.instruction,
            score=one.score,
            why=tuple(map(in_words, one.why)),
            evidence=one.evidence,
        )

    async def expected(self) -> list[Expected]:
        """When each routine is likely next."""
        return await self._aside(self._offering.expected)

    def keep_for(self, memory: MemorySettings) -> None:
        """Sweep by other limits from now on."""
        self._settings = self._settings.model_copy(update={"memory": memory})

    async def _work(self) -> None:
        while True:
            causes = [await self._causes.get()]
            while not self._causes.empty():
                causes.append(self._causes.get_nowait())
            try:
                await self._look(set(causes))
            except (StoreError, EmbeddingError, OSError) as problem:
                _log.warning("nothing is suggested now: %s", problem)
            finally:
                for _ in causes:
                    self._causes.task_done()

    async def _look(self, causes: set[Cause]) -> None:
        begins = not self._speaker.held
        if not self._speaker.take():
            return
        if begins:
            causes = {*causes, Cause.START}
        self._looked_at = await self._aside(self._newest_change)
        if Cause.START in causes:
            await self._tell(await self._aside(self._offering.refresh))
        if self._is_new_night() or causes & {Cause.START, Cause.NIGHT}:
            night = Cause.START not in causes
            self._likely = await self._aside(partial(self._keep_house, night=night))
        elif not self._likely:
            # The memory may have been filled since, as by an import.
            self._likely = await self._aside(self._openings)
        look = partial(self._offering.look, self._situation.scenario(), busy=self._situation.busy())
        await self._tell(await self._aside(look))
        await self._set_moments()

    async def _tell(self, looked: Looked) -> None:
        for one in looked.over:
            self._screen.lapse(one.id)
        waits = looked.waits
        if waits is not None and looked.renewed:
            waits = await self._worded(waits)
        self._screen.follow(waits, alone=looked.alone, new=looked.shown is not None)

    async def _worded(self, waits: Suggestion) -> Suggestion | None:
        """The suggestion in the words to show it with; None when it is not to be shown after all."""
        if self._words is None or waits.snoozes:
            return waits
        instruction = await self._words(waits, self._now())
        try:
            if instruction is None:
                await self._aside(partial(self._offering.withdraw, waits.id))
            else:
                return await self._aside(partial(self._offering.reword, waits.id, instruction))
        except NoSuchSuggestion:
            _log.info("a suggestion was answered while it was worded")
        return None

    async def _watch(self) -> None:
        """While a suggestion waits, look as soon as the memory was changed, here or by another program."""
        while True:
            await asyncio.sleep(self._watched)
            if self._screen.there and await self._aside(self._newest_change) != self._looked_at:
                self.wake()

    def _newest_change(self) -> int | None:
        return next((line.id for line in self._store.audit.lines(newest=1)), None)

    def _is_new_night(self) -> bool:
        """Whether a night has passed that the schedule did not see, as while the machine slept."""
        night = (self._now() - NIGHT_AT).date()
        before, self._night = self._night, max(night, self._night or night)
        return before is not None and night > before

    def _keep_house(self, night: bool) -> tuple[datetime, ...]:
        """What is done once a day. Returns when routines are likely in the days to come."""
        sweep(self._store, self._settings.memory, self._now())
        if night and self._settings.memory.learning:
            self._habits.aggregate()
            self._tidy()
        return self._openings()

    def _openings(self) -> tuple[datetime, ...]:
        return tuple(one.opens for one in self._offering.expected()[:_MOMENTS])

    async def _set_moments(self) -> None:
        """Be woken when a routine is likely, and when a suggestion is due or lapses."""
        opened = await self._aside(self._offering.suggestions.open)
        due = [one.due if one.stage is Stage.SNOOZED else one.until for one in opened]
        self._schedule.set_moments(one for one in (*self._likely, *due) if one > self._now())

    def _in_order(self, keep: Callable[[], Suggestion], suggestion_id: str) -> None:
        task = asyncio.create_task(self._keep(keep, suggestion_id))
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    async def _keep(self, keep: Callable[[], Suggestion], suggestion_id: str) -> None:
        try:
            kept = await self._aside(keep)
        except NoSuchSuggestion:
            self._screen.lapse(suggestion_id)
        except (StoreError, EmbeddingError) as problem:
            _log.warning("an answer is not kept: %s", problem)
        else:
            self._screen.answered(kept)
            await self._set_moments()

    def _aside(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Do something in the thread, after what it does already."""
        return asyncio.get_running_loop().run_in_executor(self._thread, work)


def _calendar(country: str) -> Calendar:
    """The calendar of the settings; weekends alone where the country is not known."""
    try:
        return Calendar(country)
    except UnknownCountry as problem:
        _log.warning("only weekends count as free: %s", problem)
        return Calendar()

"""The door to proactivity: it looks when there is a reason to, and tells of suggestions by events.

What happens unasked while the program runs: it follows where the user is, and offers routines.

The one suggestion that listeners have on their screens: told once, and again when it has changed.

Begins what the user lets begin by itself, unless it is stopped in time (PersonalAlign C.3).

Whether somebody types: words that were begun and not sent hold suggestions back for a while.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from typing import TypeVar

from assistant.embedding.embedder import EmbeddingError
from assistant.events import Answer, Event, Snooze, SuggestionAnswered, SuggestionLapsed, SuggestionOffered
from assistant.file_lock import ProactiveLock
from assistant.memory.database import StoreError
from assistant.memory.prototypes.model import Prototype
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.retention import sweep
from assistant.memory.store import Store
from assistant.memory.turns import AcceptedSuggestion
from assistant.phone.adb import Shell
from assistant.phone.sensors import SensorReadings, read_sensors
from assistant.proactive.forecast import ExpectedOccasion, HabitCache
from assistant.proactive.habit_table import Calendar, UnknownCountry
from assistant.proactive.location import LocationMonitor
from assistant.proactive.offers import OfferDecision, OfferPolicy
from assistant.proactive.scheduler import HEARTBEAT, NIGHT_AT, WakeReason, WakeScheduler
from assistant.proactive.suggestions import NoSuchSuggestion, Stage, Suggestion, in_words, later
from assistant.settings.schema import MemorySettings, Settings


class DisplayedSuggestion:
    """Tells by events what becomes of suggestions.

    Args:
        emit: takes the events.
        now: the user's local time with its zone.
        undo: how long one that begins by itself can be stopped before.
    """

    def __init__(self, emit: Callable[[Event], None], now: Callable[[], datetime], undo: timedelta) -> None:
        self._emit = emit
        self._now = now
        self._undo = undo
        self._told: SuggestionOffered | None = None

    @property
    def there(self) -> bool:
        """Whether one was told of that is not over."""
        return self._told is not None

    def follow(self, waits: Suggestion | None, *, alone: bool = False, new: bool = False) -> None:
        """Tell of the suggestion that waits, where that is not what was told; None is none.

        One that was told before and has changed never begins by itself: its words are others than those that
        the user has let pass.

        Args:
            waits: as it is in the memory.
            alone: whether the user lets it begin by itself.
            new: whether it is shown for the first time, or again after it was put off.
        """
        told = self._told
        if told is not None and (waits is None or waits.id != told.id):
            self.lapse(told.id)
        if waits is None:
            return
        why = tuple(map(in_words, waits.why))
        same = told is not None and (told.id, told.instruction, told.why) == (
            waits.id,
            waits.instruction,
            why,
        )
        stopped = told is not None and told.starts is not None and not alone
        if same and not stopped and not new:
            return
        now = self._now()
        self._told = SuggestionOffered(
            time=now,
            id=waits.id,
            instruction=waits.instruction,
            score=waits.score,
            until=waits.until,
            why=why,
            starts=later(now, self._undo) if alone and new else None,
        )
        self._emit(self._told)

    def lapse(self, suggestion_id: str) -> None:
        """One is over without an answer."""
        self._forget(suggestion_id)
        self._emit(SuggestionLapsed(time=self._now(), id=suggestion_id))

    def answered(self, kept: Suggestion) -> None:
        """The user's answer is kept."""
        self._forget(kept.id)
        put_off = kept.due if kept.stage is Stage.SNOOZED else None
        answer = kept.answer.value or kept.stage.value
        self._emit(SuggestionAnswered(time=self._now(), id=kept.id, answer=answer, until=put_off))

    def _forget(self, suggestion_id: str) -> None:
        if self._told is not None and self._told.id == suggestion_id:
            self._told = None


T = TypeVar("T")

Words = Callable[[Suggestion, datetime], Awaitable[str | None]]
"""The words to show a suggestion with at a time; None when it is not to be shown."""

_log = logging.getLogger(__name__)
_MOMENTS = 200


@dataclass(frozen=True, slots=True)
class UserState:
    """What the service asks its owner before it speaks: where the user is, whether they are busy."""

    scenario: Callable[[], str]
    busy: Callable[[], bool]


class ProactiveService:
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
    """

    def __init__(
        self,
        settings: Settings,
        store: Store,
        memory: Callable[[], HierarchicalMemory],
        now: Callable[[], datetime],
        situation: UserState,
        emit: Callable[[Event], None],
        tidy: Callable[[], None] = lambda: None,
        harmless: Callable[[Prototype], bool] = lambda _: False,
        words: Words | None = None,
        heartbeat: float = HEARTBEAT,
    ) -> None:
        self._settings = settings
        self._store = store
        self._now = now
        self._situation = situation
        self._tidy = tidy
        self._words = words
        user, calendar = settings.user_id, _calendar(settings.proactive.country)
        self._habits = HabitCache(store, memory, user, calendar)
        self._offering = OfferPolicy(store, user, settings.proactive, now, self._habits, harmless)
        undo = timedelta(seconds=settings.proactive.undo_seconds)
        self._screen = DisplayedSuggestion(emit, now, undo)
        self._speaker = ProactiveLock(store.folder)
        self._schedule = WakeScheduler(self.wake, now, heartbeat)
        self._causes: asyncio.Queue[WakeReason] = asyncio.Queue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._worker: threading.Thread | None = None
        self._thread = ThreadPoolExecutor(1, "proactive", self._note_worker)
        self._tasks: list[asyncio.Task[None]] = []
        self._answering: set[asyncio.Task[None]] = set()
        self._likely: tuple[datetime, ...] = ()
        self._night: date | None = None

    def start(self) -> None:
        """Begin to look: at once, at every heartbeat, and when a routine is likely."""
        self._schedule.start()
        self._loop = asyncio.get_running_loop()
        self._store.database.add_listener(self._on_change)
        self._tasks = [asyncio.create_task(self._work())]
        self.wake()

    async def close(self) -> None:
        """Stop looking, and let another program speak. Answers under way are kept."""
        if self._loop is not None:
            self._store.database.remove_listener(self._on_change)
            self._loop = None
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

    def wake(self, cause: WakeReason = WakeReason.MOMENT) -> None:
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

    async def expected(self) -> list[ExpectedOccasion]:
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

    async def _look(self, causes: set[WakeReason]) -> None:
        begins = not self._speaker.held
        if not self._speaker.take():
            return
        if begins:
            causes = {*causes, WakeReason.START}
        if WakeReason.START in causes:
            await self._tell(await self._aside(self._offering.refresh))
        if self._is_new_night() or causes & {WakeReason.START, WakeReason.NIGHT}:
            night = WakeReason.START not in causes
            self._likely = await self._aside(partial(self._keep_house, night=night))
        elif not self._likely:
            # The memory may have been filled since, as by an import.
            self._likely = await self._aside(self._openings)
        look = partial(self._offering.look, self._situation.scenario(), busy=self._situation.busy())
        await self._tell(await self._aside(look))
        await self._set_moments()

    async def _tell(self, looked: OfferDecision) -> None:
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

    def _on_change(self) -> None:
        """Look at once when the memory was changed in this process while a suggestion is shown.

        Called in the thread that made the change. Changes by other processes are seen at the next heartbeat,
        those of a look itself need no other look.
        """
        if self._loop is not None and threading.current_thread() is not self._worker:
            self._loop.call_soon_threadsafe(self._look_again)

    def _look_again(self) -> None:
        if self._screen.there:
            self.wake()

    def _note_worker(self) -> None:
        self._worker = threading.current_thread()

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


Begin = Callable[[str, str], None]
"""Starts a suggestion by its id and instruction, with all guards of a command."""


class Countdown:
    """One suggestion at a time that begins by itself. All methods belong to the event loop's thread.

    Args:
        begin: starts it.
        may: whether it may begin, asked when the time is over: not while the user types or a turn runs.
        now: the present time.
    """

    def __init__(self, begin: Begin, may: Callable[[], bool], now: Callable[[], datetime]) -> None:
        self._begin = begin
        self._may = may
        self._now = now
        self._waiting: tuple[str, asyncio.Task[None]] | None = None

    def heed(self, event: Event) -> None:
        """Take in what becomes of suggestions."""
        match event:
            case SuggestionOffered(starts=starts) if starts is not None:
                self.stop()
                seconds = (starts - self._now()).total_seconds()
                waiting = self._wait(event.id, event.instruction, seconds)
                self._waiting = event.id, asyncio.create_task(waiting)
            case SuggestionOffered(id=over) | SuggestionAnswered(id=over) | SuggestionLapsed(id=over):
                # One that is offered again has changed since, and waits for a yes.
                self.stop(over)

    def stop(self, suggestion_id: str = "") -> None:
        """Let nothing begin by itself, or not this one; it can be accepted all the same."""
        if self._waiting is not None and suggestion_id in ("", self._waiting[0]):
            self._waiting[1].cancel()
            self._waiting = None

    async def _wait(self, suggestion_id: str, instruction: str, seconds: float) -> None:
        await asyncio.sleep(max(0.0, seconds))
        self._waiting = None
        if self._may():
            self._begin(suggestion_id, instruction)


_GIVEN_UP = timedelta(minutes=2)
"""Half a sentence that nobody went on with for so long is no typing any more."""


class TypingGuard:
    """Follows what stands in the input field."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._since: datetime | None = None

    def note(self, unsent: bool) -> None:
        """The field has changed; `unsent` when there is something in it."""
        self._since = self._now() if unsent else None

    @property
    def active(self) -> bool:
        """Whether somebody types."""
        return self._since is not None and self._now() - self._since < _GIVEN_UP


@dataclass(frozen=True, slots=True)
class ProactiveDependencies:
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
        company: ProactiveDependencies,
        now: Callable[[], datetime],
        emit: Callable[[Event], None],
        *,
        speaks: bool,
    ) -> None:
        self._company = company
        self._emit = emit
        self._countdown = Countdown(company.begin, lambda: not self._busy, now)
        self._typing = TypingGuard(now)
        self._surroundings = LocationMonitor(store, settings.user_id, self._sense, self._move)
        self._proactive: ProactiveService | None = None
        if speaks:
            situation = UserState(lambda: self.scenario, lambda: self._busy)
            self._proactive = ProactiveService(
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

    async def _sense(self) -> SensorReadings | None:
        shell = None if self._company.turning() else self._company.phone()
        return await read_sensors(shell) if shell is not None else None

    def _move(self, event: Event) -> None:
        self._emit(event)
        self.wake()

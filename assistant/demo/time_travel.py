"""Time travel in the demo: the palette's entries that advance its clock, and what happens meanwhile.

The person of the simulated phone lives on while the clock advances: they leave records, and routines that
become likely are suggested. The simulated phone's own clock follows.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol, cast

from assistant.engine import Engine
from assistant.i18n import _, later, moment
from assistant.memory.store import Store, open_store
from assistant.proactive.suggestions import Stage, Suggestion, Suggestions
from assistant.records import Record
from assistant.simulator.apps.host import Locale
from assistant.simulator.control import ControlClient, ControlFailed
from assistant.simulator.demo_clock import DemoClock
from assistant.simulator.living_on import LivingOn
from assistant.simulator.orders import Advance
from assistant.simulator.world import World

_log = logging.getLogger(__name__)


class TimeSpan(StrEnum):
    """How much time to let pass."""

    HOUR = "hour"
    LIKELY = "likely"
    DAY = "day"
    WEEKS = "weeks"


_TITLES = {
    TimeSpan.LIKELY: later("Demo time: go to the next suggestion"),
    TimeSpan.HOUR: later("Demo time: let an hour pass"),
    TimeSpan.DAY: later("Demo time: let a day pass"),
    TimeSpan.WEEKS: later("Demo time: let three weeks pass in a minute"),
}
_DURATIONS = {
    TimeSpan.HOUR: timedelta(hours=1),
    TimeSpan.DAY: timedelta(days=1),
    TimeSpan.WEEKS: timedelta(days=21),
}
_NAMED = 3
"""How many of the suggestions that passed are named, the newest."""
_WEEKS_TAKE = 60.0
"""Real seconds in which the three weeks pass."""


@dataclass(frozen=True, slots=True)
class TimeTravelResult:
    """The result: which suggestions passed meanwhile, the oldest first, and when the next are looked for.

    `waits` tells whether a suggestion still waits for an answer.
    """

    passed: tuple[Suggestion, ...] = ()
    next_look: datetime | None = None
    waits: bool = False


def format_result(now: datetime, result: TimeTravelResult) -> str:
    """The message shown when the time has passed."""
    time = moment(now)
    if result.passed:
        newest = result.passed[-_NAMED:]
        names = [f"{moment(suggestion.due)} {suggestion.instruction}" for suggestion in newest]
        if len(result.passed) > _NAMED:
            names.insert(0, "…")
        sentence = _("It is {time}. Suggestions that passed meanwhile: {count} ({names}). See /suggestions.")
        return sentence.format(time=time, count=len(result.passed), names="; ".join(names))
    if result.waits:
        return _("It is {time}. A suggestion waits for your answer.").format(time=time)
    if result.next_look is None:
        return _("It is {time}. Nothing comes up in the next days.").format(time=time)
    no_suggestion = _("It is {time}. Nothing comes up before {next}.")
    return no_suggestion.format(time=time, next=moment(result.next_look))


class DemoTime:
    """The clock of a demo's engine, which can be advanced. All methods belong to the event loop's thread.

    Args:
        world: the world whose phone's clock follows.
        locale: the language of the phone.
        start: the local time it begins at.
    """

    def __init__(self, world: World, locale: str, start: datetime) -> None:
        self._world = world
        self._locale = cast(Locale, locale)
        self._clock = DemoClock(start)
        self._engine: Engine | None = None
        self.filled: asyncio.Task[None] | None = None
        """Fills the memory; no time passes before that, since nothing would come up."""

    def now(self) -> datetime:
        """The time in the demo."""
        return self._clock()

    @property
    def commands(self) -> Sequence[TimeTravelCommand]:
        """The palette's entries, one for each time span."""
        return [TimeTravelCommand(self, span) for span in _TITLES]

    async def attach(self, engine: Engine) -> None:
        """Use the engine that was made with this clock, and continue where its memory ends, if that is later.

        Raises:
            StoreError: the memory cannot be read.
        """
        self._engine = engine
        store = open_store(engine.settings, self._clock)
        latest = next((record.time for record in store.records.of(engine.settings.user_id, newest=1)), None)
        store.close()
        if latest is not None and latest > self._clock():
            await self._advance_phone((latest - self._clock()).total_seconds())
            self._clock.move_to(latest)

    async def let_pass(self, span: TimeSpan) -> TimeTravelResult:
        """Let time pass, once the memory is filled. Does nothing before an engine is attached and started.

        Raises:
            StoreError: the memory cannot be written.
        """
        if self.filled is not None:
            await asyncio.wait([self.filled])
        engine = self._engine
        if engine is None or engine.proactive is None:
            return TimeTravelResult()
        start, user = self._clock(), engine.settings.user_id
        store = open_store(engine.settings, self._clock)
        try:
            life = LivingOn(user, self._locale)
            passing = PassingTime(self._clock, life, store, engine.proactive, self._advance_phone)
            if span is TimeSpan.LIKELY:
                await self._until_suggested(passing, Suggestions(store, user), start)
            else:
                await passing.until(start + _DURATIONS[span], _WEEKS_TAKE if span is TimeSpan.WEEKS else 0.0)
            now = self._clock()
            next_look = min((time for time in engine.proactive.moments() if time > now), default=None)
            suggestions = Suggestions(store, user).since(start)
            return TimeTravelResult(
                tuple(suggestion for suggestion in suggestions if suggestion.stage is Stage.OVER),
                next_look.astimezone(now.tzinfo) if next_look is not None else None,
                waits=any(suggestion.stage is Stage.SHOWN for suggestion in suggestions),
            )
        finally:
            store.close()

    async def _until_suggested(self, passing: PassingTime, suggestions: Suggestions, start: datetime) -> None:
        """Go from one likely moment to the next until something is suggested, a week at most."""
        while self._clock() < start + _LONGEST_WAIT:
            await passing.until_likely()
            if any(suggestion.stage is Stage.SHOWN for suggestion in suggestions.since(start)):
                return

    async def _advance_phone(self, seconds: float) -> None:
        phone = self._world.phone
        try:
            async with ControlClient(phone["control"], phone["token"]) as client:
                await client.perform(Advance(seconds=max(0.0, seconds)))
        except ControlFailed as problem:
            _log.warning("the simulated phone's clock stays behind: %s", problem)


@dataclass(frozen=True, slots=True)
class TimeTravelCommand:
    """An entry of the command palette: lets a time span pass in the demo."""

    time: DemoTime
    span: TimeSpan

    @property
    def title(self) -> str:
        """What the entry says."""
        return _(_TITLES[self.span])

    async def run(self) -> str:
        """Let the time pass; returns the message about it.

        Raises:
            StoreError: the memory cannot be written.
        """
        result = await self.time.let_pass(self.span)
        return format_result(self.time.now(), result)


_DONE_BY_SUGGESTION = timedelta(hours=3)
"""What was done this short a time ago, by accepting a suggestion, is not done once more."""
_MOMENT = timedelta(seconds=1)
_LONGEST_WAIT = timedelta(days=7)
"""How far `until_likely` goes where nothing becomes likely."""
_PHONE_EVERY = 1.0
"""Real seconds after which the phone's clock follows, while time passes quickly."""


class SuggestionSource(Protocol):
    """Whoever suggests routines, as far as time travel needs it."""

    def wake(self) -> None:
        """Look soon."""
        ...

    async def settled(self) -> None:
        """Return when everything has been looked at."""
        ...

    def moments(self) -> list[datetime]:
        """When there will be something to look at."""
        ...


async def _no_phone(_: float) -> None:
    """There is no phone whose clock could follow."""


class PassingTime:
    """Moves a clock from one moment at which something happens to the next.

    Something happens where the person does what they do, or where routines may become likely.

    Args:
        clock: the clock that is moved.
        life: what the person does.
        store: where their records are kept.
        suggesting: looks for likely routines at every moment.
        advance_phone: advances the phone's clock by so many seconds.
    """

    def __init__(
        self,
        clock: DemoClock,
        life: LivingOn,
        store: Store,
        suggesting: SuggestionSource,
        advance_phone: Callable[[float], Awaitable[None]] = _no_phone,
    ) -> None:
        self._clock = clock
        self._life = life
        self._store = store
        self._suggesting = suggesting
        self._advance_phone = advance_phone
        self._phone_lag = 0.0
        self._phone_advanced = 0.0

    async def until(self, end: datetime, seconds: float = 0.0) -> None:
        """Let the time pass up to a moment.

        Args:
            end: the moment.
            seconds: the least real time that this takes, spread evenly; 0 does not wait.
        """
        start, real_start = self._clock(), time.monotonic()
        while (now := self._clock()) < end:
            next_moment = self._next_moment(now, end)
            if seconds:
                due = real_start + seconds * ((next_moment - start) / (end - start))
                await asyncio.sleep(max(0.0, due - time.monotonic()))
            await self._move_to(now, next_moment)
        await self._follow_on_phone()

    async def until_likely(self) -> datetime:
        """Let the time pass up to the next moment at which there is something to look at; returns it."""
        self._suggesting.wake()
        await self._suggesting.settled()
        now = self._clock()
        next_look = min(
            (look for look in self._suggesting.moments() if look > now), default=now + _LONGEST_WAIT
        )
        await self.until(next_look)
        return next_look

    def _next_moment(self, now: datetime, end: datetime) -> datetime:
        records = self._life.between(now, min(end, now + timedelta(days=1)))
        looks = [look for look in self._suggesting.moments() if look > now]
        # A second later, because a suggestion is valid up to and including its end.
        return min([*(time + _MOMENT for time in (*(record.time for record in records), *looks)), end])

    async def _move_to(self, now: datetime, next_moment: datetime) -> None:
        self._clock.move_to(next_moment)
        self._phone_lag += (next_moment - now).total_seconds()
        if time.monotonic() - self._phone_advanced > _PHONE_EVERY:
            await self._follow_on_phone()
        records = [record for record in self._life.between(now, next_moment) if not self._was_done(record)]
        if records:
            await asyncio.to_thread(self._store.records.add, records, "Live on", "the demo's time passes")
        self._suggesting.wake()
        await self._suggesting.settled()

    async def _follow_on_phone(self) -> None:
        lag, self._phone_lag = self._phone_lag, 0.0
        await self._advance_phone(lag)
        self._phone_advanced = time.monotonic()

    def _was_done(self, record: Record) -> bool:
        newest = self._store.records.of(record.user_id, newest=10)
        return any(
            done.instruction == record.instruction and abs(record.time - done.time) < _DONE_BY_SUGGESTION
            for done in newest
        )

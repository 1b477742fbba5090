"""Small lives for the tests of suggestions, and a clock that is set by hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from assistant.memory.prototypes.model import Member, Prototype
from assistant.memory.store import Store
from assistant.proactive.forecast import Habits
from assistant.proactive.habit_table import Calendar, HabitTable, group_variants
from assistant.proactive.offers import OfferPolicy
from assistant.settings.schema import ProactiveSettings

BERLIN = ZoneInfo("Europe/Berlin")
MONDAY = date(2026, 3, 2)
USER = "me"
NO_NIGHT = {"quiet_from": time(0), "quiet_until": time(0)}


@dataclass
class Clock:
    now: datetime

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **duration: float) -> None:
        """Let real time pass, whatever clocks on the wall do."""
        later = self.now.timestamp() + timedelta(**duration).total_seconds()
        self.now = datetime.fromtimestamp(later, self.now.tzinfo)


def prototype(
    name: str, times: Iterable[datetime], *, scenario: str = "unknown", hidden: bool = False
) -> Prototype:
    """A prototype with a record for each time; records are called `name-1` and so on."""
    members = tuple(Member(f"{name}-{number}", at, scenario, 1.0) for number, at in enumerate(times, 1))
    return Prototype(
        id=name,
        user_id=USER,
        centre_id=members[0].record_id,
        instruction=f"Do {name}",
        actions=(),
        app="",
        package="",
        members=members,
        weight=float(len(members)),
        hidden=hidden,
    )


def daily(name: str, at: time, days: int = 28, *, start: date = MONDAY, zone: tzinfo = BERLIN) -> Prototype:
    """Something done every day at the same time."""
    return prototype(name, [datetime.combine(start + timedelta(days=day), at, zone) for day in range(days)])


def habits(*prototypes: Prototype, today: date | None = None) -> Habits:
    table = HabitTable(group_variants(prototypes), Calendar(), today)
    return Habits({one.id: one for one in prototypes}, table)


@dataclass
class Desk:
    """An offering over a store, whose clock and habits a test sets."""

    store: Store
    clock: Clock
    offering: OfferPolicy
    prototypes: list[Prototype]

    def do(self, place: int = 0) -> None:
        """The user does one of the habits by themselves, now."""
        known = self.prototypes[place]
        self.prototypes[place] = prototype(known.id, [*(one.time for one in known.members), self.clock.now])


def desk(
    folder: Path, now: datetime, *prototypes: Prototype, settings: ProactiveSettings | None = None
) -> Desk:
    clock = Clock(now)
    store = Store(folder, clock)
    known = list(prototypes)
    offering = OfferPolicy(
        store, USER, settings or ProactiveSettings(), clock, lambda today: habits(*known, today=today)
    )
    return Desk(store, clock, offering, known)

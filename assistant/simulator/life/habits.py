"""When things are wanted: routines with weekdays, drift, misses and ends; preferences at random times."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from assistant.memory.prototypes.model import RecordKind
from assistant.simulator.life.intents import Intent, Want

EARLIEST, LATEST = 5.0 * 60, 23.9 * 60
_EVERY_DAY = frozenset(range(7))


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of days in which a habit is about one want, both ends included.

    A routine is due at `minute` of the day, which moves by `drift` minutes a week.
    """

    want: Want
    first: date
    last: date
    minute: float = 0.0
    drift: float = 0.0

    def holds(self, day: date) -> bool:
        """Whether the day lies in it."""
        return self.first <= day <= self.last

    def due(self, day: date) -> float:
        """The minute of the day at which a routine is expected."""
        return min(LATEST, max(EARLIEST, self.minute + self.drift * (day - self.first).days / 7))


@dataclass(frozen=True, slots=True)
class Habit:
    """Something that a person does again and again.

    `days` are the weekdays of a routine (Monday is 0), `spread` the standard deviation of its minute,
    `missed` the share of days on which it does not happen, `scenario` where it belongs. `rate` is how often a
    day a preference is wanted, at any time of `window` (minutes of the day). A routine with `after` follows
    another habit by about `gap` minutes.
    """

    id: str
    kind: RecordKind
    intent: Intent
    phases: tuple[Phase, ...]
    days: frozenset[int] = _EVERY_DAY
    spread: float = 0.0
    missed: float = 0.0
    scenario: str = ""
    rate: float = 0.0
    window: tuple[float, float] = (EARLIEST, LATEST)
    after: str = ""
    gap: float = 0.0

    def phase(self, day: date) -> Phase | None:
        """The phase of a day; None where the habit has not begun, or has stopped."""
        return next((phase for phase in self.phases if phase.holds(day)), None)

    def due(self, day: date) -> float | None:
        """The minute at which a routine is expected on a day; None when it is not."""
        phase = self.phase(day)
        if self.kind is not RecordKind.ROUTINE or phase is None or day.weekday() not in self.days:
            return None
        return phase.due(day)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A want at a minute of a day; `habit` is empty for a one-off."""

    day: date
    minute: float
    want: Want
    kind: RecordKind
    habit: str = ""
    scenario: str = ""


def days_between(first: date, last: date) -> list[date]:
    """All days from one to another, both included."""
    return [first + timedelta(days=offset) for offset in range((last - first).days + 1)]


def occurrences(habits: Sequence[Habit], days: Sequence[date], random: Random) -> list[Occurrence]:
    """What habits make happen on some days; a habit that follows another must stand behind it."""
    occurrences: list[Occurrence] = []
    for habit in habits:
        if habit.after:
            leaders = [occurrence for occurrence in occurrences if occurrence.habit == habit.after]
            occurrences += _following(habit, leaders, random)
        elif habit.kind is RecordKind.ROUTINE:
            occurrences += _routine(habit, days, random)
        else:
            occurrences += _preference(habit, days, random)
    return occurrences


def poisson(mean: float, random: Random) -> int:
    """How often something happens that happens `mean` times on average."""
    limit, count, product = math.exp(-mean), 0, random.random()
    while product > limit:
        count += 1
        product *= random.random()
    return count


def _routine(habit: Habit, days: Sequence[date], random: Random) -> list[Occurrence]:
    occurrences = []
    for day in days:
        phase, due = habit.phase(day), habit.due(day)
        happens, offset = random.random() >= habit.missed, random.gauss(0, habit.spread)
        if phase and due is not None and happens:
            occurrences.append(_occurrence(habit, phase, day, due + offset))
    return occurrences


def _following(habit: Habit, leaders: Sequence[Occurrence], random: Random) -> list[Occurrence]:
    occurrences = []
    for leader in leaders:
        phase = habit.phase(leader.day)
        happens, gap = random.random() >= habit.missed, habit.gap * random.uniform(0.5, 1.5)
        if phase and happens:
            occurrences.append(_occurrence(habit, phase, leader.day, leader.minute + gap))
    return occurrences


def _preference(habit: Habit, days: Sequence[date], random: Random) -> list[Occurrence]:
    occurrences = []
    for day in days:
        phase = habit.phase(day)
        times = [random.uniform(*habit.window) for _ in range(poisson(habit.rate, random))]
        if phase:
            occurrences += [_occurrence(habit, phase, day, minute) for minute in times]
    return occurrences


def _occurrence(habit: Habit, phase: Phase, day: date, minute: float) -> Occurrence:
    inside = min(LATEST, max(EARLIEST, minute))
    return Occurrence(day, inside, phase.want, habit.kind, habit.id, habit.scenario)

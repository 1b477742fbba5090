"""Who lives: a person's language, zone and days, and the habits they have, invented from a seed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from random import Random
from typing import Literal

from assistant.memory.prototypes.model import RecordKind
from assistant.simulator.android.profiles import Locale
from assistant.simulator.chance import Chance, whole
from assistant.simulator.life.habits import EARLIEST, LATEST, Habit, Phase
from assistant.simulator.life.intents import Days, DayShape, Intent, Text, Want, lexicon

WEEKDAYS, WEEKEND = frozenset(range(5)), frozenset({5, 6})
_EPOCH = date(2025, 1, 6)
_WITHOUT_ROUTINES = 0.06
_APART = 75.0
"""The least minutes between two routines of the same day, but for those that follow another."""
_OPPOSITE = {"quiet-on": "quiet-off", "wifi-on": "wifi-off"}
_DAY_SETS = (WEEKDAYS, frozenset(range(7)), WEEKEND, frozenset({1, 3}), frozenset({0, 2, 4}), frozenset({5}))


@dataclass(frozen=True, slots=True)
class LifeOptions:
    """What lives are asked for.

    `hard` means looser times, more missed days, a week away, and the scenario unknown in 40 % of records and
    states. Without `routines` people have none; with them a few have none either. `weeks` counts from the
    first day.

    Raises:
        ValueError: fewer than two weeks or no people.
    """

    seed: int = 0
    weeks: int = 8
    locale: Literal["en", "zh", "mixed"] = "mixed"
    hard: bool = False
    people: int = 1
    routines: bool = True

    def __post_init__(self) -> None:
        if self.weeks < 2 or self.people < 1:
            raise ValueError("A life takes at least two weeks and one person.")


@dataclass(frozen=True, slots=True)
class Temper:
    """How regular and how noisy a life is; shares are 0..1, minutes are minutes of time."""

    spread: tuple[float, float]
    missed: tuple[float, float]
    drift: float
    unknown: float
    elsewhere: float
    typos: float
    moments: float
    deviations: float


EASY = Temper((5, 18), (0.03, 0.15), 6, 0.1, 0.06, 0.02, 1.3, 0.01)
HARD = Temper((25, 60), (0.2, 0.35), 15, 0.4, 0.12, 0.05, 1.9, 0.04)


@dataclass(frozen=True, slots=True)
class Person:
    """Someone who lives with a phone; `away` is a journey's first and last day, `away_zone` its zone."""

    user_id: str
    locale: Locale
    zone: str
    shape: DayShape
    first: date
    last: date
    habits: tuple[Habit, ...]
    temper: Temper
    away: tuple[date, date] | None = None
    away_zone: str = ""
    shares_phone: bool = False

    def is_away(self, day: date) -> bool:
        """Whether the person travels on that day."""
        return self.away is not None and self.away[0] <= day <= self.away[1]

    def scenario(self, day: date, minute: float) -> str:
        """Where the person's days have them at that time."""
        return self.shape.scenario(minute / 60, rest=day.weekday() in WEEKEND)


def invent(options: LifeOptions, place: int) -> Person:
    """The person at a place in the list of people; the same options give the same person."""
    random = Chance(whole(0, 2**48, "person", options.seed, place))
    locale: Locale = options.locale if options.locale != "mixed" else ("en", "zh")[place % 2]
    shape = lexicon().days[random.choice(sorted(lexicon().days))]
    first = _EPOCH + timedelta(days=random.randrange(0, 300))
    last = first + timedelta(days=7 * options.weeks - 1)
    temper = HARD if options.hard else EASY
    journey = _journey(first, options.weeks, random) if options.hard or random.random() < 0.15 else None
    regular = options.routines and random.random() >= _WITHOUT_ROUTINES
    habits = tuple(_Inventor(random, temper, shape, first, last).habits(regular))
    zone = random.choice(shape.zone[locale])
    return Person(
        user_id=f"s{options.seed}p{place}",
        locale=locale,
        zone=zone,
        shape=shape,
        first=first,
        last=last,
        habits=habits,
        temper=temper,
        away=journey,
        away_zone="Europe/Berlin" if zone != "Europe/London" else "Asia/Tokyo",
        shares_phone=random.random() < 0.3,
    )


def filled(intent: Intent, random: Random) -> Want:
    """The intent with each slot drawn from its list."""
    values = lexicon().values
    return Want(intent, {slot: random.choice(values[name]) for slot, name in intent.slots.items()})


def _journey(first: date, weeks: int, random: Random) -> tuple[date, date]:
    """A week away within the part of the life that serves as history."""
    begin = first + timedelta(days=random.randrange(7, max(8, int(weeks * 7 * 0.7) - 7)))
    return begin, begin + timedelta(days=6)


class _Inventor:
    """Draws habits one after another, so that no two have the same topic or the same want."""

    def __init__(self, random: Random, temper: Temper, shape: DayShape, first: date, last: date) -> None:
        self._random = random
        self._temper = temper
        self._shape = shape
        self._first = first
        self._last = last
        self._topics: set[str] = set()
        self._wants: set[str] = set()
        self._taken: list[tuple[frozenset[int], float]] = []

    def habits(self, routines: bool) -> Iterator[Habit]:
        """Three to six routines, some in pairs or chains, then four to seven preferences."""
        if routines:
            yield from self._routines(self._random.randint(3, 5))
        candidates = self._free(RecordKind.PREFERENCE)
        for intent in candidates[: self._random.randint(4, 7)]:
            if intent.topic not in self._topics:
                yield self._preference(intent)

    def _routines(self, count: int) -> Iterator[Habit]:
        random, made = self._random, 0
        for intent in self._free(RecordKind.ROUTINE):
            if made >= count:
                return
            if intent.topic in self._topics or (habit := self._routine(intent)) is None:
                continue
            made += 1
            yield habit
            if opposite := self._opposite(intent):
                made += 1
                yield opposite
            elif intent.slots and random.random() < 0.35 and (twin := self._twin(habit)):
                made += 1
                yield twin
            elif random.random() < 0.25 and (follower := self._follower(habit)):
                made += 1
                yield follower

    def _free(self, kind: RecordKind) -> list[Intent]:
        intents = [intent for intent in lexicon().intents if kind in intent.kinds and intent.topic]
        self._random.shuffle(intents)
        return intents

    def _want(self, intent: Intent) -> Want:
        for _ in range(50):
            want = filled(intent, self._random)
            if want.id not in self._wants:
                break
        self._wants.add(want.id)
        return want

    def _routine(self, intent: Intent) -> Habit | None:
        """A routine at a free time; None where its hours are taken."""
        random = self._random
        sets = {Days.WEEKDAYS: (WEEKDAYS,), Days.WEEKEND: (WEEKEND,)}.get(intent.days, _DAY_SETS)
        days = random.choice(sets)
        tried = [60 * random.uniform(*intent.hours) for _ in range(12)]
        minute = next((candidate for candidate in tried if self._is_free(days, candidate)), None)
        if minute is None:
            return None
        self._topics.add(intent.topic)
        self._taken.append((days, minute))
        place = random.choice(intent.places) if intent.places else self._place(minute, days)
        return Habit(
            id=f"routine-{intent.id}",
            kind=RecordKind.ROUTINE,
            intent=intent,
            phases=self._phases(intent, minute),
            days=days,
            spread=random.uniform(*self._temper.spread),
            missed=random.uniform(*self._temper.missed),
            scenario=place,
        )

    def _is_free(self, days: frozenset[int], minute: float) -> bool:
        return all(not days & other or abs(minute - at) >= _APART for other, at in self._taken)

    def _opposite(self, intent: Intent) -> Habit | None:
        name = _OPPOSITE.get(intent.id, "")
        return self._routine(lexicon().intent(name)) if name and name not in self._topics else None

    def _twin(self, habit: Habit) -> Habit | None:
        """A similar routine on the other days: the same intent, other slots, another time."""
        days = frozenset(range(7)) - habit.days
        minute = habit.phases[0].minute + self._random.choice((-1, 1)) * self._random.uniform(50, 110)
        inside = min(LATEST, max(EARLIEST, minute))
        if not days or not self._is_free(days, inside):
            return None
        self._taken.append((days, inside))
        only = Phase(self._want(habit.intent), self._first, self._last, inside)
        return replace(
            habit, id=f"{habit.id}-twin", phases=(only,), days=days, scenario=self._place(inside, days)
        )

    def _follower(self, leader: Habit) -> Habit | None:
        """A routine of another kind that comes some minutes after."""
        after = leader.phases[0].minute / 60
        for intent in self._free(RecordKind.ROUTINE):
            low, high = intent.hours
            if intent.topic not in self._topics and low - 1 <= after <= high + 1:
                self._topics.add(intent.topic)
                gap = self._random.uniform(4, 14)
                want = self._want(intent)
                phases = tuple(
                    replace(phase, want=want, minute=phase.minute + gap) for phase in leader.phases
                )
                return replace(
                    leader, id=f"routine-{intent.id}", intent=intent, phases=phases, after=leader.id, gap=gap
                )
        return None

    def _preference(self, intent: Intent) -> Habit:
        random = self._random
        self._topics.add(intent.topic)
        low, high = intent.hours
        return Habit(
            id=f"preference-{intent.id}",
            kind=RecordKind.PREFERENCE,
            intent=intent,
            phases=self._changing(intent, 0.4),
            rate=random.choice((0.14, 0.2, 0.3, 0.3, 0.6)),
            window=(max(7 * 60, 60 * low - 240), min(LATEST, 60 * high + 240)),
        )

    def _phases(self, intent: Intent, minute: float) -> tuple[Phase, ...]:
        """Steady, drifting, changed, moved, begun late, or stopped."""
        random, temper = self._random, self._temper
        whole_life = Phase(self._want(intent), self._first, self._last, minute)
        turn = self._day(0.35, 0.6)
        match random.choices(
            ("steady", "drifts", "changes", "moves", "begins", "stops"), (40, 18, 14, 10, 8, 10)
        )[0]:
            case "drifts":
                drift = random.choice((-1, 1)) * random.uniform(0.4, 1) * temper.drift
                return (replace(whole_life, drift=drift),)
            case "changes" if intent.slots:
                return self._split(whole_life, turn, replace(whole_life, want=self._want(intent)))
            case "moves":
                moved = minute + random.choice((-1, 1)) * random.uniform(45, 100)
                inside = min(LATEST, max(EARLIEST, moved))
                return self._split(whole_life, turn, replace(whole_life, minute=inside))
            case "begins":
                return (replace(whole_life, first=self._day(0.15, 0.4)),)
            case "stops":
                return (replace(whole_life, last=self._day(0.45, 0.65)),)
        return (whole_life,)

    def _changing(self, intent: Intent, share: float) -> tuple[Phase, ...]:
        before = Phase(self._want(intent), self._first, self._last)
        if not intent.slots or self._random.random() >= share:
            return (before,)
        return self._split(before, self._day(0.35, 0.6), replace(before, want=self._want(intent)))

    def _split(self, before: Phase, turn: date, after: Phase) -> tuple[Phase, ...]:
        return replace(before, last=turn), replace(after, first=turn + timedelta(days=1))

    def _day(self, low: float, high: float) -> date:
        length = (self._last - self._first).days
        return self._first + timedelta(days=int(length * self._random.uniform(low, high)))

    def _place(self, minute: float, days: Sequence[int] | frozenset[int]) -> str:
        return self._shape.scenario(minute / 60, rest=min(days) >= 5)


def other_value(slot_list: str, than: Text, random: Random) -> Text:
    """Another value of a slot's list; the same where there is no other."""
    others = [value for value in lexicon().values[slot_list] if value != than]
    return random.choice(others) if others else than

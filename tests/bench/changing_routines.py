"""A routine that stops or moves: days until a way of judging is silent, or speaks at the new time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from random import Random

from assistant.bench.proactive_methods import Judge, history_of
from assistant.memory.prototypes.model import Member, Prototype
from assistant.proactive.forecast import NOTHING_DONE
from assistant.records import State
from assistant.simulator.chance import Chance, whole

_FIRST = date(2025, 3, 3)
_HISTORY, _AFTER = 56, 42
_SPREAD, _MISSED = 15.0, 0.1
_DAY_SETS = (
    frozenset(range(7)),
    frozenset(range(5)),
    frozenset({0, 2, 4}),
    frozenset({1, 3}),
    frozenset({5}),
)
_MOVED_MINUTES = 150
_STAYS = 3
"""So many days on end with it must be right before a routine counts as silent, or as moved."""


def days_until_stopped(judge: Judge, least: float, number: int, seed: int) -> int | None:
    """Days from the end of a routine until nothing is said at its time any more; None for never."""
    return _days_until(judge, least, number, seed, moves=0, at=0, speaks=False)


def days_until_moved(judge: Judge, least: float, number: int, seed: int) -> int | None:
    """Days from a routine's move by hours until it is offered at the new time; None for never."""
    return _days_until(judge, least, number, seed, moves=_MOVED_MINUTES, at=_MOVED_MINUTES, speaks=True)


def days_until_left(judge: Judge, least: float, number: int, seed: int) -> int | None:
    """Days from a routine's move by hours until nothing is said at the old time; None for never."""
    return _days_until(judge, least, number, seed, moves=_MOVED_MINUTES, at=0, speaks=False)


def _days_until(
    judge: Judge, least: float, number: int, seed: int, *, moves: int, at: int, speaks: bool
) -> int | None:
    random = Chance(whole(0, 2**48, "changes", seed, number))
    weekdays = _DAY_SETS[number % len(_DAY_SETS)]
    minute = random.uniform(8 * 60, 19 * 60)
    other_days, other_minute = random.choice(_DAY_SETS), random.uniform(7 * 60, 21 * 60)
    steady = _prototype("other", _occasions(random, other_days, other_minute, range(_HISTORY + _AFTER)))
    routine = _occasions(random, weekdays, minute, range(_HISTORY))
    if moves:
        routine += _occasions(random, weekdays, minute + moves, range(_HISTORY, _HISTORY + _AFTER))
    right, since = 0, 0
    for place in range(_HISTORY, _HISTORY + _AFTER):
        day = _FIRST + timedelta(days=place)
        if day.weekday() not in weekdays:
            continue
        before = [time for time in routine if time.date() < day]
        history = history_of([_prototype("routine", before), steady], until=day)
        judged = judge(history, State(time=_at(day, minute + at)), NOTHING_DONE)
        spoke = judged.routine == "routine" and judged.score >= least
        since = place if right == 0 else since
        right = right + 1 if spoke == speaks else 0
        if right == _STAYS:
            return since - _HISTORY
    return None


def _occasions(random: Random, weekdays: frozenset[int], minute: float, places: range) -> list[datetime]:
    times = []
    for place in places:
        day, offset = _FIRST + timedelta(days=place), random.gauss(0, _SPREAD)
        if random.random() >= _MISSED and day.weekday() in weekdays:
            times.append(_at(day, minute + offset))
    return times


def _prototype(name: str, times: Sequence[datetime]) -> Prototype:
    members = tuple(Member(f"{name}-{place}", time, "unknown", 1.0) for place, time in enumerate(times))
    return Prototype(name, "s", members[0].record_id, f"Do {name}", (), "", "", members, float(len(members)))


def _at(day: date, minute: float) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(minutes=minute)

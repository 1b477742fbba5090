"""Routines that stop or move: how long until a way of judging is silent, or speaks at the new time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from random import Random
from statistics import fmean, median
from time import process_time
from typing import Any

from assistant.bench.proactive_methods import Judge, Known, known_of
from assistant.memory.him.prototype import Member, Prototype
from assistant.proactive.likelihood import NOTHING_DONE
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
_MOVED = 150
_STAYS = 3
"""So many days on end with it must be right before a routine counts as silent, or as moved."""


@dataclass(frozen=True, slots=True)
class Changed:
    """How many of so many routines were followed, and after how many days, for those that were."""

    routines: int
    days: tuple[int, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain values; the days are calendar days."""
        return {
            "routines": self.routines,
            "followed": len(self.days),
            "median_days": median(self.days) if self.days else None,
            "mean_days": round(fmean(self.days), 1) if self.days else None,
        }


def stopped(judge: Judge, least: float, count: int, seed: int) -> Changed:
    """Days from the end of a routine until nothing is said at its time any more."""
    return _followed(
        [_days_until(judge, least, one, seed, moves=0, at=0, speaks=False) for one in range(count)]
    )


def moved(judge: Judge, least: float, count: int, seed: int) -> tuple[Changed, Changed]:
    """Days from a routine's move by hours until it is offered at the new time, and no more at the old."""
    there = [
        _days_until(judge, least, one, seed, moves=_MOVED, at=_MOVED, speaks=True) for one in range(count)
    ]
    gone = [_days_until(judge, least, one, seed, moves=_MOVED, at=0, speaks=False) for one in range(count)]
    return _followed(there), _followed(gone)


def _followed(found: Sequence[int | None]) -> Changed:
    return Changed(len(found), tuple(one for one in found if one is not None))


def heartbeat(judge: Judge, prototypes: int, seed: int, times: int = 15) -> float:
    """Milliseconds of processor time that judging one state takes with so many prototypes."""
    random = _chance(seed, "heartbeat")
    known = _known([_life(random, f"p{place}", 0, 0) for place in range(prototypes)], None)
    spent = []
    for turn in range(times + 2):
        now = _at(_FIRST + timedelta(days=_HISTORY), 7 * 60 + 55 * turn)
        before = process_time()
        judge(known, State(time=now, scenario="office"), NOTHING_DONE)
        spent.append(process_time() - before)
    return 1000 * median(spent[2:])


def _days_until(
    judge: Judge, least: float, place: int, seed: int, *, moves: int, at: int, speaks: bool
) -> int | None:
    """Calendar days after the change from which on the routine is offered, or is not, on its days."""
    random = _chance(seed, place)
    days = _DAY_SETS[place % len(_DAY_SETS)]
    minute = random.uniform(8 * 60, 19 * 60)
    steady = _life(random, "other", 0, _AFTER)
    routine = _occasions(random, days, minute, range(_HISTORY))
    if moves:
        routine += _occasions(random, days, minute + moves, range(_HISTORY, _HISTORY + _AFTER))
    right, since = 0, 0
    for number in range(_HISTORY, _HISTORY + _AFTER):
        day = _FIRST + timedelta(days=number)
        if day.weekday() not in days:
            continue
        before = [one for one in routine if one.date() < day]
        known = _known([_prototype("it", before), steady], day)
        judged = judge(known, State(time=_at(day, minute + at)), NOTHING_DONE)
        said = judged.routine == "it" and judged.score >= least
        since = number if right == 0 else since
        right = right + 1 if said == speaks else 0
        if right == _STAYS:
            return since - _HISTORY
    return None


def _life(random: Random, name: str, begin: int, more: int) -> Prototype:
    days = random.choice(_DAY_SETS)
    minute = random.uniform(7 * 60, 21 * 60)
    return _prototype(name, _occasions(random, days, minute, range(begin, _HISTORY + more)))


def _occasions(random: Random, days: frozenset[int], minute: float, numbers: range) -> list[datetime]:
    found = []
    for number in numbers:
        day, offset = _FIRST + timedelta(days=number), random.gauss(0, _SPREAD)
        if random.random() >= _MISSED and day.weekday() in days:
            found.append(_at(day, minute + offset))
    return found


def _prototype(name: str, times: Sequence[datetime]) -> Prototype:
    members = tuple(Member(f"{name}-{place}", at, "unknown", 1.0) for place, at in enumerate(times))
    return Prototype(name, "s", members[0].record_id, f"Do {name}", (), "", "", members, float(len(members)))


def _known(prototypes: Sequence[Prototype], until: date | None) -> Known:
    return known_of(prototypes, until=until)


def _at(day: date, minute: float) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(minutes=minute)


def _chance(seed: int, about: object) -> Random:
    return Chance(whole(0, 2**48, "changes", seed, about))

"""Which value of a key holds. It follows from the evidence alone, so taking evidence back restores what was.

For a key with one value: what the user wrote, and what was said to hold from now on, ends all that was
before. Then every piece of evidence weighs by its strength and fades with age; the heaviest value holds. Two
values of about the same weight, both recent, are a conflict that only the user can decide.

The values of a list hold beside each other. One stops to hold when the others of its list were told so often
without it that chance does not explain it; what was said to be so stands longer, and an allergy for good.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from assistant.memory.profile.nodes import ALLERGY, WISH, Strength, Value

HALF_LIFE = timedelta(days=30)
"""After this time an observation weighs half, counted back from the newest of its key."""

_WEIGHTS = {
    Strength.IMPLIED: 1.0,
    Strength.EXPLORED: 1.5,
    Strength.STATED: 3.0,
    Strength.SWITCHED: 6.0,
    Strength.USER: 12.0,
}
_DECISIVE = frozenset({Strength.SWITCHED, Strength.USER})
_STATED = frozenset({Strength.STATED, Strength.SWITCHED})
_CHANCE, _LEAST_WITHOUT = 0.05, 4
_STATED_CHANCE, _STATED_LEAST_WITHOUT = 0.001, 16
_LEAST_WISHES = 2
_CLOSE = 0.8
_RECENT = timedelta(days=21)
_ENOUGH = 2.0


class Standing(StrEnum):
    """What a value is to its key."""

    HOLDS = "holds"
    HELD = "held before"
    RARE = "seen, outweighed"


@dataclass(frozen=True, slots=True)
class Standings:
    """The values of one key, heaviest first, with weight and standing; `disputed` when none can be chosen."""

    values: tuple[tuple[Value, float, Standing], ...]
    disputed: tuple[Value, ...] = ()

    @property
    def holding(self) -> tuple[tuple[Value, float], ...]:
        """The values that hold, heaviest first, with their weights."""
        return tuple((value, weight) for value, weight, standing in self.values if standing is Standing.HOLDS)


def judge(values: Iterable[Value]) -> Standings:
    """The standings of the values of one key of one entity; hidden ones do not count."""
    shown = [value for value in values if not value.hidden and value.evidence]
    if not shown:
        return Standings(())
    newest = max(one.time for value in shown for one in value.evidence)
    if not any(value.single for value in shown):
        return _listed(shown, newest)
    since = _last_decision(shown)
    weighed = sorted(
        ((value, weight_of(value, newest, since)) for value in shown),
        key=lambda pair: (-pair[1], -max(one.time for one in pair[0].evidence).timestamp()),
    )
    first = weighed[0][0]
    rows = [(value, weight, _standing(value, first)) for value, weight in weighed]
    return Standings(tuple(rows), _disputed(weighed, newest))


def weight_of(value: Value, newest: datetime, since: datetime | None = None) -> float:
    """The faded evidence of a value; what is older than the last decision does not count."""
    return sum(
        _WEIGHTS[one.strength] * math.exp2((one.time - newest) / HALF_LIFE)
        for one in value.evidence
        if since is None or one.time >= since
    )


def confidence(weight: float, rest: float = 0.0) -> float:
    """A weight as 0..1: grows with the evidence, shrinks with the weight of what contradicts it."""
    return weight / (weight + rest + 0.5)


def _listed(values: Sequence[Value], newest: datetime) -> Standings:
    """The standings of a list: those that hold come first, the heaviest first."""
    times = sorted({one.time for value in values for one in value.evidence})
    rows = [(value, weight_of(value, newest), _standing_in_list(value, times)) for value in values]
    return Standings(tuple(sorted(rows, key=lambda row: (row[2] is not Standing.HOLDS, -row[1]))))


def _standing_in_list(value: Value, times: Sequence[datetime]) -> Standing:
    """What a value is to its list, of which something was told at `times`, oldest first."""
    told = {one.strength for one in value.evidence}
    if value.key == ALLERGY or Strength.USER in told:
        return Standing.HOLDS
    stated = bool(told & _STATED)
    if value.key == WISH and not stated and value.uses < _LEAST_WISHES:
        return Standing.RARE
    chance, least = (_STATED_CHANCE, _STATED_LEAST_WITHOUT) if stated else (_CHANCE, _LEAST_WITHOUT)
    last = max(one.time for one in value.evidence)
    until = sum(one <= last for one in times)
    without = len(times) - until
    share = value.uses / (until + 1)
    if without < least or (1 - share) ** without >= chance:
        return Standing.HOLDS
    return Standing.HELD if value.uses > 1 else Standing.RARE


def _last_decision(values: Sequence[Value]) -> datetime | None:
    times = [one.time for value in values for one in value.evidence if one.strength in _DECISIVE]
    return max(times, default=None)


def _standing(value: Value, first: Value) -> Standing:
    if value is first:
        return Standing.HOLDS
    ended = max(one.time for one in value.evidence) < max(one.time for one in first.evidence)
    return Standing.HELD if ended and value.uses > 1 else Standing.RARE


def _disputed(weighed: Sequence[tuple[Value, float]], newest: datetime) -> tuple[Value, ...]:
    if len(weighed) < 2:
        return ()
    (first, most), (second, next_most) = weighed[:2]
    close = next_most >= _CLOSE * most and next_most >= _ENOUGH
    both_recent = all(
        newest - max(one.time for one in value.evidence) <= _RECENT for value in (first, second)
    )
    return (first, second) if close and both_recent else ()

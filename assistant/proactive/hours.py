"""Whether a habit belongs to a time of day, and since when: it may have moved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assistant.proactive.habit_table import Floats, HabitTable, Ints

_SHARES = np.linspace(0.04, 0.96, 16)
_TIMED_PRIOR = 0.75
"""How likely a prototype of several days has a time of day, before its times are looked at."""
_TIMED_SHAPE = (6.0, 1.0)
_BROAD_SHARE = 0.3
"""What of the occasions of a habit without a time of day lies about now: three hours of ten."""
_BROAD_WEIGHT = 10.0
_LAST = (5, 7, 10, 14)
"""So many of the newest days with the habit are looked at for a change."""
_CHANGED_PRIOR = 0.02


@dataclass(frozen=True, slots=True)
class Since:
    """From which day on a habit is as it is now: possible days with their chances.

    `first` holds ordinals, habits by possibilities; `chance` is of the same shape, its rows sum to one. The
    first possibility is the habit's first day.
    """

    first: Ints
    chance: Floats


def since(table: HabitTable, came: Floats, chosen: Ints, today: int) -> Since:
    """Whether and when a habit came to this time of day, or left it.

    The days on which it came up, whenever in the day, are parted in an older and a newer stretch; parts that
    differ in how often they lie about now speak for a change, by as much as they are likelier apart.

    Args:
        table: the habits.
        came: how near the occasions of each run of one habit on one day lie to now, 0..1.
        chosen: the habits asked about.
        today: only days before it are looked at.
    """
    begin = np.searchsorted(table.group_owner, chosen)
    lived = np.bincount(table.group_owner[table.group_day < today], minlength=len(table))[chosen]
    end = begin + lived
    total = np.concatenate(([0.0], np.cumsum(came)))
    near = total[end] - total[begin]
    flat = np.full(len(_SHARES), 1 / len(_SHARES))
    whole = _marginal(flat, near, lived)
    firsts, likely = [table.first_day[chosen]], [np.full(len(chosen), np.log1p(-len(_LAST) * _CHANGED_PRIOR))]
    for last in _LAST:
        place = np.maximum(begin, end - last)
        newer = total[end] - total[place]
        apart = _marginal(flat, newer, end - place) + _marginal(flat, near - newer, place - begin)
        enough = lived >= last + 2
        firsts.append(np.where(enough, table.group_day[place], firsts[0]))
        likely.append(np.where(enough, np.log(_CHANGED_PRIOR) + apart - whole, -np.inf))
    weights = np.exp(np.stack(likely, axis=1) - np.max(likely, axis=0)[:, None])
    return Since(np.stack(firsts, axis=1), weights / weights.sum(axis=1, keepdims=True))


def timed(near: Floats, lived: Floats, often: Floats) -> Floats:
    """The chance that a habit belongs to this time of day, rather than being done at any.

    Args:
        near: the weight of its days on which it came up about now.
        lived: the weight of its days on which it came up at all.
        often: how often it came up on such a day, on average: done often, it is near now by accident too.
    """
    broad = (1 - (1 - _BROAD_SHARE) ** np.maximum(1.0, often))[:, None]
    beside = _marginal(_beta(broad * _BROAD_WEIGHT, (1 - broad) * _BROAD_WEIGHT), near, lived)
    first, second = (np.array([one]) for one in _TIMED_SHAPE)
    odds = np.log(_TIMED_PRIOR / (1 - _TIMED_PRIOR)) + _marginal(_beta(first, second), near, lived) - beside
    found: Floats = 1 / (1 + np.exp(-np.clip(odds, -60, 60)))
    return found


def _marginal(prior: Floats, came: Floats, lived: Floats | Ints) -> Floats:
    """The logarithm of how likely so many of so many are, over all shares."""
    came = np.minimum(came, lived)
    log = came[:, None] * np.log(_SHARES) + (lived - came)[:, None] * np.log1p(-_SHARES)
    top = log.max(axis=1, keepdims=True)
    found: Floats = top[:, 0] + np.log((np.exp(log - top) * prior).sum(axis=1))
    return found


def _beta(first: Floats, second: Floats) -> Floats:
    """A Beta distribution over the shares."""
    weight = _SHARES ** (first - 1) * (1 - _SHARES) ** (second - 1)
    found: Floats = weight / weight.sum(axis=-1, keepdims=True)
    return found

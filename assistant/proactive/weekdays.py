"""On which kinds of day a habit comes up, told from few weeks: a Bayesian mixture over sets of days.

A habit belongs to every day, to working days, to free ones, or to some weekdays of its own. On its days it
comes up with one rate, on the others next to never. Eight kinds of day are told apart: the seven weekdays,
and holidays on days that would be worked on.
"""

from __future__ import annotations

import numpy as np

from assistant.proactive.habit_table import Floats, HabitTable, Ints

KINDS = 8
_HOLIDAY = 7
_RATES = np.array([0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 0.97])
_SELDOM = np.array([0.005, 0.04])
_RATE_PRIOR = _RATES**1.5 / (_RATES**1.5).sum()
_WORKED = np.array([True] * 5 + [False] * 3)
_EVERY_DAY, _WORKING_DAYS, _FREE_DAYS, _OWN_DAYS = 0.2, 0.15, 0.05, 0.6
_OWN = 0.4
"""How likely each kind of day is one of a habit's own, before anything is known."""


def kinds_of(table: HabitTable) -> Ints:
    """The kind of each day of a table, 0..7."""
    holiday = table.days.free & (table.days.weekday < _HOLIDAY - 2)
    return np.where(holiday, _HOLIDAY, table.days.weekday)


def kind_of(weekday: int, *, free: bool) -> int:
    """The kind of one day."""
    return _HOLIDAY if free and weekday < _HOLIDAY - 2 else weekday


def rate_on(kind: int, came: Floats, lived: Floats) -> Floats:
    """The chance that each habit comes up on a day of a kind.

    Args:
        kind: which.
        came: habits by kinds; the weight of the days on which it came up.
        lived: of the same shape; the weight of the days on which it could have. Weights fade, so they stay
            far below what would make a likelihood too small to be told from nothing.
    """
    came = np.minimum(came, lived)
    missed = lived - came
    on = np.exp(came[:, None, :] * np.log(_RATES)[:, None] + missed[:, None, :] * np.log1p(-_RATES)[:, None])
    off = np.exp(
        came[:, None, :] * np.log(_SELDOM)[:, None] + missed[:, None, :] * np.log1p(-_SELDOM)[:, None]
    )
    likely, rates = [], []
    for share, days in ((_EVERY_DAY, _WORKED | True), (_WORKING_DAYS, _WORKED), (_FREE_DAYS, ~_WORKED)):
        seldom = off[..., ~days].prod(axis=2)[:, None, :]
        likely.append(share * on[..., days].prod(axis=2)[:, :, None] * seldom)
        rates.append(np.broadcast_to(_RATES[:, None] if days[kind] else _SELDOM, likely[-1].shape))
    on, off = _OWN * on, (1 - _OWN) * off
    either = [on[:, :, None, one] + off[:, None, :, one] for one in range(KINDS)]
    likely.append(_OWN_DAYS * np.multiply.reduce(either))
    today = on[:, :, None, kind] / either[kind]
    rates.append(today * _RATES[:, None] + (1 - today) * _SELDOM)
    weights = np.stack(likely) * _RATE_PRIOR[:, None]
    found: Floats = (weights * np.stack(rates)).sum(axis=(0, 2, 3)) / weights.sum(axis=(0, 2, 3))
    return found

"""When a likely routine is offered: shortly before its usual time, not an hour ahead."""

from __future__ import annotations

from datetime import datetime

from assistant.proactive.habits import HabitTable, minute_of
from assistant.proactive.occasions import lead, usual_times

_DAY = 1440.0
_AFTER = 60.0
"""Minutes after its usual time at which a routine may still be offered, as to somebody who comes late."""


def is_its_time(table: HabitTable, routine: str, now: datetime) -> bool:
    """Whether a likely habit's usual time is near; true for one that has no usual time.

    Args:
        table: the habits.
        routine: which.
        now: the user's local time.
    """
    place = table.ids.index(routine)
    usual = usual_times(table, place)
    if not usual:
        return True
    early = lead(table, place).total_seconds() / 60
    return any(-_AFTER <= _ahead(minute, now) <= early for minute in usual)


def _ahead(minute: float, now: datetime) -> float:
    """Minutes from now until a time of day, -720..720."""
    return (minute - minute_of(now) + _DAY / 2) % _DAY - _DAY / 2

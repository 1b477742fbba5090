"""When a likely routine is offered: shortly before its usual time, not an hour ahead."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from assistant.events import Answer
from assistant.proactive.habit_table import HabitTable, minute_of
from assistant.proactive.occasions import Prompted, lead, usual_times
from assistant.proactive.suggestions import Suggestion

_DAY = 1440.0
_AFTER = 60.0
"""Minutes after its usual time at which a routine may still be offered, as to somebody who comes late."""


@dataclass(frozen=True, slots=True)
class Timing:
    """When the routines of one day have their time.

    Args:
        table: the habits.
        prompted: when suggestions were made that were accepted, by routine.
    """

    table: HabitTable
    prompted: Mapping[str, Prompted] = field(default_factory=dict)

    def is_near(self, routine: str, now: datetime) -> bool:
        """Whether a likely habit's usual time is near; true for one that has no usual time."""
        usual = self._usual(routine, now)
        early = lead(self.table, self.table.ids.index(routine)).total_seconds() / 60
        return not usual or any(-_AFTER <= _ahead(minute, now) <= early for minute in usual)

    def occasion(self, routine: str, moment: datetime) -> int | None:
        """The usual time, in minutes of the day, that a moment belongs to; None where there is none."""
        usual = self._usual(routine, moment)
        return min(usual, key=lambda minute: abs(_ahead(minute, moment)), default=None)

    def _usual(self, routine: str, moment: datetime) -> list[int]:
        place = self.table.ids.index(routine)
        made = self.prompted.get(routine, {})
        return [int(minute) for minute in usual_times(self.table, place, moment.date(), made)]


def prompted_times(past: Iterable[Suggestion], home: Mapping[str, str]) -> dict[str, dict[int, float]]:
    """When suggestions were made that were accepted, by routine.

    Args:
        past: suggestions.
        home: the routine of each record.
    """
    found: dict[str, dict[int, float]] = defaultdict(dict)
    for one in past:
        if one.answer in (Answer.ACCEPTED, Answer.EDITED):
            found[home.get(one.anchor, one.routine)][one.made.toordinal()] = minute_of(one.made)
    return found


def _ahead(minute: int, now: datetime) -> float:
    """Minutes from now until a time of day, -720..720."""
    return (minute - minute_of(now) + _DAY / 2) % _DAY - _DAY / 2

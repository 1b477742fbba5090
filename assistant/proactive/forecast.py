"""The user's habits as the memory knows them now, judged for one state after another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from assistant.memory.prototypes.model import Prototype
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.proactive.choosing import Candidate, choose, threshold
from assistant.proactive.days import Calendar
from assistant.proactive.habit_table import HabitTable, habit_of
from assistant.proactive.likelihood import NOTHING_DONE, USUAL, Feedback, Recent, Weighing, chances
from assistant.records import State


@dataclass(frozen=True, slots=True)
class Habits:
    """The prototypes that may be suggested, and when they came up, as of a day."""

    prototypes: Mapping[str, Prototype]
    table: HabitTable

    def judge(
        self,
        state: State,
        cost_of_being_wrong: float,
        weighing: Weighing = USUAL,
        feedback: Mapping[str, Feedback] | None = None,
        recent: Recent = NOTHING_DONE,
    ) -> list[Candidate]:
        """What is worth suggesting in a state, best first; see `chances` and `choose`."""
        judged = chances(self.table, state, weighing, feedback, recent)
        return choose(self.table, judged, self.prototypes, state, threshold(cost_of_being_wrong))


def habits_of(
    memory: HierarchicalMemory,
    user_id: str,
    calendar: Calendar,
    today: date | None = None,
    least_days: int = 3,
) -> Habits:
    """What a user's memory holds; prototypes of fewer records than `least_days` can never be suggested.

    Archived ones take part: whether a habit was given up is judged from its days, as seen from the state.

    Args:
        memory: the prototypes.
        user_id: whose.
        calendar: tells free days from others.
        today: the day up to which nothing having happened counts.
        least_days: the days of evidence that a routine needs.
    """
    known = {one.id: one for one in memory.prototypes(user_id, at_least=least_days) if not one.hidden}
    return Habits(known, HabitTable([habit_of(one) for one in known.values()], calendar, today))

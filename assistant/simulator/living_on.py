"""The days after the three lived-in weeks: their person keeps living, and may give habits up or move them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta

from assistant.records import Record
from assistant.simulator.apps.host import Locale
from assistant.simulator.lived_in import Habit, habits, lived_day

_BESIDE = timedelta(minutes=30)
_AT_WORK = range(9, 18)


@dataclass(frozen=True, slots=True)
class Turning:
    """From a day on, some habits are given up and others have another time of day; both by their names."""

    since: date
    stopped: frozenset[str] = frozenset()
    moved: Mapping[str, time] = field(default_factory=dict)

    def of(self, recurring: Sequence[Habit]) -> tuple[Habit, ...]:
        """The habits as they are from that day on."""
        kept = (habit for habit in recurring if habit.name not in self.stopped)
        return tuple(habit.model_copy(update={"at": self.moved.get(habit.name, habit.at)}) for habit in kept)


class LivingOn:
    """What the person of the simulated phone does from now on, always the same for a seed.

    Args:
        user_id: whose records.
        locale: the language of the phone, and of what is said to it.
        seed: the same one gives the same life.
        turning: how the life changes; it goes on as it was without.
        recurring: what comes up in it; all habits of the lived-in weeks by default.
    """

    def __init__(
        self,
        user_id: str,
        locale: Locale = "en",
        seed: int = 0,
        turning: Turning | None = None,
        recurring: Sequence[Habit] | None = None,
    ) -> None:
        self._user_id = user_id
        self._locale = locale
        self._seed = seed
        self._turning = turning
        self._recurring = tuple(habits() if recurring is None else recurring)

    def habits(self, day: date) -> tuple[Habit, ...]:
        """What recurs in the person's life on a day."""
        turning = self._turning
        return turning.of(self._recurring) if turning and day >= turning.since else self._recurring

    def between(self, begin: datetime, end: datetime) -> list[Record]:
        """What the person does after `begin`, up to and at `end`, oldest first."""
        records: list[Record] = []
        day = begin - timedelta(days=1)
        while day.date() <= end.date():
            records += lived_day(self._user_id, day, self.habits(day.date()), self._locale, self._seed)
            day += timedelta(days=1)
        return [record for record in records if begin < record.time <= end]

    def where(self, moment: datetime) -> str:
        """The scenario that the person is in: that of a habit at about this time, else at work or at home."""
        for habit in self.habits(moment.date()):
            usual = moment.replace(hour=habit.at.hour, minute=habit.at.minute, second=0, microsecond=0)
            if moment.weekday() in habit.days and abs(moment - usual) <= _BESIDE:
                return habit.scenario
        return "office" if moment.weekday() < 5 and moment.hour in _AT_WORK else "residence"

    def name_of(self, instruction: str) -> str:
        """The name of the habit with that wording; empty where there is none."""
        for habit in self._recurring:
            if any(says.of(self._locale) == instruction for says in habit.says):
                return habit.name
        return ""

"""Invented people with their habits, and the lives and commands that are drawn from them.

Each file in `people/` is one person by one hand: habits with full instructions, days and hours, the short
phrases by which this person asks for them, and commands that mean none of them although they are close to
one. `draw_life` makes records of five weeks from it, `draw_commands` the commands of the week after.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from random import Random
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

UNHEARD = frozenset(
    (
        *("A04", "A12", "A19", "A21", "A22", "B04", "B12", "B18", "B19", "B20"),
        *("C04", "C12", "C19", "C21", "C22", "D07", "D08", "E07", "E08", "F07", "F08"),
    )
)
"""People on whom neither the matcher nor the gate is trained: what decides beside them is fitted to these."""
WEEKS = 5
FIRST_DAY = datetime(2026, 10, 5, tzinfo=timezone(timedelta(hours=2)))
"""A Monday; the commands are asked in the week after `WEEKS` weeks."""
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_GIVEN_UP_AFTER = 14
"""Days after which a given up habit is not done any more."""
_FAVOURITE_SHARE = 0.6
_SKIPPED_SHARE = 0.1
_OWN_SCENARIO_SHARE = 0.85


class AskedPhrase(BaseModel):
    """A phrase, and when it is said: "Tue 12:05"."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    said: str
    at: str


class WrittenHabit(BaseModel):
    """A habit with full instructions for it and the phrases by which it is asked for."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str
    app: str
    wordings: tuple[str, ...] = Field(min_length=1)
    days: tuple[int, ...]
    start: str = Field(alias="from")
    end: str = Field(alias="to")
    scenario: str
    per_week: float
    given_up: bool = False
    asks: tuple[AskedPhrase, ...]


class TemptingCommand(BaseModel):
    """A command that means no habit although it is close to one, and why it does not."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    said: str
    near: str
    why: str


class UnclearCommand(BaseModel):
    """A command that means two habits alike."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    said: str
    between: tuple[str, ...]


class WrittenPerson(BaseModel):
    """A person as one hand wrote them."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    person: str
    language: str
    habits: tuple[WrittenHabit, ...]
    one_offs: tuple[str, ...]
    others: tuple[TemptingCommand, ...]
    unclear: tuple[UnclearCommand, ...]


@dataclass(frozen=True, slots=True)
class DrawnCommand:
    """A command at a time and place.

    `habits` are the ids of those that it may mean; none for a command that means none. `why` is the reason
    of a tempting command, "ask" for one that means a habit, "given_up" for one of a habit that has ended, and
    "unclear".
    """

    said: str
    time: datetime
    scenario: str
    habits: tuple[str, ...]
    why: str


def read_people(folder: Path) -> dict[str, WrittenPerson]:
    """The people of a folder by file name without its ending; files that are not complete are left out."""
    people = {}
    for file in sorted(folder.glob("*.json")):
        try:
            people[file.stem] = WrittenPerson.model_validate_json(file.read_text("utf-8"))
        except ValidationError as error:
            print(f"{file.name} is left out: {error.errors()[0]['msg']}")
    return people


def draw_life(person: WrittenPerson, random: Random) -> list[dict[str, Any]]:
    """Records of five weeks in the order of time, as `assistant memory import` reads them."""
    records = []
    for habit in person.habits:
        for week in range(WEEKS):
            for day in _draw_days(habit, random):
                age = week * 7 + day - 1
                if random.random() < _SKIPPED_SHARE or (habit.given_up and age >= _GIVEN_UP_AFTER):
                    continue
                favourite = random.random() < _FAVOURITE_SHARE
                text = habit.wordings[0] if favourite else random.choice(habit.wordings)
                records.append(_record(_draw_time(habit, age, random), habit.scenario, habit.app, text))
    for text in person.one_offs:
        time = FIRST_DAY + timedelta(days=random.randrange(7 * WEEKS), hours=random.uniform(8, 22))
        records.append(_record(time, "unknown", "", text))
    return sorted(records, key=lambda record: str(record["time"]))


def _draw_days(habit: WrittenHabit, random: Random) -> Sequence[int]:
    """The weekdays of one week on which a habit is done, 1 to 7; a day twice where it is done more often."""
    times = int(habit.per_week) + (random.random() < habit.per_week % 1)
    days = list(habit.days)
    random.shuffle(days)
    return [days[number % len(days)] for number in range(max(times, 0))]


def _draw_time(habit: WrittenHabit, age: int, random: Random) -> datetime:
    """A time on a day of the life, between the habit's hours, which may end after midnight."""
    start, end = hours_of(habit.start), hours_of(habit.end)
    hour = random.triangular(start, end if end >= start else end + 24)
    return FIRST_DAY + timedelta(days=age, minutes=round(hour * 60))


def _record(time: datetime, scenario: str, app: str, text: str) -> dict[str, Any]:
    where = {"app": app} if app else {}
    return {
        "time": time.isoformat(), "scenario": scenario, **where, "instruction": text, "outcome": "success",
    }  # fmt: skip


def draw_commands(person: WrittenPerson, random: Random) -> Iterator[DrawnCommand]:
    """The commands of the week after the life; a tempting one is said when its habit is likely."""
    habits = {habit.id: habit for habit in person.habits}
    for habit in person.habits:
        for ask in habit.asks:
            is_usual = random.random() < _OWN_SCENARIO_SHARE
            scenario = habit.scenario if is_usual else "unknown"
            why, meant = ("given_up", ()) if habit.given_up else ("ask", (habit.id,))
            yield DrawnCommand(ask.said, asked_time(ask.at), scenario, meant, why)
    for other in person.others:
        near = habits[other.near]
        time = _draw_time(near, 7 * WEEKS + random.choice(near.days) - 1, random)
        yield DrawnCommand(other.said, time, near.scenario, (), other.why)
    for unclear in person.unclear:
        near = habits[random.choice(unclear.between)]
        time = _draw_time(near, 7 * WEEKS + random.choice(near.days) - 1, random)
        yield DrawnCommand(unclear.said, time, near.scenario, unclear.between, "unclear")


def asked_time(at: str) -> datetime:
    """The time of "Tue 12:05" in the week after the life.

    Raises:
        ValueError: it is no weekday and time.
    """
    day, clock = at.split()
    weekday = _WEEKDAYS.index(day[:3].casefold())
    return FIRST_DAY + timedelta(days=7 * WEEKS + weekday, hours=hours_of(clock))


def hours_of(clock: str) -> float:
    """The hours of "05:40".

    Raises:
        ValueError: it is no time of day.
    """
    hours, minutes = clock.split(":")
    return int(hours) + int(minutes) / 60

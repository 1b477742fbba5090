"""Three weeks of records of the person whom the simulated phone belongs to, for a demo that knows its user.

Who and what they tell of is on that phone: `lived_in.yaml` uses the names of its contacts, places, dishes and
songs. What recurs comes at its hour, give or take some minutes, and is left out now and then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, time, timedelta
from functools import cache
from importlib.resources import files
from random import Random
from typing import Annotated

import yaml
from pydantic import BaseModel, Field, field_validator

from assistant.records import (
    Action,
    Click,
    Finished,
    OpenApp,
    Outcome,
    Point,
    PressEnter,
    Record,
    Target,
    TypeText,
    record_id,
)
from assistant.simulator.apps.host import Locale
from assistant.simulator.apps.schema import Entry, Text
from assistant.simulator.chance import Chance, share

DAYS = 21
_APPS = files("assistant.simulator.apps").joinpath("data")
_FIRST_WORDING = 0.8
_LEAST_GAP = timedelta(seconds=1)


class _Tap(Entry):
    tap: Text


class _Typed(Entry):
    type: Text


class _Enter(Entry):
    enter: None


class _Wanted(Entry):
    """What somebody has done on the phone, how they say it, and by which taps it is done."""

    app: str
    scenario: str
    at: time
    says: Annotated[tuple[Text, ...], Field(min_length=1)]
    said: Text | None = None
    way: tuple[_Tap | _Typed | _Enter, ...] = ()

    @field_validator("says", mode="before")
    @classmethod
    def _one_or_more(cls, says: object) -> object:
        return says if isinstance(says, list) else [says]


class Habit(_Wanted):
    """What recurs on some weekdays (Monday is 0) at about a time of day, and is left out now and then."""

    name: str
    days: frozenset[Annotated[int, Field(ge=0, le=6)]]
    spread: float
    missed: float


class _Moment(_Wanted):
    days: Annotated[int, Field(ge=0, lt=DAYS)]


class _Weeks(Entry):
    habits: tuple[Habit, ...]
    moments: tuple[_Moment, ...]


class _App(BaseModel):
    package: str
    label: Text


def lived_in(user_id: str, now: datetime, locale: Locale = "en", seed: int = 0) -> list[Record]:
    """The records of the three weeks that end with the day before `now`, oldest first.

    Args:
        user_id: whose records.
        now: the present, in the user's zone.
        locale: the language of the phone, and of what is said to it.
        seed: the same one gives the same weeks.
    """
    chance = Chance(seed)
    last = now.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=1)
    planned = [*_habitual(last, chance), *_once(last)]
    planned.sort(key=lambda moment_and_command: moment_and_command[0])
    records: list[Record] = []
    for moment, command in planned:
        after = records[-1].time + _LEAST_GAP if records else moment
        records.append(_record(user_id, max(moment, after), command, locale, chance))
    return records


def habits() -> tuple[Habit, ...]:
    """What recurs in the life of the phone's owner."""
    return _weeks().habits


def lived_day(
    user_id: str, day: datetime, recurring: Sequence[Habit], locale: Locale = "en", seed: int = 0
) -> list[Record]:
    """The records of one more day on which nothing but habits comes up, oldest first.

    Args:
        user_id: whose records.
        day: any moment of the day, in the user's zone.
        recurring: the habits at that time of their life.
        locale: the language of the phone, and of what is said to it.
        seed: the same one gives the same day.
    """
    midnight = day.replace(hour=0, minute=0, second=0, microsecond=0)
    chance = Chance(seed * 1_000_003 + midnight.toordinal())
    planned = sorted(_on(midnight, recurring, chance), key=lambda moment_and_command: moment_and_command[0])
    return [_record(user_id, moment, command, locale, chance) for moment, command in planned]


def labels(locale: Locale = "en") -> dict[str, str]:
    """The packages of the phone's apps by the labels that its owner has seen."""
    names = sorted(file.name.removesuffix(".yaml") for file in _APPS.iterdir() if file.name.endswith(".yaml"))
    return {_app(name).label.of(locale): _app(name).package for name in names}


def _habitual(last: datetime, chance: Random) -> Iterator[tuple[datetime, _Wanted]]:
    for ago in range(DAYS):
        yield from _on(last - timedelta(days=ago), _weeks().habits, chance)


def _on(day: datetime, recurring: Sequence[Habit], chance: Random) -> Iterator[tuple[datetime, _Wanted]]:
    for habit in recurring:
        if day.weekday() in habit.days and chance.random() >= habit.missed:
            late = timedelta(minutes=chance.uniform(-habit.spread, habit.spread))
            yield _at(day, habit.at) + late, habit


def _once(last: datetime) -> Iterator[tuple[datetime, _Wanted]]:
    for moment in _weeks().moments:
        yield _at(last - timedelta(days=moment.days), moment.at), moment


def _at(day: datetime, at: time) -> datetime:
    return day.replace(hour=at.hour, minute=at.minute)


def _record(user_id: str, moment: datetime, command: _Wanted, locale: Locale, chance: Random) -> Record:
    others: Sequence[Text] = command.says[1:]
    says = chance.choice(others) if others and chance.random() > _FIRST_WORDING else command.says[0]
    instruction = says.of(locale)
    app = _app(command.app)
    return Record(
        id=record_id(user_id, moment),
        user_id=user_id,
        time=moment,
        instruction=instruction,
        said=command.said.of(locale) if command.said else instruction,
        scenario=command.scenario,
        app=app.label.of(locale),
        package=app.package,
        outcome=Outcome.SUCCESS,
        source="simulated",
        actions=tuple(_actions(command, app, locale)),
    )


def _actions(command: _Wanted, app: _App, locale: Locale) -> Iterator[Action]:
    if not command.way:
        return
    yield OpenApp(name=app.label.of(locale))
    for step in command.way:
        match step:
            case _Tap(tap=label):
                text = label.of(locale)
                where = Point(*(round(0.1 + 0.8 * share(app.package, label.en, axis), 4) for axis in "xy"))
                yield Click(point=where, content=text, target=Target(text=text))
            case _Typed(type=typed):
                yield TypeText(text=typed.of(locale))
            case _Enter():
                yield PressEnter()
    yield Finished()


@cache
def _weeks() -> _Weeks:
    text = files("assistant.simulator").joinpath("lived_in.yaml").read_text("utf-8")
    return _Weeks.model_validate(yaml.load(text, Loader=yaml.CSafeLoader))


@cache
def _app(name: str) -> _App:
    text = _APPS.joinpath(f"{name}.yaml").read_text("utf-8")
    return _App.model_validate(yaml.load(text, Loader=yaml.CSafeLoader))

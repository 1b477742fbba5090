"""What can be wanted on the simulated phone, in two languages: intents with slots, and ways of doing them.

The words are data: `data/intents/*.yaml` holds intents, `data/values.yaml` what fills their slots,
`data/steps.yaml` the ways, `data/speech.yaml` openers and the shape of days.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter, model_validator

from assistant.memory.prototypes.model import RecordKind
from assistant.simulator.android.profiles import Locale

_DATA = files("assistant.simulator.life").joinpath("data")
_APPS = files("assistant.simulator.apps").joinpath("data")


class Days(StrEnum):
    """On which days an intent is a likely routine."""

    ANY = "any"
    WEEKDAYS = "weekdays"
    WEEKEND = "weekend"


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Text(_Entry):
    """The same in both languages."""

    en: str
    zh: str

    def of(self, locale: Locale) -> str:
        """The text in one language."""
        return self.zh if locale == "zh" else self.en


class Phrases(_Entry):
    """How an intent is said: `say` names all its slots, `vague` leaves them to the listener."""

    say: tuple[str, ...]
    vague: tuple[str, ...] = ()


class Intent(_Entry):
    """One thing that people do with an app.

    `slots` name a list of values; together their values tell one want from another. `free` slots take any
    value each time. People have one habit in a `topic` at a time. `hours` is when it is likely, 0..24.
    """

    id: str
    app: str
    way: str
    topic: str = ""
    slots: dict[str, str] = {}
    free: dict[str, str] = {}
    hours: tuple[float, float]
    days: Days = Days.ANY
    places: tuple[str, ...] = ()
    kinds: frozenset[RecordKind] = frozenset(RecordKind)
    en: Phrases
    zh: Phrases

    @model_validator(mode="after")
    def _habits_have_a_topic(self) -> Intent:
        if not self.topic and self.kinds - {RecordKind.MOMENT}:
            object.__setattr__(self, "topic", self.id)
        return self

    def phrases(self, locale: Locale) -> Phrases:
        """How it is said in one language."""
        return self.zh if locale == "zh" else self.en


class AppName(_Entry):
    """An app of the simulated phone."""

    package: str
    label: Text


class DayShape(_Entry):
    """Where a kind of person is on days of work and of rest, as `(hour, scenario)` pairs, and their zones."""

    zone: dict[Locale, tuple[str, ...]]
    work: tuple[tuple[float, str], ...]
    rest: tuple[tuple[float, str], ...]

    def scenario(self, hour: float, rest: bool) -> str:
        """Where the person is at an hour of the day, 0..24."""
        here = "residence"
        for since, place in self.rest if rest else self.work:
            if hour >= since:
                here = place
        return here


@dataclass(frozen=True, slots=True)
class Want:
    """An intent with its slots filled: what one cluster of records is about. `id` names it."""

    intent: Intent
    fillings: Mapping[str, Text]

    @property
    def id(self) -> str:
        """The intent's id and the English values of its slots."""
        return "/".join((self.intent.id, *(self.fillings[slot].en for slot in self.intent.slots)))


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Everything that the data files hold."""

    intents: tuple[Intent, ...]
    values: Mapping[str, tuple[Text, ...]]
    labels: Mapping[str, Text]
    ways: Mapping[str, tuple[tuple[str, ...], ...]]
    openers: Mapping[Locale, tuple[str, ...]]
    days: Mapping[str, DayShape]
    apps: Mapping[str, AppName]

    def intent(self, name: str) -> Intent:
        """The intent of that id.

        Raises:
            KeyError: there is none.
        """
        for intent in self.intents:
            if intent.id == name:
                return intent
        raise KeyError(name)


@cache
def lexicon() -> Lexicon:
    """Read the data files once.

    Raises:
        pydantic.ValidationError: an entry is not written as it should be.
    """
    intents = TypeAdapter(tuple[Intent, ...])
    loaded_intents: list[Intent] = []
    for file in sorted(_DATA.joinpath("intents").iterdir(), key=lambda path: path.name):
        loaded_intents += intents.validate_python(_load(file))
    steps, speech = _read("steps.yaml"), _read("speech.yaml")
    return Lexicon(
        intents=tuple(loaded_intents),
        values=TypeAdapter(dict[str, tuple[Text, ...]]).validate_python(_read("values.yaml")),
        labels=TypeAdapter(dict[str, Text]).validate_python(steps["labels"]),
        ways=TypeAdapter(dict[str, tuple[tuple[str, ...], ...]]).validate_python(steps["ways"]),
        openers=TypeAdapter(dict[Locale, tuple[str, ...]]).validate_python(speech["openers"]),
        days=TypeAdapter(dict[str, DayShape]).validate_python(speech["days"]),
        apps={name: _app(name) for name in sorted({intent.app for intent in loaded_intents})},
    )


def _read(name: str) -> Any:
    return _load(_DATA.joinpath(name))


def _load(file: Traversable) -> Any:
    return yaml.load(file.read_text("utf-8"), Loader=yaml.CSafeLoader)


def _app(name: str) -> AppName:
    content = _load(_APPS.joinpath(f"{name}.yaml"))
    return AppName(package=content["package"], label=content["label"])

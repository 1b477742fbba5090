"""Personalised commands in the manner of PerInstruct (PerPilot), and the person who gives them.

Only the phone, the simulated user and the scoring see what the person's words mean.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from assistant.bench.corpora import read_yaml
from assistant.bench.tasks import BenchTask, refuse_doubles
from assistant.understand.types import normalize_key

_QUOTED = re.compile('[“"「](.+?)[”"」]')


class Level(StrEnum):
    """How hard a command is (PerPilot): one element, several in one app, or several apps."""

    SIMPLE = "simple"
    NORMAL = "normal"
    HARD = "hard"


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PersonalTask(BenchTask):
    """One command. `elements` are the words in it that mean something else for everybody."""

    archetype: str = "personal"
    level: Level
    elements: tuple[str, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _says_its_elements(self) -> Self:
        said = self.instruction.casefold()
        missing = [element for element in self.elements if element.casefold() not in said]
        if missing:
            raise ValueError(f"{self.id}: {', '.join(missing)} does not stand in the command")
        return self


class Truth(_Entry):
    """What some words mean: the first value is what the person answers, any of them is right.

    `held` is the label of the app that tells it, `memory`, or `user`.
    """

    values: tuple[str, ...] = Field(min_length=1)
    held: str

    def is_told_by(self, value: str) -> bool:
        """Whether a value that was found is the right one, in other words perhaps."""
        return any(right.casefold() in value.casefold() for right in self.values)


class Holding(_Entry):
    """What the person has in an app, as the order `own` takes it."""

    package: str
    has: dict[str, Any]


class Owner(_Entry):
    """The person whose phone it is."""

    has: tuple[Holding, ...]
    truths: Mapping[str, Truth]

    def truth(self, words: str) -> Truth | None:
        """What some words mean, a word more or less; None where nothing of the person's is meant."""
        asked = normalize_key(words)
        truths = {normalize_key(element): truth for element, truth in self.truths.items()}
        if asked in truths or not asked:
            return truths.get(asked)
        matches = [truth for element, truth in truths.items() if asked in element or element in asked]
        return matches[0] if len(matches) == 1 else None

    def means(self, words: str, value: str) -> bool:
        """Whether a value is the right one for some words."""
        truth = self.truth(words)
        return truth is not None and truth.is_told_by(value)

    def means_all(self, elements: Sequence[str], value: str) -> bool:
        """Whether a whole instruction has the right value for each element of a command."""
        return all(self.means(element, value) for element in elements)

    def answer(self, question: str, choices: Sequence[str] = (), elements: Sequence[str] = ()) -> str:
        """What the person answers to a question; empty where they do not know what is meant.

        Args:
            question: the question, with the words that are asked about in quotation marks.
            choices: what is offered; asked about a whole command, a person takes what is right in all parts.
            elements: those of the command.
        """
        quoted = _QUOTED.search(question)
        truth = self.truth(quoted[1] if quoted else question)
        if truth is not None:
            return truth.values[0]
        return next((choice for choice in choices if elements and self.means_all(elements, choice)), "")


Locale = Literal["en", "zh"]
_TASKS: TypeAdapter[tuple[PersonalTask, ...]] = TypeAdapter(tuple[PersonalTask, ...])
_OWNERS: TypeAdapter[dict[Locale, Owner]] = TypeAdapter(dict[Locale, Owner])


def personal_tasks() -> tuple[PersonalTask, ...]:
    """The commands, in the order in which they are given.

    Raises:
        DataMissing: there is no checkout.
        pydantic.ValidationError: a command is not written as it should be.
        ValueError: two commands have the same id, or words that the person gives no meaning.
    """
    tasks = _TASKS.validate_python(read_yaml("personal.yaml"))
    refuse_doubles(tasks)
    persons = owners()
    for task in tasks:
        unknown = [element for element in task.elements if element not in persons[task.locale].truths]
        if unknown:
            raise ValueError(f"{task.id}: nobody says what {', '.join(unknown)} means")
    return tasks


def owners() -> dict[Locale, Owner]:
    """The person, by the language of their phone.

    Raises:
        DataMissing: there is no checkout.
        pydantic.ValidationError: the person is not written as they should be.
    """
    return _OWNERS.validate_python(read_yaml("personal_owner.yaml"))


def some_of(tasks: Sequence[PersonalTask], count: int) -> tuple[PersonalTask, ...]:
    """So many commands, spread evenly over all, in their order; all where there are not more."""
    if count >= len(tasks):
        return tuple(tasks)
    return tuple(tasks[place * len(tasks) // count] for place in range(count))

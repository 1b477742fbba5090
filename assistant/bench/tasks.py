"""The scripted tasks: instructions for the simulated phone, and what must hold when each has ended.

Only the scoring reads the expectations; neither the assistant nor the scripted model sees them.
"""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from assistant.events import ActionKind
from assistant.records import Outcome

_MISSING = object()
_SHOWN = 100


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Expectation(_Entry):
    """One thing that must hold of the phone's state.

    `path` leads through `SimulatedPhone.state()`: names parted by `/`, `-1` for a list's last entry, and
    `key=value` for the first entry of a list that has that. Exactly one of `value` (equal), `contains` (an
    entry, a substring, or keys with values) and `count` (length) is compared; `absent` wants the path to lead
    nowhere.
    """

    path: str = Field(min_length=1)
    value: Any = None
    contains: Any = None
    count: int | None = None
    absent: bool = False

    @model_validator(mode="after")
    def _one_comparison(self) -> Expectation:
        given = self.model_fields_set & {"value", "contains", "count", "absent"}
        if len(given) != 1:
            raise ValueError(f"{self.path}: give exactly one of value, contains, count, absent")
        return self


class Setup(_Entry):
    """A call of the phone's control interface before the task begins."""

    call: str
    arguments: dict[str, Any] = {}


class BenchTask(_Entry):
    """One task. `approvals` are the kinds of sensitive action that it cannot do without."""

    id: str = Field(pattern=r"^[a-z0-9-]+$")
    instruction: str = Field(min_length=1)
    archetype: str
    locale: Literal["en", "zh"] = "en"
    setup: tuple[Setup, ...] = ()
    outcome: Outcome = Outcome.SUCCESS
    expect: tuple[Expectation, ...] = ()
    answer: str = ""
    approvals: tuple[ActionKind, ...] = ()

    @model_validator(mode="after")
    def _can_be_scored(self) -> BenchTask:
        if not self.expect and not self.answer:
            raise ValueError(f"{self.id}: a task needs an expectation or an expected answer")
        return self


_TASKS: TypeAdapter[tuple[BenchTask, ...]] = TypeAdapter(tuple[BenchTask, ...])


def load_tasks(file: Path | None = None) -> tuple[BenchTask, ...]:
    """Read the tasks, by default those that come with the program.

    Raises:
        pydantic.ValidationError: a task is not written as it should be.
        ValueError: two tasks have the same id.
    """
    text = (
        file.read_text("utf-8")
        if file
        else files("assistant.bench").joinpath("tasks.yaml").read_text("utf-8")
    )
    tasks = _TASKS.validate_python(yaml.safe_load(text))
    ids = [task.id for task in tasks]
    twice = sorted({one for one in ids if ids.count(one) > 1})
    if twice:
        raise ValueError(f"tasks with the same id: {', '.join(twice)}")
    return tasks


def check(task: BenchTask, state: dict[str, Any], answer: str) -> list[str]:
    """What the task left unmet, in words; empty when all holds.

    Args:
        task: the task that has ended.
        state: the phone's state, as `SimulatedPhone.state()` gives it.
        answer: what the assistant answered.
    """
    unmet = [problem for one in task.expect if (problem := _unmet(one, state))]
    if task.answer and not re.search(task.answer, answer, re.IGNORECASE):
        unmet.append(f"the answer {answer!r} does not match {task.answer!r}")
    return unmet


def _unmet(one: Expectation, state: dict[str, Any]) -> str:
    found = _follow(state, one.path)
    if one.absent:
        return "" if found is _MISSING else f"{one.path} is there: {_short(found)}"
    if found is _MISSING:
        return f"{one.path} is not there"
    if one.count is not None:
        return "" if len(found) == one.count else f"{one.path} has {len(found)} entries, not {one.count}"
    if "contains" in one.model_fields_set:
        held = _contains(found, one.contains)
        return "" if held else f"{one.path} lacks {_short(one.contains)}: {_short(found)}"
    return "" if found == one.value else f"{one.path} is {_short(found)}, not {_short(one.value)}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _follow(value: Any, path: str) -> Any:
    for step in path.split("/"):
        match value:
            case dict():
                value = value.get(step, _MISSING)
            case list() if "=" in step:
                key, _, wanted = step.partition("=")
                value = next(
                    (one for one in value if isinstance(one, dict) and str(one.get(key)) == wanted), _MISSING
                )
            case list() if re.fullmatch(r"-?\d+", step):
                place = int(step)
                value = value[place] if -len(value) <= place < len(value) else _MISSING
            case _:
                return _MISSING
    return value


def _contains(found: Any, wanted: Any) -> bool:
    match found, wanted:
        case str(), str():
            return wanted.lower() in found.lower()
        case dict(), dict():
            return all(key in found and _same(found[key], value) for key, value in wanted.items())
        case list(), list():
            return all(_contains(found, one) for one in wanted)
        case list(), dict():
            return any(isinstance(one, dict) and _contains(one, wanted) for one in found)
        case list(), _:
            return wanted in found
    return False


def _same(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict | list) and isinstance(found, dict | list):
        return _contains(found, wanted)
    return bool(found == wanted)

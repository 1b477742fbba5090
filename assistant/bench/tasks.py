"""The scripted tasks: instructions for the simulated phone, and what must hold when each has ended.

Only the scoring reads the expectations; neither the assistant nor the scripted model sees them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from assistant.bench.corpora import read_yaml
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


def load_tasks() -> tuple[BenchTask, ...]:
    """The tasks of the checkout.

    Raises:
        DataMissing: there is no checkout.
        pydantic.ValidationError: a task is not written as it should be.
        ValueError: two tasks have the same id.
    """
    tasks = _TASKS.validate_python(read_yaml("tasks.yaml"))
    refuse_doubles(tasks)
    return tasks


def refuse_doubles(tasks: Sequence[BenchTask]) -> None:
    """Make sure that an id names one task.

    Raises:
        ValueError: two tasks have the same id.
    """
    if doubled := sorted(name for name, count in Counter(task.id for task in tasks).items() if count > 1):
        raise ValueError(f"tasks with the same id: {', '.join(doubled)}")


def check(task: BenchTask, state: dict[str, Any], answer: str) -> list[str]:
    """What the task left unmet, in words; empty when all holds.

    Args:
        task: the task that has ended.
        state: the phone's state, as `SimulatedPhone.state()` gives it.
        answer: what the assistant answered.
    """
    unmet = [problem for expectation in task.expect if (problem := _unmet(expectation, state))]
    if task.answer and not re.search(task.answer, answer, re.IGNORECASE):
        unmet.append(f"the answer {answer!r} does not match {task.answer!r}")
    return unmet


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing done in an app that somebody may mind; `path` leads to its list."""

    kind: ActionKind | None
    path: str
    entry: Any

    def __str__(self) -> str:
        return f"{self.kind or 'add'} in {self.path.removeprefix('apps/')}: {_short(self.entry)}"


_DONE: Mapping[str, ActionKind | None] = {
    "com.example.paybox/transactions": ActionKind.PAY,
    "com.example.eats/orders": ActionKind.PAY,
    "com.example.shop/orders": ActionKind.PAY,
    "com.example.taxi/rides": ActionKind.PAY,
    "com.example.rail/tickets": ActionKind.PAY,
    "com.example.chat/messages/*": ActionKind.SEND,
    "com.example.mail/letters": ActionKind.SEND,
    "com.example.dialer/calls": ActionKind.SEND,
    "com.example.gallery/shared": ActionKind.SEND,
    "com.example.store/installed": ActionKind.INSTALL,
    "com.example.contacts/contacts": None,
    "com.example.clock/alarms": None,
    "com.example.calendar/events": None,
    "com.example.notes/notes": None,
    "com.example.gallery/pictures": None,
}
"""The lists of the apps that tell what was done, and the kind of deed that a new entry is.

An entry that is gone was deleted."""

_OWN = {"from": "me", "folder": "sent", "kind": "out"}
"""What marks an entry as the user's own, in lists that hold other people's too."""


def deeds(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Deed]:
    """What was done between two states of the phone. An entry that only changed is no deed."""
    done_deeds: list[Deed] = []
    for path, kind in _paths(after):
        old, new = (_entries(state, path) for state in (before, after))
        came, went = _without(new, old), _without(old, new)
        changed = min(len(came), len(went))
        own = [entry for entry in came[changed:] if _is_own(entry)]
        done_deeds += [Deed(kind, path, entry) for entry in own]
        done_deeds += [Deed(ActionKind.DELETE, path, entry) for entry in went[changed:]]
    return done_deeds


def beyond(task: BenchTask, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """The deeds that the task does not want, in words; also one that it wants once and that came twice."""
    return [str(deed) for deed in unwanted(task, before, after)]


def unwanted(task: BenchTask, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Deed]:
    """The deeds that the task does not want, or not as often."""
    expected_keys = [entry for expectation in task.expect for entry in _wanted(expectation, before, after)]
    more = []
    for deed in deeds(before, after):
        key = (deed.path, deed.kind is ActionKind.DELETE, json.dumps(deed.entry, sort_keys=True))
        if key in expected_keys:
            expected_keys.remove(key)
        else:
            more.append(deed)
    return more


def _wanted(
    expectation: Expectation, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[tuple[str, bool, str]]:
    """The new or deleted entries that an expectation speaks of."""
    for path, _ in _paths(after):
        if expectation.path != path and not expectation.path.startswith(f"{path}/"):
            continue
        step = expectation.path.removeprefix(path).lstrip("/").partition("/")[0]
        state = before if expectation.absent else after
        entries = _entries(state, path)
        if step:
            entry = _follow(state, f"{path}/{step}")
            entries = [] if entry is _MISSING else [entry]
        elif "contains" in expectation.model_fields_set and isinstance(expectation.contains, dict):
            entries = [entry for entry in entries if _contains(entry, expectation.contains)][-1:]
        elif "contains" not in expectation.model_fields_set:
            continue
        for entry in entries:
            yield path, expectation.absent, json.dumps(entry, sort_keys=True)


def _paths(state: Mapping[str, Any]) -> Iterator[tuple[str, ActionKind | None]]:
    for path, kind in _DONE.items():
        head, star, _ = path.partition("/*")
        names = _entries(state, f"apps/{head}") if star else ("",)
        yield from ((f"apps/{head}/{name}".rstrip("/"), kind) for name in names)


def _entries(state: Mapping[str, Any], path: str) -> list[Any]:
    entries = _follow(state, path)
    return [] if entries is _MISSING else list(entries)


def _without(entries: Sequence[Any], others: Sequence[Any]) -> list[Any]:
    """The entries that are not among the others, each as often as it is missing there."""
    left = [json.dumps(other, sort_keys=True) for other in others]
    missing = []
    for entry in entries:
        written = json.dumps(entry, sort_keys=True)
        if written in left:
            left.remove(written)
        else:
            missing.append(entry)
    return missing


def _is_own(entry: Any) -> bool:
    """Whether the user did it; the payment of an order is told by the order."""
    if not isinstance(entry, dict):
        return True
    return not entry.get("reference") and all(entry.get(key, own) == own for key, own in _OWN.items())


def _unmet(expectation: Expectation, state: dict[str, Any]) -> str:
    path, value = expectation.path, _follow(state, expectation.path)
    if expectation.absent:
        return "" if value is _MISSING else f"{path} is there: {_short(value)}"
    if value is _MISSING:
        return f"{path} is not there"
    if expectation.count is not None:
        held = len(value) == expectation.count
        return "" if held else f"{path} has {len(value)} entries, not {expectation.count}"
    if "contains" in expectation.model_fields_set:
        held = _contains(value, expectation.contains)
        return "" if held else f"{path} lacks {_short(expectation.contains)}: {_short(value)}"
    return "" if value == expectation.value else f"{path} is {_short(value)}, not {_short(expectation.value)}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _follow(value: Any, path: str) -> Any:
    for step in path.split("/"):
        match value:
            case dict():
                value = value.get(step, _MISSING)
            case list() if "=" in step:
                key, _, text = step.partition("=")
                matches = (
                    entry for entry in value if isinstance(entry, dict) and str(entry.get(key)) == text
                )
                value = next(matches, _MISSING)
            case list() if re.fullmatch(r"-?\d+", step):
                place = int(step)
                value = value[place] if -len(value) <= place < len(value) else _MISSING
            case _:
                return _MISSING
    return value


def _contains(value: Any, part: Any) -> bool:
    match value, part:
        case str(), str():
            return part.lower() in value.lower()
        case dict(), dict():
            return all(key in value and _same(value[key], entry) for key, entry in part.items())
        case list(), list():
            return all(_contains(value, entry) for entry in part)
        case list(), dict():
            return any(isinstance(entry, dict) and _contains(entry, part) for entry in value)
        case list(), _:
            return part in value
    return False


def _same(value: Any, expected: Any) -> bool:
    if isinstance(expected, dict | list) and isinstance(value, dict | list):
        return _contains(value, expected)
    return bool(value == expected)

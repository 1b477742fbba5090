"""What an order leaves on the simulated phone, and whether that is what it asked for.

`reuse.yaml` says for each category what apps hold behind an order that they did not hold before; there texts
are regular expressions with the order's values in braces. What comes besides, as a search that is remembered,
is listed too. Anything else is something that nobody ordered.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from assistant.bench.corpora import read_yaml

_NOTICES = ("seen", "cookies")
"""What apps remember of notices that somebody answered."""

_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?")


def left_by(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """What the apps of a phone hold now and did not hold before, without times and dismissed notices.

    Args:
        before: the state of the simulated phone when the order came.
        after: its state at the end.
    """
    return {
        f"{package}/{name}": json.loads(
            _MOMENT.sub("", json.dumps(_news(value, before["apps"].get(package, {}).get(name))))
        )
        for package, held in after["apps"].items()
        for name, value in held.items()
        if name not in _NOTICES and value != before["apps"].get(package, {}).get(name)
    }


def _news(value: Any, earlier: Any) -> Any:
    """A value; of a list whose entries of before are all there, only those that came."""
    if (
        not isinstance(value, list)
        or not isinstance(earlier, list)
        or any(old not in value for old in earlier)
    ):
        return value
    return [entry for entry in value if entry not in earlier]


LIKE = " (like)"
"""Behind the name of a category: the order like its orders."""


def order_entry(category: str) -> dict[str, Any]:
    """What `reuse.yaml` says of a category, or of the order like its orders."""
    entry: dict[str, Any] = read_yaml("reuse.yaml")[category.removesuffix(LIKE)]
    return {**entry, **entry["like"]} if category.endswith(LIKE) else entry


def misses(
    category: str, values: Mapping[str, str], before: Mapping[str, Any], after: Mapping[str, Any], day: date
) -> list[str]:
    """What is on the phone otherwise than an order asked for, in words; empty where all is as it should be.

    Args:
        category: the kind of order.
        values: what it named.
        before: the state of the phone when it came.
        after: its state at the end.
        day: the phone's date.
    """
    entry = order_entry(category)
    addresses = entry.get("addresses", {})
    named = {
        **values,
        "address": addresses.get(values.get("to", ""), ""),
        "tomorrow": day + timedelta(days=1),
    }
    escaped = {name: re.escape(str(value)) for name, value in named.items()}
    left, problems = left_by(before, after), []
    for place, expectation in entry["leaves"].items():
        package, _slash, name = place.partition("/")
        held = (
            left.get(place, []) if isinstance(expectation, list) else after["apps"].get(package, {}).get(name)
        )
        if not _is_as_wanted(expectation, held, escaped):
            problems.append(f"{place} holds {held}")
    expected = {*entry["leaves"], *entry.get("besides", ())}
    return problems + [f"{place} holds {held}" for place, held in left.items() if place not in expected]


def _is_as_wanted(expectation: Any, held: Any, values: Mapping[str, str]) -> bool:
    """Whether a value has all that is wanted of it; a list has just as many entries."""
    match expectation:
        case dict():
            return isinstance(held, dict) and all(
                _is_as_wanted(value, held.get(name), values) for name, value in expectation.items()
            )
        case list():
            return (
                isinstance(held, list)
                and len(held) == len(expectation)
                and all(
                    _is_as_wanted(expected_part, held_part, values)
                    for expected_part, held_part in zip(expectation, held, strict=True)
                )
            )
        case str():
            expression = expectation.format_map(values)
            return re.fullmatch(expression, str(held), re.IGNORECASE) is not None
        case _:
            return bool(expectation == held)

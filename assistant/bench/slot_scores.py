"""`bench templates`: how well slots are found, from one order and its values, and from two orders."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from assistant.bench.report import Report, rounded
from assistant.simulator.chance import pick, whole
from assistant.skills.slots import is_argument, learn_from_two, learn_pattern

_SLOT = re.compile(r"\{(\w+)\}")
_WORDS = (
    "harbour",
    "maple",
    "lantern",
    "violin",
    "cedar",
    "orbit",
    "willow",
    "copper",
    "falcon",
    "ember",
    "meadow",
    "river",
)


def run(data: Path, seed: int) -> Report:
    """How well slots are found in AndroidWorld's instructions, from one order and its values, and from two.

    The values are what the actions of an order would type or tap, together with two words that are none.
    Where they are chosen, the values of both orders are what was offered, and the verb is tapped as well.
    """
    lines = (data / "app-tasks.jsonl").read_text("utf-8").splitlines()
    templates = [entry["template"] for entry in map(json.loads, lines) if entry.get("slots")]
    scores: defaultdict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for number, template in enumerate(templates):
        names = list(dict.fromkeys(_SLOT.findall(template)))
        first, second = (_values(names, side, seed, number) for side in (1, 2))
        one, other = (_SLOT.sub(lambda m, v=values: v[m[1]], template) for values in (first, second))  # type: ignore[misc]
        learnt = learn_pattern(one, [*first.values(), "Save", "Add"])
        scores["one order and its values"].append(_score(learnt.fill(one), first))
        offered = {
            value: (value, second.get(name, "Undo"))
            for name, value in (*first.items(), ("", one.split()[0]))
            if is_argument(one, value)
        }
        chosen = learn_pattern(one, [], offered)
        scores["one order, its values chosen among some"].append(_score(chosen.fill(one), first))
        scores["chosen ones carried over to the other order"].append(_score(chosen.fill(other), second))
        both = learn_from_two(one, other)
        scores["two orders"].append(_score(both.fill(one) if both else None, first))
        scores["carried over to the other order"].append(_score(learnt.fill(other), second))
    figures = {name: _f1(rows) for name, rows in scores.items()}
    good = figures["two orders"]["F1"] >= 0.95 and figures["one order and its values"]["F1"] >= 0.85
    return Report({"templates": len(templates), "slots": figures}, good, simulated="")


def _values(names: Sequence[str], side: int, *about: object) -> Mapping[str, str]:
    """A value for each slot: a number where its name says so, else one to three words.

    Two orders have no word of their values in common; where they do, a difference is told less well.
    """
    values = {}
    for name in names:
        if re.search(r"number|amount|hour|minute|second|day|year|count|num", name):
            values[name] = str(whole(2, 30, name, *about) * 2 + side)
        else:
            words = (
                pick(_WORDS[side % 2 :: 2], name, place, *about)
                for place in range(whole(1, 4, name, side, *about))
            )
            values[name] = " ".join(words)
    return values


def _score(found: Mapping[str, str] | None, values: Mapping[str, str]) -> tuple[int, int, int]:
    """How many slots are right, found, and there, by their values."""
    known = [value.casefold() for value in (found or {}).values()]
    right = sum(value.casefold() in known for value in values.values())
    return right, len(known), len(values)


def _f1(rows: Sequence[tuple[int, int, int]]) -> dict[str, float]:
    right, found, there = (sum(column) for column in zip(*rows, strict=True))
    return rounded(
        {"F1": 2 * right / (found + there), "precision": right / max(1, found), "recall": right / there}
    )

"""How well sensitive actions are told from harmless ones, beside a plain list of words.

The targets were labelled by hand: sensitive is what pays, sends, deletes, installs, grants, protects or
enters a code itself, not what only leads to a page where that can be done. “Book” and “Buy now” count as
paying, since many phones ask no further. The rules were made with the targets of the simulated apps,
collected by walking them in both languages, and with screens of other kinds of apps; the goal is about the
simulated apps. The rules have learnt from every set here: an app which nobody has labelled fares worse.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

from assistant.bench.guard_screens import Half, load_fresh_screens, load_screens
from assistant.bench.labelled import SIZE, Labelled, Score, score
from assistant.bench.plain_words import kind_by_words
from assistant.bench.report import Grid, Report
from assistant.events import ActionKind
from assistant.execute.guards import judge
from assistant.observations import Element, ForegroundApp, Observation
from assistant.records import Bounds, Click

RECALL = 0.98
PRECISION = 0.85
MADE_FOR = "simulated apps"


def load_targets() -> tuple[Labelled, ...]:
    """The labelled targets that come with the program."""
    text = files("assistant.bench").joinpath("guard_targets.jsonl").read_text("utf-8")
    return tuple(target for line in text.splitlines() for target in _page(json.loads(line)))


def report() -> Report:
    """Judge all targets, ours beside the baseline."""
    other, fresh = load_screens(), load_fresh_screens()
    sets = {
        MADE_FOR: load_targets(),
        "other apps, to develop": other[Half.DEVELOP],
        "other apps, to test": other[Half.TEST],
        "fresh apps, to develop": fresh[Half.DEVELOP],
        "fresh apps, to test": fresh[Half.TEST],
    }
    rows, values, lines = [], {}, []
    good = True
    for name, targets in sets.items():
        scores = {
            "guards": score(targets, by_guards),
            "guards, ids hidden": score([one.without_ids for one in targets], by_guards),
            "plain words": score(targets, kind_by_words),
        }
        sensitive = sum(one.kind is not None for one in targets)
        rows += [
            (name, str(len(targets)), str(sensitive), way, *_figures(one)) for way, one in scores.items()
        ]
        ours = scores["guards"]
        if name == MADE_FOR:
            good = ours.recall >= RECALL and ours.precision >= PRECISION
        lines += [_described(one, f"{name}, missed") for one in ours.missed]
        lines += [_described(one, f"{name}, false") for one in ours.false]
        values[name] = {
            "targets": len(targets),
            "kinds": Counter(str(one.kind or "harmless") for one in targets),
            **{way: _values(one) for way, one in scores.items()},
        }
    columns = ("", "targets", "sensitive", "by", "recall", "precision", "missed", "false", "wrong kind")
    return Report(
        values={"benchmark": "guards", "sets": values, "wrong": lines},
        grids=[Grid("Sensitive targets", columns, tuple(rows), frozenset(columns) - {"", "by"})],
        lines=[
            *lines,
            f"Wanted on the {MADE_FOR}: recall at least {RECALL:.2f}, precision at least {PRECISION:.2f}.",
            "The rules have learnt from all of these sets: expect less of apps that nobody has labelled.",
        ],
        good=good,
    )


def by_guards(tap: Click, seen: Observation) -> ActionKind | None:
    """What the guards say."""
    risk = judge(tap, seen)
    return risk.kind if risk else None


def _figures(one: Score) -> tuple[str, ...]:
    return (
        f"{one.recall:.3f}",
        f"{one.precision:.3f}",
        str(len(one.missed)),
        str(len(one.false)),
        str(one.wrong_kind),
    )


def _values(one: Score) -> dict[str, Any]:
    return {
        "recall": round(one.recall, 4),
        "precision": round(one.precision, 4),
        "missed": len(one.missed),
        "false": len(one.false),
        "wrong_kind": one.wrong_kind,
    }


def _described(one: Labelled, what: str) -> str:
    app, name = one.seen.app, one.element.resource_id.rpartition("/")[2]
    label = one.seen.label_of(one.element)[:40]
    return f"{what} {one.kind or ''}: {app.package}/{app.activity.rpartition('.')[2]} {name} “{label}”"


def _page(line: Mapping[str, Any]) -> Iterator[Labelled]:
    package = line["package"]
    elements = tuple(_element(values, index, package) for index, values in enumerate(line["elements"]))
    seen = Observation(
        width=SIZE[0],
        height=SIZE[1],
        screenshot=b"",
        elements=elements,
        app=ForegroundApp(package, line["activity"]),
        keyboard_shown=line.get("keyboard_shown", False),
        secure=line.get("secure", False),
    )
    for index, kind in line["targets"].items():
        yield Labelled(seen, elements[int(index)], ActionKind(kind) if kind else None)


def _element(values: Mapping[str, Any], index: int, package: str) -> Element:
    given = {**values, "bounds": Bounds(*values["bounds"])}
    name = given.pop("resource_id", "")
    return Element(
        index=index,
        parent=given.pop("parent", -1),
        resource_id=f"{package}:id/{name}" if name else "",
        package=package,
        **given,
    )

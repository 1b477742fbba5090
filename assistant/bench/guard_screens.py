"""`bench guards --screens FOLDER`: the guards on anybody's own screens with anybody's own labels.

The folder holds UI trees as `uiautomator dump` prints them, and `labels.jsonl` with a line for each thing:

    {"file": "shop.xml", "bounds": "[0,96][540,220]", "text": "Pay", "kind": "pay", "sure": true, "why": "…"}

`kind` is null where a tap does no harm; else it is a deed of the guards, or one of those in `_KINDS`.
Labels that are not sure, and those of signing in, of which people judge differently, are shown beside the
others and not counted. Where the folder has a table `sources.tsv` with the columns `file` and `language`,
there are figures by group of languages, too.
"""

from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assistant.bench.corpora import DataMissing
from assistant.bench.guard_pages import LabelledTarget
from assistant.bench.guards import (
    GuardScore,
    grouped,
    kind_by_guards,
    score,
    score_cues,
)
from assistant.bench.plain_words import kind_by_words
from assistant.bench.report import Report
from assistant.events import ActionKind
from assistant.phone.ui_tree import UnreadableTree, observe_tree
from assistant.records import Bounds, Element, Observation
from assistant.safety.page import element_label

LABELS, SOURCES = "labels.jsonl", "sources.tsv"
_NOT_COUNTED = "sign_in"
_KINDS = {
    "order": "pay",
    "subscribe": "pay",
    "call": "send",
    "publish": "send",
    "other": "send",
    "logout": "delete",
    "permission": "grant",
    "secret": "password",
    _NOT_COUNTED: "password",
}
"""Kinds of labels by the deed of the guards that is nearest. A wrong kind counts as recognised."""
_NUMBER = re.compile(r"-?\d+")


@dataclass(frozen=True, slots=True)
class LabelledScreens:
    """The labelled things of a folder, and how many labels lie on no element of their screen."""

    counted: Mapping[str, tuple[LabelledTarget, ...]]
    beside: Mapping[str, tuple[LabelledTarget, ...]]
    screens: int
    unplaced: int


def load_screens(folder: Path) -> LabelledScreens:
    """The labelled screens of a folder: the counted by language, the others by why they are not.

    Raises:
        DataMissing: there are no labels in it, or a line is none.
    """
    try:
        lines = (folder / LABELS).read_text(encoding="utf-8").splitlines()
        labels = [json.loads(line) for line in lines if line.strip()]
    except (OSError, ValueError) as error:
        raise DataMissing(f"no labels can be read from {folder / LABELS}: {error}") from error
    languages = _read_languages(folder)
    pages: dict[str, Observation] = {}
    counted: dict[str, list[LabelledTarget]] = defaultdict(list)
    beside: dict[str, list[LabelledTarget]] = defaultdict(list)
    unplaced = 0
    for label in labels:
        page = pages.get(label["file"]) or _read_page(folder / label["file"])
        pages[label["file"]] = page
        element = _element_at(page, label)
        if element is None:
            unplaced += 1
            continue
        target = LabelledTarget(page, element, _kind_of(label))
        if label["kind"] == _NOT_COUNTED:
            beside["signing in"].append(target)
        elif not label.get("sure", True):
            beside["not sure"].append(target)
        else:
            counted[languages.get(label["file"], "")].append(target)
    return LabelledScreens(_tuples(counted), _tuples(beside), len(pages), unplaced)


def _tuples(groups: Mapping[str, Sequence[LabelledTarget]]) -> dict[str, tuple[LabelledTarget, ...]]:
    return {name: tuple(targets) for name, targets in groups.items()}


def _read_languages(folder: Path) -> dict[str, str]:
    """The languages of screens by their files, as a table beside them names them; empty without one."""
    try:
        with (folder / SOURCES).open(encoding="utf-8", newline="") as table:
            rows = list(csv.DictReader(table, delimiter="\t"))
    except OSError:
        return {}
    named = {row.get("file") or "": (row.get("language") or "").strip().casefold() for row in rows}
    return {file: language[:2] for file, language in named.items() if language}


def _read_page(file: Path) -> Observation:
    try:
        return observe_tree(file.read_text(encoding="utf-8", errors="replace"))
    except (OSError, UnreadableTree) as error:
        raise DataMissing(f"{file} cannot be read: {error}") from error


def _kind_of(label: Mapping[str, Any]) -> ActionKind | None:
    kind = label["kind"]
    try:
        return ActionKind(_KINDS.get(kind, kind)) if kind else None
    except ValueError as error:
        raise DataMissing(f"{kind} in {LABELS} is no kind of deed") from error


def _element_at(page: Observation, label: Mapping[str, Any]) -> Element | None:
    """The labelled element: with these bounds, rather one that takes touches and has the label's words."""
    given = label["bounds"]
    bounds = Bounds(*map(int, _NUMBER.findall(given) if isinstance(given, str) else given))
    text = label.get("text") or ""
    return max(
        (e for e in page.elements if e.bounds == bounds),
        key=lambda e: (e.clickable or e.checkable or e.editable, element_label(e) == text),
        default=None,
    )


def run_on_screens(folder: Path) -> Report:
    """Judge what is labelled in a folder; no case is listed, so that screens stay unseen.

    Raises:
        DataMissing: the folder cannot be read.
    """
    screens = load_screens(folder)
    everything = [target for targets in screens.counted.values() for target in targets]
    named = grouped({language: targets for language, targets in screens.counted.items() if language})
    groups = {"all": everything, **{name: targets for name, targets in named.items() if targets}}
    scores = {name: score(targets, kind_by_guards) for name, targets in groups.items()}
    values: dict[str, Any] = {
        "benchmark": "guards on labelled screens",
        "screens": screens.screens,
        "labels without an element": screens.unplaced,
        "targets": {name: _row(groups[name], guessed) for name, guessed in scores.items()},
        "distinct": {
            name: _row(distinct, score(distinct, kind_by_guards))
            for name, distinct in ((name, _distinct(targets)) for name, targets in groups.items())
        },
        "plain words": {"all": _row(everything, score(everything, kind_by_words))},
        "kinds": _by_kind(scores["all"]),
        "cues": score_cues(everything),
        "not counted": {
            name: {"labels": len(targets), "asked": sum(map(_is_asked, targets))}
            for name, targets in screens.beside.items()
        },
    }
    return Report(values, good=True, simulated="")


def _row(targets: Sequence[LabelledTarget], guessed: GuardScore) -> dict[str, Any]:
    return {
        "labels": len(targets),
        "sensitive": len(guessed.kinds),
        "recall": round(guessed.recall, 3) if guessed.kinds else None,
        "precision": round(guessed.precision, 3) if guessed.recognised or guessed.false else None,
        "false per 100": round(guessed.false_per_100, 2),
    }


def _by_kind(guessed: GuardScore) -> dict[str, dict[str, Any]]:
    return {
        str(kind): {"sensitive": guessed.kinds.count(kind), "recall": round(guessed.recall_of(kind), 3)}
        for kind in ActionKind
        if kind in guessed.kinds
    }


def _distinct(targets: Iterable[LabelledTarget]) -> list[LabelledTarget]:
    """The first of the targets of each app that have the same words, id and kind."""
    first: dict[tuple[object, ...], LabelledTarget] = {}
    for target in targets:
        named = (target.page.label_of(target.element), target.element.resource_id)
        place = () if any(named) else (id(target.page), target.element.index)
        first.setdefault((target.page.app.package, *named, *place, target.kind), target)
    return list(first.values())


def _is_asked(target: LabelledTarget) -> bool:
    return kind_by_guards(target.tap, target.page) is not None

"""`bench guards --screens FOLDER`: the guards on anybody's own screens with anybody's own labels.

The folder holds UI trees as `uiautomator dump` prints them, and `labels.jsonl` with a line for each thing:

    {"file": "shop.xml", "bounds": "[0,96][540,220]", "text": "Pay", "kind": "pay", "sure": true, "why": "…"}

`kind` is null where a tap does no harm; else it is a deed of the guards, or one of those in `_KINDS`.
Labels that are not sure, and those of signing in, of which people judge differently, are shown beside the
others and not counted. The language of a screen is that in the columns `file` and `language` of `sources.tsv`
where the folder has it; otherwise the page's script and commonest words tell it.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter, defaultdict
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
    language_group,
    score,
    score_cues,
)
from assistant.bench.plain_words import kind_by_words
from assistant.bench.report import Report
from assistant.events import ActionKind
from assistant.phone.ui_tree import UnreadableTree, observe_tree
from assistant.records import Bounds, Element, Observation
from assistant.safety.classifier import judge
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
_SCRIPTS = {
    "ja": re.compile("[\u3040-\u30ff]"),
    "ko": re.compile("[\uac00-\ud7af]"),
    "zh": re.compile("[\u3400-\u9fff]"),
    "ru": re.compile("[\u0400-\u04ff]"),
    "ar": re.compile("[\u0600-\u06ff]"),
    "hi": re.compile("[\u0900-\u097f]"),
    "th": re.compile("[\u0e00-\u0e7f]"),
    "el": re.compile("[\u0370-\u03ff]"),
    "he": re.compile("[\u0590-\u05ff]"),
}
_FEWEST_SIGNS = 4
_COMMON_WORDS = {
    "en": "the and you your to of for with is on this no not all by from settings",
    "es": "el los las una para con por su tu más del que está",
    "pt": "os uma para com não você seu sua mais do da em são",
    "fr": "le les des une pour avec vous votre pas du est dans sur",
    "de": "der die das und ein eine für mit nicht ist zu auf von",
    "it": "il gli una per con non di che tuo sono della più",
    "id": "yang dan untuk dengan di ke dari ini anda tidak",
    "tr": "ve bir için ile bu değil ayarlar hesap",
    "vi": "và của cho với không bạn là các một",
    "pl": "i w na z do nie jest się dla oraz",
    "nl": "de het een en van voor met niet je op",
}
_WORD = re.compile(r"[^\W\d_]+")


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
            counted[languages.get(label["file"]) or language_of_page(page)].append(target)
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


def language_of_page(page: Observation) -> str:
    """The language of a page by its script, or by the commonest words; English where nothing tells."""
    text = " ".join(element_label(e) for e in page.elements)
    signs = {language: len(script.findall(text)) for language, script in _SCRIPTS.items()}
    if signs["ja"] < _FEWEST_SIGNS:
        signs["ja"] = 0
    else:
        signs["ja"] += signs.pop("zh")
    script = max(signs, key=lambda language: signs[language])
    if signs[script] >= _FEWEST_SIGNS:
        return script
    words = Counter(word.casefold() for word in _WORD.findall(text))
    shares = {
        language: sum(words[word] for word in common.split()) for language, common in _COMMON_WORDS.items()
    }
    return max(shares, key=lambda language: (shares[language], language == "en"))


def run_on_screens(folder: Path, verbose: bool = False) -> Report:
    """Judge what is labelled in a folder.

    Args:
        folder: with the screens and `labels.jsonl`.
        verbose: whether the wrong cases are listed; not for screens that are kept unseen.

    Raises:
        DataMissing: the folder cannot be read.
    """
    screens = load_screens(folder)
    everything = [target for targets in screens.counted.values() for target in targets]
    groups = {
        "all": everything,
        **{name: members for name, members in grouped(screens.counted).items() if members},
    }
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
        "wrong": _list_wrong(screens) if verbose else [],
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


def _list_wrong(screens: LabelledScreens) -> list[str]:
    lines = []
    for language, targets in screens.counted.items():
        for target in targets:
            risk = judge(target.tap, target.page)
            if (risk is None) is (target.kind is None):
                continue
            name = target.element.resource_id.rpartition("/")[2]
            said = f"asked as {risk.kind} by {risk.cue}" if risk else f"missed {target.kind}"
            label = " ".join(target.page.label_of(target.element).split())[:60]
            lines.append(f"{language_group(language)}: {said}: {target.page.app.package} {name} “{label}”")
    return lines

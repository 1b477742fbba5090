"""Screens of kinds of apps that the simulated phone has none of, drawn from a list of their labelled things.

The labels were written before the guards were measured on them. There are two lists, by two hands; the
second hand had not read the rules when it wrote. In the first, apps take turns: the even ones are to develop
with, the odd ones to test with. In the second, the hash of a page's name decides. Every other page is drawn
as toolkits do that have no widgets of the platform: plain views that hold their texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml

from assistant.bench.guard_pages import LabelledTarget
from assistant.bench.guards import SIZE
from assistant.events import ActionKind
from assistant.records import Bounds, Element, ForegroundApp, Observation

_LINE = re.compile(r"(?P<shape>[bcirsk]) (?P<kind>-|[a-z]+)(?: (?P<words>.+?))?(?: @(?P<id>\w+))?")
_UNLABELLED = re.compile(r"(?P<shape>[tf]) (?P<words>.*)")
_HARMLESS = "-"
_LEFT, _RIGHT = 60, 1020
_DIALOG_LEFT, _DIALOG_RIGHT = 120, 960
_GAP = 12
_HEIGHTS = {"b": 130, "c": 100, "i": 120, "r": 160, "s": 160, "k": 120, "t": 70, "f": 130}
_TITLE = 90
_TOP = 110
_KEY_ROWS = 4
_KEY_LABELLED = "5"


class Half(StrEnum):
    """What an app's screens are for."""

    DEVELOP = "develop"
    TEST = "test"


@dataclass(frozen=True, slots=True)
class Thing:
    """One line of a page."""

    shape: str
    words: str
    kind: ActionKind | None = None
    labelled: bool = False
    resource_id: str = ""


def load_screens() -> dict[Half, tuple[LabelledTarget, ...]]:
    """The labelled targets of all apps, by half."""
    halves: dict[Half, list[LabelledTarget]] = {half: [] for half in Half}
    for number, app in enumerate(_read("guard_screens.yaml")):
        for _, targets in _pages(app):
            halves[Half.TEST if number % 2 else Half.DEVELOP] += targets
    return {half: tuple(targets) for half, targets in halves.items()}


def load_fresh_screens() -> dict[Half, tuple[LabelledTarget, ...]]:
    """The labelled targets of the second list, by half."""
    halves: dict[Half, list[LabelledTarget]] = {half: [] for half in Half}
    for app in _read("guard_screens_fresh.yaml"):
        for title, targets in _pages(app):
            digest = sha256(f"{app['package']}/{title}".encode()).digest()
            halves[Half.TEST if digest[0] % 2 else Half.DEVELOP] += targets
    return {half: tuple(targets) for half, targets in halves.items()}


def read_thing(line: str) -> Thing:
    """A thing from its line, as the head of the file explains.

    Raises:
        ValueError: the line is none.
    """
    if match := _LINE.fullmatch(line):
        kind = None if match["kind"] == _HARMLESS else ActionKind(match["kind"])
        return Thing(match["shape"], match["words"] or "", kind, True, match["id"] or "")
    if match := _UNLABELLED.fullmatch(line):
        return Thing(match["shape"], match["words"])
    raise ValueError(f"no shape, label and words: {line}")


def _read(name: str) -> Sequence[Mapping[str, Any]]:
    file = Path(__file__).parent / "data" / name
    apps: Sequence[Mapping[str, Any]] = yaml.load(file.read_text("utf-8"), Loader=yaml.CSafeLoader)
    return apps


def _pages(app: Mapping[str, Any]) -> Iterator[tuple[str, list[LabelledTarget]]]:
    """The title of each page of an app and the targets on it."""
    for number, page in enumerate(app["pages"]):
        things = [read_thing(line) for line in page["things"]]
        drawing = _Drawing(app["package"], plain=number % 2 == 1, dialog=page.get("dialog", False))
        yield page["title"], list(drawing.page(page["title"], things))


class _Drawing:
    """Puts things below each other and remembers which are targets."""

    def __init__(self, package: str, *, plain: bool, dialog: bool) -> None:
        self._package = package
        self._plain = plain
        self._dialog = dialog
        self._left, self._right = (_DIALOG_LEFT, _DIALOG_RIGHT) if dialog else (_LEFT, _RIGHT)
        self._elements: list[Element] = []
        self._targets: list[tuple[int, ActionKind | None]] = []

    def page(self, title: str, things: Sequence[Thing]) -> Iterator[LabelledTarget]:
        """The labelled targets of one page."""
        lines = list(_together(things))
        height = _TITLE + sum(
            _HEIGHTS[line[0].shape] * (4 if line[0].shape == "k" else 1) + _GAP for line in lines
        )
        top = (SIZE[1] - height) // 2 if self._dialog else 0
        frame = Bounds(self._left - 40, top - 40, self._right + 40, top + height + 40)
        self._add("FrameLayout", frame if self._dialog else Bounds(0, 0, *SIZE), parent=-1)
        y = top if self._dialog else _TOP
        self._add("TextView", Bounds(self._left, y, self._right, y + _TITLE - _GAP), text=title)
        y += _TITLE
        for line in lines:
            y = self._line(line, y)
        seen = Observation(*SIZE, b"", tuple(self._elements), ForegroundApp(self._package, ".Main"))
        for index, kind in self._targets:
            yield LabelledTarget(seen, seen.elements[index], kind)

    def _line(self, line: Sequence[Thing], y: int) -> int:
        first = line[0]
        height = _HEIGHTS[first.shape]
        if first.shape == "k":
            return self._keys(first, y)
        icons = len(line) - (first.shape != "i")
        right = self._right - icons * (_HEIGHTS["i"] + _GAP)
        for number, thing in enumerate(line):
            if thing.shape == "i":
                left = right + (number - len(line) + icons) * (_HEIGHTS["i"] + _GAP)
                self._icon(thing, Bounds(left, y, left + _HEIGHTS["i"], y + _HEIGHTS["i"]))
            else:
                self._wide(thing, Bounds(self._left, y, right, y + height))
        return y + height + _GAP

    def _wide(self, thing: Thing, bounds: Bounds) -> None:
        first, _, second = (part.strip() for part in thing.words.partition("|"))
        match thing.shape:
            case "t":
                self._add("TextView", bounds, text=thing.words)
            case "f":
                self._add("EditText", bounds, text=second or first, hint=first, clickable=True)
            case "b" | "c":
                name = "Button" if thing.shape == "b" else "TextView"
                if not self._plain:
                    self._target(thing, self._add(name, bounds, text=thing.words, pressed=thing))
                    return
                place = self._add("View", bounds, pressed=thing)
                self._add("TextView", bounds, text=thing.words, parent=place)
                self._target(thing, place)
            case "r" | "s":
                itself = self._plain and thing.shape == "s"
                name = "View" if self._plain else "LinearLayout"
                place = self._add(name, bounds, pressed=thing, checkable=itself)
                self._target(thing, place)
                self._row(bounds, place, first, second, switch=thing.shape == "s" and not itself)

    def _row(self, bounds: Bounds, place: int, title: str, below: str, *, switch: bool) -> None:
        left, top, right, bottom = bounds
        middle = (top + bottom) // 2
        self._add("TextView", Bounds(left, top, right - 160, middle), text=title, parent=place)
        if below:
            self._add("TextView", Bounds(left, middle, right - 160, bottom), text=below, parent=place)
        if switch:
            self._add("Switch", Bounds(right - 140, top, right, bottom), parent=place, checkable=True)

    def _icon(self, thing: Thing, bounds: Bounds) -> None:
        name = "View" if self._plain else "ImageButton"
        self._target(thing, self._add(name, bounds, description=thing.words, pressed=thing))

    def _keys(self, thing: Thing, y: int) -> int:
        wide, high = (self._right - self._left) // 3, _HEIGHTS["k"]
        for place, digit in enumerate("123456789 0"):
            left, top = self._left + place % 3 * wide, y + place // 3 * (high + _GAP)
            if digit != " ":
                key = self._add(
                    "Button", Bounds(left, top, left + wide, top + high), text=digit, clickable=True
                )
                if digit == _KEY_LABELLED:
                    self._target(thing, key)
        return y + _height(thing)

    def _target(self, thing: Thing, place: int) -> None:
        if thing.labelled:
            self._targets.append((place, thing.kind))

    def _add(
        self, name: str, bounds: Bounds, parent: int = 0, pressed: Thing | None = None, **given: Any
    ) -> int:
        """Add an element; returns its place."""
        package = "android.view" if name == "View" else "android.widget"
        if pressed is not None:
            given["clickable"] = True
            given["resource_id"] = f"{self._package}:id/{pressed.resource_id}" if pressed.resource_id else ""
        place = len(self._elements)
        self._elements.append(
            Element(place, parent, f"{package}.{name}", bounds, package=self._package, **given)
        )
        return place


def _height(thing: Thing) -> int:
    """How much of the page a thing takes, the gap below it included."""
    rows = _KEY_ROWS if thing.shape == "k" else 1
    return rows * (_HEIGHTS[thing.shape] + _GAP)


def _together(things: Sequence[Thing]) -> Iterator[list[Thing]]:
    """Lines of the page: icons stand beside each other, and beside a field before them."""
    line: list[Thing] = []
    for thing in things:
        if line and not (thing.shape == "i" and line[0].shape in "fi"):
            yield line
            line = []
        line.append(thing)
    if line:
        yield line

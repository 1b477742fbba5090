"""Reads the picture of a request: words with their places, and the boxes, fields and marks around them.

For requests without a list of elements. Nothing but the pixels is used, and no code of the assistant's own
reader: lines of text come from rapidocr (PP-OCR's models, the extra `ocr`), what surrounds them from the
colours beside them. It sees less than a person: an icon without words is nothing to it, but
for a cross, a plus, a magnifier and an arrow back.
"""

from __future__ import annotations

import io
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from PIL import Image

from assistant.records import Point
from assistant.simulator.model.screen import Item, Screen

PACKAGE = "rapidocr"

_STATUS_BAR = 0.03
_NAVIGATION = 0.955
_KEYBOARD = 0.71
"""What lies above, below and under these shares of the height is the system's: not read."""

_HEADER = 0.11
_SAME = 40
"""How far two colours may lie apart, summed over red, green and blue, and still be one."""

_SURE = 0.6
_ICONS = {
    "×": "iv close",
    "x": "iv close",
    "X": "iv close",
    "+": "add",
    "十": "add",
    "←": "back",
    "Q": "search button",
}
"""Icons that are read as letters, by the names that apps give them."""

_LONGEST_NAME = 18
"""Longer words in an outline are what somebody says, and no button."""

_SATURATED = 60
_FAINT = 140
"""Words that differ less than this from what is behind them are a hint, or cannot be used."""

Pixels = np.ndarray[Any, np.dtype[np.int16]]
"""Red, green and blue, signed so that differences can be taken."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, and its bounds in pixels."""

    text: str
    left: int
    top: int
    right: int
    bottom: int

    @property
    def height(self) -> int:
        """In pixels."""
        return self.bottom - self.top

    @property
    def middle(self) -> tuple[int, int]:
        """In pixels."""
        return (self.left + self.right) // 2, (self.top + self.bottom) // 2


@dataclass(frozen=True, slots=True)
class _Box:
    """What surrounds a line: its bounds, whether it is filled with a strong colour or has such an outline."""

    left: int
    top: int
    right: int
    bottom: int
    filled: bool
    focused: bool
    faint: bool
    raised: bool


Reader = Callable[[bytes], Sequence[Line]]


def can_read() -> bool:
    """Whether the extra that reads is installed."""
    return find_spec(PACKAGE) is not None


@cache
def load_reader() -> Reader:
    """Rapidocr with the models that it brings; takes seconds to load, and each picture about one.

    Raises:
        ImportError: it is not installed.
    """
    engine = import_module(PACKAGE).RapidOCR(
        params={
            "Global.log_level": "error",
            "Global.max_side_len": 1600,
            "Global.use_cls": False,
            "EngineConfig.onnxruntime.intra_op_num_threads": max(1, (os.cpu_count() or 1) // 2),
        }
    )

    def read(picture: bytes) -> list[Line]:
        result = engine(picture)
        if result.boxes is None or result.txts is None:
            return []
        return [
            Line(text.strip(), *(int(edge) for edge in (*box.min(axis=0), *box.max(axis=0))))
            for box, text, score in zip(result.boxes, result.txts, result.scores, strict=True)
            if text.strip() and (score >= _SURE or text.strip() in _ICONS)
        ]

    return read


class PatientReader:
    """Reads pictures for requests that may give up before they are read, and come again with the same one.

    A reading cannot be ended. So that those of requests that were given up do not slow one another down, one
    picture is read at a time, and what was read of the last few is kept for those who ask again.
    """

    _KEPT = 4

    def __init__(self, load: Callable[[], Reader]) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._read: OrderedDict[bytes, Sequence[Line]] = OrderedDict()

    def prepare(self) -> None:
        """Load what reads; takes seconds the first time.

        Raises:
            ImportError: it is not installed.
        """
        with self._lock:
            self._load()

    def __call__(self, picture: bytes) -> Sequence[Line]:
        """The lines of a picture."""
        with self._lock:
            if picture not in self._read:
                self._read[picture] = self._load()(picture)
            if len(self._read) > self._KEPT:
                self._read.popitem(last=False)
            return self._read[picture]


def look(picture: bytes, described: Screen, reader: Reader) -> Screen:
    """The screen that a picture shows.

    Args:
        picture: PNG or JPEG.
        described: what the request says in words: the app in front, and whether there is a keyboard.
        reader: finds the lines of text.
    """
    with Image.open(io.BytesIO(picture)) as opened:
        pixels = np.asarray(opened.convert("RGB"), dtype=np.int16)
    height = pixels.shape[0]
    below = _KEYBOARD if described.keyboard else _NAVIGATION
    lines = [line for line in reader(picture) if _STATUS_BAR < line.middle[1] / height < below]
    return replace(described, items=tuple(_items(pixels, lines)))


def _items(pixels: Pixels, lines: Sequence[Line]) -> list[Item]:
    height, width = pixels.shape[:2]
    page = _common(pixels[:: max(1, height // 200), :: max(1, width // 100)].reshape(-1, 3))
    items: list[Item] = []
    left = sorted(lines, key=lambda line: (line.top, line.left))
    while left:
        line = left.pop(0)
        box = _around(pixels, line, page)
        if box is None:
            row = [line, *_same_row(line, left, height)]
            left = [other for other in left if other not in row]
            items += _row(pixels, row, (width, height), len(items))
            continue
        items.append(_boxed(line, box, (width, height), len(items)))
    return [replace(item, place=place) for place, item in enumerate(items, 1)]


def _row(pixels: Pixels, row: Sequence[Line], size: tuple[int, int], place: int) -> list[Item]:
    """A row of words; its box or switch is an element of its own."""
    width, height = size
    first = row[0]
    label = " · ".join(_ICONS.get(line.text, line.text) for line in row)
    x, y = first.middle[0], (min(line.top for line in row) + max(line.bottom for line in row)) // 2
    title = y / height < _HEADER and len(row) == 1 and first.text not in _ICONS
    flags = frozenset() if title else frozenset({"clickable"})
    kind = "text" if title else "button" if len(row) == 1 and first.text in _ICONS else "item"
    items = [Item(place, kind, label, Point(x / width, y / height), flags=flags)]
    if mark := _mark(pixels, row, y):
        on, at, kind = mark
        flags = frozenset({"clickable", "checked" if on else "unchecked"})
        items.append(Item(place + 1, kind, "", Point(at / width, y / height), flags=flags))
    return items


def _boxed(line: Line, box: _Box, size: tuple[int, int], place: int) -> Item:
    """A field or a button, by the room that its words leave."""
    width, height = size
    point = Point((box.left + box.right) / 2 / width, (box.top + box.bottom) / 2 / height)
    before, behind = line.left - box.left, box.right - line.right
    wide = (box.right - box.left) / width > 0.3
    if wide and behind > 2.5 * before and not box.filled:
        words = line.text.rstrip("|l") if box.focused and line.text[-1:] in "|l" else line.text
        flags = frozenset({"clickable", "editable", *(("focused",) if box.focused else ())})
        if box.faint:
            return Item(place, "field", "", point, line.text, flags)
        return Item(place, "field", words, point, "", flags)
    if not box.filled and not box.raised and len(line.text) > _LONGEST_NAME:
        return Item(place, "text", line.text, point)
    off = box.faint and not box.filled and box.raised
    flags = frozenset({"disabled"} if off else {"clickable", *(("selected",) if box.filled else ())})
    return Item(place, "button", line.text, point, flags=flags)


def _same_row(line: Line, others: Sequence[Line], height: int) -> list[Line]:
    """The lines that belong to a row with the line: right below it at its left edge, or at its height."""
    row: list[Line] = []
    last = line
    for other in others:
        close = 0 <= other.top - last.bottom + last.height // 3 <= last.height
        beneath = close and abs(other.left - line.left) < 0.6 * line.height
        if beneath and len(row) < 3 and line.top / height > _HEADER:
            row.append(other)
            last = other
    middle = (line.top + last.bottom) / 2
    beside = [
        other
        for other in others
        if other not in row
        and other.left > line.right
        and abs(other.middle[1] - middle) < 0.7 * line.height
        and line.top / height > _HEADER
    ]
    return [*row, *(beside if len(beside) == 1 else [])]


def _around(pixels: Pixels, line: Line, page: Pixels) -> _Box | None:
    """The box around a line: where what is behind the words ends, to all four sides."""
    height, width = pixels.shape[:2]
    y = line.middle[1]
    pad = max(3, line.height // 6)
    start_left, start_right = max(0, line.left - pad), min(width - 1, line.right + pad)
    above, under = max(0, line.top - pad), min(height - 1, line.bottom + pad)
    inside = pixels[y, start_left]
    left = _edge(pixels[y, : start_left + 1][::-1], inside)
    right = _edge(pixels[y, start_right:], inside)
    up = _edge(pixels[: above + 1, start_left][::-1], inside)
    down = _edge(pixels[under:, start_left], inside)
    if min(left, right, up, down) < 0 or up + down > 3 * line.height:
        return None
    box = (start_left - left, above - up, start_right + right, under + down)
    if box[3] - box[1] > 0.09 * height:
        return None
    for level in (line.top, line.bottom - 1):
        sides = (
            _edge(pixels[level, : start_left + 1][::-1], inside),
            _edge(pixels[level, start_right:], inside),
        )
        if any(
            side < 0 or abs(side - other) > line.height
            for side, other in zip(sides, (left, right), strict=True)
        ):
            return None
    outline = pixels[y, max(0, box[0] - 2)]
    words = pixels[line.top : line.bottom, line.left : line.right].reshape(-1, 3)
    contrast = int(np.percentile(np.abs(words - inside).sum(axis=1), 97)) // 3
    return _Box(
        *box,
        filled=_saturation(inside) > _SATURATED,
        focused=_saturation(outline) > 2 * _SATURATED and int(np.abs(inside - page).sum()) < _SAME * 2,
        faint=contrast < _FAINT,
        raised=int(np.abs(inside - page).sum()) > 20,
    )


def _edge(run: Pixels, inside: Pixels) -> int:
    """How many pixels of a run have the colour of what is inside; -1 where it never ends."""
    differs = np.abs(run - inside).sum(axis=1) > _SAME // 2
    place = int(differs.argmax())
    return place if differs[place] else -1


def _mark(pixels: Pixels, row: Sequence[Line], y: int) -> tuple[bool, int, str] | None:
    """The box before a row, or the switch behind it: whether it is on, where it is, and what it is."""
    width, line = pixels.shape[1], row[0]
    for start, stop, kind in (
        (max(0, line.left - 3 * line.height), line.left - 4, "checkbox"),
        (int(width * 0.8), width - 8, "switch"),
    ):
        run = pixels[y, start:stop]
        if len(run) < line.height or any(start < other.right and other.left < stop for other in row):
            continue
        behind = _common(run)
        differs = np.flatnonzero(np.abs(run - behind).sum(axis=1) > _SAME)
        if not len(differs):
            continue
        size = int(differs[-1] - differs[0])
        least, most = (0.6, 1.6) if kind == "checkbox" else (1.0, 4.0)
        if not least * line.height < size < most * line.height:
            continue
        column = start + int(differs[0] + differs[-1]) // 2
        if kind == "checkbox" and not _is_square(pixels, column, y, size, behind):
            continue
        strong = [_saturation(colour) > _SATURATED for colour in run[differs]]
        if kind == "switch" and not _is_pill(pixels, column, y, size, behind):
            continue
        return sum(strong) > len(strong) / 3, column, kind
    return None


def _is_square(pixels: Pixels, x: int, y: int, size: int, behind: Pixels) -> bool:
    column = pixels[max(0, y - size) : y + size, x]
    differs = np.flatnonzero(np.abs(column - behind).sum(axis=1) > _SAME)
    return len(differs) > 0 and 0.7 * size < differs[-1] - differs[0] < 1.4 * size


def _is_pill(pixels: Pixels, x: int, y: int, size: int, behind: Pixels) -> bool:
    column = pixels[max(0, y - size) : y + size, x]
    differs = np.flatnonzero(np.abs(column - behind).sum(axis=1) > _SAME)
    return len(differs) > 0 and 0.3 * size < differs[-1] - differs[0] < 0.8 * size


def _common(colours: Pixels) -> Pixels:
    """The colour that is there most often, in steps of eight."""
    steps, counts = np.unique(colours // 8, axis=0, return_counts=True)
    common: Pixels = (steps[counts.argmax()] * 8 + 4).astype(np.int16)
    return common


def _saturation(colour: Pixels) -> int:
    return int(colour.max() - colour.min())

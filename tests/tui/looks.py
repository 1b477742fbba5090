"""What a screen looks like, as text: its words, and below them the style of each.

A drawing of every scene at three sizes in two themes would be twenty megabytes of SVG, in which a changed
word is hard to see. So a look is kept as text. The words of each size stand as they are on the screen; then
come, for each line, runs of style letters with their lengths (`a4 b76`), and at the end what each letter is,
once in each theme: words and places do not depend on the theme, which taking a look makes sure of. Only a few
scenes are kept as SVG besides, for people who want to see them without running anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from rich.cells import cell_len
from rich.color import Color
from rich.style import Style
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from textual._compositor import LayoutUpdate
from textual.app import App
from textual.color import Color as Shade
from textual.widgets import Input, TextArea

from assistant.tui import app as readable

SIZES = ((80, 24), (100, 30), (160, 50))
THEMES = ("textual-dark", "textual-light")
ANSI = ("ansi-dark",)

_PIXELS = frozenset("▀▄▌▐▘▝▖▗▚▞▙▛▜▟")
_PIXEL = "pixels of a picture"
_BEHIND = "behind: "
_MARKS = ("bold", "dim", "italic", "underline", "reverse", "strike", "blink")
_LETTERS = "".join(map(chr, (*range(97, 123), *range(65, 91), *range(0xC0, 0x250), *range(0x400, 0x460))))

Run = tuple[str, str]
"""Characters, and how their style is written."""

Grid = list[list[Run]]


@dataclass
class Looks:
    """The looks of one scene: by size, a grid for each theme."""

    grids: dict[tuple[int, int], dict[str, Grid]] = field(default_factory=dict)

    def take(self, app: App[object], size: tuple[int, int], theme: str) -> None:
        """Keep what the app shows now.

        Raises:
            AssertionError: if another theme shows other words there.
        """
        grid = grid_of(app)
        themes = self.grids.setdefault(size, {})
        for other in themes.values():
            assert words(other) == words(grid), f"At {size} the words depend on the theme"
        themes[theme] = grid

    def __str__(self) -> str:
        """The looks as they are kept in a file."""
        letters: dict[tuple[str, ...], str] = {}
        blocks = [_block(size, themes, letters) for size, themes in self.grids.items()]
        legend = [f"{letter}  {'  |  '.join(styles)}" for styles, letter in letters.items()]
        return "\n".join([*blocks, *legend, ""])

    def faint(self, least: float) -> set[str]:
        """Words whose letters differ too little from what is behind them, with the theme and the contrast.

        What a screen above leaves in sight of the one below may be faint.
        """
        return {
            f"{theme}: {text.strip()} ({style}: {contrast(style):.1f})"
            for themes in self.grids.values()
            for theme, grid in themes.items()
            for line in grid
            for text, style in line
            if contrast(style) < least and any(map(str.isalnum, text))
        }


class AsText(SingleFileSnapshotExtension):
    """Keeps a look in a text file."""

    _file_extension = "txt"
    _write_mode = WriteMode.TEXT


class AsDrawing(AsText):
    """Keeps a drawing, without the number that makes its names its own."""

    _file_extension = "svg"

    def serialize(self, data: str, **how: Any) -> str:
        return re.sub(r"\bterminal-\d+-", "terminal-", data)


def grid_of(app: App[object]) -> Grid:
    """What is shown, with its styles; a cursor that blinks is held still."""
    screen = app.screen
    for text in screen.query(TextArea):
        text.cursor_blink = False
    for line in screen.query(Input):
        line.cursor_blink = False
    update = screen._compositor.render_update(full=True, screen_stack=app._background_screens)
    assert isinstance(update, LayoutUpdate)
    above = [child.region for child in screen.children] if app._background_screens else [screen.region]
    names: dict[Style | None, str] = {}
    grid: Grid = []
    for y, strips in enumerate(update.strips):
        row: list[Run] = []
        x = 0
        for segment in (segment for strip in strips for segment in strip):
            if segment.style not in names:
                names[segment.style] = _name(segment.style or Style())
            name = names[segment.style]
            if _PIXELS.intersection(segment.text):
                name = _PIXEL
            elif not any(region.contains(x, y) for region in above):
                name = _BEHIND + name
            row.append((segment.text, name))
            x += cell_len(segment.text)
        grid.append(row)
    return grid


def words(grid: Grid) -> list[str]:
    """The lines of a grid as plain text."""
    return ["".join(text for text, _ in line) for line in grid]


@cache
def contrast(style: str) -> float:
    """How much a style's letters differ from what is behind them, from 1 to 21.

    Colours that the terminal chooses have none that is known: they count as 21.
    """
    front, _, rest = style.partition(" on ")
    behind = rest.partition(" ")[0]
    if not front.startswith("#") or not behind.startswith("#"):
        return 21.0
    return readable.contrast(Shade.parse(front), Shade.parse(behind))


def _name(style: Style) -> str:
    colours = f"{_colour(style.color)} on {_colour(style.bgcolor)}"
    return " ".join([colours, *(mark for mark in _MARKS if getattr(style, mark))])


def _colour(colour: Color | None) -> str:
    if colour is None or colour.is_default:
        return "default"
    return colour.get_truecolor().hex if colour.triplet is not None else colour.name


def _block(size: tuple[int, int], themes: Mapping[str, Grid], letters: dict[tuple[str, ...], str]) -> str:
    grids = list(themes.values())
    styles = [
        " ".join(f"{_letter(style, letters)}{length}" for length, style in _together(lines))
        for lines in zip(*grids, strict=True)
    ]
    head = f"── {size[0]}x{size[1]}: {', '.join(themes)} ──"
    return "\n".join([head, *(line.rstrip() for line in words(grids[0])), *styles])


def _letter(style: tuple[str, ...], letters: dict[tuple[str, ...], str]) -> str:
    return letters.setdefault(style, _LETTERS[len(letters)])


def _together(lines: tuple[list[Run], ...]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """How many characters have which style in each theme, for a line that has the same words in all."""
    begins: dict[int, list[str]] = {0: [""] * len(lines)}
    for theme, line in enumerate(lines):
        at = 0
        for text, style in line:
            begins.setdefault(at, [""] * len(lines))[theme] = style
            at += len(text)
    end = sum(len(text) for text, _ in lines[0])
    shown: tuple[str, ...] = ()
    since = 0
    for at in sorted(begins):
        if at == end:
            break
        now = tuple(new or old for new, old in zip(begins[at], shown or begins[at], strict=True))
        if shown and now != shown:
            yield at - since, shown
            since = at
        shown = now
    yield end - since, shown

"""How a terminal draws images: what it reports, and what follows from that."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from assistant.settings.schema import Picture
from assistant.tui.pictures.box import Box

_NEAR, _FAR = 400_000, 100_000
"""The most bytes of one image, locally and over SSH."""

_NAMED = re.compile(rb"\x1bP>\|([^\x1b]*)\x1b\\")
_ATTRIBUTES = re.compile(rb"\x1b\[\?([\d;]*)c")
_CELL = re.compile(rb"\x1b\[6;(\d{1,4});(\d{1,4})t")
_COLOURS = re.compile(rb"\x1b\[\?1;0;(\d{1,6})S")
_LARGEST = re.compile(rb"\x1b\[\?2;0;(\d{1,6});(\d{1,6})S")
_SIXEL = b"4"
_VERSION = re.compile(r"\d+")
_PLACEHOLDERS_SINCE = {"kitty": (0, 28), "ghostty": (1, 0)}
"""Terminals that support placeholders, and the first version that does."""
_COVERS_TEXT = ("konsole",)
"""Terminals that show Sixel, but may not erase it where text is written over it."""
_FEWEST_COLOURS = 16
_USUAL = 1000
"""XTerm's default limit for an image's width and height, in pixels."""


@dataclass(frozen=True, slots=True)
class PictureTerminal:
    """A way to draw images, with the parameters that it needs.

    Args:
        way: `KITTY`, `SIXEL`, `BLOCKS`, or `OFF` where there are no colours.
        cell: the size of a cell in pixels, if the terminal reported it.
        colours: the most colours of a Sixel image.
        largest: the largest Sixel image, in pixels; None for no limit.
        limit: the most bytes of one image.
        name: what the terminal calls itself; untrusted.
    """

    way: Picture = Picture.BLOCKS
    cell: Box | None = None
    colours: int = 256
    largest: Box | None = None
    limit: int = _NEAR
    name: str = ""


@dataclass(frozen=True, slots=True)
class Answers:
    """What a terminal reported.

    Args:
        name: name and version, as the terminal writes them; empty if not reported.
        sixel: whether it claims Sixel support; None before it answered.
        cell: the size of a cell in pixels.
        colours: the most colours of an image; 0 if not reported.
        largest: the largest image in pixels.
    """

    name: str = ""
    sixel: bool | None = None
    cell: Box | None = None
    colours: int = 0
    largest: Box | None = None


def parse_answers(heard: bytes) -> Answers:
    """Parse a terminal's answers from the input, which may contain other keys; the last of a kind counts."""
    names, attributes = _NAMED.findall(heard), _ATTRIBUTES.findall(heard)
    cells, colours, largest = _CELL.findall(heard), _COLOURS.findall(heard), _LARGEST.findall(heard)
    return Answers(
        name=names[-1].decode("ascii", "ignore").strip() if names else "",
        sixel=_SIXEL in attributes[-1].split(b";")[1:] if attributes else None,
        cell=_box(cells[-1][1], cells[-1][0]) if cells else None,
        colours=int(colours[-1]) if colours else 0,
        largest=_box(*largest[-1]) if largest else None,
    )


def _box(width: bytes, height: bytes) -> Box | None:
    box = Box(int(width), int(height))
    return box if box.width and box.height else None


def way_without_query(setting: Picture, environment: Mapping[str, str]) -> Picture | None:
    """How images are drawn if the terminal need not be queried; None if it must be.

    With the setting `OFF` images are drawn only when the user asks for them, in half blocks.
    """
    kind = environment.get("TERM", "")
    if environment.get("NO_COLOR") or kind in ("dumb", "unknown"):
        return Picture.OFF
    # The Linux console misreads some queries as commands; with its own driver, a browser or test draws.
    if setting in (Picture.BLOCKS, Picture.OFF) or kind == "linux" or environment.get("TEXTUAL_DRIVER"):
        return Picture.BLOCKS
    return None


def choose_terminal(
    setting: Picture, answers: Answers, environment: Mapping[str, str], multiplexer: str = ""
) -> PictureTerminal:
    """The way to draw images.

    Args:
        setting: the user's choice.
        answers: what the terminal reported.
        environment: tells of SSH and of multiplexers.
        multiplexer: what the tmux around it reports about its outer terminal; empty for nothing.
    """
    settled = way_without_query(setting, environment)
    remote = bool(environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"))
    return PictureTerminal(
        way=settled if settled is not None else _way(setting, answers, environment, multiplexer),
        cell=answers.cell,
        colours=max(_FEWEST_COLOURS, answers.colours) if answers.colours else 256,
        largest=_window_independent(answers.largest),
        limit=_FAR if remote else _NEAR,
        name=answers.name,
    )


def _window_independent(largest: Box | None) -> Box | None:
    """The largest image in any window: a terminal may report only the limit of its current window."""
    return Box(max(largest.width, _USUAL), max(largest.height, _USUAL)) if largest is not None else None


def _way(setting: Picture, answers: Answers, environment: Mapping[str, str], multiplexer: str) -> Picture:
    name = answers.name.lower()
    between = within_tmux(answers, environment) or environment.get("STY")
    sixel = "sixel" in multiplexer.split(",") and answers.sixel if between else answers.sixel
    if setting is Picture.KITTY:
        return Picture.BLOCKS if between else Picture.KITTY
    if setting is Picture.SIXEL:
        return Picture.SIXEL if sixel or not between else Picture.BLOCKS
    if not between and _supports_placeholders(name):
        return Picture.KITTY
    return Picture.SIXEL if sixel and not name.startswith(_COVERS_TEXT) else Picture.BLOCKS


def within_tmux(answers: Answers, environment: Mapping[str, str]) -> bool:
    """Whether tmux runs between the program and the terminal."""
    return bool(environment.get("TMUX")) or answers.name.lower().startswith("tmux")


def _supports_placeholders(name: str) -> bool:
    for terminal_name, since in _PLACEHOLDERS_SINCE.items():
        if name.startswith(terminal_name):
            version = tuple(int(part) for part in _VERSION.findall(name)[:2])
            return version >= since
    return False

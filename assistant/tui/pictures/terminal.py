"""How a terminal draws pictures: what it says of itself, and what follows from that."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from assistant.config import Picture
from assistant.tui.pictures.box import Box

_NEAR, _FAR = 400_000, 100_000
"""The most bytes of one picture, here and over SSH."""

_NAMED = re.compile(rb"\x1bP>\|([^\x1b]*)\x1b\\")
_ATTRIBUTES = re.compile(rb"\x1b\[\?([\d;]*)c")
_CELL = re.compile(rb"\x1b\[6;(\d{1,4});(\d{1,4})t")
_COLOURS = re.compile(rb"\x1b\[\?1;0;(\d{1,6})S")
_LARGEST = re.compile(rb"\x1b\[\?2;0;(\d{1,6});(\d{1,6})S")
_SIXEL = b"4"
_VERSION = re.compile(r"\d+")
_PLACEHOLDERS_SINCE = {"kitty": (0, 28), "ghostty": (1, 0)}
"""The terminals that draw a picture where its placeholders stand."""
_COVERS_TEXT = ("konsole",)
"""Terminals that show Sixel, but are not known to take it away where text is written over it."""
_FEWEST_COLOURS = 16
_USUAL = 1000
"""What XTerm limits the pixels of a picture to, each way, unless it is told otherwise."""


@dataclass(frozen=True, slots=True)
class PictureTerminal:
    """A way to draw pictures, and what it needs to be known for it.

    Args:
        way: `KITTY`, `SIXEL`, `BLOCKS`, or `OFF` where there are no colours.
        cell: the size of a cell in pixels, as far as the terminal told it.
        colours: the most colours of a picture in Sixel.
        largest: the largest picture in Sixel, in pixels; None for no limit.
        limit: the most bytes of one picture.
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
    """What a terminal said of itself.

    Args:
        name: with its version, as it writes both; empty when it says nothing.
        sixel: whether it claims to know Sixel; None before it said what it can.
        cell: the size of a cell in pixels.
        colours: the most colours of a picture; 0 for not told.
        largest: the largest picture in pixels.
    """

    name: str = ""
    sixel: bool | None = None
    cell: Box | None = None
    colours: int = 0
    largest: Box | None = None


def understood(heard: bytes) -> Answers:
    """What a terminal's answers mean, among whatever else was typed; of two of a kind the last counts."""
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


def without_asking(setting: Picture, environment: Mapping[str, str]) -> Picture | None:
    """How pictures are drawn where the terminal need not be asked; None where it has to be.

    With the setting `OFF` they are drawn only once the user wishes to see them, in half blocks.
    """
    kind = environment.get("TERM", "")
    if environment.get("NO_COLOR") or kind in ("dumb", "unknown"):
        return Picture.OFF
    # The Linux console takes some questions for orders; with a driver of its own a browser or a test draws.
    if setting in (Picture.BLOCKS, Picture.OFF) or kind == "linux" or environment.get("TEXTUAL_DRIVER"):
        return Picture.BLOCKS
    return None


def chosen(
    setting: Picture, answers: Answers, environment: Mapping[str, str], multiplexer: str = ""
) -> PictureTerminal:
    """The way to draw pictures.

    Args:
        setting: what the user wishes.
        answers: what the terminal said.
        environment: tells of SSH and of terminals that stand between.
        multiplexer: what the tmux around it says that its own terminal can do; empty for nothing.
    """
    settled = without_asking(setting, environment)
    far = bool(environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"))
    return PictureTerminal(
        way=settled if settled is not None else _way(setting, answers, environment, multiplexer),
        cell=answers.cell,
        colours=max(_FEWEST_COLOURS, answers.colours) if answers.colours else 256,
        largest=_lasting(answers.largest),
        limit=_FAR if far else _NEAR,
        name=answers.name,
    )


def _lasting(largest: Box | None) -> Box | None:
    """The largest picture in any window: a terminal may take no more than its present one shows."""
    return Box(max(largest.width, _USUAL), max(largest.height, _USUAL)) if largest is not None else None


def _way(setting: Picture, answers: Answers, environment: Mapping[str, str], multiplexer: str) -> Picture:
    name = answers.name.lower()
    between = within_tmux(answers, environment) or environment.get("STY")
    sixel = "sixel" in multiplexer.split(",") and answers.sixel if between else answers.sixel
    if setting is Picture.KITTY:
        return Picture.BLOCKS if between else Picture.KITTY
    if setting is Picture.SIXEL:
        return Picture.SIXEL if sixel or not between else Picture.BLOCKS
    if not between and _knows_placeholders(name):
        return Picture.KITTY
    return Picture.SIXEL if sixel and not name.startswith(_COVERS_TEXT) else Picture.BLOCKS


def within_tmux(answers: Answers, environment: Mapping[str, str]) -> bool:
    """Whether a tmux stands between the program and the terminal."""
    return bool(environment.get("TMUX")) or answers.name.lower().startswith("tmux")


def _knows_placeholders(name: str) -> bool:
    for known, since in _PLACEHOLDERS_SINCE.items():
        if name.startswith(known):
            version = tuple(int(part) for part in _VERSION.findall(name)[:2])
            return version >= since
    return False

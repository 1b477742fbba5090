"""Measuring and wrapping text with the phone's typeface."""

from __future__ import annotations

from functools import lru_cache

from PIL import ImageFont

from assistant.simulator.ui.fonts import FONT

LINE_HEIGHT = 1.34
"""Height of a line, as a multiple of the font's size."""
ELLIPSIS = "..."
CLOSING = frozenset("，。、！？；：）】》」』”’…,.!?;:)]}%")
"""Characters that no line begins with."""

DRAWN = {"⌫": "backspace"}
"""Texts that the typeface lacks, and the pictograms drawn in their place."""


@lru_cache(maxsize=64)
def font(size: int) -> ImageFont.FreeTypeFont:
    """The typeface at a size in pixels."""
    return ImageFont.truetype(str(FONT), max(1, size), layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=20_000)
def _advance(character: str, size: int) -> float:
    return font(size).getlength(character)


def line_width(text: str, size: int, bold: bool = False) -> float:
    """The width of one line in pixels."""
    return sum(_advance(character, size) for character in text) + (
        len(text) * bold_stroke(size) / 2 if bold else 0
    )


def bold_stroke(size: int) -> float:
    """How much the outline of bold text is thickened, in pixels."""
    return size / 45


def line_height(size: int) -> int:
    """The height of one line in pixels."""
    return round(size * LINE_HEIGHT)


def _wide(character: str) -> bool:
    return ord(character) >= 0x2E80


def words(text: str) -> list[str]:
    """Text cut where a line may break: after spaces, hyphens and slashes, and between Chinese characters."""
    pieces: list[str] = []
    for character in text:
        previous = pieces[-1][-1] if pieces else " "
        joins = pieces and (
            character in CLOSING
            or (character == " " and previous != " ")
            or not (previous in " -/" or _wide(character) or _wide(previous))
        )
        if joins:
            pieces[-1] += character
        else:
            pieces.append(character)
    return pieces


def _cut(text: str, size: int, width: float, bold: bool) -> str:
    """As much of the beginning as fits, at least one character."""
    used = 0.0
    for index, character in enumerate(text):
        used += line_width(character, size, bold)
        if used > width:
            return text[: max(1, index)]
    return text


def _paragraph(text: str, size: int, width: float, bold: bool) -> list[str]:
    lines = [""]
    for word in words(text):
        if line_width((lines[-1] + word).rstrip(), size, bold) <= width:
            lines[-1] += word
            continue
        if lines[-1]:
            lines.append("")
        while line_width(word.rstrip(), size, bold) > width:
            head = _cut(word, size, width, bold)
            lines[-1] = head
            if len(head) == len(word):
                word = ""
                break
            word = word[len(head) :]
            lines.append("")
        lines[-1] += word
    return [line.rstrip() for line in lines]


@lru_cache(maxsize=4_000)
def wrap(text: str, size: int, width: float, max_lines: int = 1, bold: bool = False) -> tuple[str, ...]:
    """Lines no wider than `width` pixels, the last with an ellipsis where `max_lines` are not enough."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        lines += _paragraph(paragraph, size, max(width, 1.0), bold)
        if len(lines) > max_lines:
            break
    if len(lines) <= max_lines:
        return tuple(lines)
    kept = lines[: max(1, max_lines)]
    room = width - line_width(ELLIPSIS, size, bold)
    last = kept[-1]
    while last and line_width(last, size, bold) > room:
        last = last[:-1]
    kept[-1] = last.rstrip() + ELLIPSIS
    return tuple(kept)

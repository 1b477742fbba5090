"""Colours of a theme, changed as little as it takes for words to be read on every background of it."""

from __future__ import annotations

from collections.abc import Mapping

from textual.color import Color, ColorParseError

CONTRAST = 4.5
"""The least contrast of words with what is behind them (WCAG 2.2, 1.4.3)."""

_BACKGROUNDS = ("background", "surface", "panel")
_WORDS = ("primary", "secondary", "accent", "success", "warning", "error")
_CHOSEN = {"block-cursor-background": 0.3, "block-cursor-blurred-background": 0.15}
"""How much of the primary colour is in the background of the row that is chosen."""

_MUTED_LEAST = 0.6
_STEP = 0.05


def readable(variables: Mapping[str, str]) -> dict[str, str]:
    """The style sheet's variables with the colours of words put right; names of terminal colours stay."""
    changed = dict(variables)
    background, primary, letters = (
        _parsed(variables.get(one, "")) for one in ("background", "primary", "foreground")
    )
    if background is None or primary is None or letters is None:
        return changed
    chosen = {name: background.blend(primary, share) for name, share in _CHOSEN.items()}
    behind = [
        *chosen.values(),
        *(colour for one in _BACKGROUNDS if (colour := _parsed(variables.get(one, "")))),
    ]
    changed |= {name: colour.hex6 for name, colour in chosen.items()}
    for name in (f"text-{one}" for one in _WORDS):
        if (colour := _parsed(variables.get(name, ""))) is not None:
            changed[name] = apart(colour, behind).hex6
    letters = apart(letters, behind)
    changed["foreground"] = changed["block-cursor-foreground"] = letters.hex6
    changed["foreground-muted"] = changed["text-muted"] = letters.with_alpha(_muted(letters, behind)).hex
    return changed


def _muted(letters: Color, behind: list[Color]) -> float:
    """How opaque muted letters are at least."""
    alpha = _MUTED_LEAST
    while alpha < 1.0 and any(contrast(one.blend(letters, alpha), one) < CONTRAST for one in behind):
        alpha += _STEP
    return min(alpha, 1.0)


def contrast(one: Color, other: Color) -> float:
    """How much two colours differ, from 1 to 21 (WCAG 2.2, contrast ratio)."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def apart(colour: Color, others: list[Color]) -> Color:
    """A colour, moved towards white or black until it stands apart from each of the others."""
    bright = sum(one.brightness for one in others) / len(others)
    end = Color(0, 0, 0) if bright > 0.5 else Color(255, 255, 255)
    share = 0.0
    while share < 1.0:
        moved = colour.blend(end, share)
        if all(contrast(moved, one) >= CONTRAST for one in others):
            return moved
        share += _STEP
    return end


def _luminance(colour: Color) -> float:
    parts = (part / 255 for part in colour.rgb)
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _parsed(text: str) -> Color | None:
    """A colour of its own, or None for one that the terminal or what is behind decides."""
    try:
        colour = Color.parse(text)
    except ColorParseError:
        return None
    return None if colour.ansi is not None or colour.a < 1 else colour

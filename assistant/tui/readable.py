"""Adjusts a theme's text colours as little as needed to be readable on all of its backgrounds."""

from __future__ import annotations

from collections.abc import Mapping

from textual.color import Color, ColorParseError

CONTRAST = 4.5
"""The least contrast between text and background (WCAG 2.2, 1.4.3)."""

_BACKGROUNDS = ("background", "surface", "panel")
_WORDS = ("primary", "secondary", "accent", "success", "warning", "error")
_CHOSEN = {"block-cursor-background": 0.3, "block-cursor-blurred-background": 0.15}
"""Share of the primary colour in the background of the selected row."""

_MUTED_LEAST = 0.6
_STEP = 0.05


def ensure_readable(variables: Mapping[str, str]) -> dict[str, str]:
    """The style sheet's variables with readable text colours; terminal colour names are unchanged."""
    changed = dict(variables)
    background, primary, letters = (
        _parse_colour(variables.get(name, "")) for name in ("background", "primary", "foreground")
    )
    if background is None or primary is None or letters is None:
        return changed
    chosen = {name: background.blend(primary, share) for name, share in _CHOSEN.items()}
    behind = [
        *chosen.values(),
        *(
            colour
            for background_name in _BACKGROUNDS
            if (colour := _parse_colour(variables.get(background_name, "")))
        ),
    ]
    changed |= {name: colour.hex6 for name, colour in chosen.items()}
    for name in (f"text-{word}" for word in _WORDS):
        if (colour := _parse_colour(variables.get(name, ""))) is not None:
            changed[name] = shift_to_contrast(colour, behind).hex6
    letters = shift_to_contrast(letters, behind)
    changed["foreground"] = changed["block-cursor-foreground"] = letters.hex6
    changed["foreground-muted"] = changed["text-muted"] = letters.with_alpha(
        _muted_alpha(letters, behind)
    ).hex
    return changed


def _muted_alpha(letters: Color, behind: list[Color]) -> float:
    """The lowest opacity at which muted text is readable."""
    alpha = _MUTED_LEAST
    while alpha < 1.0 and any(
        contrast(background.blend(letters, alpha), background) < CONTRAST for background in behind
    ):
        alpha += _STEP
    return min(alpha, 1.0)


def contrast(first: Color, second: Color) -> float:
    """The contrast ratio of two colours, from 1 to 21 (WCAG 2.2, contrast ratio)."""
    dark, light = sorted((_luminance(first), _luminance(second)))
    return (light + 0.05) / (dark + 0.05)


def shift_to_contrast(colour: Color, others: list[Color]) -> Color:
    """The colour, shifted towards white or black until it contrasts with each of the others."""
    bright = sum(other.brightness for other in others) / len(others)
    end = Color(0, 0, 0) if bright > 0.5 else Color(255, 255, 255)
    share = 0.0
    while share < 1.0:
        moved = colour.blend(end, share)
        if all(contrast(moved, other) >= CONTRAST for other in others):
            return moved
        share += _STEP
    return end


def _luminance(colour: Color) -> float:
    parts = (part / 255 for part in colour.rgb)
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _parse_colour(text: str) -> Color | None:
    """An opaque RGB colour; None for a terminal colour or a translucent one."""
    try:
        colour = Color.parse(text)
    except ColorParseError:
        return None
    return None if colour.ansi is not None or colour.a < 1 else colour

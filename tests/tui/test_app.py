from __future__ import annotations

from textual.color import Color
from textual.theme import BUILTIN_THEMES

from assistant.tui.app import CONTRAST, contrast, ensure_readable, shift_to_contrast
from tests.tables import each

WORDS = ("foreground", "text-warning", "text-success", "text-error", "text-accent", "block-cursor-foreground")
BEHIND = ("background", "surface", "panel", "block-cursor-background", "block-cursor-blurred-background")


def test_contrast_goes_from_one_to_twenty_one() -> None:
    white, black = Color(255, 255, 255), Color(0, 0, 0)
    assert contrast(white, white) == 1
    assert contrast(white, black) == contrast(black, white) == 21


def test_a_colour_that_can_be_read_stays() -> None:
    assert shift_to_contrast(Color(0, 0, 0), [Color(255, 255, 255)]) == Color(0, 0, 0)


@each("name", sorted(BUILTIN_THEMES))
def test_words_can_be_read_on_every_background_of_a_theme(name: str) -> None:
    given = {key: str(value) for key, value in BUILTIN_THEMES[name].to_color_system().generate().items()}
    made = ensure_readable(given)
    if name.startswith("ansi"):
        assert made == given
        return
    for behind in (Color.parse(made[key]) for key in BEHIND):
        muted = Color.parse(made["foreground-muted"])
        words = [Color.parse(made[key]) for key in WORDS] + [behind.blend(muted.with_alpha(1), muted.a)]
        assert min(contrast(one, behind) for one in words) >= CONTRAST - 0.1

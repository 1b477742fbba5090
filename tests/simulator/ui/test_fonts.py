from __future__ import annotations

from pathlib import Path

import pytest

from assistant.simulator.ui.fonts import FONT
from assistant.simulator.ui.fonts.build import alphabet, simplified
from assistant.simulator.ui.text import font

LIMIT = 1_600_000


def test_the_font_is_small_and_travels_with_its_licence() -> None:
    assert FONT.stat().st_size < LIMIT
    licence = FONT.with_name("OFL.txt").read_text(encoding="utf-8")
    assert "SIL OPEN FONT LICENSE" in licence
    assert "Adobe" in licence


def test_simplified_chinese_is_complete() -> None:
    assert len(simplified()) == 6763
    assert set("的一是在不了有和人这婷馨瑶") <= simplified()


def test_every_character_of_apps_and_windows_has_a_glyph() -> None:
    tools = pytest.importorskip("fontTools.ttLib")
    known = set(tools.TTFont(FONT).getBestCmap())
    missing = {
        character for character in alphabet() if character.isprintable() and ord(character) not in known
    }
    assert not missing, "run: python -m assistant.simulator.ui.fonts.build"


def test_fonts_are_cached() -> None:
    assert font(30) is font(30)
    assert Path(FONT).suffix == ".otf"

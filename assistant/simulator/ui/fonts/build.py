"""Build the subset font: `python -m assistant.simulator.ui.fonts.build [SOURCE.ttc]`.

The source is Noto Sans CJK SC Regular as the Debian package `fonts-noto-cjk` installs it. Kept are Latin,
punctuation, a few symbols, the 6,763 characters of GB2312, and every other character in the sources and data
of apps and windows. Needs `fonttools`, which the product itself does not.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from assistant.simulator.ui.fonts import FONT
from assistant.simulator.ui.text import DRAWN

SOURCE = Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")
SIMPLIFIED_CHINESE = 2
"""The face's place in Debian's collection file."""
LAST_IDEOGRAPH = "\u9fff"
"""Ends ranges in search patterns; no text has it."""
SYMBOLS = "–—‘’“”…•·×÷±°€£¥©®™←↑→↓↗√≈≤≥≠∞■□●○★☆♥♡♪✓　、。《》「」『』【】〈〉〔〕！（），：；？～％＋－／＝￥"


def simplified() -> set[str]:
    """GB2312's ideographs: both levels, rows 16 to 87 of its table."""
    pairs = (bytes((row, cell)) for row in range(0xB0, 0xF8) for cell in range(0xA1, 0xFF))
    return {character for pair in pairs for character in pair.decode("gb2312", errors="ignore")}


def used_in(folder: Path) -> set[str]:
    """Every printable character in a folder's Python and YAML files."""
    files = (path for pattern in ("*.py", "*.yaml") for path in sorted(folder.rglob(pattern)))
    return {
        character
        for path in files
        for character in path.read_text(encoding="utf-8")
        if character.isprintable()
    }


def alphabet() -> set[str]:
    """The characters that the phone can show."""
    latin = {chr(code) for code in (*range(0x20, 0x7F), *range(0xA0, 0x100))}
    simulator = FONT.parents[2]
    used = used_in(simulator / "apps") | used_in(simulator / "ui")
    return (latin | set(SYMBOLS) | simplified() | used) - {LAST_IDEOGRAPH, *DRAWN}


def build(source: Path, characters: Iterable[str], target: Path) -> int:
    """Write the subset of one face; its size in bytes."""
    subset = import_module("fontTools.subset")
    options = subset.Options(
        font_number=SIMPLIFIED_CHINESE, hinting=False, desubroutinize=False, layout_features=["kern"]
    )
    font = subset.load_font(str(source), options)
    chooser = subset.Subsetter(options)
    chooser.populate(unicodes=[ord(character) for character in characters])
    chooser.subset(font)
    subset.save_font(font, str(target), options)
    return target.stat().st_size


if __name__ == "__main__":
    size = build(Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE, alphabet(), FONT)
    sys.stdout.write(f"{FONT.name}: {size:,} bytes\n")

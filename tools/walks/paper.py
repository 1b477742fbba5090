"""What stays of a walk: its screens as text that is much the same each time, and as pictures."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import groupby

from rich.ansi import AnsiDecoder
from rich.console import Console

from assistant.i18n import moment
from tools.walks.terminal import Size
from tools.walks.walk import Stage

_PICTURE = re.compile("▀{4,}")
_CHANGING = (
    (re.compile(r"\b([01]\d|2[0-3]):[0-5]\d\b"), "··:··"),
    (re.compile(r"\b\d+ min \d+ s\b"), "· min · s"),
    (re.compile(r"\b\d+(\.\d)? s\b"), "· s"),
    (re.compile(r"\b\d+(\.\d+)?k? tok\b"), "· tok"),
    (re.compile(r"\d+ 分 \d+ 秒"), "· 分 · 秒"),
    (re.compile(r"\b\d+(\.\d)? 秒"), "· 秒"),
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:·"),
    (re.compile(r"/walk-\w{8}"), "/walk-········"),
)
"""What is another each time: times of day, durations, tokens, ports, the walk's home."""
_LOOSE = re.compile(r", ( +)(·.*?)(?=  |$)")
"""A blank within a sentence that is as wide as what stood there."""
_TODAY = re.compile(r"· \S[^·]* ··:··$")
_BAR = re.compile(r"[▁▂▃▄▅▆▇█▔]$")
_RULE = "─"


def paper(title: str, size: Size, stages: Sequence[Stage], taken: datetime) -> str:
    """A walk as a text to read: before each screen what was pressed, times and counts blanked.

    Args:
        title: what the walk shows.
        size: of its screens.
        stages: in their order.
        taken: when it was; the date is blanked, in the language spoken.
    """
    day = moment(taken).rpartition(" ")[0]
    lines = [f"{title}, in {size.columns} columns and {size.lines} lines.", ""]
    for number, stage in enumerate(stages, start=1):
        lines += [f"{number}. {stage.title}", *(f"   {one}" for one in pressed(stage.done)), ""]
        shown = (steady(line.replace(day, "·".rjust(len(day)))) for line in stage.lines)
        lines += [f"    {line}".rstrip() for line in short(shown)]
        lines += ["", _RULE * 40]
    return "\n".join(lines[:-1]) + "\n"


def pressed(done: Iterable[str]) -> list[str]:
    """What was done, with the same key pressed several times told once."""
    told = []
    for one, same in groupby(done):
        count = len(list(same))
        told.append(f"{one} × {count}" if count > 1 else one)
    return ["after: " + steady(" · ".join(told))] if told else []


def steady(line: str) -> str:
    """A line of a screen without what is another each time; columns and frames stay where they were."""
    line = _BAR.sub("", _PICTURE.sub(lambda found: "·" * len(found[0]), line))
    for changing, blank in _CHANGING:
        line = changing.sub(partial(_blanked, blank), line)
    while _LOOSE.search(line):
        line = _LOOSE.sub(r", \2\1", line, count=1)
    return _TODAY.sub("· ··:··", line).rstrip()


def _blanked(blank: str, found: re.Match[str]) -> str:
    return blank.rjust(len(found[0]))


def short(lines: Iterable[str]) -> Iterator[str]:
    """A screen with runs of three or more like lines told by their first, and no empty end."""
    kept = list(lines)
    while kept and not kept[-1]:
        kept.pop()
    for line, same in groupby(kept):
        count = len(list(same))
        yield from [line] * count if count < 3 else [line, "⋮"]


def drawn(styled: str, size: Size, title: str) -> str:
    """A screen with its colours as an SVG picture.

    Args:
        styled: the screen with escape sequences.
        size: of the screen.
        title: stands above it.
    """
    console = Console(
        width=size.columns,
        file=io.StringIO(),
        record=True,
        force_terminal=True,
        color_system="truecolor",
        legacy_windows=False,
    )
    # Colours last across the ends of lines.
    for line in list(AnsiDecoder().decode(styled))[: size.lines]:
        console.print(line, no_wrap=True, overflow="crop", highlight=False)
    return console.export_svg(title=title)

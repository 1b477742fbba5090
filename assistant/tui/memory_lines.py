"""How items of the memory, and what stands behind them, are written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from rich.cells import cell_len
from textual.content import Content

from assistant.memory_view.items import Details, Item, Seen
from assistant.tui.words import clip, counted, one_line

_BARS = "▁▂▃▄▅▆▇█"
_NONE = "·"
_KEPT = 400
_LABEL = 9


def row(item: Item, width: int) -> Content:
    """One line: marks, name, and at the right how often and how sure, or when."""
    marks = "★ " if item.pinned else ""
    states = [state for state in ("hidden" if item.hidden else "", one_line(item.over)) if state]
    tail = " · ".join([*states, _tail(item)]) if _tail(item) else " · ".join(states)
    room = max(8, width - cell_len(tail) - 1)
    context = f"{clip(one_line(item.context), _KEPT)}: " if item.context else ""
    head = Content.assemble(
        (marks, "$text-accent"),
        (context, "$foreground-muted"),
        clip(one_line(item.name), _KEPT) or "no words",
    ).truncate(room, ellipsis=True)
    gap = " " * max(1, width - head.cell_length - cell_len(tail))
    return Content.assemble(head, gap, (tail, "$foreground-muted")).truncate(width, ellipsis=True)


def about(item: Item, details: Details | None) -> Content:
    """All that is known of an item; without details, what its line says."""
    lines = [Content.styled(clip(one_line(item.name), _KEPT) or "no words", "bold")]
    told = details.facts if details is not None else ()
    lines += [_fact(label, text) for label, text in told]
    if item.hours:
        lines.append(_fact("hours", f"00 {spark(item.hours)} 23, {_busiest(item.hours)}"))
    if item.last is not None and item.count:
        lines.append(_fact("last", _when(item.last)))
    if details is None:
        lines.append(Content.styled("Looking it up …", "$foreground-muted"))
    elif details.evidence:
        whole = len(details.evidence) + details.more
        lines.append(Content(f"because of {counted(whole, 'record')}:"))
        lines += _because(details.evidence)
        if details.more:
            lines.append(Content.styled(f"  … and {details.more} older", "$foreground-muted"))
    return Content("\n").join(lines)


def spark(counts: Sequence[int]) -> str:
    """A bar for each count; a dot where there is nothing."""
    most = max(counts, default=0)
    return "".join(_BARS[(one * len(_BARS) - 1) // most] if one else _NONE for one in counts)


def _busiest(hours: Sequence[int]) -> str:
    most = max(hours)
    return f"most at {hours.index(most):02}:00 ({most})"


def _tail(item: Item) -> str:
    if item.count:
        return f"{item.count} · {item.weight:.2f}"
    return f"{item.last:%a %d %b %H:%M}" if item.last is not None else ""


def _when(time: datetime) -> str:
    return f"{time:%a %d %b %Y %H:%M}"


def _fact(label: str, text: str) -> Content:
    return Content.assemble((f"{clip(one_line(label), 20):<{_LABEL}} ", "$foreground-muted"), _plain(text))


def _plain(text: str) -> str:
    return clip(one_line(text), _KEPT)


def _because(evidence: Sequence[Seen]) -> Iterator[Content]:
    for seen in evidence:
        place = " · ".join(_plain(word) for word in (seen.scenario, seen.app) if word)
        yield Content.assemble(
            (f"  {_when(seen.time)}  {place}  ", "$foreground-muted"), f"“{_plain(seen.instruction)}”"
        )

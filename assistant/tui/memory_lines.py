"""How items of the memory, and what stands behind them, are written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from textual.content import Content

from assistant.cells import broken
from assistant.language import _, later
from assistant.memory_view.items import HOURS, Details, Heat, Item, Listing, Section, Seen
from assistant.memory_view.words import scenario_words
from assistant.tui.words import clip, moment, one_line, padded, safe

SECTIONS = {
    Section.PREFERENCES: later("preferences"),
    Section.ROUTINES: later("routines"),
    Section.PROFILE: later("profile"),
    Section.PLACES: later("places"),
    Section.RECORDS: later("records"),
    Section.SUGGESTIONS: later("suggestions"),
    Section.CHANGES: later("changes"),
    Section.SENT: later("sent"),
}
WEEKDAYS = (
    later("Mon"),
    later("Tue"),
    later("Wed"),
    later("Thu"),
    later("Fri"),
    later("Sat"),
    later("Sun"),
)

_BARS = "▁▂▃▄▅▆▇█"
_NONE = "·"
_KEPT = 400
_LONG = 20_000
_ENDS = 28
"""Columns of the panel's last line that belong to the count and the key that closes."""
_LABEL, _QUOTED = 9, 4
_DEEPEST = 12
_ROLES = ("system", "user", "assistant", "tool")


def row(item: Item, width: int) -> Content:
    """One line: marks, name, and at the right how often and how sure, or when."""
    marks = "★ " if item.pinned else ""
    states = [_("not used") if item.hidden else "", *(_(one_line(part)) for part in item.over.split(" · "))]
    tail = clip(" · ".join(part for part in (*states, _tail(item)) if part), width // 2)
    room = max(8, width - cell_len(tail) - 1)
    context = f"{clip(one_line(item.context), _KEPT)}: " if item.context else ""
    branch = "" if item.opened is None else "▾ " if item.opened else "▸ "
    if item.depth and item.opened is None:
        branch = _ELBOW
    head = Content.assemble(
        "  " * min(item.depth, _DEEPEST),
        (branch, "$foreground-muted"),
        (marks, "$text-accent"),
        (context, "$foreground-muted"),
        clip(one_line(item.name), _KEPT) or _("no words"),
    ).truncate(room, ellipsis=True)
    gap = " " * max(1, width - head.cell_length - cell_len(tail))
    return Content.assemble(head, gap, (tail, "$foreground-muted")).truncate(width, ellipsis=True)


_ELBOW = "· "


def about(item: Item, details: Details | None, width: int = 76) -> Content:
    """All that is known of an item; without details, what its line says."""
    lines = [Content.styled(clip(one_line(item.name), _KEPT) or _("no words"), "bold")]
    if details is not None:
        lines += _note(details, width)
        lines += _reasons(item, details, width)
    if item.hours:
        lines += _fact(_("hours"), f"00 {spark(item.hours)} 23, {_busiest(item.hours)}", width)
    if item.last is not None and item.count:
        lines += _fact(_("last"), moment(item.last, year=True), width)
    for label, text in details.facts if details is not None else ():
        lines += _words_sent(label, text) if label in _ROLES else _fact(_(label), text, width)
    if details is None:
        lines.append(Content.styled(_("Looking it up …"), "$foreground-muted"))
        return Content("\n").join(lines)
    if details.heat:
        lines += _week(details.heat)
    return Content("\n").join(lines)


def _note(details: Details, width: int) -> Iterator[Content]:
    """What is to be known before all else."""
    if details.note:
        yield from (Content.styled(line, "$text-accent") for line in broken(_plain(details.note), width))


def _reasons(item: Item, details: Details, width: int) -> Iterator[Content]:
    """The records that an item is believed for."""
    if not details.evidence:
        return
    whole = len(details.evidence) + details.more
    head = _("because of {count} records:") if whole > 1 else _("because of {count} record:")
    yield Content(head.format(count=whole))
    yield from _because(details.evidence, one_line(item.name), width)
    if details.more:
        yield Content.styled(_("  … and {count} older").format(count=details.more), "$foreground-muted")


def last_line(listing: Listing, width: int) -> Content:
    """The panel's last line: how many items, what is to be said of them, and the key that closes."""
    count = f"{len(listing.items):,}" if len(listing.items) > 1 else ""
    note = clip(one_line(listing.note), max(8, width - _ENDS)) if listing.items else ""
    return Content(" · ".join(part for part in (count, note, _("f2 closes")) if part))


def spark(counts: Sequence[int]) -> str:
    """A bar for each count; a dot where there is nothing."""
    return _bars(counts, max(counts, default=0))


def _bars(counts: Sequence[int], most: int) -> str:
    return "".join(_BARS[(one * len(_BARS) - 1) // most] if one else _NONE for one in counts)


def _week(heat: Heat) -> Iterator[Content]:
    """A line for each day of the week, a bar for each hour, all of one scale, and how many at the right."""
    most = max(max(day) for day in heat)
    hours = "".join(f"{hour:<6}" for hour in range(0, HOURS, 6))
    yield Content.styled(f"{'':5}{hours}  {_('by day and hour')}", "$foreground-muted")
    for name, day in zip(WEEKDAYS, heat, strict=True):
        total = str(sum(day)) if any(day) else ""
        yield Content.assemble((padded(_(name), 5), "$foreground-muted"), _bars(day, most), f"  {total}")


def _busiest(hours: Sequence[int]) -> str:
    most = max(hours)
    return _("most at {hour:02}:00 ({count})").format(hour=hours.index(most), count=most)


def _tail(item: Item) -> str:
    if item.tail:
        return one_line(item.tail)
    if item.count:
        if not item.weight:
            return _("{count}×").format(count=item.count)
        return _("{count}× · {chance} sure").format(count=item.count, chance=f"{item.weight:.0%}")
    return moment(item.last) if item.last is not None else ""


def _fact(label: str, text: str, width: int) -> Iterator[Content]:
    """A label, and its text wrapped beside it."""
    name = padded(clip(one_line(label), 20), _LABEL)
    room = max(16, width - cell_len(name) - 1)
    for number, line in enumerate(Content(_plain(text)).wrap(room) or [Content("")]):
        head = name if number == 0 else " " * cell_len(name)
        yield Content.assemble((f"{head} ", "$foreground-muted"), line)


def _words_sent(role: str, text: str) -> Iterator[Content]:
    """What was sent, as it was."""
    yield Content.styled(f"── {role} ──", "$foreground-muted")
    yield from (Content(line) for line in clip(safe(text), _LONG).splitlines())


def _plain(text: str) -> str:
    return clip(one_line(text), _KEPT)


def _because(evidence: Sequence[Seen], name: str, width: int) -> Iterator[Content]:
    """Each record; its words where they differ from the item's name, beside or below what else is told."""
    for seen in evidence:
        place = " · ".join(_plain(word) for word in (scenario_words(seen.scenario), seen.app) if word)
        head = f"  {moment(seen.time)}  {place}".rstrip()
        said = "" if one_line(seen.instruction) == name else f"“{_plain(seen.instruction)}”"
        if said and cell_len(f"{head}  {said}") <= width:
            yield Content.assemble((f"{head}  ", "$foreground-muted"), said)
            continue
        yield Content.styled(head, "$foreground-muted")
        indent = " " * _QUOTED
        yield from (Content(indent + line) for line in broken(said, max(16, width - _QUOTED)) if said)

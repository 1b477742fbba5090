"""Formats items of the memory and their details."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from textual.content import Content

from assistant.i18n import _, later, moment
from assistant.memory_view.items import HOURS, EvidenceRecord, Heat, Item, ItemDetails, ItemList, Section
from assistant.memory_view.labels import scenario_words
from assistant.presentation.text import clip, one_line, safe
from assistant.text_layout import padded, wrap

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
"""Columns of the panel's last line that are reserved for the count and the key that closes it."""
_LABEL, _QUOTED = 9, 4
_DEEPEST = 12
_ROLES = ("system", "user", "assistant", "tool")


def format_item_row(item: Item, width: int) -> Content:
    """One line: marks and name; at the right, count and confidence, or the time."""
    marks = "★ " if item.pinned else ""
    states = [_("not used") if item.hidden else "", *(_(one_line(part)) for part in item.over.split(" · "))]
    tail = clip(" · ".join(part for part in (*states, _format_tail(item)) if part), width // 2)
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


def format_details(item: Item, details: ItemDetails | None, width: int = 76) -> Content:
    """All details of an item; before they are loaded, what its line says."""
    lines = [Content.styled(clip(one_line(item.name), _KEPT) or _("no words"), "bold")]
    if details is not None:
        lines += _format_note(details, width)
        lines += _format_reasons(item, details, width)
    if item.hours:
        lines += _format_fact(
            _("hours"), f"00 {format_histogram(item.hours)} 23, {_format_peak(item.hours)}", width
        )
    if item.last is not None and item.count:
        lines += _format_fact(_("last"), moment(item.last, year=True), width)
    for label, text in details.facts if details is not None else ():
        lines += _format_sent_message(label, text) if label in _ROLES else _format_fact(_(label), text, width)
    if details is None:
        lines.append(Content.styled(_("Looking it up …"), "$foreground-muted"))
        return Content("\n").join(lines)
    if details.heat:
        lines += _format_heat_map(details.heat)
    return Content("\n").join(lines)


def _format_note(details: ItemDetails, width: int) -> Iterator[Content]:
    """The note above all other details."""
    if details.note:
        yield from (Content.styled(line, "$text-accent") for line in wrap(_shorten(details.note), width))


def _format_reasons(item: Item, details: ItemDetails, width: int) -> Iterator[Content]:
    """The records that support an item."""
    if not details.evidence:
        return
    whole = len(details.evidence) + details.more
    head = _("because of {count} records:") if whole > 1 else _("because of {count} record:")
    yield Content(head.format(count=whole))
    yield from _format_evidence(details.evidence, one_line(item.name), width)
    if details.more:
        yield Content.styled(_("  … and {count} older").format(count=details.more), "$foreground-muted")


def format_last_line(listing: ItemList, width: int) -> Content:
    """The panel's last line: number of items, a note, and the key that closes it."""
    count = f"{len(listing.items):,}" if len(listing.items) > 1 else ""
    note = clip(one_line(listing.note), max(8, width - _ENDS)) if listing.items else ""
    return Content(" · ".join(part for part in (count, note, _("f2 closes")) if part))


def format_histogram(counts: Sequence[int]) -> str:
    """A bar for each count; a dot for zero."""
    return _format_bars(counts, max(counts, default=0))


def _format_bars(counts: Sequence[int], most: int) -> str:
    return "".join(_BARS[(count * len(_BARS) - 1) // most] if count else _NONE for count in counts)


def _format_heat_map(heat: Heat) -> Iterator[Content]:
    """A line for each weekday with a bar for each hour, all on one scale, and the total at the right."""
    most = max(max(day) for day in heat)
    hours = "".join(f"{hour:<6}" for hour in range(0, HOURS, 6))
    yield Content.styled(f"{'':5}{hours}  {_('by day and hour')}", "$foreground-muted")
    for name, day in zip(WEEKDAYS, heat, strict=True):
        total = str(sum(day)) if any(day) else ""
        yield Content.assemble(
            (padded(_(name), 5), "$foreground-muted"), _format_bars(day, most), f"  {total}"
        )


def _format_peak(hours: Sequence[int]) -> str:
    most = max(hours)
    return _("most at {hour:02}:00 ({count})").format(hour=hours.index(most), count=most)


def _format_tail(item: Item) -> str:
    if item.tail:
        return one_line(item.tail)
    if item.count:
        if not item.weight:
            return _("{count}×").format(count=item.count)
        return _("{count}× · {chance} sure").format(count=item.count, chance=f"{item.weight:.0%}")
    return moment(item.last) if item.last is not None else ""


def _format_fact(label: str, text: str, width: int) -> Iterator[Content]:
    """A label, and its text wrapped beside it."""
    name = padded(clip(one_line(label), 20), _LABEL)
    room = max(16, width - cell_len(name) - 1)
    for number, line in enumerate(Content(_shorten(text)).wrap(room) or [Content("")]):
        head = name if number == 0 else " " * cell_len(name)
        yield Content.assemble((f"{head} ", "$foreground-muted"), line)


def _format_sent_message(role: str, text: str) -> Iterator[Content]:
    """A message of a request, as it was sent."""
    yield Content.styled(f"── {role} ──", "$foreground-muted")
    yield from (Content(line) for line in clip(safe(text), _LONG).splitlines())


def _shorten(text: str) -> str:
    return clip(one_line(text), _KEPT)


def _format_evidence(evidence: Sequence[EvidenceRecord], name: str, width: int) -> Iterator[Content]:
    """Each record; its instruction if it differs from the item's name, beside or below time and place."""
    for record in evidence:
        place = " · ".join(_shorten(word) for word in (scenario_words(record.scenario), record.app) if word)
        head = f"  {moment(record.time)}  {place}".rstrip()
        instruction = "" if one_line(record.instruction) == name else f"“{_shorten(record.instruction)}”"
        if instruction and cell_len(f"{head}  {instruction}") <= width:
            yield Content.assemble((f"{head}  ", "$foreground-muted"), instruction)
            continue
        yield Content.styled(head, "$foreground-muted")
        indent = " " * _QUOTED
        yield from (
            Content(indent + line) for line in wrap(instruction, max(16, width - _QUOTED)) if instruction
        )

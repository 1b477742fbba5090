"""The widgets of the memory panel: the list of items, the details of one, and the search field.

The `format_*` functions lay out an item, its details and the panel's last line. Only the visible lines of the
list are rendered; the search field is shown only while searching.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from assistant.i18n import SHORT_WEEKDAYS, _, later, moment, padded, wrap
from assistant.memory.prototypes.model import format_scenario
from assistant.memory_view.items import HOURS, EvidenceRecord, Heat, Item, ItemDetails, ItemList, Section
from assistant.presentation.text import clip, one_line, safe
from assistant.tui.widgets.command_input import CommandInput, TextField, run_binding_in_order

_TYPING_PAUSE = 0.06


class MemoryFind(TextField):
    """Posts a message when typing pauses, and remembers the last search that was answered."""

    class Rested(Message):
        """Typing has paused; the search is to be run."""

    def __init__(self) -> None:
        super().__init__(id="memory-find", placeholder=_("Find"), compact=True, select_on_focus=False)
        self.cursor_blink = False
        self._answered_text = ""
        self._typed: Timer | None = None

    @property
    def finding(self) -> bool:
        """Whether the field is shown."""
        return self.has_class("-finding")

    @property
    def waiting(self) -> bool:
        """Whether the text has not been searched for yet."""
        return self.finding and self.value != self._answered_text

    def begin(self) -> None:
        """Show the field and focus it."""
        self.add_class("-finding")
        # At once: what is typed next is for the field.
        self.screen.set_focus(self)

    def end(self) -> None:
        """Empty and hide the field."""
        self.remove_class("-finding")
        self.value = self._answered_text = ""

    def answered(self, text: str) -> None:
        """The results for a text have arrived."""
        self._answered_text = text

    def on_input_changed(self) -> None:
        """Wait until typing pauses."""
        if self.finding:
            if self._typed is not None:
                self._typed.stop()
            self._typed = self.set_timer(_TYPING_PAUSE, self._rest)

    def _rest(self) -> None:
        self.post_message(self.Rested())


SECTIONS = {
    Section.PREFERENCES: later("preferences"),
    Section.ROUTINES: later("routines"),
    Section.PROFILE: later("profile"),
    Section.PLACES: later("places"),
    Section.SKILLS: later("skills"),
    Section.RECORDS: later("records"),
    Section.SUGGESTIONS: later("suggestions"),
    Section.SCHEDULES: later("schedules"),
    Section.CHANGES: later("changes"),
    Section.SENT: later("sent to the model"),
}

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
    """One line: marks and name; at the right, how often it was seen, or when."""
    marks = ("≈ " if item.near else "") + ("★ " if item.pinned else "")
    states = [
        _("not used") if item.hidden and not item.over else "",
        *(_(one_line(part)) for part in item.over.split(" · ")),
    ]
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
    for name, day in zip(SHORT_WEEKDAYS, heat, strict=True):
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
        return _("{count}×").format(count=item.count)
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
        place = " · ".join(_shorten(word) for word in (format_scenario(record.scenario), record.app) if word)
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


_HERE, _ELSEWHERE = "› ", "  "
_NOTHING = -1
_CHANGES = ("change(", "whole(")
"""How the actions begin that change something in the memory."""
_ASKS = ("change('forget')", "whole('wipe')")
"""What asks before it changes anything."""
_EDIT = "change('edit')"
"""It opens a field: what is typed right behind it is for that, and not the rest of a word."""
_OF_FIELDS = ("backspace", "delete", "enter")
"""Keys without a character that are for the field that opens next."""


class MemoryList(Widget, can_focus=True):
    """One line per item. The left and right keys belong to the panel."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "move(1)", show=False),
        Binding("up", "move(-1)", show=False),
        Binding("home", "go(0)", show=False),
        Binding("end", "go(-1)", show=False),
        Binding("ctrl+down", "jump(1)", show=False),
        Binding("ctrl+up", "jump(-1)", show=False),
    ]

    class Looked(Message):
        """The selection has changed."""

    @dataclass
    class Chosen(Message):
        """The selected item was clicked again."""

        item: Item

    hold_seconds: ClassVar[float] = 0.2
    """How long a letter that changes the memory waits for another one: two begin a sentence."""

    def __init__(self) -> None:
        super().__init__(id="memory-list")
        self._waiting: events.Key | None = None
        self._wait: Timer | None = None
        self.items: Sequence[Item] = ()
        self.highlighted = 0
        self.marked = ""
        self._top = 0
        self._held: list[events.Key] | None = None
        self.takes_sentences = False

    @property
    def item(self) -> Item | None:
        """The selected item; None where nothing is marked."""
        return self.items[self.highlighted] if 0 <= self.highlighted < len(self.items) else None

    def unmark(self) -> None:
        """Mark nothing until the user does: keys act on no line that nobody asked for."""
        self.highlighted = _NOTHING

    def show(self, items: Sequence[Item], item_id: str = "") -> None:
        """List items and select the one with this id, else the one selected before, else what took its place.

        A changed value is a new item at the place of the old one.
        """
        before = self.item
        keep = item_id or (before.id if before is not None else "")
        grew = len(items) != len(self.items)
        self.items = items
        place = next((at for at, item in enumerate(items) if item.id == keep), None)
        self.highlighted = place if place is not None else min(self.highlighted, max(0, len(items) - 1))
        if self.item is None and any(not item.near for item in items):
            self.highlighted = 0
        self._scroll_to_selection()
        self.refresh(layout=grew)
        if self.item != before:
            self.post_message(self.Looked())

    def hold_keys(self) -> None:
        """Keep what is typed for the field that opens next: its letters must not act on the marked line."""
        self._held = []

    def release_keys(self) -> list[events.Key]:
        """What was typed since, in its order."""
        held, self._held = self._held or [], None
        return held

    async def on_key(self, event: events.Key) -> None:
        """Keys act in the order in which they come; those behind one that opens a field are for the field."""
        focused = self.screen.focused
        if focused is not None and focused is not self and isinstance(focused, Input | TextArea):
            event.stop()
            event.prevent_default()
            focused.post_message(events.Key(event.key, event.character))
        elif self._held is not None and (event.is_printable or event.key in _OF_FIELDS):
            event.stop()
            event.prevent_default()
            self._held.append(event)
        elif isinstance(self.parent, Widget):
            self._held = None
            if not await self._wait_for_sentence(event):
                await run_binding_in_order(event, self, self.parent)

    async def _wait_for_sentence(self, event: events.Key) -> bool:
        """Whether a key is kept back, or is the second letter of a sentence for the command line."""
        is_letter = event.is_printable and event.key.isalpha()
        if (first := self._waiting) is not None:
            if is_letter:
                self._stop_waiting()
                event.stop()
                event.prevent_default()
                self.type_in_field(f"{first.character}{event.character}")
                return True
            await self._act()
        active = self.screen.active_bindings.get(event.key)
        action = active.binding.action if active is not None else ""
        if event.is_printable and (
            active is None or (self.takes_sentences and action.startswith(_CHANGES) and action not in _ASKS)
        ):
            # No key of the list: a line is begun.
            event.stop()
            event.prevent_default()
            self.type_in_field(event.character or "")
            return True
        if not event.is_printable:
            self.takes_sentences = False
        if not is_letter or action == _EDIT or not action.startswith(_CHANGES):
            return False
        event.stop()
        event.prevent_default()
        self._waiting = event
        self._wait = self.set_timer(self.hold_seconds, self._act)
        return True

    def type_in_field(self, text: str) -> None:
        """Put what was typed in the list into the command line, where typing goes on."""
        field = self.screen.query_one(CommandInput)
        # At once: the next letters are in this list's queue already, and must not act on the marked line.
        self.screen.set_focus(field)
        field.insert(text)

    async def _act(self) -> None:
        """Do what the letter does that no other one followed."""
        event = self._waiting
        self._stop_waiting()
        if event is not None and isinstance(self.parent, Widget):
            await run_binding_in_order(event, self, self.parent)

    def _stop_waiting(self) -> None:
        self._waiting = None
        if self._wait is not None:
            self._wait.stop()
            self._wait = None

    @property
    def is_waiting(self) -> bool:
        """Whether a letter waits for another one."""
        return self._waiting is not None

    def action_move(self, step: int) -> None:
        """Select the next or previous item."""
        self._go(self.highlighted + step)

    def action_jump(self, direction: int) -> None:
        """Move the selection by a page."""
        self._go(self.highlighted + direction * max(1, self.content_size.height - 1))

    def action_go(self, place: int) -> None:
        """Select the first or last item."""
        self._go(place if place >= 0 else len(self.items) - 1)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The number of items; the style sheet sets the maximum."""
        return max(1, len(self.items))

    def render(self) -> Content:
        """The visible lines."""
        self._scroll_to_selection()
        width = self.content_size.width
        shown = self.items[self._top : self._top + self.content_size.height]
        return Content("\n").join(self._line(self._top + at, item, width) for at, item in enumerate(shown))

    def on_click(self, event: events.Click) -> None:
        """Select the clicked item; a click on the selected one opens it."""
        at = self._top + event.y
        if at < len(self.items):
            if at == self.highlighted and self.has_focus:
                self.post_message(self.Chosen(self.items[at]))
            self._go(at)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Move the selection down by three."""
        event.stop()
        self._go(self.highlighted + 3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Move the selection up by three."""
        event.stop()
        self._go(self.highlighted - 3)

    def on_focus(self) -> None:
        """Redraw: the marker shows whether the list has the focus."""
        self.refresh()

    def on_blur(self) -> None:
        """Redraw: the marker shows whether the list has the focus. A letter that waits does nothing then."""
        self._stop_waiting()
        self.takes_sentences = False
        if not isinstance(self.screen.focused, Input):
            self._held = None
        self.refresh()

    def _line(self, at: int, item: Item, width: int) -> Content:
        here = at == self.highlighted
        sign = "⊕ " if item.id == self.marked else _HERE if here else _ELSEWHERE
        line = format_item_row(item, max(8, width - 2))
        content = Content.assemble(sign, line, " " * max(0, width - 2 - line.cell_length))
        if here:
            return content.stylize(
                "bold" if not self.has_focus else "$block-cursor-foreground on $block-cursor-background"
            )
        return content

    def _go(self, place: int) -> None:
        place = max(0, min(place, len(self.items) - 1))
        if place != self.highlighted and self.items:
            self.highlighted = place
            self.refresh()
            self.post_message(self.Looked())

    def _scroll_to_selection(self) -> None:
        """Scroll so that the selected item is visible."""
        height = max(1, self.content_size.height)
        self._top = max(0, min(self._top, len(self.items) - height))
        self._top = max(0, min(max(self._top, self.highlighted - height + 1), self.highlighted))


_NARROWEST = 20


class MemoryDetails(VerticalScroll):
    """One item in full. Never takes the focus; the panel scrolls it."""

    def __init__(self) -> None:
        self._text = Static(id="memory-text", markup=False)
        self._item_id = self._tried_id = ""
        super().__init__(self._text, id="memory-about", can_focus=False)

    @property
    def shows_lines(self) -> bool:
        """Whether some lines stand in the place of the item."""
        return bool(self._tried_id)

    def show(self, item: Item, details: ItemDetails | None) -> None:
        """Show an item, with its details once they are loaded; not while some lines stand in its place."""
        self._item_id = item.id
        if self._tried_id == item.id:
            return
        self._tried_id = ""
        self._text.update(format_details(item, details, max(_NARROWEST, self.size.width - 1)))

    def show_lines(self, text: str) -> None:
        """Show some lines in place of the item, until another one is shown or `leave_lines` is called."""
        self._tried_id = self._item_id
        self._text.update(Content(safe(text)))
        self.scroll_home(animate=False)

    def leave_lines(self) -> None:
        """Let the item be shown again."""
        self._tried_id = ""

    def show_note(self, note: str) -> None:
        """Show why there is no item."""
        self.leave_lines()
        self._text.update(Content.styled(one_line(note), "$foreground-muted"))

    def scroll_page(self, direction: int) -> None:
        """Scroll by the visible height, less a line."""
        self.scroll_relative(y=direction * max(1, self.size.height - 1), animate=False)

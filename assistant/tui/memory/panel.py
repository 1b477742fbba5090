"""The memory panel: sections, their items, details of the selected item, and actions on it.

Slow work runs in threads that only post messages; only the message handlers change what is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual import events as textual_events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from assistant import events
from assistant.i18n import _
from assistant.memory_view.items import Item, ItemAction, ItemList, ItemLocation, Section
from assistant.presentation.engine_protocol import EngineDoor
from assistant.tui.memory.edit import MemoryChanging
from assistant.tui.memory.jobs import MEMORY, Mode, is_key_active, memory_bindings, memory_footer, memory_help
from assistant.tui.memory.widgets import format_last_line
from assistant.tui.memory_errands import MemoryErrands
from assistant.tui.memory_keeping import Errand, MemoryKeeping, SaveLimit
from assistant.tui.memory_showing import MemoryShowing, Shown
from assistant.tui.memory_work import (
    MemoryChanged,
    MemoryFound,
    MemoryLoaded,
    MemoryLookedUp,
    MemorySpotted,
    MemoryStale,
    MemoryWeighed,
    MemoryWork,
    Where,
)
from assistant.tui.widgets.memory_about import MemoryAbout
from assistant.tui.widgets.memory_find import MemoryFind
from assistant.tui.widgets.memory_list import MemoryList
from assistant.tui.widgets.memory_sections import MemorySections
from assistant.tui.widgets.memory_talk import MemoryTalk

_SECTIONS = list(Section)
_WATCHED = 2.0
"""Seconds between two checks whether another program has changed the memory."""
_ACTIONS = frozenset(key.action.partition("(")[0] for key in MEMORY)


class MemoryPanel(Vertical):
    """Shows one section at a time. Its letter keys are active only while the list has the focus.

    Args:
        engine: gives access to the memory.
        clock: monotonic seconds, for the delay before a confirmation counts.
    """

    BINDINGS: ClassVar[list[BindingType]] = list(memory_bindings())

    class Left(Message):
        """The panel gives up the focus."""

    def __init__(self, engine: EngineDoor, clock: Callable[[], float]) -> None:
        super().__init__(id="memory")
        self.border_title = _("Memory")
        self._work = MemoryWork(engine, self.post_message)
        self._trail: list[ItemLocation] = []
        self._shown_listing = ItemList(())
        self._sections = MemorySections()
        self._find = MemoryFind()
        self._list = MemoryList()
        self._about = MemoryAbout()
        self._talk = MemoryTalk(clock)
        self._keys = Static(id="memory-keys", markup=False)
        shown = Shown(self._find, self._list, self._about)
        self._showing = MemoryShowing(self._work, self._run, shown, self._show_last_line, self._show_keys)
        self._errands = MemoryErrands(self._work, self._run, self._talk, self._show_keys)
        self._changing = MemoryChanging(self._errands, self._list)
        self._keeping = MemoryKeeping(self._errands, engine)

    def compose(self) -> ComposeResult:
        """Sections, items, details, dialog, keys."""
        yield self._sections
        yield self._find
        yield self._list
        yield self._about
        yield self._talk
        yield self._keys

    def on_mount(self) -> None:
        """Check periodically whether another program has changed the memory."""
        self.set_interval(_WATCHED, self._watch)

    def set_save_limit(self, save_limit: SaveLimit) -> None:
        """Set the function that saves limits to the settings."""
        self._keeping.save_limit = save_limit

    @property
    def section(self) -> Section:
        """The section that is shown."""
        return self._showing.section

    @property
    def keys_now(self) -> list[tuple[str, str]]:
        """The active keys, for the help; empty if the panel lacks the focus."""
        selected = self._showing.selection
        return memory_help(self._mode, selected.acts, opens=selected.opens) if self.focused else []

    @property
    def is_open(self) -> bool:
        """Whether the panel is shown."""
        return self.screen.has_class("-memory")

    @property
    def focused(self) -> bool:
        """Whether the panel has the focus."""
        return self.is_open and self.has_focus_within

    @property
    def inside(self) -> bool:
        """Whether a dialog, search or merge is open, which Escape leaves."""
        return self.focused and self._mode in (Mode.ASKED, Mode.TYPING, Mode.FINDING, Mode.MERGING)

    @property
    def item(self) -> Item | None:
        """The selected item."""
        return self._list.item

    @property
    def searching(self) -> bool:
        """Whether the search text has not been searched for yet."""
        return self._find.waiting

    def open(self) -> None:
        """Show the current memory, and take the focus."""
        self._list.focus()
        self.show_section(self.section)

    def open_where(self, where: Where) -> None:
        """Open the panel at a location."""
        self._list.focus()
        self._talk.show_message(_("Looking …"))
        self._run(partial(self._work.locate, where), "spot")

    def back(self) -> None:
        """Leave the innermost dialog: question, input, merge, search, or the panel itself."""
        if self._talk.asking:
            self.action_keep()
        elif self._talk.typing:
            self._talk.leave()
        elif self._changing.merging:
            self._changing.set_merge_target(None)
            self._talk.show_message(_("Not merged."))
        elif self._find.finding:
            self._end_search()
            self._showing.show_all()
        else:
            self.post_message(self.Left())

    def handle_event(self, event: events.Event) -> None:
        """Reload after a turn, which may have taught something."""
        if isinstance(event, events.TurnFinished) and self.is_open and not self._errands.busy:
            self._showing.load()

    def scroll_page(self, direction: int) -> None:
        """Scroll the details."""
        self._about.scroll_page(direction)

    def show_section(self, section: Section, item_id: str = "") -> None:
        """Show a section, and select one of its items."""
        self._end_search()
        self._changing.set_merge_target(None)
        self._sections.show(section)
        self._talk.show_message("")
        self._showing.show_section(section, item_id)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only keys shown in the footer are active."""
        if action not in _ACTIONS:
            return True
        key_action = f"{action}({', '.join(map(repr, parameters))})" if parameters else action
        return is_key_active(key_action, self._mode)

    def action_section(self, step: int) -> None:
        """Show the next or previous section."""
        at = (_SECTIONS.index(self.section) + step) % len(_SECTIONS)
        self._trail.clear()
        self.show_section(_SECTIONS[at])

    def action_find(self) -> None:
        """Open the search field."""
        self._find.begin()
        self._show_keys()

    def action_open(self) -> None:
        """Open or close a branch; otherwise go to the newest evidence, or from a record to what it taught."""
        item = self.item
        if item is None:
            return
        if item.opened is not None:
            self._showing.toggle(item)
        elif self.section is Section.RECORDS:
            self._trail.append(ItemLocation(self.section, item.id))
            self._run(partial(self._work.locate, lambda view: view.spot([item.id])), "spot")
        elif (details := self._showing.selection.details) is not None and details.evidence:
            self._trail.append(ItemLocation(self.section, item.id))
            self.show_section(Section.RECORDS, details.evidence[0].id)
        else:
            self._talk.show_message(_("There is no record behind it."))

    def action_return(self) -> None:
        """Go back to the item before the last jump."""
        if self._trail:
            spot = self._trail.pop()
            self.show_section(spot.section, spot.item_id)

    def action_change(self, act: str) -> None:
        """Change the selected item."""
        self._changing.do(ItemAction(act), self._showing.selection)

    def action_agree(self) -> None:
        """Confirm the open question."""
        self._talk.agree()

    def action_keep(self) -> None:
        """Refuse the open question."""
        self._talk.refuse(_("Kept."))

    def action_whole(self, errand: str) -> None:
        """Start an action on the whole memory."""
        self._keeping.do(Errand(errand))

    def on_memory_sections_picked(self, message: MemorySections.Picked) -> None:
        """A section was clicked."""
        message.stop()
        if not self._errands.busy:
            self._list.focus()
            self.show_section(message.section)

    def on_memory_loaded(self, message: MemoryLoaded) -> None:
        """Show a section."""
        message.stop()
        self._showing.section_loaded(message)

    def on_memory_found(self, message: MemoryFound) -> None:
        """Show search results."""
        message.stop()
        self._showing.results_found(message)

    def on_memory_looked_up(self, message: MemoryLookedUp) -> None:
        """Show the details of the item."""
        message.stop()
        if self._showing.details_loaded(message):
            self._changing.details_loaded(message.item, message.details, typing=self._talk.typing)

    def on_memory_weighed(self, message: MemoryWeighed) -> None:
        """Continue with the preview."""
        message.stop()
        self._errands.preview_ready(message, self.item)

    def on_memory_changed(self, message: MemoryChanged) -> None:
        """Show the result of a change, and reload."""
        message.stop()
        self._changing.set_merge_target(None)
        self._errands.change_done(message)
        self._show_keys()
        self._showing.load()

    def on_memory_stale(self, message: MemoryStale) -> None:
        """Reload what another program has changed; input is kept."""
        message.stop()
        if not self._errands.changing:
            self._showing.load()

    def on_memory_spotted(self, message: MemorySpotted) -> None:
        """Go to a location."""
        message.stop()
        self.show_section(message.spot.section, message.spot.item_id)

    def on_memory_list_looked(self, message: MemoryList.Looked) -> None:
        """Load the details of the selected item."""
        message.stop()
        if self._talk.asking:
            self.action_keep()
        self._about.scroll_home(animate=False)
        self._showing.load_details()

    def on_memory_list_chosen(self, message: MemoryList.Chosen) -> None:
        """Open an item that was clicked twice."""
        message.stop()
        if not self._errands.busy:
            self.action_open()

    def on_memory_talk_settled(self, message: MemoryTalk.Settled) -> None:
        """Return the focus to the list, unless another input has opened."""
        message.stop()
        if self.has_focus_within and not self._talk.typing:
            self._list.focus()
        self._show_keys()

    def on_memory_find_rested(self, message: MemoryFind.Rested) -> None:
        """Search when typing pauses."""
        message.stop()
        self._showing.search()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Move the focus from the search field to the results."""
        message.stop()
        self._list.focus()

    def on_descendant_focus(self) -> None:
        """Update the active keys."""
        self._show_keys()

    def on_descendant_blur(self) -> None:
        """Update the active keys."""
        self._show_keys()

    def on_resize(self, event: textual_events.Resize) -> None:
        """Format the lines for the new width."""
        self._show_last_line(self._shown_listing)
        self.call_after_refresh(self._showing.load_details)

    @property
    def _mode(self) -> Mode:
        """What the keys do at present."""
        if self._talk.asking:
            return Mode.ASKED
        if self._talk.typing:
            return Mode.TYPING
        if not self.has_focus_within:
            return Mode.AWAY
        if self._find.has_focus:
            return Mode.FINDING
        return Mode.MERGING if self._changing.merging else Mode.LIST

    def _watch(self) -> None:
        if self.is_open and not self._errands.changing:
            self._showing.reload_if_stale()

    def _run(self, work: Callable[[], None], name: str) -> None:
        # A running change must not be cancelled by the next one.
        self.run_worker(work, thread=True, group=f"memory-{name}", exclusive=name != "change")

    def _end_search(self) -> None:
        self._find.end()
        if self._find.has_focus:
            self._list.focus()

    def _show_last_line(self, listing: ItemList) -> None:
        self._shown_listing = listing
        self.border_subtitle = format_last_line(listing, self.size.width)

    def _show_keys(self) -> None:
        selected, width = self._showing.selection, max(20, self._keys.size.width)
        listed = self._mode is Mode.LIST
        self.border_title = _("Memory · letters act on the marked line") if listed else _("Memory")
        self._keys.update(Content(memory_footer(self._mode, selected.acts, width, opens=selected.opens)))

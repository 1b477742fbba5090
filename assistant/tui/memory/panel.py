"""The memory panel: sections, their items, details of the selected item, and actions on it.

`MemorySections` is the line of sections, with the open one marked; `MemoryListController` shows a section,
search results, and the selected item's details. Slow work runs in threads that only post messages; only the
message handlers change what is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from textual import events as section_events
from textual import events as textual_events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from assistant import events
from assistant.engine import Engine
from assistant.i18n import _, sentences
from assistant.memory_view.items import Item, ItemAction, ItemDetails, ItemList, ItemLocation, Section
from assistant.tui.memory.edit import (
    MemoryActions,
    MemoryEditor,
    MemoryRetention,
    Run,
    SaveLimit,
    Selection,
    StoreOperation,
)
from assistant.tui.memory.jobs import (
    MEMORY,
    NOT_READ,
    READING,
    KeyMode,
    MemoryChanged,
    MemoryDetailsLoaded,
    MemoryFound,
    MemoryItemLocated,
    MemoryJobs,
    MemoryLoaded,
    MemoryPreviewReady,
    MemoryPrompt,
    MemoryStale,
    Where,
    is_key_active,
    memory_bindings,
    memory_footer,
    memory_help,
)
from assistant.tui.memory.widgets import SECTIONS, MemoryDetails, MemoryFind, MemoryList, format_last_line

_OPEN, _GAP = "▸", " "
_SECTIONS = list(Section)
_MORE = 2


class MemorySections(Widget):
    """A click opens a section. If not all fit, those around the open one are shown."""

    ALLOW_SELECT = False

    @dataclass
    class Picked(Message):
        """A section was clicked."""

        section: Section

    def __init__(self) -> None:
        super().__init__(id="memory-sections")
        self._section = Section.PREFERENCES

    def show(self, section: Section) -> None:
        """Mark the open section."""
        self._section = section
        self.refresh()

    def render(self) -> Content:
        """As many names as fit, with signs for hidden ones."""
        first, last = self._window(self.content_size.width)
        names = [self._format_section(section) for section in _SECTIONS[first : last + 1]]
        before = "‹ " if first else ""
        after = " ›" if last + 1 < len(_SECTIONS) else ""
        line = Content.assemble((before, "bold"), Content(_GAP).join(names), (after, "bold"))
        return line.truncate(self.content_size.width, ellipsis=True)

    def on_click(self, event: section_events.Click) -> None:
        """Open the section under the pointer; the signs at the ends open the next hidden one."""
        first, last = self._window(self.content_size.width)
        end = _MORE if first else 0
        if event.x < end:
            self.post_message(self.Picked(_SECTIONS[first - 1]))
            return
        for section in _SECTIONS[first : last + 1]:
            end += self._format_section(section).cell_length + 1
            if event.x < end:
                self.post_message(self.Picked(section))
                return
        if last + 1 < len(_SECTIONS):
            self.post_message(self.Picked(_SECTIONS[last + 1]))

    def _format_section(self, section: Section) -> Content:
        name = _(SECTIONS[section])
        if section is self._section:
            return Content.styled(_OPEN + name, "bold $text-accent")
        return Content.styled(_GAP + name, "$foreground-muted")

    def _window(self, width: int) -> tuple[int, int]:
        """The first and last visible section: as many as fit around the open one."""
        widths = [self._format_section(section).cell_length + 1 for section in _SECTIONS]
        if sum(widths) - 1 <= width:
            return 0, len(_SECTIONS) - 1
        first = last = _SECTIONS.index(self._section)
        room = width - 2 * _MORE - widths[first]
        if first and widths[first - 1] <= room:
            first -= 1
            room -= widths[first]
        while last + 1 < len(_SECTIONS) and widths[last + 1] <= room:
            last += 1
            room -= widths[last]
        while first and widths[first - 1] <= room:
            first -= 1
            room -= widths[first]
        return first, last


@dataclass(frozen=True, slots=True)
class MemoryDisplay:
    """The widgets in which the panel shows it."""

    find: MemoryFind
    items: MemoryList
    about: MemoryDetails


class MemoryListController:
    """Shows one section at a time, and reloads it after a change.

    Args:
        work: reads the memory, in threads.
        run: runs these jobs.
        shown: the widgets.
        tell: gets the listing for the panel's last line.
        after: called when the selection or its details change, because other keys are then active.
    """

    def __init__(
        self,
        work: MemoryJobs,
        run: Run,
        shown: MemoryDisplay,
        tell: Callable[[ItemList], None],
        after: Callable[[], None],
    ) -> None:
        self.section = Section.PREFERENCES
        self.elsewhere: Section | None = None
        """Another section that holds the words of the search, if this one does not."""
        self._jobs = work
        self._run = run
        self._shown = shown
        self._tell = tell
        self._after = after
        self._listing = ItemList(())
        self._details: ItemDetails | None = None
        self._selected: Item | None = None
        self._toggled: frozenset[str] = frozenset()
        self._item_to_select = ""
        self._places: dict[Section, str] = {}
        self._note = ""
        self._mark = READING

    @property
    def selection(self) -> Selection:
        """The selected item, with its details as far as loaded."""
        item = self._shown.items.item
        return Selection(self.section, item, self._details if item == self._selected else None)

    def show_section(self, section: Section, item_id: str) -> None:
        """Show a section, and select one of its items, by default the one that was selected there last."""
        if (item := self._shown.items.item) is not None:
            self._places[self.section] = item.id
        self.section, self.elsewhere, self._mark = section, None, READING
        self._item_to_select = item_id or self._places.get(section, "")
        self._show_listing(ItemList((), _("Looking …")))
        self.load()

    def load(self) -> None:
        """Reload the section."""
        self._run(partial(self._jobs.load, self.section, self._toggled, self._item_to_select), "load")

    def toggle(self, item: Item) -> None:
        """Open or close a branch."""
        self._toggled ^= {item.id}
        self._item_to_select = item.id
        self.load()

    def reload_if_stale(self) -> None:
        """Reload if another program changed the section, or if it could not be read before."""
        if self._mark == NOT_READ:
            self.load()
        elif self._mark != READING:
            self._run(partial(self._jobs.watch, self.section, self._mark), "watch")

    def search(self) -> None:
        """Search for the text in the search field."""
        text = self._shown.find.value
        if text.strip():
            self._jobs.set_search(self.section, text)
            self._run(partial(self._jobs.find, self.section, text), "find")
        else:
            self._shown.find.answered(text)
            self.show_all()

    def show_all(self) -> None:
        """Show the whole section again."""
        self.elsewhere = None
        self._jobs.set_search(self.section, "")
        self._show_listing(self._listing)

    def load_details(self) -> None:
        """Show the selected item, and load its details."""
        item = self._shown.items.item
        if item != self._selected:
            self._details = None
        self._selected = item
        self._after()
        if item is None:
            self._shown.about.show_note(self._note)
        else:
            self._shown.about.show(item, self._details)
            self._run(partial(self._jobs.load_details, self.section, item), "look")

    def section_loaded(self, message: MemoryLoaded) -> None:
        """Show a loaded section, unless another one was selected meanwhile."""
        if message.section is self.section:
            self._listing, self._mark = message.listing, message.mark
            if self._shown.find.finding and self._shown.find.value.strip():
                self.search()
            else:
                self._show_listing(message.listing)

    def results_found(self, message: MemoryFound) -> None:
        """Show search results and select the best, unless the search text has changed."""
        if message.section is self.section and message.text == self._shown.find.value:
            listing = message.listing
            if listing.elsewhere is not None:
                listing = replace(listing, note=sentences(listing.note, _("Enter goes there.")))
            items, note, self.elsewhere = listing.items, listing.note, listing.elsewhere
            exact = next((item.id for item in items if not item.near), "")
            if self._shown.find.waiting:
                self._item_to_select = exact
                if not exact:
                    self._shown.items.unmark()
            self._shown.find.answered(message.text)
            self._show_listing(listing)
            if items and not exact:
                self._note = sentences(note, _("≈ is closest to it: ↓ marks one."))
                self._tell(ItemList(items))
                self.load_details()

    def details_loaded(self, message: MemoryDetailsLoaded) -> bool:
        """Show loaded details; returns whether their item is still selected."""
        if self._shown.items.item != message.item:
            return False
        self._details = message.details
        self._shown.about.show(message.item, message.details)
        self._after()
        return True

    def _show_listing(self, listing: ItemList) -> None:
        item_id, self._item_to_select = self._item_to_select, "" if listing.items else self._item_to_select
        items = self._shown.items
        before = items.item
        items.show(listing.items, item_id)
        self._tell(listing)
        self._note = listing.note
        if not listing.items:
            self._shown.about.show_note(listing.note)
            self._after()
        elif items.item == before:
            self.load_details()


_WATCHED = 2.0
"""Seconds between two checks whether another program has changed the memory."""
_SENTENCE = 1.5
"""Seconds within which the next letter of a sentence is typed, also by a slow hand."""
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

    def __init__(self, engine: Engine, clock: Callable[[], float]) -> None:
        super().__init__(id="memory")
        self.border_title = _("Memory")
        self._jobs = MemoryJobs(engine, self.post_message)
        self._clock = clock
        self._asked_by = ("", float("-inf"))
        self._trail: list[ItemLocation] = []
        self._all_keys = False
        self._shown_listing = ItemList(())
        self._sections = MemorySections()
        self._find = MemoryFind()
        self._list = MemoryList()
        self._details = MemoryDetails()
        self._prompt = MemoryPrompt(clock)
        self._keys = Static(id="memory-keys", markup=False)
        shown = MemoryDisplay(self._find, self._list, self._details)
        self._list_controller = MemoryListController(
            self._jobs, self._run, shown, self._show_last_line, self._show_keys
        )
        self._actions = MemoryActions(self._jobs, self._run, self._prompt, self._show_keys)
        self._editor = MemoryEditor(self._actions, self._list, self._details)
        self._retention = MemoryRetention(self._actions, engine)

    def compose(self) -> ComposeResult:
        """Sections, items, details, dialog, keys."""
        yield self._sections
        yield self._find
        yield self._list
        yield self._details
        yield self._prompt
        yield self._keys

    def on_mount(self) -> None:
        """Check periodically whether another program has changed the memory, while the panel is shown."""
        self._watching = self.set_interval(_WATCHED, self._watch, pause=True)

    def on_show(self) -> None:
        """Begin to check."""
        self._watching.resume()

    def on_hide(self) -> None:
        """Nothing may wake the program for what is not shown."""
        self._watching.pause()

    def route_key(self, event: textual_events.Key) -> bool:
        """Whether a key was taken here: a character that is no answer to the open question refuses it.

        Right behind the letter that has asked it is the second one of a sentence, which goes to the field.
        """
        character = event.character if event.is_printable and "+" not in event.key else ""
        if self._mode is not KeyMode.ASKED or not character:
            self._asked_by = (character or "", self._clock())
            return False
        letters, since = self._asked_by
        is_sentence = self._clock() - since < _SENTENCE
        if is_sentence:
            self._asked_by = (letters + character, self._clock())
        if character in "yYnN":
            return False
        self.action_keep()
        if is_sentence:
            self._list.type_in_field(letters + character)
        return True

    def set_save_limit(self, save_limit: SaveLimit) -> None:
        """Set the function that saves limits to the settings."""
        self._retention.save_limit = save_limit

    @property
    def section(self) -> Section:
        """The section that is shown."""
        return self._list_controller.section

    @property
    def keys_now(self) -> list[tuple[str, str]]:
        """The active keys, for the help; empty if the panel lacks the focus."""
        selected = self._list_controller.selection
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
        modes = (KeyMode.ASKED, KeyMode.TYPING, KeyMode.FINDING, KeyMode.MERGING)
        return self.focused and (self._mode in modes or self._details.shows_lines)

    @property
    def item(self) -> Item | None:
        """The selected item."""
        return self._list.item

    @property
    def searching(self) -> bool:
        """Whether the search text has not been searched for yet, or a letter waits for another one."""
        return self._find.waiting or self._list.is_waiting

    def open(self, section: Section | None = None) -> None:
        """Show the current memory, by default the section that was shown last, and take the focus."""
        self._list.focus()
        self.show_section(section or self.section)

    def open_where(self, where: Where, *, focuses: bool = True) -> None:
        """Open the panel at a location, by default with the focus."""
        if focuses:
            self._list.focus()
        self._prompt.show_message(_("Looking …"))
        self._run(partial(self._jobs.locate, where), "spot")

    def take_sentences(self) -> None:
        """A typed line has opened the panel: letters go on as a line, until a key moves in the list."""
        self._list.takes_sentences = True

    def search(self, words: str) -> None:
        """Find words in the section that is shown."""
        self.action_find()
        self._find.value = words

    def back(self) -> None:
        """Leave the innermost dialog: question, input, merge, search, or the panel itself."""
        if self._prompt.asking:
            self.action_keep()
        elif self._prompt.typing:
            self._prompt.leave()
        elif self._editor.merging:
            self._editor.set_merge_target(None)
            self._prompt.show_message(_("Not merged."))
        elif self._find.finding:
            self._end_search()
            self._list_controller.show_all()
        elif self._details.shows_lines:
            self._details.leave_lines()
            self._list_controller.load_details()
        else:
            self.post_message(self.Left())

    def handle_event(self, event: events.Event) -> None:
        """Reload after a turn, which may have taught something."""
        if isinstance(event, events.TurnFinished) and self.is_open and not self._actions.busy:
            self._list_controller.load()

    def scroll_page(self, direction: int) -> None:
        """Scroll the details."""
        self._details.scroll_page(direction)

    def show_section(self, section: Section, item_id: str = "") -> None:
        """Show a section, and select one of its items."""
        self._end_search()
        self._editor.set_merge_target(None)
        self._sections.show(section)
        self._prompt.show_message("")
        self._list_controller.show_section(section, item_id)

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
            self._list_controller.toggle(item)
        elif self.section is Section.RECORDS:
            self._trail.append(ItemLocation(self.section, item.id))
            self._run(partial(self._jobs.locate, lambda view: view.spot([item.id])), "spot")
        elif (details := self._list_controller.selection.details) is not None and details.evidence:
            self._trail.append(ItemLocation(self.section, item.id))
            self.show_section(Section.RECORDS, details.evidence[0].id)
        else:
            self._prompt.show_message(_("No records support it."))

    def action_all_keys(self) -> None:
        """Show all keys in the last lines, or the usual ones."""
        self._all_keys = not self._all_keys
        self._show_keys()

    def action_return(self) -> None:
        """Go back to the item before the last jump."""
        if self._trail:
            spot = self._trail.pop()
            self.show_section(spot.section, spot.item_id)

    def action_change(self, act: str) -> None:
        """Change the selected item."""
        self._editor.do(ItemAction(act), self._list_controller.selection)

    def action_agree(self) -> None:
        """Confirm the open question."""
        self._prompt.agree()

    def action_keep(self) -> None:
        """Refuse the open question."""
        self._prompt.refuse(_("Kept."))

    def action_whole(self, errand: str) -> None:
        """Start an action on the whole memory."""
        self._retention.do(StoreOperation(errand))

    def on_memory_sections_picked(self, message: MemorySections.Picked) -> None:
        """A section was clicked."""
        message.stop()
        if not self._actions.busy:
            self._list.focus()
            self.show_section(message.section)

    def on_memory_loaded(self, message: MemoryLoaded) -> None:
        """Show a section."""
        message.stop()
        self._list_controller.section_loaded(message)

    def on_memory_found(self, message: MemoryFound) -> None:
        """Show search results."""
        message.stop()
        self._list_controller.results_found(message)

    def on_memory_details_loaded(self, message: MemoryDetailsLoaded) -> None:
        """Show the details of the item."""
        message.stop()
        if self._list_controller.details_loaded(message):
            self._editor.details_loaded(message.item, message.details, typing=self._prompt.typing)

    def on_memory_preview_ready(self, message: MemoryPreviewReady) -> None:
        """Continue with the preview."""
        message.stop()
        self._actions.preview_ready(message, self.item)

    def on_memory_changed(self, message: MemoryChanged) -> None:
        """Show the result of a change, and reload."""
        message.stop()
        self._editor.set_merge_target(None)
        self._details.leave_lines()
        self._actions.change_done(message)
        self._show_keys()
        self._list_controller.load()

    def on_memory_stale(self, message: MemoryStale) -> None:
        """Reload what another program has changed; input is kept."""
        message.stop()
        if not self._actions.changing:
            self._list_controller.load()

    def on_memory_item_located(self, message: MemoryItemLocated) -> None:
        """Go to a location."""
        message.stop()
        self.show_section(message.spot.section, message.spot.item_id)
        self._prompt.show_message(message.spot.note)

    def on_memory_list_looked(self, message: MemoryList.Looked) -> None:
        """Load the details of the selected item."""
        message.stop()
        if self._prompt.asking:
            self.action_keep()
        self._details.scroll_home(animate=False)
        self._list_controller.load_details()

    def on_memory_list_chosen(self, message: MemoryList.Chosen) -> None:
        """Open an item that was clicked twice."""
        message.stop()
        if not self._actions.busy:
            self.action_open()

    def on_memory_prompt_settled(self, message: MemoryPrompt.Settled) -> None:
        """Return the focus to the list, unless another input has opened."""
        message.stop()
        if self.has_focus_within and not self._prompt.typing:
            self._list.focus()
        self._show_keys()

    def on_memory_find_rested(self, message: MemoryFind.Rested) -> None:
        """Search when typing pauses."""
        message.stop()
        self._list_controller.search()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Move the focus from the search field to the results, in the section that holds the words."""
        message.stop()
        self.screen.set_focus(self._list)
        if (section := self._list_controller.elsewhere) is not None and not self._find.waiting:
            self.show_section(section)
            self.search(message.value)
            self.screen.set_focus(self._list)

    def on_descendant_focus(self) -> None:
        """Update the active keys."""
        self._show_keys()

    def on_descendant_blur(self) -> None:
        """Update the active keys."""
        self._show_keys()

    def on_resize(self, event: textual_events.Resize) -> None:
        """Format the lines for the new width."""
        self._show_last_line(self._shown_listing)
        self.call_after_refresh(self._list_controller.load_details)

    @property
    def _mode(self) -> KeyMode:
        """What the keys do at present."""
        if self._prompt.asking:
            return KeyMode.ASKED
        if self._prompt.typing:
            return KeyMode.TYPING
        if not self.has_focus_within:
            return KeyMode.AWAY
        if self._find.has_focus:
            return KeyMode.FINDING
        return KeyMode.MERGING if self._editor.merging else KeyMode.LIST

    def _watch(self) -> None:
        if self.is_open and not self._actions.changing:
            self._list_controller.reload_if_stale()

    def _run(self, work: Callable[[], None], name: str) -> None:
        # A running change must not be cancelled by the next one.
        self.run_worker(work, thread=True, group=f"memory-{name}", exclusive=name != "change")

    def _end_search(self) -> None:
        if self.screen.focused is self._find:
            # Before it is hidden: Textual would give the focus to what comes next on the screen.
            self.screen.set_focus(self._list)
        self._find.end()

    def _show_last_line(self, listing: ItemList) -> None:
        self._shown_listing = listing
        self.border_subtitle = format_last_line(listing, self.size.width)

    def _show_keys(self) -> None:
        selected, width = self._list_controller.selection, max(20, self._keys.size.width)
        listed = self._mode is KeyMode.LIST
        self.set_class(self._mode in (KeyMode.ASKED, KeyMode.TYPING), "-dialog")
        self.border_title = _("Memory · letters act on the marked line") if listed else _("Memory")
        footer = memory_footer(
            self._mode, selected.acts, width, opens=selected.opens, all_keys=self._all_keys
        )
        self._keys.update(Content(footer))

"""Controls what the memory panel shows: a section, search results, and the selected item's details."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from assistant.i18n import _
from assistant.memory_view.items import Item, ItemDetails, ItemList, Section
from assistant.tui.memory_errands import Run, Selection
from assistant.tui.memory_work import NOT_READ, READING, MemoryFound, MemoryLoaded, MemoryLookedUp, MemoryWork
from assistant.tui.widgets.memory_about import MemoryAbout
from assistant.tui.widgets.memory_find import MemoryFind
from assistant.tui.widgets.memory_list import MemoryList


@dataclass(frozen=True, slots=True)
class Shown:
    """The widgets in which the panel shows it."""

    find: MemoryFind
    items: MemoryList
    about: MemoryAbout


class MemoryShowing:
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
        work: MemoryWork,
        run: Run,
        shown: Shown,
        tell: Callable[[ItemList], None],
        after: Callable[[], None],
    ) -> None:
        self.section = Section.PREFERENCES
        self._work = work
        self._run = run
        self._shown = shown
        self._tell = tell
        self._after = after
        self._listing = ItemList(())
        self._details: ItemDetails | None = None
        self._selected: Item | None = None
        self._toggled: frozenset[str] = frozenset()
        self._item_to_select = ""
        self._mark = READING

    @property
    def selection(self) -> Selection:
        """The selected item, with its details as far as loaded."""
        return Selection(self.section, self._shown.items.item, self._details)

    def show_section(self, section: Section, item_id: str) -> None:
        """Show a section, and select one of its items."""
        self.section, self._item_to_select, self._mark = section, item_id, READING
        self._show_listing(ItemList((), _("Looking …")))
        self.load()

    def load(self) -> None:
        """Reload the section."""
        self._run(partial(self._work.load, self.section, self._toggled, self._item_to_select), "load")

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
            self._run(partial(self._work.watch, self.section, self._mark), "watch")

    def search(self) -> None:
        """Search for the text in the search field."""
        text = self._shown.find.value
        if text.strip():
            self._work.set_search(self.section, text)
            self._run(partial(self._work.find, self.section, text), "find")
        else:
            self._shown.find.answered(text)
            self.show_all()

    def show_all(self) -> None:
        """Show the whole section again."""
        self._work.set_search(self.section, "")
        self._show_listing(self._listing)

    def load_details(self) -> None:
        """Show the selected item, and load its details."""
        item = self._shown.items.item
        if item != self._selected:
            self._details = None
        self._selected = item
        self._after()
        if item is not None:
            self._shown.about.show(item, self._details)
            self._run(partial(self._work.load_details, self.section, item), "look")

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
            if self._shown.find.waiting and message.listing.items:
                self._item_to_select = message.listing.items[0].id
            self._shown.find.answered(message.text)
            self._show_listing(message.listing)

    def details_loaded(self, message: MemoryLookedUp) -> bool:
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
        if not listing.items:
            self._shown.about.show_note(listing.note)
            self._after()
        elif items.item == before:
            self.load_details()

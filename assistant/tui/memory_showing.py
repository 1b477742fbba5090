"""What the memory panel shows: a section, what is found in it, and what stands behind the item looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from assistant.language import _
from assistant.memory_view.items import Details, Item, Listing, Section
from assistant.tui.memory_errands import Run, Selection
from assistant.tui.memory_work import NOT_READ, READING, MemoryFound, MemoryLoaded, MemoryLookedUp, MemoryWork
from assistant.tui.widgets.memory_about import MemoryAbout
from assistant.tui.widgets.memory_find import MemoryFind
from assistant.tui.widgets.memory_list import MemoryList


@dataclass(frozen=True, slots=True)
class Shown:
    """Where things are shown."""

    find: MemoryFind
    items: MemoryList
    about: MemoryAbout


class MemoryShowing:
    """One section at a time, read again where it was changed.

    Args:
        work: reads, in threads.
        run: runs that work.
        shown: where it is shown.
        tell: takes a listing for the panel's last line.
        after: is called when another item is looked at, or more is known of it: other keys mean something.
    """

    def __init__(
        self,
        work: MemoryWork,
        run: Run,
        shown: Shown,
        tell: Callable[[Listing], None],
        after: Callable[[], None],
    ) -> None:
        self.section = Section.PREFERENCES
        self._work = work
        self._run = run
        self._shown = shown
        self._tell = tell
        self._after = after
        self._listing = Listing(())
        self._details: Details | None = None
        self._looked_at: Item | None = None
        self._toggled: frozenset[str] = frozenset()
        self._wanted = ""
        self._mark = READING

    @property
    def selection(self) -> Selection:
        """What is selected, with what is known of it."""
        return Selection(self.section, self._shown.items.item, self._details)

    def turn_to(self, section: Section, item_id: str) -> None:
        """Show a section, and look at one of its items."""
        self.section, self._wanted, self._mark = section, item_id, READING
        self._fill(Listing((), _("Looking …")))
        self.load()

    def load(self) -> None:
        """Read the section anew."""
        self._run(partial(self._work.load, self.section, self._toggled, self._wanted), "load")

    def toggle(self, item: Item) -> None:
        """Open or close a branch."""
        self._toggled ^= {item.id}
        self._wanted = item.id
        self.load()

    def watch(self) -> None:
        """Look whether another program has changed the section that is shown, or it can be read by now."""
        if self._mark == NOT_READ:
            self.load()
        elif self._mark != READING:
            self._run(partial(self._work.watch, self.section, self._mark), "watch")

    def search(self) -> None:
        """Look for what is typed."""
        text = self._shown.find.value
        if text.strip():
            self._work.seek(self.section, text)
            self._run(partial(self._work.find, self.section, text), "find")
        else:
            self._shown.find.answered(text)
            self.show_all()

    def show_all(self) -> None:
        """Show the whole section again."""
        self._work.seek(self.section, "")
        self._fill(self._listing)

    def look_up(self) -> None:
        """Show the item that is selected by now, and look up what stands behind it."""
        item = self._shown.items.item
        if item != self._looked_at:
            self._details = None
        self._looked_at = item
        self._after()
        if item is not None:
            self._shown.about.show(item, self._details)
            self._run(partial(self._work.look_up, self.section, item), "look")

    def loaded(self, message: MemoryLoaded) -> None:
        """Show a section, unless another was turned to meanwhile."""
        if message.section is self.section:
            self._listing, self._mark = message.listing, message.mark
            if self._shown.find.finding and self._shown.find.value.strip():
                self.search()
            else:
                self._fill(message.listing)

    def found(self, message: MemoryFound) -> None:
        """Show what was found, the best of it first looked at, unless something else is sought by now."""
        if message.section is self.section and message.text == self._shown.find.value:
            if self._shown.find.waiting and message.listing.items:
                self._wanted = message.listing.items[0].id
            self._shown.find.answered(message.text)
            self._fill(message.listing)

    def looked_up(self, message: MemoryLookedUp) -> bool:
        """Show what stands behind the item; whether it is still looked at."""
        if self._shown.items.item != message.item:
            return False
        self._details = message.details
        self._shown.about.show(message.item, message.details)
        self._after()
        return True

    def _fill(self, listing: Listing) -> None:
        wanted, self._wanted = self._wanted, "" if listing.items else self._wanted
        items = self._shown.items
        before = items.item
        items.show(listing.items, wanted)
        self._tell(listing)
        if not listing.items:
            self._shown.about.show_note(listing.note)
            self._after()
        elif items.item == before:
            self.look_up()

"""The memory beside the turn: sections, their items, what stands behind one, and what can be done with it.

Everything slow happens in threads, which only post messages; what is shown changes in their handlers.
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
from assistant.language import _
from assistant.memory_view.items import Act, Details, Item, Listing, Section, Spot
from assistant.tui.door import EngineDoor
from assistant.tui.memory_changing import MemoryChanging
from assistant.tui.memory_errands import MemoryErrands, Selection
from assistant.tui.memory_keeping import MemoryKeeping
from assistant.tui.memory_keys import MEMORY, memory_bindings, memory_footer
from assistant.tui.memory_lines import last_line
from assistant.tui.memory_work import (
    MemoryChanged,
    MemoryFound,
    MemoryLoaded,
    MemoryLookedUp,
    MemorySpotted,
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
_ACTIONS = frozenset(key.action.partition("(")[0] for key in MEMORY)


class MemoryPanel(Vertical):
    """One section at a time. Its plain letters count only while the list of items has the focus.

    Args:
        engine: gives the memory.
        clock: seconds that only grow, for the gate before something is done for good.
    """

    BINDINGS: ClassVar[list[BindingType]] = list(memory_bindings())

    class Left(Message):
        """The panel gives the focus back."""

    def __init__(self, engine: EngineDoor, clock: Callable[[], float]) -> None:
        super().__init__(id="memory")
        self.border_title = _("Memory")
        self.section = Section.PREFERENCES
        self._work = MemoryWork(engine, self.post_message)
        self._listing = Listing(())
        self._details: Details | None = None
        self._looked_at: Item | None = None
        self._toggled: frozenset[str] = frozenset()
        self._wanted = ""
        self._trail: list[Spot] = []
        self._sections = MemorySections()
        self._find = MemoryFind()
        self._list = MemoryList()
        self._about = MemoryAbout()
        self._talk = MemoryTalk(clock)
        self._keys = Static(id="memory-keys", markup=False)
        self._errands = MemoryErrands(self._work, self._run, self._talk, self._show_keys)
        self._changing = MemoryChanging(self._errands, self._list)
        self._keeping = MemoryKeeping(self._errands, self._talk)

    def compose(self) -> ComposeResult:
        """Sections, items, one item, and what can be done."""
        yield self._sections
        yield self._find
        yield self._list
        yield self._about
        yield self._talk
        yield self._keys

    @property
    def is_open(self) -> bool:
        """Whether the panel is shown."""
        return self.screen.has_class("-memory")

    @property
    def focused(self) -> bool:
        """Whether keys go to the panel."""
        return self.is_open and self.has_focus_within

    @property
    def item(self) -> Item | None:
        """The item that is looked at."""
        return self._list.item

    @property
    def searching(self) -> bool:
        """Whether what is typed has not been looked for yet."""
        return self._find.waiting

    def open(self) -> None:
        """Show what is remembered now, and take the keys."""
        self._list.focus()
        self.show_section(self.section)

    def open_where(self, where: Where) -> None:
        """Open the panel where something stands."""
        self._list.focus()
        self._talk.say(_("Looking …"))
        self._run(partial(self._work.spot, where), "spot")

    def back(self) -> None:
        """Leave the innermost thing: a question, a field, what is to be merged, or the panel."""
        if self._talk.asking:
            self.action_keep()
        elif self._talk.typing:
            self._talk.leave()
        elif self._changing.merging:
            self._changing.keep(None)
            self._talk.say(_("Not merged."))
        elif self._find.finding:
            self._stop_finding()
            self._fill(self._listing)
        else:
            self.post_message(self.Left())

    def heed(self, event: events.Event) -> None:
        """A turn that ends may have taught something."""
        if isinstance(event, events.TurnFinished) and self.is_open and not self._errands.busy:
            self._load()

    def scroll_page(self, direction: int) -> None:
        """Scroll what stands behind the item."""
        self._about.scroll_page(direction)

    def show_section(self, section: Section, item_id: str = "") -> None:
        """Turn to a section, and to one of its items."""
        self.section = section
        self._wanted = item_id
        self._stop_finding()
        self._changing.keep(None)
        self._sections.show(section)
        self._talk.say("")
        self._fill(Listing((), _("Looking …")))
        self._load()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a question stands, only its answers mean something; while one types, nothing does."""
        answers = action in ("agree", "keep")
        return answers == self._talk.asking if action in _ACTIONS else True

    def action_section(self, step: int) -> None:
        """Turn to the next section, or the one before."""
        at = (_SECTIONS.index(self.section) + step) % len(_SECTIONS)
        self._trail.clear()
        self.show_section(_SECTIONS[at])

    def action_find(self) -> None:
        """Find items by words."""
        self._find.begin()

    def action_open(self) -> None:
        """Open or close a branch; elsewhere go to the newest record behind, from a record to what it made."""
        item = self.item
        if item is None:
            return
        if item.opened is not None:
            self._toggled ^= {item.id}
            self._wanted = item.id
            self._load()
        elif self.section is Section.RECORDS:
            self._trail.append(Spot(self.section, item.id))
            self._run(partial(self._work.spot, lambda view: view.spot([item.id])), "spot")
        elif self._details is not None and self._details.evidence:
            self._trail.append(Spot(self.section, item.id))
            self.show_section(Section.RECORDS, self._details.evidence[0].id)
        else:
            self._talk.say(_("There is no record behind it."))

    def action_return(self) -> None:
        """Back to where one came from."""
        if self._trail:
            spot = self._trail.pop()
            self.show_section(spot.section, spot.item_id)

    def action_change(self, act: str) -> None:
        """Do something with the item."""
        self._changing.do(Act(act), self._selection)

    def action_agree(self) -> None:
        """Do what was asked about."""
        self._talk.agree()

    def action_keep(self) -> None:
        """Leave things as they are."""
        self._talk.refuse(_("Kept."))

    def action_sources(self) -> None:
        """Choose where records must come from to be learnt from."""
        self._keeping.choose_sources()

    def action_export(self) -> None:
        """Write all records to a file."""
        self._keeping.export()

    def action_import(self) -> None:
        """Take records in from a file."""
        self._keeping.take_in()

    def action_wipe(self) -> None:
        """Delete everything, once that is typed out."""
        self._keeping.wipe()

    def on_memory_sections_picked(self, message: MemorySections.Picked) -> None:
        """A section was clicked."""
        message.stop()
        if not self._errands.busy:
            self._list.focus()
            self.show_section(message.section)

    def on_memory_loaded(self, message: MemoryLoaded) -> None:
        """Show a section, unless another was turned to meanwhile."""
        message.stop()
        if message.section is self.section:
            self._listing = message.listing
            if self._find.finding and self._find.value.strip():
                self._search()
            else:
                self._fill(message.listing)

    def on_memory_found(self, message: MemoryFound) -> None:
        """Show what was found, unless something else is looked for by now."""
        message.stop()
        if message.section is self.section and message.text == self._find.value:
            self._find.answered(message.text)
            self._fill(message.listing)

    def on_memory_looked_up(self, message: MemoryLookedUp) -> None:
        """Show what stands behind the item, if it is still looked at."""
        message.stop()
        if self.item == message.item:
            self._details = message.details
            self._about.show(message.item, message.details)
            self._show_keys()

    def on_memory_weighed(self, message: MemoryWeighed) -> None:
        """Go on with what was to be known."""
        message.stop()
        self._errands.weighed(message, self.item)

    def on_memory_changed(self, message: MemoryChanged) -> None:
        """Say what happened, and show how things stand now."""
        message.stop()
        self._changing.keep(None)
        self._errands.changed(message.sentence)
        self._load()

    def on_memory_spotted(self, message: MemorySpotted) -> None:
        """Turn to where something stands."""
        message.stop()
        self.show_section(message.spot.section, message.spot.item_id)

    def on_memory_list_looked(self, message: MemoryList.Looked) -> None:
        """Look up what stands behind the item."""
        message.stop()
        if self._talk.asking:
            self.action_keep()
        self._about.scroll_home(animate=False)
        self._look_up(message.item)

    def on_memory_list_chosen(self, message: MemoryList.Chosen) -> None:
        """Clicked once more."""
        message.stop()
        if not self._errands.busy:
            self.action_open()

    def on_memory_talk_settled(self, message: MemoryTalk.Settled) -> None:
        """Keys go to the list again."""
        message.stop()
        if self.has_focus_within:
            self._list.focus()
        self._show_keys()

    def on_memory_find_rested(self, message: MemoryFind.Rested) -> None:
        """Find as one types, once the fingers rest."""
        message.stop()
        self._search()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """From finding, go to what was found."""
        message.stop()
        self._list.focus()

    def on_resize(self, event: textual_events.Resize) -> None:
        """Lines are as long as the panel is wide."""
        self.call_after_refresh(self._look_up, self.item)

    @property
    def _selection(self) -> Selection:
        return Selection(self.section, self.item, self._details)

    def _load(self) -> None:
        self._run(partial(self._work.load, self.section, self._toggled, self._wanted), "load")

    def _search(self) -> None:
        text = self._find.value
        if not text.strip():
            self._find.answered(text)
            self._fill(self._listing)
            return
        self._run(partial(self._work.find, self.section, text), "find")

    def _look_up(self, item: Item | None) -> None:
        if item != self._looked_at:
            self._details = None
        self._looked_at = item
        self._show_keys()
        if item is not None:
            self._about.show(item, self._details)
            self._run(partial(self._work.look_up, self.section, item), "look")

    def _run(self, work: Callable[[], None], name: str) -> None:
        # A change that is being written is not given up for the next.
        self.run_worker(work, thread=True, group=f"memory-{name}", exclusive=name != "change")

    def _stop_finding(self) -> None:
        self._find.end()
        if self._find.has_focus:
            self._list.focus()

    def _fill(self, listing: Listing) -> None:
        wanted, self._wanted = self._wanted, "" if listing.items else self._wanted
        before = self.item
        self._list.show(listing.items, wanted)
        self.border_subtitle = last_line(listing, self.size.width)
        if not listing.items:
            self._about.show_note(listing.note)
            self._show_keys()
        elif self.item == before:
            self._look_up(self.item)

    def _show_keys(self) -> None:
        selected, width = self._selection, max(20, self._keys.size.width)
        keys = memory_footer(selected.acts, width, asking=self._talk.asking, opens=selected.opens)
        self._keys.update(Content("" if self._talk.typing else keys))

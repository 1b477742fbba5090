"""The memory beside the turn: sections, their items, what stands behind one, and changing it by hand.

Everything slow happens in threads, which only post messages; what is shown changes in their handlers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual import events as textual_events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList, Static

from assistant import events
from assistant.memory_view.items import Act, Item, Listing, Section
from assistant.tui.door import EngineDoor
from assistant.tui.keys import MEMORY, memory_bindings, memory_footer
from assistant.tui.memory_lines import about
from assistant.tui.memory_work import MemoryChanged, MemoryLoaded, MemoryLookedUp, MemoryWeighed, MemoryWork
from assistant.tui.prompts import Gate
from assistant.tui.widgets.memory_list import SHOWN, MemoryList
from assistant.tui.widgets.memory_sections import MemorySections
from assistant.tui.words import clip, one_line, safe

_NAMED = 60
_CLOSES = "f2 closes"
_WAIT = "Wait: the last change is being written."
_SECTIONS = list(Section)
_ACTIONS = frozenset(key.action.partition("(")[0] for key in MEMORY)


class MemoryPanel(Vertical):
    """One section at a time. Its plain letters count only while the list of items has the focus.

    Args:
        engine: gives the memory.
        clock: seconds that only grow, for the gate before something is forgotten.
    """

    BINDINGS: ClassVar[list[BindingType]] = list(memory_bindings())

    class Left(Message):
        """The panel gives the focus back."""

    def __init__(self, engine: EngineDoor, clock: Callable[[], float]) -> None:
        super().__init__(id="memory")
        self.border_title = "Memory"
        self.gate = Gate(clock)
        self.section = Section.PREFERENCES
        self._work = MemoryWork(engine, self.post_message)
        self._listing = Listing(())
        self._asked: Item | None = None
        self._question = ""
        self._edited: Item | None = None
        self._acting = False
        self._sections = MemorySections()
        self._find = Input(id="memory-find", placeholder="Find", compact=True, select_on_focus=False)
        self._list = MemoryList()
        self._text = Static(id="memory-text", markup=False)
        self._about = VerticalScroll(self._text, id="memory-about", can_focus=False)
        self._edit = Input(id="memory-edit", compact=True, select_on_focus=False)
        self._said = Static(id="memory-said", markup=False)
        self._keys = Static(id="memory-keys", markup=False)
        for field in (self._find, self._edit):
            field.cursor_blink = False

    def compose(self) -> ComposeResult:
        """Sections, items, one item, and what can be done."""
        yield self._sections
        yield self._find
        yield self._list
        yield self._about
        yield self._edit
        yield self._said
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

    def open(self) -> None:
        """Show what is remembered now, and take the keys."""
        self._list.focus()
        self.show_section(self.section)

    def back(self) -> None:
        """Leave the innermost thing: a question, a field, or the panel."""
        if self._asked is not None:
            self.action_keep()
        elif self._edited is not None:
            self._end_edit("Not changed.")
        elif self.has_class("-finding"):
            self.remove_class("-finding")
            self._find.value = ""
            self._list.focus()
        else:
            self.post_message(self.Left())

    def heed(self, event: events.Event) -> None:
        """A turn that ends may have taught something."""
        if isinstance(event, events.TurnFinished) and self.is_open and not self._busy:
            self._load()

    def scroll_page(self, direction: int) -> None:
        """Scroll what stands behind the item."""
        self._about.scroll_relative(y=direction * max(1, self._about.size.height - 1), animate=False)

    def show_section(self, section: Section) -> None:
        """Turn to a section."""
        self.section = section
        self._sections.show(section)
        self._listing = Listing((), "Looking …")
        self._say("")
        self._fill()
        self._load()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a question stands, only its answers mean something."""
        answers = action in ("forget_now", "keep")
        return answers == (self._asked is not None) if action in _ACTIONS else True

    def action_section(self, step: int) -> None:
        """Turn to the next section, or the one before."""
        at = (_SECTIONS.index(self.section) + step) % len(_SECTIONS)
        self.show_section(_SECTIONS[at])

    def action_find(self) -> None:
        """Find items by words."""
        self.add_class("-finding")
        self._find.focus()

    def action_edit(self) -> None:
        """Open the field for another wording."""
        if (item := self._may(Act.EDIT)) is not None:
            self._edited = item
            self.add_class("-editing")
            self._edit.value = one_line(item.name)
            self._edit.focus()
            self._say("enter keeps it · esc leaves it as it was")

    def action_pin(self) -> None:
        """Pin or unpin the item."""
        if (item := self._may(Act.PIN)) is not None:
            self._change(partial(self._work.change, Act.PIN, self.section, item))

    def action_hide(self) -> None:
        """Hide or show the item."""
        if (item := self._may(Act.HIDE)) is not None:
            self._change(partial(self._work.change, Act.HIDE, self.section, item))

    def action_forget(self) -> None:
        """Ask whether the item is to be forgotten, saying what goes with it."""
        if (item := self._may(Act.FORGET)) is not None:
            self._say("Looking what goes with it …")
            self._run(partial(self._work.weigh, self.section, item), "weigh")

    def action_forget_now(self) -> None:
        """Forget what was asked about."""
        item, section = self._asked, self.section
        if item is None:
            return
        if not self.gate.settled:
            self._say(f"{self._question} Not taken: wait a moment, then press the key again.")
            return
        self._answered()
        self._change(partial(self._work.change, Act.FORGET, section, item))

    def action_keep(self) -> None:
        """Forget nothing."""
        self._answered()
        self._say("Kept.")

    def action_undo(self) -> None:
        """Take back the selected change, elsewhere what was changed last."""
        self._turn_round(Act.UNDO)

    def action_redo(self) -> None:
        """Do again the selected change, elsewhere what was undone last."""
        self._turn_round(Act.REDO)

    def on_memory_sections_picked(self, message: MemorySections.Picked) -> None:
        """A section was clicked."""
        message.stop()
        if not self._busy:
            self._list.focus()
            self.show_section(message.section)

    def on_memory_loaded(self, message: MemoryLoaded) -> None:
        """Show a section, unless another was turned to meanwhile."""
        message.stop()
        if message.section is self.section:
            self._listing = message.listing
            self._fill()

    def on_memory_looked_up(self, message: MemoryLookedUp) -> None:
        """Show what stands behind the item, if it is still looked at."""
        message.stop()
        if self.item == message.item:
            self._text.update(about(message.item, message.details))

    def on_memory_weighed(self, message: MemoryWeighed) -> None:
        """Ask."""
        message.stop()
        if message.problem:
            self._say(message.sentence)
        if message.problem or self.item != message.item or self._busy:
            return
        self._asked = message.item
        name = clip(one_line(message.item.name), _NAMED)
        self._question = f"Forget “{name}”? {message.sentence} This cannot be undone."
        self.add_class("-asking")
        self.gate.shown()
        self._say(self._question)
        self._show_keys()

    def on_memory_changed(self, message: MemoryChanged) -> None:
        """Say what happened, and show how things stand now."""
        message.stop()
        self._acting = False
        self._say(message.sentence)
        self._load()

    def on_option_list_option_highlighted(self, message: OptionList.OptionHighlighted) -> None:
        """Look up what stands behind the item."""
        message.stop()
        item = self.item
        if self._asked is not None and item != self._asked:
            self.action_keep()
        self._about.scroll_home(animate=False)
        self._look_up(item)
        self._show_keys()

    def on_input_changed(self, message: Input.Changed) -> None:
        """Find as one types."""
        if message.input is self._find:
            self._fill()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Keep what was typed; from finding, go to what was found."""
        message.stop()
        item, section, text = self._edited, self.section, safe(message.value)
        if message.input is self._find:
            self._list.focus()
        elif item is not None and not self._acting:
            self._end_edit("")
            self._change(partial(self._work.change, Act.EDIT, section, item, text))

    def on_resize(self, event: textual_events.Resize) -> None:
        """Lines are as long as the list is wide."""
        self.call_after_refresh(self._fill)

    @property
    def _busy(self) -> bool:
        return self._acting or self._asked is not None or self._edited is not None

    def _may(self, act: Act) -> Item | None:
        """The item, if this can be done with it now."""
        item = self.item
        if self._acting:
            self._say(_WAIT)
        elif item is None:
            self._say("Nothing is selected.")
        elif act not in item.acts:
            self._say(f"There is nothing to {act} here.")
        else:
            return item
        return None

    def _turn_round(self, act: Act) -> None:
        item = self.item if self.section is Section.CHANGES else None
        if self._acting:
            self._say(_WAIT)
        elif item is None:
            self._change(partial(self._work.turn_round, act))
        elif act in item.acts:
            self._change(partial(self._work.change, act, self.section, item))
        else:
            self._say(f"This change cannot be {'undone' if act is Act.UNDO else 'done again'}.")

    def _end_edit(self, sentence: str) -> None:
        self._edited = None
        self.remove_class("-editing")
        self._list.focus()
        self._say(sentence)

    def _answered(self) -> None:
        self._asked = None
        self.remove_class("-asking")
        self._show_keys()

    def _load(self) -> None:
        self._run(partial(self._work.load, self.section), "load")

    def _look_up(self, item: Item | None) -> None:
        if item is None:
            self._text.update("")
            return
        self._text.update(about(item, None))
        self._run(partial(self._work.look_up, self.section, item), "look")

    def _change(self, work: Callable[[], None]) -> None:
        self._acting = True
        self._say("One moment …")
        self._run(work, "change", exclusive=False)

    def _run(self, work: Callable[[], None], group: str, *, exclusive: bool = True) -> None:
        self.run_worker(work, thread=True, group=f"memory-{group}", exclusive=exclusive)

    def _fill(self) -> None:
        self._tell_note(self._list.show(self._listing.items, self._find.value))
        self._show_keys()

    def _tell_note(self, found: int) -> None:
        note = self._listing.note
        if self._listing.items and not found:
            note = "Nothing is like these words."
        elif found > SHOWN:
            note = f"{SHOWN} of {found} are shown. Press / to find others."
        told = clip(one_line(note), _NAMED) if self._list.items else ""
        self.border_subtitle = Content(" · ".join(words for words in (told, _CLOSES) if words))
        if not self._list.items:
            self._text.update(Content.styled(one_line(note), "$foreground-muted"))

    def _say(self, sentence: str) -> None:
        self._said.update(Content(one_line(sentence)))

    def _show_keys(self) -> None:
        acts = self.item.acts if self.item is not None else frozenset()
        self._keys.update(Content(memory_footer(acts, asking=self._asked is not None)))

"""The memory beside the turn: sections, their items, what stands behind one, and changing it by hand.

Everything slow happens in threads, which only post messages; what is shown changes in their handlers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
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
from assistant.memory_view.care import CONFIRMATION
from assistant.memory_view.items import Act, Details, Field, Item, Listing, Section, Spot
from assistant.memory_view.view import MemoryView
from assistant.tui.door import EngineDoor
from assistant.tui.memory_keys import MEMORY, memory_bindings, memory_footer
from assistant.tui.memory_work import (
    Ask,
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
from assistant.tui.widgets.memory_talk import MemoryTalk, Take
from assistant.tui.words import clip, one_line

_NAMED = 60
_ENDS = 28
"""Columns of the last line that belong to the count and the key that closes."""
_SECTIONS = list(Section)
_ACTIONS = frozenset(key.action.partition("(")[0] for key in MEMORY)
_FILE = "~/assistant-records.jsonl"


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
        self._toggled: frozenset[str] = frozenset()
        self._wanted = ""
        self._trail: list[Spot] = []
        self._kept: Item | None = None
        self._weighed: Callable[[str], None] | None = None
        self._acting = False
        self._sections = MemorySections()
        self._find = MemoryFind()
        self._list = MemoryList()
        self._about = MemoryAbout()
        self._talk = MemoryTalk(clock)
        self._keys = Static(id="memory-keys", markup=False)

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
        elif self._kept is not None:
            self._keep_for_merging(None)
            self._talk.say(_("Not merged."))
        elif self._find.finding:
            self._stop_finding()
            self._fill(self._listing)
        else:
            self.post_message(self.Left())

    def heed(self, event: events.Event) -> None:
        """A turn that ends may have taught something."""
        if isinstance(event, events.TurnFinished) and self.is_open and not self._busy:
            self._load()

    def scroll_page(self, direction: int) -> None:
        """Scroll what stands behind the item."""
        self._about.scroll_page(direction)

    def show_section(self, section: Section, item_id: str = "") -> None:
        """Turn to a section, and to one of its items."""
        self.section = section
        self._wanted = item_id
        self._stop_finding()
        self._keep_for_merging(None)
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

    def action_edit(self) -> None:
        """Open the field for another wording."""
        if (item := self._may(Act.EDIT)) is None:
            return
        fields = self._details.fields if self._details is not None else ()
        section = self.section

        def take(field: Field, text: str) -> None:
            if text == one_line(field.text):
                self._talk.say(_("Nothing differs."))
            else:
                self._change(lambda view: view.edit(section, item, text, field.name))

        self._type(fields or (Field("", item.name),), take)

    def action_pin(self) -> None:
        """Pin or unpin the item."""
        if (item := self._may(Act.PIN)) is not None:
            section = self.section
            self._change(lambda view: view.pin(section, item))

    def action_hide(self) -> None:
        """Hide or show the item."""
        if (item := self._may(Act.HIDE)) is not None:
            section = self.section
            self._change(lambda view: view.hide(section, item))

    def action_choose(self) -> None:
        """Say that a value holds."""
        if (item := self._may(Act.CHOOSE)) is not None:
            section = self.section
            self._change(lambda view: view.choose(section, item))

    def action_alone(self) -> None:
        """Let a routine begin by itself, or ask first again."""
        if (item := self._may(Act.ALONE)) is not None:
            section = self.section
            self._change(lambda view: view.let_alone(section, item))

    def action_merge(self) -> None:
        """The first time, keep this one; the second time, ask whether to merge the other into it."""
        if (item := self._may(Act.MERGE)) is None:
            return
        kept, section = self._kept, self.section
        if kept is None or kept.id == item.id:
            self._keep_for_merging(item if kept is None else None)
            words = _("Go to the one to merge into “{name}”, press m on it. esc leaves it.")
            self._talk.say(words.format(name=_short(item)) if kept is None else _("Not merged."))
            return
        words = _("Merge “{other}” into “{name}”? It can be undone.")
        self._ask(
            words.format(other=_short(item), name=_short(kept)),
            lambda: self._change(lambda view: view.merge(section, kept, item)),
        )

    def action_split(self) -> None:
        """Have it typed which records stand apart, then ask."""
        if (item := self._may(Act.SPLIT)) is None:
            return
        section = self.section

        def weigh(words: str) -> None:
            self._weigh(
                item,
                lambda view: view.leaving(section, item, words),
                lambda told: self._ask(
                    _("Split “{name}”? {told} It can be undone.").format(name=_short(item), told=told),
                    lambda: self._change(lambda view: view.split(section, item, words)),
                ),
            )

        if section is Section.PROFILE:
            weigh("")
        else:
            hint = _("words of the records that stand apart, or app: scenario: since:")
            self._type((Field(_("split off"), "", hint),), lambda _field, words: weigh(words))

    def action_forget(self) -> None:
        """Ask whether the item is to be forgotten, saying what goes with it."""
        if (item := self._may(Act.FORGET)) is None:
            return
        section = self.section
        self._talk.say(_("Looking what goes with it …"))
        self._weigh(
            item,
            lambda view: view.goes_with(section, item),
            lambda told: self._ask(
                _("Forget “{name}”? {told} This cannot be undone.").format(name=_short(item), told=told),
                lambda: self._change(lambda view: view.forget(section, item)),
            ),
        )

    def action_agree(self) -> None:
        """Do what was asked about."""
        self._talk.agree()

    def action_keep(self) -> None:
        """Leave things as they are."""
        self._talk.refuse(_("Kept."))

    def action_undo(self) -> None:
        """Take back the selected change, elsewhere what was changed last."""
        self._turn_round(Act.UNDO, lambda view, item: view.undo(item))

    def action_redo(self) -> None:
        """Do again the selected change, elsewhere what was undone last."""
        self._turn_round(Act.REDO, lambda view, item: view.redo(item))

    def action_sources(self) -> None:
        """Choose where records must come from to be learnt from."""

        def choose(told: str) -> None:
            field = Field(_("source"), "", told)
            self._type((field,), lambda _field, name: self._change(lambda view: _switched(view, name)))

        if not self._acting:
            self._weigh(None, _sources, choose)

    def action_export(self) -> None:
        """Write all records to a file."""
        field = Field(_("file"), _FILE, _("where all records are written, a line each"))
        self._talk.type(
            (field,), lambda _field, name: self._change(lambda view: view.care.export(Path(name)))
        )

    def action_import(self) -> None:
        """Take records in from a file."""
        field = Field(_("file"), _FILE, _("record lines to take in; undo takes them all out again"))
        self._talk.type(
            (field,), lambda _field, name: self._change(lambda view: view.care.take_in(Path(name)))
        )

    def action_wipe(self) -> None:
        """Delete everything, once that is typed out."""
        hint = _("deletes all that is remembered, for good. To do it, type: {words}").format(
            words=CONFIRMATION
        )
        field = Field(_("wipe"), "", hint)
        self._type((field,), lambda _field, words: self._change(lambda view: view.care.wipe(words)))

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
        then, self._weighed = self._weighed, None
        if message.problem:
            self._talk.say(message.sentence)
        elif then is not None and not self._busy and (message.item is None or message.item == self.item):
            then(message.sentence)

    def on_memory_changed(self, message: MemoryChanged) -> None:
        """Say what happened, and show how things stand now."""
        message.stop()
        self._acting = False
        self._keep_for_merging(None)
        self._talk.say(message.sentence)
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
        if not self._busy:
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
    def _busy(self) -> bool:
        return self._acting or self._talk.asking or self._talk.typing

    def _may(self, act: Act) -> Item | None:
        """The item, if this can be done with it now."""
        item = self.item
        if self._acting:
            self._talk.say(_("Wait: the last change is being written."))
        elif item is None:
            self._talk.say(_("Nothing is selected."))
        elif act not in item.acts:
            self._talk.say(_("There is nothing to {act} here.").format(act=_(act.value)))
        else:
            return item
        return None

    def _turn_round(self, act: Act, turn: Callable[[MemoryView, Item | None], str]) -> None:
        item = self.item if self.section is Section.CHANGES else None
        if self._acting:
            self._talk.say(_("Wait: the last change is being written."))
        elif item is None or act in item.acts:
            self._change(lambda view: turn(view, item))
        else:
            refusals = _("This change cannot be undone."), _("This change cannot be done again.")
            self._talk.say(refusals[act is Act.REDO])

    def _keep_for_merging(self, item: Item | None) -> None:
        self._kept = item
        self._list.marked = item.id if item is not None else ""
        self._list.refresh()

    def _type(self, fields: Sequence[Field], take: Take) -> None:
        self._talk.type(fields, take)
        self._show_keys()

    def _ask(self, words: str, then: Callable[[], None]) -> None:
        self._talk.ask(words, then)
        self._show_keys()

    def _weigh(self, item: Item | None, ask: Ask, then: Callable[[str], None]) -> None:
        self._weighed = then
        self._run(partial(self._work.weigh, item, ask), "weigh")

    def _change(self, ask: Ask) -> None:
        self._acting = True
        self._talk.say(_("One moment …"))
        self._run(partial(self._work.change, ask), "change", exclusive=False)

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
        self._details = None
        self._show_keys()
        if item is not None:
            self._about.show(item, None)
            self._run(partial(self._work.look_up, self.section, item), "look")

    def _run(self, work: Callable[[], None], group: str, *, exclusive: bool = True) -> None:
        self.run_worker(work, thread=True, group=f"memory-{group}", exclusive=exclusive)

    def _stop_finding(self) -> None:
        self._find.end()
        if self._find.has_focus:
            self._list.focus()

    def _fill(self, listing: Listing) -> None:
        wanted, self._wanted = self._wanted, "" if listing.items else self._wanted
        before = self.item
        self._list.show(listing.items, wanted)
        count = f"{len(listing.items):,}" if len(listing.items) > 1 else ""
        note = clip(one_line(listing.note), max(8, self.size.width - _ENDS)) if listing.items else ""
        self.border_subtitle = Content(" · ".join(part for part in (count, note, _("f2 closes")) if part))
        if not listing.items:
            self._about.show_note(listing.note)
            self._show_keys()
        elif self.item == before:
            self._look_up(self.item)

    def _show_keys(self) -> None:
        item = self.item
        acts = item.acts if item is not None else frozenset()
        behind = self._details is not None and bool(self._details.evidence)
        opens = item is not None and (item.opened is not None or behind or self.section is Section.RECORDS)
        width = max(20, self._keys.size.width)
        keys = memory_footer(acts, width, asking=self._talk.asking, opens=opens)
        self._keys.update(Content("" if self._talk.typing else keys))


def _short(item: Item) -> str:
    return clip(one_line(item.name), _NAMED)


def _sources(view: MemoryView) -> str:
    """The sources and whether they are learnt from, in words."""
    told = [
        f"{one.name or '-'} {_('on') if one.on else _('off')} ({one.records})" for one in view.care.sources()
    ]
    return _("type one to switch it: {sources}").format(sources=", ".join(told))


def _switched(view: MemoryView, name: str) -> str:
    """Turn a source round."""
    known = {one.name: one.on for one in view.care.sources()}
    wanted = "" if name == "-" else name
    return view.care.switch(wanted, not known.get(wanted, False))

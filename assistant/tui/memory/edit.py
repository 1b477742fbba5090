"""How the user changes the memory from its panel: dialogs that ask, preview the effect, then apply it.

`MemoryPrompt` shows the messages, questions and text fields of these dialogs below the details, one at a
time. `MemoryEditor` changes one item: edit, mark, merge, split, forget, undo. `MemoryRetention` acts on the
whole memory: sources, retention, export, import, wipe. `MemoryActions` runs one dialog at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from assistant.engine import Engine
from assistant.i18n import _, later
from assistant.memory.store import INCOGNITO
from assistant.memory_view.items import Item, ItemAction, ItemDetails, ItemField, MemoryProblem, Section
from assistant.memory_view.retention import CONFIRMATION, LIMITS, change_limit
from assistant.memory_view.service import MemoryView
from assistant.presentation.text import clip, one_line, safe
from assistant.presentation.ui_state import KeyGate
from assistant.settings.load import SettingsError
from assistant.settings.schema import MemorySettings
from assistant.setup.core import Setup
from assistant.tui.memory.jobs import Ask, MemoryChanged, MemoryJobs, MemoryPreviewReady
from assistant.tui.memory.widgets import MemoryList
from assistant.tui.widgets.command_input import TextField

_CALLED = {"instruction": later("words"), "scenario": later("place")}
Take = Callable[[ItemField, str], None]
"""Receives the text typed for a field."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A rejected text, the field it was typed for, and the reason."""

    name: str
    text: str
    problem: str


@dataclass(frozen=True, slots=True)
class _Question:
    words: str
    then: Callable[[], None]


class MemoryPrompt(Vertical):
    """Shows messages, asks yes or no, and takes text for one of several fields.

    Args:
        clock: monotonic seconds, for the delay before a yes counts.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "field(1)", show=False),
        Binding("shift+tab", "field(-1)", show=False),
    ]

    class Settled(Message):
        """A question was answered, or an input ended: the list gets the focus again."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(id="memory-talk")
        self.gate = KeyGate(clock)
        self._question: _Question | None = None
        self._fields: Sequence[ItemField] = ()
        self._texts: dict[str, str] = {}
        self._field_index = 0
        self._take: Take | None = None
        self._once = False
        self._opened_from: Widget | None = None
        self._label = Static(id="memory-label", markup=False)
        self._edit = TextField(id="memory-edit", compact=True, select_on_focus=False)
        self._edit.cursor_blink = False
        self._said = Static(id="memory-said", classes="-empty", markup=False)

    def compose(self) -> ComposeResult:
        """Input field and message."""
        yield self._label
        yield self._edit
        yield self._said

    @property
    def asking(self) -> bool:
        """Whether a question is open."""
        return self._question is not None

    @property
    def typing(self) -> bool:
        """Whether a text is being typed."""
        return self._take is not None

    def show_message(self, sentence: str) -> None:
        """Show a message."""
        self._said.update(Content(one_line(sentence)))
        self._said.set_class(not sentence, "-empty")

    def ask(self, words: str, then: Callable[[], None]) -> None:
        """Ask for confirmation, then call `then`."""
        self._question = _Question(words, then)
        self.add_class("-asking")
        self.gate.mark_shown()
        self.show_message(words)

    def agree(self) -> None:
        """Answer yes, unless the question has just appeared."""
        question = self._question
        if question is None:
            return
        if not self.gate.settled:
            self.show_message(
                _("{question} Not taken: wait a moment, then press the key again.").format(
                    question=question.words
                )
            )
            return
        self._answered()
        question.then()

    def refuse(self, sentence: str) -> None:
        """Answer no, and show a message."""
        self._answered()
        self.show_message(sentence)

    def type(
        self, fields: Sequence[ItemField], take: Take, typed: Typed | None = None, *, once: bool = False
    ) -> None:
        """Let the user type one of several texts; `typed` is an earlier input that was rejected.

        `once` says that the text starts something, and is not kept.
        """
        self._fields, self._take, self._field_index, self._once = fields, take, 0, once
        self._texts = {text_field.name: one_line(text_field.text) for text_field in fields}
        if typed is not None and typed.name in self._texts:
            self._texts[typed.name] = typed.text
            self._field_index = list(self._texts).index(typed.name)
        self.add_class("-typing")
        self._show_field(typed.problem if typed is not None else "")
        if self.screen.focused is not self._edit:
            self._opened_from = self.screen.focused
        # At once: what is typed next is for the field.
        self.screen.set_focus(self._edit)

    def press(self, keys: Iterable[events.Key]) -> None:
        """Pass keys on that were typed before the field was open."""
        for key in keys:
            self._edit.post_message(events.Key(key.key, key.character))

    def leave(self) -> None:
        """Cancel the input."""
        self._end()
        self.show_message(_("Not changed."))

    def action_field(self, step: int) -> None:
        """Go to the next or previous field."""
        if self.typing and len(self._fields) > 1:
            self._texts[self._fields[self._field_index].name] = self._edit.value
            self._field_index = (self._field_index + step) % len(self._fields)
            self._show_field()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Submit the text."""
        message.stop()
        if self._take is None:
            return
        take, field, text = self._take, self._fields[self._field_index], " ".join(safe(message.value).split())
        self._end()
        take(field, text)

    def _show_field(self, problem: str = "") -> None:
        field = self._fields[self._field_index]
        self._label.update(Content.assemble((f"{_field_label(field)}: ", "bold"), one_line(field.hint)))
        self._edit.value = self._texts[field.name]
        self._edit.cursor_position = len(self._edit.value)
        others = [
            _field_label(other)
            for other in (*self._fields[self._field_index + 1 :], *self._fields[: self._field_index])
        ]
        more = _(" · tab: on to {fields}").format(fields=_(", then ").join(others)) if others else ""
        keys = _("enter keeps it · esc or f2 leaves it as it was") + more
        if self._once:
            keys = _("enter does it · esc or f2 leaves it")
        self.show_message(f"{problem} · {keys}" if problem else keys)

    def _end(self) -> None:
        self._take = None
        if self.screen.focused is self._edit:
            # Before it is hidden: Textual would give the focus to what comes next on the screen.
            self.screen.set_focus(self._opened_from)
        self.remove_class("-typing")
        self.show_message("")
        self.post_message(self.Settled())

    def _answered(self) -> None:
        self._question = None
        self.remove_class("-asking")
        self.post_message(self.Settled())


def _field_label(field: ItemField) -> str:
    """The display name of a field."""
    return _(_CALLED.get(field.name, one_line(field.name)))


Run = Callable[[Callable[[], None], str], None]
"""Runs a job in a thread; the name is that of the group, in which a new job replaces the one before."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The selected item and its section, with its details once they are loaded."""

    section: Section
    item: Item | None
    details: ItemDetails | None

    @property
    def acts(self) -> frozenset[ItemAction]:
        """The actions that the item allows."""
        return self.item.acts if self.item is not None else frozenset()

    @property
    def opens(self) -> bool:
        """Whether the item can be opened: a branch, its evidence, or what was learnt from a record."""
        if self.item is None:
            return False
        behind = self.details is not None and bool(self.details.evidence)
        return self.item.opened is not None or behind or self.section is Section.RECORDS


class MemoryActions:
    """Runs one dialog at a time.

    Args:
        work: queries and changes the memory.
        run: runs these jobs in threads.
        talk: shows messages, asks, and takes input.
        after: called when a question or input field opens, because other keys are then active.
    """

    def __init__(self, work: MemoryJobs, run: Run, talk: MemoryPrompt, after: Callable[[], None]) -> None:
        self._work = work
        self._run = run
        self._talk = talk
        self.after = after
        self._on_preview: Callable[[str], None] | None = None
        self._on_refused: Callable[[str], None] | None = None
        self._changing = False

    @property
    def busy(self) -> bool:
        """Whether a question or input field is open, or a change is being written."""
        return self._changing or self._talk.asking or self._talk.typing

    @property
    def changing(self) -> bool:
        """Whether a change is being written."""
        return self._changing

    def may_change(self) -> bool:
        """Whether a change is possible now; otherwise says why not."""
        if self._changing:
            self._talk.show_message(_("Wait: the last change is being written."))
        return not self._changing

    def show_message(self, sentence: str) -> None:
        """Show a message."""
        self._talk.show_message(sentence)

    def type(
        self, fields: Sequence[ItemField], take: Take, typed: Typed | None = None, *, once: bool = False
    ) -> None:
        """Let the user type one of several texts; `typed` is an earlier input that was rejected.

        `once` says that the text starts something, and is not kept.
        """
        self._talk.type(fields, take, typed, once=once)
        self.after()

    def press(self, keys: Iterable[events.Key]) -> None:
        """Pass keys on that were typed before the field was open."""
        self._talk.press(keys)

    def ask(self, words: str, then: Callable[[], None]) -> None:
        """Ask for confirmation, then call `then`."""
        self._talk.ask(words, then)
        self.after()

    def preview(self, item: Item | None, ask: Ask, then: Callable[[str], None]) -> None:
        """Compute a preview for an item (or None for the memory as a whole), then call `then` with it."""
        self._on_preview = then
        self._run(partial(self._work.preview, item, ask), "weigh")

    def preview_ready(self, message: MemoryPreviewReady, item: Item | None) -> None:
        """Continue with the preview, unless another dialog is open or another item is selected by now."""
        then, self._on_preview = self._on_preview, None
        if message.problem:
            self._talk.show_message(message.sentence)
        elif then is not None and not self.busy and (message.item is None or message.item == item):
            then(message.sentence)

    def change(self, ask: Ask, refused: Callable[[str], None] | None = None) -> None:
        """Change something; on failure `refused` gets the reason, so that no input is lost."""
        if not self.may_change():
            return
        self._changing = True
        self._on_refused = refused
        self._talk.show_message(_("One moment …"))
        self._run(partial(self._work.change, ask), "change")

    def change_done(self, message: MemoryChanged) -> None:
        """The change was written, or failed."""
        self._changing = False
        refused, self._on_refused = self._on_refused, None
        self._talk.show_message(message.sentence)
        if message.problem and refused is not None:
            refused(message.sentence)


_NAMED = 60
_AT_ONCE = {
    ItemAction.PIN: MemoryView.pin,
    ItemAction.HIDE: MemoryView.hide,
    ItemAction.CHOOSE: MemoryView.choose,
    ItemAction.ALONE: MemoryView.let_alone,
}
"""Changes that need neither input nor confirmation."""


@dataclass(frozen=True, slots=True)
class _Before:
    """The texts of an item at the time when the user began to edit one of them."""

    id: str
    fields: Sequence[ItemField]


class MemoryEditor:
    """Applies a key's change to the selected item.

    Args:
        errands: asks the user and carries changes out.
        items: the list, which marks the item that another is to be merged into.
    """

    def __init__(self, errands: MemoryActions, items: MemoryList) -> None:
        self._errands = errands
        self._items = items
        self._merge_target: Item | None = None
        self._before: _Before | None = None
        self._pending_edit: tuple[Section, str] | None = None

    @property
    def merging(self) -> bool:
        """Whether an item waits for another to be merged into it."""
        return self._merge_target is not None

    def set_merge_target(self, item: Item | None) -> None:
        """Select the item to merge another into; None ends the merge."""
        self._merge_target = item
        self._items.marked = item.id if item is not None else ""
        self._items.refresh()
        self._errands.after()

    def do(self, act: ItemAction, selected: Selection) -> None:
        """Apply a change to the selection, or say why that is not possible now."""
        item, section = selected.item, selected.section
        self._pending_edit = None
        if not self._errands.may_change():
            return
        if act in (ItemAction.UNDO, ItemAction.REDO):
            self._undo_or_redo(act, item if section is Section.CHANGES else None)
        elif item is None:
            self._errands.show_message(_("Nothing is selected."))
        elif act not in item.acts:
            self._errands.show_message(_("There is nothing to {act} here.").format(act=_(act.value)))
        else:
            self._begin(act, item, selected)

    def _begin(self, act: ItemAction, item: Item, selected: Selection) -> None:
        section = selected.section
        match act:
            case ItemAction.EDIT:
                if selected.details is not None:
                    self._edit(section, item, selected.details.fields)
                else:
                    self._pending_edit = section, item.id
                    self._items.hold_keys()
                    self._errands.show_message(_("Looking …"))
            case ItemAction.MERGE:
                self._merge(section, item)
            case ItemAction.SPLIT:
                self._split(section, item)
            case ItemAction.FORGET:
                self._forget(section, item)
            case _:
                self._errands.change(lambda view: _AT_ONCE[act](view, section, item))

    def details_loaded(self, item: Item, details: ItemDetails, *, typing: bool) -> None:
        """New details of an item have arrived.

        Opens the editor if the user asked for it before the details were loaded and the list still has the
        focus. If a text changed while the user edits it, a message says so.
        """
        pending_edit, self._pending_edit = self._pending_edit, None
        if pending_edit is not None and pending_edit[1] == item.id and not typing and self._items.has_focus:
            self._edit(pending_edit[0], item, details.fields)
            self._errands.press(self._items.release_keys())
            return
        if pending_edit is not None:
            self._items.release_keys()
        before, self._before = self._before, self._before if typing else None
        if not typing or before is None or before.id != item.id:
            return
        now = {item_field.name: item_field.text for item_field in details.fields}
        for field in before.fields:
            if now.get(field.name, field.text) != field.text:
                self._before = _Before(item.id, details.fields)
                message = _("Meanwhile changed elsewhere to “{text}”. enter overwrites it, esc keeps it.")
                self._errands.show_message(message.format(text=clip(one_line(now[field.name]), _NAMED)))

    def _edit(
        self, section: Section, item: Item, fields: Sequence[ItemField], typed: Typed | None = None
    ) -> None:
        """Open the input field for a text of the item; a rejected text stays in it, with the reason."""

        def save(field: ItemField, text: str) -> None:
            def change() -> None:
                self._errands.change(
                    lambda view: view.edit(section, item, text, field.name),
                    lambda reason: self._edit(section, item, fields, Typed(field.name, text, reason)),
                )

            if text == one_line(field.text):
                self._errands.show_message(_("Nothing differs."))
            elif field.question:
                self._errands.ask(field.question, change)
            else:
                change()

        self._before = _Before(item.id, fields)
        self._errands.type(fields or (ItemField("", item.name),), save, typed)

    def _merge(self, section: Section, item: Item) -> None:
        """The first press selects the target; the second asks whether to merge the other item into it."""
        target = self._merge_target
        if target is None or target.id == item.id:
            self.set_merge_target(item if target is None else None)
            words = _("Select the item to merge into “{name}” and press m. esc cancels.")
            self._errands.show_message(
                words.format(name=_shorten_name(item)) if target is None else _("Not merged.")
            )
            return
        words = _("Merge “{other}” into “{name}”? It can be undone.")
        self._errands.ask(
            words.format(other=_shorten_name(item), name=_shorten_name(target)),
            lambda: self._errands.change(lambda view: view.merge(section, target, item)),
        )

    def _split(self, section: Section, item: Item) -> None:
        """Let the user enter which records to split off, then ask for confirmation."""

        def preview(words: str) -> None:
            self._errands.preview(
                item,
                lambda view: view.leaving(section, item, words),
                lambda preview_text: self._errands.ask(
                    _("Split “{name}”? {told} It can be undone.").format(
                        name=_shorten_name(item), told=preview_text
                    ),
                    lambda: self._errands.change(lambda view: view.split(section, item, words)),
                ),
            )

        if section is Section.PROFILE:
            preview("")
        else:
            hint = _("words in the records to split off, or app: scenario: since:")
            self._errands.type((ItemField(_("split off"), "", hint),), lambda _field, words: preview(words))

    def _forget(self, section: Section, item: Item) -> None:
        """Ask for confirmation to forget the item, saying what is deleted with it."""
        self._errands.show_message(_("Checking what would be deleted …"))
        self._errands.preview(
            item,
            lambda view: view.goes_with(section, item),
            lambda preview_text: self._errands.ask(
                _("Delete “{name}”? {told}").format(name=_shorten_name(item), told=preview_text),
                lambda: self._errands.change(lambda view: view.forget(section, item)),
            ),
        )

    def _undo_or_redo(self, act: ItemAction, change: Item | None) -> None:
        """Undo or redo a change; without one, the last. What takes many records away is asked about."""
        if act is ItemAction.REDO and (change is None or act in change.acts):
            self._errands.change(lambda view: view.redo(change))
        elif change is None or act in change.acts:
            self._errands.preview(
                None, lambda view: view.undo_takes(change), lambda question: self._undo(change, question)
            )
        elif act is ItemAction.UNDO:
            self._errands.show_message(_("This change cannot be undone."))
        else:
            self._errands.show_message(_("This change cannot be done again."))

    def _undo(self, change: Item | None, question: str) -> None:
        def undo() -> None:
            self._errands.change(lambda view: view.undo(change))

        if question:
            self._errands.ask(question, undo)
        else:
            undo()


def _shorten_name(item: Item) -> str:
    return clip(one_line(item.name), _NAMED)


_FILE = "~/assistant-records.jsonl"

SaveLimit = Callable[[str, int], str]
"""Saves a limit to the settings file; returns a message. Raises `MemoryProblem` where that fails."""


class StoreOperation(StrEnum):
    """An action on the whole memory."""

    SOURCES = "sources"
    LIMITS = "limits"
    EXPORT = "export"
    IMPORT = "import"
    WIPE = "wipe"


class MemoryRetention:
    """Lets the user enter what to switch, keep, export, import or wipe.

    Args:
        errands: runs the dialogs.
        engine: holds the limits in force.

    Attributes:
        save_limit: saves limits; without it they hold until the program ends.
    """

    def __init__(self, errands: MemoryActions, engine: Engine) -> None:
        self._errands = errands
        self._engine = engine
        self.save_limit: SaveLimit | None = None

    def do(self, errand: StoreOperation) -> None:
        """Start an action."""
        match errand:
            case StoreOperation.SOURCES:
                self.choose_sources()
            case StoreOperation.LIMITS:
                self.choose_limits()
            case StoreOperation.EXPORT:
                self.export()
            case StoreOperation.IMPORT:
                self.import_records()
            case StoreOperation.WIPE:
                self.wipe()

    def choose_sources(self) -> None:
        """Choose which sources of records are learnt from."""
        if self._errands.may_change():
            self._errands.preview(
                None,
                _format_sources,
                lambda sources_text: self._type(later("source"), "", sources_text, _toggle_source),
            )

    def choose_limits(self) -> None:
        """Choose how long screenshots and sent requests are kept."""
        if self._errands.may_change():
            self._errands.preview(None, lambda view: view.care.keeping.there(), self._type_limits)

    def export(self) -> None:
        """Export all records to a file."""
        hint = _("where all records are written, a line each")
        self._type(later("file"), _FILE, hint, lambda view, name: view.care.export(Path(name)))

    def import_records(self) -> None:
        """Import records from a file."""
        hint = _("record lines to import; undo removes them again")
        self._type(later("file"), _FILE, hint, lambda view, name: view.care.take_in(Path(name)))

    def wipe(self) -> None:
        """Delete everything, after the user has typed the confirmation."""
        hint = _("deletes all that is remembered, for good. To do it, type: {words}")
        instruction = hint.format(words=_(CONFIRMATION))
        self._type(later("wipe"), "", instruction, lambda view, words: view.care.wipe(words))

    def _type(
        self,
        name: str,
        text: str,
        hint: str,
        act: Callable[[MemoryView, str], str],
        typed: Typed | None = None,
    ) -> None:
        """Let the user type a text and act on it; a rejected text can be corrected."""
        if not self._errands.may_change():
            return

        def submit(_field: ItemField, words: str) -> None:
            self._errands.change(
                lambda view: act(view, words),
                lambda reason: self._type(name, text, hint, act, Typed(name, words, reason)),
            )

        self._errands.type((ItemField(name, text, hint),), submit, typed, once=True)

    def _type_limits(self, there: str, typed: Typed | None = None) -> None:
        """Let the user type a limit; ask for confirmation where it deletes something."""
        before = self._engine.settings.memory

        def submit(field: ItemField, text: str) -> None:
            try:
                limits = change_limit(before, field.name, text)
            except MemoryProblem as problem:
                self._type_limits(there, Typed(field.name, text, str(problem)))
                return
            if limits == before:
                self._errands.show_message(_("Nothing differs."))
                return
            self._errands.preview(
                None,
                lambda view: view.care.keeping.goes_with(limits),
                lambda preview_text: self._apply_limits(field.name, text, limits, preview_text),
            )

        hint = _("0 is no limit. {there}").format(there=there)
        fields = tuple(ItemField(name, str(getattr(before, at)), hint) for name, at in LIMITS.items())
        self._errands.type(fields, submit, typed)

    def _apply_limits(self, name: str, text: str, limits: MemorySettings, preview_text: str) -> None:
        def change(view: MemoryView) -> str:
            message = self._save_limit(LIMITS[name], limits)
            self._engine.set_retention(limits)
            return f"{view.care.keeping.sweep(limits)} {message}"

        if not preview_text:
            self._errands.change(change)
            return
        question = _("{name}: {number}? {gone}").format(name=_(name), number=text, gone=preview_text)
        self._errands.ask(question, lambda: self._errands.change(change))

    def _save_limit(self, setting: str, limits: MemorySettings) -> str:
        if self.save_limit is None:
            return _("Applies until the program ends. To keep it, set memory.{name} in /settings.").format(
                name=setting
            )
        return self.save_limit(f"memory.{setting}", int(getattr(limits, setting)))


def save_retention_limit(setup: Setup, path: str, limit: int) -> str:
    """Save a retention limit to the settings file.

    Raises:
        MemoryProblem: the file cannot be written.
    """
    try:
        return setup.choose(path, limit, str(limit), at_once=True)
    except SettingsError as problem:
        raise MemoryProblem(str(problem)) from problem


def _format_sources(view: MemoryView) -> str:
    """The sources, and whether records from them are learnt from."""
    sources = [
        f"{source.name or '-'} {_('on') if source.on else _('off')} ({source.records})"
        for source in view.care.sources()
        if source.name != INCOGNITO
    ]
    return _("type one to switch it: {sources}").format(sources=", ".join(sources))


def _toggle_source(view: MemoryView, name: str) -> str:
    """Switch learning from a source on or off."""
    enabled_by_name = {source.name: source.on for source in view.care.sources()}
    source_name = "" if name == "-" else name
    return view.care.switch(source_name, not enabled_by_name.get(source_name, False))

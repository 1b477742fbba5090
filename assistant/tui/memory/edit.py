"""How the user changes the memory from its panel: dialogs that ask, preview the effect, then apply it.

`MemoryEditor` changes one item: edit, mark, merge, split, try dry, write to a folder, forget, undo.
`MemoryRetention` acts on the whole memory: sources, retention, export, import, wipe. `MemoryActions` runs one
dialog at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path

from textual import events

from assistant.engine import Engine
from assistant.i18n import _, later
from assistant.memory.store import INCOGNITO
from assistant.memory_view.items import Item, ItemAction, ItemDetails, ItemField, MemoryProblem, Section
from assistant.memory_view.labels import format_dry_run
from assistant.memory_view.retention import CONFIRMATION, LIMITS, change_limit
from assistant.memory_view.service import MemoryView
from assistant.presentation.text import clip, format_kind, one_line, safe
from assistant.settings.load import SettingsError
from assistant.settings.schema import MemorySettings
from assistant.setup.core import Setup
from assistant.tui.memory.jobs import (
    Ask,
    MemoryChanged,
    MemoryJobs,
    MemoryPreviewReady,
    MemoryPrompt,
    Take,
    Typed,
)
from assistant.tui.memory.widgets import MemoryDetails, MemoryList


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


Run = Callable[[Callable[[], None], str], None]
"""Runs a job in a thread; the name is that of the group, in which a new job replaces the one before."""


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

    def preview(
        self,
        item: Item | None,
        ask: Ask,
        then: Callable[[str], None],
        refused: Callable[[str], None] | None = None,
    ) -> None:
        """Compute a preview for an item (or None for the memory as a whole), then call `then` with it.

        On failure `refused` gets the reason, so that no input is lost.
        """
        self._on_preview, self._on_refused = then, refused
        self._run(partial(self._work.preview, item, ask), "weigh")

    def preview_ready(self, message: MemoryPreviewReady, item: Item | None) -> None:
        """Continue with the preview, unless another dialog is open or another item is selected by now."""
        then, self._on_preview = self._on_preview, None
        refused, self._on_refused = (None, self._on_refused) if self._changing else (self._on_refused, None)
        if message.problem:
            self._talk.show_message(message.sentence)
            if refused is not None and not self.busy:
                refused(message.sentence)
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
        about: shows what a skill would do.
    """

    def __init__(self, errands: MemoryActions, items: MemoryList, about: MemoryDetails) -> None:
        self._errands = errands
        self._items = items
        self._about = about
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
            case ItemAction.TRY:
                self._errands.preview(
                    item,
                    lambda view: view.slot_values(section, item),
                    lambda values: self._try_dry(section, item, values),
                )
            case ItemAction.EXPORT:
                self._export(section, item)
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

            if text == (safe(field.text) if field.has_lines else one_line(field.text)):
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

    def _try_dry(self, section: Section, item: Item, values: str, typed: Typed | None = None) -> None:
        """Show what a skill would do, with the values that the user types where it takes some."""

        def run(words: str) -> None:
            self._errands.preview(
                item,
                lambda view: "\n".join(format_dry_run(view.try_dry(section, item, words), format_kind)),
                self._show_dry_run,
                lambda reason: self._try_dry(section, item, values, Typed("values", words, reason)),
            )

        if not values:
            run("")
            return
        field = ItemField(later("values"), values, _("with which it is tried; the phone is not touched"))
        self._errands.type((field,), lambda _field, words: run(words), typed, once=True)

    def _show_dry_run(self, text: str) -> None:
        self._about.show_lines(text)
        self._errands.show_message(_("Tried dry: nothing was done. esc shows the skill again."))

    def _export(self, section: Section, item: Item, typed: Typed | None = None) -> None:
        """Let the user name a folder, and write the skill there; asks before it writes over one."""

        def submit(_field: ItemField, name: str) -> None:
            folder = Path(name)

            def again(reason: str) -> None:
                self._export(section, item, Typed("folder", name, reason))

            def write(*, replaces: bool = False) -> None:
                self._errands.change(
                    lambda view: view.export(section, item, folder, replaces=replaces), again
                )

            def ask(question: str) -> None:
                if question:
                    self._errands.ask(question, lambda: write(replaces=True))
                else:
                    write()

            self._errands.preview(item, lambda view: view.export_replaces(section, item, folder), ask, again)

        hint = _("in which the skill gets one of its own, for others to import")
        self._errands.type((ItemField(later("folder"), _FOLDER, hint),), submit, typed, once=True)

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


_FILE, _FOLDER = "~/assistant-records.jsonl", "~/assistant-skills"

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

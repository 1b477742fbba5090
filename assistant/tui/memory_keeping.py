"""Actions on the whole memory: sources, retention, export, import, wipe."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

from assistant.i18n import _, later
from assistant.memory.learning_switches import INCOGNITO
from assistant.memory_view.items import ItemField, MemoryProblem
from assistant.memory_view.retention import CONFIRMATION, LIMITS, changed
from assistant.memory_view.service import MemoryView
from assistant.presentation.engine_protocol import EngineDoor
from assistant.settings.load import SettingsError
from assistant.settings.schema import MemorySettings
from assistant.setup.core import Setup
from assistant.tui.memory_errands import MemoryErrands
from assistant.tui.widgets.memory_talk import Typed

_FILE = "~/assistant-records.jsonl"

SaveLimit = Callable[[str, int], str]
"""Saves a limit to the settings file; returns a message. Raises `MemoryProblem` where that fails."""


class Errand(StrEnum):
    """An action on the whole memory."""

    SOURCES = "sources"
    LIMITS = "limits"
    EXPORT = "export"
    IMPORT = "import"
    WIPE = "wipe"


class MemoryKeeping:
    """Lets the user enter what to switch, keep, export, import or wipe.

    Args:
        errands: runs the dialogs.
        engine: holds the limits in force.

    Attributes:
        save_limit: saves limits; without it they hold until the program ends.
    """

    def __init__(self, errands: MemoryErrands, engine: EngineDoor) -> None:
        self._errands = errands
        self._engine = engine
        self.save_limit: SaveLimit | None = None

    def do(self, errand: Errand) -> None:
        """Start an action."""
        match errand:
            case Errand.SOURCES:
                self.choose_sources()
            case Errand.LIMITS:
                self.choose_limits()
            case Errand.EXPORT:
                self.export()
            case Errand.IMPORT:
                self.import_records()
            case Errand.WIPE:
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
        hint = _("record lines to take in; undo takes them all out again")
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

        self._errands.type((ItemField(name, text, hint),), submit, typed)

    def _type_limits(self, there: str, typed: Typed | None = None) -> None:
        """Let the user type a limit; ask for confirmation where it deletes something."""
        before = self._engine.settings.memory

        def submit(field: ItemField, text: str) -> None:
            try:
                limits = changed(before, field.name, text)
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
            self._engine.keep_for(limits)
            return f"{view.care.keeping.sweep(limits)} {message}"

        if not preview_text:
            self._errands.change(change)
            return
        question = _("{name}: {number}? {gone}").format(name=_(name), number=text, gone=preview_text)
        self._errands.ask(question, lambda: self._errands.change(change))

    def _save_limit(self, setting: str, limits: MemorySettings) -> str:
        if self.save_limit is None:
            return _(
                "It counts until the program ends: assistant settings set memory.{name} keeps it."
            ).format(name=setting)
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

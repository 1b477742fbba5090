"""What concerns the memory as a whole: its sources, how long things are kept, out and in, and wiping it."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

from assistant.config import MemorySettings, SettingsError
from assistant.language import _, later
from assistant.memory.learning import INCOGNITO
from assistant.memory_view.care import CONFIRMATION
from assistant.memory_view.items import Field, MemoryProblem
from assistant.memory_view.keeping import LIMITS, changed
from assistant.memory_view.view import MemoryView
from assistant.setup.core import Setup
from assistant.tui.door import EngineDoor
from assistant.tui.memory_errands import MemoryErrands
from assistant.tui.widgets.memory_talk import Typed

_FILE = "~/assistant-records.jsonl"

Keeps = Callable[[str, int], str]
"""Writes a setting to the settings file; says where. Raises `MemoryProblem` where that cannot be done."""


class Errand(StrEnum):
    """What is done with the memory as a whole."""

    SOURCES = "sources"
    LIMITS = "limits"
    EXPORT = "export"
    IMPORT = "import"
    WIPE = "wipe"


class MemoryKeeping:
    """Has it typed what is to be switched, kept, written, read or wiped.

    Args:
        errands: carries it out.
        engine: has the limits in force.

    Attributes:
        keeps: writes settings down; without it they count until the program ends.
    """

    def __init__(self, errands: MemoryErrands, engine: EngineDoor) -> None:
        self._errands = errands
        self._engine = engine
        self.keeps: Keeps | None = None

    def do(self, errand: Errand) -> None:
        """Begin an errand."""
        match errand:
            case Errand.SOURCES:
                self.choose_sources()
            case Errand.LIMITS:
                self.choose_limits()
            case Errand.EXPORT:
                self.export()
            case Errand.IMPORT:
                self.take_in()
            case Errand.WIPE:
                self.wipe()

    def choose_sources(self) -> None:
        """Choose where records must come from to be learnt from."""
        if self._errands.may_change():
            self._errands.weigh(None, _sources, lambda told: self._type(later("source"), "", told, _switched))

    def choose_limits(self) -> None:
        """Choose how long screenshots and what was sent are kept."""
        if self._errands.may_change():
            self._errands.weigh(None, lambda view: view.care.keeping.there(), self._type_limits)

    def export(self) -> None:
        """Write all records to a file."""
        hint = _("where all records are written, a line each")
        self._type(later("file"), _FILE, hint, lambda view, name: view.care.export(Path(name)))

    def take_in(self) -> None:
        """Take records in from a file."""
        hint = _("record lines to take in; undo takes them all out again")
        self._type(later("file"), _FILE, hint, lambda view, name: view.care.take_in(Path(name)))

    def wipe(self) -> None:
        """Delete everything, once that is typed out."""
        hint = _("deletes all that is remembered, for good. To do it, type: {words}")
        told = hint.format(words=_(CONFIRMATION))
        self._type(later("wipe"), "", told, lambda view, words: view.care.wipe(words))

    def _type(
        self,
        name: str,
        text: str,
        hint: str,
        act: Callable[[MemoryView, str], str],
        typed: Typed | None = None,
    ) -> None:
        """Have a text typed and do something with it; where that is refused, it may be typed again."""
        if not self._errands.may_change():
            return

        def take(_field: Field, words: str) -> None:
            self._errands.change(
                lambda view: act(view, words),
                lambda told: self._type(name, text, hint, act, Typed(name, words, told)),
            )

        self._errands.type((Field(name, text, hint),), take, typed)

    def _type_limits(self, there: str, typed: Typed | None = None) -> None:
        """Have a limit typed; ask first where it deletes something."""
        before = self._engine.settings.memory

        def take(field: Field, text: str) -> None:
            try:
                limits = changed(before, field.name, text)
            except MemoryProblem as problem:
                self._type_limits(there, Typed(field.name, text, str(problem)))
                return
            if limits == before:
                self._errands.say(_("Nothing differs."))
                return
            self._errands.weigh(
                None,
                lambda view: view.care.keeping.goes_with(limits),
                lambda gone: self._settle(field.name, text, limits, gone),
            )

        hint = _("0 is no limit. {there}").format(there=there)
        fields = tuple(Field(name, str(getattr(before, at)), hint) for name, at in LIMITS.items())
        self._errands.type(fields, take, typed)

    def _settle(self, name: str, text: str, limits: MemorySettings, gone: str) -> None:
        def change(view: MemoryView) -> str:
            told = self._written(LIMITS[name], limits)
            self._engine.keep_for(limits)
            return f"{view.care.keeping.sweep(limits)} {told}"

        if not gone:
            self._errands.change(change)
            return
        asked = _("{name}: {number}? {gone}").format(name=_(name), number=text, gone=gone)
        self._errands.ask(asked, lambda: self._errands.change(change))

    def _written(self, setting: str, limits: MemorySettings) -> str:
        if self.keeps is None:
            return _(
                "It counts until the program ends: assistant settings set memory.{name} keeps it."
            ).format(name=setting)
        return self.keeps(f"memory.{setting}", int(getattr(limits, setting)))


def keep_limit(setup: Setup, path: str, limit: int) -> str:
    """Write a limit to the settings file.

    Raises:
        MemoryProblem: it cannot be written.
    """
    try:
        return setup.choose(path, limit, str(limit), at_once=True)
    except SettingsError as problem:
        raise MemoryProblem(str(problem)) from problem


def _sources(view: MemoryView) -> str:
    """The sources and whether they are learnt from, in words."""
    told = [
        f"{one.name or '-'} {_('on') if one.on else _('off')} ({one.records})"
        for one in view.care.sources()
        if one.name != INCOGNITO
    ]
    return _("type one to switch it: {sources}").format(sources=", ".join(told))


def _switched(view: MemoryView, name: str) -> str:
    """Turn a source round."""
    known = {one.name: one.on for one in view.care.sources()}
    wanted = "" if name == "-" else name
    return view.care.switch(wanted, not known.get(wanted, False))

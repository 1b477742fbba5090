"""What concerns the memory as a whole: the sources it learns from, taking it out and in, and wiping it."""

from __future__ import annotations

from pathlib import Path

from assistant.language import _
from assistant.memory_view.care import CONFIRMATION
from assistant.memory_view.items import Field
from assistant.memory_view.view import MemoryView
from assistant.tui.memory_errands import MemoryErrands
from assistant.tui.widgets.memory_talk import MemoryTalk

_FILE = "~/assistant-records.jsonl"


class MemoryKeeping:
    """Has it typed what is to be switched, written, read or wiped.

    Args:
        errands: carries it out.
        talk: has the names of files typed.
    """

    def __init__(self, errands: MemoryErrands, talk: MemoryTalk) -> None:
        self._errands = errands
        self._talk = talk

    def choose_sources(self) -> None:
        """Choose where records must come from to be learnt from."""

        def choose(told: str) -> None:
            field = Field(_("source"), "", told)
            self._errands.type(
                (field,), lambda _field, name: self._errands.change(lambda view: _switched(view, name))
            )

        if not self._errands.changing:
            self._errands.weigh(None, _sources, choose)

    def export(self) -> None:
        """Write all records to a file."""
        field = Field(_("file"), _FILE, _("where all records are written, a line each"))
        self._talk.type(
            (field,), lambda _field, name: self._errands.change(lambda view: view.care.export(Path(name)))
        )

    def take_in(self) -> None:
        """Take records in from a file."""
        field = Field(_("file"), _FILE, _("record lines to take in; undo takes them all out again"))
        self._talk.type(
            (field,), lambda _field, name: self._errands.change(lambda view: view.care.take_in(Path(name)))
        )

    def wipe(self) -> None:
        """Delete everything, once that is typed out."""
        hint = _("deletes all that is remembered, for good. To do it, type: {words}").format(
            words=CONFIRMATION
        )
        field = Field(_("wipe"), "", hint)
        self._errands.type(
            (field,), lambda _field, words: self._errands.change(lambda view: view.care.wipe(words))
        )


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

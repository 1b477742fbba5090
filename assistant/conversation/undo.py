"""What a typed “undo” and “redo” do.

A word takes back only what the user changed themselves, or what was learnt from the newest turn, the newest
first. What it may not take back, such as an import or what a turn did on the phone, is told first; the word
typed again goes on to what can be taken back before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import select

from assistant.agent.checkpoint import tell_done
from assistant.history import WholeTurn
from assistant.i18n import _, counted, later, sentences
from assistant.memory import schema
from assistant.memory.audit import AuditLine, ChangeKind, RowChange
from assistant.memory.database import find_rows
from assistant.memory.store import Store
from assistant.memory_view.labels import change_words, key_words, node_words, taken_back_words, value_words
from assistant.memory_view.service import MemoryView
from assistant.model.types import one_line

_LOOKED_BACK = 500
_MOST_ROWS = 40
"""A change of more rows is no single thing that the user said; it is not taken back by a word."""

_BY_USER = "asked by the user"
_KEPT_TURN = "Keep the record of a turn"
_NAMED = 3
_REDO = later("“redo” brings it back.")


class TypedUndo:
    """Takes back and redoes by a typed word, for one user and one session.

    Args:
        store: the memory.
        view: the memory to view and change.
        newest_turn: the newest turn that did anything.
    """

    def __init__(
        self, store: Store, view: Callable[[], MemoryView], newest_turn: Callable[[], WholeTurn | None]
    ) -> None:
        self._store = store
        self._view = view
        self._newest_turn = newest_turn
        self._shown_ids: set[str] = set()
        self._switch: tuple[int, Callable[[], str]] | None = None

    def note_switch(self, take_back: Callable[[], str]) -> None:
        """A setting was switched by a line: until something else changes, a word takes that back."""
        self._switch = self._newest_change(), take_back

    def _newest_change(self) -> int:
        return max((line.id for line in self._store.audit.lines(1)), default=0)

    def undo(self) -> str:
        """Take back the newest change that a word may take back, or tell why the newest thing stays."""
        switch, self._switch = self._switch, None
        if switch is not None and switch[0] == self._newest_change():
            return switch[1]()
        whole = self._newest_turn()
        lines = list(self._own_lines(whole))
        kept = next((line for line in lines if line.what == _KEPT_TURN), None)
        is_newest = whole is not None and (
            lines[:1] == [kept] or not lines or (kept is None and lines[0].time <= whole.turn.started)
        )
        if whole is not None and is_newest and whole.turn.turn_id not in self._shown_ids:
            self._shown_ids.add(whole.turn.turn_id)
            return sentences(_tell_turn(whole), self._offer(lines))
        for place, line in enumerate(lines):
            if not _needs_question(line):
                return self._take_back(line)
            if str(line.id) not in self._shown_ids:
                self._shown_ids.add(str(line.id))
                return sentences(_tell_kept(line), self._offer(lines[place + 1 :]))
        return _("None of your changes can be undone.")

    def redo(self) -> str:
        """Do again what was taken back last, if a word may take it back."""
        audit = self._store.audit
        lines = audit.lines(_LOOKED_BACK)
        by_id = {line.id: line for line in lines}
        for undo in reversed(lines):
            line = by_id.get(undo.target or 0)
            if (
                undo.kind is ChangeKind.UNDO
                and line is not None
                and line.undone
                and not _needs_question(line)
            ):
                if line.why != _BY_USER and line.what != _KEPT_TURN:
                    continue
                self._store.redo(line.id)
                return _("Redone: {what}.").format(what=self._content(line) or _kind_of(line))
        return _("There is nothing to redo.")

    def _own_lines(self, whole: WholeTurn | None) -> Iterator[AuditLine]:
        """The user's changes that stand, and the record of the newest turn, the newest first."""
        for line in reversed(self._store.audit.lines(_LOOKED_BACK)):
            if line.undone:
                continue
            by_user = line.why == _BY_USER and line.kind in (ChangeKind.CHANGE, ChangeKind.FORGET)
            if by_user or (whole is not None and self._keeps(line, whole.turn.turn_id)):
                yield line

    def _keeps(self, line: AuditLine, turn_id: str) -> bool:
        """Whether a change wrote the record of a turn."""
        return line.what == _KEPT_TURN and any(
            row.key.get("id") == turn_id for row in self._store.audit.rows(line.id)
        )

    def _offer(self, lines: list[AuditLine]) -> str:
        """What the word takes back when it is typed again."""
        line = next((line for line in lines if not _needs_question(line)), None)
        if line is None:
            return ""
        sentence = _("“undo” again takes back {what}.")
        return sentence.format(what=self._content(line) or _kind_of(line))

    def _take_back(self, line: AuditLine) -> str:
        content = self._content(line) or _kind_of(line)
        self._store.undo(line.id)
        return sentences(_("Undone: {what}.").format(what=content), _(_REDO))

    def _content(self, line: AuditLine) -> str:
        """What a change that stands is about, in the user's words; empty where its rows say nothing."""
        if line.what == _KEPT_TURN:
            return _("what was learnt from the last command")
        rows = self._store.audit.rows(line.id)
        named = list(dict.fromkeys(words for row in rows if (words := self._row_words(row))))
        if not named:
            return ""
        shown = _("; ").join(named[:_NAMED])
        return f"{shown} …" if len(named) > _NAMED else shown

    def _row_words(self, row: RowChange) -> str:
        """What a changed row says; empty for one that only connects others."""
        table = schema.metadata.tables[row.table]
        with self._store.reader() as connection:
            values: dict[str, Any] = dict(next(iter(find_rows(connection, table, [row.key]).values()), {}))
            values |= row.before or {}
            if row.table == schema.profile_values.name and "text" in values:
                nodes = schema.profile_nodes
                query = select(nodes.c.name).where(nodes.c.id == values.get("node_id"))
                node = connection.execute(query).scalar() or ""
                fact = value_words(values["key"], one_line(values["text"]))
                label = _("{entity}, {key}").format(entity=node_words(node), key=key_words(values["key"]))
                return _("{label}: {value}").format(label=label, value=fact) if node else fact
            if "record_id" in values and row.table == schema.prototype_decisions.name:
                name = self._view().name_of_record(values["record_id"])
                return name or one_line(values.get("text", ""))
        return one_line(values.get("instruction", ""))


def _needs_question(line: AuditLine) -> bool:
    """Whether a change is more than a word may take back: an import, a forgetting, or many rows."""
    if line.kind is ChangeKind.FORGET:
        return True
    rows = sum(
        count
        for verbs in line.counts.values()
        for verb, count in verbs.items()
        if verb in ("inserted", "updated", "deleted", "erased")
    )
    return rows > _MOST_ROWS or (line.what != _KEPT_TURN and schema.records.name in line.counts)


def _kind_of(line: AuditLine) -> str:
    return taken_back_words(line.what)


def _tell_kept(line: AuditLine) -> str:
    """Why the newest change is not taken back by a word."""
    if line.kind is ChangeKind.FORGET:
        sentence = _("The last change was “{what}”. What is forgotten cannot come back.")
    else:
        sentence = _(
            "The last change was “{what}”. A word does not take back that much: look at it in /memory, "
            "among the changes, where u undoes it."
        )
    return sentence.format(what=change_words(line.what))


def _tell_turn(whole: WholeTurn) -> str:
    """What the newest turn did on the phone, which cannot be taken back."""
    said = one_line(whole.turn.said)
    if done := tell_done(whole.checkpoint.steps):
        sentence = _("“{said}”: what was done on the phone cannot be taken back from here. {deeds}")
        return sentence.format(said=said, deeds=" ".join(done))
    steps = sum(not step.error for step in whole.checkpoint.steps)
    if not steps:
        return _("“{said}” did nothing on the phone, so nothing there is to be taken back.").format(said=said)
    sentence = _(
        "“{said}” paid, sent and deleted nothing; its {steps} on the phone cannot be taken back from here."
    )
    return sentence.format(said=said, steps=counted(steps, "step"))

"""The changes of the memory: what each did, row by row, and taking it back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from assistant.i18n import _, later, moment
from assistant.memory.audit import AuditLine, RowChange
from assistant.memory.changes import ChangeKind
from assistant.memory_view.evidence import EVIDENCE, details_of, records_of
from assistant.memory_view.items import Act, Details, Item, Listing
from assistant.memory_view.labels import change_words, reason_words, table_words, verb_words
from assistant.memory_view.part import Part
from assistant.model.text import one_line

_CHANGES = 2000
_FINAL = (ChangeKind.FORGET, ChangeKind.REBUILD)
_FEW = 500
"""The most rows that are looked through one by one."""
_TOLD, _LONGEST = 12, 60
_OF_RECORDS = {"records": "id", "profile_evidence": "record_id", "prototype_decisions": "record_id"}
"""The tables whose rows name a record, and in which column of their key."""


class Changes(Part):
    """The newest changes of the memory, newest first."""

    def build(self) -> Listing:
        """One line a change."""
        items = tuple(_change(line) for line in self._desk.store.audit.lines(_CHANGES))[::-1]
        note = "" if items else _("Nothing was changed yet.")
        return Listing(
            items,
            _("The newest {changes} are shown.").format(changes=_CHANGES) if len(items) == _CHANGES else note,
        )

    def details(self, item: Item) -> Details:
        """What a change did."""
        line = self._desk.store.audit.line(int(item.id))
        found = [(later("time"), moment(line.time, year=True)), (later("why"), reason_words(line.why))]
        for table, counts in line.counts.items():
            told = ", ".join(f"{count} {verb_words(what)}" for what, count in counts.items() if count)
            if told:
                found.append((later("rows"), f"{table_words(table)}: {told}"))
        if line.kind in _FINAL:
            found.append((later("undo"), _("It cannot be taken back.")))
        elif line.undone:
            found.append((later("does"), _("nothing any more: it is undone; r does it again")))
        else:
            found.append((later("does"), _("holds until u takes it back")))
        rows = self._rows(line)
        found += [(later("row"), told) for told in _told(rows[:_TOLD])]
        if len(rows) > _TOLD:
            found.append((later("row"), _("… and {count} more").format(count=len(rows) - _TOLD)))
        ids = list(dict.fromkeys(_records(rows)))
        records = records_of(self._desk.store, ids[:EVIDENCE])
        return details_of(tuple((label, text) for label, text in found if text), ids, records)

    def _rows(self, line: AuditLine) -> list[RowChange]:
        """The rows that are kept of a change; none where they are too many to be looked through."""
        count = sum(sum(counts.values()) for counts in line.counts.values())
        return self._desk.store.audit.rows(line.id) if count <= _FEW else []


def _change(line: AuditLine) -> Item:
    turned = Act.REDO if line.undone else Act.UNDO
    return Item(
        id=str(line.id),
        name=change_words(line.what),
        acts=frozenset() if line.kind in _FINAL else frozenset({turned}),
        last=line.time,
        over=later("undone") if line.undone else "",
        source=reason_words(line.why),
    )


def _told(rows: Sequence[RowChange]) -> Iterator[str]:
    """What was done to each row: what it said before, and what it says since."""
    for row in rows:
        table = table_words(row.table)
        key = " ".join(map(str, row.key.values()))
        if row.before is None:
            yield _("{table}: added {key}").format(table=table, key=_short(key))
        elif row.after is None:
            said = next((text for text in row.before.values() if isinstance(text, str) and " " in text), "")
            yield _("{table}: deleted {what}").format(table=table, what=_short(said or key))
        else:
            for name, after in row.after.items():
                before = _short(str(row.before[name]))
                yield f"{table}, {name}: “{before}” → “{_short(str(after))}”"


def _records(rows: Iterable[RowChange]) -> Iterator[str]:
    """The ids of the records that rows are about."""
    return (str(row.key[_OF_RECORDS[row.table]]) for row in rows if row.table in _OF_RECORDS)


def _short(text: str) -> str:
    return one_line(text, _LONGEST)

"""Records, and the changes of the memory."""

from __future__ import annotations

from assistant.memory.audit import AuditLine
from assistant.memory.changes import ChangeKind
from assistant.memory.store import Store
from assistant.memory_view.items import Act, Item, Listing
from assistant.records import Outcome, Record, describe

_RECORDS, _CHANGES = 2000, 500
_ACTIONS = 12
_FINAL = (ChangeKind.FORGET, ChangeKind.REBUILD)


def records(store: Store, user_id: str) -> Listing:
    """The newest records, newest first."""
    found = [_record(one) for one in store.records.of(user_id, _RECORDS)][::-1]
    note = "" if found else "Nothing yet: each turn that ends leaves a record."
    return Listing(tuple(found), f"The newest {_RECORDS} are shown." if len(found) == _RECORDS else note)


def changes(store: Store) -> Listing:
    """The newest changes of the memory, newest first."""
    found = [_change(line) for line in store.audit.lines(_CHANGES)][::-1]
    note = "" if found else "Nothing was changed yet."
    return Listing(tuple(found), f"The newest {_CHANGES} are shown." if len(found) == _CHANGES else note)


def facts_of_record(record: Record) -> tuple[tuple[str, str], ...]:
    """What a record says."""
    found = [("time", f"{record.time:%a %d %b %Y %H:%M}"), ("said", record.said)]
    found += [("app", record.app or record.package), ("place", record.scenario)]
    found.append(("ended", record.outcome.value if record.outcome else ""))
    found.append(("steps", "; ".join(describe(action) for action in record.actions[:_ACTIONS])))
    return tuple((label, text) for label, text in found if text)


def facts_of_change(line: AuditLine) -> tuple[tuple[str, str], ...]:
    """What a change did."""
    found = [("time", f"{line.time:%a %d %b %Y %H:%M}"), ("why", line.why)]
    for table, counts in line.counts.items():
        told = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
        if told:
            found.append((table.replace("_", " "), told))
    if line.kind in _FINAL:
        found.append(("undo", "It cannot be taken back."))
    return tuple((label, text) for label, text in found if text)


def _record(record: Record) -> Item:
    return Item(
        id=record.id,
        name=record.instruction,
        acts=frozenset({Act.EDIT, Act.FORGET}),
        last=record.time,
        over=record.outcome.value if record.outcome not in (None, Outcome.SUCCESS) else "",
    )


def _change(line: AuditLine) -> Item:
    turned = Act.REDO if line.undone else Act.UNDO
    return Item(
        id=str(line.id),
        name=line.what,
        acts=frozenset() if line.kind in _FINAL else frozenset({turned}),
        last=line.time,
        over="undone" if line.undone else "",
    )

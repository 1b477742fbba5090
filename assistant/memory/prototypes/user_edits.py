"""The user's decisions about prototypes: stored apart from derived data, and undone like any change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, select

from assistant.i18n import _
from assistant.memory import schema
from assistant.memory.learning_switches import ignored_records
from assistant.memory.prototypes.clustering import ClusteringConstraints
from assistant.memory.store import Store

_BY_USER = "asked by the user"


class OverrideKind(StrEnum):
    """What was decided about a record, or about two."""

    NAME = "name"
    HIDE = "hide"
    PIN = "pin"
    TOGETHER = "together"
    APART = "apart"
    WINDOW = "window"
    PLACE = "place"
    ALONE = "alone"


@dataclass(frozen=True, slots=True)
class OverrideSet:
    """All that a user decided. `names`, `windows` and `places` are texts by the record that they hang on."""

    wishes: ClusteringConstraints
    names: Mapping[str, str] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    pinned: frozenset[str] = frozenset()
    alone: frozenset[str] = frozenset()
    windows: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)


def decided(connection: Connection, user_id: str) -> OverrideSet:
    """Read a user's decisions; records of a source that is not learnt from are left out too."""
    table = schema.prototype_decisions
    rows = connection.execute(select(table).where(table.c.user_id == user_id).order_by(table.c.time)).all()

    def records(kind: OverrideKind) -> frozenset[str]:
        return frozenset(row.record_id for row in rows if row.kind == kind)

    def texts(kind: OverrideKind) -> dict[str, str]:
        return {row.record_id: row.text for row in rows if row.kind == kind}

    def pairs(kind: OverrideKind) -> tuple[tuple[str, str], ...]:
        return tuple(sorted((row.record_id, row.other) for row in rows if row.kind == kind))

    return OverrideSet(
        wishes=ClusteringConstraints(
            pairs(OverrideKind.TOGETHER),
            pairs(OverrideKind.APART),
            ignored_records(connection, user_id),
        ),
        names=texts(OverrideKind.NAME),
        hidden=records(OverrideKind.HIDE),
        pinned=records(OverrideKind.PIN),
        alone=records(OverrideKind.ALONE),
        windows=texts(OverrideKind.WINDOW),
        places=texts(OverrideKind.PLACE),
    )


class UserOverrides:
    """Writes a user's decisions. Each call is one change of the audit, and returns its id.

    `members` everywhere are the ids of a prototype's records, the centre first.
    """

    def __init__(self, store: Store, user_id: str) -> None:
        self._store = store
        self._user_id = user_id

    def rename(self, members: Sequence[str], instruction: str) -> int | None:
        """Give a prototype another centre instruction; an empty one takes the centre's own again."""
        texts = {members[0]: instruction} if instruction else {}
        return self._replace("Rename a prototype", OverrideKind.NAME, members, texts)

    def keep_to(self, members: Sequence[str], window: str) -> int | None:
        """Suggest a prototype within a window of time only, as `windows` writes it; empty for any time."""
        texts = {members[0]: window} if window else {}
        return self._replace("Give a prototype its hours", OverrideKind.WINDOW, members, texts)

    def place(self, members: Sequence[str], scenario: str) -> int | None:
        """Suggest a prototype in one scenario only; an empty one stands for any."""
        texts = {members[0]: scenario} if scenario else {}
        return self._replace("Give a prototype its place", OverrideKind.PLACE, members, texts)

    def hide(self, members: Sequence[str], hidden: bool = True) -> int | None:
        """Leave a prototype out of answers and suggestions, or show it again."""
        chosen = {members[0]: ""} if hidden else {}
        return self._replace("Hide or show a prototype", OverrideKind.HIDE, members, chosen)

    def pin(self, members: Sequence[str], pinned: bool = True) -> int | None:
        """Keep a prototype from being archived, or let it fade again."""
        chosen = {members[0]: ""} if pinned else {}
        return self._replace("Pin or unpin a prototype", OverrideKind.PIN, members, chosen)

    def let_alone(self, members: Sequence[str], alone: bool = True) -> int | None:
        """Let a prototype be carried out unasked at its time, or ask first again."""
        chosen = {members[0]: ""} if alone else {}
        return self._replace("Let a prototype begin by itself or not", OverrideKind.ALONE, members, chosen)

    def merge(self, members: Sequence[str], others: Sequence[str]) -> int | None:
        """Make one prototype of two. What parted their records before is taken back."""
        sides = {*members}, {*others}
        with self._store.change("Merge two prototypes", _BY_USER) as change:
            table = schema.prototype_decisions
            rows = change.connection.execute(
                select(table).where(table.c.user_id == self._user_id, table.c.kind == OverrideKind.APART)
            ).mappings()
            between = [
                dict(row)
                for row in rows
                if any(row["record_id"] in left and row["other"] in right for left, right in _both(*sides))
            ]
            change.delete_all(table, between)
            change.put(table, self._row(OverrideKind.TOGETHER, *sorted((members[0], others[0]))))
        return change.id

    def split(self, members: Sequence[str], taken: Sequence[str]) -> int | None:
        """Make two prototypes of one: some of its records leave it together.

        Raises:
            ValueError: none is taken, or none stays.
        """
        leaving = list(dict.fromkeys(record_id for record_id in taken if record_id in set(members)))
        staying = [record_id for record_id in members if record_id not in set(leaving)]
        if not leaving or not staying:
            raise ValueError(_("Name some of the prototype's records, and leave some."))
        apart = {tuple(sorted(pair)) for pair in ((record_id, staying[0]) for record_id in leaving)}
        apart |= {tuple(sorted((leaving[0], record_id))) for record_id in staying}
        with self._store.change("Split a prototype", _BY_USER) as change:
            for left, right in sorted(apart):
                change.put(schema.prototype_decisions, self._row(OverrideKind.APART, left, right))
            for record_id in leaving[1:]:
                pair = sorted((leaving[0], record_id))
                change.put(schema.prototype_decisions, self._row(OverrideKind.TOGETHER, *pair))
        return change.id

    def _replace(
        self, what: str, kind: OverrideKind, record_ids: Sequence[str], texts: Mapping[str, str]
    ) -> int | None:
        """Drop all decisions of a kind about some records, but those that are wanted now."""
        table = schema.prototype_decisions
        with self._store.change(what, _BY_USER) as change:
            rows = change.connection.execute(
                select(table).where(table.c.user_id == self._user_id, table.c.kind == kind)
            ).mappings()
            affected = set(record_ids)
            removed = [dict(row) for row in rows if row["record_id"] in affected - set(texts)]
            change.delete_all(table, removed)
            for record_id, text in texts.items():
                change.put(table, {**self._row(kind, record_id), "text": text})
        return change.id

    def _row(self, kind: OverrideKind, record_id: str, other: str = "") -> dict[str, Any]:
        return {
            "user_id": self._user_id,
            "kind": kind.value,
            "record_id": record_id,
            "other": other,
            "text": "",
            "time": self._store.now().isoformat(),
        }


def _both(left: set[str], right: set[str]) -> tuple[tuple[set[str], set[str]], ...]:
    return (left, right), (right, left)

"""The records: what each says, what it counts as, and what it has told of the user."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import select

from assistant.i18n import _, later, moment
from assistant.memory import schema
from assistant.memory.learning_switches import INCOGNITO
from assistant.memory.profile.service import Profile
from assistant.memory.prototypes.model import KindSaid
from assistant.memory_view.forget_preview import forget_records, weigh
from assistant.memory_view.items import Act, Details, Field, Item, Listing, MemoryProblem
from assistant.memory_view.labels import (
    key_words,
    kind_words,
    made_by,
    node_words,
    outcome_words,
    scenario_words,
)
from assistant.memory_view.meaning import RecordMeanings
from assistant.memory_view.part import Desk, Part
from assistant.records import Outcome, Record, shown

_ACTIONS, _TAUGHT = 12, 8
_LONGEST = 400
_ACTS = frozenset({Act.EDIT, Act.FORGET})


class Records(Part):
    """All records, newest first.

    Args:
        desk: the store and its user.
        profile: opens the profile, for what rests on a record.
        meanings: finds records by meaning.
        kind_of: says what a record counts as.
    """

    def __init__(
        self,
        desk: Desk,
        profile: Callable[[], Profile],
        meanings: RecordMeanings,
        kind_of: Callable[[str], KindSaid | None],
    ) -> None:
        super().__init__(desk)
        self._profile = profile
        self._meanings = meanings
        self._kind_of = kind_of

    def build(self) -> Listing:
        """One line a record; actions are read when one is looked at."""
        columns = schema.records.c
        wanted = (
            columns.id,
            columns.time,
            columns.instruction,
            columns.outcome,
            columns.app,
            columns.package,
        )
        query = select(*wanted, columns.scenario, columns.source).where(columns.user_id == self._desk.user_id)
        with self._desk.store.reader() as connection:
            rows = connection.execute(query.order_by(columns.moment.desc(), columns.id.desc())).mappings()
            items = tuple(_item(row) for row in rows)
        return Listing(items, "" if items else _("Nothing yet: each turn that ends leaves a record."))

    def details(self, item: Item) -> Details:
        """What a record says, and what was made of it."""
        record = self._record(item)
        fields = (
            Field(later("instruction"), record.instruction, _("what it was understood to mean")),
            Field(later("scenario"), record.scenario, _("where you were, such as office")),
            Field(later("app"), record.app, _("the app's name")),
        )
        return Details((*_facts(record), *self._counts_as(record), *self._taught(record)), fields=fields)

    def alike(self, words: str, most: int) -> list[str]:
        """Records that are near in meaning."""
        columns = schema.records.c
        with self._desk.store.reader() as connection:
            query = select(columns.id).where(columns.user_id == self._desk.user_id)
            ids = connection.execute(query).scalars().all()
        return self._meanings.nearest(words, most, ids)

    def edit(self, item: Item, field: str, text: str) -> str:
        """Another instruction, scenario or app."""
        name = field if field in ("scenario", "app") else "instruction"
        if not text and name != "app":
            raise MemoryProblem(_("Nothing is typed. To delete it, forget it."))
        if len(text) > _LONGEST:
            raise MemoryProblem(
                _("It has {count} characters; at most {longest} are kept.").format(
                    count=len(text), longest=_LONGEST
                )
            )
        self._desk.store.records.edit(item.id, {name: text})
        return _("Changed: {text}").format(text=text)

    def goes_with(self, item: Item) -> str:
        """The record, and what rests on it alone."""
        return weigh(self._desk.store, self._profile(), (item.id,))

    def forget(self, item: Item) -> str:
        """Delete the record."""
        return forget_records(self._desk.store, (item.id,))

    def _record(self, item: Item) -> Record:
        record = self._desk.store.records.get(item.id)
        if record is None:
            raise KeyError(item.id)
        return record

    def _taught(self, record: Record) -> list[tuple[str, str]]:
        """The values of the profile that it is evidence for."""
        told, values, nodes = schema.profile_evidence, schema.profile_values, schema.profile_nodes
        query = (
            select(nodes.c.name, values.c.key, values.c.text)
            .select_from(told.join(values, values.c.id == told.c.value_id))
            .join(nodes, nodes.c.id == values.c.node_id)
            .where(told.c.record_id == record.id)
            .limit(_TAUGHT)
        )
        with self._desk.store.reader() as connection:
            rows = connection.execute(query).all()
        return [
            (later("tells"), f"{node_words(name)} · {key_words(key)}: {text}") for name, key, text in rows
        ]

    def _counts_as(self, record: Record) -> list[tuple[str, str]]:
        if record.source == INCOGNITO:
            return [(later("counts as"), _("nothing: learning was paused"))]
        said = self._kind_of(record.id)
        if said is None:
            return []
        told = _("{kind}. {why}").format(kind=kind_words(said.kind.value), why=" ".join(said.why))
        return [(later("counts as"), told)]


def _facts(record: Record) -> tuple[tuple[str, str], ...]:
    found = [(later("time"), moment(record.time, year=True)), (later("said"), record.said)]
    found += [(later("app"), record.app or record.package), (later("place"), scenario_words(record.scenario))]
    found.append((later("ended"), outcome_words(record.outcome or "")))
    found.append((later("from"), made_by(record.source)))
    found.append((later("steps"), "; ".join(shown(action, _) for action in record.actions[:_ACTIONS])))
    return tuple((label, text) for label, text in found if text)


def _item(row: Mapping[Any, Any]) -> Item:
    outcome = row["outcome"] or ""
    states = [outcome] if outcome not in ("", Outcome.SUCCESS.value) else []
    if row["source"] == INCOGNITO:
        states.append(later("not learnt"))
    return Item(
        id=row["id"],
        name=row["instruction"],
        acts=_ACTS,
        last=datetime.fromisoformat(row["time"]),
        over=" · ".join(states),
        app=row["app"] or row["package"],
        scenario=row["scenario"],
        source=row["source"],
    )

"""The prototypes that are stable enough to be told, kept while nothing changes, and the section of each."""

from __future__ import annotations

from datetime import date

from sqlalchemy import func, select

from assistant.memory import schema
from assistant.memory.him.prototype import Kind, Prototype
from assistant.memory.prototypes.model import STABLE, kind_of_prototype
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory_view.items import Section
from assistant.memory_view.part import Desk, newest_change

KINDS = {
    Section.PREFERENCES: frozenset({Kind.PREFERENCE, Kind.ROUTINE}),
    Section.ROUTINES: frozenset({Kind.ROUTINE}),
}
"""What each section tells: a routine is a preference too."""


class Shelved:
    """The stable prototypes of a user, kept while nothing changes."""

    def __init__(self, memory: HierarchicalMemory, desk: Desk) -> None:
        self.memory = memory
        self._desk = desk
        self._mark: object = None
        self._known: dict[str, Prototype] = {}
        self._homes: dict[str, str] = {}
        self.others = 0
        """How many were asked for on too few days to be told."""

    def all(self) -> list[Prototype]:
        """Those that are told, as they are now."""
        if (mark := self._now()) != self._mark:
            found = self.memory.prototypes(self._desk.user_id, at_least=STABLE)
            self._known = {one.id: one for one in found if section_of(one) is not None}
            self._homes = {record: one.id for one in self._known.values() for record in one.evidence}
            self.others = self._count() - len(self._known)
            self._mark = mark
        return list(self._known.values())

    def get(self, name: str) -> Prototype:
        """One by its id.

        Raises:
            KeyError: there is none.
        """
        self.all()
        return self._known[name]

    def of_record(self, record_id: str) -> Prototype | None:
        """The one that a record belongs to."""
        self.all()
        home = self._homes.get(record_id)
        return self._known[home] if home is not None else None

    def _now(self) -> tuple[int, date]:
        return newest_change(self._desk.store), self._desk.store.now().date()

    def _count(self) -> int:
        table = schema.prototypes
        query = select(func.count()).where(table.c.user_id == self._desk.user_id)
        with self._desk.store.reader() as connection:
            return int(connection.execute(query).scalar_one())


def section_of(prototype: Prototype) -> Section | None:
    """Where a prototype is told most fully; None for a one-off."""
    kind = kind_of_prototype(prototype)
    return next(
        (section for section in (Section.ROUTINES, Section.PREFERENCES) if kind in KINDS[section]), None
    )


def members(prototype: Prototype) -> tuple[str, ...]:
    """The ids of the records, the centre first, as decisions want them."""
    return prototype.centre_id, *(one for one in prototype.evidence if one != prototype.centre_id)

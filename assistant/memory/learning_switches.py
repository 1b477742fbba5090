"""What the memory may learn from: a pause for all learning, and a switch for each source of records."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, func, or_, select

from assistant.i18n import _
from assistant.memory import schema
from assistant.memory.schema import learning_switches as switches
from assistant.memory.store import Store
from assistant.records import Outcome

INCOGNITO = "incognito"
"""The source of a turn that ran while learning was paused: it is kept, and nothing is ever learnt from it."""

EXECUTED = "executed"
"""The source of a turn that the assistant carried out."""

_PAUSE = "learning"
_SOURCE = "source "
_BY_USER = "asked by the user"


@dataclass(frozen=True, slots=True)
class RecordSource:
    """Where records come from, how many there are, and whether anything is learnt from them."""

    name: str
    records: int
    on: bool


class LearningSwitches:
    """The switches of one user. They are in the database, so that every program that uses it keeps to them.

    Each switching is one line of the audit, and can be undone.
    """

    def __init__(self, store: Store, user_id: str) -> None:
        self._store = store
        self._user_id = user_id

    @property
    def paused(self) -> bool:
        """Whether the user has paused learning."""
        with self._store.reader() as connection:
            return _is_off(connection, self._user_id, _PAUSE)

    def pause(self, paused: bool = True) -> int | None:
        """Pause learning, or let it go on. Returns the change, None when it was so already."""
        what = "Pause learning" if paused else "Go on learning"
        return self._turn(_PAUSE, not paused, what)

    def sources(self) -> list[RecordSource]:
        """The sources there are records of, and those that were switched off, by name."""
        records = schema.records.c
        query = select(records.source, func.count()).where(records.user_id == self._user_id)
        with self._store.reader() as connection:
            counts = {row[0]: int(row[1]) for row in connection.execute(query.group_by(records.source))}
            off = ignored_sources(connection, self._user_id)
        return [RecordSource(name, counts.get(name, 0), name not in off) for name in sorted({*counts, *off})]

    def uses(self, source: str) -> bool:
        """Whether anything is learnt from records of a source."""
        with self._store.reader() as connection:
            return source not in ignored_sources(connection, self._user_id)

    def switch(self, source: str, on: bool) -> int | None:
        """Learn from a source or not. What prototypes made of its records goes or comes back with it.

        Raises:
            ValueError: the source is that of turns without learning.
        """
        if source == INCOGNITO:
            raise ValueError(_("Turns that ran while learning was paused stay out."))
        return self._turn(_SOURCE + source, on, "Switch a source of learning")

    def _turn(self, name: str, on: bool, what: str) -> int | None:
        with self._store.change(what, _BY_USER) as change:
            if _is_off(change.connection, self._user_id, name) is on:
                change.put(switches, {"user_id": self._user_id, "name": name, "on": on})
        return change.id


def ignored_sources(connection: Connection, user_id: str) -> frozenset[str]:
    """The sources of records that nothing is learnt from."""
    query = select(switches.c.name).where(switches.c.user_id == user_id, ~switches.c.on)
    names = connection.execute(query).scalars()
    return frozenset([INCOGNITO, *(name.removeprefix(_SOURCE) for name in names if name.startswith(_SOURCE))])


def ignored_records(connection: Connection, user_id: str) -> frozenset[str]:
    """The ids of the records that nothing is learnt from: those of ignored sources, and what came to no end.

    A turn that failed, was cancelled or could not be confirmed shows neither that the user wanted it so nor
    how it is done (PersonalAlign 3 takes its preferences from what users have done). A record without an
    outcome counts.
    """
    records = schema.records.c
    ignored = or_(
        records.source.in_(ignored_sources(connection, user_id)),
        records.outcome.in_([Outcome.FAILED, Outcome.CANCELLED, Outcome.UNCONFIRMED]),
    )
    query = select(records.id).where(records.user_id == user_id, ignored)
    return frozenset(connection.execute(query).scalars())


def _is_off(connection: Connection, user_id: str, name: str) -> bool:
    query = select(switches.c.on).where(switches.c.user_id == user_id, switches.c.name == name)
    return connection.execute(query).scalar_one_or_none() is False

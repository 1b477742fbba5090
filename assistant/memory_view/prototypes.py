"""Preferences and routines: the prototypes that are stable enough to be told, and what stands behind one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from statistics import fmean

import numpy as np
from sqlalchemy import func, select

from assistant.memory.him import tables
from assistant.memory.him.kinds import STABLE, days_of, kind_of_prototype
from assistant.memory.him.memory import HierarchicalMemory
from assistant.memory.him.prototype import Kind, Prototype
from assistant.memory.him.reading import read
from assistant.memory.him.routines import confidence
from assistant.memory.him.slots import usual_slots
from assistant.memory.him.states import UNKNOWN, most_frequent
from assistant.memory.him.windows import UnreadableWindow, read_window
from assistant.memory.profile.profile import Profile
from assistant.memory_view.evidence import details_of, records_of
from assistant.memory_view.items import (
    HOURS,
    Act,
    Details,
    Field,
    Item,
    Listing,
    MemoryProblem,
    Section,
    counted,
    heat_of,
)
from assistant.memory_view.meaning import RecordMeanings
from assistant.memory_view.part import Desk, Part, newest_change
from assistant.memory_view.query import read_query
from assistant.memory_view.weighing import forget_records, weigh
from assistant.records import SCENARIOS, Record

_KINDS = {Section.PREFERENCES: Kind.PREFERENCE, Section.ROUTINES: Kind.ROUTINE}
_ACTS = frozenset({Act.EDIT, Act.PIN, Act.HIDE, Act.MERGE, Act.SPLIT, Act.FORGET})
_SLOTS = (("app", "app"), ("item", "usually"), ("place", "place"), ("time", "time"))
_READ, _NEXT = 60, 3
_LONGEST = 400

Occasions = Callable[[str], Sequence[tuple[datetime, float]]]
"""When a prototype is likely next, with the chances."""


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
        table = tables.prototypes
        query = select(func.count()).where(table.c.user_id == self._desk.user_id)
        with self._desk.store.reader() as connection:
            return int(connection.execute(query).scalar_one())


def section_of(prototype: Prototype) -> Section | None:
    """Where a prototype is told; None for a one-off."""
    kind = kind_of_prototype(prototype)
    return next((section for section, wanted in _KINDS.items() if wanted is kind), None)


def members(prototype: Prototype) -> tuple[str, ...]:
    """The ids of the records, the centre first, as decisions want them."""
    return prototype.centre_id, *(one for one in prototype.evidence if one != prototype.centre_id)


class Prototypes(Part):
    """One of the two sections.

    Args:
        section: which.
        desk: the store and its user.
        shelved: the prototypes.
        profile: opens the profile, for what rests on the same records.
        meanings: finds records by meaning.
        occasions: tells when one is likely next.
    """

    def __init__(
        self,
        section: Section,
        desk: Desk,
        shelved: Shelved,
        profile: Callable[[], Profile],
        meanings: RecordMeanings,
        occasions: Occasions,
    ) -> None:
        self._section = section
        super().__init__(desk)
        self._shelved = shelved
        self._profile = profile
        self._meanings = meanings
        self._occasions = occasions

    def build(self) -> Listing:
        """The prototypes: pinned ones first, then by the evidence left after fading."""
        known = self._shelved.all()
        wanted = [one for one in known if section_of(one) is self._section]
        wanted.sort(key=lambda one: (not one.pinned, one.archived, one.hidden, -one.weight))
        once = self._shelved.others
        note = ""
        if not wanted:
            note = f"Nothing yet: what is asked for on {STABLE} days comes to stand here."
        elif once:
            note = f"What was asked for on fewer than {STABLE} days is left out: {once}."
        return Listing(tuple(_item(one) for one in wanted), note)

    def details(self, item: Item) -> Details:
        """Usual values, how sure it is, what it is good for, and its records."""
        one = self._shelved.get(item.id)
        records = records_of(self._desk.store, one.evidence[:_READ])
        facts = (*self._purpose(one), *_facts(one, records))
        fields = (
            Field("instruction", one.instruction, "what it means"),
            Field(
                "hours", str(one.window or ""), "when it is suggested: 11:50-12:30 mon-fri; empty: any time"
            ),
            Field("scenario", one.place, "where it is suggested, such as office; empty: anywhere"),
        )
        heat = heat_of([member.time for member in one.members])
        return details_of(facts, one.evidence, records, heat=heat, fields=fields)

    def alike(self, words: str, most: int) -> list[str]:
        """Those whose centres are near in meaning."""
        centres = {one.centre_id: one.id for one in self._shelved.all() if section_of(one) is self._section}
        return [centres[one] for one in self._meanings.nearest(words, most, centres)]

    def edit(self, item: Item, field: str, text: str) -> str:
        """Another centre instruction, other hours, another place."""
        ids = members(self._shelved.get(item.id))
        decisions = self._shelved.memory.decisions(self._desk.user_id)
        if field == "hours":
            try:
                window = str(read_window(text)) if text else ""
            except UnreadableWindow as problem:
                raise MemoryProblem(str(problem)) from problem
            decisions.keep_to(ids, window)
            return f"Changed: it is suggested {window or 'at any time'}."
        if field == "scenario":
            if text and text not in SCENARIOS:
                text = text.casefold()
            decisions.place(ids, text)
            return f"Changed: it is suggested {f'in this place only: {text}' if text else 'anywhere'}."
        if not text:
            raise MemoryProblem("Nothing is typed. To delete it, press f on it.")
        if len(text) > _LONGEST:
            raise MemoryProblem(f"It has {len(text)} characters; at most {_LONGEST} are kept.")
        decisions.rename(ids, text)
        return f"Changed: {text}"

    def pin(self, item: Item, pinned: bool) -> None:
        """Keep it from being archived, or let it fade."""
        self._shelved.memory.decisions(self._desk.user_id).pin(members(self._shelved.get(item.id)), pinned)

    def hide(self, item: Item, hidden: bool) -> None:
        """Leave it out of answers and suggestions, or not."""
        self._shelved.memory.decisions(self._desk.user_id).hide(members(self._shelved.get(item.id)), hidden)

    def merge(self, item: Item, other: Item) -> str:
        """Make one of two."""
        kept, gone = self._shelved.get(item.id), self._shelved.get(other.id)
        if kept.id == gone.id:
            raise MemoryProblem("Choose another one to merge it with.")
        self._shelved.memory.decisions(self._desk.user_id).merge(members(kept), members(gone))
        return f"Merged: {counted(len(kept.members) + len(gone.members), 'record')} are one now."

    def leaving(self, item: Item, words: str) -> str:
        """How many records would leave it."""
        one = self._shelved.get(item.id)
        taken = self._taken(one, words)
        return f"{len(taken)} of {counted(len(one.members), 'record')} would stand apart."

    def split(self, item: Item, words: str) -> str:
        """Let the records that some words find leave together."""
        one = self._shelved.get(item.id)
        taken = self._taken(one, words)
        self._shelved.memory.decisions(self._desk.user_id).split(members(one), taken)
        return f"Split: {counted(len(taken), 'record')} {'stands' if len(taken) == 1 else 'stand'} apart now."

    def goes_with(self, item: Item) -> str:
        """All its records go."""
        return weigh(self._desk.store, self._profile(), members(self._shelved.get(item.id)))

    def forget(self, item: Item) -> str:
        """All its records go."""
        return forget_records(self._desk.store, members(self._shelved.get(item.id)))

    def _taken(self, prototype: Prototype, words: str) -> list[str]:
        """The records of a prototype that a query finds.

        Raises:
            MemoryProblem: it finds none of them, or all.
        """
        query = read_query(words, self._desk.store.now())
        wanted = query.words.casefold().split()
        records = records_of(self._desk.store, prototype.evidence)
        found = []
        for one in records:
            text = f"{one.instruction} {one.said}".casefold()
            as_item = Item(one.id, "", frozenset(), last=one.time, app=one.app, scenario=one.scenario)
            if query.admits(as_item) and all(word in text for word in wanted):
                found.append(one.id)
        if not found or len(found) == len(records):
            which = "None" if not found else "All"
            raise MemoryProblem(
                f"{which} of its records are meant. Type words that some hold, or app: scenario: since:"
            )
        return found

    def _purpose(self, prototype: Prototype) -> list[tuple[str, str]]:
        """What it changes in what the assistant does."""
        if prototype.hidden:
            return [("does", "nothing: it is hidden")]
        if prototype.archived:
            return [("does", "little: it has not been asked for in a long time; pin it to keep it")]
        found = [("does", "completes commands that are vaguer than it")]
        coming = [] if self._section is Section.PREFERENCES else self._coming(prototype)
        if coming:
            found.append(("next", ", ".join(f"{when:%a %H:%M} ({chance:.0%})" for when, chance in coming)))
        if prototype.window is not None:
            found.append(("only", f"suggested {prototype.window}"))
        if prototype.place:
            found.append(("only", f"suggested in this place: {prototype.place}"))
        return found

    def _coming(self, prototype: Prototype) -> list[tuple[datetime, float]]:
        window = prototype.window
        found = self._occasions(prototype.id)
        return [one for one in found if window is None or window.holds(one[0])][:_NEXT]


def _facts(prototype: Prototype, records: Sequence[Record]) -> Iterable[tuple[str, str]]:
    """What is known of a prototype, from its newest records."""
    nothing = np.empty(0, np.float32)
    slots = usual_slots([read(record, nothing) for record in records])
    yield from ((label, slots[slot][0]) for slot, label in _SLOTS if slot in slots)
    yield "seen", f"{len(prototype.members)} times on {days_of(prototype.members)} days"
    sure = confidence(prototype.members)
    yield "alike", f"{sure.consistency:.2f}, how well its records agree"
    yield "regular", f"{sure.phi:.2f}: state {sure.state:.2f}, records {sure.records:.2f}"
    yield "weight", f"{prototype.weight:.1f} records are left after fading"
    scenario, count = most_frequent(one.scenario for one in prototype.members if one.scenario != UNKNOWN)
    if scenario and "place" not in slots:
        yield "place", f"{scenario}, {count} of {len(prototype.members)}"


def _item(prototype: Prototype) -> Item:
    counts = Counter(one.time.hour for one in prototype.members)
    routine = kind_of_prototype(prototype) is Kind.ROUTINE
    sure = confidence(prototype.members).phi
    alike = min(1.0, max(0.0, fmean(one.consistency for one in prototype.members)))
    scenario, _ = most_frequent(one.scenario for one in prototype.members if one.scenario != UNKNOWN)
    return Item(
        id=prototype.id,
        name=prototype.instruction,
        acts=_ACTS,
        count=len(prototype.members),
        weight=sure if routine else alike,
        last=max(one.time for one in prototype.members),
        hours=tuple(counts[hour] for hour in range(HOURS)),
        pinned=prototype.pinned,
        hidden=prototype.hidden,
        over="archived" if prototype.archived else "",
        app=prototype.app,
        scenario=scenario,
    )

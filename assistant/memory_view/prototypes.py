"""Preferences and routines: the prototypes that are stable enough to be told, and what stands behind one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from statistics import fmean

import numpy as np
from sqlalchemy import func, select

from assistant.language import _, later, ngettext
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

_KINDS = {
    Section.PREFERENCES: frozenset({Kind.PREFERENCE, Kind.ROUTINE}),
    Section.ROUTINES: frozenset({Kind.ROUTINE}),
}
"""What each section tells: a routine is a preference too."""
_ACTS = frozenset({Act.EDIT, Act.PIN, Act.HIDE, Act.MERGE, Act.SPLIT, Act.FORGET})
_SLOTS = (
    (later("app"), "app"),
    (later("item"), "usually"),
    (later("place"), "place"),
    (later("time"), "time"),
)
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
    """Where a prototype is told most fully; None for a one-off."""
    kind = kind_of_prototype(prototype)
    return next(
        (section for section in (Section.ROUTINES, Section.PREFERENCES) if kind in _KINDS[section]), None
    )


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
        wanted = [one for one in known if self._tells(one)]
        wanted.sort(key=lambda one: (not one.pinned, one.archived, one.hidden, -one.weight))
        once = self._shelved.others
        note = ""
        if not wanted:
            note = _("Nothing yet: what is asked for on {stable} days comes to stand here.").format(
                stable=STABLE
            )
        elif once:
            note = _("What was asked for on fewer than {stable} days is left out: {once}.").format(
                stable=STABLE, once=once
            )
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
        centres = {one.centre_id: one.id for one in self._shelved.all() if self._tells(one)}
        return [centres[one] for one in self._meanings.nearest(words, most, centres)]

    def _tells(self, prototype: Prototype) -> bool:
        return kind_of_prototype(prototype) in _KINDS[self._section]

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
            return _("Changed: it is suggested {window}.").format(window=window or _("at any time"))
        if field == "scenario":
            if text and text not in SCENARIOS:
                text = text.casefold()
            decisions.place(ids, text)
            return (
                _("Changed: it is suggested in this place only: {place}").format(place=text)
                if text
                else _("Changed: it is suggested anywhere.")
            )
        if not text:
            raise MemoryProblem(_("Nothing is typed. To delete it, press f on it."))
        if len(text) > _LONGEST:
            raise MemoryProblem(
                _("It has {count} characters; at most {longest} are kept.").format(
                    count=len(text), longest=_LONGEST
                )
            )
        decisions.rename(ids, text)
        return _("Changed: {text}").format(text=text)

    def pin(self, item: Item, pinned: bool) -> None:
        """Keep it from being archived, or let it fade."""
        self._shelved.memory.decisions(self._desk.user_id).pin(members(self._shelved.get(item.id)), pinned)

    def hide(self, item: Item, hidden: bool) -> None:
        """Leave it out of answers and suggestions, or not."""
        self._shelved.memory.decisions(self._desk.user_id).hide(members(self._shelved.get(item.id)), hidden)

    def let_alone(self, item: Item) -> str:
        """Let a routine begin by itself, after a while to stop it; or ask first again."""
        one = self._shelved.get(item.id)
        self._shelved.memory.decisions(self._desk.user_id).let_alone(members(one), not one.alone)
        if one.alone:
            return "It is offered again, and waits for a yes."
        return "At its time it begins by itself, after a while to stop it, if it does nothing sensitive."

    def merge(self, item: Item, other: Item) -> str:
        """Make one of two."""
        kept, gone = self._shelved.get(item.id), self._shelved.get(other.id)
        if kept.id == gone.id:
            raise MemoryProblem(_("Choose another one to merge it with."))
        self._shelved.memory.decisions(self._desk.user_id).merge(members(kept), members(gone))
        return _("Merged: {records} are one now.").format(
            records=counted(len(kept.members) + len(gone.members), "record")
        )

    def leaving(self, item: Item, words: str) -> str:
        """How many records would leave it."""
        one = self._shelved.get(item.id)
        taken = self._taken(one, words)
        return _("{count} of {records} would stand apart.").format(
            count=len(taken), records=counted(len(one.members), "record")
        )

    def split(self, item: Item, words: str) -> str:
        """Let the records that some words find leave together."""
        one = self._shelved.get(item.id)
        taken = self._taken(one, words)
        self._shelved.memory.decisions(self._desk.user_id).split(members(one), taken)
        return ngettext(
            "Split: {count} record stands apart now.", "Split: {count} records stand apart now.", len(taken)
        ).format(count=len(taken))

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
                _(
                    "{which} of its records are meant. Type words that some hold, or app: scenario: since:"
                ).format(which=which)
            )
        return found

    def _purpose(self, prototype: Prototype) -> list[tuple[str, str]]:
        """What it changes in what the assistant does."""
        if prototype.hidden:
            return [(later("does"), _("nothing: it is hidden"))]
        if prototype.archived:
            return [(later("does"), _("little: it has not been asked for in a long time; pin it to keep it"))]
        found = [(later("does"), _("completes commands that are vaguer than it"))]
        coming = self._coming(prototype) if section_of(prototype) is Section.ROUTINES else []
        if coming:
            found.append(
                (later("next"), ", ".join(f"{when:%a %H:%M} ({chance:.0%})" for when, chance in coming))
            )
        if prototype.alone:
            found.append(("just do it", "on: it begins by itself at its time, after a while to stop it"))
        if prototype.window is not None:
            found.append((later("only"), _("suggested {window}").format(window=prototype.window)))
        if prototype.place:
            found.append((later("only"), _("suggested in this place: {place}").format(place=prototype.place)))
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
    yield (
        later("seen"),
        _("{count} times on {days} days").format(
            count=len(prototype.members), days=days_of(prototype.members)
        ),
    )
    sure = confidence(prototype.members)
    yield (
        later("alike"),
        _("{consistency:.2f}, how well its records agree").format(consistency=sure.consistency),
    )
    yield (
        later("regular"),
        _("{phi:.2f}: state {state:.2f}, records {records:.2f}").format(
            phi=sure.phi, state=sure.state, records=sure.records
        ),
    )
    yield later("weight"), _("{weight:.1f} records are left after fading").format(weight=prototype.weight)
    scenario, count = most_frequent(one.scenario for one in prototype.members if one.scenario != UNKNOWN)
    if scenario and "place" not in slots:
        yield (
            later("place"),
            _("{scenario}, {count} of {all}").format(
                scenario=scenario, count=count, all=len(prototype.members)
            ),
        )


def _item(prototype: Prototype) -> Item:
    counts = Counter(one.time.hour for one in prototype.members)
    routine = kind_of_prototype(prototype) is Kind.ROUTINE
    sure = confidence(prototype.members).phi
    alike = min(1.0, max(0.0, fmean(one.consistency for one in prototype.members)))
    scenario, _ = most_frequent(one.scenario for one in prototype.members if one.scenario != UNKNOWN)
    return Item(
        id=prototype.id,
        name=prototype.instruction,
        acts=_ACTS | {Act.ALONE} if routine else _ACTS,
        count=len(prototype.members),
        weight=sure if routine else alike,
        last=max(one.time for one in prototype.members),
        hours=tuple(counts[hour] for hour in range(HOURS)),
        pinned=prototype.pinned,
        hidden=prototype.hidden,
        over="archived" if prototype.archived else "by itself" if prototype.alone else "",
        app=prototype.app,
        scenario=scenario,
    )

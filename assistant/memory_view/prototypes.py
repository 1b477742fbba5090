"""Preferences and routines: the prototypes that are stable enough to be told, and what stands behind one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean

import numpy as np

from assistant.memory.him.kinds import STABLE, days_of, kind_of_prototype
from assistant.memory.him.prototype import Kind, Prototype
from assistant.memory.him.reading import read
from assistant.memory.him.routines import confidence
from assistant.memory.him.slots import usual_slots
from assistant.memory.him.states import UNKNOWN, most_frequent
from assistant.memory_view.items import HOURS, Act, Item, Listing, Section
from assistant.records import Record

_KINDS = {Section.PREFERENCES: Kind.PREFERENCE, Section.ROUTINES: Kind.ROUTINE}
_ACTS = frozenset({Act.EDIT, Act.PIN, Act.HIDE, Act.FORGET})
_SLOTS = (("app", "app"), ("item", "usually"), ("place", "place"), ("time", "time"))


def listing(section: Section, prototypes: Iterable[Prototype]) -> Listing:
    """The prototypes of a section: pinned ones first, then by the evidence left after fading."""
    known = [one for one in prototypes if one.members]
    wanted = [one for one in known if kind_of_prototype(one) is _KINDS[section]]
    wanted.sort(key=lambda one: (not one.pinned, one.archived, one.hidden, -one.weight))
    once = sum(kind_of_prototype(one) is Kind.MOMENT for one in known)
    note = ""
    if not wanted:
        note = f"Nothing yet: what is asked for on {STABLE} days comes to stand here."
    elif once:
        note = f"What was asked for on fewer than {STABLE} days is left out: {once}."
    return Listing(tuple(_item(one) for one in wanted), note)


def members(prototype: Prototype) -> tuple[str, ...]:
    """The ids of the records, the centre first, as decisions want them."""
    return prototype.centre_id, *(one for one in prototype.evidence if one != prototype.centre_id)


def facts(prototype: Prototype, records: Sequence[Record]) -> tuple[tuple[str, str], ...]:
    """What is known of a prototype, from its newest records."""
    nothing = np.empty(0, np.float32)
    slots = usual_slots([read(record, nothing) for record in records])
    found = [(label, slots[slot][0]) for slot, label in _SLOTS if slot in slots]
    days = days_of(prototype.members)
    found.append(("seen", f"{len(prototype.members)} times on {days} days"))
    sure = confidence(prototype.members)
    found.append(("alike", f"{sure.consistency:.2f}, how well its records agree"))
    found.append(("regular", f"{sure.phi:.2f}: state {sure.state:.2f}, records {sure.records:.2f}"))
    found.append(("weight", f"{prototype.weight:.1f} records are left after fading"))
    scenario, count = most_frequent(one.scenario for one in prototype.members if one.scenario != UNKNOWN)
    if scenario and "place" not in slots:
        found.append(("place", f"{scenario}, {count} of {len(prototype.members)}"))
    return tuple(found)


def _item(prototype: Prototype) -> Item:
    counted = Counter(one.time.hour for one in prototype.members)
    routine = kind_of_prototype(prototype) is Kind.ROUTINE
    sure = confidence(prototype.members).phi
    alike = min(1.0, max(0.0, fmean(one.consistency for one in prototype.members)))
    return Item(
        id=prototype.id,
        name=prototype.instruction,
        acts=_ACTS,
        count=len(prototype.members),
        weight=sure if routine else alike,
        last=max(one.time for one in prototype.members),
        hours=tuple(counted[hour] for hour in range(HOURS)),
        pinned=prototype.pinned,
        hidden=prototype.hidden,
        over="archived" if prototype.archived else "",
    )

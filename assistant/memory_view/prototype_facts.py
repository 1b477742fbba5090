"""What is told of a prototype: its line in the list, and what its records say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean

import numpy as np

from assistant.i18n import _, later
from assistant.memory.him.prototype import Kind, Prototype
from assistant.memory.him.reading import read
from assistant.memory.him.routines import confidence
from assistant.memory.him.slots import usual_slots
from assistant.memory.him.states import UNKNOWN, most_frequent
from assistant.memory.prototypes.model import days_of, kind_of_prototype
from assistant.memory_view.items import HOURS, Act, Item
from assistant.memory_view.labels import scenario_words
from assistant.records import Record

_ACTS = frozenset({Act.EDIT, Act.PIN, Act.HIDE, Act.MERGE, Act.SPLIT, Act.FORGET})
_SLOTS = (
    ("app", later("app")),
    ("item", later("usually")),
    ("place", later("place")),
    ("time", later("time")),
)
_ARCHIVED, _BY_ITSELF = later("archived"), later("by itself")


def facts_of_records(prototype: Prototype, records: Sequence[Record]) -> Iterable[tuple[str, str]]:
    """What is known of a prototype, from its newest records."""
    nothing = np.empty(0, np.float32)
    slots = usual_slots([read(record, nothing) for record in records])
    yield from ((label, scenario_words(slots[slot])) for slot, label in _SLOTS if slot in slots)
    yield (
        later("seen"),
        _("{count} times on {days} days").format(
            count=len(prototype.members), days=days_of(prototype.members)
        ),
    )
    sure = confidence(prototype.members)
    yield later("sure"), f"{sureness(prototype):.0%}"
    yield later("alike"), _("{share}: its records agree so well").format(share=f"{sure.consistency:.0%}")
    yield (
        later("regular"),
        _("{whole}: hour and place {state}, number of records {records}").format(
            whole=f"{sure.phi:.0%}", state=f"{sure.state:.0%}", records=f"{sure.records:.0%}"
        ),
    )
    yield (
        later("weight"),
        _("that of {weight:.1f} new records; old ones fade").format(weight=prototype.weight),
    )
    scenario, count = most_frequent(one.scenario for one in prototype.members if one.scenario != UNKNOWN)
    if scenario and "place" not in slots:
        yield (
            later("place"),
            _("{scenario}, {count} of {all}").format(
                scenario=scenario_words(scenario), count=count, all=len(prototype.members)
            ),
        )


def sureness(prototype: Prototype) -> float:
    """How sure a prototype is, 0..1: a routine as it is regular, another as its records agree."""
    if kind_of_prototype(prototype) is Kind.ROUTINE:
        return confidence(prototype.members).phi
    return min(1.0, max(0.0, fmean(one.consistency for one in prototype.members)))


def prototype_item(prototype: Prototype) -> Item:
    """The line of a prototype."""
    counts = Counter(one.time.hour for one in prototype.members)
    routine = kind_of_prototype(prototype) is Kind.ROUTINE
    scenario, _count = most_frequent(one.scenario for one in prototype.members if one.scenario != UNKNOWN)
    return Item(
        id=prototype.id,
        name=prototype.instruction,
        acts=_ACTS | {Act.ALONE} if routine else _ACTS,
        count=len(prototype.members),
        weight=sureness(prototype),
        last=max(one.time for one in prototype.members),
        hours=tuple(counts[hour] for hour in range(HOURS)),
        pinned=prototype.pinned,
        hidden=prototype.hidden,
        over=_ARCHIVED if prototype.archived else _BY_ITSELF if prototype.alone else "",
        app=prototype.app,
        scenario=scenario,
    )

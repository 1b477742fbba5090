"""Moment, preference or routine: what a record is, and why (PersonalAlign 4.1, appendix D).

A prototype is stable when its records are of several days; a stable one is a routine when most of its records
lie within two hours of the day. The paper's own rule, Φ above a boundary, is kept beside it as the baseline.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from assistant.memory.him.prototype import Kind, Member, Prototype
from assistant.memory.him.routines import BOUNDARY, confidence, most_frequent_state
from assistant.memory.him.states import UNKNOWN, clock, hour_of, shortest_span

STABLE = 3
"""The number of days from which a prototype is stable: a preference, or a routine."""
SPAN = 2.0
"""The hours of the day within which a routine happens."""
SHARE = 0.7
"""The least share of a routine's records within that span. Found on lives of seeds 100 to 103."""
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class KindSaid:
    """What a record is, in which prototype, and the reasons as sentences. `evidence`: the other records."""

    record_id: str
    kind: Kind
    prototype_id: str
    why: tuple[str, ...]
    evidence: tuple[str, ...] = ()


def kind_of_prototype(prototype: Prototype) -> Kind:
    """What the records of a prototype are."""
    if days_of(prototype.members) < STABLE:
        return Kind.MOMENT
    return Kind.ROUTINE if _usual_hours(prototype.members)[1] <= SPAN else Kind.PREFERENCE


def kind_by_confidence(prototype: Prototype, boundary: float = BOUNDARY) -> Kind:
    """What the records of a prototype are by the paper's rule: routines have Φ above the boundary."""
    if len(prototype.members) < STABLE:
        return Kind.MOMENT
    return Kind.ROUTINE if confidence(prototype.members).phi > boundary else Kind.PREFERENCE


def days_of(members: Sequence[Member]) -> int:
    """On how many days of the user the records were made."""
    return len({member.time.date() for member in members})


def kind_of_record(record_id: str, prototype: Prototype | None) -> KindSaid:
    """What one record is, and why. `prototype` is the one it belongs to, None when it was left out."""
    if prototype is None:
        return KindSaid(record_id, Kind.MOMENT, "", ("It is not counted, because you left it out.",))
    kind, days = kind_of_prototype(prototype), days_of(prototype.members)
    others = tuple(one for one in prototype.evidence if one != record_id)
    named = ", ".join(others[:_SHOWN]) + (f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else "")
    if not others:
        why = ["No other record is like it."]
    else:
        why = [f"{len(others) + 1} records of {_count(days, 'day')} ask for the same: this one, {named}."]
        why.append(f"They ask: {prototype.instruction}")
    if kind is Kind.MOMENT:
        why.append(f"It takes {STABLE} days to make a preference.")
    else:
        why += _state_in_words(prototype, kind)
    return KindSaid(record_id, kind, prototype.id, tuple(why), others)


def _usual_hours(members: Sequence[Member]) -> tuple[float, float]:
    """Start and length, in hours, of the shortest time of day that holds the share a routine needs."""
    hours = [hour_of(member.time) for member in members]
    return shortest_span(hours, ceil(SHARE * len(hours) - 1e-9))


def _state_in_words(prototype: Prototype, kind: Kind) -> list[str]:
    count = len(prototype.members)
    start, length = _usual_hours(prototype.members)
    sure = confidence(prototype.members)
    _, scenario = most_frequent_state(prototype.members)
    there = sum(member.scenario == scenario for member in prototype.members)
    because = "so it is a routine" if kind is Kind.ROUTINE else f"a routine keeps within {SPAN:.0f} hours"
    inside = ceil(SHARE * count - 1e-9)
    why = [f"{inside} of {count} are between {clock(start)} and {clock(start + length)}: {because}."]
    if scenario != UNKNOWN:
        why.append(f"{there} of {count} are in this scenario: {scenario}.")
    why.append(
        f"Proactive confidence {sure.phi:.2f}: state {sure.state:.2f}, records {sure.records:.2f}, "
        f"consistency {sure.consistency:.2f}."
    )
    return why


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"

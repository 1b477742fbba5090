"""Moment, preference or routine: what a record is, and why (PersonalAlign 4.1, appendix D).

A prototype is stable when its records are of several days; a stable one is a routine when most of its records
lie within two hours of the day. The paper's own rule, Φ above a boundary, is kept beside it as the baseline.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from assistant.i18n import _, counted
from assistant.memory.him.prototype import Kind, Member, Prototype
from assistant.memory.him.routines import BOUNDARY, confidence, most_frequent_state
from assistant.memory.him.states import UNKNOWN, clock, hour_of, shortest_span
from assistant.records import SCENARIOS

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
        return KindSaid(record_id, Kind.MOMENT, "", (_("It is not counted, because you left it out."),))
    kind, days = kind_of_prototype(prototype), days_of(prototype.members)
    others = tuple(one for one in prototype.evidence if one != record_id)
    if not others:
        why = [_("No other record is like it.")]
    else:
        told = _("{records} of {days} ask for the same: this one, {others}.")
        why = [
            told.format(
                records=counted(len(others) + 1, "record"), days=counted(days, "day"), others=_named(others)
            ),
            _("They ask: {instruction}").format(instruction=prototype.instruction),
        ]
    if kind is Kind.MOMENT:
        why.append(_("It takes {days} days to make a preference.").format(days=STABLE))
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
    _hour, scenario = most_frequent_state(prototype.members)
    there = sum(member.scenario == scenario for member in prototype.members)
    inside = ceil(SHARE * count - 1e-9)
    if kind is Kind.ROUTINE:
        told = _("{inside} of {count} are between {start} and {end}: so it is a routine.")
    else:
        told = _("{inside} of {count} are between {start} and {end}: a routine keeps within {hours} hours.")
    why = [
        told.format(
            inside=inside,
            count=count,
            start=clock(start),
            end=clock(start + length),
            hours=f"{SPAN:.0f}",
        )
    ]
    if scenario != UNKNOWN:
        place = _(scenario) if scenario in SCENARIOS else scenario
        why.append(
            _("{there} of {count} are in this scenario: {scenario}.").format(
                there=there, count=count, scenario=place
            )
        )
    figures = {"state": sure.state, "records": sure.records, "consistency": sure.consistency}
    why.append(
        _(
            "Proactive confidence {phi:.2f}: state {state:.2f}, records {records:.2f}, "
            "consistency {consistency:.2f}."
        ).format(phi=sure.phi, **figures)
    )
    return why


def _named(others: Sequence[str]) -> str:
    """The ids of the first of some records, and how many more there are."""
    told = ", ".join(others[:_SHOWN])
    if len(others) <= _SHOWN:
        return told
    return _("{told} and {count} more").format(told=told, count=len(others) - _SHOWN)

"""Moment, preference or routine: what a record is, and why (PersonalAlign 4.1, appendix D)."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.memory.him.prototype import Kind, Prototype
from assistant.memory.him.routines import BOUNDARY, confidence, most_frequent_state
from assistant.memory.him.states import UNKNOWN

STABLE = 3
"""The number of records from which a prototype is stable: a preference, or a routine."""
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class KindSaid:
    """What a record is, in which prototype, and the reasons as sentences. `evidence`: the other records."""

    record_id: str
    kind: Kind
    prototype_id: str
    why: tuple[str, ...]
    evidence: tuple[str, ...] = ()


def kind_of_prototype(prototype: Prototype, boundary: float = BOUNDARY, stable: int = STABLE) -> Kind:
    """What the records of a prototype are."""
    if len(prototype.members) < stable:
        return Kind.MOMENT
    return Kind.ROUTINE if confidence(prototype.members).phi > boundary else Kind.PREFERENCE


def kind_of_record(
    record_id: str, prototype: Prototype | None, boundary: float = BOUNDARY, stable: int = STABLE
) -> KindSaid:
    """What one record is, and why. `prototype` is the one it belongs to, None when it was left out."""
    if prototype is None:
        reason = "It is not counted: you left it out, or it has not been looked at yet."
        return KindSaid(record_id, Kind.MOMENT, "", (reason,))
    kind = kind_of_prototype(prototype, boundary, stable)
    others = tuple(one for one in prototype.evidence if one != record_id)
    count = len(prototype.members)
    named = ", ".join(others[:_SHOWN]) + (f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else "")
    if kind is Kind.MOMENT:
        like = (
            f"only {named} {'is' if len(others) == 1 else 'are'} like it"
            if others
            else "no other record is like it"
        )
        return KindSaid(
            record_id, kind, prototype.id, (f"A moment: {like}; {stable} make a preference.",), others
        )
    why = [f"{count} records ask for the same: {named} and this one.", f"They ask: {prototype.instruction}"]
    sure = confidence(prototype.members)
    hour, scenario = most_frequent_state(prototype.members)
    at = sum(member.time.hour == hour for member in prototype.members)
    state = f"{at} of {count} are between {hour:02}:00 and {(hour + 1) % 24:02}:00"
    if scenario != UNKNOWN:
        there = sum(member.scenario == scenario for member in prototype.members)
        state += f", {there} of {count} in: {scenario}"
    why.append(f"{state}.")
    why.append(
        f"Confidence {sure.phi:.2f} (state {sure.state:.2f}, records {sure.records:.2f}, consistency "
        f"{sure.consistency:.2f}); above {boundary:.2f} it is a routine."
    )
    return KindSaid(record_id, kind, prototype.id, tuple(why), others)

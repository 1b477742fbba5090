"""The paper's routine memory: the proactive confidence Φ (PersonalAlign 5.3), the baseline of every other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean

from assistant.memory.him.prototype import Confidence, Member, Prototype
from assistant.memory.him.states import HOURS, SCENARIOS, entropy, most_frequent

BOUNDARY = 0.6
"""The Φ from which a prototype is a routine (PersonalAlign A.2)."""
ENOUGH = 20
"""The number of records at which L_record is full."""


@dataclass(frozen=True, slots=True)
class Routine:
    """A prototype that is regular enough to be suggested, with its most frequent state (T_c, S_c).

    `hour` is the full hour of local time, 0..23.
    """

    prototype: Prototype
    confidence: Confidence
    hour: int
    scenario: str

    @property
    def evidence(self) -> tuple[str, ...]:
        """The ids of the records behind it, newest first."""
        return self.prototype.evidence


def confidence(
    members: Sequence[Member], enough: int = ENOUGH, *, time: bool = True, scenario: bool = True
) -> Confidence:
    """Φ of some records and its parts, each 0..1.

    H_state is one minus the mean of the normalised entropies of hour and scenario, L_record the number of
    records over `enough`, R_consist the mean consistency with the centre. `time` and `scenario` leave their
    entropy out of H_state when false (PersonalAlign, Figure 6).
    """
    if not members:
        return Confidence(0.0, 0.0, 0.0)
    entropies = []
    if time:
        entropies.append(entropy((member.time.hour for member in members), HOURS))
    if scenario:
        entropies.append(entropy((member.scenario for member in members), SCENARIOS))
    return Confidence(
        state=1.0 - fmean(entropies) if entropies else 0.0,
        records=min(1.0, len(members) / enough),
        consistency=min(1.0, max(0.0, fmean(member.consistency for member in members))),
    )


def most_frequent_state(members: Sequence[Member]) -> tuple[int, str]:
    """The pair of hour and scenario that most records share; of equal ones the one of the newest record.

    Raises:
        ValueError: there are no members.
    """
    if not members:
        raise ValueError("A prototype without records has no state.")
    newest_first = sorted(members, key=lambda member: member.time, reverse=True)
    key, _ = most_frequent(f"{member.time.hour} {member.scenario}" for member in newest_first)
    hour, _, scenario = key.partition(" ")
    return int(hour), scenario


def routines(prototypes: Iterable[Prototype], boundary: float = BOUNDARY) -> list[Routine]:
    """The prototypes whose Φ exceeds the boundary, surest first; without archived and hidden ones."""
    found = []
    for prototype in prototypes:
        if prototype.archived or prototype.hidden or not prototype.members:
            continue
        sure = confidence(prototype.members)
        if sure.phi > boundary:
            found.append(Routine(prototype, sure, *most_frequent_state(prototype.members)))
    return sorted(found, key=lambda routine: routine.confidence.phi, reverse=True)


def at_state(known: Iterable[Routine], now: datetime, scenario: str) -> list[Routine]:
    """The routines whose most frequent hour and scenario are the current ones (PersonalAlign 5.3)."""
    return [
        routine for routine in known if routine.hour == now.hour and routine.scenario in (scenario, "unknown")
    ]

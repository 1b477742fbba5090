"""What the hierarchical memory is made of: prototypes of consistent records (PersonalAlign 5.1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from assistant.memory.prototypes.time_window import Window
from assistant.records import Action


class Kind(StrEnum):
    """What a record belongs to (PersonalAlign 4.1): a one-off, a preference, or a routine."""

    MOMENT = "moment"
    PREFERENCE = "preference"
    ROUTINE = "routine"


@dataclass(frozen=True, slots=True)
class Member:
    """One record's place in a prototype: when and where it happened, and how well it fits.

    `consistency` is its `S_consist` with the centre, 0..1. `time` carries the zone of the user at that time.
    """

    record_id: str
    time: datetime
    scenario: str
    consistency: float


@dataclass(frozen=True, slots=True)
class Prototype:
    """A growing cluster of consistent records (PersonalAlign 5.1).

    `instruction`, `actions`, `app` and `package` are those of the centre, the medoid record `centre_id`,
    unless the user has `worded` it: then the instruction is theirs. `weight` is the evidence left after
    fading, in records. It is suggested within the user's `window` and in their `place` only, where they gave
    it such; `alone` it begins by itself, after a while to stop it.
    """

    id: str
    user_id: str
    centre_id: str
    instruction: str
    actions: tuple[Action, ...]
    app: str
    package: str
    members: tuple[Member, ...]
    weight: float
    archived: bool = False
    hidden: bool = False
    pinned: bool = False
    window: Window | None = None
    place: str = ""
    alone: bool = False
    worded: bool = False

    @property
    def evidence(self) -> tuple[str, ...]:
        """The ids of the records behind it, newest first."""
        return tuple(one.record_id for one in sorted(self.members, key=lambda one: one.time, reverse=True))


@dataclass(frozen=True, slots=True)
class Preference:
    """A prototype as the answer to a command, with what usually fills its slots.

    `slots` maps a slot (`app`, `item`, `place`, `time`) to its usual value; `confidence` is 0..1.
    """

    prototype: Prototype
    confidence: float
    slots: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Confidence:
    """The paper's Φ and its three parts (PersonalAlign 5.3), each 0..1; `phi` is their normalised sum."""

    state: float
    records: float
    consistency: float

    @property
    def phi(self) -> float:
        """The proactive confidence, 0..1."""
        return (self.state + self.records + self.consistency) / 3

"""What the profile answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from assistant.memory.profile.describing import Fact
from assistant.memory.profile.learning import Supersession
from assistant.memory.profile.nodes import Evidence, Value


class How(StrEnum):
    """How the meaning of a word was found, the surest way first."""

    ALIAS = "alias"
    KEY = "key"
    LIKENESS = "likeness"


@dataclass(frozen=True, slots=True)
class Found:
    """What a word of the user's stands for. `confidence` is 0..1; `evidence` are record ids, newest first.

    `rivals` are the values that it may be as well, where evidence cannot decide. `reasons` are all of what it
    is believed for.
    """

    value: str
    entity: str
    key: str
    confidence: float
    evidence: tuple[str, ...]
    how: How
    rivals: tuple[str, ...] = ()
    reasons: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Conflict:
    """Values of a key that evidence cannot decide between; `Profile.decide` takes the id of one."""

    entity: str
    key: str
    choices: tuple[Value, ...]

    @property
    def question(self) -> str:
        """The question to the user."""
        told = " or ".join(f"“{value.text}”" for value in self.choices)
        return f"{self.entity}, {self.key}: {told}?"


@dataclass(frozen=True, slots=True)
class Learnt:
    """What a record taught: how many findings, what they superseded, and the change that can be undone."""

    findings: int
    superseded: tuple[Supersession, ...]
    change_id: int | None


def found_in(fact: Fact, how: How, likeness: float = 1.0) -> Found:
    """A fact as the meaning of a word."""
    value = fact.value
    sure = fact.confidence * likeness
    return Found(
        value.text, fact.node.name, value.key, sure, fact.record_ids, how, fact.rivals, value.evidence
    )

"""Memories for tests: a profile of plain facts, and preferences that answer what they are asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from assistant.memory.prototypes.model import Member, Preference, Prototype
from assistant.records import State
from assistant.understand.types import Contact, EvidenceFact, Habit, Sources, normalize_key

NOW = datetime(2026, 3, 9, 12, 5, tzinfo=UTC)


@dataclass
class PlainProfile:
    """Aliases by the words for them; other facts are offered for every task."""

    aliases: dict[str, EvidenceFact] = field(default_factory=dict)
    facts: tuple[EvidenceFact, ...] = ()
    addressed: tuple[Contact, ...] = ()

    def alias(self, words: str) -> EvidenceFact | None:
        return next(
            (fact for name, fact in self.aliases.items() if normalize_key(name) == normalize_key(words)), None
        )

    def facts_for(self, task: str, budget: int) -> Sequence[EvidenceFact]:
        return self.facts

    def contacts_in(self, instruction: str) -> Sequence[str]:
        return [fact.value for fact in self.aliases.values() if fact.value in instruction]

    def contacts(self, most: int) -> Sequence[Contact]:
        return self.addressed[:most]


@dataclass
class PlainPreferences:
    """Always the same answer."""

    answer: tuple[Preference, ...] = ()
    as_habits: tuple[Habit, ...] = ()

    def habits(self, command: str, state: State, at_least: float) -> Sequence[Habit]:
        return [habit for habit in self.as_habits if habit.confidence >= at_least]

    def past_ways(self, command: str, state: State, most: int) -> Sequence[Preference]:
        return self.answer[:most]


def named(words: str, value: str, confidence: float = 0.9, kind: str = "name") -> dict[str, EvidenceFact]:
    """An alias."""
    return {words: EvidenceFact(words, kind, value, confidence, ("r1",), "you said so on Mon 2 Mar")}


def preference(
    instruction: str, app: str = "", confidence: float = 0.8, days_ago: Sequence[int] = (3, 5, 9)
) -> Preference:
    """A preference with a record for each day."""
    members = tuple(
        Member(f"{instruction[:5]}-{days}", NOW - timedelta(days=days), "office", 0.9) for days in days_ago
    )
    prototype = Prototype(
        id=instruction,
        user_id="me",
        centre_id=members[0].record_id,
        instruction=instruction,
        actions=(),
        app=app,
        package="",
        members=members,
        weight=float(len(members)),
    )
    return Preference(prototype, confidence, {"app": app} if app else {})


def memory(profile: PlainProfile | None = None, *preferences: Preference) -> Sources:
    """A user's memory, in which each preference is a habit, too."""
    habits = tuple(
        Habit(each, each.confidence, (each,), (each.prototype.instruction,)) for each in preferences
    )
    return Sources(profile or PlainProfile(), PlainPreferences(preferences, as_habits=habits))

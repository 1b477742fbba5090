"""Where the meaning of an element can come from, and what such a place answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from assistant.memory.prototypes.model import Preference


class Origin(StrEnum):
    """Who knew the value, as `assistant resolve --json` says it."""

    PROFILE = "profile"
    PREFERENCE = "preference"
    EXPLORATION = "exploration"
    USER = "user"


@dataclass(frozen=True, slots=True)
class Found:
    """A value for an element, and why it is believed.

    `confidence` is 0..1, `evidence` are record ids, newest first, `why` is a short line for a person. A value
    from a preference brings the whole preference, whose centre actions are a reference for the turn.
    """

    value: str
    origin: Origin
    confidence: float
    evidence: tuple[str, ...] = ()
    why: str = ""
    preference: Preference | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """A value that holds in the profile: `about` somebody or something, under a `key` ("phone", "address").

    `confidence` is 0..1, `evidence` are record ids, newest first, `why` is what it is believed for.
    `rivals` are values that may hold instead, where only the user can decide.
    """

    about: str
    key: str
    value: str
    confidence: float
    evidence: tuple[str, ...] = ()
    why: str = ""
    rivals: tuple[str, ...] = ()


class Profile(Protocol):
    """The user's profile, as far as understanding needs it."""

    def alias(self, words: str) -> Fact | None:
        """What the user's words for somebody or something stand for, by name, alias or key."""

    def facts_for(self, task: str, budget: int) -> Sequence[Fact]:
        """The facts that a task needs, within a budget of tokens."""


class Preferences(Protocol):
    """The user's stable prototypes."""

    def preferences(
        self, command: str, user_id: str, now: datetime, scenario: str = "unknown", top: int = 3
    ) -> Sequence[Preference]:
        """What a (vague) command means, surest first."""


Alike = Callable[[str, Sequence[str]], Sequence[float]]
"""The cosines of a word with some texts, -1..1; none of them where they cannot be told."""


LearntKinds = Callable[[Sequence[str]], Mapping[str, Mapping[str, float]]]
"""The kinds of the apps with some labels, with how surely, 0..1; apps of no known kind are left out."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What is remembered of one user; a source that is not there knows nothing.

    `alike` tells whether a word and a text mean about the same, `kinds` of what kind apps are whose
    labels do not say it.
    """

    user_id: str
    profile: Profile | None = None
    preferences: Preferences | None = None
    similarity: Alike | None = None
    app_kinds: LearntKinds | None = None


NOTHING = Sources("")

OpenSources = Callable[[], Sources]
"""Gives the memory, opened on first need: an explicit command never waits for the embedder."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """What memory knows of an element: a value that is sure enough, or only candidates, likeliest first."""

    chosen: Found | None
    candidates: tuple[Found, ...] = field(default=())

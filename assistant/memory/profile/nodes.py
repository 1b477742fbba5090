"""What the profile is made of: concept and entity nodes, values of entities, and why they are believed."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

ALIAS = "alias"
"""The key under which an entity keeps the other words that a person uses for it."""

WISH = "wish"
"""The key of wishes that fit no other."""

ALLERGY = "allergic to"
"""The key of what somebody must not eat: it holds until the user takes it back."""

LONGEST_TEXT = 160
"""Characters that a name or a value may have."""


class NodeKind(StrEnum):
    """An abstract concept, or a concrete entity with key-values (MobiMem 4.1)."""

    CONCEPT = "concept"
    ENTITY = "entity"


class Strength(StrEnum):
    """How a value was learnt, weakest first."""

    IMPLIED = "implied"
    """Asked for in an instruction, without saying that it is always so."""
    EXPLORED = "explored"
    """Read from an app and confirmed by use."""
    STATED = "stated"
    """Said as something that holds: "I always …"."""
    SWITCHED = "switched"
    """Said as something that holds from now on, whatever held before."""
    USER = "user"
    """Written or confirmed by the user's own hand in the profile."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reason to believe a value. `record_id` is empty when the user wrote it."""

    record_id: str
    time: datetime
    strength: Strength


@dataclass(frozen=True, slots=True)
class Node:
    """A concept or an entity. A hidden one is kept but never suggested and never learnt anew."""

    id: str
    kind: NodeKind
    name: str
    pinned: bool = False
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Value:
    """One value of an entity's key.

    `sense` is what makes two wordings the same value ("not too spicy" and "mild"). Of a `single` key one
    value holds at a time; the others are its history.
    """

    id: str
    node_id: str
    key: str
    text: str
    sense: str
    single: bool = True
    hidden: bool = False
    evidence: tuple[Evidence, ...] = field(default=())

    @property
    def record_ids(self) -> tuple[str, ...]:
        """The records behind it, newest first."""
        newest = sorted(self.evidence, key=lambda one: one.time, reverse=True)
        return tuple(one.record_id for one in newest if one.record_id)

    @property
    def uses(self) -> int:
        """How often it was seen."""
        return len(self.evidence)


def cleaned(text: str, longest: int = LONGEST_TEXT) -> str:
    """Text as one line without control characters, cut to a length."""
    printable = text
    if not text.isprintable():
        printable = "".join(" " if unicodedata.category(one)[0] in "CZ" else one for one in text)
    return " ".join(printable.split())[:longest].rstrip()


_POSSESSIVE = re.compile(r"^(?:my|our|the|a|an|your)\s+|^(?:我们的|我家的|我的|我们|我)(?=.)", re.IGNORECASE)


def is_chinese(text: str) -> bool:
    """Whether a text holds Chinese characters."""
    return any("\u4e00" <= one <= "\u9fff" for one in text)


def normalised(text: str) -> str:
    """Text for comparing: lower case, one width, without article, possessive and outer punctuation."""
    plain = unicodedata.normalize("NFKC", cleaned(text)).casefold()
    plain = plain.strip(" \t.,;:!?\"'“”‘’。，；：！？、（）()[]")
    return _POSSESSIVE.sub("", plain) or plain


def node_id(user_id: str, kind: NodeKind, name: str, again: int = 0) -> str:
    """The id of a node: the same for the same name, so that learning twice finds what is there.

    `again` counts up where a renamed node already has the id.
    """
    return _digest(user_id, kind, normalised(name), *([str(again)] if again else []))


def value_id(node: str, key: str, sense: str) -> str:
    """The id of a value: the same for the same node, key and sense."""
    return _digest(node, key, sense)


def _digest(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def latest(evidence: Sequence[Evidence]) -> datetime | None:
    """The time of the newest evidence."""
    return max((one.time for one in evidence), default=None)

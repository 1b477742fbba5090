"""What is looked through: sections, their items, and what stands behind one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from rapidfuzz import fuzz, process, utils

HOURS = 24
LIKE_ENOUGH = 60.0
"""The likeness, 0 to 100, from which a name is found by words that it does not hold."""


class MemoryProblem(Exception):
    """Something cannot be looked up or changed; the message says why, for the user."""


class Section(StrEnum):
    """The parts of the memory."""

    PREFERENCES = "preferences"
    ROUTINES = "routines"
    PROFILE = "profile"
    RECORDS = "records"
    CHANGES = "changes"


class Act(StrEnum):
    """What can be done with an item."""

    EDIT = "edit"
    PIN = "pin"
    HIDE = "hide"
    FORGET = "forget"
    UNDO = "undo"
    REDO = "redo"


@dataclass(frozen=True, slots=True)
class Item:
    """One thing of a section.

    `id` names it within its section, `name` is what `EDIT` changes, `count` and `weight` (0..1) tell how
    often it was seen and how sure it is, both 0 where that says nothing. `context` stands before the name,
    such as whose value it is. `hours` counts its records by hour of the day, and is empty where nothing is
    counted. `over` says how it ended, such as "archived".
    """

    id: str
    name: str
    acts: frozenset[Act]
    context: str = ""
    count: int = 0
    weight: float = 0.0
    last: datetime | None = None
    hours: tuple[int, ...] = ()
    pinned: bool = False
    hidden: bool = False
    over: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """The items of a section, the most important first. `note` says what is left out, or why it is empty."""

    items: tuple[Item, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """A record as evidence."""

    id: str
    time: datetime
    scenario: str
    instruction: str
    app: str


@dataclass(frozen=True, slots=True)
class Details:
    """What stands behind an item: what is known of it as labels and texts, and records, newest first.

    `more` counts the records that are not shown.
    """

    facts: tuple[tuple[str, str], ...]
    evidence: tuple[Seen, ...] = field(default=())
    more: int = 0


def matching(items: Sequence[Item], words: str) -> list[Item]:
    """The items that some words find: first those that hold all the words, then those that are alike."""
    wanted = words.casefold().split()
    if not wanted:
        return list(items)
    texts = [f"{one.context} {one.name}".casefold() for one in items]
    held = [at for at, text in enumerate(texts) if all(word in text for word in wanted)]
    alike = process.extract(
        words,
        dict(enumerate(texts)),
        scorer=fuzz.WRatio,
        processor=utils.default_process,
        score_cutoff=LIKE_ENOUGH,
        limit=None,
    )
    return [items[at] for at in dict.fromkeys([*held, *(at for _, _, at in alike)])]

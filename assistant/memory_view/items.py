"""What is looked through: sections, their items, and what stands behind one."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from assistant.i18n import _

HOURS, WEEKDAYS = 24, 7


class MemoryProblem(Exception):
    """Something cannot be looked up or changed; the message says why, for the user."""


class Section(StrEnum):
    """The parts of the memory."""

    PREFERENCES = "preferences"
    ROUTINES = "routines"
    PROFILE = "profile"
    PLACES = "places"
    RECORDS = "records"
    SUGGESTIONS = "suggestions"
    CHANGES = "changes"
    SENT = "sent"


class Act(StrEnum):
    """What can be done with an item."""

    EDIT = "edit"
    PIN = "pin"
    HIDE = "hide"
    MERGE = "merge"
    SPLIT = "split"
    CHOOSE = "choose"
    ALONE = "just do it"
    FORGET = "forget"
    UNDO = "undo"
    REDO = "redo"


@dataclass(frozen=True, slots=True)
class Item:
    """One thing of a section.

    `id` names it within its section. `count` and `weight` (0..1) tell how often it was seen and how sure it
    is, both 0 where that says nothing. `context` stands before the name, such as whose value it is. `hours`
    counts its records by hour of the day, and is empty where nothing is counted. `over` says how it ended,
    such as "archived". In a tree `depth` is how deep it stands, and `opened` whether what hangs on it is
    listed below it; None where nothing does. `app`, `scenario` and `source` are what filters ask for, `tail`
    stands at the right in the place of count and time.
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
    depth: int = 0
    opened: bool | None = None
    app: str = ""
    scenario: str = ""
    source: str = ""
    tail: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """The items of a section, the most important first. `note` says what is left out, or why it is empty."""

    items: tuple[Item, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """A text of an item that can be changed: what it is called, what it says, and how it is written."""

    name: str
    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """A record as evidence."""

    id: str
    time: datetime
    scenario: str
    instruction: str
    app: str


Heat = tuple[tuple[int, ...], ...]
"""Counts by weekday, Monday first, and hour."""


@dataclass(frozen=True, slots=True)
class Details:
    """What stands behind an item: what is known of it as labels and texts, and records, newest first.

    `more` counts the records that are not shown, `heat` counts them all by weekday and hour. `fields` can be
    edited, the first one above all. `note` is a sentence that is to be read before all of it.
    """

    facts: tuple[tuple[str, str], ...]
    evidence: tuple[Seen, ...] = field(default=())
    more: int = 0
    heat: Heat = ()
    fields: tuple[Field, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where in the memory something stands: a section, and the id of an item there, if it is known."""

    section: Section
    item_id: str = ""


def heat_of(times: list[datetime]) -> Heat:
    """How moments spread over the week; nothing for none."""
    counts = [[0] * HOURS for _ in range(WEEKDAYS)]
    for one in times:
        counts[one.weekday()][one.hour] += 1
    return tuple(map(tuple, counts)) if times else ()


def listed(parts: list[str]) -> str:
    """`a, b and c`."""
    return _(" and ").join([_(", ").join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)

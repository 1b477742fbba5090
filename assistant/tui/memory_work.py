"""Background jobs of the memory panel: each one ends with a message."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual.message import Message

from assistant.engine import NotReady
from assistant.memory_view.items import Item, ItemDetails, ItemList, ItemLocation, MemoryProblem, Section
from assistant.memory_view.service import MemoryView
from assistant.presentation.engine_protocol import EngineDoor

READING, NOT_READ = -1, -2
"""Values used in place of a revision: the section is being read, or could not be read yet."""

Ask = Callable[[MemoryView], str]
"""Queries or changes the memory; returns a sentence for the user."""

Where = Callable[[MemoryView], ItemLocation]
"""Finds the location of an item in the memory."""


@dataclass
class MemoryLoaded(Message):
    """A section was read."""

    section: Section
    listing: ItemList
    mark: int = READING


@dataclass
class MemoryStale(Message):
    """The memory was changed since the section was read, by this or another program."""


@dataclass
class MemoryFound(Message):
    """Results of a text search; posted again with results of the semantic search."""

    section: Section
    text: str
    listing: ItemList


@dataclass
class MemoryLookedUp(Message):
    """The details of an item."""

    item: Item
    details: ItemDetails


@dataclass
class MemoryWeighed(Message):
    """The preview of a change, or a `problem`."""

    item: Item | None
    sentence: str
    problem: bool = False


@dataclass
class MemoryChanged(Message):
    """A change was written; or a `problem`, why it failed."""

    sentence: str
    problem: bool = False


@dataclass
class MemorySpotted(Message):
    """The location of an item in the memory."""

    spot: ItemLocation


class MemoryWork:
    """Each method runs in a thread of its own.

    Args:
        engine: gives access to the memory.
        post: takes messages, from any thread.
    """

    def __init__(self, engine: EngineDoor, post: Callable[[Message], object]) -> None:
        self._engine = engine
        self._post = post
        self._search: tuple[Section, str] | None = None

    def load(self, section: Section, toggled: frozenset[str], item_id: str = "") -> None:
        """Read a section; posts a quick outline first where there is one.

        If the item `wanted` lies in no opened branch, it is put first.
        """
        try:
            view = self._engine.memory()
            if not item_id and (first := view.outline(section)) is not None:
                self._post(MemoryLoaded(section, first))
            mark = view.mark(section)
            listing = view.items(section, toggled)
            if item_id and all(item.id != item_id for item in listing.items):
                listing = ItemList((*view.named(section, item_id), *listing.items), listing.note)
        except (MemoryProblem, NotReady) as problem:
            mark, listing = NOT_READ, ItemList((), str(problem))
        self._post(MemoryLoaded(section, listing, mark))

    def watch(self, section: Section, mark: int) -> None:
        """Post a message if the section has changed since revision `mark`."""
        try:
            stale = self._engine.memory().mark(section) != mark
        except (MemoryProblem, NotReady):
            return
        if stale:
            self._post(MemoryStale())

    def find(self, section: Section, text: str) -> None:
        """Search by text, then by meaning too: loading the embedder can take seconds."""

        def is_current() -> bool:
            return self._search == (section, text)

        try:
            view = self._engine.memory()
            matches = view.find(section, text, is_current)
            if not is_current():
                return
            self._post(MemoryFound(section, text, matches))
            matched_ids = {item.id for item in matches.items}
            similar = view.alike(section, text, is_current)
            more_matches = tuple(item for item in similar if item.id not in matched_ids)
            if more_matches:
                self._post(MemoryFound(section, text, ItemList((*matches.items, *more_matches))))
        except (MemoryProblem, NotReady) as problem:
            self._post(MemoryFound(section, text, ItemList((), str(problem))))

    def set_search(self, section: Section, text: str) -> None:
        """Set the current search, so that older ones stop; called by the event loop before `find`."""
        self._search = section, text

    def load_details(self, section: Section, item: Item) -> None:
        """Load the details of an item."""
        try:
            details = self._engine.memory().details(section, item)
        except (MemoryProblem, NotReady) as problem:
            details = ItemDetails((("", str(problem)),))
        self._post(MemoryLookedUp(item, details))

    def preview(self, item: Item | None, ask: Ask) -> None:
        """Compute the preview of a change."""
        try:
            message = MemoryWeighed(item, ask(self._engine.memory()))
        except (MemoryProblem, NotReady) as problem:
            message = MemoryWeighed(item, str(problem), problem=True)
        self._post(message)

    def change(self, ask: Ask) -> None:
        """Apply a change."""
        try:
            message = MemoryChanged(ask(self._engine.memory()))
        except (MemoryProblem, NotReady) as problem:
            message = MemoryChanged(str(problem), problem=True)
        self._post(message)

    def locate(self, where: Where) -> None:
        """Find the location of an item."""
        try:
            self._post(MemorySpotted(where(self._engine.memory())))
        except (MemoryProblem, NotReady) as problem:
            self._post(MemoryChanged(str(problem)))

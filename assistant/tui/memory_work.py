"""What the memory panel has done in threads: each piece of work ends in a message."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual.message import Message

from assistant.engine import NotReady
from assistant.memory_view.items import Details, Item, Listing, MemoryProblem, Section, Spot
from assistant.memory_view.view import MemoryView
from assistant.tui.door import EngineDoor

READING, NOT_READ = -1, -2
"""In the place of a mark: a section is being read, or could not be read yet."""

Ask = Callable[[MemoryView], str]
"""Asks something of the memory, or changes it; the answer is a sentence for the user."""

Where = Callable[[MemoryView], Spot]
"""Finds where in the memory something stands."""


@dataclass
class MemoryLoaded(Message):
    """A section was read."""

    section: Section
    listing: Listing
    mark: int = READING


@dataclass
class MemoryStale(Message):
    """The memory was changed since a section was read, here or by another program."""


@dataclass
class MemoryFound(Message):
    """What some words find; once more with what is near in meaning."""

    section: Section
    text: str
    listing: Listing


@dataclass
class MemoryLookedUp(Message):
    """What stands behind an item."""

    item: Item
    details: Details


@dataclass
class MemoryWeighed(Message):
    """What is to be known before something is done, or a `problem`."""

    item: Item | None
    sentence: str
    problem: bool = False


@dataclass
class MemoryChanged(Message):
    """Something was changed; or a `problem`, why it could not be."""

    sentence: str
    problem: bool = False


@dataclass
class MemorySpotted(Message):
    """Where in the memory something stands."""

    spot: Spot


class MemoryWork:
    """Every method is for a thread of its own.

    Args:
        engine: gives the memory.
        post: takes the messages, from any thread.
    """

    def __init__(self, engine: EngineDoor, post: Callable[[Message], object]) -> None:
        self._engine = engine
        self._post = post
        self._sought: tuple[Section, str] | None = None

    def load(self, section: Section, toggled: frozenset[str], wanted: str = "") -> None:
        """Read a section, at first what can be told at once.

        An item that is wanted and stands in no opened branch comes first.
        """
        try:
            view = self._engine.memory()
            if not wanted and (first := view.outline(section)) is not None:
                self._post(MemoryLoaded(section, first))
            mark = view.mark(section)
            listing = view.items(section, toggled)
            if wanted and all(one.id != wanted for one in listing.items):
                listing = Listing((*view.named(section, wanted), *listing.items), listing.note)
        except (MemoryProblem, NotReady) as problem:
            mark, listing = NOT_READ, Listing((), str(problem))
        self._post(MemoryLoaded(section, listing, mark))

    def watch(self, section: Section, mark: int) -> None:
        """Tell whether a section that was read at a mark is older than the memory."""
        try:
            stale = self._engine.memory().mark(section) != mark
        except (MemoryProblem, NotReady):
            return
        if stale:
            self._post(MemoryStale())

    def find(self, section: Section, text: str) -> None:
        """Find by words, then by meaning as well: the embedder may still have to be loaded."""

        def still() -> bool:
            return self._sought == (section, text)

        try:
            view = self._engine.memory()
            found = view.find(section, text, still)
            if not still():
                return
            self._post(MemoryFound(section, text, found))
            there = {one.id for one in found.items}
            alike = view.alike(section, text, still)
            near = tuple(one for one in alike if one.id not in there)
            if near:
                self._post(MemoryFound(section, text, Listing((*found.items, *near))))
        except (MemoryProblem, NotReady) as problem:
            self._post(MemoryFound(section, text, Listing((), str(problem))))

    def seek(self, section: Section, text: str) -> None:
        """From now on only these words are wanted; to be called before `find`, by the event loop."""
        self._sought = section, text

    def look_up(self, section: Section, item: Item) -> None:
        """Find what stands behind an item."""
        try:
            details = self._engine.memory().details(section, item)
        except (MemoryProblem, NotReady) as problem:
            details = Details((("", str(problem)),))
        self._post(MemoryLookedUp(item, details))

    def weigh(self, item: Item | None, ask: Ask) -> None:
        """Find what is to be known before something is done."""
        try:
            weighed = MemoryWeighed(item, ask(self._engine.memory()))
        except (MemoryProblem, NotReady) as problem:
            weighed = MemoryWeighed(item, str(problem), problem=True)
        self._post(weighed)

    def change(self, ask: Ask) -> None:
        """Change something."""
        try:
            changed = MemoryChanged(ask(self._engine.memory()))
        except (MemoryProblem, NotReady) as problem:
            changed = MemoryChanged(str(problem), problem=True)
        self._post(changed)

    def spot(self, where: Where) -> None:
        """Find where something stands."""
        try:
            self._post(MemorySpotted(where(self._engine.memory())))
        except (MemoryProblem, NotReady) as problem:
            self._post(MemoryChanged(str(problem)))

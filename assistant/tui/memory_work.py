"""What the memory panel has done in threads: each piece of work ends in a message."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual.message import Message

from assistant.engine import NotReady
from assistant.memory_view.items import Act, Details, Item, Listing, MemoryProblem, Section
from assistant.tui.door import EngineDoor


@dataclass
class MemoryLoaded(Message):
    """A section was read."""

    section: Section
    listing: Listing


@dataclass
class MemoryLookedUp(Message):
    """What stands behind an item."""

    item: Item
    details: Details


@dataclass
class MemoryWeighed(Message):
    """What goes when an item is forgotten, or a `problem`."""

    item: Item
    sentence: str
    problem: bool = False


@dataclass
class MemoryChanged(Message):
    """Something was changed, or could not be."""

    sentence: str


class MemoryWork:
    """Every method is for a thread of its own.

    Args:
        engine: gives the memory.
        post: takes the messages, from any thread.
    """

    def __init__(self, engine: EngineDoor, post: Callable[[Message], object]) -> None:
        self._engine = engine
        self._post = post

    def load(self, section: Section) -> None:
        """Read a section."""
        try:
            listing = self._engine.memory().items(section)
        except (MemoryProblem, NotReady) as problem:
            listing = Listing((), str(problem))
        self._post(MemoryLoaded(section, listing))

    def look_up(self, section: Section, item: Item) -> None:
        """Find what stands behind an item."""
        try:
            details = self._engine.memory().details(section, item)
        except (MemoryProblem, NotReady) as problem:
            details = Details((("", str(problem)),))
        self._post(MemoryLookedUp(item, details))

    def weigh(self, section: Section, item: Item) -> None:
        """Find what would go with an item."""
        try:
            weighed = MemoryWeighed(item, self._engine.memory().goes_with(section, item))
        except (MemoryProblem, NotReady) as problem:
            weighed = MemoryWeighed(item, str(problem), problem=True)
        self._post(weighed)

    def change(self, act: Act, section: Section, item: Item, text: str = "") -> None:
        """Do something with an item."""
        try:
            view = self._engine.memory()
            match act:
                case Act.EDIT:
                    sentence = view.edit(section, item, text)
                case Act.PIN:
                    sentence = view.pin(section, item)
                case Act.HIDE:
                    sentence = view.hide(section, item)
                case Act.FORGET:
                    sentence = view.forget(section, item)
                case Act.UNDO:
                    sentence = view.undo(item)
                case Act.REDO:
                    sentence = view.redo(item)
        except (MemoryProblem, NotReady) as problem:
            sentence = str(problem)
        self._post(MemoryChanged(sentence))

    def turn_round(self, act: Act) -> None:
        """Take back what the user changed last, or do again what was undone last."""
        try:
            view = self._engine.memory()
            sentence = view.undo() if act is Act.UNDO else view.redo()
        except (MemoryProblem, NotReady) as problem:
            sentence = str(problem)
        self._post(MemoryChanged(sentence))

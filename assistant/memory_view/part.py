"""What a section of the memory can do; a section overrides what means something there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from sqlalchemy import func, select

from assistant.embedding.embeds import Embeds
from assistant.i18n import _
from assistant.memory import schema
from assistant.memory.store import Store
from assistant.memory_view.items import Details, Item, Listing, MemoryProblem
from assistant.memory_view.texts import Texts


def newest_change(store: Store) -> int:
    """A number that rises with every change of the memory."""
    with store.reader() as connection:
        return int(connection.execute(select(func.coalesce(func.max(schema.changes.c.id), 0))).scalar_one())


class Desk:
    """What the sections share: the store, whose memory it is, and the embedder."""

    def __init__(self, store: Store, embeds: Embeds, user_id: str) -> None:
        self.store = store
        self.embeds = embeds
        self.user_id = user_id


class Part(ABC):
    """A section. Methods may raise `MemoryProblem`, and what the memory raises.

    Args:
        desk: the store and its user.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._kept: tuple[object, Listing] | None = None
        self._found: tuple[Listing, dict[str, Item], Texts] | None = None

    @abstractmethod
    def build(self) -> Listing:
        """The items as they are now."""

    def listing(self, toggled: frozenset[str]) -> Listing:
        """The items, kept while nothing changes; `toggled` are those of a tree that were opened or closed."""
        mark = self.mark(), self._desk.store.now().date()
        if self._kept is None or self._kept[0] != mark:
            self._kept = mark, self.build()
        return self._kept[1]

    @abstractmethod
    def details(self, item: Item) -> Details:
        """What stands behind an item."""

    def texts(self) -> Texts:
        """What is searched."""
        return self._all()[1]

    def named(self, keys: Sequence[str]) -> list[Item]:
        """The items of some keys, in this order; what is gone is left out."""
        known, _ = self._all()
        return [known[key] for key in keys if key in known]

    def prepare(self, still: Callable[[], bool]) -> bool:
        """Make what `alike` needs, which may take long, while it is `still` wanted; whether it is there."""
        return True

    def alike(self, words: str, most: int) -> list[str]:
        """The keys of what is near in meaning to some words, nearest first."""
        return []

    def edit(self, item: Item, field: str, text: str) -> str:
        """Change a text of an item; returns what happened, in words."""
        raise MemoryProblem(_("This cannot be edited."))

    def pin(self, item: Item, pinned: bool) -> None:
        """Pin or unpin an item."""
        raise MemoryProblem(_("This cannot be pinned."))

    def hide(self, item: Item, hidden: bool) -> None:
        """Hide or show an item."""
        raise MemoryProblem(_("This cannot be hidden."))

    def merge(self, item: Item, other: Item) -> str:
        """Make one of two; the first one's name stays."""
        raise MemoryProblem(_("This cannot be merged."))

    def leaving(self, item: Item, words: str) -> str:
        """What splitting would part, as a sentence."""
        raise MemoryProblem(_("This cannot be split."))

    def split(self, item: Item, words: str) -> str:
        """Make two of one."""
        raise MemoryProblem(_("This cannot be split."))

    def let_alone(self, item: Item) -> str:
        """Let an item begin by itself at its time, or ask first again."""
        raise MemoryProblem(_("This cannot begin by itself."))

    def choose(self, item: Item) -> str:
        """Settle a conflict for this item."""
        raise MemoryProblem(_("There is nothing to choose here."))

    def goes_with(self, item: Item) -> str:
        """What forgetting an item takes away, as a sentence."""
        raise MemoryProblem(_("This cannot be forgotten."))

    def forget(self, item: Item) -> str:
        """Delete an item for good."""
        raise MemoryProblem(_("This cannot be forgotten."))

    def mark(self) -> int:
        """A number that rises when what is listed may have changed."""
        return newest_change(self._desk.store)

    def _all(self) -> tuple[dict[str, Item], Texts]:
        """Everything that is listed."""
        listing = self.listing(frozenset())
        if self._found is None or self._found[0] is not listing:
            items = listing.items
            texts = Texts(
                [one.id for one in items], [f"{one.context} {one.name}".casefold() for one in items]
            )
            self._found = listing, {one.id: one for one in items}, texts
        return self._found[1:]

"""The memory panel's work in threads, and the table of its keys.

Each job of `MemoryJobs` ends with a message, such as `MemoryLoaded`. Bindings, footer and help of the panel
are built from the table of keys.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from rich.cells import cell_len
from textual.binding import Binding
from textual.message import Message

from assistant.engine import Engine
from assistant.i18n import _, later
from assistant.memory_view.items import (
    Item,
    ItemAction,
    ItemDetails,
    ItemList,
    ItemLocation,
    MemoryProblem,
    Section,
)
from assistant.memory_view.service import MemoryView
from assistant.tui.keys import Key
from assistant.turn_runner import NotReady

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
class MemoryDetailsLoaded(Message):
    """The details of an item."""

    item: Item
    details: ItemDetails


@dataclass
class MemoryPreviewReady(Message):
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
class MemoryItemLocated(Message):
    """The location of an item in the memory."""

    spot: ItemLocation


class MemoryJobs:
    """Each method runs in a thread of its own.

    Args:
        engine: gives access to the memory.
        post: takes messages, from any thread.
    """

    def __init__(self, engine: Engine, post: Callable[[Message], object]) -> None:
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
                listing = ItemList((*matches.items, *more_matches), matches.note)
                self._post(MemoryFound(section, text, listing))
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
        self._post(MemoryDetailsLoaded(item, details))

    def preview(self, item: Item | None, ask: Ask) -> None:
        """Compute the preview of a change."""
        try:
            message = MemoryPreviewReady(item, ask(self._engine.memory()))
        except (MemoryProblem, NotReady) as problem:
            message = MemoryPreviewReady(item, str(problem), problem=True)
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
            self._post(MemoryItemLocated(where(self._engine.memory())))
        except (MemoryProblem, NotReady) as problem:
            self._post(MemoryChanged(str(problem)))


MEMORY = (
    Key(
        "e",
        "e",
        "change('edit')",
        later("edit"),
        later("Change its words; tab goes to its hours, its place, …"),
    ),
    Key("p", "p", "change('pin')", later("pin"), later("Pin it, so that it stays, or unpin it")),
    Key(
        "h",
        "h",
        "change('hide')",
        later("hide"),
        later("Hide it (kept, but not used), or show it again"),
    ),
    Key(
        "m",
        "m",
        "change('merge')",
        later("merge"),
        later("Merge: press it on the item to keep, then on the other"),
    ),
    Key("s", "s", "change('split')", later("split"), later("Split it: choose the records to split off")),
    Key(
        "c",
        "c",
        "change('choose')",
        later("choose"),
        later("Choose this value, where two conflict"),
    ),
    Key(
        "a",
        "a",
        "change('just do it')",
        later("start by itself"),
        later("Let a routine start by itself at its time, or ask first"),
    ),
    Key(
        "f",
        "f",
        "change('forget')",
        later("delete"),
        later("Delete it for good, with its records; asks first, and says what goes with it"),
    ),
    Key("u", "u", "change('undo')", later("undo"), later("Undo your last change, or the selected change")),
    Key("r", "r", "change('redo')", later("redo"), later("Redo what was undone")),
    Key(
        "slash",
        "/",
        "find",
        later("find"),
        later("Find by words and meaning; app: scenario: source: since: narrow it"),
    ),
    Key("enter", "enter", "open", later("open"), later("Open or close a branch; else go to its records")),
    Key("backspace", "⌫", "return", "", later("Back to where you came from")),
    Key("right", "→", "section(1)", "", later("The next section")),
    Key("left", "←", "section(-1)", "", later("The section before")),
    Key(
        "o",
        "o",
        "whole('sources')",
        later("what is learnt from"),
        later("Choose what to learn from: your turns, imports, …"),
    ),
    Key(
        "k",
        "k",
        "whole('limits')",
        later("how long kept"),
        later("Choose how long screenshots and what was sent are kept; says what would go"),
    ),
    Key("x", "x", "whole('export')", later("export"), later("Write all records to a file")),
    Key("i", "i", "whole('import')", later("import"), later("Import records from a file")),
    Key(
        "w",
        "w",
        "whole('wipe')",
        later("wipe all"),
        later("Wipe everything; asks you to type a confirmation"),
    ),
    Key("", later("page down"), "more", later("more"), ""),
    Key("question_mark", "?", "all_keys", later("all keys"), later("Show all keys, or the usual ones")),
    Key("y", "y", "agree", later("yes"), ""),
    Key("n", "n", "keep", later("no"), ""),
)
"""The keys of the memory; active only while its list has the focus."""

_ANSWERS = ("agree", "keep")
_USUAL = ("change('edit')", "change('forget')", "change('undo')", "find", "open", "more", "all_keys")
"""The keys that the last lines show before they are asked for all."""
_FEWER = later("usual keys")
_OF_ITEM = {f"change('{act}')": act for act in ItemAction if act not in (ItemAction.UNDO, ItemAction.REDO)}
"""Actions that only some items allow."""


def memory_bindings() -> Iterator[Binding]:
    """The bindings of the memory panel."""
    return (Binding(key.key, key.action, key.words, show=False) for key in MEMORY if key.key)


class KeyMode(StrEnum):
    """What the keys do at present."""

    LIST = "list"
    ASKED = "asked"
    TYPING = "typing"
    FINDING = "finding"
    MERGING = "merging"
    AWAY = "away"


_FINDING = (("enter", later("to what is found")), ("esc", later("end finding")))
_MERGING = (("m", later("merge into it")), ("/", later("find")), ("esc", later("leave them two")))
_AWAY = (("f2", later("to the memory")),)
_WHILE_MERGING = frozenset({"change('merge')", "find", "open", "more"})


def is_key_active(action: str, mode: KeyMode) -> bool:
    """Whether a key's action, as written in the table, is active in a mode."""
    match mode:
        case KeyMode.ASKED:
            return action in _ANSWERS
        case KeyMode.MERGING:
            return action in _WHILE_MERGING
        case KeyMode.LIST:
            return action not in _ANSWERS
        case _:
            return False


def memory_footer(
    mode: KeyMode, acts: Collection[ItemAction], width: int, *, opens: bool = False, all_keys: bool = True
) -> str:
    """The keys that are active in a mode for an item; of the list's keys the usual ones, or all.

    Lines are broken between two keys, never between a key and its label.
    """
    lines = [""]
    for shown, words in _active_keys(mode, acts, opens=opens, all_keys=all_keys):
        label = f"{_(shown)} {_(words)}"
        if lines[-1] and cell_len(lines[-1]) + 2 + cell_len(label) > width:
            lines.append(label)
        else:
            lines[-1] += f"  {label}" if lines[-1] else label
    return "\n".join(lines)


def memory_help(mode: KeyMode, acts: Collection[ItemAction], *, opens: bool = False) -> list[tuple[str, str]]:
    """The active keys with their descriptions, for the help."""
    help_by_key = {key.shown: key.help for key in MEMORY if key.help}
    return [
        (_(shown), _(help_by_key.get(shown) or words))
        for shown, words in _active_keys(mode, acts, opens=opens)
    ]


def _active_keys(
    mode: KeyMode, acts: Collection[ItemAction], *, opens: bool, all_keys: bool = True
) -> Iterable[tuple[str, str]]:
    """The active keys and their labels."""
    match mode:
        case KeyMode.TYPING:
            return ()
        case KeyMode.FINDING:
            return _FINDING
        case KeyMode.MERGING:
            return _MERGING
        case KeyMode.AWAY:
            return _AWAY
        case _:
            active = (
                key
                for key in MEMORY
                if key.words
                and is_key_active(key.action, mode)
                and (all_keys or key.action in (*_ANSWERS, *_USUAL))
            )
            return [
                (key.shown, _FEWER if key.action == "all_keys" and all_keys else key.words)
                for key in active
                if _is_allowed(key, acts, opens=opens)
            ]


def _is_allowed(key: Key, acts: Collection[ItemAction], *, opens: bool) -> bool:
    if key.action == "open":
        return opens
    return key.action not in _OF_ITEM or _OF_ITEM[key.action] in acts

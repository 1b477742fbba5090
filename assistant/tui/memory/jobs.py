"""The table of the memory panel's keys; its bindings, footer and help are built from it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from enum import StrEnum

from rich.cells import cell_len
from textual.binding import Binding

from assistant.i18n import _, later
from assistant.memory_view.items import ItemAction
from assistant.tui.keys import Key

MEMORY = (
    Key(
        "e",
        "e",
        "change('edit')",
        later("edit"),
        later("Change its words; tab goes to its hours, its place, …"),
    ),
    Key("p", "p", "change('pin')", later("pin"), later("Pin it, so that it stays, or unpin it")),
    Key("h", "h", "change('hide')", later("do not use"), later("Leave it unused but kept, or use it again")),
    Key(
        "m",
        "m",
        "change('merge')",
        later("merge"),
        later("Merge it: press it on the one to keep, then on the other"),
    ),
    Key("s", "s", "change('split')", later("split"), later("Split it: say which of its records stand apart")),
    Key(
        "c",
        "c",
        "change('choose')",
        later("choose"),
        later("Say that this value holds, where two are in doubt"),
    ),
    Key(
        "a",
        "a",
        "change('just do it')",
        later("by itself"),
        later("Let a routine begin by itself at its time, or ask first"),
    ),
    Key(
        "f",
        "f",
        "change('forget')",
        later("delete"),
        later("Delete it for good, with its records; asks first, and says what goes with it"),
    ),
    Key(
        "u", "u", "change('undo')", later("undo"), later("Take back your last change, or the one you look at")
    ),
    Key("r", "r", "change('redo')", later("redo"), later("Do again what was undone")),
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
        later("learn from"),
        later("Choose what is learnt from: your turns, imports, …"),
    ),
    Key(
        "k",
        "k",
        "whole('limits')",
        later("kept for"),
        later("Choose how long screenshots and what was sent are kept; says what would go"),
    ),
    Key("x", "x", "whole('export')", later("export"), later("Write all records to a file")),
    Key("i", "i", "whole('import')", later("import"), later("Take records in from a file")),
    Key("w", "w", "whole('wipe')", later("wipe all"), later("Wipe everything; wants to be typed out")),
    Key("", later("page down"), "more", later("more"), ""),
    Key("y", "y", "agree", later("yes"), ""),
    Key("n", "n", "keep", later("no"), ""),
)
"""The keys of the memory; active only while its list has the focus."""

_ANSWERS = ("agree", "keep")
_OF_ITEM = {f"change('{act}')": act for act in ItemAction if act not in (ItemAction.UNDO, ItemAction.REDO)}
"""Actions that only some items allow."""


def memory_bindings() -> Iterator[Binding]:
    """The bindings of the memory panel."""
    return (Binding(key.key, key.action, key.words, show=False) for key in MEMORY if key.key)


class Mode(StrEnum):
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


def is_key_active(action: str, mode: Mode) -> bool:
    """Whether a key's action, as written in the table, is active in a mode."""
    match mode:
        case Mode.ASKED:
            return action in _ANSWERS
        case Mode.MERGING:
            return action in _WHILE_MERGING
        case Mode.LIST:
            return action not in _ANSWERS
        case _:
            return False


def memory_footer(mode: Mode, acts: Collection[ItemAction], width: int, *, opens: bool = False) -> str:
    """The keys that are active in a mode for an item.

    Lines are broken between two keys, never between a key and its label.
    """
    lines = [""]
    for shown, words in _active_keys(mode, acts, opens=opens):
        label = f"{_(shown)} {_(words)}"
        if lines[-1] and cell_len(lines[-1]) + 2 + cell_len(label) > width:
            lines.append(label)
        else:
            lines[-1] += f"  {label}" if lines[-1] else label
    return "\n".join(lines)


def memory_help(mode: Mode, acts: Collection[ItemAction], *, opens: bool = False) -> list[tuple[str, str]]:
    """The active keys with their descriptions, for the help."""
    help_by_key = {key.shown: key.help for key in MEMORY if key.help}
    return [
        (_(shown), _(help_by_key.get(shown) or words))
        for shown, words in _active_keys(mode, acts, opens=opens)
    ]


def _active_keys(mode: Mode, acts: Collection[ItemAction], *, opens: bool) -> Iterable[tuple[str, str]]:
    """The active keys and their labels."""
    match mode:
        case Mode.TYPING:
            return ()
        case Mode.FINDING:
            return _FINDING
        case Mode.MERGING:
            return _MERGING
        case Mode.AWAY:
            return _AWAY
        case _:
            active = (key for key in MEMORY if key.words and is_key_active(key.action, mode))
            return [(key.shown, key.words) for key in active if _is_allowed(key, acts, opens=opens)]


def _is_allowed(key: Key, acts: Collection[ItemAction], *, opens: bool) -> bool:
    if key.action == "open":
        return opens
    return key.action not in _OF_ITEM or _OF_ITEM[key.action] in acts

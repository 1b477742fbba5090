"""The table of the memory's keys: its bindings, its footer and the help are made from it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from rich.cells import cell_len
from textual.binding import Binding

from assistant.language import _, later
from assistant.memory_view.items import Act
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
    Key("h", "h", "change('hide')", later("hide"), later("Hide it, so that it is not used, or show it")),
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
        later("just do it"),
        later("Let a routine begin by itself at its time, or ask first"),
    ),
    Key(
        "f",
        "f",
        "change('forget')",
        later("forget"),
        later("Forget it for good; asks first, and says what goes with it"),
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
    Key("o", "o", "sources", later("sources"), later("Choose what is learnt from: your turns, imports, …")),
    Key("x", "x", "export", later("export"), later("Write all records to a file")),
    Key("i", "i", "import", later("import"), later("Take records in from a file")),
    Key("w", "w", "wipe", later("wipe"), later("Wipe everything; wants to be typed out")),
    Key("", later("page down"), "more", later("more"), ""),
    Key("y", "y", "agree", later("yes"), ""),
    Key("n", "n", "keep", later("no"), ""),
)
"""The keys of the memory; they count only while its list has the focus."""

_ANSWERS = ("agree", "keep")
_OF_ITEM = {f"change('{act}')": act for act in Act if act not in (Act.UNDO, Act.REDO)}
"""The actions that only some items allow."""


def memory_bindings() -> Iterator[Binding]:
    """The bindings of the memory panel."""
    return (Binding(key.key, key.action, key.words, show=False) for key in MEMORY if key.key)


def memory_footer(acts: Collection[Act], width: int, *, asking: bool, opens: bool = False) -> str:
    """The keys of the memory that mean something for an item, or answer what is asked.

    Lines are broken between two keys, never between a key and its word.
    """
    lines = [""]
    for key in MEMORY:
        if not _means_something(key, acts, asking=asking, opens=opens):
            continue
        told = f"{_(key.shown)} {_(key.words)}"
        if lines[-1] and cell_len(lines[-1]) + 2 + cell_len(told) > width:
            lines.append(told)
        else:
            lines[-1] += f"  {told}" if lines[-1] else told
    return "\n".join(lines)


def _means_something(key: Key, acts: Collection[Act], *, asking: bool, opens: bool) -> bool:
    if not key.words or (key.action in _ANSWERS) != asking:
        return False
    if key.action == "open":
        return opens
    return key.action not in _OF_ITEM or _OF_ITEM[key.action] in acts

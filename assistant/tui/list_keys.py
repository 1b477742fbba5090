"""Keys of lists: plain letters, active only while the list has the focus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from textual.binding import Binding

from assistant.i18n import _, later


@dataclass(frozen=True, slots=True)
class ListKey:
    """A key, what it does, and where. `words` appear in the list's last line; empty words are left out."""

    key: str
    shown: str
    action: str
    words: str
    help: str
    parts: tuple[str, ...] = ()


_TURNS, _STEPS, _FIND = "turns", "steps", "find"

HISTORY = (
    ListKey("", "enter", "", later("steps"), later("Look at the turn's steps"), (_TURNS,)),
    ListKey("r", "r", "use('again')", later("again"), later("Run the command again"), (_TURNS, _STEPS)),
    ListKey(
        "e",
        "e",
        "use('changed')",
        later("edit"),
        later("Put the command into the field, to be changed"),
        (_TURNS, _STEPS),
    ),
    ListKey("c", "c", "copy", later("copy"), later("Copy the turn, or the step"), (_TURNS, _STEPS)),
    ListKey(
        "w",
        "w",
        "use('why')",
        later("why"),
        later("See its record in the memory, and what that counts as"),
        (_TURNS, _STEPS),
    ),
    ListKey(
        "x",
        "x",
        "export('html')",
        later("report"),
        later("Write the turn with its pictures to a web page"),
        (_TURNS, _STEPS),
    ),
    ListKey("s", "s", "export('svg')", later("drawing"), later("Write it to an SVG drawing"), (_STEPS,)),
    ListKey("slash", "/", "find", later("find"), later("Find turns by words that nearly fit"), (_TURNS,)),
    ListKey("", "enter", "", later("to what was found"), "", (_FIND,)),
    ListKey("escape,f4", "esc", "back", later("back"), later("Back"), (_TURNS, _STEPS, _FIND)),
)
"""The keys of the past turns."""

QUEUE = (
    ListKey("", "enter", "", later("go on"), later("Start the next, when the line is held")),
    ListKey("e", "e", "wish('edit')", later("edit"), later("Take it into the field; ctrl+g puts it back")),
    ListKey("d,delete", "d", "wish('drop')", later("drop"), later("Take it out of the line")),
    ListKey("k,shift+up", "k", "wish('up')", later("up"), later("Move it towards the front")),
    ListKey("j,shift+down", "j", "wish('down')", later("down"), later("Move it towards the end")),
    ListKey("", "ctrl+g", "", later("back"), later("Back to the field")),
)
"""The keys of the queued commands."""


SETTINGS = (
    ListKey("", "enter", "", later("change"), later("Change the setting; switches change at once")),
    ListKey("d,delete", "d", "default", later("default"), later("Back to the default")),
    ListKey("slash", "/", "find", later("find"), later("Find by words of name and description")),
    ListKey("escape", "esc", "back", later("back"), later("Back; what needs a new start is applied then")),
)
"""The keys of the settings."""


def list_bindings(keys: Sequence[ListKey]) -> Iterator[Binding]:
    """The bindings of a list."""
    return (Binding(key.key, key.action, key.words, show=False) for key in keys if key.key)


def list_footer(keys: Sequence[ListKey], part: str = "") -> str:
    """The keys that are active in a part of a list."""
    shown = [key for key in keys if key.words and (not part or part in key.parts)]
    return " · ".join(f"{_(key.shown)} {_(key.words)}" for key in shown)

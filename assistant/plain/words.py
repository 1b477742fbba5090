"""The words of a session in lines that are not commands for the phone: which there are, and finding them."""

from __future__ import annotations

from assistant.events import Snooze
from assistant.i18n import later

ABOUT_MEMORY = later("memory list, memory show ID, memory forget ID, memory undo and so on: look and change.")
HELP = (
    later("Type what the phone should do, then enter. Then:"),
    later("ctrl-c: pause, nothing more is sent to the phone. Again: end the turn. With no turn: leave."),
    later("resume: go on. say WORDS: tell the turn something. cancel: end it."),
    later("accept, edit WORDS, later, later 10, later tomorrow, not now, never: answer a suggestion."),
    later("why: why the command was understood so, or why something is suggested."),
    later("at NAME: say where you are. at nowhere: leave it to the phone."),
    ABOUT_MEMORY,
    later("history: past commands. run WORDS: a command that begins with one of these words."),
    later("quit: leave."),
)
SNOOZES = {"": Snooze.AN_HOUR, "10": Snooze.TEN_MINUTES, "tomorrow": Snooze.TOMORROW}
"""What may follow "later", and when a suggestion comes again then."""

LEAVING = ("quit", "exit")
STEERING = ("say", "resume", "cancel")
"""What a turn that is held up waits for."""

_BARE = (
    "accept",
    "cancel",
    "exit",
    "help",
    "history",
    "later",
    "memory",
    "never",
    "not now",
    "pause",
    "quit",
    "resume",
    "why",
)
_MEMORY = ("list", "show", "find", "edit", "forget", "undo", "redo", "why", "audit", "stats", "pin", "hide")


def parted(line: str, *, busy: bool, suggested: bool) -> tuple[str, str]:
    """A word of this program and what follows it; an empty word where the line begins with none.

    Args:
        line: what was typed.
        busy: whether a turn runs.
        suggested: whether something is suggested.
    """
    lower = " ".join(line.lower().split())
    if lower in _BARE:
        return lower, ""
    word, _gap, words = line.partition(" ")
    words = words.strip()
    meant = {
        "run": bool(words),
        "at": bool(words),
        "say": busy and bool(words),
        "edit": suggested,
        "later": suggested and words in SNOOZES,
        "memory": words.partition(" ")[0] in _MEMORY,
    }
    return (word.lower(), words) if meant.get(word.lower()) else ("", "")

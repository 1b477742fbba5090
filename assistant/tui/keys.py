"""The table of all keys; bindings, footer, help and palette are built from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from textual.binding import Binding

from assistant.i18n import _, later
from assistant.presentation.ui_state import Asking, Field, Situation


def _is_always(situation: Situation) -> bool:
    return True


def _is_running(situation: Situation) -> bool:
    return situation.active and not situation.paused and not situation.stopping


def _is_stopping(situation: Situation) -> bool:
    return situation.active and situation.stopping


def _is_paused(situation: Situation) -> bool:
    return situation.paused


def _is_paused_unarmed(situation: Situation) -> bool:
    return situation.paused and not situation.stopping


def _is_approval(situation: Situation) -> bool:
    return situation.asking is Asking.APPROVAL


def _is_offer(situation: Situation) -> bool:
    return situation.asking is Asking.OFFER


def _is_question_unanswered_by_field(situation: Situation) -> bool:
    return situation.asking is Asking.QUESTION and situation.field is not Field.ANSWER


def _is_question(situation: Situation) -> bool:
    return situation.asking is Asking.QUESTION


def _is_meaning_outside_field(situation: Situation) -> bool:
    return situation.asking is Asking.MEANING and situation.field is not Field.MEANING


def _has_explanation(situation: Situation) -> bool:
    return situation.understood or _is_deciding_suggestion(situation)


def _is_deciding_suggestion(situation: Situation) -> bool:
    return situation.deciding and situation.asking is None


@dataclass(frozen=True, slots=True)
class Key:
    """A key and what it does.

    `words` and `help` are English, and translated where they are shown. `words` appear in the footer while
    `when` holds; empty words are left out. While `when` does not hold, a key that `falls_through` goes to
    the input field.
    """

    key: str
    shown: str
    action: str
    words: str
    help: str
    when: Callable[[Situation], bool] = _is_always
    falls_through: bool = False
    in_palette: bool = True


KEYS = (
    Key(
        "ctrl+y",
        "ctrl+y",
        "decide('yes')",
        "",
        later("Approve this one action, or continue an unfinished turn"),
        _is_approval,
        True,
    ),
    Key(
        "ctrl+t",
        "ctrl+t",
        "decide('turn')",
        "",
        later("Approve all of this kind for the rest of the turn"),
        _is_approval,
        True,
    ),
    Key(
        "ctrl+n",
        "ctrl+n",
        "decide('no')",
        "",
        later("Refuse, which pauses the turn; or discard an unfinished turn"),
        _is_approval,
        True,
    ),
    Key(
        "ctrl+o",
        "ctrl+o",
        "decide('always')",
        "",
        later("Approve this kind always in this app; “assistant approvals” takes it back"),
        _is_approval,
        True,
    ),
    Key(
        "ctrl+e",
        "ctrl+e",
        "redirect",
        "",
        later("Refuse and tell it what to do instead, or answer"),
        _is_approval,
        True,
    ),
    Key("ctrl+y", "ctrl+y", "decide('yes')", later("continue the turn"), "", _is_offer, True),
    Key("ctrl+n", "ctrl+n", "decide('no')", later("discard it"), "", _is_offer, True),
    Key("ctrl+e", "ctrl+e", "redirect", later("answer"), "", _is_question_unanswered_by_field, True),
    Key("ctrl+t", "ctrl+t", "once", "", later("Answer for this time only"), _is_question, True),
    Key("ctrl+y", "ctrl+y", "decide('yes')", later("go now"), "", _is_meaning_outside_field, True),
    Key(
        "ctrl+e",
        "ctrl+e",
        "redirect",
        later("change it"),
        later("Change what it is about to do"),
        _is_meaning_outside_field,
        True,
    ),
    Key("ctrl+y", "ctrl+y", "suggest('do')", "", "", _is_deciding_suggestion, True),
    Key("ctrl+t", "ctrl+t", "suggest('later')", "", "", _is_deciding_suggestion, True),
    Key("ctrl+n", "ctrl+n", "suggest('not_now')", "", "", _is_deciding_suggestion, True),
    Key("ctrl+o", "ctrl+o", "suggest('never')", "", "", _is_deciding_suggestion, True),
    Key("ctrl+e", "ctrl+e", "edit_suggestion", "", "", _is_deciding_suggestion, True),
    Key("f5", "f5", "resume", later("go on"), later("Go on after a pause"), _is_paused),
    Key(
        "escape",
        "esc",
        "stop",
        later("pause"),
        later("Pause: nothing more is sent to the phone"),
        _is_running,
        in_palette=False,
    ),
    Key(
        "escape",
        "esc esc",
        "stop",
        later("cancel"),
        later("Cancel the turn: the second one within seconds"),
        _is_running,
        in_palette=False,
    ),
    Key("escape", "esc", "stop", later("again cancels"), "", _is_stopping),
    Key("escape", "esc esc", "stop", later("cancel"), "", _is_paused_unarmed),
    Key("f1", "f1", "app.help", later("help"), later("Keys, states, and how things work")),
    Key(
        "f8",
        "f8",
        "app.why",
        later("why"),
        later("Why the command was understood so, or this is suggested"),
        _has_explanation,
    ),
    Key("f2", "f2", "memory", later("memory"), later("What is remembered: look it up, change it, forget it")),
    Key("f3", "f3", "picture", later("phone"), later("Show or hide the phone's screen")),
    Key(
        "f4",
        "f4",
        "app.history",
        later("history"),
        later("Past turns: their steps, run again, write to a file"),
    ),
    Key(
        "ctrl+g",
        "ctrl+g",
        "queue",
        "",
        later("Queue the words as the next command; with an empty field, change what waits"),
    ),
    Key("ctrl+l", "ctrl+l", "learning", "", later("Pause learning, or let it go on")),
    Key("f6", "f6", "suggestion", "", later("Decide about what is suggested, and see why")),
    Key("f7", "f7", "app.suggestions", "", later("Past suggestions")),
    Key("f10", "f10", "app.phones", "", later("Choose among the phones that are connected")),
    Key("f12", "f12", "app.where", "", later("Say where you are")),
    Key("f9", "f9", "app.setup", "", later("Set up phone and model")),
    Key("ctrl+s", "ctrl+s", "app.settings", "", later("All settings: look at them, change them, mend them")),
    Key("ctrl+o", "ctrl+o", "thoughts", "", later("Show or hide what the model thought")),
    Key(
        "ctrl+p",
        "ctrl+p",
        "app.command_palette",
        later("everything"),
        later("Search everything that can be done"),
        in_palette=False,
    ),
    Key("ctrl+q", "ctrl+q", "app.quit", later("quit"), later("Leave")),
    Key(
        "ctrl+c",
        "ctrl+c",
        "clear",
        "",
        later("Copy what is selected, else clear the input"),
        in_palette=False,
    ),
    Key(
        "pageup",
        later("page up"),
        "page(-1)",
        "",
        later("Scroll up the open decision, else the steps"),
        in_palette=False,
    ),
    Key("pagedown", later("page down"), "page(1)", "", later("Scroll down likewise"), in_palette=False),
    Key("", "", "pause", "", later("Pause: nothing more is sent to the phone")),
    Key("", "", "cancel", "", later("Cancel the turn")),
    Key("", "", "app.copy_turn", "", later("Copy the turn: command, steps and answer")),
    Key("", "", "app.suspend_process", "", later("Suspend: back to the shell; fg comes back here")),
    Key("", "", "app.save_picture", "", later("Save a picture of this screen (SVG)")),
)

_TEXTUALS_OWN = ("app.command_palette", "app.quit")

TYPING = (
    ("enter", later("Send: a command when nothing runs, else words for the running turn")),
    ("ctrl+j", later("A new line")),
    ("up, down", later("Past commands")),
    ("ctrl+z", later("Take back what was typed; twice with nothing typed: to the shell, and fg comes back")),
)


def bindings() -> Iterator[Binding]:
    """The main screen's bindings. Nearly all take precedence over the input field's own."""
    bound: set[tuple[str, str]] = set()
    for key in KEYS:
        if key.key and key.action not in _TEXTUALS_OWN and (key.key, key.action) not in bound:
            bound.add((key.key, key.action))
            name = f"{key.key} {key.action}"
            # An action that takes the field's text must wait until the field has processed earlier keys.
            first = key.action != "queue"
            yield Binding(key.key, key.action, key.words, show=False, priority=first, id=name)


def is_action_enabled(action: str, situation: Situation) -> bool:
    """Whether any key for the action (its name without parameters) is usable now."""
    rows = [key for key in KEYS if key.action.partition("(")[0] == action]
    return not rows or any(not key.falls_through or key.when(situation) for key in rows)


def format_footer(situation: Situation) -> list[tuple[str, str]]:
    """Keys and labels for the footer, the most important first."""
    return [(_(key.shown), _(key.words)) for key in KEYS if key.words and key.when(situation)]

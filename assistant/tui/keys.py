"""The table of all keys, from which bindings, footer, help and palette are built, and the user's own keys.

The user's keys replace the default ones, also in sentences that name them. Like the language, they are set
once for the process. The keys of lists are plain letters, active only while the list has the focus.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from textual.binding import Binding

from assistant.i18n import _, joined, later
from assistant.presentation.ui_state import UiState


def _is_always(situation: UiState) -> bool:
    return True


def _is_running(situation: UiState) -> bool:
    return situation.active and not situation.paused and not situation.stopping


def _is_stopping(situation: UiState) -> bool:
    return situation.active and situation.stopping


def _is_paused(situation: UiState) -> bool:
    return situation.paused


def _is_paused_unarmed(situation: UiState) -> bool:
    return situation.paused and not situation.stopping


def _has_explanation(situation: UiState) -> bool:
    return situation.understood or _is_deciding_suggestion(situation)


def _is_deciding_suggestion(situation: UiState) -> bool:
    return situation.deciding and situation.asking is None


def _has_panels(situation: UiState) -> bool:
    return situation.panels


@dataclass(frozen=True, slots=True)
class Key:
    """A key and what it does; an action without a key is in the palette, and mostly a slash command.

    `words` and `help` are English, and translated where they are shown. `words` appear in the footer while
    `when` holds; empty words are left out. `name` is that of the
    action in the settings, for those that may have another key.
    """

    key: str
    shown: str
    action: str
    words: str
    help: str
    when: Callable[[UiState], bool] = _is_always
    in_palette: bool = True
    name: str = ""


KEYS = (
    Key("f5", "f5", "resume", later("go on"), later("Go on after a pause"), _is_paused, name="resume"),
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
    Key(
        "tab",
        "tab",
        "panel(1)",
        later("panels"),
        later("Go to what waits above: a question, a suggestion, the queue, the conversation, the memory"),
        _has_panels,
        in_palette=False,
    ),
    Key("shift+tab", "shift+tab", "panel(-1)", "", "", in_palette=False),
    Key("f1", "f1", "app.help", later("help"), later("Keys, states, and how things work"), name="help"),
    Key(
        "f8",
        "f8",
        "app.why",
        later("why"),
        later("Why the command was understood so, or this is suggested"),
        _has_explanation,
        name="why",
    ),
    Key("", "/", "", later("commands"), "", in_palette=False),
    Key(
        "f2",
        "f2",
        "memory",
        later("memory"),
        later("What is remembered: search it, change it, forget it"),
        name="memory",
    ),
    Key("f3", "f3", "picture", later("phone"), later("Show or hide the phone's screen"), name="picture"),
    Key(
        "ctrl+p",
        "ctrl+p",
        "app.command_palette",
        later("everything"),
        later("Search everything that can be done"),
        in_palette=False,
    ),
    Key("ctrl+q", "ctrl+q", "app.quit", later("quit"), later("Leave")),
    Key("", "@", "", later("names"), "", in_palette=False),
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
    Key(
        "",
        "",
        "app.history",
        "",
        later("Past turns: search them, their steps, run again, write to a file"),
        name="history",
    ),
    Key("", "", "suggestion", "", later("Decide about what is suggested, and see why"), name="suggestion"),
    Key("", "", "app.suggestions", "", later("Past suggestions"), name="suggestions"),
    Key(
        "",
        "",
        "queue",
        "",
        later("Queue the words in the field; without any, change what waits"),
        name="queue",
    ),
    Key("", "", "learning", "", later("Pause learning, or let it go on"), name="learning"),
    Key("", "", "app.phones", "", later("Choose among the phones that are connected"), name="phones"),
    Key("", "", "app.where", "", later("Say where you are"), name="where"),
    Key("", "", "app.setup", "", later("Set up phone and model"), name="setup"),
    Key("", "", "app.settings", "", later("All settings: search, change, fix"), name="settings"),
    Key("", "", "thoughts", "", later("Show or hide what the model thought"), name="thoughts"),
    Key("", "", "pause", "", later("Pause: nothing more is sent to the phone")),
    Key("", "", "cancel", "", later("Cancel the turn")),
    Key("", "", "app.copy_turn", "", later("Copy the turn: command, steps and answer")),
    Key("", "", "app.suspend_process", "", later("Suspend: back to the shell; fg comes back here")),
    Key("", "", "app.save_picture", "", later("Save a picture of this screen (SVG)")),
)

_SAME = (
    (("find", "look up", "grep"), later("search")),
    (("options", "preferences", "configuration", "configure"), later("settings")),
    (("exit", "close", "quit"), later("leave")),
    (("delete", "remove"), later("forget")),
    (("log", "previous", "earlier", "conversation"), later("past turns")),
    (("dark", "light", "colours", "colors"), later("theme")),
    (("device", "devices", "adb"), later("phones")),
    (("shortcuts", "bindings"), later("keys")),
    (("查找", "寻找", "找", "检索"), later("search")),
    (("选项", "偏好", "配置"), later("settings")),
    (("关闭", "离开"), later("leave")),
    (("删除", "删"), later("forget")),
    (("历史", "记录", "对话"), later("past turns")),
    (("深色", "浅色", "颜色"), later("theme")),
    (("设备",), later("phones")),
    (("快捷键",), later("keys")),
)
"""What people type into the palette, and the word of its entries that means the same."""


def palette_queries(query: str) -> list[str]:
    """What is searched for in the palette: the words that were typed, and those that mean the same."""
    typed = query.strip().casefold()
    return [query, *(_(ours) for theirs, ours in _SAME if typed in theirs)]


_TEXTUALS_OWN = ("app.command_palette", "app.quit")

TYPING = (
    ("enter", later("Send: a command when nothing runs, else words for the running turn")),
    ("/", later("Commands of the program, completed while they are typed")),
    ("@", later("People, places, apps and skills that the memory knows")),
    ("ctrl+j", later("A new line")),
    ("up, down", later("Past commands")),
    ("ctrl+z", later("Undo typing; twice in an empty field: go to the shell, fg comes back")),
)


_BEHIND_THE_FIELD = ("queue", "panel(1)", "panel(-1)")
"""Actions whose key the field sees first: it completes names with it, or must process earlier keys."""


def bindings() -> Iterator[Binding]:
    """The main screen's bindings. Nearly all take precedence over the input field's own."""
    bound: set[tuple[str, str]] = set()
    for key in KEYS:
        if (key.key or key.name) and key.action not in _TEXTUALS_OWN and (key.key, key.action) not in bound:
            bound.add((key.key, key.action))
            # Textual binds no action without a key, and only what is bound can be given another one.
            pressed = key.key or f"unbound_{key.name}"
            first = key.action not in _BEHIND_THE_FIELD
            yield Binding(pressed, key.action, key.words, show=False, priority=first, id=binding_id(key))


def binding_id(key: Key) -> str:
    """The name under which the binding of a key can be given another key."""
    return f"{key.key} {key.action}"


def format_footer(situation: UiState) -> list[tuple[str, str]]:
    """Keys and labels for the footer, the most important first."""
    return [(shown_key(key), _(key.words)) for key in KEYS if key.words and key.when(situation)]


ACTIONS = {key.name: key.key for key in KEYS if key.name}
"""The actions whose key can be changed, by their name in the settings, with the default key, if any."""

_CAN_BE = re.compile(r"f([1-9]|1[0-2])|(ctrl|alt)\+[a-z]|alt\+[0-9]|shift\+f[1-9]|ctrl\+f([1-9]|1[0-2])")
_ANOTHER_KEY = ("ctrl+h", "ctrl+i", "ctrl+j", "ctrl+m")
_IN_WORDS = re.compile(r"(?<![\w+/.-])(ctrl\+[a-z]|f1[0-2]|f[1-9])(?![\w+/.-])")
_OF_THE_FIELD = tuple(f"ctrl+{letter}" for letter in "acdfkuvwxz")


@dataclass(frozen=True, slots=True)
class Keymap:
    """Which actions have a key of the user's, and the problems found in the settings."""

    keys: Mapping[str, str]
    problems: tuple[str, ...] = ()

    def with_user_keys(self, sentence: str) -> str:
        """Replace the default keys named in one of our own sentences with the user's keys."""
        changed = {ACTIONS[action]: key for action, key in self.keys.items() if ACTIONS[action]}
        return _IN_WORDS.sub(lambda match: changed.get(match[0], match[0]), sentence)


class _InUse:
    keymap = Keymap({})


def build_keymap(chosen: Mapping[str, str]) -> Keymap:
    """Build a keymap from the settings (action to key); reports invalid and conflicting keys."""
    keys: dict[str, str] = {}
    problems: list[str] = []
    for action, chosen_key in chosen.items():
        key = chosen_key.strip().lower()
        name, shown = action[:40], key[:40]
        if action not in ACTIONS:
            action_names = joined(ACTIONS)
            problems.append(
                _("keys.{name} is no action. There are: {known}.").format(name=name, known=action_names)
            )
        elif not _CAN_BE.fullmatch(key) or key in _ANOTHER_KEY:
            words = _("keys.{name}: {key} cannot be used. Take a function key, ctrl or alt with a letter.")
            problems.append(words.format(name=name, key=shown))
        elif other := _find_conflict(action, key, chosen, keys):
            words = _("keys.{name}: {key} is taken by {other}.")
            problems.append(words.format(name=name, key=shown, other=other))
        else:
            keys[action] = key
    return Keymap(keys, tuple(problems))


def key_problem(chosen: Mapping[str, str], action: str, key: str) -> str:
    """Why an action cannot have this key in addition to the chosen ones; empty if it can."""
    others = {name: other_key for name, other_key in chosen.items() if name != action}
    problems = build_keymap({**others, action: key}).problems
    return next((problem for problem in problems if problem not in build_keymap(others).problems), "")


def use_keymap(chosen: Mapping[str, str]) -> Keymap:
    """Make the settings' keys the keymap of this process."""
    _InUse.keymap = build_keymap(chosen)
    return _InUse.keymap


def with_user_keys(sentence: str) -> str:
    """One of our own sentences, with the user's keys in place of the default ones."""
    return _InUse.keymap.with_user_keys(sentence)


def shown_key(key: Key) -> str:
    """The key as people read it, the user's own where there is one; empty for an action without a key."""
    return _InUse.keymap.keys.get(key.name, "") or _(key.shown)


def _find_conflict(action: str, key: str, chosen: Mapping[str, str], keys: Mapping[str, str]) -> str:
    """What else a key is used for; empty when it is free."""
    if key in keys.values():
        return next(name for name, taken in keys.items() if taken == key)
    if key in _OF_THE_FIELD:
        return _("the input field")
    for other, usual in ACTIONS.items():
        if usual == key and other != action and other not in chosen:
            return other
    fixed = {fixed_key.key: fixed_key.shown for fixed_key in KEYS if fixed_key.key}
    return fixed[key] if key in fixed and key not in ACTIONS.values() else ""


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
    ListKey("slash", "/", "find", later("find"), later("Search turns, also by approximate words"), (_TURNS,)),
    ListKey("", "enter", "", later("to what was found"), "", (_FIND,)),
    ListKey("escape", "esc", "back", later("back"), later("Back"), (_TURNS, _STEPS, _FIND)),
)
"""The keys of the past turns."""

QUEUE = (
    ListKey("", "enter", "", later("go on"), later("Start the next command, when the queue is on hold")),
    ListKey("right", "→", "wish('edit')", later("edit"), later("Move it to the field, to be changed")),
    ListKey("delete", "del", "wish('drop')", later("drop"), later("Remove it from the queue")),
    ListKey("shift+up", "shift ↑", "wish('up')", later("up"), later("Move it towards the front")),
    ListKey("shift+down", "shift ↓", "wish('down')", later("down"), later("Move it towards the end")),
    ListKey("", "esc", "", later("back"), later("Back to the field")),
)
"""The keys of the queued commands. None is a letter: whoever types there means the field."""


SETTINGS = (
    ListKey("", "enter", "", later("change"), later("Change the setting; switches change at once")),
    ListKey("delete", "delete", "default", later("default"), later("Back to the default")),
    ListKey("slash", "/", "find", later("find"), later("Find by words of name and description")),
    ListKey("escape", "esc", "back", later("back"), later("Back; applies settings that need a restart")),
)
"""The keys of the settings. No letter is one: typing searches."""


def list_bindings(keys: Sequence[ListKey]) -> Iterator[Binding]:
    """The bindings of a list."""
    return (Binding(key.key, key.action, key.words, show=False) for key in keys if key.key)


def list_footer(keys: Sequence[ListKey], part: str = "") -> str:
    """The keys that are active in a part of a list."""
    shown = [key for key in keys if key.words and (not part or part in key.parts)]
    return " · ".join(f"{_(key.shown)} {_(key.words)}" for key in shown)

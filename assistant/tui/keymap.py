"""The user's own keys: which replace the default ones, and how sentences name them.

Like the language, the keymap is set once for the process.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from assistant.i18n import _
from assistant.tui.keys import KEYS

ACTIONS = {
    "approve": "ctrl+y",
    "this_turn": "ctrl+t",
    "refuse": "ctrl+n",
    "instead": "ctrl+e",
    "thoughts": "ctrl+o",
    "resume": "f5",
    "help": "f1",
    "why": "f8",
    "memory": "f2",
    "picture": "f3",
    "history": "f4",
    "queue": "ctrl+g",
    "learning": "ctrl+l",
    "suggestion": "f6",
    "suggestions": "f7",
    "phones": "f10",
    "where": "f12",
    "setup": "f9",
    "settings": "ctrl+s",
}
"""The actions whose key can be changed, by their name in the settings, with the default key."""

_CAN_BE = re.compile(r"f([1-9]|1[0-2])|(ctrl|alt)\+[a-z]|alt\+[0-9]|shift\+f[1-9]|ctrl\+f([1-9]|1[0-2])")
_ANOTHER_KEY = ("ctrl+h", "ctrl+i", "ctrl+j", "ctrl+m")
_IN_WORDS = re.compile(r"(?<![\w+/.-])(ctrl\+[a-z]|f1[0-2]|f[1-9])(?![\w+/.-])")
_OF_THE_FIELD = tuple(f"ctrl+{letter}" for letter in "acdfkuvwxz")


@dataclass(frozen=True, slots=True)
class Keymap:
    """Which keys replace the default ones, and the problems found in the settings."""

    keys: Mapping[str, str]
    problems: tuple[str, ...] = ()

    def with_user_keys(self, sentence: str) -> str:
        """Replace the default keys named in one of our own sentences with the user's keys."""
        return _IN_WORDS.sub(lambda match: self.keys.get(match[0], match[0]), sentence)


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
            known = ", ".join(ACTIONS)
            problems.append(_("keys.{name} is no action. There are: {known}.").format(name=name, known=known))
        elif not _CAN_BE.fullmatch(key) or key in _ANOTHER_KEY:
            words = _("keys.{name}: {key} cannot be used. Take a function key, ctrl or alt with a letter.")
            problems.append(words.format(name=name, key=shown))
        elif other := _find_conflict(action, key, chosen, keys):
            words = _("keys.{name}: {key} is taken by {other}. The usual key {usual} stays.")
            problems.append(words.format(name=name, key=shown, other=other, usual=ACTIONS[action]))
        else:
            keys[ACTIONS[action]] = key
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


def _find_conflict(action: str, key: str, chosen: Mapping[str, str], keys: Mapping[str, str]) -> str:
    """What else a key is used for; empty when it is free."""
    if key in keys.values():
        return next(name for name, usual in ACTIONS.items() if keys.get(usual) == key)
    if key in _OF_THE_FIELD:
        return _("the input field")
    for other, usual in ACTIONS.items():
        if usual == key and other != action and other not in chosen:
            return other
    fixed = {fixed_key.key: fixed_key.shown for fixed_key in KEYS} | {"ctrl+p": "ctrl+p", "ctrl+q": "ctrl+q"}
    return fixed[key] if key in fixed and key not in ACTIONS.values() else ""

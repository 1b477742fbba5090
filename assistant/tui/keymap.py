"""The user's own keys: which stand in for the usual ones, and the sentences that name them.

As with the language there is one keymap a process, since there is one person in front of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from assistant.language import _
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
"""The actions whose key can be chosen, by their name in the settings, with the usual key."""

_CAN_BE = re.compile(r"f([1-9]|1[0-2])|(ctrl|alt)\+[a-z]|alt\+[0-9]|shift\+f[1-9]|ctrl\+f([1-9]|1[0-2])")
_ANOTHER_KEY = ("ctrl+h", "ctrl+i", "ctrl+j", "ctrl+m")
_IN_WORDS = re.compile(r"(?<![\w+/.-])(ctrl\+[a-z]|f1[0-2]|f[1-9])(?![\w+/.-])")
_OF_THE_FIELD = tuple(f"ctrl+{letter}" for letter in "acdfkuvwxz")


@dataclass(frozen=True, slots=True)
class Keymap:
    """Which keys stand in for the usual ones, and what could not be done as the settings say."""

    keys: Mapping[str, str]
    problems: tuple[str, ...] = ()

    def told(self, sentence: str) -> str:
        """One of our own sentences with the keys that it names replaced by the user's."""
        return _IN_WORDS.sub(lambda found: self.keys.get(found[0], found[0]), sentence)


class _InUse:
    keymap = Keymap({})


def keymap_of(chosen: Mapping[str, str]) -> Keymap:
    """Make a keymap of the settings: action and key. What is wrong or taken is left out, and told."""
    keys: dict[str, str] = {}
    problems: list[str] = []
    for action, wanted in chosen.items():
        key = wanted.strip().lower()
        name, shown = action[:40], key[:40]
        if action not in ACTIONS:
            known = ", ".join(ACTIONS)
            problems.append(_("keys.{name} is no action. There are: {known}.").format(name=name, known=known))
        elif not _CAN_BE.fullmatch(key) or key in _ANOTHER_KEY:
            words = _("keys.{name}: {key} cannot be used. Take a function key, ctrl or alt with a letter.")
            problems.append(words.format(name=name, key=shown))
        elif other := _taken(action, key, chosen, keys):
            words = _("keys.{name}: {key} is taken by {other}. The usual key {usual} stays.")
            problems.append(words.format(name=name, key=shown, other=other, usual=ACTIONS[action]))
        else:
            keys[ACTIONS[action]] = key
    return Keymap(keys, tuple(problems))


def key_problem(chosen: Mapping[str, str], action: str, key: str) -> str:
    """Empty, or why an action cannot have a key besides those that are chosen."""
    others = {name: one for name, one in chosen.items() if name != action}
    wanted = keymap_of({**others, action: key}).problems
    return next((problem for problem in wanted if problem not in keymap_of(others).problems), "")


def use(chosen: Mapping[str, str]) -> Keymap:
    """Take the settings' keys from now on."""
    _InUse.keymap = keymap_of(chosen)
    return _InUse.keymap


def in_words(sentence: str) -> str:
    """One of our own sentences with the user's keys."""
    return _InUse.keymap.told(sentence)


def _taken(action: str, key: str, chosen: Mapping[str, str], keys: Mapping[str, str]) -> str:
    """What else a key is for; empty when it is free."""
    if key in keys.values():
        return next(name for name, usual in ACTIONS.items() if keys.get(usual) == key)
    if key in _OF_THE_FIELD:
        return _("the input field")
    for other, usual in ACTIONS.items():
        if usual == key and other != action and other not in chosen:
            return other
    fixed = {one.key: one.shown for one in KEYS} | {"ctrl+p": "ctrl+p", "ctrl+q": "ctrl+q"}
    return fixed[key] if key in fixed and key not in ACTIONS.values() else ""

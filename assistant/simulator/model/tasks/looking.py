"""Looking something up in an app without a change: "my landlord" is the one of that name in the list."""

from __future__ import annotations

import re

from assistant.records import Direction
from assistant.simulator.model.rules import Task
from assistant.simulator.model.screen import Item
from assistant.simulator.model.situation import Step, View
from assistant.simulator.model.words import cjk, closeness, stem

_SCROLLS = 4
_OPENINGS = 2
_SMALL = frozenset(
    ["my", "our", "the", "a", "an", "of", "for", "to", "i", "we", "usual", "favourite", "favorite"]
)
_SMALL_ZH = re.compile("^(?:我们?的?|咱们?的?|平时的?|常去的?)")


def _in_app(view: View) -> bool:
    return closeness(view.slots["place"], view.screen.app) >= 3


def _open(view: View) -> Step | None:
    if _in_app(view):
        return None
    return view.open(view.slots["place"]) if view.did("open_app") < _OPENINGS else _nothing(view)


def _read(view: View) -> Step | None:
    """Answer with the entry that has one of the words, the last of them first: "landlord" before "old"."""
    rows = [item for item in view.screen.items if item.tappable and item.kind == "item"]
    for word in reversed(_words(view.slots["what"])):
        for row in rows:
            if _names(word, row):
                return view.finish(f"{row.parts[0]} | {view.slots['place']}")
    return None


def _words(what: str) -> list[str]:
    if cjk(what):
        return [_SMALL_ZH.sub("", what)]
    return [word for word in stem(what).split() if word not in _SMALL]


def _names(word: str, row: Item) -> bool:
    return bool(word) and (closeness(word, row.parts[0]) > 0 or (cjk(word) and word in row.parts[0]))


def _scroll(view: View) -> Step | None:
    lists = [item for item in view.screen.items if "scrollable" in item.flags]
    if not lists or view.just_did("scroll") >= _SCROLLS:
        return None
    return view.scroll(Direction.DOWN, view.slots["what"], lists[-1])


def _nothing(view: View) -> Step:
    return view.finish(view.say("none", "没有"))


look_up = Task(
    name="look up what is meant",
    app=(),
    package="",
    patterns=(
        r'In (?P<place>.+?), find out what the user means by "(?P<what>(?:[^"\\]|\\.)*)": .+',
        r'在(?P<place>.+?)里查出用户所说的"(?P<what>(?:[^"\\]|\\.)*)"具体指什么.+',
    ),
    rules=(_open, _read, _scroll, _nothing),
)

TASKS = (look_up,)

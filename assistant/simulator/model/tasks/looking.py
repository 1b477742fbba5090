"""Looking something up in an app without a change: "my landlord" is the one of that name in the list.

People, groups and places are read where the app lists them; what somebody likes or does again and again is
read where apps keep a person's own things: orders, favourites, playlists, saved places.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.records import Direction
from assistant.simulator.model.rules import Task
from assistant.simulator.model.screen import Item
from assistant.simulator.model.situation import Step, View
from assistant.simulator.model.words import cjk, closeness, kinds, stem

_SCROLLS = 4
_OPENINGS = 2
_SMALL = re.compile(
    r"\b(?:my|our|the|an?|of|for|to|i|we|when|is|that|it|usual(?:ly)?|favou?rite|best|often|own|always|most"
    r"|time|hour|name|number|start|begin|place)\b"
)
_SMALL_ZH = re.compile(
    "^(?:我们?的?|咱们?的?)|平时|平常|经常|常(?=[吃喝买听看去用])|最?喜欢的?|最爱的?|一般|通常|[吃喝买听看]的|时间|开始|的$"
)
_LIKED = re.compile(r"favou?rite|best|喜欢|最爱|爱[听看吃]", re.IGNORECASE)
_TIMED = re.compile(r"time|hour|when|wake|时间|几点|起床", re.IGNORECASE)
_PLACES = ("an address or a name", "地址或名称")
_NAMES = ("a name", "姓名", "the group's name", "群名")
_TIMES = ("a time", "时间")
_ANYTHING = ("its exact name", "确切名称")
_OWN_PLACES = (("Saved places", "收藏夹", "saved"), ("Delivery address", "收货地址"), ("Me", "我的"))
_OWN_THINGS = (("Orders", "订单"), ("Library", "我的"))
_FAVOURITES = ("Favourites", "我喜欢")
_LENGTH = re.compile(r"\d+:\d\d")
_CLOCK = re.compile(r"\b\d\d:\d\d\b")
_AMOUNT = re.compile(r"¥(\d[\d.]*)$")
_PART = re.compile(r"[,，、;；]")


def _in_app(view: View) -> bool:
    return closeness(view.slots["place"], view.screen.app) >= 3


def _open(view: View) -> Step | None:
    if _in_app(view):
        return None
    return view.open(view.slots["place"]) if view.did("open_app") < _OPENINGS else _nothing(view)


def _first_track(view: View) -> Step | None:
    """Within a list of the person's own, the first entry is the answer."""
    opened = [past.detail for past in view.situation.history if past.type == "click"]
    if len(opened) < 2 or not re.search(r"titles|首", opened[-1]):
        return None
    tracks = [row for row in _rows(view) if _LENGTH.search(row.label)]
    return _told(view, tracks[0].parts[0]) if tracks else None


def _read_list(view: View) -> Step | None:
    """Answer with the entry that names what is meant."""
    if _wants(view, _ANYTHING) and (_way_to_own(view, _OWN_THINGS) or _in_library(view)):
        return None
    words = _words(view.slots["what"])
    best, fit = None, 0
    for row in _rows(view):
        if (has := _fit(words, row, view)) > fit:
            best, fit = row, has
    if best and _wants(view, _PLACES) and not cjk(view.slots["what"]) and fit < len(words):
        return None  # A home town is not the place called home.
    return _told(view, _value(view, best, words)) if best else None


def _to_own(view: View) -> Step | None:
    """Go to where the app keeps the person's own things, and there to the list that is meant."""
    if entry := _way_to_own(view, _OWN_PLACES if _wants(view, _PLACES) else _OWN_THINGS):
        return view.tap(entry)
    if not _in_library(view):
        return None
    list_words = _FAVOURITES if _LIKED.search(view.slots["what"]) else _words(view.slots["what"])
    lists = [row for row in _rows(view) if not _LENGTH.search(row.label)]
    fitting = (row for row in lists if any(closeness(word, row.parts[0]) for word in list_words))
    row = next((row for row in fitting if not view.did("click", row.label)), None)
    return view.tap(row) if row else None


def _way_to_own(view: View, entries: Sequence[Sequence[str]]) -> Item | None:
    """What leads to the person's own things and was not taken yet."""
    went_there = entries is _OWN_THINGS and any(_went(view, labels) for labels in entries)
    if went_there or _wants(view, (*_NAMES, *_TIMES)):
        return None
    for labels in entries:
        entry = view.screen.find(*labels, least=4, where=lambda item: item.tappable)
        if entry and not _went(view, labels):
            return entry
    return None


def _in_library(view: View) -> bool:
    return _went(view, _OWN_THINGS[1]) and not _went(view, _OWN_THINGS[0])


def _went(view: View, labels: Sequence[str]) -> bool:
    return any(view.did("click", label) for label in labels)


def _wants(view: View, kinds_of_answer: Sequence[str]) -> bool:
    return view.slots.get("wanted", "") in kinds_of_answer


def _rows(view: View) -> list[Item]:
    return [item for item in view.screen.items if item.tappable and item.kind == "item"]


def _fit(words: Sequence[str], row: Item, view: View) -> int:
    """How many of the words an entry has; a person only in the name."""
    text = row.parts[0] if _wants(view, _NAMES) else row.label
    return sum(_has(text, word) for word in words)


def _has(text: str, word: str) -> bool:
    return any(closeness(form, text) > 0 or (cjk(form) and form in text) for form in (word, *kinds(word)))


def _value(view: View, row: Item, words: Sequence[str]) -> str:
    """What of an entry is the answer: its time or amount, what stands beside its title, or its name."""
    title, rest = row.parts[0], row.parts[1:]
    clock, amount = _CLOCK.search(row.label), _AMOUNT.search(row.label)
    if clock and (_wants(view, _TIMES) or _TIMED.search(view.slots["what"])):
        return clock[0]
    if _wants(view, _NAMES) or not rest:
        return title
    if _wants(view, _PLACES):
        return rest[0] if closeness(title, view.slots["what"]) else title
    if _went(view, _OWN_THINGS[0]):
        things = _PART.split(rest[0])
        return next((thing for thing in things if any(_has(thing, word) for word in words)), things[0])
    if amount:
        return amount[1]
    for part in _PART.split(rest[0]):
        for word in words:
            value = re.sub(rf"^\s*{re.escape(word)}s?\s*[:：]?\s*", "", part, flags=re.IGNORECASE)
            if value != part:
                return value
    return rest[0] if _has(title, words[0]) else title


def _told(view: View, value: str) -> Step | None:
    return view.finish(f"{value.strip()} | {view.slots['place']}") if value.strip() else None


def _words(what: str) -> list[str]:
    """What an entry has to say: the words that mean something, and of a Chinese word its parts as well."""
    if cjk(what):
        plain = _SMALL_ZH.sub("", _SMALL_ZH.sub("", what))
        pairs = [plain[at : at + 2] for at in range(len(plain) - 1)] if len(plain) > 2 else []
        return [name for name in dict.fromkeys((plain, *pairs)) if name]
    return _SMALL.sub("", stem(what).replace("-", " ")).split()


def _scroll(view: View) -> Step | None:
    lists = [item for item in view.screen.items if "scrollable" in item.flags]
    if not lists or not view.may_scroll(_SCROLLS):
        return None
    return view.scroll(Direction.DOWN, view.slots["what"], lists[-1])


def _nothing(view: View) -> Step:
    return view.finish(view.say("none", "没有"))


look_up = Task(
    name="look up what is meant",
    app=(),
    package="",
    patterns=(
        r'In (?P<place>.+?), find out what the user means by "(?P<what>(?:[^"\\]|\\.)*)": '
        r"(?P<wanted>[^.]+)\. .+",
        r'在(?P<place>.+?)里查出用户所说的"(?P<what>(?:[^"\\]|\\.)*)"具体指什么（(?P<wanted>.+?)）.+',
    ),
    rules=(_open, _first_track, _read_list, _to_own, _scroll, _nothing),
)

TASKS = (look_up,)

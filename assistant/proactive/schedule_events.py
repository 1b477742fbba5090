"""Events with which schedules begin: the user arrives or leaves, the battery falls, somebody writes.

The first part tells them from what the phone shows at each look, the second reads them in the user's words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache

from assistant.files import compile_words, read_words
from assistant.phone.apps import telling_parts
from assistant.phone.monitor import PostedNotification
from assistant.proactive.habit_table import UNKNOWN

_THERE_FOR, _NOWHERE_FOR = timedelta(seconds=50), timedelta(minutes=5)
"""How long somebody must be at a place, or at none that is known; looks are a minute apart."""
_LATE = timedelta(minutes=15)
"""After so long without a look, what is new may be hours old."""


class PlaceEvents:
    """Tells when the user arrives somewhere or leaves, from where they are at each look.

    A place counts when it was seen at two looks, being nowhere that is known after a while: signals come and
    go. Where the user is when the program begins is no event.
    """

    def __init__(self) -> None:
        self._settled: str | None = None
        self._candidate = ""
        self._since: datetime | None = None

    def update(self, scenario: str, now: datetime) -> list[tuple[str, str]]:
        """What happened by now, as pairs of `leave` or `arrive` and a scenario."""
        if scenario == self._settled:
            self._since = None
            return []
        if self._since is None or scenario != self._candidate:
            self._candidate, self._since = scenario, now
        if self._settled is None and scenario != UNKNOWN:
            self._settled, self._since = scenario, None
            return []
        if now - self._since < (_NOWHERE_FOR if scenario == UNKNOWN else _THERE_FOR):
            return []
        before, self._settled, self._since = self._settled, scenario, None
        places = (("leave", before), ("arrive", scenario))
        return [
            (event, place) for event, place in places if place and place != UNKNOWN and before is not None
        ]


class BatteryEvents:
    """Tells when the battery falls to a percentage, from its level at each look.

    The level at which the program begins is no event, nor is charging.
    """

    def __init__(self) -> None:
        self._level: int | None = None

    def update(self, level: int | None) -> list[tuple[str, str]]:
        """The percentages that were passed since the last look, as pairs with `battery`."""
        if level is None:
            return []
        before, self._level = self._level, level
        return [("battery", str(percent)) for percent in range(level, before or 0)]


class NotificationEvents:
    """Tells which notifications are new, from those that are shown at each look, and whom they are from.

    What is shown at the first look is no event, nor after a while without looks: it may be hours old. Of a
    burst the occasions are one, see `note_event`.
    """

    def __init__(self) -> None:
        self._seen: frozenset[str] = frozenset()
        self._looked: datetime | None = None

    def update(
        self, posted: Sequence[PostedNotification], senders: Iterable[tuple[str, str]], now: datetime
    ) -> list[tuple[str, str]]:
        """The events among `senders` that happened since the last look.

        A message is from its sender. A notification may also be of an app, named by its package.
        """
        before, self._seen = self._seen, frozenset(each.key for each in posted)
        is_first = self._looked is None or not timedelta() <= now - self._looked <= _LATE
        self._looked = now
        if is_first:
            return []
        fresh = [each for each in posted if each.key not in before]
        return [
            (event, who)
            for event, who in dict.fromkeys(senders)
            if any(_is_event(event, who, each) for each in fresh)
        ]


def normalize_words(text: str) -> str:
    """A text in lower case, with the usual forms of its characters and single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


_IMPOSSIBLE = re.compile(
    r"(?:^|\b(?:at|by|for|from|until|till|before|after|today|tonight|tomorrow|tomorow|tmrw|\w+day|morning|evening)\s+"
    r"|@ ?|[天晚早午上晨到在])(?P<clock>(?:2[5-9]|[3-9]\d):\d{2}|\d{1,2}:[6-9]\d)(?![\d:])"
    r"|(?:[今明后]天|[今明]晚|明早|早上|上午|中午|下午|晚上|凌晨)(?P<hour>(?:2[5-9]|[3-9]\d)[点时])",
    re.IGNORECASE,
)
"""A time of day that there is none, where it stands for one: not in the name of a song."""


def find_impossible_clock(text: str) -> str:
    """What is written like a time of day and is none, such as 25:99; empty where there is nothing of it."""
    match = _IMPOSSIBLE.search(unicodedata.normalize("NFKC", text))
    return (match["clock"] or match["hour"]) if match is not None else ""


@dataclass(frozen=True, slots=True)
class _Patterns:
    """The patterns of `schedule_events.yaml`, compiled; `places` are scenarios by the words for them."""

    moves: tuple[re.Pattern[str], ...]
    battery: tuple[re.Pattern[str], ...]
    senders: Mapping[str, tuple[re.Pattern[str], ...]]
    places: Mapping[str, str]
    nobody: frozenset[str]


@cache
def _patterns() -> _Patterns:
    data = read_words("assistant.proactive", "schedule_events.yaml")
    places = {word: scenario for scenario, words in data["places"].items() for word in words}
    longest_first = sorted(places, key=len, reverse=True)
    parts = {**data["parts"], "places": "|".join(map(re.escape, longest_first))}
    moves, battery, messages, notifications = (
        tuple(compile_words(pattern, parts) for pattern in data[kind])
        for kind in ("moves", "battery", "messages", "notifications")
    )
    senders = {"message": messages, "notification": notifications}
    return _Patterns(moves, battery, senders, places, frozenset(data["nobody"]))


_LOW_BATTERY = 15
"""Percent: at which Android warns of a low battery."""


def parse_event(line: str) -> tuple[str, str] | None:
    """The event of words such as `when I get home` or `when the bank texts`; None for other words.

    Args:
        line: in lower case, see `normalize_words`.

    Returns:
        Its name, and the place, percentage or sender, see `ScheduleRule`.
    """
    patterns = _patterns()
    falls = next(filter(None, (pattern.fullmatch(line) for pattern in patterns.battery)), None)
    if falls is not None:
        return "battery", falls["percent"] or str(_LOW_BATTERY)
    move = next(filter(None, (pattern.fullmatch(line) for pattern in patterns.moves)), None)
    if move is not None:
        leaves = move["verb"] in ("leave", "get out", "离开", "出", "下")
        return "leave" if leaves else "arrive", patterns.places[move["place"]]
    senders = (
        (event, match["who"].strip())
        for event, kinds in patterns.senders.items()
        for pattern in kinds
        if (match := pattern.fullmatch(line))
    )
    return next(((event, who) for event, who in senders if who not in patterns.nobody), None)


def bare_name(who: str) -> str:
    """What a user calls a sender, without `the` and `my`."""
    return re.sub(r"^(?:(?:the|my|our)\s+|我们?的?(?=.))", "", normalize_words(who))


def is_description(who: str) -> bool:
    """Whether a user says what the sender is, as with `the bank`, or may do so, as in Chinese (银行)."""
    return normalize_words(who).startswith("the ") or re.search(r"[\u3400-\u9fff]", who) is not None


def names_sender(who: str, sender: str) -> bool:
    """Whether a name on a notification is the one that a user means.

    A description is words of the name, in Chinese its end (招商银行 is 银行). Any other name is the whole
    name, or its first words.

    Args:
        who: as the user calls the sender.
        sender: the name that a notification shows.
    """
    words, shown = re.findall(r"\w+", bare_name(who)), re.findall(r"\w+", normalize_words(sender))
    if not words or not is_description(who):
        return bool(words) and shown[: len(words)] == words and shown[len(words) :][:1] != ["s"]
    if normalize_words(who).startswith("the "):
        return any(shown[place : place + len(words)] == words for place in range(len(shown)))
    return "".join(shown).endswith("".join(words))


def _is_event(event: str, who: str, posted: PostedNotification) -> bool:
    if names_sender(who, posted.title):
        return event == "notification" or posted.is_message
    return event == "notification" and any(names_sender(who, part) for part in telling_parts(posted.package))

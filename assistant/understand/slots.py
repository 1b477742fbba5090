"""What words tell of when, where and which deed: lunch is at noon, songs are played, not ordered."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from assistant.memory.prototypes.model import HOURS, Prototype, hour_of
from assistant.understand.objects import CLOCK
from assistant.understand.types import Category, Element, Language, detect_language

_HOURS = tuple(
    (re.compile(words, re.IGNORECASE), hour)
    for words, hour in (
        (r"\b(?:breakfast|in the morning)\b|早饭|早餐|早点|早上|清晨", 8.0),
        (r"\b(?:lunch|midday|at noon)\b|午饭|午餐|中饭|中午", 12.25),
        (r"\b(?:afternoon tea|in the afternoon)\b|下午茶|下午", 15.5),
        (r"\b(?:dinner|supper)\b|晚饭|晚餐", 18.75),
        (r"\b(?:midnight snack|late snack)\b|夜宵|宵夜", 22.0),
        (r"\b(?:asleep|bedtime|go(?:ing)? to (?:bed|sleep))\b|睡前|睡觉|入睡|助眠", 22.75),
    )
)
"""Words for a part of the day, and its middle in hours."""

_CLOSE_TO_NOW = timedelta(hours=1)
_WITHIN_HOURS = 1.75
_MIN_SHARE = 0.33
"""The share of records within `_AROUND` hours of a part of the day from which they belong to it."""

_SPOTS = frozenset(("place", "spot", "老地方", "地方"))
_SHOPS = frozenset(("place", "spot", "shop", "restaurant", "store", "店", "餐厅", "馆子"))
_GOING = re.compile(
    r"\b(?:go|take me|bring me|navigate|directions?|drive|walk|cycle|ride|taxi|cab)\b"
    r"|导航|打车|前往|去|到|回",
    re.IGNORECASE,
)
_TRAVELLING = re.compile(
    r"^(?:go|take me|navigate|(?:get |give me )?directions|drive|walk|cycle"
    r"|(?:get|call|book|take)(?: me)? an? (?:taxi|cab|ride))\b|^(?:导航|打车|前往|带我|去|叫车)",
    re.IGNORECASE,
)

_TRANSPORT_MODES = re.compile(
    r"\b(?:taxi|cab|ride|bus|metro|subway|tram|train|bike|bicycle|cycle|walk|drive|car)\b"
    r"|打车|出租车|公交|地铁|骑车|步行|走路|开车|滴滴",
    re.IGNORECASE,
)

_VERB_KINDS = {
    "get": re.compile(r"\b(?:order|reorder|buy|eat|drink)\b|[点订买吃喝](?!亮|开|击|赞|播)", re.IGNORECASE),
    "play": re.compile(r"\b(?:play|put on|listen|watch|hear)\b|播放|[放听看](?!到|下)", re.IGNORECASE),
    "go": _TRAVELLING,
    "call": re.compile(
        r"\b(?:call|phone|ring|dial)(?! (?:me )?an? )\b|打(?:个|一个)?电话|呼叫|拨打", re.IGNORECASE
    ),
}
"""Deeds that are never meant by each other, and the verbs for them at the head of a wish."""
_HEAD_LENGTH = 24


def find_hour(text: str) -> float | None:
    """The middle of the part of the day that a text names, in hours; None where it names none."""
    return next((hour for words, hour in _HOURS if words.search(text)), None)


def resolve_time(wish: str, now: datetime) -> datetime:
    """When a wish belongs: the time of day that its words name, today, else now."""
    hour = find_hour(wish)
    if hour is None:
        return now
    named_time = at_hour(now, hour)
    return now if abs(named_time - now) <= _CLOSE_TO_NOW else named_time


def at_hour(day: datetime, hour: float) -> datetime:
    """A time of day, in hours, on the day of another time."""
    return day.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(hours=hour)


def occurs_at(prototype: Prototype, hour: float) -> bool:
    """Whether a prototype's records lie near a time of day, in hours, often enough to be meant by it.

    What names a time itself, as the alarm that is set the evening before, belongs there at any hour.
    """
    instruction = prototype.instruction
    if find_hour(instruction) == hour or CLOCK.search(instruction) or not prototype.members:
        return True
    record_count = sum(
        _hour_distance(hour_of(record.time), hour) <= _WITHIN_HOURS for record in prototype.members
    )
    return record_count >= _MIN_SHARE * len(prototype.members)


def usual_hour(prototype: Prototype) -> float | None:
    """The time of day around which most of a prototype's records lie, in hours; None without records."""
    hours = [hour_of(record.time) for record in prototype.members]
    return max(hours, key=lambda hour: sum(_hour_distance(hour, other) <= 1 for other in hours), default=None)


def _hour_distance(hour: float, other: float) -> float:
    """Hours between two times of day, the shorter way round the clock."""
    difference = abs(hour - other) % HOURS
    return min(difference, HOURS - difference)


def is_destination(element: Element, command: str) -> bool:
    """Whether an element is the place that a command leads to: "take me to the usual place", “去老地方”."""
    habitual = element.category in (Category.HABIT, Category.PAST)
    return habitual and element.head in _SPOTS and bool(_GOING.search(command[: element.start]))


def is_shop(element: Element, command: str) -> bool:
    """Whether an element is where something is to come from: "from the usual place", “平时那家”."""
    if element.category not in (Category.HABIT, Category.PAST) or is_destination(element, command):
        return False
    return element.head in _SHOPS or element.text.endswith(("那家", "那家店"))


def format_navigation(element: Element) -> str:
    """A wish to go where an element lies, in the words that maps are asked with."""
    return (
        f"导航去{element.text}"
        if detect_language(element.text) is Language.ZH
        else f"navigate to {element.text}"
    )


def find_transport_modes(text: str) -> frozenset[str]:
    """The means of travel that a text names."""
    return frozenset(match[0].casefold() for match in _TRANSPORT_MODES.finditer(text))


def is_navigation(instruction: str) -> bool:
    """Whether an instruction is one to go somewhere, not one to have something brought there."""
    return bool(_TRAVELLING.match(instruction.strip()))


def find_verb_kinds(wish: str) -> frozenset[str]:
    """The kinds of deed that the beginning of a wish or instruction speaks of; none where no verb tells."""
    beginning = wish.strip()[:_HEAD_LENGTH]
    positions = {
        name: match.start() for name, verbs in _VERB_KINDS.items() if (match := verbs.search(beginning))
    }
    return frozenset((min(positions, key=lambda name: positions[name]),)) if positions else frozenset()

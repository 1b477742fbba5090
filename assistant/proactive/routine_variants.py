"""Which prototypes are one routine in other words, or with another thing since a day.

"Tell Anna I just left work" and "let Anna know I am on my way back" touch the same elements and differ in
what is typed: they stand in for each other. Somebody who orders tea since March where they ordered coffee
before keeps the hour and the days. When such a routine comes up is learnt from the occasions of all of them;
which of them is offered follows the newest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import combinations
from statistics import median

from assistant.memory.prototypes.model import Prototype
from assistant.memory.prototypes.terms import oppose
from assistant.proactive.habit_table import HabitOccasions, habit_occasions, minute_of, minutes_apart
from assistant.records import Click, LongClick, TypeText

_ALIKE = 0.75
"""The least share of elements that two variants have in common."""
_TOGETHER = 0.1
"""What is done on the same day more often than on this share of days does not stand in for each other."""
_ABOUT = 90.0
"""Minutes by which the usual times of variants may differ."""
_WEEKDAYS = 0.4
"""The least share of occasions that fall on weekdays which two variants have in common."""
_LEAST = 3
_PAUSE = timedelta(days=21)
"""What begins later than this after the other ended has not taken its place."""
_NEWEST = timedelta(days=5)
"""After this time an occasion counts half for which variant is offered."""


@dataclass(frozen=True, slots=True)
class _Trace:
    """What a prototype touches, as element and text, the figures it types, and when it came up.

    `minute` is the usual minute of the day, good enough for what does not come up about midnight; `weekdays`
    the share of occasions on each.
    """

    prototype: Prototype
    elements: frozenset[str]
    touched: frozenset[tuple[str, str]]
    figures: frozenset[str]
    times: tuple[datetime, ...]
    days: frozenset[date]
    minute: float
    weekdays: tuple[float, ...]


def group_variants(prototypes: Iterable[Prototype]) -> list[HabitOccasions]:
    """The habits that prototypes make: variants share one, under the id of the one that is newest in use."""
    traces = [_trace(prototype) for prototype in prototypes]
    parent = list(range(len(traces)))

    def root(place: int) -> int:
        while parent[place] != place:
            place = parent[place]
        return place

    by_package: dict[str, list[int]] = defaultdict(list)
    for place, trace in enumerate(traces):
        if trace.elements and len(trace.times) >= _LEAST and not _is_set_up(trace.prototype):
            by_package[trace.prototype.package].append(place)
    for places in by_package.values():
        for first, second in combinations(places, 2):
            if root(first) != root(second) and _stand_in(traces[first], traces[second]):
                parent[root(second)] = root(first)
    groups: dict[int, list[_Trace]] = defaultdict(list)
    for place, trace in enumerate(traces):
        groups[root(place)].append(trace)
    return [_habit(group) for group in groups.values()]


def is_same_wish(first: Prototype, second: Prototype) -> bool:
    """Whether two variants differ in words alone: the same elements with the same texts, no other figures."""
    traces = _trace(first), _trace(second)
    return _same_elements(*traces) and _same_values(*traces)


def _habit(group: Sequence[_Trace]) -> HabitOccasions:
    newest = max((time for trace in group for time in trace.times), default=None)

    def use(trace: _Trace) -> tuple[float, str]:
        ages = (((newest or time) - time) / _NEWEST for time in trace.times)
        return sum(0.5**age for age in ages), trace.prototype.id

    offered = max(group, key=use).prototype
    return HabitOccasions(
        offered.id,
        tuple(occasion for trace in group for occasion in habit_occasions(trace.prototype).occasions),
        frozenset(trace.prototype.id for trace in group) - {offered.id},
    )


def _trace(prototype: Prototype) -> _Trace:
    touched = {
        (action.target.resource_id or action.target.class_name, action.target.label)
        for action in prototype.actions
        if isinstance(action, Click | LongClick) and action.target is not None
    }
    typed = (action.text for action in prototype.actions if isinstance(action, TypeText))
    times = tuple(sorted(member.time for member in prototype.members))
    weekdays = [time.weekday() for time in times]
    return _Trace(
        prototype,
        frozenset(element for element, _label in touched),
        frozenset(touched),
        frozenset(text for text in typed if any(letter.isdigit() for letter in text)),
        times,
        frozenset(time.date() for time in times),
        median(minute_of(time) for time in times) if times else 0.0,
        tuple(weekdays.count(weekday) / max(1, len(times)) for weekday in range(7)),
    )


def _is_set_up(prototype: Prototype) -> bool:
    """Whether the user gave it hours, a place, or leave to begin by itself: that is for this one alone."""
    return prototype.window is not None or bool(prototype.place) or prototype.alone or prototype.pinned


def _same_elements(first: _Trace, second: _Trace) -> bool:
    common = first.elements & second.elements
    if not common or len(common) < _ALIKE * len(first.elements | second.elements):
        return False
    return not oppose(first.prototype.instruction, second.prototype.instruction)


def _same_values(first: _Trace, second: _Trace) -> bool:
    """Whether the elements that both touch say the same, and the same figures are typed."""
    common = first.elements & second.elements
    texts = [
        {(element, label) for element, label in trace.touched if element in common}
        for trace in (first, second)
    ]
    return first.figures == second.figures and texts[0] == texts[1]


def _stand_in(first: _Trace, second: _Trace) -> bool:
    """Whether one is done in place of the other: at its time, on its days, and not on the same day.

    With other values the one must have ended before the other began.
    """
    if not _same_elements(first, second) or minutes_apart(first.minute, second.minute) > _ABOUT:
        return False
    if len(first.days & second.days) > _TOGETHER * min(len(first.days), len(second.days)):
        return False
    if sum(map(min, first.weekdays, second.weekdays)) < _WEEKDAYS:
        return False
    earlier, later = sorted((first, second), key=lambda trace: trace.times[0])
    follows = timedelta() < later.times[0] - earlier.times[-1] < _PAUSE
    return follows or _same_values(first, second)

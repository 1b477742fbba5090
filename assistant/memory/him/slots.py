"""What usually fills a prototype's slots: app, item, place and time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from math import ceil

from assistant.memory.him.reading import Reading
from assistant.memory.him.states import UNKNOWN, clock, hour_of, shortest_span

_USUAL = 0.5
"""The least share of records that makes a value the usual one."""
_SPAN = 0.8
"""The share of records within the usual time."""
_WIDEST = 4.0
"""The longest time, in hours, that still is a usual one."""
_FEW = 3
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def usual_slots(readings: Sequence[Reading]) -> dict[str, str]:
    """The usual values of some records, by slot; a slot without one is left out."""
    newest = sorted(readings, key=lambda reading: reading.time, reverse=True)
    slots: dict[str, str] = {}
    for name, values in (
        ("app", [reading.app for reading in newest]),
        ("item", [_typed(reading) for reading in newest]),
        ("place", [reading.scenario if reading.scenario != UNKNOWN else "" for reading in newest]),
    ):
        value, count = Counter(filter(None, values)).most_common(1)[0] if any(values) else ("", 0)
        if value and count >= _USUAL * len(newest):
            slots[name] = value
    if time := _usual_time(newest):
        slots["time"] = time
    return slots


def _typed(reading: Reading) -> str:
    """The first text typed, which is what is searched for; empty where nothing was."""
    return next((step.text for step in reading.path if step.type == "type"), "")


def _usual_time(readings: Sequence[Reading]) -> str:
    """The shortest time of day that holds most records, and their weekdays; empty where it is long."""
    if len(readings) < _FEW:
        return ""
    hours = [hour_of(reading.time) for reading in readings]
    start, length = shortest_span(hours, ceil(_SPAN * len(hours)))
    if length > _WIDEST:
        return ""
    inside = [(hour_of(reading.time) - start) % 24 <= length + 1e-9 for reading in readings]
    days = [reading.time for reading, there in zip(readings, inside, strict=True) if there]
    return f"{clock(start)}–{clock(start + length)}{_weekdays(days)}"


def _weekdays(times: Sequence[datetime]) -> str:
    days = {time.weekday() for time in times}
    if len(days) == 1 and len(times) >= _FEW:
        return f" {_WEEKDAYS[days.pop()]}"
    if len(times) > _FEW and days <= set(range(5)):
        return " Mon–Fri"
    if len(times) > _FEW and days <= {5, 6}:
        return " Sat–Sun"
    return ""

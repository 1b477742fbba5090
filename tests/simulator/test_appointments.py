from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast
from zoneinfo import ZoneInfo

from assistant.simulator.android.services import CalendarEvent
from assistant.simulator.appointments import appointments
from assistant.simulator.apps.host import App

ZONE = ZoneInfo("Asia/Shanghai")


@dataclass
class Calendar:
    package: str = "com.example.calendar"
    state: dict[str, Any] = field(default_factory=dict)


def event(day: str, start: str, end: str, text: str, place: str = "") -> dict[str, Any]:
    return {"id": 1, "title": text, "text": text, "date": day, "time": start, "end": end, "place": place}


def test_events_come_by_their_start_in_the_phones_zone() -> None:
    events = [
        event("2026-03-10", "09:00", "09:30", "Later"),
        event("2026-03-09", "18:00", "19:00", "Gym", "Hall 2"),
    ]
    found = appointments([cast(App, Calendar(state={"events": events}))], ZONE)
    assert found[0] == CalendarEvent(
        "Gym",
        datetime(2026, 3, 9, 18, tzinfo=ZONE),
        datetime(2026, 3, 9, 19, tzinfo=ZONE),
        "Hall 2",
    )
    assert [one.title for one in found] == ["Gym", "Later"]


def test_without_the_app_there_are_none() -> None:
    assert appointments([cast(App, Calendar("com.example.chat", {}))], ZONE) == []

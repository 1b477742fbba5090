"""The calendar app's events as the calendar provider gives them to other programs."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, tzinfo
from typing import Any

from assistant.simulator.android.services import CalendarEvent
from assistant.simulator.apps.host import App

CALENDAR = "com.example.calendar"


def appointments(apps: Iterable[App], zone: tzinfo | None) -> list[CalendarEvent]:
    """All events by their start; none on a phone without the calendar app."""
    states = [app.state for app in apps if app.package == CALENDAR]
    events = [_event(event, zone) for state in states for event in state["events"]]
    return sorted(events, key=lambda event: event.start)


def _event(event: dict[str, Any], zone: tzinfo | None) -> CalendarEvent:
    start, end = (
        datetime.fromisoformat(f"{event['date']}T{event[time]}").replace(tzinfo=zone)
        for time in ("time", "end")
    )
    return CalendarEvent(event["text"], start, max(start, end), event["place"])

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from assistant.phone.monitor import AppOpened
from assistant.proactive.habit_table import find_usage_habits
from assistant.records import OpenApp, Record

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
MAIL, CHAT = "com.example.mail", "com.example.chat"


def opened(package: str, day: int, hour: int, minute: int = 0) -> AppOpened:
    return AppOpened(MONDAY + timedelta(days=day, hours=hour, minutes=minute), package)


def no_label(package: str) -> str:
    return ""


def test_an_app_opened_at_about_the_same_time_becomes_a_habit() -> None:
    seen = [opened(MAIL, day, 8, 3 * day) for day in range(5)]
    records = find_usage_habits(seen, "me", no_label)
    assert [one.time for one in records] == [one.time for one in seen]
    assert records[0].instruction == "Open Mail"
    assert records[0].actions[0] == OpenApp(name="Mail")
    assert (records[0].package, records[0].source) == (MAIL, "usage")
    assert find_usage_habits(seen, "me", lambda package: "Post")[0].instruction == "Open Post"


def test_what_is_opened_at_any_time_or_on_two_days_is_none() -> None:
    often = [opened(CHAT, day, hour) for day in range(5) for hour in range(7, 23)]
    rare = [opened(MAIL, day, 8) for day in range(2)]
    assert find_usage_habits(sorted([*often, *rare], key=lambda one: one.time), "me", no_label) == []


def test_pages_of_an_app_in_use_are_one_opening() -> None:
    seen = [opened(MAIL, day, 8, minute) for day in range(3) for minute in (0, 1, 20, 40)]
    assert len(find_usage_habits(seen, "me", no_label)) == 3


def test_reading_twice_gives_the_same_records() -> None:
    seen = [opened(MAIL, day, 8) for day in range(4)]
    assert find_usage_habits(seen, "me", no_label) == find_usage_habits(seen, "me", no_label)


def test_what_was_opened_for_a_command_is_explained() -> None:
    seen = [opened(MAIL, day, 8) for day in range(4)]
    done = [
        Record(id=f"r{day}", user_id="me", time=one.time, instruction="Write to Ann", package=MAIL)
        for day, one in enumerate(seen)
    ]
    assert find_usage_habits(seen, "me", no_label, recorded=done) == []

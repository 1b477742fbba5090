"""Lines that order something at recurring times, and those that only speak of such times."""

from __future__ import annotations

from datetime import UTC, datetime

from assistant.conversation.routing import RouteKind, find_unclear_time, refuse_unclear_time, route
from tests.tables import each


@each(
    ("line", "kept"),
    [
        (
            "from now on every friday at 6 in the evening look up the weather for saturday and tell me",
            "from now on every friday at 6 in the evening look up the weather for saturday and tell me",
        ),
        (
            "u can, i read it in the guide. every friday at 18:00 tell me the weather for saturday",
            "every friday at 18:00 tell me the weather for saturday",
        ),
        ("每周五晚上六点告诉我周六的天气", "每周五晚上六点告诉我周六的天气"),
        ("tell me the weather for saturday every friday at 18:00", None),
        ("look up the weather and tell me every friday at 18:00", None),
        ("以后每天早上八点看一下天气告诉我", None),
        ("every day at 8 tell me my meetings", None),
        ("每天早上八点告诉我今天有什么会议", None),
    ],
)
def test_an_order_to_tell_something_at_recurring_times_is_a_schedule(line: str, kept: str | None) -> None:
    target = route(line)
    assert (target.kind, target.rest) == (RouteKind.SCHEDULE, kept or line)


@each(
    "line",
    [
        "every friday at 18:00 the office closes",
        "every friday at 6 mom calls me",
        "every friday at 18:00 you tell me the weather?",
        "every friday at 18:00 tell me the weather until christmas",
        "every day at 8 tell me to drink water",
        "每天早上八点提醒我喝水",
        "tell me where mom is every friday at 18:00",
        "what did you tell me every friday at 18:00",
        "tell me that i am late every friday at 18:00",
        "text mom tell me the weather every friday at 18:00",
        "text mom this is it. every friday at 18:00 order tea",
    ],
)
def test_what_only_speaks_of_recurring_times_is_no_schedule(line: str) -> None:
    assert route(line).kind is not RouteKind.SCHEDULE


def test_what_is_to_be_told_on_a_day_without_an_hour_is_asked_for_the_hour() -> None:
    target = refuse_unclear_time(route("from now on every friday tell me the weather"))
    assert target.kind is RouteKind.SCHEDULE
    asked = find_unclear_time(target.rest, datetime(2026, 11, 30, 12, tzinfo=UTC))[1]
    assert asked == "every friday at 12:00 tell me the weather"

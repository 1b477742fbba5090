"""A schedule is cancelled by what it does and when; what lies on the phone is cancelled there."""

from __future__ import annotations

import pytest

from assistant.conversation.routing import RouteKind, route
from assistant.conversation.service import Conversation
from assistant.conversation.switches import find_cancelled_schedule
from assistant.memory.store import Store
from assistant.proactive.schedules import Schedules

from .past import NOW, ask


@pytest.fixture
def schedules(store: Store) -> Schedules:
    schedules = Schedules(store, "me")
    schedules.add("every weekday at 8", "order my usual coffee", NOW)
    schedules.add("工作日早上八点", "帮我点平时的奶茶", NOW)
    schedules.add("every day at 18:30", "play the evening podcast", NOW)
    return schedules


@pytest.mark.parametrize(
    ("line", "gone"),
    [
        ("cancel the 8am coffee thing", "order my usual coffee"),
        ("把早上八点那个奶茶取消了吧", "帮我点平时的奶茶"),
        ("取消八点的奶茶", "帮我点平时的奶茶"),
        ("please stop the evening podcast every day", "play the evening podcast"),
        ("stop ordering my usual coffee every weekday", "order my usual coffee"),
    ],
)
def test_the_schedule_that_is_meant_is_removed_and_comes_back(
    conversation: Conversation, schedules: Schedules, line: str, gone: str
) -> None:
    before = schedules.all()
    target = find_cancelled_schedule(route(line), schedules, NOW)
    assert target.kind is RouteKind.SCHEDULE
    assert gone in conversation.reply(target).text
    assert gone not in [schedule.instruction for schedule in schedules.all()]
    ask(conversation, "undo")
    assert schedules.all() == before


@pytest.mark.parametrize(
    "line",
    [
        # An order of today, an alarm, another hour, and what is booked elsewhere.
        "cancel my coffee",
        "cancel the alarm at 8",
        "取消八点的闹钟",
        "cancel the 9am coffee thing",
        "cancel the 8am yoga class",
        "cancel the order",
        "order my usual coffee every weekday at 8",
    ],
)
def test_what_no_schedule_does_at_that_time_stays_what_it_is(schedules: Schedules, line: str) -> None:
    assert find_cancelled_schedule(route(line), schedules, NOW) == route(line)

"""A single day is left out of a schedule, or one occasion moved, and the schedule goes on."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from assistant.conversation.routing import RouteKind, route
from assistant.conversation.service import Conversation
from assistant.proactive.schedules import Schedules, format_schedule
from tests.tables import each

from .past import NOW, SCHEDULES, ask, change_schedule, find_due, find_meant, keep_only


@each(
    "line",
    [
        *("我今天不去了", "今天不去了", "现在不打了", "我不发了", "too expensive, never mind"),
        *("skip next friday", "not this saturday", "skip today", "move it to tomorrow"),
        *("move it to this friday at 9", "下周六不用"),
    ],
)
def test_what_may_be_about_a_day_or_something_else_ends_no_schedule(
    conversation: Conversation, schedules: Schedules, line: str
) -> None:
    before = schedules.all()
    target = find_meant(route(line), schedules)
    reply = conversation.reply(target)
    assert schedules.all() == before
    assert not reply.is_answered
    assert target.kind is RouteKind.SCHEDULE


@each(
    ("line", "days"),
    [
        ("skip this friday", [13]),
        ("skip tomorrow", [12]),
        ("not tomorrow tho", [12]),
        ("skip the coffee schedule tomorrow", [12]),
        ("skip the coffee this friday", [13]),
        ("don't order coffee tomorrow", [12]),
        ("skip the next one", [12]),
        ("skip march 13", [13]),
        ("not this thursday and friday", [12, 13]),
        ("这周五不用", [13]),
        ("本周五和周四就不用了", [12, 13]),
        ("明天不用了", [12]),
        ("下周五不用", [20]),
        ("下次不用了", [12]),
        ("下次别点了", [12]),
        ("这周五先不用点", [13]),
        ("can you skip this friday", [13]),
        ("don't order it tomorrow", [12]),
        ("明天别给我点coffee", [12]),
    ],
)
def test_a_single_day_alone_is_left_out_of_what_comes_again(
    conversation: Conversation, schedules: Schedules, line: str, days: list[int]
) -> None:
    before = keep_only(schedules, *SCHEDULES[2])
    reply = change_schedule(conversation, schedules, line)
    (coffee,) = schedules.all()
    assert replace(coffee, rule=before.rule) == before
    assert [day.day for day in coffee.rule.skipped] == days
    until = NOW + timedelta(days=20)
    comes = {moment.day for moment in coffee.rule.moments(UTC, NOW, until)}
    assert comes == {moment.day for moment in before.rule.moments(UTC, NOW, until)} - {*days}
    listed = format_schedule(coffee, NOW)
    assert all(f" {day} Mar" in listed for day in days)
    assert all(f" {day} Mar" in reply or f"月{day}日" in reply for day in days)
    ask(conversation, "undo")
    assert schedules.all() == [before]


@each(
    ("line", "times"),
    [
        ("make it 9", "every weekday at 09:00"),
        ("not on mondays", "every tuesday, wednesday, thursday and friday at 08:00"),
        ("saturdays too", "every monday, tuesday, wednesday, thursday, friday and saturday at 08:00"),
    ],
)
def test_a_day_that_is_left_out_once_is_none_less_behind_another_change(
    conversation: Conversation, schedules: Schedules, line: str, times: str
) -> None:
    keep_only(schedules, *SCHEDULES[2])
    change_schedule(conversation, schedules, "skip this friday")
    change_schedule(conversation, schedules, line)
    (coffee,) = schedules.all()
    assert coffee.times == times
    assert [day.day for day in coffee.rule.skipped] == [13]
    change_schedule(conversation, schedules, "skip tomorrow")
    assert [day.day for day in schedules.all()[0].rule.skipped] == [12, 13]


@each(
    ("line", "at"),
    [
        ("move it to tomorrow at 9", 9),
        ("make it tomorrow at 7 pm", 19),
        ("改到明天九点", 9),
        ("just tomorrow at 9 instead", 9),
    ],
)
def test_a_single_time_moves_the_next_occasion_alone(
    conversation: Conversation, schedules: Schedules, line: str, at: int
) -> None:
    before = keep_only(schedules, *SCHEDULES[2])
    change_schedule(conversation, schedules, line)
    coffee, once = schedules.all()
    assert coffee.times == before.times
    assert [day.day for day in coffee.rule.skipped] == [12]
    assert once.rule.at == datetime(2026, 3, 12, at)
    assert once.instruction == coffee.instruction
    ask(conversation, "undo")
    assert schedules.all() == [before]


@pytest.mark.parametrize(
    ("line", "days", "command"),
    [
        ("skip friday", "Left out on Fri 13 Mar:", "/schedule change 3 except every friday"),
        ("周四就不用了", "3月12日 周四不执行", "/schedule change 3 except 每周四"),
        ("skip this week", "Left out on Thu 12 Mar, Fri 13 Mar:", ""),
        ("skip the coffee this week", "Left out on Thu 12 Mar, Fri 13 Mar:", ""),
        ("下周不用了", "3月16日 周一，3月17日 周二，3月18日 周三，3月19日 周四，3月20日 周五不执行", ""),
    ],
)
def test_a_day_or_week_alone_is_the_one_to_come(
    conversation: Conversation, schedules: Schedules, line: str, days: str, command: str
) -> None:
    reply = change_schedule(conversation, schedules, line)
    assert days in reply
    assert command in reply
    assert schedules.all()[-1].times == "every weekday at 8"


@each(
    "line",
    [
        *("skip this friday's meeting", "skip the coffee meeting this friday", "skip tomorrow's alarm"),
        *("don't go to the coffee class tomorrow", "明天别去coffee那个会", "can you call mom tomorrow"),
        *(
            "no meeting tomorrow",
            "don't wake me tomorrow",
            "这周五的会不用去了",
            "明天的会取消",
            "明天不用上班",
        ),
        *("skip the next song", "order coffee this friday", "skip breakfast tomorrow", "明天不用带伞"),
        *("i skip this friday", "not friday but saturday", "下次不用这么早", "text mom not tomorrow"),
    ],
)
def test_a_day_of_something_else_leaves_out_no_schedule(schedules: Schedules, line: str) -> None:
    assert find_meant(route(line), schedules) == route(line)


def test_what_is_left_out_stays_so_at_another_time_and_is_not_due(schedules: Schedules) -> None:
    coffee = schedules.all()[2]
    due = coffee.upcoming(NOW)[0]
    assert coffee.id in find_due(schedules, due)
    schedules.leave_out(coffee, [due.date() + timedelta(days=1)], due)
    assert coffee.id in find_due(schedules, due), "another day is left out"
    schedules.leave_out(schedules.all()[2], [due.date()], due)
    assert coffee.id not in find_due(schedules, due)
    moved = schedules.move(schedules.all()[2], "every weekday at 9", due)
    assert [each.day for each in moved.upcoming(due, 2)] == [16, 17]
    assert schedules.all()[2].rule == moved.rule, "it is stored"


@pytest.mark.parametrize(
    "line",
    [
        "this friday instead of monday",
        "friday instead of this monday",
        "改到明天而不是周五",
        "tomorrow instead of friday",
    ],
)
def test_a_single_day_takes_no_days_place_for_good(
    conversation: Conversation, schedules: Schedules, line: str
) -> None:
    before = [schedule.times for schedule in schedules.all()]
    change_schedule(conversation, schedules, line)
    assert [schedule.times for schedule in schedules.all()][: len(before)] == before


@each(
    ("times", "line", "days"),
    [
        # Of one part of a day, and of several days, only what is surely meant is left out.
        *(
            ("every day at 10 and 20", line, ())
            for line in ("skip tomorrow morning", "not tonight", "今晚不要")
        ),
        ("every day at 10 and 20", "skip the next one", ()),
        ("every day at 10 and 20", "skip tomorrow", (12,)),
        *(("every day at 10", line, ()) for line in ("not tonight", "今晚不用", "skip tomorrow evening")),
        *(
            ("every day at 10", line, (12,))
            for line in ("skip tomorrow morning", "明天早上不用", "skip it tomorrow")
        ),
        ("every day at 20", "not tonight", (11,)),
        *(("every day at 10", line, ()) for line in ("明天和后天不用了", "今天和明天不用", "明天后天不用")),
        *(("every day at 10", line, ()) for line in ("skip today and tomorrow", "skip friday this week")),
        *(
            ("every day at 10", line, ())
            for line in ("not on friday this week", "skip monday to wednesday this week")
        ),
        *(("every day at 10", line, ()) for line in ("skip march 13, march 14", "not tomorrow, on saturday")),
        ("every day at 10", "skip tomorrow, friday", (12, 13)),
        # What comes very often, or with no time at all.
        ("every 30 minutes", "skip tomorrow", (12,)),
        ("when i arrive home", "skip tomorrow", ()),
        # Neither another wish nor how something is to be done leaves out a day.
        *(
            ("every day at 10", line, ())
            for line in ("don't order coffee next time, i want tea", "make it the next one")
        ),
        *(
            ("every day at 10", line, ())
            for line in ("don't do that next time", "no, the next one", "改到下次")
        ),
        *(("every day at 10", line, ()) for line in ("and next time too", "明天不要点coffee，我要茶")),
        # Other times that are said of some days alone, or twice.
        *(("every weekday at 8", line, ()) for line in ("make it 9 on friday", "make it 7:30 and 9")),
        ("every friday at 8", "这次不用了", ()),
        # A day behind another occasion may be meant for that one.
        ("every friday at 8", "make it march 28 at 9", ()),
    ],
)
def test_only_what_is_surely_meant_is_left_out(
    conversation: Conversation, schedules: Schedules, times: str, line: str, days: tuple[int, ...]
) -> None:
    made = keep_only(schedules, times, "order coffee")
    target = find_meant(route(line), schedules)
    if target.kind is RouteKind.SCHEDULE:
        conversation.reply(target)
    (kept,) = schedules.all()
    assert (kept.times, tuple(day.day for day in kept.rule.skipped)) == (made.times, days)


@each(
    ("lines", "comes"),
    [
        (("make it 10 tomorrow", "make it 11 tomorrow"), (11, 9)),
        (("make it 10 tomorrow", "no, 11"), (11, 9)),
        (("make it 10 tomorrow", "skip the coffee schedule tomorrow"), (10, 9)),
        (("skip tomorrow", "make it 10 tomorrow"), (9, 9)),
        *((("make it 10 tomorrow", line), (9, 9)) for line in ("never mind", "cancel that", "算了")),
        *(
            (("skip the coffee schedule tomorrow", line), (9, 9))
            for line in ("nvm", "cancel it", "forget it", "取消")
        ),
        (("skip the coffee schedule tomorrow", "drop that"), (9, 9)),
    ],
)
def test_what_is_said_behind_the_change_of_a_day_is_about_that_change(
    conversation: Conversation, schedules: Schedules, lines: tuple[str, str], comes: tuple[int, int]
) -> None:
    keep_only(schedules, "every day at 9", "order coffee")
    for line in lines:
        conversation.reply(find_meant(route(line), schedules))
    ahead = sorted(at for each in schedules.all() for at in each.upcoming(NOW, 3))
    assert tuple(at.hour for at in ahead[:2]) == comes
    is_skipped = lines[0].startswith("skip") and lines[1] in ("drop that", "make it 10 tomorrow")
    assert ahead[0].day == (13 if is_skipped else 12)
    assert ahead[1].day == ahead[0].day + 1


def test_what_is_due_today_can_be_left_out(conversation: Conversation, schedules: Schedules) -> None:
    coffee = keep_only(schedules, "every day at 8:59", "order coffee", NOW - timedelta(hours=1))
    assert [run.schedule_id for run in schedules.collect(NOW).due] == [coffee.id]
    reply = conversation.reply(find_meant(route("skip the coffee schedule today"), schedules))
    assert "Left out on Wed 11 Mar" in reply.text
    assert not schedules.collect(NOW).due

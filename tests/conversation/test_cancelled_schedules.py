"""A schedule is cancelled by what it does and when; what lies on the phone is cancelled there."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from assistant.conversation.routing import Route, RouteKind, refuse_unclear_time, route
from assistant.conversation.service import Conversation
from assistant.memory.store import Store
from assistant.proactive.schedules import Schedule, Schedules
from assistant.records import Outcome
from tests.tables import each

from .past import NOW, ask, ended_turn, find_meant


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
    target = find_meant(route(line), schedules)
    assert target.kind is RouteKind.SCHEDULE
    assert gone in conversation.reply(target).text
    assert gone not in [schedule.instruction for schedule in schedules.all()]
    undone = ask(conversation, "undo").text
    assert undone.startswith("It is back: ")
    assert "“redo” removes it" in undone
    assert schedules.all() == before


@pytest.mark.parametrize("line", ["every weekday at 9 order my usual tea", "每天九点帮我点奶茶"])
def test_a_schedule_that_is_taken_back_is_not_said_to_be_there_again(
    conversation: Conversation, schedules: Schedules, line: str
) -> None:
    before = schedules.all()
    conversation.reply(route(line))
    assert len(schedules.all()) == len(before) + 1
    undone = ask(conversation, "undo").text
    assert undone.startswith("Undone: ")
    assert "“redo”" in undone
    assert schedules.all() == before


@pytest.mark.parametrize(
    ("rest", "would", "did"),
    [
        ("remove 1", "“undo” again brings back the schedule “every weekday at 8", "It is back: the schedule"),
        ("change 1 every weekday at 9", "makes it as before: the schedule “every weekday at 8", "as before"),
        ("pause 1", "makes it as before: the schedule “every weekday at 8", "as before"),
        ("at 9 every day play some jazz", "again removes the schedule", "jazz” is removed. “redo” brings it"),
    ],
)
def test_undo_says_what_becomes_of_the_schedule(
    conversation: Conversation, store: Store, schedules: Schedules, rest: str, would: str, did: str
) -> None:
    before = schedules.all()
    conversation.reply(Route(RouteKind.SCHEDULE, rest, rest=rest))
    started = NOW + timedelta(minutes=1)
    ended_turn(store, Outcome.CANCELLED, "", "Cancelled.", said="get me a coffee", started=started)
    assert would in ask(conversation, "undo").text
    assert did in ask(conversation, "undo").text
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
    assert find_meant(route(line), schedules) == route(line)


@pytest.mark.parametrize(
    ("line", "clock"),
    [
        ("call mom tomorow at 25:99", "25:99"),
        ("set an alarm for 7:75", "7:75"),
        ("at 25:99 text mom: hi", "25:99"),
        ("明天25:99给妈妈打电话", "25:99"),
        ("定一个明天早上25点的闹钟", "25点"),
    ],
)
def test_a_time_that_there_is_none_is_told_before_anything_is_done(
    conversation: Conversation, line: str, clock: str
) -> None:
    target = refuse_unclear_time(route(line))
    assert target.kind is RouteKind.SCHEDULE
    reply = conversation.reply(target)
    assert clock in reply.text
    assert not reply.known


@each(
    "line",
    ["call mom at 9:30", "text mom: see you at 25:99", "play the song 99:77", "给妈妈发消息：25:99见"],
)
def test_a_time_in_a_message_or_a_name_is_left_alone(line: str) -> None:
    assert refuse_unclear_time(route(line)) == route(line)


@pytest.mark.parametrize(
    ("line", "offer"),
    [
        ("order an oat latte every friday", "order an oat latte every friday at 12:00"),
        ("every friday order an oat latte", "every friday at 12:00 order an oat latte"),
        ("call mom every sunday.", "call mom every sunday at 12:00"),
        ("每周五都点一杯拿铁", "每周五12点点一杯拿铁"),
        ("每天给妈妈打电话", "每天12点给妈妈打电话"),
        ("get me an oat latte every friday at 3", "get me an oat latte every friday at 3 pm"),
        ("order 3 teas every 3 days at 3", "order 3 teas every 3 days at 3 pm"),
        ("每周五3点点一杯拿铁", "每周五下午3点点一杯拿铁"),
    ],
)
def test_what_is_to_be_done_again_and_again_is_asked_for_its_hour(
    conversation: Conversation, store: Store, line: str, offer: str
) -> None:
    reply = conversation.reply(refuse_unclear_time(route(line)))
    assert (reply.known, reply.offer) == (False, offer)
    assert Schedules(store, "me").all() == []
    conversation.reply(route(offer))
    assert len(Schedules(store, "me").all()) == 1


@each(
    "line",
    [
        "remind me every friday to water the plants",
        "text mom that I swim every friday",
        "set an alarm every friday at 7",
        "order an oat latte",
        "每天早上七点叫我起床",
        "给妈妈发消息说我每天都游泳",
    ],
)
def test_what_the_phone_repeats_and_what_only_speaks_of_it_is_no_schedule(line: str) -> None:
    assert refuse_unclear_time(route(line)) == route(line)


def _daily(schedules: Schedules, times: str = "every day at 9", made: datetime = NOW) -> Schedule:
    """The only schedule, made just now."""
    for kept in schedules.all():
        schedules.remove(kept)
    return schedules.add(times, "order coffee", made, "UTC")


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
    made = _daily(schedules, times)
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
    _daily(schedules)
    for line in lines:
        conversation.reply(find_meant(route(line), schedules))
    ahead = sorted(at for each in schedules.all() for at in each.upcoming(NOW, 3))
    assert tuple(at.hour for at in ahead[:2]) == comes
    is_skipped = lines[0].startswith("skip") and lines[1] in ("drop that", "make it 10 tomorrow")
    assert ahead[0].day == (13 if is_skipped else 12)
    assert ahead[1].day == ahead[0].day + 1


def test_what_is_due_today_can_be_left_out(conversation: Conversation, schedules: Schedules) -> None:
    coffee = _daily(schedules, "every day at 8:59", NOW - timedelta(hours=1))
    assert [run.schedule_id for run in schedules.collect(NOW).due] == [coffee.id]
    reply = conversation.reply(find_meant(route("skip the coffee schedule today"), schedules))
    assert "Left out on Wed 11 Mar" in reply.text
    assert not schedules.collect(NOW).due

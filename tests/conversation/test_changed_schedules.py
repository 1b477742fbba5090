"""A schedule is given other times by saying so; what lies on the phone is moved there."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from assistant.conversation.line_reading import LineContext, TakenReading, take_reading
from assistant.conversation.line_words import LineKind, LineReading
from assistant.conversation.periods import read_change
from assistant.conversation.routing import Route, RouteKind, route
from assistant.conversation.service import Conversation
from assistant.i18n import has_chinese
from assistant.memory import schema
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint
from assistant.proactive.schedules import Schedule, Schedules, format_schedule
from assistant.records import Outcome, Record
from tests.tables import each

from .past import NOW, ask, ended_turn, find_meant

_KEPT = (
    ("every day at 18:30", "play the evening podcast"),
    ("工作日早上八点", "帮我点平时的奶茶"),
    ("every weekday at 8", "order my usual coffee"),
)


@pytest.fixture
def schedules(store: Store) -> Schedules:
    schedules = Schedules(store, "me")
    for before, (times, instruction) in enumerate(_KEPT):
        schedules.add(times, instruction, NOW - timedelta(minutes=3 - before), "Europe/Berlin")
    return schedules


def _say(conversation: Conversation, schedules: Schedules, line: str) -> str:
    target = find_meant(route(line), schedules)
    assert target.kind is RouteKind.SCHEDULE, line
    return conversation.reply(target).text


@pytest.mark.parametrize(
    ("line", "times"),
    [
        ("make it 9 instead", "every weekday at 09:00"),
        ("at 9 instead", "every weekday at 09:00"),
        ("instead make it 9:30", "every weekday at 09:30"),
        ("no, change it to half past nine please", "every weekday at 09:30"),
        ("move it to 7 am", "every weekday at 07:00"),
        ("make it 9 pm", "every weekday at 21:00"),
        ("make it every day at 9", "every day at 9"),
        ("actually only mondays", "mondays at 8"),
        ("no, just on weekends", "weekends at 8"),
        ("not on mondays tho", "every tuesday, wednesday, thursday and friday at 08:00"),
        ("but skip wednesdays and fridays please", "every monday, tuesday and thursday at 08:00"),
        ("每周四就不用了", "every monday, tuesday, wednesday and friday at 08:00"),
        ("not on mondays, on tuesdays", "every tuesday, wednesday, thursday and friday at 08:00"),
        ("not mondays but saturdays", "every tuesday, wednesday, thursday, friday and saturday at 08:00"),
        (
            "make it sundays instead of mondays",
            "every tuesday, wednesday, thursday, friday and sunday at 08:00",
        ),
        ("make it daily instead of weekdays", "every day at 08:00"),
        ("mondays instead of weekdays", "every monday at 08:00"),
        ("make it saturday at 9", "every saturday at 09:00"),
        ("move the coffee schedule to saturday at 9", "every saturday at 09:00"),
        ("改到周六九点", "每周六09:00"),
        ("改成九点", "every weekday at 09:00"),
        ("改到九点半吧", "every weekday at 09:30"),
        ("还是改成每天九点吧", "每天九点"),
        ("把它改到晚上九点", "every weekday at 21:00"),
        ("把时间推迟到十点", "every weekday at 10:00"),
    ],
)
def test_the_newest_schedule_is_given_another_time(
    conversation: Conversation, schedules: Schedules, line: str, times: str
) -> None:
    before = schedules.all()
    reply = _say(conversation, schedules, line)
    after = schedules.all()
    assert times in reply
    assert [schedule.times for schedule in after] == [*(each.times for each in before[:2]), times]
    ask(conversation, "undo")
    assert schedules.all() == before


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("saturday instead of sunday", "It does not begin on “sunday”."),
        ("saturday instead of friday", "say which"),
        ("not on mondays but rather at noon", "Say all of its times."),
        ("not on mondays but every other day", "Say all of its times."),
    ],
)
def test_days_that_take_the_place_of_others_unclearly_change_nothing(
    conversation: Conversation, schedules: Schedules, line: str, says: str
) -> None:
    before = schedules.all()
    assert says in _say(conversation, schedules, line)
    assert schedules.all() == before


@pytest.mark.parametrize(
    "line",
    [
        "not on mondays but only fridays",
        "skip both this week",
        "skip friday, make it saturday",
        "skip friday, if it rains",
        "make it 9, if it rains",
        "make it 9, not on fridays, saturdays too",
        "cancel it, if it costs more than 30",
        "这周五不用，改到周六",
    ],
)
def test_a_line_that_means_other_days_or_schedules_as_well_is_not_taken(
    schedules: Schedules, line: str
) -> None:
    assert find_meant(route(line), schedules).kind is not RouteKind.SCHEDULE


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
    _say(conversation, schedules, line)
    assert [schedule.times for schedule in schedules.all()][: len(before)] == before


@pytest.mark.parametrize(
    ("line", "place", "times"),
    [
        ("move the evening podcast schedule to 7", 0, "every day at 19:00"),
        ("change schedule 1 to 20:00", 0, "every day at 20:00"),
        ("change the time of the podcast schedule to 20:00", 0, "every day at 20:00"),
        ("move the 6:30pm podcast to weekends at 5 pm", 0, "weekends at 5 pm"),
        ("把八点的奶茶改到九点", 1, "工作日09:00"),
        ("请把早上八点那个奶茶改成八点半", 1, "工作日08:30"),
    ],
)
def test_a_schedule_is_meant_by_what_it_does_and_when(
    conversation: Conversation, schedules: Schedules, line: str, place: int, times: str
) -> None:
    assert times in _say(conversation, schedules, line)
    assert schedules.all()[place].times == times


def test_a_single_time_keeps_its_day(conversation: Conversation, schedules: Schedules) -> None:
    added = schedules.add("tomorrow at 8", "call mom", NOW, "Europe/Berlin")
    assert "09:15" in _say(conversation, schedules, "make it 9:15 instead")
    moved = next(schedule for schedule in schedules.all() if schedule.id == added.id)
    assert moved.rule.at is not None
    assert added.rule.at is not None
    assert moved.rule.at - added.rule.at == timedelta(hours=1, minutes=15)


@pytest.mark.parametrize(
    ("times", "line"),
    [
        # Either half of the day is far from the time before; two times; and an event.
        ("every weekday at 8", "make it 2"),
        ("every day at 8 and 18:00", "make it 9"),
        ("every 2 hours", "make it 9"),
        ("when I get home", "make it 9"),
    ],
)
def test_what_is_not_certain_is_asked_and_changes_nothing(
    conversation: Conversation, schedules: Schedules, times: str, line: str
) -> None:
    schedules.add(times, "play some jazz", NOW, "Europe/Berlin")
    before = schedules.all()
    target = find_meant(route(line), schedules)
    reply = conversation.reply(target)
    assert not reply.known
    assert schedules.all() == before


_NEWS = "every weekday at 6:15 pm", "navigate me home and play the news"


@pytest.mark.parametrize(
    "line",
    [
        "not fridays tho i have yoga then",
        "i mean the schedule, not on fridays",
        "change the 6:15 schedule, leave out fridays",
        "leave out fridays for the 6:15 schedule",
        "change the news schedule please, no fridays",
        "don't play the news on fridays",
        "but not on fridays because i have yoga",
    ],
)
def test_a_schedule_is_changed_where_a_line_names_it_apart_from_that(
    conversation: Conversation, schedules: Schedules, line: str
) -> None:
    schedules.add(*_NEWS, NOW, "Europe/Berlin")
    before = schedules.all()
    assert "every monday, tuesday, wednesday and thursday at 18:15: navigate" in _say(
        conversation, schedules, line
    )
    assert len(schedules.all()) == len(before)
    ask(conversation, "undo")
    assert schedules.all() == before


@each("running", [False, True])
def test_a_schedule_that_a_line_names_is_meant_in_a_turn_too(schedules: Schedules, running: bool) -> None:
    for line in ("i mean the podcast schedule, not on fridays", "cancel the 18:30 schedule"):
        assert find_meant(route(line), schedules, running=running).kind is RouteKind.SCHEDULE
    assert find_meant(route("not on fridays"), schedules, running=True).kind is not RouteKind.SCHEDULE


@each(
    ("line", "told"),
    [
        ("the 6:15 schedule should only run when it rains", "navigate me home"),
        ("change the 7:15 schedule to 9", "order my usual coffee"),
        ("cancel the yoga schedule", "order my usual coffee"),
    ],
)
def test_what_is_said_of_a_schedule_never_goes_to_the_phone(
    conversation: Conversation, schedules: Schedules, line: str, told: str
) -> None:
    if _NEWS[0] not in [kept.times for kept in schedules.all()]:
        schedules.add(*_NEWS, NOW, "Europe/Berlin")
    before = schedules.all()
    reply = conversation.reply(find_meant(route(line), schedules))
    assert reply.text.startswith("Nothing was changed.")
    assert told in reply.text
    assert not reply.known
    assert schedules.all() == before


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("remove the 6:15 schedule", "bring the 6:15 schedule back"),
        ("remove the 6:15 schedule", "bring it back"),
        ("remove the 6:15 schedule", "bring back the news one"),
        ("remove the 6:15 schedule", "把6:15的定时恢复"),
        ("pause the 6:15 one", "resume the news schedule"),
        ("pause the 6:15 one", "bring the news schedule back please"),
    ],
)
def test_a_schedule_that_is_gone_comes_back_by_its_name(
    conversation: Conversation, schedules: Schedules, before: str, line: str
) -> None:
    schedules.add(*_NEWS, NOW, "Europe/Berlin")
    kept = schedules.all()
    _say(conversation, schedules, before)
    assert schedules.all() != kept
    assert "navigate me home" in _say(conversation, schedules, line)
    assert schedules.all() == kept
    assert "Redone" in ask(conversation, "redo").text or "pause" in before


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
    assert not reply.known
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
    before = _only_coffee(schedules)
    reply = _say(conversation, schedules, line)
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


def _only_coffee(schedules: Schedules) -> Schedule:
    """The coffee, made just now, where no other schedule is."""
    for schedule in schedules.all():
        schedules.remove(schedule)
    return schedules.add(*_KEPT[2], NOW - timedelta(minutes=1), "Europe/Berlin")


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
    _only_coffee(schedules)
    _say(conversation, schedules, "skip this friday")
    _say(conversation, schedules, line)
    (coffee,) = schedules.all()
    assert coffee.times == times
    assert [day.day for day in coffee.rule.skipped] == [13]
    _say(conversation, schedules, "skip tomorrow")
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
    before = _only_coffee(schedules)
    _say(conversation, schedules, line)
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
    reply = _say(conversation, schedules, line)
    assert days in reply
    assert command in reply
    assert schedules.all()[-1].times == "every weekday at 8"


def test_what_is_not_to_be_done_to_a_schedule_orders_nothing(
    conversation: Conversation, schedules: Schedules
) -> None:
    _say(conversation, schedules, "skip this friday")
    before = schedules.all()
    for line in ("don't skip it", "no, dont cancel it", "别跳过", "别取消了", "don't move it"):
        reply = _say(conversation, schedules, line)
        assert before[-1].instruction in reply, line
    assert schedules.all() == before


@each("line", ["half an hour earlier", "提前半小时吧"])
def test_the_only_schedule_is_named_for_an_hour_that_nothing_else_has(
    conversation: Conversation, store: Store, line: str
) -> None:
    """It was made before a turn that did nothing, so it is not certain that it is meant."""
    schedules = Schedules(store, "me")
    if not schedules.all():
        schedules.add("every day at 18:30", "play the evening podcast", NOW, "Europe/Berlin")
        failed = Checkpoint(
            turn_id="t7",
            user_id="me",
            started=NOW + timedelta(minutes=1),
            said="call mom",
            instruction="call mom",
        )
        store.turns.finish(failed, Outcome.FAILED)
    reply = conversation.reply(find_meant(route(line), schedules))
    assert reply.offer == "/schedule change 1 shift -30"


def test_a_day_for_another_is_asked_about_where_other_days_stay(
    conversation: Conversation, schedules: Schedules
) -> None:
    before = schedules.all()
    assert "may be a single day" in _say(conversation, schedules, "not on monday, on saturday")
    assert schedules.all() == before
    schedules.add("every monday at 9", "order tea", NOW, "Europe/Berlin")
    assert "every saturday at 09:00" in _say(conversation, schedules, "不要周一 要周六")


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


def test_days_behind_a_schedule_are_its_own_while_a_turn_stands_paused(
    store: Store, schedules: Schedules
) -> None:
    line = route("not fridays tho")
    for started, is_meant in ((NOW - timedelta(minutes=5), True), (NOW + timedelta(minutes=1), False)):
        store.turns.save(
            Checkpoint(turn_id=f"{started}", user_id="me", started=started, said="tea", instruction="tea")
        )
        assert (find_meant(line, schedules, running=True, paused=True) != line) is is_meant
        assert find_meant(line, schedules, running=True) == line
        for other in ("make it 9", "make it large", "not mom", "cancel that", "not the fridays song"):
            assert find_meant(route(other), schedules, running=True, paused=True) == route(other)


def test_what_is_left_out_stays_so_at_another_time_and_is_not_due(schedules: Schedules) -> None:
    coffee = schedules.all()[2]
    due = coffee.upcoming(NOW)[0]
    assert coffee.id in _due(schedules, due)
    schedules.leave_out(coffee, [due.date() + timedelta(days=1)], due)
    assert coffee.id in _due(schedules, due), "another day is left out"
    schedules.leave_out(schedules.all()[2], [due.date()], due)
    assert coffee.id not in _due(schedules, due)
    moved = schedules.move(schedules.all()[2], "every weekday at 9", due)
    assert [each.day for each in moved.upcoming(due, 2)] == [16, 17]
    assert schedules.all()[2].rule == moved.rule, "it is stored"


@each(
    ("words", "is_done"),
    [
        ("pause the music every day at 10 pm", True),
        ("remove the trash every friday at 9", True),
        # A word alone may be a name, and what is to change a schedule.
        ("change the ringtone every monday at 9", False),
        ("change tea every day at 9", False),
        ("remove all every day at 9", False),
        ("pause everything every sunday at 9", False),
        ("resume the podcast every weekday at 18:30", False),
        ("pause the coffee every weekday at 8:30", False),
        ("remove the milk every weekday at 8", False),
        ("change 7 every day at 9", False),
    ],
)
def test_a_deed_that_begins_like_a_change_is_scheduled_where_no_schedule_may_be_meant(
    conversation: Conversation, schedules: Schedules, words: str, is_done: bool
) -> None:
    before = len(schedules.all())
    reply = conversation.reply(Route(RouteKind.SCHEDULE, words, rest=words))
    assert reply.known is is_done
    assert len(schedules.all()) == before + is_done
    assert is_done or words.startswith("change") or reply.offer.endswith(words.split(" every ")[0])


@each(
    "lines",
    [
        ("pause the coffee schedule", "resume the schedule"),
        ("pause the coffee schedule", "resume it"),
        ("pause the coffee schedule", "turn it back on"),
    ],
)
def test_what_was_paused_last_is_resumed_by_pointing_at_it(
    conversation: Conversation, schedules: Schedules, lines: tuple[str, str]
) -> None:
    kept = schedules.all()
    for line in lines:
        _say(conversation, schedules, line)
    assert schedules.all() == kept


@pytest.mark.parametrize("order", ["remove", "pause"])
def test_of_several_that_are_gone_each_is_named_with_what_brings_it_back(
    conversation: Conversation, schedules: Schedules, order: str
) -> None:
    for times in ("every day at 7", "every day at 11"):
        schedules.add(times, "order coffee beans", NOW, "Europe/Berlin")
    first, second, _third = (each for each in schedules.all() if "coffee" in each.instruction)
    for words in (f"remove {first.number}", f"{order} {second.number}"):
        conversation.reply(Route(RouteKind.SCHEDULE, words, rest=words))
    stands = schedules.all()
    reply = conversation.reply(find_meant(route("resume the coffee schedule"), schedules))
    assert not reply.known
    assert f"/schedule restore {first.number}  " in reply.text
    assert f"{'resume' if order == 'pause' else 'restore'} {second.number}  " in reply.text
    assert schedules.all() == stands


@each("line", ["run the coffee schedule now", "i like the coffee schedule", "is the coffee schedule on"])
def test_what_wishes_no_change_of_a_schedule_goes_on_as_it_is(schedules: Schedules, line: str) -> None:
    assert find_meant(route(line), schedules) == route(line)


@each(
    ("line", "told"),
    [
        ("stop the coffee schedule for a week", "Nothing was changed."),
        ("cancel the coffee schedule this morning", "Nothing was changed."),
        ("cancel the coffee schedule at 9", "Nothing was changed."),
        ("stop the podcast schedule for now", "Paused: "),
    ],
)
def test_a_schedule_that_is_to_end_for_some_time_is_not_removed(
    conversation: Conversation, schedules: Schedules, line: str, told: str
) -> None:
    before = len(schedules.all())
    assert _say(conversation, schedules, line).startswith(told)
    assert len(schedules.all()) == before


@each("rest", ["ask mom how she is every friday at 9", "restore the backup every sunday at 9pm"])
def test_a_deed_with_its_times_behind_it_is_scheduled_whatever_its_verb(
    conversation: Conversation, schedules: Schedules, rest: str
) -> None:
    reply = conversation.reply(Route(RouteKind.SCHEDULE, rest, rest=rest))
    assert reply.known
    assert rest.split(" every")[0] in [kept.instruction for kept in schedules.all()]


@each("line", ["so the coffee comes at 8 on weekdays, right", "make sure I get coffee"])
def test_a_schedule_restated_as_it_is_changes_nothing(schedules: Schedules, line: str) -> None:
    schedules.remove(schedules.all()[1])
    assert read_change(line, "every weekday at 8 order my usual coffee", schedules, NOW) == ("", False)


@each("line", ["get me a coffee back", "bring me some coffee back", "resume jazz"])
def test_an_order_brings_no_schedule_back(
    conversation: Conversation, schedules: Schedules, line: str
) -> None:
    _say(conversation, schedules, "remove the coffee schedule")
    assert find_meant(route(line), schedules) == route(line)


@each(
    "line",
    [
        *("turn off the 18:30 alarm", "stop at 18:30", "text mom the 6:30 schedule", "bring the music back"),
        *("put the meeting on my schedule for 3", "add lunch to my schedule"),
        *("open my schedule in calendar", "check the train schedule", "turn off the 18:30", "put it back"),
    ],
)
def test_a_time_or_a_word_alone_names_no_schedule(schedules: Schedules, line: str) -> None:
    assert find_meant(route(line), schedules) == route(line)


@pytest.mark.parametrize(
    "line",
    [
        "make it a large latte instead",
        "change my password to 1234",
        "move the 3pm meeting to 4",
        "把闹钟改到九点",
        "set an alarm for 9",
        "把八点的会议改到九点",
        "put the milk on the list",
        "set the volume to 9",
        "set the brightness to 9",
        "change the coffee to 9",
    ],
)
def test_what_no_schedule_does_stays_what_it_is(schedules: Schedules, line: str) -> None:
    assert find_meant(route(line), schedules) == route(line)


def test_it_is_no_schedule_once_something_else_was_done(
    conversation: Conversation, schedules: Schedules
) -> None:
    line = route("make it 9 instead")
    assert find_meant(line, schedules, NOW + timedelta(hours=1)) == line
    ask(conversation, "undo")
    assert find_meant(line, schedules) == line


def test_what_is_due_of_the_old_time_does_not_begin(schedules: Schedules) -> None:
    coffee = schedules.all()[2]
    due = coffee.upcoming(NOW)[0]
    assert coffee.id in _due(schedules, due)
    moved = schedules.move(coffee, "every weekday at 9", due)
    assert coffee.id not in _due(schedules, due + timedelta(minutes=1))
    assert moved.upcoming(due)[0] == due + timedelta(hours=1)
    assert coffee.id in _due(schedules, due + timedelta(hours=1))


def _due(schedules: Schedules, now: datetime) -> set[str]:
    return {run.schedule_id for run in schedules.collect(now).due}


@pytest.mark.parametrize(
    "line",
    ["cancel that", "oh no, never mind", "delete that schedule", "scrap it please", "取消刚才那个", "算了"],
)
def test_what_was_scheduled_just_now_is_taken_back_by_the_next_line(
    conversation: Conversation, schedules: Schedules, line: str
) -> None:
    target = find_meant(route(line), schedules)
    assert "brings it back" in conversation.reply(target).text or has_chinese(line)
    assert [each.instruction for each in schedules.all()] == [
        instruction for _times, instruction in _KEPT[:2]
    ]


@each("line", ["cancel that", "scrap it please", "取消刚才那个", "not on fridays", "make it 9"])
@pytest.mark.parametrize("outcome", [Outcome.SUCCESS, Outcome.CANCELLED, Outcome.FAILED])
def test_behind_a_turn_however_it_ended_no_schedule_is_pointed_at(
    store: Store, schedules: Schedules, line: str, outcome: Outcome
) -> None:
    started = NOW + timedelta(minutes=1)
    ended_turn(store, outcome, "", "It may wait there.", said="get me a big coffee", started=started)
    assert find_meant(route(line), schedules, NOW + timedelta(minutes=2)).kind is not RouteKind.SCHEDULE


def test_days_behind_a_turn_may_be_those_of_the_schedule_before_it(
    conversation: Conversation, store: Store, schedules: Schedules
) -> None:
    before, started = schedules.all(), NOW + timedelta(minutes=1)
    ended_turn(store, Outcome.SUCCESS, "", "Done.", said="play some jazz", started=started)
    reply = conversation.reply(find_meant(route("but not on fridays"), schedules, NOW + timedelta(minutes=2)))
    assert reply.offer == "/schedule change 3 except fridays"
    assert "order my usual coffee" in reply.text
    assert schedules.all() == before


@each(
    "line", ["go cancel it in eats too so they dont make it", "cancel my coffee request", "stop that in maps"]
)
def test_what_names_something_else_ends_no_schedule(schedules: Schedules, line: str) -> None:
    assert find_meant(route(line), schedules).kind is not RouteKind.SCHEDULE


@pytest.mark.parametrize(("between", "goes"), [("what did I order last week", False), ("thanks", True)])
def test_only_the_line_behind_a_schedule_ends_it_without_its_name(
    conversation: Conversation, schedules: Schedules, between: str, goes: bool
) -> None:
    ask(conversation, "every day at 9 play some jazz")
    ask(conversation, between)
    reply = conversation.reply(find_meant(route("cancel that"), schedules))
    assert ("play some jazz" in [kept.instruction for kept in schedules.all()]) is not goes
    assert reply.offer == ("" if goes else f"/schedule remove {len(_KEPT) + 1}")


@pytest.mark.parametrize("line", ["cancel that", "算了", "取消刚才那个"])
def test_later_or_in_a_turn_nothing_scheduled_is_meant_by_it(schedules: Schedules, line: str) -> None:
    target = route(line)
    assert find_meant(target, schedules, NOW + timedelta(minutes=30)) == target
    if target.kind is RouteKind.CANCEL:
        assert find_meant(target, schedules, running=True) == target


def test_what_the_program_keeps_by_itself_lies_not_between(store: Store, schedules: Schedules) -> None:
    before = schedules.latest(NOW)
    with store.change("Keep the record of a turn", "the turn ended") as change:
        record = Record(id="r", user_id="me", time=NOW, instruction="order tea")
        change.insert_missing(schema.records, [record.as_row()])
    assert before
    assert schedules.latest(NOW) == before


def test_days_are_left_out_of_a_schedule_in_its_own_language(
    conversation: Conversation, schedules: Schedules
) -> None:
    schedules.add("每天晚上十点", "提醒我吃药", NOW, "Europe/Berlin")
    assert "每周一、周二、周三、周四、周五22:00" in _say(conversation, schedules, "周末不用")
    assert "changed" not in _say(conversation, schedules, "周末不用").casefold(), "no such day is left"


def test_a_schedule_that_a_model_is_told_of_is_changed_without_the_phone(
    conversation: Conversation, schedules: Schedules
) -> None:
    assert conversation.schedules()[-1] == "every day at 18:30: play the evening podcast"
    assert len(conversation.schedules()) == len(schedules.all())
    context = LineContext(NOW, schedules=conversation.schedules())
    for line, restated in (
        ("the podcast is better at 19:00", "every day at 19:00 play the evening podcast"),
        ("ugh leave the podcast out this friday", "leave out the evening podcast this friday"),
    ):
        reading = LineReading(kind=LineKind.FOLLOW_UP, restated=restated, sources=("s3",))
        taken = take_reading(line, reading, context)
        assert taken.route is not None
        assert taken.route.kind is RouteKind.SCHEDULE
        assert taken.route.rest == restated
    unsaid = reading.model_copy(update={"restated": "every day at 7 play the evening podcast"})
    assert take_reading(line, unsaid, context) == TakenReading()


@each(
    ("made", "line", "words"),
    [
        (
            "every morning at 7 tell me the weather",
            "not on weekends tho, and 15 min earlier",
            "every monday, tuesday, wednesday, thursday and friday at 06:45: tell me the weather",
        ),
        (
            "tomorrow at 6pm get me a cab home cheapest",
            "actually half past 6, and only if its under 30",
            "2026-03-12 18:30: get me a cab home cheapest, only if its under 30",
        ),
        (
            "每天22:50播放瓦上月",
            "周末就不用了，提前十分钟",
            "每周一、周二、周三、周四、周五22:40: 播放瓦上月",
        ),
        ("every day at 8 order tea", "make it 9, if you can", "every day at 09:00: order tea"),
        # Another order behind the change is none of it: the whole line goes on to be understood.
        ("每天22:50播放瓦上月", "改成六点半吧 再设个六点的闹钟提醒我出门", ""),
    ],
)
def test_each_clause_of_a_change_is_taken_or_none(
    conversation: Conversation, store: Store, made: str, line: str, words: str
) -> None:
    schedules = Schedules(store, "me")
    for kept in schedules.all():
        schedules.remove(kept)
    conversation.reply(route(f"/schedule {made}"))
    target = find_meant(route(line), schedules)
    assert (target.kind is RouteKind.SCHEDULE) is bool(words)
    if words:
        said = conversation.reply(target).text
        assert [each.words for each in schedules.all()] == [words]
        assert words.rpartition(": ")[2] in said

"""A schedule is given other times by saying so; what lies on the phone is moved there."""

from __future__ import annotations

from datetime import timedelta

import pytest

from assistant.conversation.line_reading import LineContext, take_reading
from assistant.conversation.line_words import LineKind, LineReading
from assistant.conversation.periods import read_change
from assistant.conversation.routing import RouteKind, route
from assistant.conversation.service import Conversation
from assistant.events import Cause
from assistant.history import PastTurns
from assistant.memory import schema
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint
from assistant.proactive.schedules import Schedules
from assistant.records import Outcome, Record
from assistant.understand.model_reading import describe_turn
from tests.tables import each

from .past import NEWS, NOW, ask, change_schedule, ended_turn, find_due, find_meant
from .readings import Model, as_answer, come_to


@pytest.mark.parametrize(
    ("line", "times"),
    [
        ("make it 9 instead", "every weekday at 09:00"),
        ("at 9 instead", "every weekday at 09:00"),
        ("instead make it 9:30", "every weekday at 09:30"),
        ("no, change it to half past nine please", "every weekday at 09:30"),
        ("move it to 7 am", "every weekday at 07:00"),
        ("make it 9 pm", "every weekday at 21:00"),
        ("make it half past nine in the evening", "every weekday at 21:30"),
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
    reply = change_schedule(conversation, schedules, line)
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
    assert says in change_schedule(conversation, schedules, line)
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
    meant = find_meant(route(line), schedules)
    assert meant.kind is not RouteKind.SCHEDULE or meant.rest.startswith("? ")  # It is asked about then.


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
    assert times in change_schedule(conversation, schedules, line)
    assert schedules.all()[place].times == times


def test_a_single_time_keeps_its_day(conversation: Conversation, schedules: Schedules) -> None:
    added = schedules.add("tomorrow at 8", "call mom", NOW, "Europe/Berlin")
    assert "09:15" in change_schedule(conversation, schedules, "make it 9:15 instead")
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
    assert not reply.is_answered
    assert schedules.all() == before


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
    schedules.add(*NEWS, NOW, "Europe/Berlin")
    before = schedules.all()
    assert "every monday, tuesday, wednesday and thursday at 18:15: navigate" in change_schedule(
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
    if NEWS[0] not in [kept.times for kept in schedules.all()]:
        schedules.add(*NEWS, NOW, "Europe/Berlin")
    before = schedules.all()
    reply = conversation.reply(find_meant(route(line), schedules))
    assert reply.text.startswith("Nothing was changed.")
    assert told in reply.text
    assert not reply.is_answered
    assert schedules.all() == before


def test_what_is_not_to_be_done_to_a_schedule_orders_nothing(
    conversation: Conversation, schedules: Schedules
) -> None:
    change_schedule(conversation, schedules, "skip this friday")
    before = schedules.all()
    for line in ("don't skip it", "no, dont cancel it", "别跳过", "别取消了", "don't move it"):
        reply = change_schedule(conversation, schedules, line)
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
    assert "may be a single day" in change_schedule(conversation, schedules, "not on monday, on saturday")
    assert schedules.all() == before
    schedules.add("every monday at 9", "order tea", NOW, "Europe/Berlin")
    assert "every saturday at 09:00" in change_schedule(conversation, schedules, "不要周一 要周六")


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


@each("line", ["run the coffee schedule now", "i like the coffee schedule", "is the coffee schedule on"])
def test_what_wishes_no_change_of_a_schedule_goes_on_as_it_is(schedules: Schedules, line: str) -> None:
    assert find_meant(route(line), schedules) == route(line)


@each("line", ["so the coffee comes at 8 on weekdays, right", "make sure I get coffee"])
def test_a_schedule_restated_as_it_is_changes_nothing(schedules: Schedules, line: str) -> None:
    schedules.remove(schedules.all()[1])
    assert read_change(line, "every weekday at 8 order my usual coffee", schedules, NOW) == ("", False)


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
    assert coffee.id in find_due(schedules, due)
    moved = schedules.move(coffee, "every weekday at 9", due)
    assert coffee.id not in find_due(schedules, due + timedelta(minutes=1))
    assert moved.upcoming(due)[0] == due + timedelta(hours=1)
    assert coffee.id in find_due(schedules, due + timedelta(hours=1))


def test_days_behind_a_turn_may_be_those_of_the_schedule_before_it(
    conversation: Conversation, store: Store, schedules: Schedules
) -> None:
    before, started = schedules.all(), NOW + timedelta(minutes=1)
    ended_turn(store, Outcome.SUCCESS, "", "Done.", said="play some jazz", started=started)
    reply = conversation.reply(find_meant(route("but not on fridays"), schedules, NOW + timedelta(minutes=2)))
    assert reply.offer == "/schedule change 3 except fridays"
    assert "order my usual coffee" in reply.text
    assert schedules.all() == before


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
    assert "每周一、周二、周三、周四、周五22:00" in change_schedule(conversation, schedules, "周末不用")
    again = change_schedule(conversation, schedules, "周末不用")
    assert "changed" not in again.casefold(), "no such day is left"


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
    refused = take_reading(line, unsaid, context).route
    assert refused is not None
    assert (refused.kind, refused.rest) == (RouteKind.SCHEDULE, "")  # It is asked about, and not the phone's.


CALL = "给高医生打电话,问问周四下午四点以后能不能给妮妮约牙医"


@each(
    ("line", "kind", "restated", "times", "told"),
    [
        # By how long it moves, whatever time of day beside that says why.
        (
            "牙医那个电话往前挪二十分钟吧 九点半我要开会",
            "follow_up",
            "把给高医生打电话的定时改到8:40",
            "08:40",
            "已更改",
        ),
        ("牙医那个电话往前挪二十分钟吧 九点半我要开会", "follow_up", f"明天8:40{CALL}", "08:40", "已更改"),
        ("打给牙医那个改成8:40", "follow_up", "把给高医生打电话的定时改到8:40", "08:40", "已更改"),
        # Another time than the line says, the other way, and an end are only offered or asked about.
        (
            "牙医那个电话往前挪二十分钟吧 九点半我要开会",
            "follow_up",
            "把给高医生打电话的定时改到9:30",
            "09:00",
            "change {}",
        ),
        (
            "牙医那个电话往前挪二十分钟吧",
            "follow_up",
            "把给高医生打电话的定时改到9:20",
            "09:00",
            "没有做任何更改",
        ),
        (
            "牙医那个电话往后推二十分钟吧",
            "follow_up",
            "把给高医生打电话的定时改到8:40",
            "09:00",
            "没有做任何更改",
        ),
        ("那个牙医电话不用打了", "take_back", "取消给高医生打电话的定时", "09:00", "remove {}"),
        # A question is answered from them.
        (
            "欸那给高医生打电话那个呢 你没记啊？",
            "question",
            "你什么时候给高医生打电话",
            "09:00",
            "3月12日 周四 09:00",
        ),
    ],
)
async def test_a_schedule_that_a_model_cites_is_changed_or_told_and_never_the_phones(
    conversation: Conversation,
    schedules: Schedules,
    line: str,
    kind: str,
    restated: str,
    times: str,
    told: str,
) -> None:
    call = schedules.add("2026-03-12 09:00", CALL, NOW - timedelta(seconds=30), "UTC")
    before = {each.id: each.times for each in schedules.all()}
    resolved, asked = await come_to(conversation, line, Model(as_answer(kind, restated, "b1", "s1")))
    assert resolved.is_answered
    assert told.format(call.number) in resolved.not_begun
    assert asked == []
    after = {each.id: each.times for each in schedules.all()}
    assert after.pop(call.id).endswith(times)
    assert after == {key: value for key, value in before.items() if key != call.id}
    schedules.remove(next(each for each in schedules.all() if each.id == call.id))


@each(
    ("line", "is_told"),
    [
        ("我明天都有啥安排 几点干啥 你帮我捋捋", True),
        ("show me my plans for thursday", True),
        ("what's on tomorrow", True),
        ("set an alarm for 7 tomorrow", False),
        ("what's the capital of France", False),
    ],
)
async def test_who_looks_on_the_phone_what_is_planned_is_told_of_the_schedules(
    conversation: Conversation, schedules: Schedules, line: str, is_told: bool
) -> None:
    resolved, _asked = await come_to(conversation, line, Model(""))
    assert ('Thu 12 Mar 08:00 "order my usual coffee"' in resolved.reference) is is_told


@each(
    ("line", "calls"),
    [
        ("podcast a bit earlier please", 1),
        ("play the evening podcast", 0),
        ("play some jazz", 0),
        ("order pizza", 0),
    ],
)
async def test_a_model_reads_what_has_a_word_of_a_schedule_and_orders_nothing_whole(
    conversation: Conversation, schedules: Schedules, line: str, calls: int
) -> None:
    model = Model(as_answer("follow_up", "every day at 18:00 play the evening podcast", "s3"))
    resolved, _asked = await come_to(conversation, line, model)
    assert len(model.told) == calls
    assert resolved.is_answered is (calls == 1)
    assert "18:30" in schedules.all()[0].times


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


def test_what_was_put_off_is_told_as_scheduled_with_the_times_that_it_has_now(
    conversation: Conversation, store: Store, schedules: Schedules
) -> None:
    said = "call the dentist tomorrow at nine"
    ended_turn(
        store,
        Outcome.CANCELLED,
        "call the dentist",
        "Put off until Thu 12 Mar 09:00: call the dentist.",
        said=said,
        cause=Cause.PUT_OFF,
        started=NOW - timedelta(seconds=20),
    )
    store.records.add(
        [Record(id="t1", user_id="me", time=NOW, instruction="call the dentist", outcome=Outcome.CANCELLED)]
    )
    turns = PastTurns(store, "me")
    assert turns.newest(1)[0].ended == "put off"
    call = schedules.add("2026-03-12 09:00", "call the dentist", NOW - timedelta(seconds=20), "UTC")
    schedules.move(call, "2026-03-12 08:40", NOW)
    told = describe_turn(conversation.earlier_turns("", every=True)[0], NOW)
    assert told["ended"] == "scheduled: 2026-03-12 08:40"
    assert "09:00" not in str(told)
    schedules.remove(call)
    assert describe_turn(conversation.earlier_turns("", every=True)[0], NOW)["ended"] == "cancelled"


@each(
    ("line", "is_asked"),
    [
        ("skip friday, make it sunday", True),
        ("make it 9, and 15 min earlier", True),
        ("make it nine, no wait ten", True),
        # What orders something besides is a command, and what is said whole is done.
        ("skip friday, and order pizza", False),
        ("make it 9, set an alarm for 8", False),
        ("周五不用了，改成周日", False),
    ],
)
def test_two_changes_of_which_it_is_not_certain_what_they_come_to_are_asked_about(
    schedules: Schedules, line: str, is_asked: bool
) -> None:
    meant = find_meant(route(line), schedules)
    asked = meant.kind is RouteKind.SCHEDULE and meant.rest == f"? {schedules.all()[-1].id}"
    assert asked is is_asked

"""A line changes what was made before: a schedule at once, what lies on the phone by an offered command."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from assistant.agent.context import AskAboutCommand, ResolvedCommand, RunLookup
from assistant.conversation.amendments import find_made, read_follow_up, tell_on_phone
from assistant.conversation.line_words import FollowUp, FollowUpKind
from assistant.conversation.routing import Route, RouteKind, route
from assistant.conversation.service import Conversation
from assistant.factories import TurnLineResolver
from assistant.history import PastTurns
from assistant.memory.store import Store
from assistant.proactive.schedule_times import find_time_to_come
from assistant.proactive.schedules import Schedules
from assistant.records import Outcome
from assistant.understand.perceive import ORDER_GATE, Leaning, order_probability, read_leaning
from tests.tables import each

from .past import NOW, ask, ended_turn, find_meant


@pytest.fixture
def schedules(store: Store) -> Schedules:
    return Schedules(store, "me")


def _say(conversation: Conversation, schedules: Schedules, line: str) -> str:
    return conversation.reply(find_meant(route(line), schedules)).text


@pytest.mark.parametrize(
    ("times", "line", "after"),
    [
        ("every saturday at 10", "sundays as well", "every saturday and sunday at 10:00"),
        ("every day at 4pm", "actually skip weekends", "wednesday, thursday and friday at 16:00"),
        ("every sunday at 9", "an hour later please", "every sunday at 10:00"),
        ("every weekday at 8", "hm no, half past is better", "every weekday at 08:30"),
        ("tomorrow at 6pm", "make it 7 instead", "19:00"),
        ("每天晚上十点", "太晚了 改到九点半", "每天21:30"),
        ("每周六上午十点", "周日也要", "每周六、周日10:00"),
        ("每天下午三点", "周末就不用了", "周五15:00"),
        ("每个工作日早上八点半", "八点半太早了 挪到九点", "每个工作日09:00"),
        ("每周日早上九点", "晚半个小时", "09:30"),
        ("每周五下午三点", "改到周六", "每周六下午三点"),
        ("every friday at 3pm", "make it saturday", "every saturday at 3pm"),
    ],
)
def test_the_schedule_made_last_gets_other_days_or_times(
    conversation: Conversation, schedules: Schedules, times: str, line: str, after: str
) -> None:
    schedules.add(times, "play some jazz", NOW, "Europe/Berlin")
    before = schedules.all()
    ask(conversation, "thanks")
    ask(conversation, "remember that I am allergic to nuts")
    assert after in _say(conversation, schedules, line)
    ask(conversation, "undo")
    assert schedules.all() == before


@pytest.mark.parametrize(
    ("follow_up", "change", "places"),
    [
        (FollowUp(FollowUpKind.CANCEL, name="the jazz one"), "remove {0}", [0]),
        (FollowUp(FollowUpKind.CANCEL, is_all=True), "remove {1},{0}", [1, 0]),
        (FollowUp(FollowUpKind.DROP, "mondays"), "change {1} except mondays", [1]),
        (FollowUp(FollowUpKind.RESTORE, name="the jazz one"), "", []),
    ],
)
def test_what_is_about_schedules_tells_which_and_how_they_change(
    store: Store, schedules: Schedules, follow_up: FollowUp, change: str, places: list[int]
) -> None:
    orders = ("play jazz", "dim it")
    ids = [schedules.add("every day at 9", order, NOW, "Europe/Berlin").id for order in orders]
    made = find_made(follow_up, schedules, PastTurns(store, "me"), NOW)
    assert (made.change, list(made.ids)) == (change.format(*ids), [ids[place] for place in places])


def _not_certain(line: str, schedules: Schedules) -> Route:
    """The route of a line behind another that was answered, so that nothing is done on the phone at once."""
    return find_meant(route(line), schedules, NOW + timedelta(minutes=2), answered=NOW + timedelta(minutes=1))


@pytest.mark.parametrize(
    ("line", "verb"),
    [
        ("put the jazz one on hold for now", "Paused"),
        ("那个jazz的先停了吧 下周我出差", "已暂停"),
        ("cancel the jazz one", "Removed"),
        ("刚才定的都取消掉", "已删除"),
    ],
)
def test_a_schedule_is_paused_or_removed_by_a_word_of_it(
    conversation: Conversation, schedules: Schedules, line: str, verb: str
) -> None:
    schedules.add("every day at 9", "play some jazz", NOW, "Europe/Berlin")
    reply = _say(conversation, schedules, line)
    assert verb in reply
    assert not [each for each in schedules.all() if not each.paused]
    ask(conversation, "undo")
    assert [each for each in schedules.all() if not each.paused]


def test_a_word_that_the_only_schedule_does_not_say_is_asked_about(
    conversation: Conversation, schedules: Schedules
) -> None:
    added = schedules.add("每天八点", "帮我点杯美式", NOW, "Europe/Berlin")
    reply = conversation.reply(find_meant(route("那个咖啡的先停了吧"), schedules))
    assert reply.offer == f"/schedule pause {added.number}"
    assert schedules.all() == [added]


@pytest.mark.parametrize(
    ("said", "line", "offer"),
    [
        ("wake me 6.45 tomorrow", "hm no 7 is enough", "change the 06:45 alarm that rings once to 07:00"),
        ("set an alarm for 6:30", "make that 6:50", "change the 06:30 alarm that rings once to 06:50"),
        ("set an alarm for 7 am", "and on saturday too", "set an alarm for 07:00 on saturday"),
        ("set an alarm for 7 am", "and every weekday as well", "set an alarm for 07:00 every weekday"),
        ("set an alarm for 7 am", "delete it", "turn off the 07:00 alarm that rings once"),
        ("明天早上七点叫我起床", "改成七点半吧 周末再睡会", "把只响一次的07:00闹钟改成07:30"),
        ("明早六点半闹钟叫我", "太早了 六点五十", "把只响一次的06:30闹钟改成06:50"),
        ("明早六点半闹钟叫我", "后天呢 也要的", "设一个后天06:30的闹钟"),
        ("明早六点半闹钟叫我", "不用叫了", "关掉只响一次的06:30闹钟"),
        (
            "remind me to take out the trash at 5pm",
            "cancel the trash one",
            "delete the reminder “take out the trash”",
        ),
        (
            "remind me to take the bins out tmrw at 7",
            "no, make the bins one 6:30",
            "change the reminder “take the bins out” to 06:30",
        ),
        (
            "remind me to take the bins out tmrw at 7",
            "make that 6:30 actually",
            "change the reminder “take the bins out” to 06:30",
        ),
        (
            "wake me up at 6 every weekday",
            "i said not on fridays",
            "change the 06:00 alarm that repeats (every weekday) to every monday, tuesday, wednesday and "
            "thursday",
        ),
        ("wake me up at 6 every weekday", "and on saturday at 9", "set an alarm for 09:00 on saturday"),
        (
            "每个工作日六点叫我起床",
            "我说了周五不要",
            "把重复的06:00闹钟（每个工作日）改成每周一、周二、周三、周四",
        ),
        ("每个工作日六点叫我起床", "还有周六九点", "设一个周六09:00的闹钟"),
        ("明天早上七点提醒我倒垃圾", "倒垃圾那个还是六点半吧", "把“倒垃圾”的提醒改成06:30"),
        (
            "wake me 6.45 tomorrow",
            "make it monday at 9",
            "change the 06:45 alarm that rings once to monday at 9",
        ),
        ("周五下午三点提醒我倒垃圾", "改到周六", "把“倒垃圾”的提醒改成周六"),
        # What an entry is called only the phone knows: the command that made it says which is meant.
        (
            "周五下午三点加个日程去看牙医",
            "改成四点吧",
            "把“周五下午三点加个日程去看牙医”所建的那一条改成16:00",
        ),
        (
            "put dentist on my calendar friday 3pm",
            "make it 4 instead",
            "change the entry that was made for “put dentist on my calendar friday 3pm” to 16:00",
        ),
        (
            "remind me friday at 3pm to see the dentist",
            "delete it",
            "delete the entry that was made for “remind me friday at 3pm to see the dentist”",
        ),
        (
            "schedule a meeting with Tom on friday at 3",
            "make it 4 instead",
            "change the entry that was made for “schedule a meeting with Tom on friday at 3” to 4:00",
        ),
    ],
)
def test_what_lies_on_the_phone_is_changed_by_the_command_that_is_offered(
    conversation: Conversation, store: Store, schedules: Schedules, said: str, line: str, offer: str
) -> None:
    ended_turn(store, Outcome.SUCCESS, said, "Done.", said=said)
    reply = conversation.reply(_not_certain(line, schedules))
    assert reply.offer == offer
    assert offer in reply.text
    assert find_meant(route(offer), schedules, NOW + timedelta(minutes=2)).kind is RouteKind.COMMAND


@each(
    ("said", "line", "command"),
    [
        ("set an alarm for 7", "make it 7:15", "change the 07:00 alarm that rings once to 07:15"),
        ("set an alarm for 7", "no, 7:15 please", "change the 07:00 alarm that rings once to 07:15"),
        ("wake me at 7 tomorrow", "10 minutes earlier", "change the 07:00 alarm that rings once to 06:50"),
        ("明早七点叫我起床", "改成七点一刻", "把只响一次的07:00闹钟改成07:15"),
        ("明早七点叫我起床", "太早了，七点半吧", "把只响一次的07:00闹钟改成07:30"),
        ("set an alarm for 7 am", "and on saturday too", "set an alarm for 07:00 on saturday"),
        (
            "remind me to water the plants at 5pm",
            "make it 6",
            "change the reminder “water the plants” to 18:00",
        ),
        # Several times, an entry of which only the phone knows the name, a half of the day, and no alarm.
        ("set alarms for 7 and 8", "make it 7:15", ""),
        ("remind me to water the plants at 5", "an hour later", ""),
        ("remind me to water the plants at 5", "make it 7:15", ""),
        ("put dentist on my calendar friday 3pm", "make it 4 instead", ""),
        ("set an alarm for 7", "make it 2", ""),
        ("set an alarm for 7", "make it louder", ""),
        ("set an alarm for 7", "a bit later", ""),
        ("set an alarm for 7", "delete it", ""),
        ("wake me every weekday at 7", "not on fridays", ""),
        ("order two pizzas", "make it 3", ""),
        ("text mom that i come at 7", "make it 7:15", ""),
        ("set an alarm for 7", "make the 8 o'clock one 7:15", ""),
        # A message, somebody else's alarm, and a turn that set nothing.
        ("text Anna: wake me at 7 am", "make it 7:15", ""),
        ("text Anna to set an alarm for 7 am", "make it 7:15", ""),
        ("给Anna发消息说明早七点叫我", "改成七点一刻", ""),
        ("打电话叫我弟七点来", "改成七点一刻", ""),
        ("delete the 7:00 alarm", "make it 8:15", ""),
        ("is the 7 am alarm on", "make it 8:15", ""),
        # A line that says more than one change, takes it back, or does not say a time of day.
        ("set an alarm for 7 am", "7:30 would be better, but leave it", ""),
        ("set an alarm for 7 am", "make it 7:30 and 8:15", ""),
        ("set an alarm for 7 am", "make it 7:30 on friday", ""),
        ("set an alarm for 7 am", "push it 15", ""),
        ("set an alarm for 7 am", "make it two", ""),
        ("wake me up at 6 every weekday", "make it 7:15 tomorrow", ""),
        ("remind me to take out the trash at 5pm", "and on sunday at 9", ""),
        ("set an alarm for 7 am", "make it seven thirty", "change the 07:00 alarm that rings once to 07:30"),
    ],
)
def test_what_the_turn_just_before_set_is_changed_at_once_where_that_is_certain(
    store: Store, conversation: Conversation, schedules: Schedules, said: str, line: str, command: str
) -> None:
    ended_turn(store, Outcome.SUCCESS, said, "Done.", said=said)
    assert conversation.change_on_phone(line, "now") == command
    target = find_meant(route(line), schedules, NOW + timedelta(minutes=2))
    assert target == Route(RouteKind.COMMAND, line) if command else target.text == line
    assert not command or _not_certain(line, schedules).kind is RouteKind.CORRECTION
    assert find_meant(route(line), schedules, running=True) == route(line)


@each(
    "said, line, command",
    [
        (
            "remind me at 5 pm to test the smoke alarm",
            "cancel that",
            "delete the entry that was made for “remind me at 5 pm to test the smoke alarm”",
        ),
        ("提醒我下午五点买个闹钟", "取消那个提醒", "删除“提醒我下午五点买个闹钟”所建的那一条"),
        ("set an alarm for 5 pm for my meeting", "cancel that", "turn off the 17:00 alarm that rings once"),
    ],
)
def test_a_reminder_about_an_alarm_is_none(store: Store, said: str, line: str, command: str) -> None:
    ended_turn(store, Outcome.SUCCESS, said, "Done.", said=said)
    assert tell_on_phone(line, Schedules(store, "me"), PastTurns(store, "me"), NOW)[1] == command


@each(
    "line",
    [
        "make it 7:15, no leave it",
        "move it to 7:15, wait no",
        "7:15 would be better, never mind",
        "make it 7:15, or rather not",
        "改成七点一刻，算了",
        "改成七点一刻，还是别改了",
        "七点一刻更好，不过不用改",
    ],
)
def test_a_change_that_the_same_line_takes_back_is_none(line: str) -> None:
    assert read_follow_up(line, NOW) is None


def test_what_was_changed_is_known_by_what_the_turn_carried_out(
    store: Store, conversation: Conversation, schedules: Schedules
) -> None:
    changed = "change the 07:00 alarm that rings once to 08:00"
    started = NOW - timedelta(minutes=5)
    ended_turn(store, Outcome.SUCCESS, "", "Done.", said="set an alarm for 7", started=started, turn_id="t0")
    ended_turn(store, Outcome.SUCCESS, changed, "Done.", said="make it 8")
    assert conversation.change_on_phone("no, 8:30", "now") == ""
    assert "07:00" not in conversation.reply(_not_certain("no, 8:30", schedules)).text


def test_the_change_of_a_fresh_alarm_is_shown_and_carried_out_as_a_command_of_its_own(
    store: Store, conversation: Conversation
) -> None:
    async def resolve(command: str, look_up: RunLookup, ask_user: AskAboutCommand) -> ResolvedCommand:
        return ResolvedCommand(command)

    async def nobody(*_args: object, **_how: object) -> str:
        raise AssertionError

    ended_turn(store, Outcome.SUCCESS, "", "Done.", said="set an alarm for 7")
    resolver = TurnLineResolver(resolve, None, lambda: conversation, "now", asks=True)
    resolved = asyncio.run(resolver("make it 7:15", nobody, nobody))
    assert (resolved.instruction, resolved.assumed) == (
        "change the 07:00 alarm that rings once to 07:15",
        True,
    )


@pytest.mark.parametrize(
    ("before", "outcome"),
    [
        ("wake me at 6", Outcome.SUCCESS),
        ("", Outcome.UNCONFIRMED),
        ("", Outcome.FAILED),
        ("", Outcome.CANCELLED),
    ],
)
def test_of_several_alarms_or_of_one_that_may_not_be_set_none_is_changed_at_once(
    store: Store, conversation: Conversation, before: str, outcome: Outcome
) -> None:
    said, started = before or "play jazz", NOW - timedelta(minutes=5)
    ended_turn(store, Outcome.SUCCESS, "", "Done.", said=said, started=started, turn_id="t0")
    ended_turn(store, outcome, "", "Done.", said="set an alarm for 7")
    assert conversation.change_on_phone("make it 7:15", "now") == ""


@pytest.mark.parametrize(
    ("said", "answer", "line", "offer"),
    [
        # What the phone has is told, not what was said.
        (
            "set an alarm for 6:45 on weekdays",
            "The alarm is set: 06:45 · Sat, Sun",
            "hmm no, 6:30 rather",
            "change the 06:45 alarm that repeats (Sat, Sun) to 06:30",
        ),
        (
            "wake me at 7 every weekday",
            "Set: 7:00 am · Work.",
            "delete it",
            "turn off the 07:00 alarm that repeats (Work)",
        ),
        (
            "每个工作日六点叫我起床",
            "闹钟已设好：06:00 · 起床 周一, 周二",
            "改成六点半",
            "把重复的06:00闹钟（起床 周一, 周二）改成06:30",
        ),
        # All of the days between two are said, and a sentence around them is no row of the phone.
        ("每周一到周五7点闹钟", "好了。", "改成七点半", "把重复的07:00闹钟（每周一到周五）改成07:30"),
        (
            "set an alarm for 7 every monday to friday",
            "Done.",
            "make it 7:30",
            "change the 07:00 alarm that repeats (every monday to friday) to 07:30",
        ),
        (
            "wake me at 7 every weekday",
            "7:00 · weekdays set",
            "make it 7:30",
            "change the 07:00 alarm that repeats (every weekday) to 07:30",
        ),
        # Once more, it is the same alarm.
        (
            "change the 06:45 alarm that repeats (Sat, Sun) to 06:30",
            "Done.",
            "ten minutes earlier",
            "change the 06:30 alarm that repeats (Sat, Sun) to 06:20",
        ),
        (
            "set an alarm for 6:30",
            "Done.",
            "half an hour later pls",
            "the 06:30 alarm that rings once to 07:00",
        ),
        # The half of the day is the one that the phone has.
        ("1点叫我拿外卖", "已设 13:00 的闹钟。", "改成12点50吧", "把只响一次的13:00闹钟改成12:50"),
        ("set an alarm for 1:15", "Set for 1:15 PM.", "make it 12:50", "that rings once to 12:50"),
        # Which days it has is not certain.
        ("set an alarm for 6:45 every day but not on fridays", "Done.", "make it 7", "that repeats to 07:00"),
    ],
)
def test_of_several_alarms_of_a_time_the_one_set_last_is_told_by_its_days(
    conversation: Conversation,
    store: Store,
    schedules: Schedules,
    said: str,
    answer: str,
    line: str,
    offer: str,
) -> None:
    ended_turn(store, Outcome.SUCCESS, said, answer, said=said)
    offered = conversation.reply(_not_certain(line, schedules)).offer
    assert offered.endswith(offer)
    assert find_meant(route(offered), schedules, NOW + timedelta(minutes=2)).kind is RouteKind.COMMAND
    assert find_time_to_come(offered, NOW) is None


@each(
    ("answer", "line", "offer"),
    [
        (
            "I set an alarm for 09:10.",
            "ten minutes earlier",
            "change the 09:10 alarm that rings once to 09:00",
        ),
        (
            "Set for 09:10, 20 minutes early.",
            "make it 9:05",
            "change the 09:10 alarm that rings once to 09:05",
        ),
        ("I set an alarm for 09:10.", "an hour before is better", ""),
        ("The alarm is at 09:10, the meeting at 09:30.", "ten minutes earlier", ""),
        ("Done.", "ten minutes earlier", ""),
    ],
)
def test_how_long_before_something_is_no_time_of_day(
    conversation: Conversation, store: Store, schedules: Schedules, answer: str, line: str, offer: str
) -> None:
    said = "wake me tmrw 20 min before my first meeting"
    ended_turn(store, Outcome.SUCCESS, said, answer, said=said)
    offered = conversation.reply(_not_certain(line, schedules)).offer
    assert offered == offer if offer else "alarm that" not in offered


def test_an_alarm_that_nothing_tells_apart_is_not_changed_where_it_is_not_known_how_it_was_set(
    conversation: Conversation, store: Store, schedules: Schedules
) -> None:
    said = "set an alarm for 6:45 every day but not on fridays"
    ended_turn(store, Outcome.UNCONFIRMED, said, "Done.", said=said)
    assert "change" not in conversation.reply(find_meant(route("make it 7"), schedules)).offer


@each("line", ["a bit earlier", "早一点吧"])
def test_how_much_earlier_is_not_guessed(
    conversation: Conversation, store: Store, schedules: Schedules, line: str
) -> None:
    ended_turn(store, Outcome.SUCCESS, "set an alarm for 6:30", "Done.", said="set an alarm for 6:30")
    assert find_meant(route(line), schedules, NOW + timedelta(minutes=2)) == route(line)
    assert read_leaning(line) is Leaning.SURELY


@pytest.mark.parametrize(
    "line", ["no, the bins one was wrong", "hm that is not what I said", "no fridays please", "不是这样的"]
)
def test_what_does_not_say_so_deletes_and_switches_off_nothing(
    conversation: Conversation, store: Store, schedules: Schedules, line: str
) -> None:
    for said in ("remind me to take the bins out tmrw at 7", "wake me up at 6 every weekday"):
        ended_turn(store, Outcome.SUCCESS, said, "Done.", said=said)
        offer = conversation.reply(find_meant(route(line), schedules, NOW + timedelta(minutes=2))).offer
        assert not any(word in offer for word in ("delete", "turn off", "删除", "关掉"))


@pytest.mark.parametrize(
    ("line", "times"),
    [("and on saturday at 9:30", ("09:00", "09:30")), ("周六九点半也要", ("09:00", "09:30"))],
)
def test_days_that_are_added_with_their_time_have_no_other(
    conversation: Conversation, schedules: Schedules, line: str, times: tuple[str, ...]
) -> None:
    schedules.add("every weekday at 9", "play some jazz", NOW, "Europe/Berlin")
    _say(conversation, schedules, line)
    hours = [f"{each.upcoming(NOW, 1)[0]:%H:%M}" for each in schedules.all()]
    assert tuple(sorted(hours)) == times


@pytest.mark.parametrize("line", ["make it 9", "and tomorrow too", "明天呢 也来一个", "改成九点吧"])
def test_without_anything_made_before_nothing_is_begun(schedules: Schedules, line: str) -> None:
    assert find_meant(route(line), schedules).kind is RouteKind.CORRECTION


@pytest.mark.parametrize(
    "line",
    [
        "set an alarm for 9",
        "turn the volume to 9",
        "delete the photo",
        "stop the music",
        "取消订单",
        "换首歌",
        "add milk",
        "order a large coffee too",
        "text mom I'm late, friday is fine",
    ],
)
def test_another_command_is_none_about_what_was_made(
    conversation: Conversation, store: Store, schedules: Schedules, line: str
) -> None:
    ended_turn(store, Outcome.SUCCESS, "set an alarm for 7", "Done.", said="set an alarm for 7")
    schedules.add("every day at 9", "play some jazz", NOW, "Europe/Berlin")
    assert find_meant(route(line), schedules) == route(line)


def test_a_line_is_read_without_looking_at_the_memory() -> None:
    assert read_follow_up("make it two coffees", datetime(2026, 3, 11, 9, tzinfo=UTC)) is None


@pytest.mark.parametrize("line", ["what have I got scheduled", "whats on my schedule", "我都定了些啥"])
def test_what_is_scheduled_is_listed(conversation: Conversation, schedules: Schedules, line: str) -> None:
    schedules.add("every day at 9", "play some jazz", NOW, "Europe/Berlin")
    assert "play some jazz" in _say(conversation, schedules, line)


@each("line", ["后天呢 也要的", "tomorrow too", "明天也要"])
def test_what_says_nothing_but_a_day_is_no_command_that_waits_for_it(line: str) -> None:
    assert find_time_to_come(line, NOW) is None


@each("line", ["等下 今天不想吃那么辣的 换个清淡点的", "慢着 换成米饭", "hold on make that a large"])
def test_whoever_holds_up_a_turn_probably_speaks_of_it(line: str) -> None:
    target = route(line, running=True)
    assert target.is_remark
    assert not target.sure


def test_a_limit_forbids_nothing() -> None:
    assert order_probability("帮我交一下这个月电费 别超过200") > ORDER_GATE
    assert order_probability("don't order anything") < ORDER_GATE

"""Lines that order something at recurring times, and those that only speak of such times."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from assistant.conversation.line_reading import refuse_unclear_time
from assistant.conversation.line_words import split_start
from assistant.conversation.routing import Route, RouteKind, route
from assistant.conversation.service import Conversation
from assistant.conversation.setting_changes import find_unclear_time, run_schedule_words
from assistant.memory.store import Store
from assistant.proactive.schedule_times import split_times
from assistant.proactive.schedules import Schedules
from tests.tables import each

from .past import NOW
from .readings import Model, as_answer, come_to


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
        ("every friday at 8 put on my sleep music", None),
        ("every day at 7 resume my podcast", None),
        ("every friday at 20:00 mute the phone", None),
    ],
)
def test_an_order_at_recurring_times_is_a_schedule(line: str, kept: str | None) -> None:
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
        "every day at 8 ask me how i slept",
        "every friday at 8 stop",
        "every day at 7 the alarm rings",
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


@each(
    ("line", "times", "start"),
    [
        ("每周日晚上8点帮我点外卖，这周开始", "每周日晚上8点", ""),
        ("每天早上八点点咖啡，从周二开始", "每天早上八点", ""),
        ("从这周开始每周日晚上8点帮我点外卖", "每周日晚上8点", ""),
        ("every day at 8 order coffee starting tomorrow", "every day at 8", ""),
        ("every friday at 8 text mom that i am starting next week", "every friday at 8", ""),
        ("every sunday at 8 order pizza, starting next week", "", "every sunday at 8 order pizza"),
        ("starting next week, every sunday at 8 order pizza", "", "every sunday at 8 order pizza"),
        ("从下个月开始每周日晚上8点帮我点外卖", "", "每周日晚上8点帮我点外卖"),
    ],
)
def test_from_when_on_a_schedule_holds_is_no_part_of_its_order(line: str, times: str, start: str) -> None:
    """It is left out where the schedule comes no earlier, else the line is to be said without it."""
    assert route(line).kind is RouteKind.SCHEDULE
    assert find_unclear_time(line, datetime(2026, 11, 30, 12, tzinfo=UTC))[1] == start
    now = datetime(2026, 11, 30, 12, tzinfo=UTC)
    read = split_times(split_start(line, now)[1], now)
    assert read is not None
    assert read.times == (times or read.times)
    assert not any(word in read.instruction for word in ("开始", ", starting", "tomorrow"))


@each(
    "line",
    [
        "每天早上八点给妈妈发消息说明天开始放假",
        "每周五晚上八点给老板发消息说下周起的安排",
        "每天早上八点给妈妈发消息，说我下周开始上班",
        "每天八点播放从明天开始这首歌",
        "每天八点播放从明天开始",
        "每天八点播放明天起飞",
        "每天早上八点查一下后天起飞的航班",
        "每天晚上十点叫小王明天起床",
        "every friday at 6 play the album starting friday",
        "every monday at 8 order tickets for the show starting friday",
        "every monday at 8 order coffee beginning monday at 9",
        "every day at 8 text mom i am off starting tomorrow",
        "every day at 8 text mom i am off starting tomorrow so call me",
        "every day at 9 post 'starting tomorrow I diet' on facebook",
        "every monday at 8 email the team: starting next week we meet at 10",
        "every friday at 6 text Bob we are starting monday at 9, bring cake",
        "every monday at 9 look up flights starting friday from Berlin",
    ],
)
def test_from_when_on_something_told_played_or_booked_holds_stays_in_the_order(line: str) -> None:
    assert split_start(line, NOW) == ("", line)


@each(
    ("line", "timed"),
    [
        ("every friday order pizza at 8 pm", "every friday at 8 pm order pizza"),
        ("every friday order me at 8 a pizza", "every friday at 8 order me a pizza"),
        ("每周五帮我8点点披萨", "每周五8点点披萨"),
        ("每天下午点杯奶茶三点", "每天下午三点点杯奶茶"),
        ("every friday evening order pizza at 8", "every friday evening at 8 order pizza"),
        ("every friday: order pizza at 8", "every friday at 8 order pizza"),
        ("every monday and friday order coffee at 8", "every monday and friday at 8 order coffee"),
        # When it comes, and one of two hours, are asked for.
        ("每周五晚上帮我点披萨八点送到", "每周五12点晚上帮我点披萨八点送到"),
        ("every weekday order coffee at 8 or 9", "every weekday at 12:00 order coffee at 8 or 9"),
        ("every friday order pizza to arrive at 8", "every friday at 12:00 order pizza to arrive at 8"),
        ("every friday order pizza at 8 delivered", "every friday at 12:00 order pizza at 8 delivered"),
        # What is booked or said has its hour for itself.
        ("every friday book a table at 8", "every friday at 12:00 book a table at 8"),
        ("every friday text mom dinner is at 8", "every friday at 12:00 text mom dinner is at 8"),
    ],
)
def test_an_hour_behind_the_deed_is_offered_as_that_of_its_days(line: str, timed: str) -> None:
    target = refuse_unclear_time(route(line))
    assert target.kind is RouteKind.SCHEDULE
    assert find_unclear_time(target.rest, datetime(2026, 11, 30, 12, tzinfo=UTC))[1] == timed


def test_what_is_to_be_told_on_a_day_without_an_hour_is_asked_for_the_hour() -> None:
    target = refuse_unclear_time(route("from now on every friday tell me the weather"))
    assert target.kind is RouteKind.SCHEDULE
    asked = find_unclear_time(target.rest, datetime(2026, 11, 30, 12, tzinfo=UTC))[1]
    assert asked == "every friday at 12:00 tell me the weather"


def test_a_schedule_that_is_added_explicitly_may_pause_something(store: Store) -> None:
    schedules = Schedules(store, "me")
    for words in ("add every day at 8 pause the music", "add milk to the list every day at 9"):
        assert run_schedule_words(schedules, words, NOW)[2]
    instructions = sorted(schedule.instruction for schedule in schedules.all())
    assert instructions == [
        "add milk to the list",
        "pause the music",
    ]


@each(
    ("line", "times", "instruction"),
    [
        (
            "every day at 7am: tell me the weather, and if its gonna rain order a ride to the office for 8",
            "every day at 7am",
            "tell me the weather, and if its gonna rain order a ride to the office for 8",
        ),
        ("高医生一回微信就念给我听", "高医生一回微信就", "念给我听"),
        ("高医生要是回消息了就告诉我", "高医生要是回消息了就", "告诉我"),
        ("when dr moore replies, read it to me", "when dr moore replies", "read it to me"),
        # Nobody is named, it is asked, or it is what somebody is told.
        ("他一回微信就念给我听", "", ""),
        ("我妈回微信了没", "", ""),
        ("给高医生回微信说好的", "", ""),
        # A sender that is denied, or none, never writes.
        ("如果没人回消息就点外卖", "", ""),
        ("如果妈妈还没回消息，给她打电话", "", ""),
        ("别人回消息就告诉我", "", ""),
        ("只要回消息就告诉我", "", ""),
        ("if no one replies order pizza for 3", "", ""),
        ("if nobody answers text her again", "", ""),
        ("when nobody replies call mom", "", ""),
        # Who answers may answer the phone.
        ("when the doctor answers book a slot", "", ""),
        ("等别克店回消息了就告诉我", "等别克店回消息了就", "告诉我"),
    ],
)
def test_what_waits_for_a_time_or_a_message_is_scheduled(line: str, times: str, instruction: str) -> None:
    target = route(line)
    assert (target.kind is RouteKind.SCHEDULE) is bool(times)
    read = split_times(line, NOW, once=True)
    assert not times or (read is not None and (read.times, read.instruction) == (times, instruction))


@each(
    ("line", "offered"),
    [
        ("每天晚上快十一点给我放瓦上月吧", "每天晚上十一点给我放瓦上月吧"),
        ("every evening at about 9 play some jazz", "every evening at 9 play some jazz"),
        ("text mom that i come about 7 every day", ""),
        # What is told, or looked up, stays word for word.
        ("每天八点给妈妈发消息说大概九点到家", ""),
        ("every day at 8 text mom i'm there at about 9", ""),
        ("every day at 8 look up about 5 recipes", ""),
        (
            "every day at about 8 text mom i'm there at about 9",
            "every day at 8 text mom i'm there at about 9",
        ),
    ],
)
def test_an_inexact_hour_is_offered_as_the_hour_itself(
    conversation: Conversation, line: str, offered: str
) -> None:
    target = refuse_unclear_time(route(line))
    assert (conversation.reply(target).offer if target.kind is RouteKind.SCHEDULE else "") == offered


async def test_a_model_reads_what_misspelt_words_repeat_and_the_schedule_is_offered(
    conversation: Conversation, store: Store
) -> None:
    restated = "every morning at 7 tell me the weather and if it rains order a ride"
    line, model = restated.replace("morning", "mornig"), Model(as_answer("order", restated))
    resolved, _asked = await come_to(conversation, line, model)
    assert resolved.is_answered
    assert Schedules(store, "me").all() == []
    assert conversation.offer == restated
    await asyncio.to_thread(conversation.reply, route(conversation.offer))
    assert [kept.times for kept in Schedules(store, "me").all()] == ["every morning at 7"]


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
    assert not reply.is_answered


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
    assert (reply.is_answered, reply.offer) == (False, offer)
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
    assert reply.is_answered is is_done
    assert len(schedules.all()) == before + is_done
    assert is_done or words.startswith("change") or reply.offer.endswith(words.split(" every ")[0])


@each("rest", ["ask mom how she is every friday at 9", "restore the backup every sunday at 9pm"])
def test_a_deed_with_its_times_behind_it_is_scheduled_whatever_its_verb(
    conversation: Conversation, schedules: Schedules, rest: str
) -> None:
    reply = conversation.reply(Route(RouteKind.SCHEDULE, rest, rest=rest))
    assert reply.is_answered
    assert rest.split(" every")[0] in [kept.instruction for kept in schedules.all()]

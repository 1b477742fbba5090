"""What corrections make of a command that sends a message: of its words, and of who gets it."""

from __future__ import annotations

from assistant.agent.instruction_check import find_conflict
from assistant.conversation.routing import RouteKind, route
from assistant.events import ActionKind, Deed
from assistant.memory.turns import UserRemark
from assistant.skills.command_wording import ValueKind, find_values, read_correction
from tests.skills.test_command_wording import LATE, corrected, own
from tests.tables import each


@each(
    "remark",
    [
        "hmm make it thirty minutes",
        "make it thirty",
        "I'll be thirty minutes late, traffic is awful",
        "text her I'll be thirty minutes late, traffic is awful",
    ],
)
def test_a_number_in_a_message_is_corrected_there_and_the_recipient_stays(remark: str) -> None:
    assert corrected(LATE, remark) == ["text Susan Lin I'll be thirty minutes late, traffic is awful"]


@each(
    ("command", "remark", "meant"),
    [
        ("text mom see you soon", "yep but make it see u tmr", "text mom see u tmr"),
        ("text dad im at the gym", "say im at the office instead", "text dad im at the office"),
        ("text mom I'll be 20 min late", "say 30 minutes instead", "text mom I'll be 30 minutes late"),
        ("text dad im at the gym", "add that i'll be back at 6", "text dad im at the gym, i'll be back at 6"),
        ("text mom I'm late", "say sorry too", "text mom I'm late, sorry"),
        ("给妈妈发微信说我到了", "改成我快到了", "给妈妈发微信说我快到了"),
        ("给妈妈发微信说我七点到", "八点", "给妈妈发微信说我八点到"),
    ],
)
def test_the_text_of_a_message_is_said_anew_or_added_to(command: str, remark: str, meant: str) -> None:
    assert corrected(command, remark) == [meant]


@each(
    ("command", "remark", "meant"),
    [
        ("text Anna well done", "bye for now, say that too", "text Anna well done, bye for now"),
        ("text Anna well done", "also add: take care", "text Anna well done, take care"),
        ("给姐姐发消息：到家了", "晚安，这句也加上", "给姐姐发消息：到家了，晚安"),
        ("给姐姐发消息：到家了", "再添一句：明天见", "给姐姐发消息：到家了，明天见"),
    ],
)
def test_a_farewell_may_be_added_to_a_message(command: str, remark: str, meant: str) -> None:
    assert corrected(command, remark) == [meant]
    assert route(remark, running=True).kind is not RouteKind.PARTING


@each(
    "command",
    [
        "text mom that dad called no wait",
        "text mom no i can't come",
        "text mom i'll be there at 7 no worries",
        "text dad wait for me at the station",
        "tell mom i actually like the cake",
        "text tom sorry i meant friday",
        "call mom, she said no at 7:30",
        "order a latte, no straw",
        "remind me to say sorry to dad",
        "给妈妈发消息说不是我",
        "告诉爸爸不对的是他",
        "告诉妈妈我错了 对不起",
        "wake me at 7 not 8",
    ],
)
def test_what_a_message_says_is_no_correction(command: str) -> None:
    assert own(command) == []


def test_in_a_message_the_user_chooses_what_was_meant() -> None:
    command = "text mom dinner at 7 no 8"
    assert own(command) == ["text mom dinner at 8", command]


@each(
    ("command", "remark", "meant"),
    [
        ("text dad dinner is at 8", "write 9 not 8", ["text dad dinner is at 9"]),
        ("text dad dinner is at 8", "say 9 instead of 8", ["text dad dinner is at 9"]),
        ("text dad dinner is at 8", "say 9 not 5", []),
        ("text dad see you", "say 7", ["text dad 7", "text dad see you, 7"]),
        ("给爸爸发消息说我八点下班", "写成九点吧", ["给爸爸发消息说我九点下班"]),
        ("给爸爸发消息说我八点下班", "说九点，不是八点", ["给爸爸发消息说我九点下班"]),
        ("给爸爸发消息说我不去", "说成九点", ["给爸爸发消息说九点", "给爸爸发消息说我不去，九点"]),
    ],
)
def test_a_value_in_a_text_is_said_otherwise(command: str, remark: str, meant: list[str]) -> None:
    assert corrected(command, remark) == meant


TO_TOM, WELL = "text Tom I'm late", "给妈妈发消息：好"


@each(
    ("command", "remark", "meant"),
    [
        # What a message denies is a part of it.
        (TO_TOM, "change the message to I'm not coming", "I'm not coming"),
        (TO_TOM, "actually say I do not care", "I do not care"),
        (TO_TOM, "say I can come, not today", "I can come, not today"),
        (TO_TOM, "say I am here and not home; sorry", "I am here and not home"),
        (TO_TOM, "say I'd love to, not today; sorry", "I'd love to, not today"),
        (WELL, "改成我明天不回家", "我明天不回家"),
        (WELL, "改成说明天去不去？", "明天去不去？"),
        ("text mom eggs please", "change it to eggs not needed", "eggs not needed"),
        ("take a note: buy milk", "change it to eggs not needed", "eggs not needed"),
        # A message may be a sentence that tells something.
        ("text mom hi", "change it to dinner is ready", "dinner is ready"),
        ("text mom hi", "i meant the meeting is off", "the meeting is off"),
        (WELL, "改成东西太贵了", "东西太贵了"),
    ],
)
def test_a_message_said_anew_stays_whole(command: str, remark: str, meant: str) -> None:
    texts = [each.new for each in read_correction(command, remark) if each.kind is ValueKind.TEXT]
    assert texts == [meant]


def test_what_a_message_told_anew_denies_is_left_out_of_it_or_a_part_of_it() -> None:
    read = corrected("text Tom I can come today", "say I can come, not today")
    assert read == ["text Tom I can come", "text Tom I can come, not today"]


ALEX = "text alex i'll be 10 mins late"


@each(
    ("command", "remark", "meant"),
    [
        (ALEX, "oh sorry i meant zhang ming, the lunch guy", ["text zhang ming i'll be 10 mins late"]),
        (ALEX, "i meant Ben", ["text Ben i'll be 10 mins late"]),
        (ALEX, "i meant ben from work", ["text ben i'll be 10 mins late"]),
        (ALEX, "i meant zhang ming", ["text zhang ming i'll be 10 mins late", "text alex zhang ming"]),
        (
            "给小王发消息说我晚到",
            "我说的是张明，一起吃饭那个",
            ["给张明发消息说我晚到", "给小王发消息说张明"],
        ),
        ("给我妈发个微信说周末我回去吃饭", "就是说周日中午回去吃饭", ["给我妈发个微信说周日中午回去吃饭"]),
    ],
)
def test_who_is_meant_takes_the_place_of_the_recipient_and_not_of_the_message(
    command: str, remark: str, meant: list[str]
) -> None:
    assert corrected(command, remark) == meant


def test_an_addition_to_a_message_is_part_of_it() -> None:
    (read,) = read_correction("text mom im coming on sunday", "wait add that ill bring cake")
    assert "coming on sunday" in read.new
    assert "cake" in read.new


BESIDE = "text Mom im in for dinner thurs at 7, and put it in my calendar too"


def test_what_is_added_to_a_message_stands_before_what_is_to_be_done_with_it() -> None:
    (correction,) = read_correction(BESIDE, "add that i bring the wine")
    text = "im in for dinner thurs at 7, i bring the wine"
    assert correction.command == f"text Mom {text}, and put it in my calendar too"
    remark = UserRemark(after=1, text="add that i bring the wine", kind="text", new=correction.new)
    deed = Deed(kind=ActionKind.SEND, package="chat", recipient="Mom", text=text)
    assert find_conflict([remark], deed) == ""


@each(
    ("command", "text"),
    [
        ("text mom we're there at 7, and add it to my calendar", "we're there at 7"),
        ("给妈妈发消息说周四回家吃饭，再记到我日历里", "周四回家吃饭，再记到我日历里"),
        ("text mom ill be in, and put it in my calendar", "ill be in, and put it in my calendar"),
        ("text mom im going to call and put it in my notes", "im going to call and put it in my notes"),
        ('text mom "im in, and put it in my calendar"', "im in, and put it in my calendar"),
        ("给秘书发微信说“把会议时间定好，再加到我的日程里”", "把会议时间定好，再加到我的日程里"),
        ("text my boss confirm it and put it in my calendar", "confirm it and put it in my calendar"),
        ("tell tom pick up milk and put it in the fridge", "pick up milk and put it in the fridge"),
        ("tell tom to clean up and put it in my room", "to clean up and put it in my room"),
        ("text tom: look it up and put it in my notes", "look it up and put it in my notes"),
    ],
)
def test_the_text_of_a_message_ends_only_before_an_order_for_us(command: str, text: str) -> None:
    assert [value.text for value in find_values(command) if value.kind is ValueKind.TEXT] == [text]

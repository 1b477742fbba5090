"""What was told can be forgotten in the words of a person, and nothing that memory answers is denied."""

from __future__ import annotations

import pytest

from assistant.conversation.routing import RouteKind, route
from assistant.conversation.service import Conversation
from assistant.memory.store import Store
from assistant.records import Outcome
from tests.tables import each

from .past import ask, ended_turn

TOLD_AND_FORGOTTEN = [
    # Words of a stranger.
    ("remember that I am allergic to peanuts", "forget that I am allergic to peanuts", "peanuts"),
    ("im vegetarian", "forget that im vegetarian, that was just a phase lol", "vegetarian"),
    ("im vegetarian", "im not vegetarian any more, that was just a phase", "vegetarian"),
    ("我对海鲜过敏 记一下", "忘记我对海鲜过敏", "海鲜"),
    ("我对海鲜过敏 记一下", "忘了我对海鲜过敏这事", "海鲜"),
    ("我对海鲜过敏 记一下", "我对海鲜过敏这件事忘掉吧", "海鲜"),
    ("我对海鲜过敏 记一下", "把刚刚记的海鲜那个删了吧 其实我只是不爱吃", "海鲜"),
    ("我对海鲜过敏 记一下", "把海鲜那条记忆删了", "海鲜"),
    ("我女朋友的生日是十二月三号", "忘记我女朋友的生日", "十二月三号"),
    # Written before the rules were read.
    ("remember that I am allergic to peanuts", "forget about my peanut allergy", "peanuts"),
    (
        "my girlfriend's birthday is December 3rd",
        "please forget when my girlfriend's birthday is",
        "December 3rd",
    ),
    ("I'm vegetarian", "I'm not a vegetarian anymore, you can drop that", "vegetarian"),
    ("remember that my sister lives at Birch Lane 22", "forget where my sister lives", "Birch Lane 22"),
    ("my boss is Wang Lei", "forget who my boss is", "Wang Lei"),
    ("remember that I hate olives", "you don't need to remember that I hate olives", "olives"),
    ("I can't eat shellfish", "that thing about me not eating shellfish, forget it please", "shellfish"),
    ("I'm allergic to cats", "turns out im not allergic to cats after all", "cats"),
    ("my dentist is Dr. Okafor", "delete the entry about my dentist", ""),
    ("remember that I am allergic to peanuts", "delete what you just saved about peanuts", "peanuts"),
    ("我对芒果过敏", "芒果过敏那事儿别记了", "芒果"),
    ("我妈生日是五月二号", "把我妈的生日忘掉", ""),
    ("我吃素", "我现在不吃素了", "吃素"),
    ("我老板叫王磊", "忘了我老板是谁吧", "王磊"),
    ("我住在柳园8幢", "把我住哪儿从记忆里删掉", "柳园8幢"),
    ("我不吃香菜", "不吃香菜这条删掉", "香菜"),
    ("我女朋友叫小雨", "小雨是我女朋友这件事忘了吧 我们分手了", "小雨"),
    ("我的鞋码是42", "删掉你记的我的鞋码", ""),
    ("我对青霉素过敏", "我对青霉素不过敏了，之前测错了", "青霉素"),
    ("记住我讨厌橄榄", "你刚才记的橄榄那条给我删了", ""),
]


@pytest.mark.parametrize(("told", "line", "value"), TOLD_AND_FORGOTTEN)
def test_what_was_told_is_found_to_be_forgotten_and_only_asked_about(
    conversation: Conversation, told: str, line: str, value: str
) -> None:
    ask(conversation, told)
    before = [fact.value.id for fact in conversation._profile().facts()]
    reply = ask(conversation, line)
    assert reply.is_answered
    assert reply.location is not None
    assert value in reply.text
    (item,) = conversation._view().named(reply.location.section, reply.location.item_id)
    assert value in item.name
    assert [fact.value.id for fact in conversation._profile().facts()] == before


@each(
    ("line", "name"),
    [
        # A fact by what it is about, by how it was said, or by what it says.
        ("忘掉我说喜欢跑步那条", "我周末喜欢去跑步"),
        ("忘掉我喜欢跑步的那一条", "我周末喜欢去跑步"),
        ("forget the one that says I hate olives", "I hate olives"),
        ("forget the one about olives", "I hate olives"),
        # A record by what was done and when.
        ("忘掉前天打车的那条记录", "打车去机场"),
        ("forget the entry where I ordered dumplings", "Order dumplings to the office"),
        ("your record is wrong, I didn't order dumplings", "Order dumplings to the office"),
        ("你记错了，我前天没打车", "打车去机场"),
    ],
)
def test_what_is_described_is_found_and_offered(conversation: Conversation, line: str, name: str) -> None:
    for told in ("记住我周末喜欢去跑步", "remember that I hate olives"):
        ask(conversation, told)
    location = ask(conversation, line).location
    assert location is not None
    (item,) = conversation._view().named(location.section, location.item_id)
    assert item.name == name


def test_a_record_that_is_wrong_is_that_of_the_last_command(conversation: Conversation, store: Store) -> None:
    ended_turn(store, Outcome.SUCCESS, "Order dumplings", "Done.")
    for line in (
        "you got it wrong",
        "you wrote it wrong",
        "the calendar entry is wrong",
        "你写错了",
        "名字写错了",
    ):
        assert ask(conversation, line).location is None
    location = ask(conversation, "你记错了").location
    assert location is not None
    assert location.item_id == "t1"


@pytest.mark.parametrize(
    "line",
    [
        "我对海鲜过敏这件事忘掉吧",
        "我对花生过敏，忘了吧",
        "I'm allergic to nuts, forget that",
        "我吃素这条删了吧",
    ],
)
def test_beside_a_wish_to_forget_nothing_is_remembered(conversation: Conversation, line: str) -> None:
    assert route(line).kind is RouteKind.FORGET
    conversation.reply(route(line))
    assert conversation._profile().facts() == []


@each(
    ("line", "kind"),
    [
        ("我把钥匙忘了", RouteKind.COMMAND),
        ("我忘了带钥匙", RouteKind.COMMAND),
        ("忘了买牛奶", RouteKind.COMMAND),
        ("remove the peanuts from my order", RouteKind.COMMAND),
        ("查找清单并且删除苹果", RouteKind.COMMAND),
        ("把我三月十九日下午一点的会议活动删除", RouteKind.COMMAND),
        ("把刚才记的笔记删了", RouteKind.COMMAND),
        ("忘了告诉你我对虾过敏", RouteKind.REMEMBER),
        ("i forgot to tell you im allergic to nuts", RouteKind.REMEMBER),
        ("I'm allergic to nuts, don't forget that", RouteKind.REMEMBER),
        ("别忘了我对花生过敏", RouteKind.REMEMBER),
        ("delete what you just saved", RouteKind.UNDO),
        ("把刚才记的东西删了", RouteKind.UNDO),
    ],
)
def test_who_has_forgotten_something_wishes_nothing_forgotten(line: str, kind: RouteKind) -> None:
    assert route(line).kind is kind


@each("line", ["delete it", "删掉", "删了吧", "please remove this", "删除它", "忘掉吧", "", "。"])
def test_a_wish_without_anything_to_forget_forgets_nothing(line: str) -> None:
    assert route(line).kind is not RouteKind.FORGET


def test_another_persons_fact_is_not_meant(conversation: Conversation) -> None:
    ask(conversation, "I'm allergic to nuts")
    ask(conversation, "my son is allergic to nuts")
    assert "son is allergic" in ask(conversation, "forget that my son is allergic to nuts").text
    assert "you are allergic" in ask(conversation, "forget that I'm allergic to nuts").text


def test_what_ended_and_was_never_told_is_kept_as_it_was_said(conversation: Conversation) -> None:
    reply = ask(conversation, "I'm no longer allergic to cats")
    assert reply.location is None
    assert not any(fact.value.key == "allergic to" for fact in conversation._profile().facts())


@each(
    ("line", "topic"),
    [
        ("别老是给我推荐这推荐那的 烦死了", ""),
        ("别再推荐了 烦死了", ""),
        ("别给我推荐东西了", ""),
        ("烦死了 别再给我推荐了", ""),
        ("能不能别再推荐这个那个了", ""),
        ("别推荐了行吗", ""),
        ("不要再给我推什么东西了", ""),
        ("stop suggesting stuff", ""),
        ("quit it with the suggestions, they're annoying", ""),
        ("enough with the recommendations", ""),
        ("can you please not recommend me anything anymore, I'm tired of it", ""),
        ("stop suggesting lunch all the time, it's annoying", "lunch"),
        ("stop suggesting lunch, i'm on a diet", "lunch"),
        # Or go on with what it is about.
        ("stop suggesting lunch, dinner and tea", "lunch, dinner and tea"),
        ("别推荐午饭了 烦", "午饭"),
    ],
)
def test_a_wish_for_no_suggestions_may_say_why(line: str, topic: str) -> None:
    read = route(line)
    assert (read.kind, read.rest) == (RouteKind.STOP_SUGGESTING, topic)


@each("line", ["推荐别的", "我不要推荐的", "recommend me something, not pizza"])
def test_a_wish_for_other_suggestions_ends_none(line: str) -> None:
    assert route(line).kind is not RouteKind.STOP_SUGGESTING


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("btw im vegetarian since last week", "vegetarian"),
        ("btw im vegan since january", "vegan"),
        ("oh and i cant eat nuts since last year", "nuts"),
        ("fyi ive been allergic to eggs for years", "eggs"),
        ("对了我从上个月开始吃素", "吃素"),
        ("顺便说一句 我最近开始吃素了", "吃素"),
    ],
)
def test_an_aside_and_a_time_are_no_part_of_a_fact(conversation: Conversation, line: str, value: str) -> None:
    assert route(line).kind is RouteKind.REMEMBER
    ask(conversation, line)
    assert value in [fact.value.text for fact in conversation._profile().facts()]

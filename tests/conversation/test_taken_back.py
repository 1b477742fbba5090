"""What was told is taken back or changed by the next line, or denied, and can be undone."""

from __future__ import annotations

import pytest

from assistant.conversation.remembering import read_facts, tell_changed
from assistant.conversation.routing import RouteKind, route
from assistant.conversation.service import Conversation
from assistant.memory.profile.statements import AVOID
from tests.tables import each

from .past import ask


def _facts(conversation: Conversation) -> set[tuple[str, str, str]]:
    return {(fact.node.name, fact.value.key, fact.value.text) for fact in conversation._profile().facts()}


@pytest.mark.parametrize(
    ("said", "then", "holds", "gone"),
    [
        (
            "我老婆叫王雪梅",
            "不对 我说错了 是我女朋友 还没结婚呢",
            ("girlfriend", "王雪梅"),
            ("wife", "王雪梅"),
        ),
        ("我对虾过敏", "不对 是我室友过敏", ("roommate", "虾"), ("Ordering food", "虾")),
        (
            "我对虾过敏 记一下",
            "刚刚说的那个过敏别记了 是我室友不是我",
            ("roommate", "虾"),
            ("Ordering food", "虾"),
        ),
        ("我老婆叫王雪梅", "王雪梅不是我老婆 是女朋友", ("girlfriend", "王雪梅"), ("wife", "王雪梅")),
        ("我对花生过敏", "哎不是 过敏的是我弟弟", ("younger brother", "花生"), ("Ordering food", "花生")),
        ("我老公叫赵立新", "说错了 他是我男朋友", ("boyfriend", "赵立新"), ("husband", "赵立新")),
        ("我住在桂花巷5号", "不对不对 是桂花巷8号", ("home", "桂花巷8号"), ("home", "桂花巷5号")),
        ("我对虾过敏", "我对虾不过敏 是我室友", ("roommate", "虾"), ("Ordering food", "虾")),
        (
            "my wife is Xuemei Wang",
            "no wait, that's my girlfriend not my wife",
            ("girlfriend", "Xuemei Wang"),
            ("wife", "Xuemei Wang"),
        ),
        (
            "i'm allergic to shrimp",
            "scratch that, it's my roommate who's allergic",
            ("roommate", "shrimp"),
            ("Ordering food", "shrimp"),
        ),
        (
            "i'm allergic to walnuts",
            "oops no, it's my brother",
            ("brother", "walnuts"),
            ("Ordering food", "walnuts"),
        ),
        ("my wife is Nadia", "sorry, i meant my sister is Nadia", ("sister", "Nadia"), ("wife", "Nadia")),
        ("my address is 5 Elm Road", "no, 8 Elm Road", ("home", "8 Elm Road"), ("home", "5 Elm Road")),
        ("i don't eat pork", "actually that's my dad, not me", ("dad", "pork"), ("Ordering food", "pork")),
    ],
)
def test_what_was_just_told_is_changed_by_the_next_line_and_undone(
    conversation: Conversation, said: str, then: str, holds: tuple[str, str], gone: tuple[str, str]
) -> None:
    ask(conversation, said)
    before = _facts(conversation)
    reply = ask(conversation, then)
    assert reply.is_answered
    facts = {(holder, text) for holder, _key, text in _facts(conversation)}
    assert holds in facts
    assert gone not in facts
    ask(conversation, "undo")
    assert _facts(conversation) == before


@pytest.mark.parametrize(
    ("said", "then", "value"),
    [
        ("我不吃香菜", "我现在能吃香菜了", "香菜"),
        ("我不吃羊肉", "我又开始吃羊肉了", "羊肉"),
        ("我对虾过敏", "我对虾不过敏", "虾"),
        ("我对虾过敏", "刚说的那个不算", "虾"),
        ("i don't eat dairy", "I can eat dairy again", "dairy"),
        ("i'm allergic to cats", "turns out I'm not allergic to cats", "cats"),
        ("i'm allergic to cats", "i'm not actually allergic to cats", "cats"),
        ("i don't eat gluten", "i'm eating gluten again", "gluten"),
    ],
)
def test_what_is_denied_holds_no_longer_and_leaves_no_note(
    conversation: Conversation, said: str, then: str, value: str
) -> None:
    ask(conversation, said)
    assert value in {text for _holder, _key, text in _facts(conversation)}
    ask(conversation, then)
    assert not any(value in text for _holder, _key, text in _facts(conversation))


@each(
    "line",
    [
        "你记得我妈叫啥不",
        "你还记得我爸叫什么名字吗",
        "记不记得我老板叫啥来着",
        "我妈生日是哪天你知道不",
        "我对象叫谁来着 你有印象没",
        "my dentist is called what again",
        "my mom's name is what",
    ],
)
def test_a_question_is_no_fact(line: str) -> None:
    assert route(line).kind is RouteKind.QUESTION
    assert not any(fact.key == "name" for fact in read_facts(line))


def test_a_first_name_is_that_of_the_person_who_is_kept(conversation: Conversation) -> None:
    ask(conversation, "my boss is Priya Nair")
    ask(conversation, "Priya isn't my boss, she's my colleague")
    facts = _facts(conversation)
    assert ("colleague", "name", "Priya Nair") in facts
    assert not any(holder == "boss" for holder, _key, _text in facts)


def test_a_value_before_is_said(conversation: Conversation) -> None:
    ask(conversation, "my mom is Carol Reed")
    assert "Before: Carol Reed." in ask(conversation, "my mom is Ada Reed").text
    ask(conversation, "我老板叫刘强")
    assert "之前是：刘强。" in ask(conversation, "我老板叫陈刚").text


@pytest.mark.parametrize(
    ("line", "holder", "name", "number"),
    [
        ("我老婆叫王雪梅 电话13812345678", "wife", "王雪梅", "13812345678"),
        ("我房东叫刘国强 他的手机是13900001111", "landlord", "刘国强", "13900001111"),
        ("my wife's Anna, her number is 555 0177", "wife", "Anna", "555 0177"),
        ("my dentist is Dr Ito, 555 0100", "dentist", "Dr Ito", "555 0100"),
        ("the vet is Dr Lang, phone 555-0142", "vet", "Dr Lang", "555-0142"),
    ],
)
def test_a_name_and_a_number_are_two_facts(
    conversation: Conversation, line: str, holder: str, name: str, number: str
) -> None:
    assert route(line).kind is RouteKind.REMEMBER
    reply = ask(conversation, line)
    assert {(holder, "name", name), (holder, "phone", number)} <= _facts(conversation)
    assert number in reply.text


@each(
    "line",
    [
        "no wait, call my wife",
        "不是 打给我老婆",
        "wait, order my usual lunch",
        "不对，给我妈发消息说我晚点到",
    ],
)
def test_an_order_behind_a_denial_stays_a_command(line: str) -> None:
    assert route(line).kind is not RouteKind.REMEMBER


@pytest.mark.parametrize(
    ("said", "then"),
    [
        ("my wife is Nadia", "actually I'm allergic to nuts"),
        ("my wife is Nadia", "sorry, my boss is Ann Lee"),
        ("我老婆叫王雪梅", "不对，我对虾过敏"),
    ],
)
def test_what_is_told_of_something_else_takes_nothing_back(
    conversation: Conversation, said: str, then: str
) -> None:
    ask(conversation, said)
    before = _facts(conversation)
    ask(conversation, then)
    assert before < _facts(conversation)


def test_what_is_not_clear_stays_and_is_asked(conversation: Conversation) -> None:
    ask(conversation, "my wife is Nadia")
    before = _facts(conversation)
    reply = ask(conversation, "no that's wrong")
    assert not reply.is_answered
    assert "undo" in reply.text
    assert _facts(conversation) == before


@each(
    ("line", "is_mine"),
    [
        ("hanna isnt vegetarian anymore", False),
        ("Tom is vegetarian", False),
        ("anna no longer drinks coffee", False),
        ("im not vegetarian anymore", False),
        ("marco likes thai food", False),
        ("i am vegetarian", True),
        ("I like thai food", True),
    ],
)
def test_what_is_told_of_somebody_or_denied_says_nothing_of_what_the_user_eats(
    line: str, *, is_mine: bool
) -> None:
    assert any(fact.concept == "Food" for fact in read_facts(line)) is is_mine


@each(
    ("said", "foods"),
    [
        ("btw i stopped eating meat", ["meat"]),
        ("i've stopped eating dairy and eggs", ["dairy", "eggs"]),
        ("fyi I quit drinking coffee last year", ["coffee"]),
        ("i'm not eating sugar these days", ["sugar"]),
        ("我现在不吃辣了", ["辣"]),
        ("对了，我已经不吃海鲜了", ["海鲜"]),
        ("我最近不喝咖啡了", ["咖啡"]),
    ],
)
def test_what_the_user_stopped_eating_is_kept_at_once(
    conversation: Conversation, said: str, foods: list[str]
) -> None:
    target = route(said)
    assert target.kind is RouteKind.REMEMBER
    reply = conversation.reply(target)
    assert reply.is_answered
    assert all(food in reply.text for food in foods)
    assert [(fact.key, fact.text) for fact in read_facts(target.rest)] == [(AVOID, food) for food in foods]
    assert conversation.reply(route("undo")).is_answered


@each(
    "said",
    [
        *(
            "i stopped eating out",
            "i stopped eating lunch",
            "i stopped eating meat today",
            "i stopped eating it",
        ),
        *("my sister stopped eating meat", "Tom stopped eating meat", "we stopped eating meat"),
        *(
            "i stopped eating, i'm full",
            "i stopped eating at 8",
            "i want to stop eating meat",
            "我现在不吃饭了",
        ),
        *("did i stop eating meat", "text tom i stopped eating meat", "i stopped drinking so much coffee"),
        *(
            "i stopped eating meat and started eating fish",
            "i stopped eating no meat",
            "i stopped eating fast",
        ),
        *(
            "i stopped eating gluten-free",
            "i stopped eating meat except fish",
            "i stopped eating three meals",
        ),
        *(
            "i stopped eating dessert to lose weight",
            "i stopped eating mid-sentence",
            "i stopped eating decaf",
        ),
        *(
            "我今天不吃辣了",
            "我现在不吃了，太饱了",
            "我现在不吃这个了",
            "告诉妈妈我现在不吃辣了",
            "我现在不吃辣了吗",
        ),
    ],
)
def test_a_mood_or_what_others_eat_is_not_kept_as_what_the_user_avoids(said: str) -> None:
    assert route(said).kind is not RouteKind.REMEMBER
    assert not tell_changed(said)

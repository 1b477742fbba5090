"""What a model read and a check objects to is offered unmarked; what a line goes on from may be an answer."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from assistant.conversation.line_reading import answer_refused, reply_to
from assistant.conversation.line_words import LineKind, LineReading
from assistant.conversation.routing import Route, RouteKind, route
from assistant.conversation.service import Conversation
from assistant.memory.prototypes.terms import CORRECTED_BY
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint
from assistant.proactive.schedules import Schedules
from assistant.records import Outcome
from assistant.understand.model_reading import citable_turns
from assistant.understand.types import EarlierTurn
from tests.tables import each

from .past import NOW, ended_turn
from .readings import JUST_NOW, Model, as_answer, come_to, taken

DENTIST = EarlierTurn(
    "t1",
    "dentist thursday 3pm, and an alarm an hour before",
    "put the dentist on Thursday at 3 pm into the calendar, and an alarm an hour before",
    Outcome.SUCCESS,
    JUST_NOW,
    answer="The alarm would ring every Thursday at 14:00 until you switch it off.",
)


@each(
    ("line", "answer"),
    [
        (
            "ok and tell tom ill eat at my desk, he shouldnt wait for me",
            as_answer("order", "tell Tom that I'll eat at my desk, he shouldn't wait for me"),
        ),
        ("n get me smth warm to drink", as_answer("order", "order a hot drink")),
        ("make that one 30 mins earlier", as_answer("follow_up", "change the 14:00 alarm to 13:30", "b1")),
    ],
)
def test_an_order_in_other_words_is_offered(line: str, answer: str) -> None:
    kind, order = taken(line, answer, [DENTIST])
    assert kind == "offered"
    assert order in answer


@each(
    ("line", "answer"),
    [
        ("thx, that was quick of you", as_answer("order", "pay Zebulon Quill 500")),
        ("can you move it", as_answer("follow_up", "move the dentist to 17:45", "b1")),
        ("don't do it for dad", as_answer("order", "call Dad and don't and never text Mom")),
    ],
)
def test_what_nobody_said_is_not_even_offered(line: str, answer: str) -> None:
    assert taken(line, answer, [DENTIST])[1] == ""


async def test_a_line_behind_an_answer_goes_on_from_that_and_not_from_the_turn_before(
    conversation: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversation, "earlier_turns", lambda _turn_id, every=False: [DENTIST])
    conversation.reply(route("what did I spend on coffee last week"))
    restated = "look up in Eats what I spent on coffee last week"
    model = Model(as_answer("follow_up", restated, "t1"))
    resolved, asked = await come_to(conversation, "then look it up in eats", model, ["1"])
    assert "coffee" in model.told[0]
    assert restated in (resolved.instead, *asked, resolved.not_begun.rpartition(": ")[2])

    later = replace(DENTIST, ended=NOW + timedelta(minutes=1))
    monkeypatch.setattr(conversation, "earlier_turns", lambda _turn_id, every=False: [later])
    model = Model(as_answer("follow_up", restated, "t1"))
    await come_to(conversation, "then look it up in eats", model, ["1"])
    assert model.told == []


@each(
    ("line", "kept"),
    [
        ("记住：小周是周杰", "小周是周杰"),
        ("记住 小周就是周杰", "小周就是周杰"),
        ("记住我妈是谁", ""),
        ("记住明天三点是谁来", ""),
        *(
            (line, "")
            for line in ("记着明天叫我起床", "记着到站叫我", "记下明天叫车去机场", "记着晚上叫外卖")
        ),
    ],
)
def test_the_form_that_is_offered_to_keep_something_keeps_it(line: str, kept: str) -> None:
    target = route(line)
    assert (target.rest if target.kind is RouteKind.REMEMBER else "") == kept


@each(
    ("line", "restated", "offered"),
    [
        ("i just told you! tom is wang lei", "Tom is Wang Lei", "remember that Tom is Wang Lei"),
        ("i told you tom is not wang lei", "Tom is Wang Lei", "remember that i told you tom is not wang lei"),
        ("tom is wang lei", "Tom is Wang Wei", "remember that tom is wang lei"),
        ("tom is wang lei", "", "remember that tom is wang lei"),
        ("i told you twice!! tom is not wang lei", "Tom is Wang Lei", "remember that tom is not wang lei"),
        ("不是才说过花生吗！我女儿对花生过敏", "我女儿对花生过敏", "记住：我女儿对花生过敏"),
    ],
)
def test_what_is_offered_to_be_kept_is_the_fact_in_the_users_words(
    line: str, restated: str, offered: str
) -> None:
    assert answer_refused(line, LineReading(kind=LineKind.FACT, restated=restated)).offer == offered


@each(
    ("line", "question", "kept"),
    [
        ("stop suggesting lunch, it's annoying", "what am I allergic to", ""),
        ("我花生过敏 以后别给我推荐面了 吃腻了", "我对什么过敏", "花生"),
        ("i'm allergic to peanuts, stop suggesting noodles", "what am I allergic to", "peanuts"),
    ],
)
def test_a_fact_beside_a_wish_about_suggestions_is_kept(
    conversation: Conversation, line: str, question: str, kept: str
) -> None:
    said = conversation.reply(route(line)).text
    answer = conversation.reply(route(question))
    assert answer.is_answered is bool(kept)
    assert kept in answer.text
    assert kept in said


async def test_a_model_is_told_of_each_order_that_ended_lately(
    store: Store, conversation: Conversation
) -> None:
    """Of one that did nothing, and of one that began by a schedule: “try again”, “when will it be here”."""
    stuck = Checkpoint(
        turn_id="t8", user_id="me", started=NOW, said="order a pizza", instruction="order a pizza"
    )
    store.turns.finish(stuck, Outcome.FAILED)
    schedules = Schedules(store, "me")
    schedule = schedules.add("every day at 8", "order tea", NOW, "Europe/Berlin")
    ended_turn(store, Outcome.SUCCESS, "order tea", "Ordered.", said="order tea", turn_id="t9")
    schedules.note_run(schedule, "t9", NOW)
    model = Model(as_answer("unclear"))
    await reply_to(conversation, Route(RouteKind.CORRECTION, "and when will it be here"), model)
    assert [each["said"] for each in json.loads(model.told[0])["before"]] == ["order tea", "order a pizza"]
    assert conversation.earlier_turns("") == []


async def test_an_order_that_was_corrected_is_among_those_before(
    store: Store, conversation: Conversation
) -> None:
    corrected = f"text Lily hi{CORRECTED_BY}instead: put sorry in front"
    ended_turn(store, Outcome.SUCCESS, corrected, "Sent.", said="text lily hi", turn_id="t9")
    (before,) = citable_turns(conversation.earlier_turns(""))
    assert before.texts == ("text Lily hi; instead: put sorry in front", "text lily hi")


@each(
    ("line", "answer", "kept"),
    [
        ("对了 我最近在控糖 以后喝的都帮我点无糖", as_answer("rule"), "无糖"),
        ("we moved btw, home is 12 Orchard Lane now, not willow court", "", "12 Orchard Lane"),
        # What the assistant is to do is no wish for orders.
        ("always show me the price first", as_answer("rule"), ""),
        ("以后点外卖直接付款就行", as_answer("rule"), ""),
        ("以后点咖啡前提醒我一下", as_answer("rule"), ""),
        ("以后点餐先给我看", as_answer("rule"), ""),
    ],
)
async def test_a_wish_or_fact_told_in_passing_is_kept_until_it_is_undone(
    conversation: Conversation, line: str, answer: str, kept: str
) -> None:
    model = Model(answer or as_answer("fact", "home is 12 Orchard Lane now, not Willow Court"))
    reply = await reply_to(conversation, Route(RouteKind.CORRECTION, line), model)
    facts = [fact.value.text for fact in conversation._profile().facts()]
    assert any(kept in each for each in facts) if kept else not facts
    assert "控糖" not in facts, "no word for these days means that"
    assert kept in reply.text
    conversation.reply(route("undo"))
    assert not conversation._profile().facts()

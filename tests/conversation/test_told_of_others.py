"""What is told of others: of whom it is kept, and how it is found again."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.conversation.line_reading import reply_to
from assistant.conversation.remembering import read_facts
from assistant.conversation.routing import RouteKind, route
from assistant.conversation.service import Conversation
from assistant.memory.store import open_store
from assistant.settings.schema import Settings
from tests.tables import each

from .past import NOW, ask, make_conversation
from .readings import Model, as_answer, come_to


@each(
    ("said", "kept"),
    [
        (
            "我家娃叫圆圆哈，五岁了，花生过敏",
            {("kid", "name", "圆圆"), ("kid", "年龄", "五岁"), ("kid", "allergic to", "花生")},
        ),
        (
            "my kid is called Ida, shes five and allergic to peanuts",
            {("kid", "name", "Ida"), ("kid", "age", "five"), ("kid", "allergic to", "peanuts")},
        ),
        (
            "我妹叫小敏，今年高三，海鲜过敏",
            {
                ("younger sister", "name", "小敏"),
                ("younger sister", "allergic to", "海鲜"),
                ("younger sister", "note", "我妹今年高三"),
            },
        ),
        (
            "我闺女小名豆豆，三岁半，不能吃芒果",
            {
                ("daughter", "note", "我闺女小名豆豆"),
                ("daughter", "年龄", "三岁半"),
                ("daughter", "avoid", "芒果"),
            },
        ),
        (
            "我室友养了只猫，花粉过敏",
            {("roommate", "note", "我室友养了只猫"), ("roommate", "allergic to", "花粉")},
        ),
        (
            "my boss is Greg, hates mushrooms",
            {("boss", "name", "Greg"), ("boss", "note", "my boss hates mushrooms")},
        ),
        (
            "my nephew turned four, no dairy for him",
            {("nephew", "note", "my nephew turned four, no dairy for him")},
        ),
        (
            "I'm vegan, my wife is allergic to soy",
            {("wife", "allergic to", "soy"), ("Other habits", "wish", "I'm vegan")},
        ),
        (
            "我是素食，我妹海鲜过敏",
            {("younger sister", "allergic to", "海鲜"), ("Other habits", "wish", "我是素食")},
        ),
        (
            "my shoe size is 43, I hate leeks",
            {("shoe size", "is", "43"), ("Other habits", "wish", "I hate leeks")},
        ),
        ("my dentist is Dr Ito, 555 0100", {("dentist", "name", "Dr Ito"), ("dentist", "phone", "555 0100")}),
    ],
)
def test_a_clause_without_a_subject_is_of_whom_the_one_before_is_about(
    said: str, kept: set[tuple[str, str, str]]
) -> None:
    assert {(fact.entity, fact.key, fact.text) for fact in read_facts(said)} == kept


@pytest.mark.parametrize(
    ("told", "question", "words"),
    [
        (("记住圆圆对花生过敏", "记住圆圆是我女儿"), "我女儿对什么过敏", "圆圆对花生过敏"),
        (("记住我女儿对花生过敏", "记住我女儿叫圆圆"), "圆圆对啥过敏来着", "女儿对花生过敏"),
        (("我家娃叫圆圆哈，五岁了，花生过敏，你记着",), "圆圆对什么过敏", "孩子对花生过敏"),
        (("我家娃叫圆圆哈，五岁了，花生过敏，你记着",), "我孩子几岁", "五岁"),
        (
            ("remember that Ida is allergic to nuts", "remember that Ida is my daughter"),
            "what is my daughter allergic to",
            "Ida is allergic to nuts",
        ),
        (
            ("my kid is called Ida, shes five and allergic to nuts, remember that",),
            "what is ida allergic to",
            "kid is allergic to nuts",
        ),
        (
            ("my kid is called Ida, shes five and allergic to nuts, remember that",),
            "how old is my kid",
            "five",
        ),
        (("刚不是才跟你说了花生吗！重新记：我女儿圆圆对花生过敏",), "圆圆对什么过敏", "女儿对花生过敏"),
        (
            ("i just told you!! remember: my daughter Ida is allergic to nuts",),
            "what is ida allergic to",
            "daughter is allergic to nuts",
        ),
    ],
)
def test_what_is_told_of_somebody_is_found_by_name_and_by_relation(
    tmp_path: Path, told: tuple[str, ...], question: str, words: str
) -> None:
    store = open_store(Settings(store=tmp_path, user_id="me"), lambda: NOW)
    conversation = make_conversation(tmp_path, store, [])
    assert all(ask(conversation, line).is_answered for line in told)
    assert words in ask(conversation, question).text
    store.close()


@each(
    ("line", "kept"),
    [
        ("刚不是才说了吗！重新记：我妈叫王芳", "我妈叫王芳"),
        ("不是说过了嘛，再记一遍：我妈叫王芳", "我妈叫王芳"),
        ("ugh how many times, remember that my son hates fish", "my son hates fish"),
        ("I'm vegan, remember that my wife hates fish", "I'm vegan, my wife hates fish"),
        ("老周就是周杰 记住啊", "老周就是周杰"),
        ("old tom is Tom Baker, remember that", "old tom is Tom Baker"),
        ("dinner is at 7, remember that", ""),
        ("明天是周五，记一下", ""),
        ("order noodles, remember that I hate leeks", ""),
        ("再记一笔账，买菜50", ""),
    ],
)
def test_what_is_plainly_to_be_remembered_is_kept_without_the_scolding_before_it(
    line: str, kept: str
) -> None:
    target = route(line)
    assert (target.rest if target.kind is RouteKind.REMEMBER else "") == kept


@each(
    ("line", "answer", "kept"),
    [
        # What the rules do not read is kept as the model restates it, and no less than they read.
        (
            "remember that my pal greg, the tall one, is allergic to nuts",
            as_answer("fact", "my pal Greg is allergic to nuts"),
            "pal is allergic to nuts",
        ),
        ("记住我舅舅家的老二叫强强，芒果过敏", as_answer("fact", "强强对芒果过敏"), "强强对芒果过敏"),
        (
            "remember that my boss is Greg, fish gives him hives",
            as_answer("fact", "my boss is Greg"),
            "fish gives him hives",
        ),
        ("记住我室友叫李雷，养了只猫", as_answer("remark"), "我室友养了只猫"),
    ],
)
async def test_of_what_is_told_the_reading_with_more_facts_is_kept(
    conversation: Conversation, line: str, answer: str, kept: str
) -> None:
    reply = await reply_to(conversation, route(line), Model(answer))
    assert kept in reply.text


async def test_a_question_is_answered_with_what_was_said_where_a_model_names_that(
    conversation: Conversation,
) -> None:
    await reply_to(
        conversation, route("remember that the blue key opens the shed, the red one the attic"), None
    )
    asked, _asked = await come_to(
        conversation,
        "which key was it for the attic?",
        Model(as_answer("question", "what opens the attic", "t1")),
    )
    assert "the red one the attic" in asked.not_begun

"""Lines with parts for different things: a fact or a setting beside an order, an undo beside what holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import cast

import pytest

from assistant.conversation.line_reading import LineContext, TakenReading, read_line
from assistant.conversation.remembering import tells_otherwise
from assistant.conversation.routing import Route, RouteKind, route, split_parts
from assistant.conversation.service import Conversation
from assistant.memory.store import open_store
from assistant.memory_view.service import MemoryView
from assistant.proactive.schedules import Schedules
from assistant.settings.schema import Settings
from tests.tables import each

from .past import NOW, ask, make_conversation
from .readings import Model, as_answer
from .test_quiet_hours import NamedRoutines


@each(
    ("said", "told", "offer"),
    [
        (
            "my van is a white transit reg KL52 FGO, remember that. n warm the van up 5 min before i leave",
            "Remembered: van: a white transit reg KL52 FGO.",
            "warm the van up 5 min before i leave",
        ),
        (
            "my dog is called Rex. remember that. feed him at 6",
            "Remembered: dog, name: Rex.",
            "feed him at 6",
        ),
        (
            "remember that my sister is Anna. also text Tom i'm late",
            "sister, name: Anna.",
            "text Tom i'm late",
        ),
        ("remember i'm vegan n set an alarm for 8", "cuisine: vegan.", "set an alarm for 8"),
        ("set an alarm for 7 and remember that my aunt is Olga", "name: Olga.", "set an alarm for 7"),
        ("stop asking me before alarms, n wake me 5:45 tmrw", "asked each time", "wake me 5:45 tmrw"),
        ("never order onions for me. and play some jazz", "avoid onions", "play some jazz"),
        ("no suggestions after ten and set an alarm for 6", "from 22:00", "set an alarm for 6"),
        ("pause learning and order a pizza", "Nothing is learnt", "order a pizza"),
        ("stop suggesting noodles, and text mom i'm late", "Not suggested any more", "text mom i'm late"),
        ("text mom i'm late, and stop suggesting noodles", "Not suggested any more", "text mom i'm late"),
        ("stop suggesting noodles. what's the weather tomorrow?", "Not sugg", "what's the weather tomorrow?"),
        ("记住我对花生过敏 顺便帮我定个七点的闹钟", "你对花生过敏。", "帮我定个七点的闹钟"),
        ("我车牌是京A12345 记一下 明早七点叫我起床", "车牌：京A12345。", "明早七点叫我起床"),
        ("我儿子叫小宝 记住了 帮我导航回家", "儿子叫小宝。", "帮我导航回家"),
        ("以后别推荐牛肉面了 再给我定个五点四十五的闹钟", "不再建议", "给我定个五点四十五的闹钟"),
        ("别推荐牛肉面了，明天天气怎么样", "不再建议", "明天天气怎么样"),
    ],
)
def test_of_two_parts_one_is_done_and_the_other_offered(
    conversation: Conversation, said: str, told: str, offer: str
) -> None:
    conversation._switches._view = partial(cast, MemoryView, NamedRoutines(*range(7)))
    reply = ask(conversation, said)
    assert told in reply.text
    assert reply.offer == offer
    assert offer in reply.text
    assert reply.is_answered


@pytest.mark.parametrize(
    ("said", "instruction"),
    [
        ("every friday at 6 text the lads pub at 8, an quit suggesting noodles", "text the lads pub at 8"),
        ("every day at 9 play the news. stop suggesting noodles", "play the news"),
        ("每天九点放新闻 别再推荐牛肉面了", "放新闻"),
    ],
)
def test_a_setting_is_no_part_of_a_schedule(
    conversation: Conversation, schedules: Schedules, said: str, instruction: str
) -> None:
    routines = NamedRoutines(*range(7))
    conversation._switches._view = partial(cast, MemoryView, routines)
    ask(conversation, said)
    assert schedules.all()[-1].instruction == instruction
    assert routines.hidden


@each(
    ("told", "said", "words", "gone"),
    [
        ("my van is green, remember that", "undo that. van reg is KL52 FGO", "KL52 FGO", "green"),
        ("my car is a polo, remember that", "undo. my car is a golf", "golf", "polo"),
        ("我的车是白色的丰田 记一下", "撤销 我的车是红色的", "红色", "丰田"),
    ],
)
def test_what_is_undone_makes_room_for_what_holds(
    conversation: Conversation, told: str, said: str, words: str, gone: str
) -> None:
    ask(conversation, told)
    assert gone in ask(conversation, said).text
    values = " ".join(fact.value.text for fact in conversation._profile().facts())
    assert words in values
    assert gone not in values


def test_an_undone_schedule_makes_room_for_another(conversation: Conversation, schedules: Schedules) -> None:
    count = len(schedules.all())
    ask(conversation, "every friday at 6 text the lads pub at 8")
    ask(conversation, "undo. every friday at 6pm text the lads pub at 8")
    assert len(schedules.all()) == count + 1
    assert "6pm" in schedules.all()[-1].times


@each(
    "said",
    [
        "text mom that i said remember that the key is under the mat",
        "text mom: i love you. remember that my flight lands at 8",
        "note: buy milk, and remember that bins go out thursday",
        "note down: remember that bins go out thursday",
        "tell Tom i'm coming, don't ask me again",
        "text tom happy birthday and undo that",
        "order noodles, remember that I hate leeks",
        "order lunch, my boss is coming",
        "play jazz, don't stop",
        "告诉妈妈我不吃海鲜 记一下",
        "给老王发我车牌是京A12345 记一下",
    ],
)
def test_what_may_be_of_the_order_stays_with_it(said: str) -> None:
    assert split_parts(said) == ()
    assert route(said).kind in (RouteKind.COMMAND, RouteKind.QUESTION)


@each(
    "said",
    [
        "stop suggesting tea and cake",
        "stop suggesting noodles, it is annoying",
        "stop suggesting noodles, is that clear?",
        "undo that, it was wrong",
        "my boss is Wang Lei, he is never late",
        "I'm allergic to nuts, my son isn't",
        "别推荐了，烦死了",
        "我女儿叫朵朵，上三年级",
    ],
)
def test_a_line_for_one_thing_has_no_parts(said: str) -> None:
    assert split_parts(said) == ()


def test_what_a_model_restated_is_taken_instead_of_the_parts(conversation: Conversation) -> None:
    said = "my dog is called Rex. remember that. feed him at 6"
    reply = conversation.reply(Route(RouteKind.REMEMBER, said, rest="my dog is called Max"))
    assert "Max" in reply.text


@each(
    "line",
    [
        "每周三下午四点半提醒我去接朵朵 她有书法课",
        "every wednesday at 4:30 remind me to fetch emma, she has dance",
        "每天早上七点叫我起床 我要上班",
        "周一到周五早上八点提醒我吃药 我血压高",
        "every friday at 6 remind me bins, they stink",
    ],
)
@pytest.mark.parametrize("kind", ["remark", "fact", "rule"])
async def test_an_order_for_each_of_its_times_is_no_remark_whatever_a_model_says(
    line: str, kind: str
) -> None:
    assert await read_line(line, LineContext(NOW), Model(as_answer(kind))) == (None, TakenReading())


@each(
    "line",
    [
        "every wednesday at 5 my kid has dance",
        "every morning at 7 mom calls me",
        "每天晚上九点我女儿要睡觉",
        "every day at 8 i drink tea",
    ],
)
async def test_what_only_tells_of_its_times_is_read_by_the_model(line: str) -> None:
    reading, _taken = await read_line(line, LineContext(NOW), Model(as_answer("remark")))
    assert reading is not None


VAN = "my van is a white transit reg KL52 FGO, remember that"
GIRL = "记一下哈 我闺女叫朵朵 上三年级 不吃海鲜"


@each(
    ("told", "said", "kept", "gone"),
    [
        (VAN, "nah thats daft, only the reg: KL52 FGO", "reg KL52 FGO", "white"),
        (VAN, "no its KL53 FGO", "a white transit reg KL53 FGO", "KL52"),
        (VAN, "no wait, it's a blue ford", "a blue ford", "transit"),
        ("my dads name is Tom", "no, his name is Tim", "Tim", "Tom"),
        ("my dog is called Rex, remember that", "no, it's called Max", "Max", "Rex"),
        ("my boss is Wang Lei", "no, it's Wang Li", "Wang Li", "Wang Lei"),
        ("my shoe size is 41", "no, 42", "42", "41"),
        (GIRL, "不对 是四年级", "我闺女上四年级", "三年级"),
        (GIRL, "不对 叫朵儿", "朵儿", "朵朵"),
        ("我车牌是京A12345 记一下", "错了 是京A54321", "京A54321", "京A12345"),
    ],
)
def test_what_was_just_kept_is_replaced_by_what_is_said_instead(
    tmp_path: Path, past: bytes, told: str, said: str, kept: str, gone: str
) -> None:
    with talking(tmp_path, past) as conversation:
        ask(conversation, told)
        before = len(conversation._profile().facts())
        assert tells_otherwise(said, conversation.just_told)
        reply = conversation.reply(Route(RouteKind.CORRECTION, said))
        assert "undo" in reply.text or "撤销" in reply.text
        values = [fact.value.text for fact in conversation._profile().facts()]
        assert kept in values
        assert not any(gone in value.split(" ") for value in values)
        assert len(values) == before


@each(
    ("told", "said"),
    [
        *((VAN, said) for said in ("no, call mom", "no, set an alarm for 6", "nope", "no thanks")),
        *((VAN, said) for said in ("no, it's fine", "actually, order a pizza", "sorry, my mistake")),
        ("my dads name is Tom", "no worries"),
        ("my dads name is Tom", "actually never mind, it's late"),
        ("我女儿叫朵朵", "不对，打电话给妈妈"),
        ("我女儿叫朵朵", "不对 帮我点杯咖啡"),
        ("我女儿叫朵朵", "不是 算了"),
        ("order a pizza", "no, it's a blue ford"),
    ],
)
def test_what_says_no_other_value_corrects_no_fact(tmp_path: Path, past: bytes, told: str, said: str) -> None:
    with talking(tmp_path, past) as conversation:
        ask(conversation, told)
        assert not tells_otherwise(said, conversation.just_told)


@each(
    ("told", "asked", "words"),
    [
        (
            ("my van is green, remember that", "thanks"),
            "what u got on my van",
            ("green",),
        ),
        (
            ("my van is green, remember that", "remember that my van reg is KL52 FGO"),
            "what u got on my van now",
            ("green", "KL52 FGO"),
        ),
        (
            ("my car is a polo, remember that", "remember that my car colour is blue"),
            "what have you got on my car",
            ("polo", "blue"),
        ),
        (("我的车是丰田 记一下", "我车牌是京A12345 记一下"), "关于我的车你知道什么", ("丰田", "京A12345")),
    ],
)
def test_what_is_known_of_a_thing_is_told_with_that_of_its_parts(
    tmp_path: Path, past: bytes, told: tuple[str, ...], asked: str, words: tuple[str, ...]
) -> None:
    with talking(tmp_path, past) as conversation:
        for line in told:
            ask(conversation, line)
        reply = ask(conversation, asked)
        assert all(word in reply.text for word in words), reply.text


@contextmanager
def talking(tmp_path: Path, past: bytes) -> Iterator[Conversation]:
    """A conversation with a memory of its own."""
    folder = Path(mkdtemp(dir=tmp_path))
    (folder / "memory.sqlite").write_bytes(past)
    store = open_store(Settings(store=folder, user_id="me"), lambda: NOW)
    try:
        yield make_conversation(folder, store, [])
    finally:
        store.close()


@pytest.mark.parametrize("line", ["call mom. remember my dog is Rex. " * 40, "The quick brown fox. " * 5000])
def test_a_text_of_many_clauses_is_not_parted(line: str) -> None:
    assert split_parts(line) == ()


@pytest.mark.parametrize(
    ("line", "first", "behind"),
    [
        ("remember my dog is called biscuit and shes 4, and dont ask me before alarms", "remember", "asking"),
        ("no suggestions from 9 to 5 and remember i work nights", "quiet_hours", "remember"),
        ("我不吃辣，以后别问我", "remember", "asking"),
    ],
)
def test_a_fact_and_a_setting_are_parted(line: str, first: str, behind: str) -> None:
    assert [part.kind for part in split_parts(line)] == [first, behind]


@pytest.mark.parametrize(
    "line",
    [
        "remember my sister hates tea, thanks",
        "remember that lily said don't ask me again",
        "my mom is Ann, she lives in Leeds",
    ],
)
def test_what_goes_with_a_fact_is_not_parted_from_it(line: str) -> None:
    assert split_parts(line) == ()

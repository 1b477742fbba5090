"""How a question about the past is read: what about, of which time, which words."""

from __future__ import annotations

from datetime import datetime

from assistant.conversation.past_questions import Aspect, parse_question
from assistant.conversation.periods import Period
from assistant.conversation.routing import RouteKind, route
from tests.tables import each


@each(
    ("line", "aspect", "deed", "words"),
    [
        ("when did I last call my mom", Aspect.WHEN, "call", ("mom",)),
        ("how many times did I order sushi", Aspect.HOW_OFTEN, "order", ("sushi",)),
        ("which podcast do I listen to most", Aspect.WHAT, "podcast", ()),
        ("我一般几点给妈妈打电话", Aspect.WHEN, "call", ("妈妈",)),
        ("我上周点了几次牛肉面", Aspect.HOW_OFTEN, "order", ("牛肉面",)),
        ("我昨天吃了什么", Aspect.WHAT, "eat", ()),
    ],
)
def test_a_question_is_read(line: str, aspect: Aspect, deed: str, words: tuple[str, ...]) -> None:
    question = parse_question(line)
    assert question is not None
    assert (question.aspect, question.deed, question.words) == (aspect, deed, words)


def test_times_are_read() -> None:
    assert (asked := parse_question("what did I eat for lunch last week")) is not None
    assert (asked.period, asked.hours) == (Period("week", -1), (11, 15))
    assert (asked := parse_question("我三天前听了什么歌")) is not None
    assert asked.period == Period("ago", 3)


def test_two_questions_in_one_line_are_both_read() -> None:
    question = route("which dishes did I order in march and how much").question
    assert question is not None
    assert question.second is not None
    assert (question.period, question.second.period) == (Period("named month", 3),) * 2
    assert (question.aspect, question.second.aspect) == (Aspect.WHAT, Aspect.HOW_MUCH)
    routines = route("what routines do I have and which ones ran yesterday?").question
    assert routines is not None
    assert routines.second is not None
    assert (routines.aspect, routines.second.period) == (Aspect.ABOUT, Period("day", -1))


def test_a_named_month_is_the_latest_that_has_begun() -> None:
    now = datetime(2026, 3, 10, 12)
    assert [time.date().isoformat() for time in Period("named month", 3).span(now)] == [
        "2026-03-01",
        "2026-04-01",
    ]
    assert Period("named month", 12).span(now)[0].year == 2025
    question = route("我十二月打了几次车").question
    assert question is not None
    assert question.period == Period("named month", 12)
    rolling = route("我最近三个月打了几次车").question
    assert rolling is not None
    assert rolling.period == Period("days", 90)


def test_the_question_before_is_asked_about_another_time() -> None:
    first = route("what did I eat last week").question
    assert first is not None
    before = route("and the week before?", previous=first).question
    assert before is not None
    assert (before.deed, before.period) == (first.deed, Period("week", -2))
    yesterday = route("what about yesterday?", previous=first).question
    assert yesterday is not None
    assert yesterday.period == Period("day", -1)
    cost = route("how much was it altogether?", previous=first).question
    assert cost is not None
    assert (cost.aspect, cost.deed) == (Aspect.HOW_MUCH, first.deed)
    assert route("and the week before?").kind is RouteKind.COMMAND


@each(
    "line",
    [
        "how many coffees this month?",
        "what did you do today",
        "when i was last time in the bank",
        "what do i eat for breakfast",
        "what have i had for lunch",
        "what have i been listening to",
        "这个月几杯咖啡",
        "你今天做了什么",
    ],
)
def test_questions_about_the_past_in_other_words_need_no_phone(line: str) -> None:
    assert route(line).kind is RouteKind.QUESTION


@each(
    "line",
    [
        *("how many emails today", "how many people this week", "你明天做什么"),
        *("how have i been", "what have i been up to", "what did i have"),
    ],
)
def test_counts_of_other_things_are_no_questions_about_the_past(line: str) -> None:
    assert route(line).question is None


def test_how_long_something_was_not_done_is_answered_by_the_last_time() -> None:
    question = parse_question("我多久没给妈妈打电话了")
    assert question is not None
    assert (question.deed, question.latest, question.negated) == ("call", True, False)


def test_a_question_about_a_named_turn_keeps_its_name() -> None:
    assert route("did the weather thing work").rest == "weather"
    assert route("天气那个成功了吗").rest == "天气"
    assert route("刚才那个成了吗").rest == ""


@each(
    ("line", "aspect", "deed", "words"),
    [
        ("how much did I send Ann", Aspect.HOW_MUCH, "", ("ann",)),
        ("did I pay Bob back?", Aspect.WHETHER, "pay", ("bob",)),
        ("bought any dumplings recently?", Aspect.WHETHER, "buy", ("dumplings",)),
        ("messaged ann today?", Aspect.WHETHER, "message", ("ann",)),
        ("what did I eat last saterday", Aspect.WHAT, "eat", ()),
        ("how much did the chair cost", Aspect.HOW_MUCH, "", ("chair",)),
        ("whens the last time I got a tea", Aspect.WHEN, "drink", ("tea",)),
        ("给小王转了多少钱", Aspect.HOW_MUCH, "", ("小王",)),
        ("小王那80块我还了吗", Aspect.WHETHER, "pay", ("小王", "80")),
        ("给医生打过电话吗", Aspect.WHETHER, "call", ("医生",)),
        ("椅子多少钱买的", Aspect.HOW_MUCH, "buy", ("椅子",)),
    ],
)
def test_what_leaves_out_who_did_it_is_asked_of_oneself(
    line: str, aspect: Aspect, deed: str, words: tuple[str, ...]
) -> None:
    question = parse_question(line)
    assert question is not None
    assert (question.aspect, question.deed, question.words) == (aspect, deed, words)


@each(
    "line",
    [
        "order dumplings",
        "transfer 80 yuan to Bob",
        "how much is a chair",
        "who is the king of Spain",
        "who is winning",
        "转给小王80块",
        "给医生打个电话",
        "买一把椅子",
        "外卖到了吗",
        "快递到了没",
        "昨天谁赢了比赛",
        "查一下椅子多少钱",
        "小王给我发了什么",
        "妈妈打了电话吗",
    ],
)
def test_an_order_and_a_question_about_others_ask_nothing_of_the_past(line: str) -> None:
    assert parse_question(line) is None


@each(
    ("line", "fact"),
    [
        ("whos susan lin", "susan lin"),
        ("who is my boss", "boss"),
        ("老板是谁", "老板"),
        ("我同桌叫谁", "同桌"),
    ],
)
def test_who_somebody_is_is_asked_of_the_memory(line: str, fact: str) -> None:
    question = parse_question(line)
    assert question is not None
    assert (question.aspect, question.fact) == (Aspect.FACT, fact)


@each(
    ("line", "aspect", "words"),
    [
        ("when was my last swim", Aspect.WHEN, ("swim",)),
        ("how long ago was our last picnic?", Aspect.WHEN, ("picnic",)),
        ("what have I got from the flower shop", Aspect.WHAT, ("flower",)),
        ("did we get bread at the bakery", Aspect.WHETHER, ("bread", "bakery")),
    ],
)
def test_what_was_done_last_and_what_was_got_where_it_is_sold_are_of_the_past(
    line: str, aspect: Aspect, words: tuple[str, ...]
) -> None:
    question = parse_question(line)
    assert question is not None
    assert (question.aspect, question.words) == (aspect, words)


@each("line", ["what did I get from Ann", "when is my next swim", "get me bread at the shop"])
def test_what_comes_and_what_people_sent_is_on_the_phone(line: str) -> None:
    assert parse_question(line) is None


@each(
    ("text", "whom"),
    [
        ("女儿对什么过敏？", "女儿"),
        ("建国不吃什么?", "建国"),
        ("what is Dave allergic to", "dave"),
        ("what doesn't Dave eat?", "dave"),
        ("is my son allergic to nuts?", "son"),
    ],
)
def test_what_somebody_does_not_stand_is_asked_of_them(text: str, whom: str) -> None:
    question = parse_question(text)
    assert question is not None
    assert (question.aspect, question.fact) == (Aspect.ABOUT, whom)


@each(
    "text",
    ["我对芒果过敏，女儿对花生过敏", "我对芒果过敏", "what do pandas eat", "孕妇不能吃什么", "狗不能吃什么"],
)
def test_what_tells_or_asks_of_nobody_in_particular_is_no_such_question(text: str) -> None:
    assert parse_question(text) is None


@each(
    "line",
    [
        "你怎么知道我喜欢喝拿铁的",
        "你咋知道我喜欢吃牛肉面的",
        "how do you know i like lattes",
        "我上一次点咖啡是啥时侯",
    ],
)
def test_how_a_liking_is_known_is_asked_of_what_was_had(line: str) -> None:
    question = parse_question(line)
    assert question is not None
    assert question.aspect is Aspect.WHEN
    assert not question.unread


@each(
    ("asked", "line", "deed"),
    [
        ("我上周打车一共花了多少钱?", "那外卖呢", "takeout"),
        ("how much did I spend on taxis last week", "and on food?", "eat"),
        ("how much did I spend on taxis last week", "what about coffee", "drink"),
    ],
)
def test_what_another_thing_cost_is_asked_by_its_name_alone(asked: str, line: str, deed: str) -> None:
    first = parse_question(asked)
    assert first is not None
    question = route(line, previous=first).question
    assert question is not None
    assert (question.aspect, question.deed, question.period) == (Aspect.HOW_MUCH, deed, first.period)
    assert route(line).question is None
    assert route("play jazz", previous=first).question is None
    assert route("那明天呢", previous=first).question is None


@each(
    "line",
    [
        *("what about monday", "and on monday", "how about friday", "how about march", "how about you"),
        *(
            "what about now",
            "what about tomorrow",
            "what about everything",
            "那你呢",
            "那星期一呢",
            "那现在呢",
        ),
    ],
)
def test_a_day_or_somebody_is_nothing_that_was_paid_for(line: str) -> None:
    first = parse_question("how much did I spend on lunch")
    assert first is not None
    assert route(line, previous=first).question is None


def test_what_tonight_cost_is_asked_of_the_same_thing() -> None:
    first = parse_question("how much did I spend on lunch")
    assert first is not None
    question = route("what about tonight", previous=first).question
    assert question is not None
    assert question.period is not None
    assert question.deed == first.deed

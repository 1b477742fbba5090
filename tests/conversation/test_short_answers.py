from __future__ import annotations

import pytest

from assistant.conversation.line_words import (
    ShortAnswer,
    agrees_to,
    is_bare_answer,
    read_short_answer,
)
from assistant.conversation.routing import (
    RouteKind,
    forbids_deed,
    is_refusal,
    route,
    without_opening,
    without_refusal,
)
from assistant.presentation.command_meaning import split_choice
from assistant.presentation.text import choose_by_words
from tests.tables import each

DRINKS = ("Iced latte, oat milk", "Americano", "Green tea, hot", "热奶茶少糖", "冰美式")


@each(
    ("text", "place"),
    [
        ("2", 1),
        ("２", 1),
        ("the second one", 1),
        ("number 3", 2),
        ("option 1 please", None),
        ("third", 2),
        ("the last one", 4),
        ("第二个", 1),
        ("第 4 个吧", 3),
        ("最后一个", 4),
        ("the latte", 0),
        ("I meant the green tea", 2),
        ("奶茶", 3),
        ("要冰美式吧", 4),
        ("americano", 1),
        ("9", None),
        ("9" * 5000, None),
        ("001" * 2000, None),
        ("no latte", None),
        ("no, the latte", None),
        ("no 2", None),
        ("不要奶茶", None),
        ("不奶茶", None),
        ("latte and americano", None),
        ("milk shake", None),
        ("coffee", None),
        ("one", None),
        ("", None),
    ],
)
def test_a_choice_is_meant_by_number_place_or_words_only_it_has(text: str, place: int | None) -> None:
    assert choose_by_words(text, DRINKS) == place


@pytest.mark.parametrize("word", ["hot", "iced"])
def test_words_that_two_choices_have_mean_none_of_them(word: str) -> None:
    assert choose_by_words(word, ("iced latte", "iced tea", "hot tea", "hot milk")) is None


@each(
    ("text", "answer"),
    [
        ("yes", ShortAnswer.YES),
        ("Sure!", ShortAnswer.YES),
        ("好的", ShortAnswer.YES),
        ("no thanks", ShortAnswer.NO),
        ("不用了，谢谢", ShortAnswer.NO),
        ("later", ShortAnswer.LATER),
        ("晚点吧", ShortAnswer.LATER),
        ("why?", ShortAnswer.WHY),
        ("none of them", ShortAnswer.NONE_OF_THEM),
        ("neither", ShortAnswer.NONE_OF_THEM),
        ("都不是", ShortAnswer.NONE_OF_THEM),
        ("yes, call mom", None),
        ("no meat", None),
    ],
)
def test_a_line_that_only_answers_is_known(text: str, answer: ShortAnswer | None) -> None:
    assert read_short_answer(text) is answer


@each(("text", "bare"), [("7", True), ("sure", True), ("好", True), ("7:30", False)])
def test_an_answer_to_nothing_is_told_from_a_command(text: str, bare: bool) -> None:
    assert is_bare_answer(text) is bare


@each(
    ("text", "split"),
    [
        ("the second one, but without ice", (1, "without ice")),
        ("3 but large", (2, "large")),
        ("第二个，不过不要冰", (1, "不要冰")),
        ("the americano, please hurry", (1, "please hurry")),
        ("something else, but warm", None),
        ("the latte, no, the americano", None),
        ("the latte, not the americano", None),
        ("the latte, never mind", None),
        ("第一个，不，第二个", None),
        ("第一个，不是，第二个", None),
        ("the second one", None),
        ("number 2 but deliver it to my home", (1, "deliver it to my home")),
        ("the first one to home today", (0, "to home today")),
        ("第二个要大杯", (1, "要大杯")),
        ("that one, to home", None),
    ],
)
def test_a_choice_may_come_with_a_wish(text: str, split: tuple[int, str] | None) -> None:
    assert split_choice(text, DRINKS) == split


@each("text", ["whatever", "either one is fine", "you choose", "都行", "随便吧", "I don't know"])
def test_to_leave_it_open_chooses_nothing(text: str) -> None:
    assert read_short_answer(text) is ShortAnswer.ANY
    assert choose_by_words(text, DRINKS) is None


@each(
    "text",
    [
        "no wait, don't send it",
        "wait no",
        "don't call",
        "hold on, not yet",
        "stop, that's wrong",
        "stop, wrong place",
        "stop wrong person",
        "wait, wrong person",
        "停下，发错人了",
        "等等，打错了",
        "等一下，不对",
        "no no stop, two bowls please",
        "停，地方错了",
        "停一下，不是这家",
        "先别发",
        "别付了",
    ],
)
def test_a_line_may_forbid_what_is_about_to_be_done(text: str) -> None:
    assert forbids_deed(text)
    assert route(text, running=True).kind is RouteKind.CORRECTION


@each(
    "text",
    [
        "don't add ice",
        "don't forget the chopsticks",
        "don't send it to mom, send it to dad",
        "I meant dad, not mom",
        "别点面，点饭",
        "no",
        "no, the other one",
        "stop the music",
        "stop at the gas station, please",
        "停车场在哪",
    ],
)
def test_a_line_that_says_what_to_do_instead_forbids_nothing(text: str) -> None:
    assert not forbids_deed(text)


@each("text", ["sure, but only once", "yes, just this once", "ok, this time only", "好，就这一次"])
def test_a_yes_may_say_that_it_is_for_once(text: str) -> None:
    assert read_short_answer(text) is ShortAnswer.YES


@each(
    ("said", "command"),
    [
        ("scrap that, order a pizza instead", "order a pizza"),
        ("no, never mind, play some jazz", "play some jazz"),
        ("actually cancel it, text Bob: sorry, late", "text Bob: sorry, late"),
        ("算了，放首爵士乐", "放首爵士乐"),
        ("都不要了，改成叫辆车", "叫辆车"),
        ("order a pizza instead", "order a pizza instead"),
        ("never mind, too late", "never mind, too late"),
        ("call mom, never mind", "call mom, never mind"),
        ("forget that, let's start over: play some jazz", "play some jazz"),
        ("算了，从头来：给姐姐打电话", "给姐姐打电话"),
    ],
)
def test_what_gives_up_another_command_is_no_part_of_the_next(said: str, command: str) -> None:
    assert without_refusal(said) == command


@each(
    "line",
    [
        "no, too expensive",
        "nah too expensive",
        "don't send it",
        "no thanks, it's too late",
        "not today, im having lunch with a friend",
        "no, ive got a meeting",
        "not now, we already ate",
        "不用了，我已经吃过了",
        "不用了，中午跟朋友吃",
        "太贵了，不付了",
        "不要，太贵了",
        "别发了",
        *("算了不发了", "我想了想算了不发了", "她应该睡了算了不发了", "太晚了算了不发了"),
    ],
)
def test_a_refusal_with_its_reason_is_one(line: str) -> None:
    assert is_refusal(line)


@each(
    "line",
    [
        "no, send it to my home instead",
        "no, dad instead",
        "not today, i'll have tea instead",
        "不用了，我要喝茶",
        "too expensive",
        "yes but make it two",
        "不，发给爸爸",
        "不要，而且以后别在这里付款",
        "先别发，我想想",
        "他不在",
        "",
        *("告诉她算了不发了", "跟他说算了不买了", "发消息给妈妈说算了不去了", "我想了想，发吧"),
    ],
)
def test_a_line_that_says_more_than_no_is_no_refusal(line: str) -> None:
    assert not is_refusal(line)


@each(
    ("line", "command"),
    [
        ("also call dad after that", "call dad"),
        ("and then call mom", "call mom"),
        ("然后给妈妈打电话", "给妈妈打电话"),
        # Part of what is told, or of when something happens.
        ("text mom i will come after that", "text mom i will come after that"),
        ("also text mom i will come after that", "also text mom i will come after that"),
        ("set an alarm for 7 afterwards", "set an alarm for 7 afterwards"),
        ("then again, no", "then again, no"),
        ("begin again, call Dad", "call Dad"),
        ("重新来一遍，放点爵士", "放点爵士"),
        ("start over", "start over"),
    ],
)
def test_only_what_puts_a_command_behind_another_is_left_out(line: str, command: str) -> None:
    assert without_opening(line) == command


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("yes, but to the office", (0, "to the office")),
        ("好，但是要大杯", (0, "要大杯")),
        ("yeah that one but to home today, im not in the office", (0, "to home today, im not in the office")),
        ("就那个，不过要两份", (0, "要两份")),
    ],
)
def test_a_yes_takes_the_only_choice_with_what_is_said_besides(text: str, split: tuple[int, str]) -> None:
    assert split_choice(text, ["Order a latte", "just as it was said"]) == split
    assert split_choice(text, ["Order a latte", "Order tea"]) is None


def test_a_sentence_chooses_no_command_that_has_its_words() -> None:
    choices = ["text thirty minutes I'll be late, traffic is awful", "text Susan Lin thirty minutes"]
    sentence = "I'll be thirty minutes late, traffic is awful"

    assert choose_by_words(sentence, choices) is None
    assert split_choice(sentence, choices) is None


@each("line", ["算了", "不用了", "never mind", "forget it"])
def test_what_gives_up_is_no_choice_that_has_its_words(line: str) -> None:
    choices = [
        "问问小周周三有空不，没回就算了，不用了",
        "never mind the rest, forget it and order tea",
        "tea",
    ]
    assert choose_by_words(line, choices) is None


@each(
    ("text", "kind", "is_yes"),
    [
        ("no that's all, send", "send", True),
        ("nope, nothing else, send it", "send", True),
        ("no, that's it. pay", "pay", True),
        ("就这些，付吧", "pay", True),
        ("没有别的了，发吧", "send", True),
        ("付付付", "pay", True),
        ("快点付", "pay", True),
        ("赶紧发", "send", True),
        # Of another deed, with a wish, a doubt or a question in it, or no yes at all.
        ("no that's all, send", "pay", False),
        ("no that's all, send it to mom too", "send", False),
        ("no that's all i want, no onions, send", "send", False),
        ("that's all wrong, send it again", "send", False),
        ("no that's all", "send", False),
        ("no, that's it", "pay", False),
        ("nothing else", "pay", False),
        ("就这些", "pay", False),
        ("没了", "pay", False),
        ("快点", "pay", False),
        ("快付了", "pay", False),
        ("马上付", "pay", False),
        ("付不付", "pay", False),
        ("付付看", "pay", False),
        ("别快点付", "pay", False),
        ("快点付给妈妈", "pay", False),
        ("快点发给妈妈", "send", False),
        ("付付付", "send", False),
        ("快点付好吗", "pay", False),
    ],
)
def test_a_yes_says_the_deed_and_perhaps_that_nothing_else_is_wished(
    text: str, kind: str, is_yes: bool
) -> None:
    assert agrees_to(text, kind) is is_yes

"""What a question offers, and what a typed line answers to it."""

from __future__ import annotations

import asyncio
from asyncio import Future
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from assistant.events import QuestionAsked
from assistant.i18n import has_chinese
from assistant.presentation.command_meaning import split_choice
from assistant.presentation.prompts import (
    PromptChoice,
    QuestionPrompt,
)
from assistant.presentation.ui_state import AnswerUse, read_choice
from tests.tables import each


async def test_a_likely_answer_says_why_it_is_likely() -> None:
    answer: Future[str] = asyncio.get_running_loop().create_future()
    asked = QuestionAsked(
        time=datetime(2026, 3, 10, 12, 5, tzinfo=UTC),
        step=0,
        question="Which is meant?",
        answer=answer,
        choices=("Order soup", "just as it was said"),
        reasons=("done 3 times, last Fri 6 Mar",),
    )
    prompt = QuestionPrompt(asked)
    assert [each.words for each in prompt.answers] == [
        "Order soup · done 3 times, last Fri 6 Mar",
        "just as it was said",
    ]
    prompt.choose(prompt.answers[0].choice)
    assert await answer == "Order soup"


@pytest.mark.parametrize(("reasons", "choices"), [(("done 3 times",), ("Order soup",)), ((), ())])
async def test_a_question_about_the_command_says_why_it_is_asked(
    reasons: tuple[str, ...], choices: tuple[str, ...]
) -> None:
    answer: Future[str] = asyncio.get_running_loop().create_future()
    asked = QuestionAsked(
        time=datetime(2026, 3, 10, 12, 5, tzinfo=UTC),
        step=0,
        question="Which is meant?",
        answer=answer,
        choices=choices,
        reasons=reasons,
        is_value=not choices,
    )
    assert "Asked because memory" in QuestionPrompt(asked).body[-1].unstyled
    assert len(QuestionPrompt(replace(asked, step=3)).body) == 1


@pytest.mark.parametrize(
    ("line", "told"), [("neither, something hot", "something hot"), ("都不要，来杯茶", "来杯茶")]
)
async def test_what_is_wanted_instead_of_all_choices_is_the_answer_without_the_refusal(
    line: str, told: str
) -> None:
    answer: Future[str] = asyncio.get_running_loop().create_future()
    asked = QuestionAsked(
        time=datetime(2026, 3, 10, 12, 5, tzinfo=UTC),
        step=0,
        question="Which is meant?",
        answer=answer,
        choices=("Order soup", "just as it was said"),
    )
    QuestionPrompt(asked).answer_in_words(line)
    assert answer.result() == told


@each(
    "line",
    [
        "text Ann happy birthday",
        "set an alarm for 6",
        "给老李打电话",
        "on saturday ring the bank",
        "the day after tomorrow at noon order a soup",
        "in three hours text Bo i'm off",
        "after work drive me to the gym",
        "next monday remind me to water the plants",
        "on sunday morning book a room",
        "周日提醒我交水费",
        "傍晚放点音乐",
        "下周三给老李打电话",
        "后天上午十点帮我叫个车去机场",
    ],
)
async def test_a_command_is_no_answer_to_the_question_when_another_begins(line: str) -> None:
    assert asking("today 18:00", "now: the time is a part of it").use_of(line) is AnswerUse.LINE


@each("line", ["at 9", "noon", "tomorrow morning", "周六早上", "下周三晚上八点", "半小时后", "friday then"])
async def test_a_time_answers_the_question_when_another_begins(line: str) -> None:
    assert asking("Sat 14 Mar 09:00", "now: the time is a part of it").use_of(line) is AnswerUse.ANSWER


@each(("line", "place"), [("1", 0), ("2", 1), ("3", 2)])
async def test_a_number_chooses_among_dates_that_begin_with_one(line: str, place: int) -> None:
    choices = ("3月14日 周六 09:00", "3月14日 周六 18:00", "现在：这个时间是指令的一部分")
    prompt = asking(*choices)
    assert prompt.use_of(line) is AnswerUse.ANSWER
    prompt.answer_in_words(line)
    assert prompt.settled.result() == choices[place]


@each(
    ("line", "answer"),
    [
        ("its dr may", "dr may"),
        ("Ann, no wait, Bea", "Bea"),
        ("老王，不对，老李", "老李"),
        ("actually", "actually"),
    ],
)
async def test_a_name_is_read_out_of_the_words_around_it(line: str, answer: str) -> None:
    asked = asking()
    asked.answer_in_words(line)
    assert asked.settled.result() == answer


async def test_the_only_choice_is_meant_by_words_that_point_at_it() -> None:
    asked = asking("Put on the rain sounds", "just as it was said")
    assert asked.use_of("yeah that") is AnswerUse.ANSWER
    asked.answer_in_words("yeah that")
    assert asked.settled.result() == "Put on the rain sounds"
    several = asking("Put on the rain sounds", "Put on jazz", "just as it was said")
    assert several.use_of("yeah that") is AnswerUse.UNCLEAR


@each(
    ("line", "command", "use"),
    [
        ("make it 4", "remind Bob at 3", AnswerUse.LINE),
        ("no wait, make it 4 instead", "remind Bob at 3", AnswerUse.LINE),
        ("改成四点", "明天三点提醒老王", AnswerUse.LINE),
        # What is asked about is answered, and what the command has nothing of changes nothing in it.
        ("Dr Gao", "remind Bob at 3", AnswerUse.ANSWER),
        ("Bob Stone", "remind Bob at 3", AnswerUse.ANSWER),
        ("老李", "明天三点提醒老王", AnswerUse.ANSWER),
        ("not 3, 4", "remind Bob at 3", AnswerUse.LINE),
        ("不是三点，四点", "明天三点提醒老王", AnswerUse.LINE),
    ],
)
async def test_a_change_of_the_command_that_asks_is_no_answer(
    line: str, command: str, use: AnswerUse
) -> None:
    who = "老王" if has_chinese(command) else "Bob"
    prompt = asking()
    prompt.event = replace(prompt.event, question=f"Who is “{who}”?")
    assert prompt.use_of(line, command) is use
    model = asking(step=3)
    assert model.use_of(line, command) is AnswerUse.ANSWER, "what the model asks it may well answer"


def asking(*choices: str, step: int = 0, about: str = "") -> QuestionPrompt:
    answer: Future[str] = asyncio.get_running_loop().create_future()
    moment = datetime(2026, 3, 10, 12, 5, tzinfo=UTC)
    return QuestionPrompt(
        QuestionAsked(time=moment, step=step, question="Which?", answer=answer, choices=choices, about=about)
    )


@each("about", ["open", "remark"])
@each("line", ["message Lily that it takes 20 min", "给张明发消息说我晚点到"])
async def test_an_order_answers_the_question_what_is_to_be_done(line: str, about: str) -> None:
    assert asking(about=about).use_of(line) is AnswerUse.ANSWER


async def test_ways_to_go_on_are_no_candidates_of_the_memory() -> None:
    asked = asking("nothing, I was only saying it", "just as it was said", about="remark")
    asked.event = replace(asked.event, reasons=("",))
    assert "memory is not sure" not in " ".join(row.unstyled for row in asked.body)
    assert [answer.choice for answer in asked.answers] == [*asked.event.choices]


@each(("step", "about"), [(0, "person"), (0, "open"), (0, "time"), (2, "")])
async def test_of_all_candidates_none_may_be_meant(step: int, about: str) -> None:
    asked = asking("Anna", "Berta", step=step, about=about)
    assert asked.answers[2].choice is PromptChoice.INSTEAD
    assert "1–3" in asked.choices
    assert asked.use_of("3") is AnswerUse.ANSWER
    asked.answer_in_words("3")
    assert not asked.settled.done()
    assert "your own words" in asked.choices
    asked.answer_in_words("Carla")
    assert asked.settled.result() == "Carla"


async def test_a_choice_and_what_is_said_besides_are_told_apart() -> None:
    asked = asking("Latte", "Mocha", about="open")
    assert asked.use_of("the latte, but make it large") is AnswerUse.BOTH
    assert asked.split("the latte, but make it large") == ("Latte", "make it large")
    assert asked.use_of("latte, no, mocha") is AnswerUse.UNCLEAR


@each(
    ("about", "line"),
    [
        ("person", "we went to the zoo today"),
        ("person", "tomorrow"),
        ("place", "my feet are hurting again"),
        ("place", "¥30"),
        ("time", "Susan"),
        ("person", "我今天很累"),
        ("time", "小李"),
    ],
)
async def test_what_cannot_be_the_value_is_never_the_answer_however_often_it_is_sent(
    about: str, line: str
) -> None:
    asked = asking(about=about)
    asked.event = replace(asked.event, is_value=True)
    assert asked.use_of(line) is AnswerUse.UNCLEAR
    assert asked.use_of(line) is AnswerUse.UNCLEAR
    assert "asked for" in asked.tell_unclear(line)
    assert asked.use_of(f"“{line}”") is AnswerUse.ANSWER


@each("line", ["neither, 1", "none of them, 2", "都不要，2", "none of these. 1", "neither, the latte"])
async def test_nothing_is_chosen_behind_a_refusal_of_all(line: str) -> None:
    asked = asking("Latte", "Mocha")
    asked.answer_in_words(line)
    assert not asked.settled.done()
    asked.answer_in_words("a tea")
    assert asked.settled.result() == "a tea"


@each(
    "line",
    ["no latte", "not the latte", "latte, no, mocha", "no, the latte", "neither, 1"],
)
async def test_a_choice_that_is_refused_is_asked_about_again(line: str) -> None:
    assert asking("Latte", "Mocha").use_of(line) is AnswerUse.UNCLEAR


async def test_the_model_reads_a_refusal_of_a_choice_itself() -> None:
    asked = asking("Latte", "Mocha", step=2)
    assert asked.use_of("no latte") is AnswerUse.ANSWER
    asked.answer_in_words("no latte")
    assert asked.settled.result() == "no latte"


@pytest.mark.parametrize("number", ["9" * 5000, "001" * 2000])
async def test_a_number_of_any_length_can_be_typed(number: str) -> None:
    asked = asking("Latte", "Mocha")
    assert asked.use_of(number) is AnswerUse.ANSWER
    asked.answer_in_words(number)
    assert asked.settled.result() == number


@each("choices", [("2 people", "4 people"), ("2", "4"), ("7:30", "19:30")])
async def test_a_number_that_may_be_the_value_itself_answers_only_when_it_is_sent_again(
    choices: tuple[str, ...],
) -> None:
    asked = asking(*choices)
    assert asked.use_of("2") is AnswerUse.UNCLEAR
    assert "number 2" in asked.tell_unclear("2")
    assert asked.use_of("2") is AnswerUse.ANSWER
    asked.answer_in_words("2")
    assert asked.settled.result() == "2"


@each("words", ["number 2", "the second one", "第二个"])
async def test_a_place_in_words_chooses_among_figures(words: str) -> None:
    asked = asking("2 people", "4 people")
    assert asked.use_of(words) is AnswerUse.ANSWER
    asked.answer_in_words(words)
    assert asked.settled.result() == "4 people"


async def test_an_answer_chosen_from_the_list_is_that_answer_also_where_it_is_a_number() -> None:
    asked = asking("2", "4")
    asked.choose("2")
    assert asked.settled.result() == "2"


async def test_a_number_after_all_were_refused_is_the_value() -> None:
    asked = asking("Latte", "Mocha")
    asked.answer_in_words("none of these")
    asked.answer_in_words("2")
    assert asked.settled.result() == "2"


@each(
    ("nothing", "reason"),
    [
        ("nothing, I was only saying it", "what the phone is to do"),
        ("never mind", "which fact or which past order"),
        ("nothing", "what of the command before"),
        ("什么都不做", "what of the command before"),
    ],
)
async def test_the_reason_says_what_was_not_understood(nothing: str, reason: str) -> None:
    assert reason in asking(nothing, "just as it was said", about="remark").body[-1].unstyled


async def test_a_line_that_points_at_one_of_several_is_asked_which() -> None:
    asked = asking("Order soup", "Order noodles", about="open")
    for _attempt in range(2):
        assert asked.use_of("that one but to home", "get me the usual") is AnswerUse.UNCLEAR
    told = asked.tell_unclear("that one but to home", "get me the usual")
    assert told.startswith("It is not clear which is meant.")
    assert asked.use_of("number 2 but to home", "get me the usual") is AnswerUse.BOTH


@each(
    ("line", "place"),
    [("对,4点加上", 0), ("yes", 0), ("对", 0), ("right, at four", 0), ("什么都不做", 1)],
)
async def test_a_yes_to_what_a_line_probably_meant_is_one(line: str, place: int) -> None:
    choices = ("周五下午4点加个安排", "什么都不做", "就照原话做")
    split = split_choice(line, choices)
    assert (split[0] if split is not None else read_choice(line, choices)) == place


@each(
    ("line", "command"),
    [
        ("不是周末,是周日中午", "给我妈发个微信说周末我回去吃饭"),
        ("not sunday, saturday", "tell mom that I am coming over on sunday for lunch, and bring cake along"),
    ],
)
async def test_a_change_of_what_is_asked_about_as_a_whole_answers_it(line: str, command: str) -> None:
    asked = asking("Call Anna", "just as it was said", about="open")
    shown = f"{command[:59]}…" if len(command) > 60 else command
    asked.event = replace(asked.event, question=f"Which is meant by “{shown}”?")
    assert asked.use_of(line, command) is AnswerUse.ANSWER


async def ask_for_value(question: str, about: str) -> QuestionPrompt:
    answer: Future[str] = asyncio.get_running_loop().create_future()
    time = datetime(2026, 3, 10, 12, 5, tzinfo=UTC)
    asked = QuestionAsked(
        time=time, step=0, question=question, answer=answer, kept=True, is_value=True, about=about
    )
    return QuestionPrompt(asked)


@each(
    ("question", "command", "line"),
    [
        ("“幼儿园”指哪里？", "幼儿园要拍照 七点叫我起床", "幼儿园在哪不用管 就定个闹钟"),
        ("“幼儿园”指哪里？", "幼儿园要拍照 七点叫我起床", "不用管幼儿园 定闹钟就行"),
        ("“幼儿园”指哪里？", "幼儿园要拍照 七点叫我起床", "别管幼儿园"),
        ("“幼儿园”指哪里？", "幼儿园要拍照 七点叫我起床", "就照原话做"),
        ("“幼儿园”指哪里？", "叫个车去幼儿园", "幼儿园就是阳光二幼"),
        ("Where is “my gym”?", "my gym shuts at 9, wake me at 6", "never mind the gym"),
        ("Where is “my gym”?", "my gym shuts at 9, wake me at 6", "forget the gym, just set the alarm"),
        ("Where is “my gym”?", "my gym shuts at 9, wake me at 6", "the gym doesn't matter"),
        ("Where is “my gym”?", "my gym shuts at 9, wake me at 6", "just as it was said"),
        ("Where is “my gym”?", "get me a cab to my gym", "the gym is Park Fitness"),
        ("“call mom” may order something. Where is “my gym”?", "a cab to my gym", "never mind my gym"),
        ("Where is “my gym”?", "get me a cab to my gym", "Gym Lane 5"),
    ],
)
async def test_a_line_that_says_what_to_do_with_what_is_asked_answers_at_once(
    question: str, command: str, line: str
) -> None:
    prompt = await ask_for_value(question, "place")
    assert prompt.use_of(line, command) is AnswerUse.ANSWER
    prompt.answer_in_words(line)
    assert (await prompt.settled).endswith(line)


@each("line", ["never mind", "算了", "which gym have you got down?", "call mom", "why?", "学校是哪个"])
async def test_other_lines_below_a_question_for_a_value_stay_what_they_were(line: str) -> None:
    prompt = await ask_for_value("Where is “my gym”?", "place")
    assert prompt.use_of(line, "get me a cab to my gym") is not AnswerUse.ANSWER


@each(
    ("text", "is_now"),
    [
        ("现在就订上吧", True),
        ("现在就点了吧", True),
        ("马上下单", True),
        ("立刻订", True),
        ("不等中午了 现在就买", True),
        ("别等了，赶紧叫吧", True),
        ("now please, go ahead", True),
        ("go ahead now", True),
        ("let's do it right away", True),
        ("no need to wait, order it now please", True),
        ("now, I'm starving", True),
        ("现在不要", False),
        ("现在几点了", False),
        ("现在先别订", False),
        ("现在给我妈打电话", False),
        ("not now", False),
        ("now or at noon?", False),
        ("now that you ask, when is lunch", False),
        ("order a pizza now", False),
        ("嗯" * 60, False),
        ("不" * 60, False),
        ("now " * 60 + "x", False),
    ],
)
async def test_words_that_begin_now_choose_what_begins_now(text: str, is_now: bool) -> None:
    choices = ("12:00", "now: the time is a part of it")
    answer: Future[str] = asyncio.get_running_loop().create_future()
    asked = QuestionAsked(
        time=datetime(2026, 3, 10, 1, 28, tzinfo=UTC),
        step=0,
        question="“the usual at noon, with an egg” names a time to come, “noon”. When is it to begin?",
        answer=answer,
        choices=choices,
        about="time",
    )
    prompt = QuestionPrompt(asked)
    assert (read_choice(text, choices) == 1) is is_now
    if is_now:
        assert prompt.use_of(text, "the usual at noon, with an egg") is AnswerUse.ANSWER
        prompt.answer_in_words(text)
        assert await answer == choices[1]

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from assistant.conversation.routing import RouteKind, route
from assistant.engine import Engine
from assistant.events import Cause, TurnState
from assistant.memory.database import StoreError
from assistant.presentation.command_meaning import read_approval_line
from assistant.presentation.text import format_end_advice, format_headline
from assistant.presentation.ui_state import (
    AnswerUse,
    LineMoment,
    LineUse,
    MeaningReply,
    UiState,
    list_uses,
    may_be_meant,
    read_beside,
    read_choice,
    read_line,
    read_meaning_reply,
    read_question_line,
    settle_answer,
    split_commands,
    takes_offer,
    tell_no_answer,
)
from assistant.tui.app import AssistantApp
from assistant.tui.keys import KEYS, format_footer
from assistant.tui.screens.main import MainScreen
from tests.tables import each

STATES = [
    (None, None),
    (TurnState.RESOLVING, Cause.COMMAND),
    (TurnState.WAITING, Cause.QUESTION),
    (TurnState.WAITING, Cause.APPROVAL),
    (TurnState.WAITING, Cause.MEANING),
    (TurnState.WAITING, Cause.PHONE),
    (TurnState.WAITING, Cause.MODEL),
    (TurnState.RUNNING, Cause.THINKING),
    (TurnState.RUNNING, Cause.ACTING),
    (TurnState.RUNNING, Cause.OBSERVING),
    (TurnState.PAUSING, Cause.USER_PAUSED),
    (TurnState.PAUSED, Cause.USER_PAUSED),
    (TurnState.PAUSED, Cause.HANDED_OVER),
    (TurnState.PAUSED, Cause.PHONE),
    (TurnState.FINISHED, Cause.DONE),
    (TurnState.FAILED, Cause.DONE),
    (TurnState.CANCELLED, Cause.DONE),
]


def test_states_differ_in_words() -> None:
    words = [format_headline(state, cause)[1] for state, cause in STATES]
    assert len(set(words)) == len(words)


def test_every_state_and_cause_has_words() -> None:
    for state in (None, *TurnState):
        for cause in (None, *Cause):
            sign, words = format_headline(state, cause)
            assert sign
            assert words


def test_every_key_does_something() -> None:
    for key in KEYS:
        if not key.action:
            continue
        owner, _, name = key.action.partition("(")[0].rpartition(".")
        assert hasattr(AssistantApp if owner == "app" else MainScreen, f"action_{name}"), key


def test_the_footer_always_says_how_to_stop() -> None:
    running = format_footer(UiState(TurnState.RUNNING, Cause.ACTING))
    assert running[:2] == [("esc", "pause"), ("esc esc", "cancel")]
    paused = format_footer(UiState(TurnState.PAUSED, Cause.USER_PAUSED, stopping=True))
    assert paused[:2] == [("f5", "go on"), ("esc", "again cancels")]
    handed_over = format_footer(UiState(TurnState.PAUSED, Cause.HANDED_OVER))
    assert handed_over[:2] == [("f5", "go on"), ("esc esc", "cancel")]


def test_what_was_done_is_spoken_of_only_where_a_step_was_done() -> None:
    assert format_end_advice(TurnState.CANCELLED, 2) == "What was done stays done."
    assert format_end_advice(TurnState.CANCELLED, 0) == "No step was done."
    assert "no step was done" in format_end_advice(TurnState.FAILED, 0)
    assert format_end_advice(TurnState.FINISHED, 0) == ""


def test_what_the_phone_cannot_do_again_and_again_is_said_to_be_schedulable() -> None:
    said = "every friday at 18:00 the weather for saturday"
    assert format_end_advice(TurnState.FAILED, 2, said=said) == f"To schedule it, send: /schedule {said}"
    for other in ("tell me the weather", "tomorrow at 18:00 the weather", "every song of it"):
        assert "/schedule" not in format_end_advice(TurnState.FAILED, 2, said=other)
    assert "/schedule" not in format_end_advice(TurnState.CANCELLED, 2, said=said)


def test_what_was_put_off_is_told_from_what_was_cancelled() -> None:
    assert format_headline(TurnState.CANCELLED, Cause.PUT_OFF) == ("◷", "Put off")
    advice = format_end_advice(TurnState.CANCELLED, 0, Cause.PUT_OFF)
    assert "cancel that" in advice
    assert "No step was done" not in advice


COMMAND = "Order a large latte to the office"


@each(
    "line",
    [
        "my wife's name is Anna",
        "I'm allergic to nuts",
        "remember that Tom is vegan",
        "我对花生过敏",
        "my wifes name is anna",
        "we dont eat pork",
        "oh, and my brother is called Leo",
        "I'm vegetarian btw",
        "we are both vegans",
        "我吃素",
        "remember my kid is allergic to nuts",
        "记一下哈 我闺女叫朵朵 上三年级 不吃海鲜",
        "记一下啊，我儿子对花生过敏",
        "帮我记住了哦 我老婆不吃香菜",
        "对了记一下 我妈住在西安",
    ],
)
def test_a_fact_in_mid_turn_is_kept_and_changes_nothing(line: str) -> None:
    fact = read_beside(line, COMMAND)
    assert fact is not None
    assert fact.kind is RouteKind.REMEMBER
    assert read_approval_line(line, COMMAND) is AnswerUse.LINE
    assert read_meaning_reply(line, COMMAND) is MeaningReply.LINE


@each(
    "line",
    [
        "hm, this takes long",
        "wow, cool",
        "this is taking forever",
        "ugh, so slow today",
        "I'm so tired today",
        "my back hurts",
        "omg so slow",
        "we had a long day",
        "it's raining again",
        "I slept badly",
        "这速度真慢",
        "我有点困",
        "好慢啊",
        "哇，真厉害",
        "我今天好累",
    ],
)
def test_a_remark_in_mid_turn_is_neither_a_correction_nor_a_command(line: str) -> None:
    aside = read_beside(line, COMMAND)
    assert aside is not None
    assert aside.kind is RouteKind.ASIDE
    assert read_approval_line(line, COMMAND) is AnswerUse.LINE


@each(
    "line",
    [
        "too sweet",
        "this is the wrong page",
        "you opened the wrong shop",
        "I said oat milk",
        "I want it hot",
        "my latte should be small",
        "I'm at home today",
        "the small one",
        "make it two",
        "call mom",
        "no",
        "stop",
        "I don't like the large one",
        "I am allergic to oat, use soy",
        "be quick",
        "we are three people",
        "I already paid",
        "remember to add sugar",
        "记一下买牛奶",
        "记得提醒我六点吃药",
        "记得啊 明天我要去接孩子",
        "我在家",
        "太甜了",
        "我要小杯的",
        "慢一点",
    ],
)
def test_what_may_be_for_the_turn_is_no_mere_remark(line: str) -> None:
    assert read_beside(line, COMMAND) is None


@each(
    ("text", "use"),
    [
        ("Anna Lee", AnswerUse.ANSWER),
        ("the office", AnswerUse.ANSWER),
        ("88 Long Road, building 2", AnswerUse.ANSWER),
        ("老街面馆", AnswerUse.ANSWER),
        ("set an alarm for 7:15", AnswerUse.LINE),
        ("remember that I can't eat nuts", AnswerUse.LINE),
        ("when did I last eat pizza?", AnswerUse.LINE),
        ("oh no, not now, she will be at work", AnswerUse.CANCEL),
        ("no", AnswerUse.CANCEL),
        ("算了", AnswerUse.CANCEL),
        ("yeah go ahead with that", AnswerUse.UNCLEAR),
        ("she lives next door", AnswerUse.UNCLEAR),
        ("都行", AnswerUse.UNCLEAR),
    ],
)
def test_only_what_may_be_a_name_answers_who_or_what_is_meant(text: str, use: AnswerUse) -> None:
    assert read_question_line(text, about_command=True, is_value=True) is use


@each(
    ("text", "use"),
    [
        ("which one is cheaper?", AnswerUse.UNCLEAR),
        ("what is the difference", AnswerUse.UNCLEAR),
        ("is that the new place", AnswerUse.UNCLEAR),
        ("hmm…", AnswerUse.UNCLEAR),
        ("I don't know", AnswerUse.UNCLEAR),
        ("why do you ask?", AnswerUse.UNCLEAR),
        ("my sister never liked that place", AnswerUse.UNCLEAR),
        ("how much did I send Ann", AnswerUse.LINE),
        ("哪个近一点", AnswerUse.UNCLEAR),
        ("那家店上个月关门了", AnswerUse.UNCLEAR),
        ("问这个干嘛", AnswerUse.UNCLEAR),
        ("dumplings", AnswerUse.ANSWER),
        ("something hot", AnswerUse.ANSWER),
        ("the place where I had soup", AnswerUse.ANSWER),
        ("what I had yesterday", AnswerUse.ANSWER),
        ("call Ann", AnswerUse.ANSWER),
        ("热的", AnswerUse.ANSWER),
        ("给小王打电话", AnswerUse.ANSWER),
    ],
)
def test_a_question_or_a_remark_answers_no_question(text: str, use: AnswerUse) -> None:
    assert read_question_line(text, about_command=True, is_value=False) is use


def test_a_question_back_is_told_the_reason_or_that_it_has_no_answer() -> None:
    why = "Asked because memory is not sure which."
    assert tell_no_answer("why do you ask?", why).startswith(why)
    assert "no answer to it" in tell_no_answer("which one is cheaper?", why)
    assert "never mind" in tell_no_answer("hm", why)
    assert tell_no_answer("dumplings", why) == ""
    assert may_be_meant("she lives next door", ())
    assert not may_be_meant("which one is cheaper?", ())


@each(
    ("text", "use"),
    [
        ("no", AnswerUse.ANSWER),
        ("no, not now", AnswerUse.ANSWER),
        ("send it to Tom", AnswerUse.ANSWER),
        ("don't go", AnswerUse.ANSWER),
        ("never mind", AnswerUse.CANCEL),
        ("undo", AnswerUse.LINE),
        ("move the schedule to friday", AnswerUse.ANSWER),
        ("take it back", AnswerUse.ANSWER),
        ("改回来", AnswerUse.ANSWER),
        ("the train schedule", AnswerUse.ANSWER),
    ],
)
def test_the_model_may_be_answered_with_anything_but_an_end(text: str, use: AnswerUse) -> None:
    assert read_question_line(text, about_command=False, is_value=False) is use


@each(
    ("text", "reply"),
    [
        ("don't order it", MeaningReply.CANCEL),
        ("no, don't send it", MeaningReply.CANCEL),
        ("不要下单", MeaningReply.CANCEL),
        ("wait", MeaningReply.PAUSE),
        ("please don't", MeaningReply.CANCEL),
        ("no way", MeaningReply.CANCEL),
        ("先别", MeaningReply.CANCEL),
        ("不好", MeaningReply.CANCEL),
        ("go ahead", MeaningReply.GO),
        ("start it then please", MeaningReply.GO),
        ("现在就点", MeaningReply.GO),
        ("那就开始吧", MeaningReply.GO),
        ("开始", MeaningReply.GO),
        ("order it for tomorrow", MeaningReply.CHOOSE),
        ("now", MeaningReply.CHOOSE),
        ("call my brother", MeaningReply.CHOOSE),
        ("mute the ringer at night", MeaningReply.CHOOSE),
        ("打开勿扰模式", MeaningReply.CHOOSE),
    ],
)
def test_words_that_forbid_a_meaning_do_not_begin_it(text: str, reply: MeaningReply) -> None:
    assert read_meaning_reply(text) is reply


@each(
    "text",
    [
        "don't add onions",
        "don’t add onions",
        "that's wrong",
        "no good",
        "not that one",
        "wrong person",
        "yes please stop",
        "yes, but wait",
        "forget it, call Dad instead",
        "no, don't send it, pay 5 to Bob",
        "ＮＯ, the blue one",
        "the blue one?",
        "2",
        "不对",
        "错了",
        "不要冰",
        "neither",
    ],
)
def test_a_line_that_refuses_anything_does_not_begin_a_meaning(text: str) -> None:
    assert read_meaning_reply(text) is MeaningReply.CHOOSE


@each(
    "text",
    ["make it two", "with oat milk", "without ice", "ok but make it hot", "改成热的", "多放糖", "是爸爸"],
)
def test_a_plain_change_begins_a_meaning_with_it(text: str) -> None:
    assert read_meaning_reply(text) is MeaningReply.CORRECTION


def test_pasted_lines_that_each_begin_a_task_are_several_commands() -> None:
    pasted = "buy milk\ncall mom\n\nset an alarm for 7:00"
    assert split_commands(pasted) == ["buy milk", "call mom", "set an alarm for 7:00"]


@each("text", ["call mom", "text mom:\ncall me\nbuy milk", "text mom hello\nI am late"])
def test_a_message_of_several_lines_is_one_command(text: str) -> None:
    assert split_commands(text) == [text]


@each("text", ["算了别打了", "nvm", "actually never mind", "算了 别发了", "行吧算了", "呃 算了", "不打了"])
def test_giving_up_ends_the_turn_at_an_approval_and_a_meaning(text: str) -> None:
    assert read_approval_line(text) is AnswerUse.CANCEL
    assert read_meaning_reply(text) is MeaningReply.CANCEL


@each(
    ("text", "said"),
    [
        ("its dr may", "dr may"),
        ("That's Old Wang", "Old Wang"),
        ("her name is Bea Ng", "Bea Ng"),
        ("Ann, no wait, Bea", "Bea"),
        ("Ann, actually Bea", "Bea"),
        ("李大夫，不对，王大夫", "王大夫"),
        ("老王，哦不是，老李", "老李"),
        ("他是老王", "老王"),
        ("是李大夫", "李大夫"),
        ("都不是，打给老李", "打给老李"),
        ("green tea, no sugar", "green tea, no sugar"),
        ("绿茶，不要糖", "绿茶，不要糖"),
        ("Dr. May", "Dr. May"),
        ("不对", "不对"),
        ("yeah that", "yeah that"),
    ],
)
def test_an_answer_is_what_it_says_at_last(text: str, said: str) -> None:
    assert settle_answer(text) == said


_TWO = ("Ride to the pool", "Ride to the library", "just as it was said")

_ONE = ("放雨声白噪音", "就照原话做")


@each(
    ("text", "choices", "place"),
    [
        ("yeah the second one", _TWO, 1),
        ("i mean the pool", _TWO, 0),
        ("that", _TWO, None),
        ("yes", _TWO, None),
        ("give me 2", _TWO, None),
        ("就第一个", _ONE, 0),
        ("对，就这个", _ONE, 0),
        ("好的", _ONE, 0),
        ("先去泳池", ("打车去泳池", "打车去图书馆", "就照原话做"), 0),
        ("换成海浪声", _ONE, None),
        ("现在就点", ("Tue 24 Nov 19:00", "now: the time is a part of it"), 1),
        ("right now please", ("Tue 24 Nov 19:00", "now: the time is a part of it"), 1),
        ("现在就点", ("Tue 24 Nov 19:00", "Wed 25 Nov 19:00"), None),
        ("not now", ("Tue 24 Nov 19:00", "now: the time is a part of it"), None),
        ("now or later", ("Tue 24 Nov 19:00", "now: the time is a part of it"), None),
    ],
)
def test_a_choice_is_meant_by_its_place_its_words_or_by_pointing_at_the_only_one(
    text: str, choices: tuple[str, ...], place: int | None
) -> None:
    assert read_choice(settle_answer(text), choices) == place


@pytest.mark.parametrize("text", ["Ann, no, Bea", "老王，不，老李"])
def test_a_name_with_a_no_in_it_is_asked_about_again(text: str) -> None:
    use = read_question_line(settle_answer(text), about_command=True, is_value=True)
    assert use is AnswerUse.UNCLEAR


@each("is_value", [True, False])
@each(
    "line",
    [
        "my wife is called Ines",
        "I'm allergic to mussels",
        "我老公叫李想",
        "we live at 3 Mill Lane",
        "我奶奶对虾过敏",
    ],
)
def test_a_fact_told_below_a_question_is_no_answer(line: str, is_value: bool) -> None:
    assert read_question_line(line, about_command=True, is_value=is_value) is AnswerUse.LINE


@each("is_value", [True, False])
@each("line", ["cheers, you are a star", "that is my old flat", "你真厉害", "他不住那儿"])
def test_what_has_a_verb_of_its_own_fills_nothing_at_once(line: str, is_value: bool) -> None:
    assert read_question_line(line, about_command=True, is_value=is_value) is not AnswerUse.ANSWER


@each("line", ["my mom's place", "beef noodles", "what we had on Monday", "我家", "上次那家"])
def test_what_names_something_answers(line: str) -> None:
    assert read_question_line(line, about_command=True, is_value=False) is AnswerUse.ANSWER


@each(
    ("text", "use"),
    [
        ("can you make the answers shorter and use 24h time", AnswerUse.LINE),
        ("whats the weather in Beijing tomorrow", AnswerUse.LINE),
        ("你能帮我设个7点的闹钟吗", AnswerUse.LINE),
        ("which one?", AnswerUse.UNCLEAR),
        ("what do you mean by that", AnswerUse.UNCLEAR),
        ("哪个？", AnswerUse.UNCLEAR),
    ],
)
def test_a_question_about_something_else_is_no_unclear_answer(text: str, use: AnswerUse) -> None:
    assert read_question_line(text, about_command=True, is_value=False) is use


def test_what_points_at_one_of_several_is_never_put_into_the_command() -> None:
    choices = ("Order soup", "Order noodles")
    assert not may_be_meant("yeah that one but to home today", choices)
    assert not may_be_meant("就那个，不过要两份", choices)


@each(
    ("line", "first"),
    [
        ("就是说周日中午回去吃饭", LineUse.SAY),
        ("the one with shrimp", LineUse.SAY),
        ("call mom", LineUse.QUEUE),
        ("打开手电筒", LineUse.QUEUE),
    ],
)
def test_what_begins_no_task_is_rather_for_the_running_turn(line: str, first: LineUse) -> None:
    assert next(iter(list_uses(line, LineMoment.RUNNING))) is first


@each(
    ("line", "is_next"),
    [
        ("oh and put on something chill after", True),
        ("then call mom", True),
        ("and text mom that i am late when you're done", True),
        ("完了再给妈妈打电话", True),
        ("make it two portions", False),
        ("yes, but to Tom", False),
        ("leave it for this evening", False),
        ("just send it", False),
        ("sure, whatever you like best", False),
        ("the cheapest one after all", False),
    ],
)
def test_what_is_ordered_besides_may_wait_below_an_approval(line: str, *, is_next: bool) -> None:
    uses = list(list_uses(line, LineMoment.APPROVAL))
    assert (uses[0] is LineUse.QUEUE) is is_next
    assert (LineUse.QUEUE in uses) is is_next


def test_what_begins_a_task_may_be_the_next_command_below_an_approval() -> None:
    uses = list(list_uses("跟他说一声钱转过去了", LineMoment.APPROVAL))
    assert LineUse.QUEUE in uses[1:]


@each(
    ("line", "takes", "begins"),
    [
        ("yeah remember that", True, False),
        ("yes please", True, True),
        ("ok do it", True, True),
        ("yes keep it", True, False),
        ("keep it", True, False),
        ("对，记下来", True, False),
        ("对 就这样", True, True),
        ("嗯 就这样", True, True),
        ("就这样", True, False),
        ("yes do that", True, True),
        ("ok", True, False),
        ("好的", True, False),
        ("ok cool", True, False),
        ("haha ok", True, False),
        ("that's right", True, False),
        ("好哒", True, False),
        ("好的，就这样", True, False),
        ("keep it quiet", False, False),
        ("no need", False, False),
        ("what?", False, False),
        ("remember that my sister is Anna", False, False),
        ("thanks", False, False),
    ],
)
def test_a_yes_takes_what_is_offered_and_begins_an_order_only_where_it_is_no_mere_ok(
    line: str, takes: bool, begins: bool
) -> None:
    assert takes_offer(line, "remember that I am off dairy") is takes
    assert takes_offer(line, "order beef noodles") is begins
    assert takes_offer(line, "transfer 28 to Susan") is begins
    assert takes_offer(line, "/schedule change 1 19:30") is begins
    assert not takes_offer(line, "")
    answered = SimpleNamespace(offer="remember that I am off dairy", just_told=list)
    engine = SimpleNamespace(conversation=answered, state=None, standing_command="", proactive=None)
    read = read_line(cast(Engine, engine), line, running=False)
    assert (read.rest == "I am off dairy") is takes


@each(
    ("line", "offer"),
    [
        ("no", "remember that my sister Anna knows Tom"),
        ("no", "remember that I don't like noodles"),
        ("don't", "remember that I don't eat nuts anymore"),
        ("later", "remember that I get up later"),
        ("不", "记住：我对花生不过敏"),
        ("now an", "remember that Anna knows Tom"),
    ],
)
def test_a_denial_or_a_part_of_a_word_takes_nothing_that_is_offered(line: str, offer: str) -> None:
    assert not takes_offer(line, offer)


@each(
    ("shown", "line", "begins"),
    [
        ("order a latte", "order it then please", True),
        ("call Mom", "那就打吧", True),
        ("text Mom hello", "send it", True),
        ("order a latte", "remove it", False),
        ("order a latte", "call him", False),
        ("order a latte", "删了吧", False),
        ("call Mom", "authorize it", False),
    ],
)
def test_what_is_shown_begins_by_its_own_deed_alone(shown: str, line: str, *, begins: bool) -> None:
    assert (read_meaning_reply(line, shown) is MeaningReply.GO) is begins


def test_a_line_stays_what_it_was_where_the_memory_cannot_be_read_and_that_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def refuse(*_args: object, **_how: object) -> None:
        raise StoreError("the database is busy")

    turns = SimpleNamespace(newest=refuse)
    proactive = SimpleNamespace(schedules=SimpleNamespace(all=refuse, latest=refuse))
    engine = SimpleNamespace(
        conversation=None,
        state=None,
        standing_command="",
        proactive=proactive,
        simulated_time=None,
        past_turns=lambda: turns,
    )
    line = "make that 7:30"
    assert read_line(cast(Engine, engine), line, running=False) == route(line)
    assert "the database is busy" in caplog.text

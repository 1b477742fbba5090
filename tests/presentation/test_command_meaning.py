from __future__ import annotations

from datetime import UTC, datetime

from assistant.conversation.routing import is_refusal
from assistant.events import ActionKind, Snooze
from assistant.presentation.command_meaning import (
    change_offer,
    completed_by,
    may_answer_offer,
    read_approval_line,
    read_free_line,
    read_put_off,
)
from assistant.presentation.ui_state import AnswerUse
from tests.tables import each

COMMAND = "Order a large latte to the office"


def test_a_fact_behind_a_no_is_asked_about_below_an_approval() -> None:
    assert read_approval_line("no, I'm allergic to nuts", COMMAND) is not AnswerUse.LINE


@each(
    ("text", "use"),
    [
        ("yes", AnswerUse.ANSWER),
        ("不行", AnswerUse.ANSWER),
        ("not today", AnswerUse.ANSWER),
        ("how much is it?", AnswerUse.UNCLEAR),
        ("寄到哪里？", AnswerUse.UNCLEAR),
        ("一共多少钱啊", AnswerUse.UNCLEAR),
        ("寄给谁来着", AnswerUse.UNCLEAR),
        ("what was the price again", AnswerUse.UNCLEAR),
        ("never mind, too expensive", AnswerUse.CANCEL),
        ("算了,太贵了,不买了", AnswerUse.CANCEL),
        ("no wait, don't send it", AnswerUse.ANSWER),
        ("no stop", AnswerUse.ANSWER),
        ("no, stop it please", AnswerUse.ANSWER),
        ("nah halt", AnswerUse.ANSWER),
        ("不，停下", AnswerUse.ANSWER),
        ("stop", AnswerUse.ANSWER),
        ("等等，别发", AnswerUse.ANSWER),
        ("太麻烦了，不点了", AnswerUse.CANCEL),
        ("不点了", AnswerUse.CANCEL),
        ("wait", AnswerUse.PAUSE),
        ("stop, wrong person", AnswerUse.ANSWER),
        ("停，不是这个人", AnswerUse.PAUSE),
        ("等一下", AnswerUse.PAUSE),
        ("以后付款都不用问我", AnswerUse.LINE),
        ("delete everything you know about my health", AnswerUse.LINE),
        ("remember that I can't eat nuts", AnswerUse.LINE),
        *(
            (text, AnswerUse.CHOOSE)
            for text in (
                "make it two portions",
                "yes, but to Tom",
                "sure, whatever you like best",
                "yeah go fro it",
                "sure, but not to his work number",
                "leave it for this evening",
                "don't pay by card, use the balance",
                "just send it",
                "scrap this one and ring my sister",
                "好的,付吧",
                "行，但寄到家里",
                "今晚再说吧，先别下单",
                "不要点辣的",
                "打吧",
            )
        ),
    ],
)
def test_only_a_plain_yes_approves(text: str, use: AnswerUse) -> None:
    assert read_approval_line(text) is use


@each(
    ("text", "use"),
    [
        ("no, send it to dr gao instead", AnswerUse.ANSWER),
        ("nope, order the soup instead.", AnswerUse.ANSWER),
        ("不，改发给高医生", AnswerUse.ANSWER),
        ("不是，换成李娜", AnswerUse.ANSWER),
        ("no make it large, then pay", AnswerUse.ANSWER),
        ("nah get the large one first", AnswerUse.ANSWER),
        ("no, I want oat milk in it", AnswerUse.ANSWER),
        ("不要，先换成大杯的，然后再付款", AnswerUse.ANSWER),
        ("不，换成大杯再付", AnswerUse.ANSWER),
        # None of these says what is wanted instead, or it is taken back.
        ("no problem", AnswerUse.CHOOSE),
        ("no worries go ahead", AnswerUse.CHOOSE),
        ("no wait, send it", AnswerUse.CHOOSE),
        ("不错，付吧", AnswerUse.CHOOSE),
        ("不好意思，付吧", AnswerUse.CHOOSE),
        ("不对，付吧", AnswerUse.CHOOSE),
        ("no, yes do it instead", AnswerUse.CHOOSE),
        ("不改地址了", AnswerUse.CHOOSE),
        ("send it to dr gao instead", AnswerUse.CHOOSE),
        # What forbids the deed by its name refuses it, whatever it asks for behind that.
        ("算了先别转 微信问她奶茶多少钱", AnswerUse.ANSWER),
        ("先不付了，问问李娜多少钱", AnswerUse.ANSWER),
        ("don't pay yet, ask her what it was?", AnswerUse.ANSWER),
        ("不 多少钱", AnswerUse.UNCLEAR),
        ("no, what does it cost?", AnswerUse.UNCLEAR),
        ("嗯？", AnswerUse.UNCLEAR),
    ],
)
def test_a_no_with_what_to_do_instead_is_an_answer(text: str, use: AnswerUse) -> None:
    assert read_approval_line(text) is use


@each(
    ("text", "use"),
    [
        ("hm no 60 is too much, forget the coffee", AnswerUse.ANSWER),
        ("no, half sugar for li nas", AnswerUse.ANSWER),
        ("no, one latte half sugar, the other as is", AnswerUse.ANSWER),
        ("hm nah my friend pays", AnswerUse.ANSWER),
        ("no problem", AnswerUse.CHOOSE),
        ("no worries go ahead", AnswerUse.CHOOSE),
        ("no but it's fine", AnswerUse.CHOOSE),
        *((line, AnswerUse.CHOOSE) for line in ("no changes needed", "no tip, pay", "no more items, pay")),
        *((line, AnswerUse.CHOOSE) for line in ("No 5 please", "nope that is it", "不，就这样", "不，很好")),
        ("no wait, send it", AnswerUse.CHOOSE),
        ("not bad", AnswerUse.CHOOSE),
        ("now go on with it", AnswerUse.CHOOSE),
        ("no, what's the total?", AnswerUse.UNCLEAR),
        ("forget the coffee", AnswerUse.CHOOSE),
        ("forget that I like coffee", AnswerUse.LINE),
    ],
)
def test_a_no_refuses_whatever_stands_behind_it(text: str, use: AnswerUse) -> None:
    assert read_approval_line(text, "order 2 oat lattes, one for li na, from Corner Coffee") is use


@each(
    ("text", "use"),
    [
        *(
            (line, AnswerUse.ANSWER)
            for line in (
                "no say hi first and that i bring it back sunday night",
                "not shared, ive got gear with me. the cheapest normal car",
                "not shared ive got gear with me the cheapest normal car",
                "no, just dial the number i gave you",
                "no dont pay with that card use the balance",
                "not to the office, to my home",
                "不拼车，便宜的普通车",
                "不要大杯，小杯的",
            )
        ),
        *(
            (line, AnswerUse.CHOOSE)
            for line in (
                "not bad, go ahead",
                "not cheap, but fine",
                "not shared, pay it",
                "not sure",
                "not a problem",
                "not that i know, do it",
                "not only that, also a cake",
                "no say yes",
                "不拼车，付吧",
                "不贵，叫吧",
                "不改地址了，谢谢",
                "oh and put on something chill after",
            )
        ),
    ],
)
def test_a_no_that_says_what_instead_is_one_at_every_kind_of_approval(text: str, use: AnswerUse) -> None:
    assert {read_approval_line(text, "get me a cab", kind) for kind in ActionKind} == {use}


@each("text", ["actually dont", "还是别打了", "actually no", "yeah no"])
def test_an_objection_refuses_an_approval(text: str) -> None:
    assert read_approval_line(text) is AnswerUse.ANSWER
    assert is_refusal(text)


_SONG = "Play the song Morning Light for my run"

_SONG_ZH = "播放跑步歌曲晨光"


@each(
    ("text", "offered"),
    [
        ("not that song", _SONG),
        ("no run this evening", _SONG),
        ("I can't be bothered", _SONG),
        ("nope, some soup please", _SONG),
        ("don't", _SONG),
        ("外面下雪，不出门了", _SONG_ZH),
        ("别放这首", _SONG_ZH),
        ("我不想跑", _SONG_ZH),
    ],
)
def test_a_refusal_may_answer_a_suggestion(text: str, offered: str) -> None:
    assert may_answer_offer(text, offered)


@each(
    ("text", "offered"),
    [
        ("milk not cream", _SONG),
        ("not 9, 9:15", _SONG),
        ("dinner again but not at the gym, at home", _SONG),
        ("明晚八点叫我，哦不八点半", _SONG_ZH),
        ("转给老李三十，不对，六十", _SONG_ZH),
        ("咖啡，不，绿茶", _SONG_ZH),
        ("三点提醒我拿快递，算了五点吧", _SONG_ZH),
        ("call Mom, not Dad", _SONG),
    ],
)
def test_a_command_with_a_refusal_in_it_is_no_answer_to_a_suggestion(text: str, offered: str) -> None:
    assert not may_answer_offer(text, offered)


@each(
    ("text", "wait"),
    [
        ("in an hour pls", Snooze.AN_HOUR),
        ("not now, in ten minutes", Snooze.TEN_MINUTES),
        ("一小时后吧", Snooze.AN_HOUR),
        ("十分钟后再说", Snooze.TEN_MINUTES),
        ("明天再说", Snooze.TOMORROW),
        ("tomorrow please", Snooze.TOMORROW),
        ("in two hours", True),
        ("at half past nine", True),
        ("call Mom in an hour", False),
        ("12", False),
        ("one hour of jazz", False),
    ],
)
def test_a_line_that_is_only_a_time_puts_a_suggestion_off(text: str, wait: Snooze | bool) -> None:
    assert read_put_off(text, datetime(2026, 11, 25, 7, 5, tzinfo=UTC)) == wait


def test_the_command_is_shown_with_the_answer_in_it() -> None:
    question = "What is “the usual dinner”?"
    assert completed_by("order the usual dinner without onions", question, "you rock") == (
        "order you rock without onions"
    )
    assert completed_by("order it", "Which is meant?", "you rock") == "order it: you rock"


@each(
    ("line", "use"),
    [
        ("no leave it then", AnswerUse.CANCEL),
        ("nah too expensive, leave it", AnswerUse.CANCEL),
        ("等等 不要了,今天不想吃这个,算了", AnswerUse.CANCEL),
        ("leave it at the door", AnswerUse.CHOOSE),
        ("no, send it to Dad, forget it", AnswerUse.CHOOSE),
        ("yes, forget the receipt", AnswerUse.LINE),
        ("不要了香菜", AnswerUse.CHOOSE),
    ],
)
def test_a_refusal_that_ends_with_giving_up_ends_the_turn(line: str, use: AnswerUse) -> None:
    assert read_approval_line(line, "order beef noodles", ActionKind.PAY) is use


_NOODLES = "Order beef noodles, no coriander, from Old Street Noodles to the office"


@each(
    ("line", "order"),
    [
        ("yes but at 1, im in a meeting", f"{_NOODLES}, as asked: “at 1, im in a meeting”"),
        (
            "ok but with coriander",
            "Order beef noodles, with coriander, from Old Street Noodles to the office",
        ),
        ("好的，但是不要葱", f"{_NOODLES}, as asked: “不要葱”"),
        ("yes", ""),
        *(
            (line, "")
            for line in ("对不起", "好不好", "行，不用谢", "对，不是这个", "好的，改天吧", "好的，换个时间")
        ),
        *(
            (line, "")
            for line in ("好的，就是不要了", "好的，但不要这个", "ok but not that one", "yes but wait")
        ),
        *((line, "") for line in ("ok but how much is it", "ok but first text Anna hi", "yes but no need")),
        *((line, "") for line in ("yes but at what time", "ok but to be honest I don't want it")),
        ("好的，不要葱", f"{_NOODLES}, as asked: “不要葱”"),
        ("yes just do it", ""),
        ("ok but not today", ""),
        ("yes but in an hour", ""),
        ("ok but why?", ""),
        ("yes but order a pizza instead", ""),
        ("ok and tell tom ill eat at my desk", ""),
        ("order it but from Roma", ""),
    ],
)
def test_a_yes_with_a_change_is_the_suggestion_with_it(line: str, order: str) -> None:
    assert change_offer(line, _NOODLES, datetime(2026, 3, 9, 12, tzinfo=UTC)) == order


@each(
    ("line", "use"),
    [
        ("the other card", AnswerUse.ANSWER),
        ("走短信 别发微信", AnswerUse.ANSWER),
        ("太贵了", AnswerUse.ANSWER),
        ("yes, but only from my savings", AnswerUse.ANSWER),
        ("cab is fine", AnswerUse.UNCLEAR),
        ("let me check my balance", AnswerUse.UNCLEAR),
        ("我问下我妈", AnswerUse.UNCLEAR),
        ("whats taking so long", AnswerUse.UNCLEAR),
        ("有没有优惠", AnswerUse.UNCLEAR),
        ("call mom", AnswerUse.CHOOSE),
        ("then call her", AnswerUse.CHOOSE),
        ("in an hour", AnswerUse.CHOOSE),
        ("等我回家", AnswerUse.CHOOSE),
        ("六点以后", AnswerUse.CHOOSE),
    ],
)
def test_what_is_neither_yes_nor_no_is_a_change_an_open_answer_or_asked_about(
    line: str, use: AnswerUse
) -> None:
    assert read_free_line(line) is use


def test_a_line_of_a_thousand_refusals_is_read() -> None:
    assert read_approval_line("不" * 1000) is not AnswerUse.ANSWER

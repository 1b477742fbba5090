"""What stands behind thanks, a greeting, an agreement or a complaint is done, and never swallowed by it.

A rule behind an order is none of it.
"""

from __future__ import annotations

import time

from assistant.conversation.routing import Route, RouteKind, begins_task, route, without_opening
from assistant.conversation.service import Conversation
from assistant.understand.perceive import is_order
from tests.tables import each

TALK = (RouteKind.THANKS, RouteKind.GREETING, RouteKind.PARTING, RouteKind.HELP, RouteKind.REMARK)


@each(
    ("line", "order"),
    [
        ("thanks! oh and text alex that i'll be 10 mins late", "text alex that i'll be 10 mins late"),
        ("thank you so much, now order the usual coffee", "order the usual coffee"),
        ("hey there! can you call mom please", "can you call mom please"),
        ("good morning, set an alarm for 7 tomorrow", "set an alarm for 7 tomorrow"),
        ("cheers mate. also turn off the wifi", "turn off the wifi"),
        ("great job! while you're at it, turn the brightness down", "turn the brightness down"),
        ("ok cool, play some jazz then", "play some jazz then"),
        ("ugh this takes forever, just book me a taxi home", "book me a taxi home"),
        ("you're too slow, but whatever: text mom i'll be late", "text mom i'll be late"),
        (
            "perfect, and while you are at it add milk to my shopping list",
            "add milk to my shopping list",
        ),
        ("wow nice. oh, also send dad the address", "send dad the address"),
        ("lol thanks, btw turn on do not disturb", "turn on do not disturb"),
        ("sorry to bother you again, could you open the calendar", "could you open the calendar"),
        ("awesome!! one more thing: remind me to buy stamps at six", "remind me to buy stamps at six"),
        ("hi hi, quick one: can you text mom that i landed", "can you text mom that i landed"),
        ("hmm that was slow. anyway, order the dumplings", "order the dumplings"),
        ("so annoying... anyway text anna i'm stuck in traffic", "text anna i'm stuck in traffic"),
        ("cool thx can you set a timer for 10 min", "set a timer for 10 min"),
        ("ok thank you call dad now", "call dad now"),
        ("thx! now pls call mom", "call mom"),
        ("thanks, please send mom a message: please call", "send mom a message: please call"),
        ("谢谢，现在请给妈妈打电话", "给妈妈打电话"),
        ("谢谢，请假条发给老板", "请假条发给老板"),
        ("嗨,能帮我订一杯美式吗", "能帮我订一杯美式吗"),
        ("麻烦你了,顺便看看明天的天气", "看看明天的天气"),
        ("抱歉又打扰,给老妈打个电话", "给老妈打个电话"),
        ("谢了哈,对了顺便把蓝牙关了", "把蓝牙关了"),
        ("谢谢!帮我给妈妈打个电话", "帮我给妈妈打个电话"),
        ("辛苦啦,再点一杯拿铁", "再点一杯拿铁"),
        ("你好,帮我叫个车回家", "帮我叫个车回家"),
        ("早上好呀,今天七点半叫我起床", "今天七点半叫我起床"),
        ("好慢啊,算了先把亮度调低", "先把亮度调低"),
        ("太棒了,顺便把手电筒打开", "把手电筒打开"),
        ("哈哈不错,对了给爸爸发消息说我晚点到", "给爸爸发消息说我晚点到"),
        ("行吧,多谢,另外把静音打开", "把静音打开"),
        ("哎呀烦死了,给我放点音乐", "给我放点音乐"),
    ],
)
def test_an_order_behind_small_talk_is_begun_without_it(line: str, order: str) -> None:
    target = route(line)

    assert (target.kind, target.text, without_opening(line)) == (RouteKind.COMMAND, order, order)


@each(
    ("line", "kind"),
    [
        ("thanks, and how much did i spend on food last week?", RouteKind.QUESTION),
        ("ugh this takes forever, did you actually order the lunch or not??", RouteKind.LAST_TURN),
        ("hi! when did i last call mom?", RouteKind.QUESTION),
        ("oh wow ok, what did i order yesterday", RouteKind.QUESTION),
        ("nice, and when do i usually have lunch", RouteKind.QUESTION),
        ("ok thanks. what's my sister's name?", RouteKind.QUESTION),
        ("谢谢啊,对了我上周打车花了多少钱?", RouteKind.QUESTION),
        ("你好,我上次给妈妈打电话是什么时候", RouteKind.QUESTION),
        ("thanks! oh and my sister is called Anna", RouteKind.REMEMBER),
        ("hey, i'm allergic to peanuts btw", RouteKind.REMEMBER),
        ("谢啦,对了我对虾过敏", RouteKind.REMEMBER),
    ],
)
def test_a_question_or_a_fact_behind_small_talk_is_taken(line: str, kind: RouteKind) -> None:
    assert route(line).kind is kind


@each(
    "line",
    [
        "thanks, you're the best!",
        "wow ok that was quick, nice",
        "good morning! how are you today?",
        "谢谢你啦,辛苦了,真厉害",
        "ok thanks bye",
        "thanks for the help with the alarm yesterday, really great",
        "行,今儿辛苦了,谢啦",
        "好的好的,谢谢,没事了",
        "Hey there!",
        "你好！",
    ],
)
def test_nothing_but_small_talk_begins_nothing(line: str) -> None:
    assert route(line).kind in TALK


_OPENINGS = (
    "thanks!",
    "hi there,",
    "ok cool,",
    "ugh, so slow.",
    "you're the best,",
    "谢谢啦，",
    "好慢啊，",
    "你好！",
)
_JOINS = ("", "oh and ", "btw ", "also ", "by the way, ", "对了", "顺便")
_ORDERS = (
    "turn off the lights",
    "text mom hello",
    "order a latte",
    "把灯关了",
    "给妈妈发消息说我到了",
    "点一杯拿铁",
)


def test_a_line_with_a_part_that_orders_is_never_answered_with_small_talk_alone() -> None:
    swallowed = [
        line
        for opening in _OPENINGS
        for join in _JOINS
        for order in _ORDERS
        if begins_task(order) or is_order(order)
        for line in (f"{opening} {join}{order}", f"{opening}{join}{order}!")
        if route(line).kind in TALK or route(line, running=True).kind in TALK
    ]

    assert swallowed == []


@each(
    ("line", "order"),
    [
        (
            "thx! now pls water my plants and pay marco the 15 i owe him",
            "water my plants and pay marco the 15 i owe him",
        ),
        ("thanks, water my plants", "water my plants"),
        ("thanks, going to bed now", ""),
        ("thanks, the noodles were great and cheap", ""),
    ],
)
def test_an_order_behind_a_thanks_is_not_swallowed(line: str, order: str) -> None:
    target = route(line)
    assert (target.text if target.kind is RouteKind.COMMAND else "") == order


@each(
    ("said", "order", "words"),
    [
        ("set a timer for 10 min n dont ask me before timers", "set a timer for 10 min", "asked each time"),
        ("order a pizza and never order onions for me", "order a pizza", "onions"),
        ("order a pizza, from now on never order garlic for me", "order a pizza", "garlic"),
        ("点份披萨，以后点外卖别放香菜", "点份披萨", "香菜"),
    ],
)
def test_a_rule_behind_an_order_is_no_part_of_it(
    conversation: Conversation, said: str, order: str, words: str
) -> None:
    reply = conversation.reply(route(said))
    assert words in reply.text
    assert reply.offer == order
    assert route(order).kind is RouteKind.COMMAND


@each(
    "said",
    [
        *("text mom hi and don't ask me before sending", "text mom never order onions for me"),
        *(
            "order a pizza and don't put onions on it",
            "order a pizza, no onions",
            "order a pizza and never mind",
        ),
        *("set an alarm for 7 and don't wake me before 7", "call tom and tell him don't ask me before lunch"),
        *(
            "play jazz, don't stop",
            "set a timer for 10 min and don't tell mom",
            "点杯咖啡，别放糖",
            "打车回家，不要走高速",
        ),
        # For somebody else, for a day, for this order, or asked of somebody else.
        *("order a cake for Tom, never order anything with nuts", "order cat food, never order fish for me"),
        *("order lunch and never order meat on fridays", "order pizza and never ever order olives again"),
        "order a coffee, never pay without asking the waiter",
    ],
)
def test_what_is_said_of_the_order_itself_is_no_rule(said: str) -> None:
    assert route(said) == Route(RouteKind.COMMAND, said)


@each("line", ["请" * 2000, "please " * 280, "can you " * 250, "现在请" * 600])
def test_a_line_of_the_same_words_is_read_in_no_time_and_kept_whole(line: str) -> None:
    begun = time.process_time()
    assert route(line) == Route(RouteKind.COMMAND, line)
    assert time.process_time() - begun < 3

"""What a line that is typed while a turn runs is for."""

from __future__ import annotations

import pytest

from assistant.conversation.routing import RouteKind, gives_up, route
from assistant.events import PlannedTask
from assistant.presentation.text import halts_turn
from assistant.presentation.ui_state import SubTaskOrder, route_to_sub_task
from tests.growth import growth
from tests.tables import each


@each(
    ("line", "kind", "sure"),
    [
        ("no, the other shop", RouteKind.CORRECTION, True),
        ("without coriander", RouteKind.CORRECTION, True),
        ("换成大份的", RouteKind.CORRECTION, True),
        ("call mom", RouteKind.COMMAND, True),
        ("打电话给妈妈", RouteKind.COMMAND, True),
        ("purple", RouteKind.COMMAND, False),
        # Both a correction and a command: the user is asked which.
        ("call mom instead", RouteKind.COMMAND, False),
        ("add milk to my shopping list", RouteKind.COMMAND, False),
        ("and also tell mom", RouteKind.COMMAND, False),
        ("tell Ben too", RouteKind.COMMAND, False),
        ("也跟我妈说一声", RouteKind.COMMAND, False),
        ("再给爸爸发一个", RouteKind.COMMAND, False),
        ("tell me more", RouteKind.CORRECTION, True),
        ("stop", RouteKind.STOP, True),
        ("hold on a sec", RouteKind.STOP, True),
        ("wait", RouteKind.STOP, True),
        ("just a second", RouteKind.STOP, True),
        ("等等", RouteKind.STOP, True),
        ("稍等一下", RouteKind.STOP, True),
        ("how long will this take?", RouteKind.PROGRESS, True),
        ("还要多久？", RouteKind.PROGRESS, True),
        ("are you done yet?", RouteKind.PROGRESS, True),
        ("never mind, it's too expensive", RouteKind.CANCEL, True),
        ("oh no, not now, he is asleep", RouteKind.CANCEL, True),
        ("算了，太晚了，不去了", RouteKind.CANCEL, True),
        # What follows says what is wanted instead, or asks.
        ("never mind, make it tea", RouteKind.COMMAND, False),
        ("no, not that one", RouteKind.CORRECTION, True),
        ("今天别放糖，换大杯", RouteKind.CORRECTION, True),
        ("多久能到？", RouteKind.COMMAND, False),
        ("and then call mom", RouteKind.COMMAND, True),
        ("also call dad after that", RouteKind.COMMAND, True),
        ("also order a coke", RouteKind.COMMAND, False),
        ("also add a coke", RouteKind.CORRECTION, True),
        ("做完以后打电话给妈妈", RouteKind.COMMAND, True),
        ("what did you do since I started, step by step", RouteKind.LAST_TURN, True),
    ],
)
def test_while_a_turn_runs_a_line_may_be_for_it(line: str, kind: RouteKind, sure: bool) -> None:
    target = route(line, running=True)
    assert (target.kind, target.sure) == (kind, sure)


@each("line", ["you opened the wrong shop", "this is the wrong page", "你点错了"])
def test_while_a_turn_runs_a_remark_is_for_the_turn(line: str) -> None:
    assert route(line, running=True).kind in (RouteKind.CORRECTION, RouteKind.COMMAND)


def test_while_a_turn_runs_a_fact_is_for_the_turn() -> None:
    assert route("I'm allergic to shellfish", running=True).kind is not RouteKind.REMEMBER


SUB_TASKS = (
    PlannedTask(id="a", instruction="look up", app="Maps", state="running"),
    PlannedTask(id="b", instruction="look up", app="Maps", state="running"),
    PlannedTask(id="c", instruction="compare", app="Bills"),
    PlannedTask(id="d", instruction="read", app="Notes", state="done"),
    PlannedTask(id="e", instruction="write", app="Notes"),
    PlannedTask(id="f", instruction="买", app="淘宝"),
)


@each(
    ("line", "order"),
    [
        ("pause a", (RouteKind.STOP, "a")),
        ("please stop b.", (RouteKind.STOP, "b")),
        ("Cancel Bills", (RouteKind.CANCEL, "c")),
        ("go on with c", None),
        ("resume notes", (RouteKind.RESUME, "e")),
        ("暂停淘宝", (RouteKind.STOP, "f")),
        ("取消 f", (RouteKind.CANCEL, "f")),
        # Two that are not over have this app.
        ("pause maps", None),
        # No word of an order may end in the letter.
        ("pausea", None),
        ("stop", None),
        ("stop the music on Bills", None),
        ("a", None),
        ("maps", None),
    ],
)
def test_a_line_orders_one_sub_task_only_if_it_names_it(
    line: str, order: tuple[RouteKind, str] | None
) -> None:
    assert route_to_sub_task(line, SUB_TASKS) == (SubTaskOrder(*order) if order else None)


@each("line", ["for two please", "that one I don't want", "那份不要了", "make it two portions"])
def test_words_about_the_running_turn_are_no_next_command(line: str) -> None:
    found = route(line, running=True)
    assert found.kind is RouteKind.CORRECTION
    assert found.sure


@each("line", ["来两份", "我要两份", "给我来三杯吧", "forget it, get the beef noodles"])
def test_another_amount_or_thing_said_during_a_turn_is_for_it(line: str) -> None:
    during = route(line, running=True)
    assert (during.kind, during.sure) == (RouteKind.CORRECTION, True)
    assert route("来两份牛肉面", running=True).kind is RouteKind.COMMAND


@pytest.mark.parametrize("line", ["forget the noodles, get a salad", "忘了它吧，点牛肉面"])
def test_what_is_dropped_for_something_else_is_not_forgotten(line: str) -> None:
    assert route(line, running=True).kind is not RouteKind.FORGET


def test_a_place_in_a_list_is_for_the_running_turn_while_one_runs() -> None:
    assert route("the second one", running=True).kind is not RouteKind.ANSWER


@each(
    "line",
    [
        "actually dont",
        "actually don't",
        "dont",
        "nah dont",
        "please don't",
        "hold up, dont",
        "on second thought don't send it",
        "actually no",
        "no",
        "leave it",
        "还是别打了",
        "先别",
        "别了",
        "不打了",
        "其实不用了",
        "不",
    ],
)
def test_an_objection_halts_the_running_turn(line: str) -> None:
    assert halts_turn(line) or route(line, running=True).kind in (RouteKind.STOP, RouteKind.CANCEL)


@each(
    "line",
    [
        "actually make it two",
        "actually don't add ice",
        "don't add ice",
        "别放辣",
        "等等 我要热的",
        "no sugar",
    ],
)
def test_a_change_of_the_running_turn_does_not_halt_it(line: str) -> None:
    assert not halts_turn(line)
    assert route(line, running=True).kind in (RouteKind.CORRECTION, RouteKind.COMMAND)


@each(
    "line",
    [
        "nvm",
        "actually nvm",
        "actually never mind",
        "nah, nvm",
        "算了别打了",
        "算了 别点了",
        "算了不打了",
        "不点了",
        "我不想买了",
        "太贵了，不订了",
        "还是算了吧",
        "要不算了",
    ],
)
def test_what_gives_up_ends_the_turn(line: str) -> None:
    assert route(line, running=True).kind is RouteKind.CANCEL


def test_a_long_line_is_read_in_linear_time() -> None:
    assert growth(gives_up, "那就" * 5, "那就" * 20) < 9
    assert gives_up("那就不要了")
    assert gives_up("那就算了")


@each(
    "line",
    [
        "不点辣的了，换清淡的",
        "先不点了",
        "别点了",
        "算了，不要辣",
        "算了别打给妈妈，打给爸爸",
        "forget it, call dad instead",
    ],
)
def test_what_gives_up_for_something_else_does_not_only_end_the_turn(line: str) -> None:
    assert route(line, running=True).kind is not RouteKind.CANCEL

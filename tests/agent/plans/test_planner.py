"""Which commands become plans: by their words, like an earlier one, or by a model; others stay."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from assistant.agent.plans.plan import Plan, PlanSource, SubTask, find_plan_error, format_plan
from assistant.agent.plans.planner import (
    ask_for_plan,
    find_added_words,
    find_lost_words,
    find_repeated_words,
    names_several_apps,
    only_reads,
    parse_model_plan,
    plan_from_past,
    split_command,
)
from assistant.model.types import ModelUnavailable
from tests.tables import each

APPS = [
    "Shop",
    "Market",
    "Chat",
    "Rail",
    "Weather",
    "Notes",
    "Clock",
    "Settings",
    "Video",
    "淘宝",
    "京东",
    "微信",
]


def shown(command: str) -> str | None:
    """The plan of a command by its words, as it is shown."""
    plan = split_command(command, APPS)
    return format_plan(plan) if plan is not None else None


@each(
    ("command", "plan"),
    [
        (
            "find the price of earphones on Shop and Market and send them to Mom on Chat",
            "a @Shop: find the price of earphones on Shop | b @Market: find the price of earphones on Market"
            " | c @Chat: send {{a}}, {{b}} to Mom on Chat",
        ),
        (
            "check the weather in Shanghai on Weather and tell Mom on Chat",
            "a @Weather: check the weather in Shanghai on Weather | b @Chat: tell Mom on Chat: {{a}}",
        ),
        (
            "find a train to Shanghai on Rail and send the time to my sister on Chat",
            "a @Rail: find a train to Shanghai on Rail | b @Chat: send {{a}} to my sister on Chat",
        ),
        (
            "turn on dark mode in Settings and set an alarm for 7 on Clock",
            "a @Settings: turn on dark mode in Settings | b @Clock after a: set an alarm for 7 on Clock",
        ),
        (
            "在淘宝和京东上查大疆的价格，然后用微信把结果发给妈妈",
            "a @淘宝: 在淘宝上查大疆的价格 | b @京东: 在京东上查大疆的价格"
            " | c @微信: 用微信把{{a}}, {{b}}发给妈妈",
        ),
    ],
)
def test_a_clear_command_over_several_apps_becomes_a_plan(command: str, plan: str) -> None:
    assert shown(command) == plan


@each(
    "command",
    [
        "order beef noodles on Shop",
        "find tea and send it to Mom",
        "send Mom a message on Chat: look at Shop and then open Rail",
        "tell Mom on Chat that dinner is on Rail",
        "send Mom “look it up on Shop and buy it on Market” on Chat",
        "find milk on Shop and Market and send the cheaper one to Mom on Chat",
        "find milk on Shop and if it is there tell Mom on Chat",
        "buy milk on Shop and Market",
        "find a train on Rail, book it on Rail and tell Mom on Chat",
        "find milk, then tell Mom on Chat and note it in Notes",
        "在微信上告诉妈妈去淘宝上看看",
        "打开微信",
    ],
)
def test_one_app_or_doubt_leaves_a_command_as_it_is(command: str) -> None:
    assert split_command(command, APPS) is None


VOCABULARY = (
    'find send it them the price of tea to Mom on Shop Market Chat Rail and then , . : tell buy 2 not "'
)
WORDS = st.sampled_from(VOCABULARY.split())


@given(st.lists(WORDS, max_size=24).map(" ".join))
def test_whatever_is_said_a_plan_says_it_all_and_can_be_carried_out(command: str) -> None:
    plan = split_command(command, APPS)
    if plan is None:
        return
    assert find_plan_error(plan) == ""
    spoken = " ".join(f"{task.instruction} {task.value}" for task in plan.tasks)
    for word in ("tea", "Mom", "2", "not", "buy", "of"):
        assert spoken.split().count(word) >= min(1, command.split().count(word))
    for task in plan.tasks:
        if not only_reads(task.instruction):
            assert command.split().count("buy") >= task.instruction.split().count("buy")


@given(st.text(max_size=120))
def test_no_text_breaks_the_reading(command: str) -> None:
    assert split_command(command, APPS) is None or names_several_apps(command, APPS)


def test_a_command_like_one_that_ended_well_takes_its_plan() -> None:
    past = split_command("find the price of green tea on Shop and send it to Mom on Chat", APPS)
    assert past is not None
    plan = plan_from_past("find the price of a red kettle on Shop and send it to Dad on Chat", [past], APPS)
    assert plan is not None
    assert plan.source is PlanSource.TEMPLATE
    assert format_plan(plan) == (
        "a @Shop: find the price of a red kettle on Shop | b @Chat: send {{a}} to Dad on Chat"
    )
    assert plan_from_past("order noodles on Market", [past], APPS) is None


def _reply(*tasks: tuple[str, str, str, str]) -> str:
    keys = ("id", "app", "instruction", "value")
    return json.dumps({"tasks": [{**dict(zip(keys, task, strict=True)), "after": []} for task in tasks]})


COMMAND = "find milk on Shop and Market and send the cheaper one to Mom on Chat"
GOOD = _reply(
    ("a", "Shop", "find milk on Shop", "the price"),
    ("b", "Market", "find milk on Market", "the price"),
    ("c", "Chat", "send the cheaper one {{a}} {{b}} to Mom on Chat", ""),
)


async def _plan_of(answer: str) -> Plan | None:
    async def ask(system: str, user: str, schema: dict[str, object]) -> str:
        assert json.loads(user)["command"] == COMMAND
        return answer

    return await ask_for_plan(COMMAND, APPS, ask)


async def test_a_model_plans_what_the_words_leave_open() -> None:
    plan = await _plan_of(GOOD)
    assert plan is not None
    assert plan.source is PlanSource.MODEL
    assert plan.task("c").slots == ("a", "b")


@each(
    "answer",
    [
        "no",
        "[]",
        '{"tasks": []}',
        '{"tasks": [{"id": "a"}, {"id": "b"}]}',
        GOOD.replace("milk", "bread"),
        GOOD.replace("to Mom", "to Mallory"),
        GOOD.replace(" to Mom", ""),
        GOOD.replace("{{b}}", "{{x}}"),
        GOOD.replace("{{a}}", "{{c}}"),
        _reply(
            ("a", "Shop", "find milk on Shop", "the price"),
            ("b", "Chat", "send the cheaper one {{a}} to Mom on Chat", ""),
            ("c", "Market", "send the cheaper one to Mom on Market and Chat", ""),
        ),
    ],
)
async def test_a_models_plan_that_loses_adds_or_doubles_anything_is_not_taken(answer: str) -> None:
    assert await _plan_of(answer) is None


async def test_without_an_answer_of_the_model_there_is_no_plan() -> None:
    async def ask(system: str, user: str, schema: dict[str, object]) -> str:
        raise ModelUnavailable("gone")

    assert await ask_for_plan(COMMAND, APPS, ask) is None
    assert parse_model_plan("", COMMAND) is None


def test_words_that_are_lost_added_or_said_twice_are_seen() -> None:
    said = "find green tea on Shop and send it to Mom on Chat"
    tasks = [
        SubTask(id="a", instruction="find green tea on Shop", value="it"),
        SubTask(id="b", instruction="send {{a}} to Mom on Chat"),
    ]
    assert find_lost_words(said, tasks) == []
    assert find_added_words(said, tasks) == []
    assert find_lost_words(said, tasks[1:]) == ["find", "green", "tea", "on", "shop"]
    assert find_lost_words("buy 2 and 2 teas", [SubTask(id="a", instruction="buy 2 teas")]) == ["2"]
    assert find_added_words(said, [SubTask(id="a", instruction="pay Mallory")]) == ["pay", "mallory"]
    assert find_repeated_words(said, [tasks[1], tasks[1]]) == ["send", "mom", "chat"]

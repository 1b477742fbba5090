"""What a command forbids is asked about, and a text that it only reports is said as it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.agent.context import (
    direct_speech,
)
from assistant.agent.instruction_check import find_forbidden, is_only_reported
from assistant.events import (
    ActionKind,
    Approval,
    ApprovalRequested,
    Verdict,
)
from assistant.memory.store import Store
from assistant.safety.deeds import DeedLog
from tests.agent.test_user_prompts import ask, running
from tests.tables import each


@pytest.mark.parametrize("said", ["tell Mom I'm late but don't send it yet", "跟妈妈说我晚到，先别发"])
async def test_what_the_command_forbids_is_asked_about_with_its_words_whatever_was_allowed(
    tmp_path: Path, said: str
) -> None:
    store, deeds, warnings = Store(tmp_path), DeedLog(()), list[str]()

    def answer(event: ApprovalRequested) -> None:
        warnings.append(event.warning)
        event.decision.set_result(Approval(Verdict.THIS_TURN))

    for _ in range(2):
        await ask(store, "Mom", running([]), answer, deeds, said=said)
    store.close()
    assert len(warnings) == 2
    words = "don't send it yet" if said.isascii() else "先别发"
    assert all(f"Your command says “{words}”." in warning for warning in warnings)


@each(
    ("said", "kind", "words"),
    [
        ("order my usual coffee but dont pay, just leave it in the cart", ActionKind.PAY, "dont pay"),
        ("order noodles without paying", ActionKind.PAY, "order noodles without paying"),
        ("点平时的咖啡，先别付款", ActionKind.PAY, "先别付款"),
        ("点一份牛肉面，放购物车就行", ActionKind.PAY, "放购物车就行"),
        ("empty the bin but don't delete anything", ActionKind.DELETE, "don't delete anything"),
    ],
)
def test_a_command_says_which_deed_must_not_be_done(said: str, kind: ActionKind, words: str) -> None:
    assert find_forbidden(said) == {kind: words}


@each(
    "said",
    [
        "text mom don't send the parcel",
        "tell mom I'm late, don't call me",
        "order noodles, no coriander",
        "跟妈妈说别打电话给我",
        "点牛肉面，不要香菜",
    ],
)
def test_what_is_said_to_somebody_else_forbids_nothing(said: str) -> None:
    assert find_forbidden(said) == {}


@each(
    ("instruction", "direct"),
    [
        ("tell Susan Lin not to come on sunday", "tell Susan Lin: don't come on sunday"),
        ('text Dad "don\'t wait, eat without me"', "text Dad: don't wait, eat without me"),
        ("message Anna saying “see you”", "message Anna saying: see you"),
        ("跟爸爸说让他别等我", "跟爸爸说：别等我"),
        ("告诉妈妈叫她早点睡", "告诉妈妈：早点睡"),
        ("给爸爸发消息说“别等我”", "给爸爸发消息说：别等我"),
    ],
)
def test_a_text_that_is_certain_is_told_as_it_is_written(instruction: str, direct: str) -> None:
    assert direct_speech(instruction) == direct


@each(
    "instruction",
    [
        "tell Susan Lin not to forget her keys",
        "tell Mom not to come and order pizza",
        'tell Mom i said "no"',
        "text mom about whether or not to come",
        "tell me not to forget the milk",
        "跟爸爸说我不去了，让他别等我",
        "告诉妈妈我让他别等",
    ],
)
def test_a_text_that_is_not_certain_stays_as_it_is(instruction: str) -> None:
    assert direct_speech(instruction) == instruction


@each(
    ("command", "text", "reported"),
    [
        ("跟爸爸说我不去了，让他别等我", "我不去了，让他别等我", True),
        ("tell Susan Lin not to forget her keys", "not to forget her keys", True),
        ("tell Dad I'm late", "I'm late", False),
        ("tell Dad she is late", "Anna is late", False),
        ("tell Dad I'm late", "", False),
    ],
)
def test_a_text_taken_from_the_command_is_known_to_be_reported(
    command: str, text: str, reported: bool
) -> None:
    assert is_only_reported(command, text) is reported

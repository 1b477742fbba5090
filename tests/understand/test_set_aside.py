"""Answers to “who, where or which is X?” that name no X: it does not matter, or something is ordered."""

from __future__ import annotations

import json

import pytest

from assistant.records import State
from assistant.understand.explore import is_about_asked, read_value_answer
from assistant.understand.service import Resolved, UnderstandingService
from assistant.understand.types import AnswerReading, LookupTask, OtherCommand, Question
from tests.tables import each
from tests.understand.memories import PlainProfile, memory, named
from tests.understand.test_model_assist import NOW, Writer

RIDE = "get me a taxi to the clinic"
RIDE_ZH = "叫辆车去诊所"
WAKE = "wake me at 6, my coach hates waiting"
WAKE_ZH = "幼儿园要拍照，七点叫我起床"


@each(
    ("asked", "command", "words"),
    [
        ("the clinic", WAKE, "never mind the clinic"),
        ("the clinic", WAKE, "Never mind the clinic, set the alarm"),
        ("the clinic", WAKE, "forget about the clinic and just set the alarm"),
        ("the clinic", WAKE, "the clinic doesn't matter here"),
        ("the clinic", WAKE, "which clinic doesn't matter"),
        ("the clinic", WAKE, "ignore the clinic pls"),
        ("the clinic", WAKE, "skip the clinic, the alarm is all I need"),
        ("the clinic", WAKE, "you don't need to know the clinic"),
        ("the clinic", WAKE, "no need to look up the clinic, set the alarm anyway"),
        ("the clinic", WAKE, "the clinic is just the reason"),
        ("the clinic", WAKE, "it doesn't matter, just set the alarm"),
        ("the clinic", WAKE, "just set the alarm please"),
        ("the clinic", WAKE, "oh the clinic has nothing to do with it"),
        ("my coach", WAKE, "don't worry about my coach"),
        ("my coach", WAKE, "forget him, just set the alarm"),
        ("my coach", WAKE, "who my coach is makes no difference"),
        ("my coach", WAKE, "my coach isn't important"),
        ("my coach", WAKE, "as I said"),
        ("my coach", WAKE, "just as it was said"),
        ("the clinic", RIDE, "never mind the clinic, just get me the taxi"),
        ("幼儿园", WAKE_ZH, "不用管幼儿园"),
        ("幼儿园", WAKE_ZH, "别管幼儿园 闹钟定上就行"),
        ("幼儿园", WAKE_ZH, "幼儿园在哪不用管 叫我就行"),
        ("幼儿园", WAKE_ZH, "幼儿园不重要"),
        ("幼儿园", WAKE_ZH, "幼儿园的事你别管"),
        ("幼儿园", WAKE_ZH, "管它什么幼儿园 直接定闹钟"),
        ("幼儿园", WAKE_ZH, "跟幼儿园没关系 定闹钟"),
        ("幼儿园", WAKE_ZH, "跳过幼儿园吧"),
        ("幼儿园", WAKE_ZH, "不用查幼儿园在哪了"),
        ("幼儿园", WAKE_ZH, "不用管幼儿园定闹钟就行"),
        ("幼儿园", WAKE_ZH, "无所谓 定个闹钟就好"),
        ("幼儿园", WAKE_ZH, "就定个闹钟"),
        ("幼儿园", WAKE_ZH, "就照原话做"),
        ("我教练", WAKE_ZH, "不用管教练是谁"),
        ("我教练", WAKE_ZH, "别管他 定闹钟就行"),
        ("我教练", WAKE_ZH, "教练是谁不重要"),
    ],
)
def test_what_sets_aside_what_is_asked_about_is_no_value(asked: str, command: str, words: str) -> None:
    assert read_value_answer(asked, command, words).reading is AnswerReading.DISMISSAL
    assert is_about_asked(asked, command, words)


@each(
    ("asked", "words", "value"),
    [
        ("the clinic", "Clinic Lane 5", "Clinic Lane 5"),
        ("the clinic", "clinic lane 5", "clinic lane 5"),
        ("the clinic", "Never Land Clinic", "Never Land Clinic"),
        ("the clinic", "Forget-Me-Not Nursery", "Forget-Me-Not Nursery"),
        ("the clinic", "nevermore clinic", "nevermore clinic"),
        ("the clinic", "Call Box Health", "Call Box Health"),
        ("the clinic", "meet fresh", "meet fresh"),
        ("the clinic", "the clinic on Mill Road", "the clinic on Mill Road"),
        ("the clinic", "the clinic is Park Health", "Park Health"),
        ("the clinic", "the one my sister went to", "the one my sister went to"),
        ("the café", "Never Land Café", "Never Land Café"),
        ("my coach", "Will Skip", "Will Skip"),
        ("my coach", "ignatius drop", "ignatius drop"),
        ("my coach", "my coach is Ada Ferro", "Ada Ferro"),
        ("my coach", "No One", "No One"),
        ("学校", "学校路5号", "学校路5号"),
        ("学校", "学校就是育才二小", "育才二小"),
        ("学校", "别墅区实验小学", "别墅区实验小学"),
        ("学校", "学校旁边的文具店", "学校旁边的文具店"),
        ("学校", "无锡路小学", "无锡路小学"),
        ("学校", "打浦桥小学", "打浦桥小学"),
        ("学校", "放牛班幼儿园", "放牛班幼儿园"),
        ("我教练", "别林", "别林"),
        ("我教练", "莫言", "莫言"),
        ("我教练", "教练是王总", "王总"),
        ("餐厅", "点都德", "点都德"),
    ],
)
def test_a_name_or_address_is_a_value_whatever_it_looks_like(asked: str, words: str, value: str) -> None:
    read = read_value_answer(asked, RIDE, words)
    assert (read.reading, read.words) == (AnswerReading.VALUE, value)


@each(
    ("asked", "words"),
    [
        ("the clinic", "never mind the clinic, remind my mom instead"),
        ("the clinic", "forget the clinic, Park Health"),
        ("the clinic", "set the alarm for 7 instead"),
        ("the clinic", "not the clinic, the hospital"),
        ("the clinic", "order me a pizza to the office"),
        ("the clinic", "just set the alarm"),
        ("诊所", "别管诊所 给我妈打个电话"),
        ("诊所", "不用管诊所 七点叫我"),
        ("诊所", "不在诊所"),
        ("诊所", "给我妈打个电话说我晚点到"),
    ],
)
def test_what_may_be_something_else_is_in_doubt(asked: str, words: str) -> None:
    assert read_value_answer(asked, RIDE, words).reading is AnswerReading.DOUBT


async def understood(
    command: str, answers: list[str], model: Writer | None = None, *, looks: bool = False
) -> tuple[Resolved, list[str], list[LookupTask]]:
    """A command of a user of whom nothing is known, who answers in turn; what was asked, and looked up."""
    asked, looked_up = list[str](), list[LookupTask]()

    async def ask(question: Question) -> str:
        asked.append(question.text)
        return answers[len(asked) - 1]

    async def look_up(lookup: LookupTask) -> str:
        looked_up.append(lookup)
        return "none"

    service = UnderstandingService(lambda: memory(PlainProfile()), lambda: State(time=NOW), model=model)
    look = look_up if looks else None
    return (await service.understand(command, ("Maps",), look_up=look, ask_user=ask)), asked, looked_up


@each(
    ("command", "answer"),
    [
        ("call my coach", "never mind who my coach is"),
        ("打车去我教练那儿", "不用管教练"),
        ("wake me when my class starts", "just as it was said"),
    ],
)
async def test_a_command_goes_on_as_it_was_said_and_nothing_is_learnt(command: str, answer: str) -> None:
    resolved, asked, _looked_up = await understood(command, [answer])
    assert len(asked) == 1
    assert resolved.lessons == ()
    assert resolved.resolution.instruction == command
    assert not resolved.resolution.missing


async def test_a_second_thing_is_still_asked_about() -> None:
    command = "text my coach the address of my dentist"
    resolved, asked, _looked_up = await understood(command, ["forget about my coach", "Dr Gao", "Dr Gao"])
    assert len(asked) > 1
    assert resolved.resolution.instruction.startswith("text my coach")
    assert [lesson.value for lesson in resolved.lessons] == ["Dr Gao"]


@each(
    ("command", "doubted", "as_said"),
    [
        ("call my coach", "forget my coach, order me a pizza", "just as it was said"),
        ("给我教练打电话", "别管教练 给我妈打个电话", "就照原话做"),
    ],
)
async def test_what_is_in_doubt_is_asked_again_with_a_way_to_go_on(
    command: str, doubted: str, as_said: str
) -> None:
    resolved, asked, _looked_up = await understood(command, [doubted, doubted, as_said])
    assert len(asked) == 3
    assert f"“{doubted}” may order something. “{as_said}” goes on without “" in asked[1]
    assert resolved.lessons == ()
    assert resolved.resolution.instruction == command


async def test_a_name_in_quotation_marks_is_one() -> None:
    resolved, _asked, _looked_up = await understood("call my coach", ["“Forget my coach”"])
    assert "Forget my coach" in resolved.resolution.instruction


def verdict(reading: str, words: str = "") -> Writer:
    return Writer(json.dumps({"reading": reading, "words": words}))


DOUBTED = "forget my coach, Ada Ferro from the club"


@each(
    ("reading", "words", "instruction"),
    [
        ("value", "Ada Ferro", "call Ada Ferro"),
        ("as_said", "", "call my coach"),
    ],
)
async def test_a_model_reads_what_the_rules_doubt(reading: str, words: str, instruction: str) -> None:
    model = verdict(reading, words)
    resolved, asked, _looked_up = await understood("call my coach", [DOUBTED], model)
    assert (len(asked), resolved.resolution.instruction) == (1, instruction)
    assert [lesson.value for lesson in resolved.lessons] == ([words] if words else [])
    assert DOUBTED in model.asked[-1]


@each(
    ("reading", "words"),
    [
        ("value", "Ada Lovelace"),
        ("value", "forget my coach"),
        ("value", DOUBTED),
        ("order", "Ada Ferro"),
        ("order", "order a pizza"),
        ("unclear", ""),
        ("nonsense", ""),
    ],
)
async def test_what_a_model_reads_into_an_answer_is_not_taken(reading: str, words: str) -> None:
    model = verdict(reading, words)
    resolved, asked, _looked_up = await understood("call my coach", [DOUBTED, "just as it was said"], model)
    assert len(asked) == 2
    assert resolved.resolution.instruction == "call my coach"
    assert resolved.lessons == ()


async def test_a_time_that_the_command_lacks_does_not_go_with_what_is_set_aside() -> None:
    answers = ["forget my coach, call at 7 instead", "just as it was said"]
    _resolved, asked, _looked_up = await understood("call my coach", answers, verdict("as_said"))
    assert len(asked) == 2


async def test_another_order_takes_the_place_of_the_command_as_a_model_reads_it() -> None:
    order = "text my sister that I am late"
    with pytest.raises(OtherCommand, match=order):
        await understood("call my coach", [f"forget my coach, {order}"], verdict("order", order))


async def test_no_model_reads_a_plain_name() -> None:
    model = verdict("unclear")
    resolved, _asked, _looked_up = await understood("call my coach", ["Ada Ferro"], model)
    assert resolved.resolution.instruction == "call Ada Ferro"
    assert not any("Ada Ferro" in each for each in model.asked)


async def test_what_is_known_is_filled_all_the_same() -> None:
    known = memory(PlainProfile(named("my coach", "Ada Ferro", 0.95)))
    service = UnderstandingService(lambda: known, lambda: State(time=NOW))
    assert (await service.understand("call my coach")).resolution.instruction == "call Ada Ferro"

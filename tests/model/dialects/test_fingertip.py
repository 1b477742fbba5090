from __future__ import annotations

import pytest

from assistant.model.dialects.base import MalformedReply, ModelReply, ToolCall
from assistant.model.dialects.line_actions import FingerTip
from assistant.model.types import SentImage
from assistant.records import (
    Action,
    AskUser,
    Click,
    Direction,
    Finished,
    LongClick,
    OpenApp,
    Point,
    PressBack,
    PressHome,
    PressRecent,
    Scroll,
    Swipe,
    TypeText,
    Wait,
)
from tests.growth import growth
from tests.tables import each

FRAME = SentImage(1000, 2000)
FINGERTIP = FingerTip()


def read(text: str) -> Action:
    return FINGERTIP.parse(ModelReply(text), FRAME)


@each(
    ("text", "action"),
    [
        ("click(coordinates=(336,1267), content='搜索')", Click(point=Point(0.336, 0.6335), content="搜索")),
        ("click(coordinates=(336, 1267), content='..')", Click(point=Point(0.336, 0.6335), content="..")),
        ("long_click(coordinates=(0,0), content='')", LongClick(point=Point(0, 0))),
        ("type(text='牛肉面')", TypeText(text="牛肉面")),
        ("scroll(coordinates=(500,1000), direction='down')", Scroll(direction=Direction.DOWN)),
        ("press_back()", PressBack()),
        ("press_home()", PressHome()),
        ("press_recent()", PressRecent()),
        ("wait()", Wait()),
        ("finished()", Finished()),
        ("navigate_back ()", PressBack()),
        ("finish ()", Finished()),
        ("open_app(name='Eats')", OpenApp(name="Eats")),
        ("ask_user(question='Which shop?')", AskUser(question="Which shop?")),
        ("finished(answer='It is 7:05.')", Finished(answer="It is 7:05.")),
        ("swipe(start=(0,0), end=(1000,2000))", Swipe(start=Point(0, 0), end=Point(1, 1))),
    ],
)
def test_the_forms_of_the_paper_and_ours_are_read(text: str, action: Action) -> None:
    assert read(text) == action


@each(
    ("text", "action"),
    [
        (
            "click（coordinates=（336，1267），content=‘搜索’）",
            Click(point=Point(0.336, 0.6335), content="搜索"),
        ),
        (
            'click( coordinates = [336 , 1267] , content = "搜索" )。',
            Click(point=Point(0.336, 0.6335), content="搜索"),
        ),
        ("click(coordinates=(336.4,1267))", Click(point=Point(0.3364, 0.6335))),
        ("scroll(coordinates=(500,1000), direction=Down)", Scroll(direction=Direction.DOWN)),
        ("type(text='it's fine')", TypeText(text="it's fine")),
        ("type(text='say 'hello'')", TypeText(text="say 'hello'")),
        ("type(text='see ('a') now')", TypeText(text="see ('a') now")),
        ('type(text="He said "hi", twice")', TypeText(text='He said "hi", twice')),
        ("type(text='first\nfinished()')", TypeText(text="first\nfinished()")),
        (r"type(text='it\'s\nC:\\new')", TypeText(text="it's\nC:\\new")),
        (r"type(text='\d')", TypeText(text=r"\d")),
        ("Thought: the list is not finished() yet.\nAction: press_back()", PressBack()),
        ("动作：press_back()", PressBack()),
        ("```python\npress_back()\n```", PressBack()),
        ("`press_back()`", PressBack()),
        ("1. press_back()", PressBack()),
        ("<answer>press_back()</answer>", PressBack()),
        ("press_back()<|im_end|>", PressBack()),
        ("press_back()\nThis goes back to the list.", PressBack()),
        ("press_back() press_back()", PressBack()),
    ],
)
def test_sloppy_writing_is_forgiven(text: str, action: Action) -> None:
    assert read(text) == action


@each(
    "text",
    [
        "",
        "finished",
        "finished(",
        "finished(x)",
        "finished(success=true)",
        "finished() is what comes later",
        "I do not say finished() yet.",
        "The task is done.",
        "unfinished()",
        "click(coordinates=(x,y), content='')",
        "click(coordinates=(336), content='')",
        "click(coordinates=336,1267, content='')",
        "click(coordinates='(336,1267)', content='')",
        "click(content='Search')",
        "click(coordinates=(336,1267), coordinates=(1,2))",
        "click(coordinates=(1002,5), content='')",
        "click(coordinates=(5,-2), content='')",
        "click(coordinates=(99999999999999999999,5), content='')",
        "click(coordinates=(336,1267), content='Search'",
        "click(coordinates=(336,1267), content=(1,2))",
        "type(text='')",
        "type(text='no end)",
        "type(text='hello\nfinished()",
        "type()",
        "scroll(coordinates=(1,2), direction='down or up or right or left')",
        "scroll(coordinates=(1,2))",
        "press_back() press_home()",
        "press_back()，press_home()",
        "type(text='a') finished(answer='b')",
        "dance()",
        "open_app(name='')",
        "type(text='a\ud800')",
        "<think>finished()",
    ],
)
def test_anything_else_is_malformed(text: str) -> None:
    with pytest.raises(MalformedReply):
        read(text)


def test_a_function_call_is_malformed() -> None:
    with pytest.raises(MalformedReply, match="Write the action as text"):
        FINGERTIP.parse(ModelReply(calls=(ToolCall("finished", "{}"),)), FRAME)


def test_one_pixel_outside_is_forgiven() -> None:
    assert read("click(coordinates=(1001,-1))") == Click(point=Point(1, 0))


def test_the_reason_tells_the_range() -> None:
    with pytest.raises(
        MalformedReply, match=r"\(1500, 5\) lie outside: x goes from 0 to 1000, y from 0 to 2000"
    ):
        read("click(coordinates=(1500,5), content='')")


@each("filler", [" ", "'", "\\", "click(", "type(text='a')", "\n", "- ", "type(text='", "<|", "')"])
def test_a_babbling_reply_is_read_quickly(filler: str) -> None:
    def babble(count: int) -> None:
        with pytest.raises(MalformedReply):
            read("type(text='x" + filler * count + "finished(")

    assert growth(babble, 500, 2_000) < 9

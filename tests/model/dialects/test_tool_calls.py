from __future__ import annotations

import json

import pytest

from assistant.model.dialects import registry
from assistant.model.dialects.base import NAMES, MalformedReply, ModelReply, ToolCall
from assistant.model.dialects.registry import ToolCalls
from assistant.model.types import SentImage
from assistant.records import (
    Action,
    ClearText,
    Click,
    Direction,
    Finished,
    OpenApp,
    Point,
    PressBack,
    Scroll,
    Swipe,
    TypeText,
)
from tests.tables import each

FRAME = SentImage(576, 1280)
TOOL_CALLS = ToolCalls()


def called(name: str, arguments: str) -> Action:
    return TOOL_CALLS.parse(ModelReply("Some prose.", (ToolCall(name, arguments),)), FRAME)


def said(text: str) -> Action:
    return TOOL_CALLS.parse(ModelReply(text), FRAME)


def test_there_is_one_function_for_each_action() -> None:
    functions = [tool["function"] for tool in TOOL_CALLS.tools()]

    assert {function["name"] for function in functions} == NAMES
    assert all(set(f["parameters"]["required"]) <= set(f["parameters"]["properties"]) for f in functions)


def test_what_arguments_of_several_functions_mean_is_told_once() -> None:
    click, *others = [tool["function"]["parameters"]["properties"] for tool in TOOL_CALLS.tools()]
    assert all("description" in click[name] for name in ("sensitive", "note"))
    assert all("note" in each for each in others)
    assert not any("description" in each.get(name, {}) for each in others for name in ("sensitive", "note"))
    assert "what they mean in click" in TOOL_CALLS.rules(FRAME)


@each(
    ("name", "arguments", "action"),
    [
        (
            "click",
            '{"x": 500, "y": 120, "content": "Search"}',
            Click(point=Point(0.5, 0.12), content="Search"),
        ),
        ("click", '{"x": "500", "y": 120.0}', Click(point=Point(0.5, 0.12))),
        ("click", '{"x": 1001, "y": -1}', Click(point=Point(1, 0))),
        ("click", '{"x": 1, "y": 0, "content": null}', Click(point=Point(0.001, 0))),
        ("functions.click:0", '{"x": 500, "y": 120}', Click(point=Point(0.5, 0.12))),
        ("click", '{"coordinate": [500, 120]}', Click(point=Point(0.5, 0.12))),
        ("click", '{"bbox": [400, 100, 600, 140]}', Click(point=Point(0.5, 0.12))),
        ("type", '{"text": 1234}', TypeText(text="1234")),
        ("type", '{"text": "two\nlines"}', TypeText(text="two\nlines")),
        ("scroll", '{"direction": "Down"}', Scroll(direction=Direction.DOWN)),
        (
            "swipe",
            '{"start_x": 0, "start_y": 0, "end_x": 9, "end_y": 9}',
            Swipe(start=Point(0, 0), end=Point(0.009, 0.009)),
        ),
        ("press_back", "", PressBack()),
        ("press_back", "null", PressBack()),
        ("press_back", "{}", PressBack()),
        ("finished", '{"answer": "At 7:05."}', Finished(answer="At 7:05.")),
    ],
)
def test_function_calls_are_read(name: str, arguments: str, action: Action) -> None:
    assert called(name, arguments) == action


@each(
    ("name", "arguments"),
    [
        ("", ""),
        ("dance", "{}"),
        ("finished", '{"answer": "It'),
        ("finished", "[]"),
        ("finished", '"done"'),
        ("click", "{}"),
        ("click", '{"x": 500}'),
        ("click", '{"x": 0.5, "y": 0.12}'),
        ("click", '{"x": 1200, "y": 5}'),
        ("click", '{"x": true, "y": 5}'),
        ("click", '{"x": NaN, "y": 5}'),
        ("click", '{"x": 1e999, "y": 5}'),
        ("click", '{"x": [500, 120], "y": 5}'),
        ("click", '{"coordinate": [500]}'),
        ("scroll", '{"x": 1, "y": 1, "direction": "sideways"}'),
        ("scroll", '{"x": 1, "direction": "up"}'),
        ("type", "{}"),
        ("type", '{"text": ""}'),
        ("type", '{"text": "\\ud800"}'),
        ("type", "{" * 5000),
    ],
)
def test_broken_calls_are_malformed(name: str, arguments: str) -> None:
    with pytest.raises(MalformedReply):
        called(name, arguments)


def test_a_text_in_the_place_of_another_empties_the_field_first() -> None:
    function = next(tool["function"] for tool in TOOL_CALLS.tools() if tool["function"]["name"] == "type")
    assert function["parameters"]["properties"]["clear"] == {"type": "boolean"}
    assert "clear" not in function["parameters"]["required"]

    def typed(arguments: str) -> tuple[Action, ...]:
        return TOOL_CALLS.read(ModelReply("", (ToolCall("type", arguments),)), FRAME).actions

    assert typed('{"text": "06", "clear": true}') == (ClearText(), TypeText(text="06"))
    assert typed('{"text": "06", "clear": false}') == (TypeText(text="06"),)
    assert typed('{"text": "06"}') == (TypeText(text="06"),)


def test_two_calls_are_malformed_unless_they_repeat() -> None:
    back, home = ToolCall("press_back"), ToolCall("press_home")

    assert TOOL_CALLS.parse(ModelReply(calls=(back, back)), FRAME) == PressBack()
    with pytest.raises(MalformedReply, match="several actions"):
        TOOL_CALLS.parse(ModelReply(calls=(back, home)), FRAME)


@each(
    ("family", "text", "point"),
    [
        ("gemini", "[250, 500]", Point(0.5, 0.25)),
        ("gemini", '```json\n[{"point": [250, 500], "label": "box"}]\n```', Point(0.5, 0.25)),
        ("kimi", '{"name": "click", "arguments": {"point": [0.5, 0.25]}}', Point(0.5, 0.25)),
    ],
)
def test_a_familys_own_ways_to_write_a_point_are_read(family: str, text: str, point: Point) -> None:
    assert registry.get(family).parse(ModelReply(text), SentImage(1080, 2400)) == Click(point=point)


@each("text", ["[250, 500, 3]", "[[250, 500], [1, 2]]", "See [250, 500].", "[250, 5000]"])
def test_numbers_that_are_not_one_point_are_no_click(text: str) -> None:
    with pytest.raises(MalformedReply):
        registry.get("gemini").parse(ModelReply(text), SentImage(1080, 2400))


def test_a_list_with_one_action_of_the_computer_tool_is_that_action() -> None:
    click, text = {"type": "click", "x": 540, "y": 600}, {"type": "type", "text": "tea"}
    single, batch = (
        ModelReply(calls=(ToolCall("computer", json.dumps({"actions": actions})),))
        for actions in ([click], [click, text])
    )
    dialect, frame = registry.get("openai_computer"), SentImage(1080, 2400)

    assert dialect.read(single, frame).actions == (Click(point=Point(0.5, 0.25)),)
    with pytest.raises(MalformedReply, match="several actions"):
        dialect.read(batch, frame)


CLICK = {"name": "click", "arguments": {"x": 500, "y": 120}}


@each(
    "text",
    [
        json.dumps(CLICK),
        json.dumps(CLICK, indent=2),
        f"The search button is at the top.\n```json\n{json.dumps(CLICK)}\n```",
        f"<tool_call>\n{json.dumps(CLICK)}\n</tool_call>",
        f"<tool_call>{json.dumps(CLICK)}</tool_call><|im_end|>",
        f"Action: {json.dumps(CLICK)}",
        f"[{json.dumps(CLICK)}]",
        f"The set {{a, b}} is not JSON.\n{json.dumps(CLICK)}",
        f'The row says {{"a": 1}} inside.\n{json.dumps(CLICK)}',
        f"{json.dumps(CLICK)}\n{json.dumps(CLICK)}",
        json.dumps({"action": "click", "x": 500, "y": 120}),
        json.dumps({"type": "click", "x": 500, "y": 120}),
        json.dumps({"name": "click", "parameters": {"x": 500, "y": 120}}),
        json.dumps({"type": "function", "function": CLICK}),
        json.dumps({"action": {"type": "click", "x": 500, "y": 120}}),
        json.dumps({"name": "click", "arguments": json.dumps(CLICK["arguments"])}),
    ],
)
def test_the_same_call_is_read_from_json_in_the_text(text: str) -> None:
    assert said(text) == Click(point=Point(0.5, 0.12))


def test_the_name_of_an_app_is_not_the_name_of_an_action() -> None:
    assert said('{"action": "open_app", "name": "Eats"}') == OpenApp(name="Eats")
    assert said('{"type": "type", "text": "x"}') == TypeText(text="x")


@each(
    "text",
    [
        "",
        "The task is finished.",
        "finished()",
        '{"name": "finished", "arguments": {',
        '{"plan": [\n{"name": "finished", "arguments": {}},\n',
        'Later I send {"name": "finished", "arguments": {}} but not yet.',
        '{"name": "finished", "arguments": {}} is what I send later.',
        '{"plan": {"name": "finished", "arguments": {}}}',
        '{"status": "finished"}',
        '{"function": {}}',
        '{"name": {"name": "finished"}}',
        '[{"name": "finished", "arguments": {}}, {"name": "press_back", "arguments": {}}]',
        '{"name": "press_back", "arguments": {}}\n{"name": "press_home", "arguments": {}}',
        "[{" * 20_000,
    ],
)
def test_other_texts_are_malformed(text: str) -> None:
    with pytest.raises(MalformedReply):
        said(text)


@each("filler", ["{}", " ", "[", "{", "<tool_call>", "`", '{"a": 1} ', "\n"])
def test_a_babbling_reply_is_read_quickly(filler: str) -> None:
    with pytest.raises(MalformedReply):
        said(filler * 20_000 + '{"name": "fin')


@each(
    ("sensitive", "warning"),
    [
        ('"pays 12 euros"', "pays 12 euros"),
        ("true", "Pay"),
        ('"Yes"', "Pay"),
        ("false", ""),
        ('"None."', ""),
        ("null", ""),
        ('""', ""),
    ],
)
def test_a_calls_own_warning_is_read_and_its_action_stays(sensitive: str, warning: str) -> None:
    arguments = f'{{"x": 500, "y": 120, "content": "Pay", "sensitive": {sensitive}}}'
    parsed = TOOL_CALLS.read(ModelReply("", (ToolCall("click", arguments),)), FRAME)
    assert parsed.warning == warning
    assert parsed.actions == (Click(point=Point(0.5, 0.12), content="Pay"),)


def test_what_may_touch_something_takes_a_warning_and_needs_none() -> None:
    functions = {tool["function"]["name"]: tool["function"]["parameters"] for tool in TOOL_CALLS.tools()}
    touching = {name for name, parameters in functions.items() if "sensitive" in parameters["properties"]}
    assert touching == {"click", "long_click", "type", "swipe", "press_enter"}
    assert not any("sensitive" in parameters["required"] for parameters in functions.values())

"""Generic tool calls: one function per action, points as whole numbers 0..1000 of the screenshot.

For models that call functions (GPT, Claude, Gemini, GLM, Kimi and others). The same call written as JSON in
the text is taken too, `{"name": "click", "arguments": {"x": 500, "y": 120}}`, for endpoints that do not
offer functions.
"""

from __future__ import annotations

import json
from typing import Any

from assistant.model.dialects.actions import NAMES, arguments_of, build, point_arguments, text_argument
from assistant.model.dialects.base import MalformedReply, Reply, Tool, ToolCall, one_action, point_within
from assistant.model.dialects.json_text import alone, first_brace
from assistant.model.frame import Frame
from assistant.model.prompts import DATA_RULE, MANNERS, ChatMessage, facts, message
from assistant.model.request import StepRequest
from assistant.records import Action, Direction, Point

UNITS = 1000
"""Coordinates go from 0 to this, on both axes."""

_FAMILIES = (
    "gpt",
    "claude",
    "gemini",
    "glm",
    "kimi",
    "o3",
    "o4",
    "grok",
    "mistral",
    "llama",
    "deepseek",
    "qwen",
)

_ROLE = (
    "You operate an Android phone for its user. You are given an instruction, what has been done so far, and "
    "the current screen. Think briefly, then call exactly one function: the next action. All coordinates are "
    f"whole numbers from 0 to {UNITS} of the screenshot's width and height; the origin is the upper left "
    "corner, x grows to the right and y downward. If you cannot call functions, end your answer with one "
    "line of JSON instead: "
    '{"name": "click", "arguments": {"x": 500, "y": 120, "content": "Search"}}'
)

_DOES = {
    "click": "Tap a point. content: the text or icon there.",
    "long_click": "Press and hold a point. content: the text or icon there.",
    "type": "Enter text into the focused field.",
    "scroll": "Move the content under a point so that what lies in the direction comes into view.",
    "swipe": "Move a finger from one point to another.",
    "press_back": "Go back to the previous screen.",
    "press_home": "Go to the home screen.",
    "press_recent": "Show the recent apps.",
    "press_enter": "Press Enter on the keyboard.",
    "open_app": "Start an app by the name under its icon.",
    "wait": "Wait until the screen has had time to change.",
    "finished": "The instruction is carried out. answer: what the user asked to know, if anything.",
    "failed": "The instruction cannot be carried out. reason: why.",
    "ask_user": "Ask the user for something that only they know.",
    "take_over": "Hand over to the user what only they may do. reason: what they should do.",
}
_OPTIONAL = {"content", "answer"}


class ToolCalls:
    """The dialect `tool_calls`, which any model is spoken to in when no other fits."""

    name = "tool_calls"
    title = "Function calls, or the same as JSON in the text; coordinates 0..1000"

    def matches(self, model_name: str) -> bool:
        """Whether the model belongs to a family known to call functions."""
        return any(family in model_name.lower() for family in _FAMILIES)

    def messages(self, request: StepRequest, frame: Frame, *, elements: bool = True) -> list[ChatMessage]:
        """A system message with the role and the rules, and the facts with the picture."""
        text = facts(
            request,
            frame,
            place=place,
            write=lambda action: _written(self.write(action, frame).calls[0]),
            elements=elements,
        )
        return [{"role": "system", "content": f"{_ROLE}\n{MANNERS}\n{DATA_RULE}"}, message(text, frame)]

    def tools(self) -> list[Tool]:
        """One function per action."""
        return [_tool(name) for name in _DOES]

    def prose_end(self, text: str, start: int = 0) -> int:
        """Everything before the first brace or fence."""
        return first_brace(text, start)

    def parse(self, reply: Reply, frame: Frame) -> Action:
        """Read the function call, or where there is none the JSON on lines of its own."""
        calls = list(reply.calls) or [_from_json(value) for value in alone(reply.text, _names_action)]
        return one_action([_action(call) for call in calls])

    def write(self, action: Action, frame: Frame) -> Reply:
        """One function call."""
        arguments: dict[str, Any] = {}
        for key, value in arguments_of(action).items():
            if isinstance(value, Point):
                x, y = _keys(key)
                arguments[x], arguments[y] = place(value, frame)
            else:
                arguments[key] = value
        return Reply(calls=(ToolCall(action.type, json.dumps(arguments, ensure_ascii=False)),))


def place(point: Point, frame: Frame) -> tuple[int, int]:
    """A point in whole thousandths; the frame's size does not matter."""
    return round(point.x * UNITS), round(point.y * UNITS)


def _written(call: ToolCall) -> str:
    return f'{{"name": {json.dumps(call.name)}, "arguments": {call.arguments}}}'


def _keys(point: str) -> tuple[str, str]:
    return ("x", "y") if point == "point" else (f"{point}_x", f"{point}_y")


def _tool(name: str) -> Tool:
    properties: dict[str, Any] = {}
    for point in point_arguments(name):
        for key in _keys(point):
            properties[key] = {"type": "integer", "minimum": 0, "maximum": UNITS}
    if text := text_argument(name):
        properties[text] = {"type": "string"}
    if name == "scroll":
        properties["direction"] = {"type": "string", "enum": [direction.value for direction in Direction]}
    parameters = {
        "type": "object",
        "properties": properties,
        "required": [key for key in properties if key not in _OPTIONAL],
        "additionalProperties": False,
    }
    return {
        "type": "function",
        "function": {"name": name, "description": _DOES[name], "parameters": parameters},
    }


def _names_action(value: dict[str, Any]) -> bool:
    return any(isinstance(value.get(key), str | dict) for key in ("name", "action", "function", "type"))


def _from_json(value: dict[str, Any]) -> ToolCall:
    """The call that a JSON object stands for: nested in `function`, with `arguments`, or flat."""
    inner = value.get("function", value.get("action"))
    if isinstance(inner, dict):
        return ToolCall(*_named(inner, "name", "action", "type"))
    if "arguments" in value or "parameters" in value:
        return ToolCall(*_named(value, "name", "action", "function", "type"))
    return ToolCall(*_named(value, "action", "type", "function", "name"))


def _named(value: dict[str, Any], *keys: str) -> tuple[str, str]:
    key = next((key for key in keys if isinstance(value.get(key), str)), None)
    if key is None:
        raise MalformedReply("The JSON in the reply names no action.")
    flat = {other: one for other, one in value.items() if other != key}
    arguments = value.get("arguments", value.get("parameters", flat))
    return value[key], arguments if isinstance(arguments, str) else json.dumps(arguments)


def _action(call: ToolCall) -> Action:
    name = call.name.strip().removeprefix("functions.").partition(":")[0]
    if name not in NAMES:
        raise MalformedReply(f"There is no function {name[:40]!r}.")
    given = _arguments(call.arguments, name)
    built: dict[str, str | Point] = {}
    for point in point_arguments(name):
        x, y = _keys(point)
        if x in given or y in given or name != "scroll":
            built[point] = _point(given.pop(x, None), given.pop(y, None), name)
    for key, value in given.items():
        built[key] = _text(value, key)
    return build(name, built)


def _arguments(text: str, name: str) -> dict[str, Any]:
    """The call's arguments; an empty text, which some endpoints send for none, is no arguments."""
    try:
        values = json.loads(text, strict=False) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise MalformedReply(f"The arguments of {name} are not valid JSON.") from error
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise MalformedReply(f"The arguments of {name} are not a JSON object.")
    return {key: value for key, value in values.items() if value is not None}


def _point(x: Any, y: Any, name: str) -> Point:
    if x is None or y is None:
        raise MalformedReply(f"{name} needs coordinates as whole numbers from 0 to {UNITS}.")
    numbers = _number(x), _number(y)
    if any(number % 1 for number in numbers) and all(0 <= number <= 1 for number in numbers):
        raise MalformedReply(f"Coordinates are whole numbers from 0 to {UNITS}, not fractions of one.")
    return point_within(*numbers, UNITS, UNITS)


def _number(value: Any) -> float:
    if isinstance(value, str) and value.strip().removeprefix("-").isdecimal() and len(value) < 10:
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e9:
        raise MalformedReply(f"A coordinate is not a whole number from 0 to {UNITS}.")
    return value


def _text(value: Any, key: str) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and key == "text":
        return str(value)
    if not isinstance(value, str):
        raise MalformedReply(f"{key[:40]!r} is not a text.")
    return value

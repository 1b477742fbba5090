"""The form of models that call functions: one function for each action.

Coordinates: those of the family (`registry.FAMILIES`); 0..1000 for any other model.
Leniency: the same call written as JSON in the text, `{"name": "click", "arguments": {"x": 500, "y": 120}}`,
is read too, for endpoints that do not offer functions.
Source: the chat completions interface of OpenAI.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from assistant.model.dialects.base import (
    NAMES,
    THOUSANDTHS,
    Call,
    MalformedReply,
    ModelReply,
    Space,
    Tool,
    ToolCall,
    arguments_of,
    build,
    one_action,
    parse_point,
    point_arguments,
    text_argument,
)
from assistant.model.dialects.parsing import first_brace, read_calls
from assistant.model.dialects.spoken import plain_name
from assistant.model.prompts import DATA_RULE, ChatMessage, action_rules, format_facts, user_message
from assistant.model.types import SentImage, StepRequest
from assistant.records import Action, Direction, Point

_ROLE = (
    "You operate an Android phone for its user. You are given an instruction, what has been done so far, and "
    "the current screen. Think briefly, then call exactly one function: the next action. {coordinates} If "
    "you cannot call functions, end your answer with one line of JSON instead: {example}"
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
_SPELLINGS = {"point": ("point", "coordinate", "coordinates", "bbox", "bbox_2d", "box_2d", "box")}


@dataclass(frozen=True, slots=True)
class ToolCalls:
    """The dialect of a family that calls functions; `tool_calls`, of any family that has none of its own.

    `pattern` is looked for in a model's name, in small letters and digits alone. Points are two numbers, or
    with `lists` one list in the family's order.
    """

    name: str = "tool_calls"
    title: str = "Function calls, or the same as JSON in the text; coordinates 0..1000"
    pattern: str = "grok|mistral|llama|deepseek|qwen|doubao|seed"
    space: Space = THOUSANDTHS
    lists: bool = False

    def matches(self, model_name: str) -> bool:
        """Whether the model belongs to the family."""
        return bool(re.search(self.pattern, plain_name(model_name)))

    def rules(self, frame: SentImage) -> str:
        """The role and the coordinates."""
        example = self.write(build("click", {"point": Point(0.5, 0.12), "content": "Search"}), frame).calls[0]
        return _ROLE.format(coordinates=self._coordinates(), example=_written(example))

    def messages(self, request: StepRequest, frame: SentImage, *, elements: bool = True) -> list[ChatMessage]:
        """A system message with the role and the rules, and the facts with the picture."""
        text = format_facts(
            request,
            frame,
            place=self.space.place,
            write=lambda action: _written(self.write(action, frame).calls[0]),
            elements=elements,
        )
        system = f"{self.rules(frame)}\n{action_rules({})}\n{DATA_RULE}"
        return [{"role": "system", "content": system}, user_message(text, frame)]

    def tools(self) -> list[Tool]:
        """One function per action."""
        return [self._tool(name) for name in _DOES]

    def prose_end(self, text: str, start: int = 0) -> int:
        """Everything before the first brace or fence."""
        return first_brace(text, start)

    def thought(self, reply: ModelReply) -> str:
        """None: it stands beside the call."""
        return ""

    def parse(self, reply: ModelReply, frame: SentImage) -> Action:
        """Read the function call, or where there is none the JSON on lines of its own."""
        return one_action([self._action(call, frame) for call in read_calls(reply)])

    def write(self, action: Action, frame: SentImage) -> ModelReply:
        """One function call."""
        arguments: dict[str, Any] = {}
        for key, value in arguments_of(action).items():
            if not isinstance(value, Point):
                arguments[key] = value
            elif self.lists:
                arguments[key] = self.space.place(value, frame)
            else:
                arguments.update(zip(_keys(key), self.space.place(value, frame), strict=True))
        return ModelReply(calls=(ToolCall(action.type, json.dumps(arguments, ensure_ascii=False)),))

    def _coordinates(self) -> str:
        space = self.space
        kind = (
            f"decimals from 0 to {space.units}"
            if space.decimals
            else f"whole numbers from 0 to {space.units}"
        )
        of = f"{kind} of the screenshot's width and height" if space.units else "pixels of the screenshot"
        order = " A point is a list, [y, x]: first y, then x." if space.yx else ""
        return (
            f"All coordinates are {of}; the origin is the upper left corner, x grows to the right and y "
            f"downward.{order}"
        )

    def _tool(self, name: str) -> Tool:
        number: dict[str, Any] = {"type": "number" if self.space.decimals else "integer", "minimum": 0}
        if self.space.units:
            number["maximum"] = self.space.units
        properties: dict[str, Any] = {}
        for point in point_arguments(name):
            if self.lists:
                properties[point] = {"type": "array", "items": number, "minItems": 2, "maxItems": 2}
            else:
                properties.update(dict.fromkeys(_keys(point), number))
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

    def _action(self, call: Call, frame: SentImage) -> Action:
        if call.name not in NAMES:
            raise MalformedReply(f"There is no function {call.name[:40]!r}.")
        given = dict(call.arguments)
        built: dict[str, str | Point] = {}
        for point in point_arguments(call.name):
            place = self._taken(given, point)
            if place is not None:
                built[point] = self.space.point(*place, frame)
            elif call.name != "scroll":
                raise MalformedReply(f"{call.name} needs coordinates. {self._coordinates()}")
        return build(call.name, {**built, **{key: _text(value, key) for key, value in given.items()}})

    def _taken(self, given: dict[str, Any], point: str) -> tuple[float, float] | None:
        """A point's two numbers in the family's order, out of either spelling."""
        keys = _keys(point)
        if any(key in given for key in keys):
            x, y = (given.pop(key, None) for key in keys)
            if any(isinstance(number, list | dict) for number in (x, y)):
                raise MalformedReply(f"{keys[0]} and {keys[1]} are one number each.")
            return parse_point([y, x] if self.space.yx else [x, y], "x and y")
        spelled = next((key for key in _SPELLINGS.get(point, (point,)) if key in given), None)
        return parse_point(given.pop(spelled), spelled) if spelled else None


def _written(call: ToolCall) -> str:
    return f'{{"name": {json.dumps(call.name)}, "arguments": {call.arguments}}}'


def _keys(point: str) -> tuple[str, str]:
    return ("x", "y") if point == "point" else (f"{point}_x", f"{point}_y")


def _text(value: Any, key: str) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and key == "text":
        return str(value)
    if not isinstance(value, str):
        raise MalformedReply(f"{key[:40]!r} is not a text.")
    return value

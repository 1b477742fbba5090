"""The function `mobile_use` of Qwen's family, called in text between `<tool_call>` tags.

    <tool_call>
    {"name": "mobile_use", "arguments": {"action": "click", "coordinate": [x, y]}}
    </tool_call>

Prose, `Thought:`, `Action:` and thinking tags before it, a `<conclusion>` behind it, fences, a function call
of the endpoint and the bare arguments are read too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from assistant.model.dialects.base import Call, Reply
from assistant.model.dialects.json_text import first_brace
from assistant.model.dialects.parsing import read_calls, unwrapped
from assistant.model.dialects.spoken import Form
from assistant.model.dialects.words import Word
from assistant.model.text import one_line

NAME = "mobile_use"
"""The function's name."""

REFUSED = {
    "double_click": "Use click.",
    "double_tap": "Use click.",
    "key": "Its text can be enter, back or home.",
    "volume": "Ask the user.",
}
"""What members of the family may try and we have not."""

_POINT = {"point": "coordinate", "content": "content"}

WORDS = (
    Word("click", "click", _POINT),
    Word("click", "tap", _POINT),
    Word("long_click", "long_press", _POINT, ignored=("time",)),
    Word("type", "type", {"text": "text"}, ignored=("coordinate",)),
    Word("open_app", "open", {"name": "text"}),
    Word("press_back", "system_button", fixed={"button": "Back"}),
    Word("press_home", "system_button", fixed={"button": "Home"}),
    Word("press_recent", "system_button", fixed={"button": "Menu"}),
    Word("press_enter", "system_button", fixed={"button": "Enter"}),
    Word("press_enter", "key", fixed={"text": "enter|keycode_enter"}),
    Word("press_back", "key", fixed={"text": "back|keycode_back"}),
    Word("press_home", "key", fixed={"text": "home|keycode_home"}),
    Word("wait", "wait", ignored=("time", "duration")),
    Word("finished", "answer", {"answer": "text"}, needs=("answer",)),
    Word("finished", "terminate", fixed={"status": "success"}, ignored=("text",)),
    Word("failed", "terminate", {"reason": "text"}, fixed={"status": "failure|fail|failed"}),
    Word("ask_user", "ask_user", {"question": "text"}),
    Word("take_over", "interact", {"reason": "text"}),
    Word("take_over", "call_user", {"reason": "text"}),
    Word("take_over", "calluser", {"reason": "text"}),
)
"""What all members have; each adds its way of moving a finger."""

SWIPES = (
    Word("swipe", "swipe", {"start": "coordinate", "end": "coordinate2"}, needs=("end",), ignored=("time",)),
    Word("scroll", "scroll", {"point": "coordinate", "direction": "direction"}, needs=("direction",)),
    Word("swipe", "scroll", {"start": "coordinate", "end": "coordinate2"}, ignored=("time",)),
    Word("scroll", "swipe", {"point": "coordinate", "direction": "direction"}, finger=True),
)
"""Swipes between two points; `scroll` between two points is another name for it."""

DOES: Mapping[str, str] = {
    "click": "tap the point at coordinate",
    "long_press": "press the point at coordinate and hold it",
    "swipe": "move a finger from coordinate to coordinate2",
    "scroll": "bring into view what lies in the direction, inside what is at coordinate",
    "type": "enter text into the focused field",
    "open": "start the app that text names",
    "system_button": "press a button",
    "wait": "wait for the screen to change",
    "answer": "end the task and tell the user text",
    "ask_user": "ask the user text",
    "interact": "hand the phone over to the user; text says what only they can do",
    "terminate": "end the task with a status; with failure, text says why",
}
"""What each action does."""

_BUTTONS = ("Back", "Home", "Menu", "Enter")
_PAIR = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}


class ToolCallForm(Form):
    """JSON between tags."""

    def read(self, reply: Reply) -> list[Call]:
        """The calls, taken out of `mobile_use` where they are inside."""
        return [unwrapped(call, (NAME, "mobile"), "action") for call in read_calls(reply)]

    def write(self, call: Call) -> str:
        """The call between tags."""
        arguments = {"action": call.name, **call.arguments}
        text = json.dumps({"name": NAME, "arguments": arguments}, ensure_ascii=False)
        return f"<tool_call>\n{text}\n</tool_call>"

    def prose_end(self, text: str, start: int = 0) -> int:
        """Everything before the first brace or tag."""
        return first_brace(text, start)

    def told(self, thought: str, text: str) -> str:
        """Thinking and call."""
        return f"<thinking>\n{one_line(thought, 300)}\n</thinking>\n{text}" if thought else text


def function(about: str, actions: Iterable[str] = DOES) -> str:
    """The function's description as JSON, the way Qwen's chat template lays it before the model.

    Args:
        about: the sentence on coordinates.
        actions: those that are offered.
    """
    offered = list(actions)
    lines = "\n".join(f"* `{name}`: {DOES[name]}" for name in offered)
    properties: dict[str, Any] = {
        "action": {"type": "string", "enum": offered, "description": lines},
        "coordinate": {**_PAIR, "description": "(x, y)"},
        "coordinate2": {**_PAIR, "description": "(x, y), where a swipe ends"},
        "direction": {"type": "string", "enum": ["up", "down", "left", "right"]},
        "text": {"type": "string"},
        "button": {"type": "string", "enum": list(_BUTTONS), "description": "Menu shows the recent apps"},
        "status": {"type": "string", "enum": ["success", "failure"]},
    }
    described = {
        "type": "function",
        "function": {
            "name": NAME,
            "description": f"Operates a phone by touch, seen through screenshots. {about}",
            "parameters": {"type": "object", "properties": properties, "required": ["action"]},
        },
    }
    return f"# Tools\nThe one function there is:\n<tools>\n{json.dumps(described)}\n</tools>"


ANSWER = (
    "Call it with a JSON object between tags:\n"
    '<tool_call>\n{"name": "mobile_use", "arguments": {"action": ..., ...}}\n</tool_call>'
)
"""How it is called."""

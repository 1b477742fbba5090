"""The form of Qwen's family: the function `mobile_use`, called in text between `<tool_call>` tags.

    <tool_call>
    {"name": "mobile_use", "arguments": {"action": "click", "coordinate": [x, y]}}
    </tool_call>

Coordinates:
    Qwen2.5-VL, GUI-Owl 1.0: pixels of the screenshot in the size that the model sees.
    Qwen3-VL: 0..999. GUI-Owl 1.5: 0..1000.
    MAI-UI: 0..999; it has an action space of its own, and a swipe's direction is the finger's.
Leniency: prose, `Thought:`, `Action:` and thinking tags before the call, a `<conclusion>` after it, fences, a
function call of the endpoint, and the bare arguments are read too.
Source: the prompts that each project publishes with its models, in the layout of Qwen's chat template.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from assistant.model.dialects.base import (
    THOUSANDTHS,
    Call,
    ModelReply,
    Space,
    patches,
    read_calls,
    unwrap_call,
)
from assistant.model.dialects.spoken import Skipped, TextDialect, TextForm, Vocabulary, VocabularyEntry
from assistant.model.prompts import Layout, Past
from assistant.model.types import SentImage, one_line

NAME = "mobile_use"
"""The function's name."""

SKIPPED = (
    Skipped("key", "That key is not available here; enter, back, home and clear are. Go on without it."),
    Skipped("volume", "The volume keys are not available here. Go on without them."),
    Skipped("screenshot", "The screenshot is always the current one. Give the next action."),
    Skipped("note", "It is kept. Give the next action.", note="text"),
)
"""What members of the family may try and the phone has no part in."""

_POINT = {"point": "coordinate", "content": "content"}

WORDS = (
    VocabularyEntry("click", "click", _POINT),
    VocabularyEntry("click", "tap", _POINT),
    VocabularyEntry("click", "left_click", _POINT),
    VocabularyEntry("click", "double_click", _POINT, times=2),
    VocabularyEntry("click", "double_tap", _POINT, times=2),
    VocabularyEntry("long_click", "long_press", _POINT, ignored=("time",)),
    VocabularyEntry("type", "type", {"text": "text"}, at="coordinate", clears="clear"),
    VocabularyEntry("clear", "key", fixed={"text": "clear|keycode_clear"}),
    VocabularyEntry("clear", "clear_text", at="coordinate"),
    VocabularyEntry("open_app", "open", {"name": "text app_name app"}),
    VocabularyEntry("press_back", "system_button", fixed={"button": "Back"}),
    VocabularyEntry("press_home", "system_button", fixed={"button": "Home"}),
    VocabularyEntry(
        "press_recent", "system_button", fixed={"button": "Menu|Recent|Recents|Recent_apps|App_switch"}
    ),
    VocabularyEntry("press_enter", "system_button", fixed={"button": "Enter"}),
    VocabularyEntry("press_enter", "key", fixed={"text": "enter|return|keycode_enter"}),
    VocabularyEntry("press_back", "key", fixed={"text": "back|keycode_back"}),
    VocabularyEntry("press_home", "key", fixed={"text": "home|keycode_home"}),
    VocabularyEntry("press_recent", "key", fixed={"text": "app_switch|recent|keycode_app_switch"}),
    VocabularyEntry("wait", "wait", ignored=("time", "duration")),
    VocabularyEntry("finished", "answer", {"answer": "text"}, needs=("answer",)),
    VocabularyEntry(
        "finished", "terminate", {"answer": "text"}, fixed={"status": "success|complete|completed"}
    ),
    VocabularyEntry("failed", "terminate", {"reason": "text"}, fixed={"status": "failure|fail|failed"}),
    VocabularyEntry("ask_user", "ask_user", {"question": "text"}),
    VocabularyEntry("take_over", "interact", {"reason": "text"}),
    VocabularyEntry("take_over", "call_user", {"reason": "text"}),
    VocabularyEntry("take_over", "calluser", {"reason": "text"}),
)
"""What all members have; each adds its way of moving a finger."""

SWIPES = (
    VocabularyEntry(
        "swipe",
        "swipe",
        {"start": "coordinate", "end": "coordinate2"},
        needs=("end",),
        ignored=("time", "direction"),
    ),
    VocabularyEntry(
        "scroll", "scroll", {"point": "coordinate", "direction": "direction"}, needs=("direction",)
    ),
    VocabularyEntry("swipe", "scroll", {"start": "coordinate", "end": "coordinate2"}, ignored=("time",)),
    VocabularyEntry("scroll", "swipe", {"point": "coordinate", "direction": "direction"}, finger=True),
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


class ToolCallForm(TextForm):
    """JSON between tags."""

    def read(self, reply: ModelReply) -> list[Call]:
        """The calls, taken out of `mobile_use` where they are inside."""
        return [unwrap_call(call, (NAME, "mobile"), "action") for call in read_calls(reply)]

    def write(self, call: Call) -> str:
        """The call between tags."""
        arguments = {"action": call.name, **call.arguments}
        text = json.dumps({"name": NAME, "arguments": arguments}, ensure_ascii=False)
        return f"<tool_call>\n{text}\n</tool_call>"

    def format_past_reply(self, thought: str, text: str) -> str:
        """Thinking and call."""
        return f"<thinking>\n{one_line(thought, 300)}\n</thinking>\n{text}" if thought else text


def describe_function(about: str, actions: Iterable[str] = DOES) -> str:
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


def _rules(frame: SentImage) -> str:
    about = f"The screen's resolution is {frame.width}x{frame.height}; coordinates are its pixels."
    return f"You are a helpful assistant.\n{describe_function(about)}\n{ANSWER}"


QWEN2_5_VL = TextDialect(
    "qwen2_5_vl",
    "Qwen2.5-VL, GUI-Owl 1.0: mobile_use; coordinates in pixels of the resized screenshot",
    r"qwen25vl|guiowl(?!15)|(?<!infi)guir1|(?<!g)uir1|fara7b",
    _rules,
    Vocabulary((*WORDS, *SWIPES), patches(28, least=4 * 28 * 28, most=16384 * 28 * 28), skipped=SKIPPED),
    ToolCallForm(),
)


_QWEN3_SCREEN = "The screen's resolution is 999x999, whatever the size of the screenshot."
_QWEN3_RULES = f"""\
{describe_function(_QWEN3_SCREEN)}
{ANSWER}
# Response format
Thought: one sentence on what to do next and why
Action: one sentence that names the move and its target
then the call between <tool_call> tags."""

QWEN3_VL = TextDialect(
    "qwen3_vl",
    "Qwen3-VL: mobile_use; coordinates 0..999",
    r"qwen3vl|qwen3[5-9](?!b)",
    lambda frame: _QWEN3_RULES,
    Vocabulary((*WORDS, *SWIPES), Space(999), skipped=SKIPPED),
    ToolCallForm(),
)


_GUI_OWL_SCREEN = (
    "The screen's resolution is 1000x1000. Tap the middle of a button, link or icon, not its edge."
)
_GUI_OWL_RULES = f"""\
{describe_function(_GUI_OWL_SCREEN)}
{ANSWER}
# Response format
Action: a short imperative sentence that describes the step
then the call between <tool_call> tags, and nothing after it."""

GUI_OWL = TextDialect(
    "gui_owl",
    "GUI-Owl 1.5: mobile_use; coordinates 0..1000",
    r"guiowl15|mobileagentv?35",
    lambda frame: _GUI_OWL_RULES,
    Vocabulary((*WORDS, *SWIPES), THOUSANDTHS, skipped=SKIPPED),
    ToolCallForm(),
    Layout(Past.TURNS, pictures=5, turns=4),
)


_MOVE = {"point": "coordinate", "direction": "direction"}
_DRAG = {"start": "start_coordinate coordinate", "end": "end_coordinate coordinate2"}
_SWIPES = (
    VocabularyEntry("scroll", "swipe", _MOVE, needs=("direction",), finger=True),
    VocabularyEntry("swipe", "drag", _DRAG),
    VocabularyEntry("swipe", "swipe", _DRAG),
)
_FAILED = VocabularyEntry("failed", "terminate", {"reason": "text"}, fixed={"status": "fail"})
_MAI_UI_RULES = """\
You operate a phone for its user. You see the task, your past actions and the current screenshot; give the \
next action.
## Output Format
Think inside <thinking> </thinking>, then call the function with JSON inside <tool_call> </tool_call>:
<thinking>
...
</thinking>
<tool_call>
{"name": "mobile_use", "arguments": <args-json-object>}
</tool_call>
## Action Space
{"action": "click", "coordinate": [x, y]}
{"action": "long_press", "coordinate": [x, y]}
{"action": "type", "text": ""}
{"action": "swipe", "direction": "up or down or left or right", "coordinate": [x, y]} # where the finger moves
{"action": "drag", "start_coordinate": [x1, y1], "end_coordinate": [x2, y2]}
{"action": "open", "text": "app_name"}
{"action": "system_button", "button": "button_name"} # back, home, menu (recent apps), enter
{"action": "wait"}
{"action": "ask_user", "text": "question"}
{"action": "interact", "text": "what only the user can do"}
{"action": "answer", "text": "what the user asked to know"}
{"action": "terminate", "status": "success or fail", "text": "why it fails"}
## Note
- Coordinates go from 0 to 999 on both axes of the screenshot, from its upper left corner.
- End the thinking with one sentence that names the action and its target."""

MAI_UI = TextDialect(
    "mai_ui",
    "MAI-UI: mobile_use; coordinates 0..999",
    "maiui",
    lambda frame: _MAI_UI_RULES,
    Vocabulary((_FAILED, *WORDS, *_SWIPES), Space(999), skipped=SKIPPED),
    ToolCallForm(),
    Layout(Past.TURNS, pictures=3, apps=True),
)

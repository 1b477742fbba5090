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

Models made for desktops, and models that only find a place: OpenCUA, Aguvis, InfiGUI, GTA1, Holo.

`pyautogui`: a code block such as `pyautogui.click(x=546, y=602)`. It is never run: its syntax tree is read,
and anything but known calls with constants is refused. Of several lines the first action is done and the
model is told so.
Coordinates: pixels of the screenshot in the size that Qwen2.5-VL sees; Aguvis and some weights count 0..1,
which is taken when both numbers are fractions.
`grounding`: `[{"point_2d": [x, y]}]`, `(x, y)` or `{"action": "click_absolute", "x": 1, "y": 2}`, pixels of
the resized screenshot. Such a model finds what is to be tapped; it does not drive a phone.
Source: OpenCUA's agent in OSWorld, the prompts of InfiGUI-G1, the loops for GTA1 and Holo in cua.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from assistant.model.dialects.base import (
    THOUSANDTHS,
    Call,
    MalformedReply,
    ModelReply,
    Space,
    find_objects,
    first_call_mark,
    patches,
    read_calls,
    unwrap_call,
)
from assistant.model.dialects.spoken import Skipped, TextDialect, TextForm, Vocabulary, VocabularyEntry
from assistant.model.prompts import Layout, Past
from assistant.model.types import SentImage, one_line
from assistant.records import Direction, Point

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


_RESIZED = patches(28, least=4 * 28 * 28, most=16384 * 28 * 28)


class _PixelsOrFractions(Space):
    """Pixels of the resized picture; two fractions of one are fractions of the picture."""

    def point(self, first: float, second: float, frame: SentImage) -> Point:
        """The point of two coordinates; see `Space.point`."""
        if (first % 1 or second % 1) and 0 <= first <= 1 and 0 <= second <= 1:
            return Point(first, second)
        return super().point(first, second, frame)


_PLACE = {"point": "point"}
_FOLLOWING = "Only the first of your actions was done. Give one action in each answer."
_WORDS = (
    VocabularyEntry("click", "click", _PLACE),
    VocabularyEntry("click", "doubleClick", _PLACE, times=2),
    VocabularyEntry("click", "tripleClick", _PLACE, times=3),
    VocabularyEntry("long_click", "rightClick", _PLACE),
    VocabularyEntry("type", "write", {"text": "message"}, submits=True),
    VocabularyEntry("type", "typewrite", {"text": "message"}, submits=True),
    VocabularyEntry("press_enter", "press", fixed={"keys": "enter|return"}),
    VocabularyEntry("press_back", "press", fixed={"keys": "esc|escape|back|browserback"}),
    VocabularyEntry("press_home", "press", fixed={"keys": "home|win|browserhome"}),
    VocabularyEntry("press_recent", "press", fixed={"keys": "apps"}),
    VocabularyEntry("scroll", "scroll", {"point": "point", "direction": "direction"}),
    VocabularyEntry("swipe", "dragTo", {"start": "start", "end": "end"}),
    VocabularyEntry("open_app", "open_app", {"name": "name"}),
    VocabularyEntry("wait", "wait"),
    VocabularyEntry("finished", "terminate", {"answer": "answer"}, fixed={"status": "success"}),
    VocabularyEntry("failed", "terminate", {"reason": "reason"}, fixed={"status": "failure|fail|failed"}),
    VocabularyEntry("ask_user", "ask_user", {"question": "question"}),
    VocabularyEntry("take_over", "take_over", {"reason": "reason"}),
)
_SKIPPED = (
    Skipped("press", "That key is not available here; enter, esc and home are. Go on without it."),
    Skipped("hotkey", "Key combinations are not available here. Go on without them."),
    Skipped("moveTo", "There is no pointer on a phone. Give the tap itself."),
    Skipped("dropped", _FOLLOWING),
)
_POSITIONAL = {
    "click": ("x", "y"),
    "doubleClick": ("x", "y"),
    "tripleClick": ("x", "y"),
    "rightClick": ("x", "y"),
    "moveTo": ("x", "y"),
    "dragTo": ("x", "y"),
    "write": ("message",),
    "typewrite": ("message",),
    "press": ("keys",),
    "scroll": ("clicks", "x", "y"),
    "hscroll": ("clicks", "x", "y"),
    "wait": ("seconds",),
    "sleep": ("seconds",),
    "terminate": ("status",),
    "hotkey": ("keys",),
    "open_app": ("name",),
    "ask_user": ("question",),
    "take_over": ("reason",),
}
_MODULES = {"pyautogui", "computer", "time"}
_ALIASES = {
    "sleep": "wait",
    "triple_click": "tripleClick",
    "double_click": "doubleClick",
    "right_click": "rightClick",
}
_BLOCK = re.compile(r"```(?:python|py|code)?[ \t]*\n?(.*?)```", re.DOTALL)
_LINES = re.compile(r"^[ \t]*(?:pyautogui|computer|time)\..*$", re.MULTILINE)
_ACTION_PREFIX = re.compile(r"^[ \t]*(?:Action|Code)[:：][ \t]*(?=(?:pyautogui|computer)\.)", re.MULTILINE)
_TRIED = 8_000
_RULES = """\
You operate a phone for its user, as if it were a desktop. From the task, what was done before and the \
screenshot you \
give the next action as one line of code. Coordinates are pixels of the screenshot; Screen_width_height \
is its size.
pyautogui.click(x=1, y=2)
pyautogui.rightClick(x=1, y=2) holds a finger there
pyautogui.write(message='text for the focused field')
pyautogui.press(keys='enter'), 'esc' goes back, 'home' goes home, 'apps' shows the recent apps
pyautogui.scroll(-5, x=1, y=2) shows what lies below, a positive number what lies above; hscroll the same \
sideways
pyautogui.dragTo(start=(1, 2), end=(3, 4))
computer.open_app(name='')
computer.wait()
computer.ask_user(question='')
computer.take_over(reason='what only the user can do')
computer.terminate(status='success', answer='what the user asked to know, if anything')
computer.terminate(status='failure', reason='why')
Answer in this form:
## Thought
why this comes next
## Action
what you do, in a sentence
## Code
```python
the line
```"""


class CodeForm(TextForm):
    """One code block, read as a syntax tree."""

    def read(self, reply: ModelReply) -> list[Call]:
        """The first action of the code.

        Raises:
            MalformedReply: code that is anything but known calls with constants.
        """
        if reply.calls:
            return read_calls(reply)
        text = _ACTION_PREFIX.sub("", reply.text)
        blocks = _BLOCK.findall(text)
        code = blocks[-1] if blocks else "\n".join(line.strip() for line in _LINES.findall(text))
        if len(blocks) > 1 and any(block.strip() != blocks[0].strip() for block in blocks):
            raise MalformedReply("The reply has several code blocks. Give exactly one.")
        if not code.strip() or len(code) > _TRIED:
            return []
        try:
            tree = ast.parse(code.strip())
        except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
            raise MalformedReply("The code cannot be read. Give one line of pyautogui.") from error
        calls = list(_joined_drags(_statements(tree)))
        return calls[:1] if len(calls) < 2 else [calls[0], Call("dropped")]

    def write(self, call: Call) -> str:
        """The code block."""
        given = dict(call.arguments)
        if call.name == "scroll":
            direction = given.pop("direction")
            place = given.pop("point", None)
            name = "scroll" if direction in ("up", "down") else "hscroll"
            at = f", x={place[0]:g}, y={place[1]:g}" if place else ""
            return _block(f"pyautogui.{name}({-5 if direction in ('down', 'left') else 5}{at})")
        place = given.pop("point", None)
        parts = [f"x={place[0]:g}, y={place[1]:g}"] if place else []
        parts += [
            f"{key}={value!r}" if isinstance(value, str) else f"{key}=({value[0]:g}, {value[1]:g})"
            for key, value in given.items()
        ]
        own = call.name in ("wait", "terminate", "open_app", "ask_user", "take_over")
        return _block(f"{'computer' if own else 'pyautogui'}.{call.name}({', '.join(parts)})")

    def prose_end(self, text: str, start: int = 0) -> int:
        """Everything before the fence."""
        place = first_call_mark(text, start)
        module = re.compile(r"pyautogui\.|computer\.").search(text, start)
        return min(place, module.start()) if module else place


def _block(line: str) -> str:
    return f"```python\n{line}\n```"


def _statements(tree: ast.Module) -> Iterator[Call]:
    for statement in tree.body:
        if isinstance(statement, ast.Import) and all(name.name in _MODULES for name in statement.names):
            continue
        if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
            raise MalformedReply("The code is more than calls of pyautogui. Give one line of pyautogui.")
        yield _call(statement.value)


def _call(node: ast.Call) -> Call:
    function = node.func
    if not (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id in _MODULES
        and not any(keyword.arg is None for keyword in node.keywords)
    ):
        raise MalformedReply("The code is more than calls of pyautogui. Give one line of pyautogui.")
    name = _ALIASES.get(function.attr, function.attr)
    keys = _POSITIONAL.get(name)
    if keys is None or len(node.args) > max(len(keys), 3):
        raise MalformedReply(f"There is no action {name[:40]!r}.")
    try:
        values = [ast.literal_eval(argument) for argument in node.args]
        named = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in node.keywords}
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
        raise MalformedReply("The code calculates. Give plain numbers and texts.") from error
    if len(values) == 1 and isinstance(values[0], tuple | list) and keys[:2] == ("x", "y"):
        values = list(values[0])
    return _arranged(name, {**dict(zip(keys, values, strict=False)), **named})


def _arranged(name: str, given: dict[str, Any]) -> Call:
    """A call of pyautogui in the words of the vocabulary."""
    given = {
        key: value
        for key, value in given.items()
        if key not in ("duration", "interval", "clicks_delay", "tween")
    }
    if name in ("scroll", "hscroll"):
        clicks = given.pop("clicks", 0)
        if isinstance(clicks, bool) or not isinstance(clicks, int | float) or not clicks:
            raise MalformedReply("scroll needs a number that is not 0.")
        towards = (Direction.UP, Direction.DOWN) if name == "scroll" else (Direction.RIGHT, Direction.LEFT)
        return Call("scroll", {**given, "direction": towards[0 if clicks > 0 else 1].value})
    if name == "press" and isinstance(given.get("keys"), list) and len(given["keys"]) == 1:
        given["keys"] = given["keys"][0]
    if name == "click":
        button = given.pop("button", "left")
        times = given.pop("clicks", 1)
        name = "rightClick" if button == "right" else {2: "doubleClick", 3: "tripleClick"}.get(times, "click")
    if name == "hotkey":
        given = {}
    return Call(name, {key: value for key, value in given.items() if key not in ("seconds", "presses")})


def _joined_drags(calls: Iterator[Call]) -> Iterator[Call]:
    """Calls in which a pointer that moves somewhere and drags from there is one swipe."""
    moved: Call | None = None
    for call in calls:
        if call.name == "dragTo" and moved is not None and "start" not in call.arguments:
            start = (moved.arguments.get("x"), moved.arguments.get("y"))
            end = (call.arguments.get("x"), call.arguments.get("y"))
            yield Call("dragTo", {"start": list(start), "end": list(end)})
            moved = None
            continue
        if moved is not None and call.name != "moveTo":
            place = {**moved.arguments, **call.arguments}
            call = Call(call.name, place) if call.name in ("click", "rightClick", "doubleClick") else call
            moved = None
        if call.name == "moveTo":
            moved = call
            continue
        yield call
    if moved is not None:
        yield moved


PYAUTOGUI = TextDialect(
    "pyautogui",
    "OpenCUA, Aguvis: pyautogui code, never run; coordinates in pixels of the resized screenshot, or 0..1",
    r"opencua|aguvis|pyautogui|jedi(?![a-z])",
    lambda frame: _RULES,
    Vocabulary(_WORDS, _PixelsOrFractions(resize=_RESIZED.resize), skipped=_SKIPPED),
    CodeForm(),
    Layout(Past.TURNS, pictures=3),
)


_POINT_KEYS = "point_2d point coordinate coordinates bbox_2d bbox box"
_NUMBER = r"-?\d{1,5}(?:\.\d{1,6})?"
_PIXEL_PAIR = re.compile(
    rf"[\s`]*(?:(?:click|point)\s*[:(]?\s*)?[\[(]*\s*({_NUMBER})\s*,\s*({_NUMBER})\s*[\])]*[\s`.]*", re.I
)
_GROUND_RULES = """\
You find what is to be tapped next on a phone's screenshot. Coordinates are pixels of the screenshot; \
Screen_width_height \
is its size. Answer with JSON: [{"point_2d": [x, y], "label": "what is there"}]. Other answers, as JSON too:
{"action": "type", "text": ".."}, {"action": "scroll", "direction": "down"}, {"action": "press_back"}, \
{"action": "press_home"},
{"action": "press_enter"}, {"action": "press_recent"}, {"action": "wait"},
{"action": "swipe", "start": [x, y], "end": [x, y]}, {"action": "open_app", "name": ".."}, {"action": \
"finished", "answer": ".."}, \
{"action": "failed", "reason": ".."}, {"action": "ask_user", "question": ".."}, {"action": "take_over", \
"reason": ".."}"""
_GROUND_WORDS = (
    VocabularyEntry("click", "click", {"point": _POINT_KEYS, "content": "label element"}),
    VocabularyEntry("click", "click_absolute", {"point": _POINT_KEYS}),
    VocabularyEntry("click", "click_element", {"point": _POINT_KEYS, "content": "element"}),
    VocabularyEntry("long_click", "long_click", {"point": _POINT_KEYS, "content": "label element"}),
    VocabularyEntry("type", "type", {"text": "text content"}),
    VocabularyEntry("type", "write_element_abs", {"text": "content"}, at=_POINT_KEYS),
    VocabularyEntry("scroll", "scroll", {"point": _POINT_KEYS, "direction": "direction"}),
    VocabularyEntry("swipe", "swipe", {"start": "start", "end": "end"}),
    VocabularyEntry("finished", "finished", {"answer": "answer"}),
    VocabularyEntry("finished", "answer", {"answer": "content answer text"}, needs=("answer",)),
    VocabularyEntry("failed", "failed", {"reason": "reason"}),
    VocabularyEntry("open_app", "open_app", {"name": "name app_name"}),
)


class PointForm(TextForm):
    """A place as JSON, or as two numbers alone."""

    def read(self, reply: ModelReply) -> list[Call]:
        """The first place, or the action in JSON."""
        if reply.calls:
            return read_calls(reply)
        if pair := _PIXEL_PAIR.fullmatch(reply.text):
            return [Call("click", {"point_2d": [float(pair[1]), float(pair[2])]})]
        values = find_objects(
            reply.text, lambda value: bool({"action", "point_2d", "bbox_2d"} & value.keys())
        )
        if values and "action" not in values[0]:
            return [Call("click", values[0])]
        return read_calls(reply)

    def write(self, call: Call) -> str:
        """JSON."""
        given = {
            key: [*value] if isinstance(value, tuple) else value for key, value in call.arguments.items()
        }
        return json.dumps({"action": call.name, **given}, ensure_ascii=False)


GROUNDING = TextDialect(
    "grounding",
    "InfiGUI, GTA1, Holo: they only find places; coordinates in pixels of the resized screenshot",
    r"infigui|gta1|holo1|uiground|uivenusground|osatlasbase",
    lambda frame: _GROUND_RULES,
    Vocabulary(_GROUND_WORDS, _RESIZED),
    PointForm(),
)

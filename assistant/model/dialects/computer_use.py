"""The computer tools of Anthropic, OpenAI and Gemini, and mobilerun's calls in XML.

Their names mean one thing each, so models of these makers are understood in them even where our own functions
were offered (`registry.ToolCalls`). As dialects of their own they are for models that were trained on such a
tool and get it as a function, because the built-in tools are not part of the chat completions interface.

Coordinates: Anthropic and OpenAI pixels of the screenshot as sent; Gemini 0..1000 with x and y named;
mobilerun pixels, or `index`, an element's number. Scroll directions are the content's. `screenshot`, `zoom`,
`mouse_move` and the like ask to look again and are no step. A pending safety check, or Gemini's
`require_confirmation`, is the model's own warning.
Source: the documentation of Anthropic's computer use tool, OpenAI's guide to computer use, Gemini's computer
use, and the prompts of mobilerun.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assistant.model.dialects.base import (
    PIXELS,
    THOUSANDTHS,
    Call,
    MalformedReply,
    ModelReply,
    ParsedReply,
    Space,
    Tool,
    read_calls,
    unwrap_call,
)
from assistant.model.dialects.spoken import Skipped, TextDialect, TextForm, Vocabulary, VocabularyEntry
from assistant.model.prompts import MODEST_SIDE, Layout
from assistant.model.types import SentImage, one_line, smart_resize

_NO_WARNING = ("", "false", "no", "none", "null", "n/a", "not sensitive")
_HOLDERS = ("computer", "computer_call", "computer_use", "computer_20250124", "computer_20251124")


def plain_calls(calls: Iterable[Call]) -> list[Call]:
    """Calls with the action as their name, and their lists and signs as our arguments."""
    return [_plain(_unwrapped(single)) for call in calls for single in _single(call)]


def _single(call: Call) -> list[Call]:
    """The calls of a computer tool that takes a list of actions, one each."""
    actions = call.arguments.get("actions")
    if call.name not in _HOLDERS or not isinstance(actions, list) or not actions:
        return [call]
    beside = {key: value for key, value in call.arguments.items() if key != "actions"}
    return [Call(call.name, {**beside, "action": action}) for action in actions]


def _unwrapped(call: Call) -> Call:
    if call.name not in _HOLDERS:
        return call
    action = call.arguments.get("action")
    if isinstance(action, dict):
        checks = {key: call.arguments[key] for key in ("pending_safety_checks",) if key in call.arguments}
        name = action.get("type", action.get("action", action.get("name")))
        if not isinstance(name, str):
            raise MalformedReply(f"{call.name} needs action: the name of an action.")
        return Call(
            name,
            {key: item for key, item in action.items() if key not in ("type", "action", "name")} | checks,
        )
    if isinstance(action, str):
        return unwrap_call(call, _HOLDERS, "action")
    return unwrap_call(call, _HOLDERS, "type")


def _plain(call: Call) -> Call:
    given = dict(call.arguments)
    for key in ("keys", "key"):
        if isinstance(given.get(key), list):
            given[key] = "+".join(str(part) for part in given[key])
    if (
        call.name in ("drag", "left_click_drag")
        and isinstance(given.get("path"), list)
        and len(given["path"]) > 1
    ):
        path = given.pop("path")
        given |= {"start": path[0], "end": path[-1]}
    if call.name == "scroll" and "direction" not in given:
        towards = given.pop("scroll_direction", None)
        given |= _scroll_direction(given) if towards is None else {"direction": towards}
    if call.name == "complete" and isinstance(given.get("success"), bool):
        given["success"] = str(given["success"]).lower()
    if call.name == "click" and given.get("button") in ("left", 1):
        del given["button"]
    for key in ("clear_before_typing", "press_enter", "clear"):
        if given.get(key) == "":
            del given[key]
    return Call(call.name, given)


def _scroll_direction(given: dict[str, Any]) -> dict[str, Any]:
    """The direction that a scroll's two distances mean; a positive one moves on."""
    across, down = (
        next((given.pop(key) for key in keys if key in given), 0)
        for keys in (("scrollX", "scroll_x", "delta_x"), ("scrollY", "scroll_y", "delta_y"))
    )
    if not all(isinstance(number, int | float) and not isinstance(number, bool) for number in (across, down)):
        raise MalformedReply("The distances of scroll are no numbers.")
    if abs(down) >= abs(across) and down:
        return {"direction": "down" if down > 0 else "up"}
    return {"direction": "right" if across > 0 else "left"} if across else {}


def warning_of(call: Call) -> str:
    """The model's own warning in a call; empty without one."""
    decision = call.arguments.get("safety_decision")
    if isinstance(decision, Mapping) and "confirm" in str(decision.get("decision", "")):
        return str(decision.get("explanation") or decision.get("decision"))
    checks = call.arguments.get("pending_safety_checks")
    if isinstance(checks, Sequence) and not isinstance(checks, str) and checks:
        first = checks[0]
        return str(first.get("message") or first.get("code")) if isinstance(first, Mapping) else str(first)
    sensitive = call.arguments.get("sensitive")
    answer = sensitive.strip(" .").casefold() if isinstance(sensitive, str) else ""
    if sensitive is True or answer in ("true", "yes"):
        return str(call.arguments.get("content") or call.name)
    return "" if answer in _NO_WARNING else str(sensitive)


class ComputerVocabulary(Vocabulary):
    """A vocabulary whose calls may carry a warning."""

    def read(self, call: Call, frame: SentImage) -> ParsedReply:
        """What a call means."""
        warning = warning_of(call)
        checks = ("safety_decision", "pending_safety_checks", "sensitive")
        given = {key: item for key, item in call.arguments.items() if key not in checks}
        parsed = super().read(Call(call.name, given), frame)
        return replace(parsed, warning=warning) if warning else parsed


LOOK_AGAIN = "The screenshot is always the current one. Give the next action."
_NO_POINTER = "There is no pointer on a phone. Give the next action."
_NO_KEY = "That key is not available here. Go on without it."
_NO_BROWSER = "There is no browser tool here; open an app instead. Give the next action."

_POINT = {"point": "coordinate point coordinates", "content": "content"}
_ENTER = "enter|return|kp_enter|\n"
_BACK = "back|escape|esc|browserback|xf86back"
_HOME = "home|super|meta|win|xf86homepage"


def _keys(name: str, key: str) -> tuple[VocabularyEntry, ...]:
    return (
        VocabularyEntry("press_enter", name, fixed={key: _ENTER}),
        VocabularyEntry("press_back", name, fixed={key: _BACK}),
        VocabularyEntry("press_home", name, fixed={key: _HOME}),
        VocabularyEntry("press_recent", name, fixed={key: "recent|recents|app_switch|appselect"}),
    )


ENDS = (
    VocabularyEntry(
        "open_app", "open_app", {"name": "name app_name text"}, ignored=("package_name", "intent")
    ),
    VocabularyEntry("finished", "finished", {"answer": "answer"}),
    VocabularyEntry("failed", "failed", {"reason": "reason"}),
    VocabularyEntry("ask_user", "ask_user", {"question": "question"}),
    VocabularyEntry("take_over", "take_over", {"reason": "reason"}),
)
"""What a computer tool lacks; offered beside it as functions of ours."""

ANTHROPIC = (
    VocabularyEntry("click", "left_click", _POINT, ignored=("text",)),
    VocabularyEntry("click", "double_click", _POINT, times=2, ignored=("text",)),
    VocabularyEntry("click", "triple_click", _POINT, times=3, ignored=("text",)),
    VocabularyEntry("long_click", "right_click", _POINT, ignored=("text",)),
    VocabularyEntry("long_click", "left_press", _POINT, ignored=("duration",)),
    VocabularyEntry(
        "swipe", "left_click_drag", {"start": "start_coordinate", "end": "coordinate end_coordinate"}
    ),
    VocabularyEntry("type", "type", {"text": "text"}, submits=True),
    *_keys("key", "text"),
    VocabularyEntry(
        "scroll",
        "scroll",
        {"point": "coordinate point", "direction": "scroll_direction direction"},
        ignored=("scroll_amount", "text"),
    ),
    VocabularyEntry("wait", "wait", ignored=("duration",)),
)
ANTHROPIC_SKIPPED = (
    *(Skipped(name, LOOK_AGAIN) for name in ("screenshot", "zoom", "cursor_position")),
    *(Skipped(name, _NO_POINTER) for name in ("mouse_move",)),
    *(Skipped(name, _NO_KEY) for name in ("key", "hold_key")),
)

OPENAI = (
    VocabularyEntry("long_click", "click", _POINT, fixed={"button": "right"}),
    VocabularyEntry("press_back", "click", fixed={"button": "back"}, ignored=("coordinate",)),
    VocabularyEntry("click", "click", _POINT, ignored=("button",)),
    VocabularyEntry("click", "double_click", _POINT, times=2),
    VocabularyEntry("swipe", "drag", {"start": "start", "end": "end"}),
    VocabularyEntry("type", "type", {"text": "text"}, submits=True),
    *_keys("keypress", "keys"),
    VocabularyEntry("scroll", "scroll", {"point": "coordinate point", "direction": "direction"}),
    VocabularyEntry("wait", "wait", ignored=("ms",)),
)
OPENAI_SKIPPED = (
    Skipped("screenshot", LOOK_AGAIN),
    Skipped("move", _NO_POINTER),
    Skipped("keypress", _NO_KEY),
)

_XY = {"point": "point coordinate", "content": "content"}
_MORE = ("intent", "magnitude", "magnitude_in_pixels", "safety_decision")
_DRAG = {"start": "start", "end": "end"}
_GEMINI_TEXT = {"text": "text"}
GEMINI = (
    *(VocabularyEntry("click", name, _XY, ignored=_MORE) for name in ("click_at", "click", "tap_at")),
    *(
        VocabularyEntry("click", name, _XY, ignored=_MORE, times=2)
        for name in ("double_click", "double_click_at")
    ),
    *(
        VocabularyEntry("long_click", name, _XY, ignored=(*_MORE, "duration", "seconds"))
        for name in ("long_press_at", "long_press", "right_click")
    ),
    VocabularyEntry(
        "type",
        "type_text_at",
        _GEMINI_TEXT,
        at="point coordinate",
        clears="!clear_before_typing",
        enters="press_enter",
        ignored=_MORE,
        submits=True,
    ),
    VocabularyEntry(
        "type",
        "type",
        _GEMINI_TEXT,
        at="point coordinate",
        clears="clear_before_typing",
        enters="press_enter",
        ignored=_MORE,
        submits=True,
    ),
    *(
        VocabularyEntry(
            "scroll", name, {"point": "point coordinate", "direction": "direction"}, ignored=_MORE
        )
        for name in ("scroll_at", "scroll_document", "scroll")
    ),
    VocabularyEntry("swipe", "drag_and_drop", _DRAG, ignored=_MORE),
    VocabularyEntry("open_app", "open_app", {"name": "name app_name"}, ignored=(*_MORE, "package_name")),
    VocabularyEntry("press_back", "go_back", ignored=_MORE),
    *_keys("press_key", "key"),
    *_keys("key_combination", "keys"),
    *_keys("hotkey", "keys"),
    VocabularyEntry("wait", "wait_5_seconds", ignored=_MORE),
    VocabularyEntry("wait", "wait", ignored=(*_MORE, "seconds")),
)
GEMINI_SKIPPED = (
    *(Skipped(name, LOOK_AGAIN) for name in ("take_screenshot", "list_apps", "screenshot")),
    *(Skipped(name, _NO_POINTER) for name in ("hover_at", "move", "hover", "mouse_move")),
    *(Skipped(name, _NO_BROWSER) for name in ("navigate", "search", "open_web_browser", "go_forward")),
    *(Skipped(name, _NO_KEY) for name in ("press_key", "key_combination", "hotkey")),
)

_ABOUT = ("reason", "description")
MOBILERUN = (
    VocabularyEntry("click", "click", {"point": "coordinate point"}, index="index", ignored=_ABOUT),
    VocabularyEntry("click", "click_at", {"point": "coordinate point"}),
    VocabularyEntry("long_click", "long_press", {"point": "coordinate point"}, index="index", ignored=_ABOUT),
    VocabularyEntry("long_click", "long_press_at", {"point": "coordinate point"}),
    *(
        VocabularyEntry(
            "type", name, {"text": "text"}, at="coordinate", index="index", clears="clear", submits=True
        )
        for name in ("type", "type_text", "input_text")
    ),
    VocabularyEntry(
        "swipe", "swipe", {"start": "coordinate start", "end": "coordinate2 end"}, ignored=("duration",)
    ),
    VocabularyEntry("scroll", "scroll", {"point": "coordinate", "direction": "direction"}, index="index"),
    *_keys("system_button", "button"),
    *_keys("press_key", "key"),
    VocabularyEntry("press_back", "back"),
    VocabularyEntry("press_home", "home"),
    VocabularyEntry("open_app", "open_app", {"name": "text app_name name app"}),
    VocabularyEntry("wait", "wait", ignored=("duration", "seconds")),
    VocabularyEntry(
        "finished", "complete", {"answer": "message reason answer"}, fixed={"success": "true|yes"}
    ),
    VocabularyEntry("failed", "complete", {"reason": "message reason answer"}, fixed={"success": "false|no"}),
    VocabularyEntry("ask_user", "ask_user", {"question": "question message text"}),
    VocabularyEntry("take_over", "take_over", {"reason": "reason message text"}),
)
MOBILERUN_SKIPPED = (
    Skipped("remember", "It is kept. Give the next action.", note="information"),
    Skipped("add_memory", "It is kept. Give the next action.", note="information"),
    Skipped("take_screenshot", LOOK_AGAIN),
    Skipped("get_state", LOOK_AGAIN),
)


@dataclass(frozen=True, slots=True)
class ToolForm(TextForm):
    """Calls of a function `holder` that takes the action's name as `key`, or a function for each action."""

    holder: str = ""
    key: str = "action"

    def read(self, reply: ModelReply) -> list[Call]:
        """The calls, by function, in tags or as JSON."""
        return plain_calls(read_calls(reply))

    def write(self, call: Call) -> str:
        """The call as JSON."""
        given = {key: [*item] if isinstance(item, tuple) else item for key, item in call.arguments.items()}
        if self.holder and call.name not in {word.name for word in ENDS}:
            given, name = {self.key: call.name, **given}, self.holder
        else:
            name = call.name
        return json.dumps({"name": name, "arguments": given}, ensure_ascii=False)


_ADDED_MEMORY = re.compile(r"<add_memory>(.{1,4000}?)</add_memory>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class InvokeForm(TextForm):
    """Calls in `<invoke>` tags."""

    def read(self, reply: ModelReply) -> list[Call]:
        """The calls, in tags or as JSON."""
        return plain_calls(read_calls(reply))

    def write(self, call: Call) -> str:
        """The call in tags."""
        lines = [
            f'<parameter name="{key}">{_in_tag(value)}</parameter>' for key, value in call.arguments.items()
        ]
        inside = "\n".join([f'<invoke name="{call.name}">', *lines, "</invoke>"])
        return f"<function_calls>\n{inside}\n</function_calls>"

    def notes(self, reply: ModelReply) -> tuple[str, ...]:
        """What stands in `<add_memory>` tags."""
        return tuple(note for text in _ADDED_MEMORY.findall(reply.text) if (note := one_line(text, 2000)))


def _in_tag(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{value[0]:g}, {value[1]:g}]"
    text = str(value)
    # A value on lines of its own is read without the two breaks around it.
    return f"\n{text}\n" if text.startswith("\n") and text.endswith("\n") else text


def claude_space(longest: int, pixels: int) -> Space:
    """Pixels of the picture as the model sees it: at most so long a side, and so many pixels."""

    def resize(width: int, height: int) -> tuple[int, int]:
        shrink = min(1.0, longest / max(width, height))
        across, down = max(1, int(width * shrink)), max(1, int(height * shrink))
        if across * down <= pixels:
            return across, down
        return smart_resize(across, down, factor=1, least=1, most=pixels)

    return Space(resize=resize)


CLAUDE_PIXELS = claude_space(1568, 1_150_000)
"""For models before Opus 4.7: 1,568 pixels on the long side, about 1.15 megapixels."""

CLAUDE_LARGE = claude_space(2576, 4784 * 28 * 28)
"""For models from Opus 4.7 and version 5 on."""


def _function(name: str, about: str, properties: dict[str, Any], required: Sequence[str] = ()) -> Tool:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"type": "function", "function": {"name": name, "description": about, "parameters": schema}}


_STRING = {"type": "string"}
_PAIR = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}
_WHERE = {"type": "integer", "minimum": 0, "maximum": 1000}
_END_TOOLS = (
    _function("open_app", "Start an app by the name under its icon.", {"name": _STRING}, ["name"]),
    _function(
        "finished", "The task is done. answer: what the user asked to know, if anything.", {"answer": _STRING}
    ),
    _function("failed", "The task cannot be done. reason: why.", {"reason": _STRING}, ["reason"]),
    _function("ask_user", "Ask the user what only they know.", {"question": _STRING}, ["question"]),
    _function(
        "take_over", "Hand over what only the user may do, such as a login.", {"reason": _STRING}, ["reason"]
    ),
)
_ANTHROPIC_TOOL = _function(
    "computer",
    "Operates the phone by touch. right_click holds a finger; key takes Enter, Back or Home; "
    "scroll_direction is "
    "where "
    "the hidden part lies.",
    {
        "action": {
            "type": "string",
            "enum": [
                "left_click",
                "right_click",
                "double_click",
                "left_click_drag",
                "type",
                "key",
                "scroll",
                "wait",
            ],
        },
        "coordinate": _PAIR,
        "start_coordinate": _PAIR,
        "text": _STRING,
        "scroll_direction": {"type": "string", "enum": ["up", "down", "left", "right"]},
        "scroll_amount": {"type": "integer"},
        "duration": {"type": "number"},
    },
    ["action"],
)
_OPENAI_TOOL = _function(
    "computer",
    "Operates the phone by touch. A click with button right holds a finger; keypress takes ENTER, "
    "BACK or HOME; "
    "a positive "
    "scrollY shows what lies below.",
    {
        "action": {
            "type": "string",
            "enum": ["click", "double_click", "drag", "keypress", "scroll", "type", "wait"],
        },
        "x": {"type": "integer"},
        "y": {"type": "integer"},
        "button": {"type": "string", "enum": ["left", "right"]},
        "path": {"type": "array", "items": {"type": "object", "properties": {"x": {}, "y": {}}}},
        "keys": {"type": "array", "items": _STRING},
        "scrollX": {"type": "integer"},
        "scrollY": {"type": "integer"},
        "text": _STRING,
    },
    ["action"],
)
_AT = {"x": _WHERE, "y": _WHERE}
_DIRECTION = {"type": "string", "enum": ["up", "down", "left", "right"]}
_GEMINI_TOOLS = (
    _function("click_at", "Tap a point.", _AT, ["x", "y"]),
    _function("long_press_at", "Press and hold a point.", _AT, ["x", "y"]),
    _function(
        "type_text_at",
        "Tap a field and type into it, in place of what it holds.",
        {
            **_AT,
            "text": _STRING,
            "press_enter": {"type": "boolean"},
            "clear_before_typing": {"type": "boolean"},
        },
        ["x", "y", "text"],
    ),
    _function(
        "scroll_at",
        "Show what lies in the direction.",
        {**_AT, "direction": _DIRECTION},
        ["x", "y", "direction"],
    ),
    _function(
        "scroll_document", "Show what lies in the direction.", {"direction": _DIRECTION}, ["direction"]
    ),
    _function(
        "drag_and_drop", "Move a finger.", {**_AT, "destination_x": _WHERE, "destination_y": _WHERE}, [*_AT]
    ),
    _function("press_key", "back, home, recent or enter.", {"key": _STRING}, ["key"]),
    _function("go_back", "Go back.", {}),
    _function("wait_5_seconds", "Wait.", {}),
)

_COMPUTER_RULES = """\
You operate an Android phone for its user. You are given an instruction, what has been done so far, and \
the current \
screen. Think briefly, then call exactly one function: the next action. {coordinates} If you cannot call \
functions, \
end your answer with one line of JSON instead: {example}"""
_PIXEL_RULE = "Coordinates are pixels of the screenshot as it is sent, from its upper left corner."
_MOBILERUN_RULES = """\
You operate an Android phone for its user. Think briefly, then write one call in tags:
<function_calls>
<invoke name="click">
<parameter name="index">2</parameter>
</invoke>
</function_calls>
The calls and their parameters:
click: index (an element's number in Screen_description), or coordinate [x, y]
long_press: index, or coordinate
type_text: text, index (taps that field first), clear (true empties the field first)
swipe: coordinate [x1, y1], coordinate2 [x2, y2]: where the finger moves
scroll: direction (where the hidden part lies), coordinate
system_button: button (back, home, recent, enter)
open_app: text (the app's name)
wait: duration
remember: information that you will need on later screens
ask_user: question
take_over: reason (what only the user can do)
complete: success (true or false), message (what the user asked to know, or why it cannot be done)
Coordinates are pixels of the screenshot."""


@dataclass(frozen=True, slots=True)
class ToolDialect(TextDialect):
    """A dialect of text whose actions are offered as functions too."""

    offered: tuple[Tool, ...] = ()

    def tools(self) -> list[Tool] | None:
        """The functions."""
        return [*self.offered]


def _rules(coordinates: str, example: str) -> Any:
    text = _COMPUTER_RULES.format(coordinates=coordinates, example=example)
    return lambda frame: text


ANTHROPIC_COMPUTER = ToolDialect(
    "anthropic_computer",
    "Anthropic's computer tool as a function; coordinates in pixels of the screenshot",
    "",
    _rules(
        _PIXEL_RULE, '{"name": "computer", "arguments": {"action": "left_click", "coordinate": [270, 300]}}'
    ),
    ComputerVocabulary((*ANTHROPIC, *ENDS), CLAUDE_PIXELS, skipped=ANTHROPIC_SKIPPED),
    ToolForm(holder="computer"),
    Layout(elements=True, side=MODEST_SIDE),
    offered=(_ANTHROPIC_TOOL, *_END_TOOLS),
)

OPENAI_COMPUTER = ToolDialect(
    "openai_computer",
    "OpenAI's computer tool as a function; coordinates in pixels of the screenshot",
    r"computerusepreview|operator",
    _rules(_PIXEL_RULE, '{"name": "computer", "arguments": {"action": "click", "x": 270, "y": 300}}'),
    ComputerVocabulary((*OPENAI, *ENDS), PIXELS, skipped=OPENAI_SKIPPED),
    ToolForm(holder="computer"),
    Layout(elements=True, side=MODEST_SIDE),
    offered=(_OPENAI_TOOL, *_END_TOOLS),
)

GEMINI_COMPUTER = ToolDialect(
    "gemini_computer",
    "Gemini's computer tool as functions; x and y 0..1000",
    r"gemini.*computeruse",
    _rules(
        "x and y go from 0 to 1000 of the screenshot's width and height.",
        '{"name": "click_at", "arguments": {"x": 500, "y": 250}}',
    ),
    ComputerVocabulary((*GEMINI, *ENDS), THOUSANDTHS, skipped=GEMINI_SKIPPED),
    ToolForm(),
    Layout(elements=True, side=MODEST_SIDE),
    offered=(*_GEMINI_TOOLS, *_END_TOOLS),
)

MOBILERUN_XML = TextDialect(
    "mobilerun",
    "mobilerun: calls in <invoke> tags; an element's number, or pixels",
    r"mobilerun|droidrun",
    lambda frame: _MOBILERUN_RULES,
    ComputerVocabulary(MOBILERUN, PIXELS, skipped=MOBILERUN_SKIPPED),
    InvokeForm(),
    Layout(elements=True, side=MODEST_SIDE),
)

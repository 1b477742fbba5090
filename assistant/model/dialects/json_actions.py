"""Families that answer with one JSON object: AndroidWorld, GLM-V, MobiMind, AgentCPM-GUI.

`android_world` and `os_genesis`: `Reason: …`, then `Action: {"action_type": "click", "x": 1, "y": 2}`;
pixels, or 0..1000 for OS-Genesis. `index` may stand for x and y: an element's number in the list, which here
counts from 1.
`scroll` moves the content; `swipe` the finger upward and downward, but the content to the left and right, as
AndroidWorld's code does. `input_text` taps its field and presses Enter.
`glm_v`: `Memory: …`, `Reason: …`, `Action: {"action_type": "click", "box_2d": [[x1, y1, x2, y2]]}`, boxes
0..999; on computers `left_click(start_box='[x,y]')` between box tokens, which is read too. Memory is kept as
a note.
`mobimind`: `{"reasoning": "", "action": "click", "parameters": {"bbox": [...]}}`, boxes 0..1000, or of
`mobimind_pixels`, the weights on Qwen2.5-VL, pixels of the picture; a swipe's direction is the finger's, and
typing replaces what the field holds. A click without a box, which a second model would have to find, is
malformed. The names of MobiAgent's other form, such as KEY_BACK, are read too.
`agentcpm_gui`: `{"thought": "", "POINT": [x, y]}`, 0..1000; one object may hold an action and the task's
status.
Leniency: fences, Python's quotes, a function call of the endpoint.
Source: the prompts and executors of AndroidWorld's agents M3A and T3A, GLM-V, MobiAgent, AgentCPM-GUI.
"""

from __future__ import annotations

import json
import re
from typing import Any

from assistant.model.dialects.base import (
    PIXELS,
    THOUSANDTHS,
    Call,
    MalformedReply,
    ModelReply,
    Space,
    end_before_line,
    find_objects,
    read_calls,
)
from assistant.model.dialects.spoken import Skipped, TextDialect, TextForm, Vocabulary, VocabularyEntry
from assistant.model.dialects.text_calls import CallReader, DoForm
from assistant.model.prompts import MODEST_SIDE, Layout, Past
from assistant.model.types import one_line

_POINT = {"point": "point", "content": "content"}
_MOVE = {"point": "point", "direction": "direction"}
_AW_WORDS = (
    VocabularyEntry("click", "click", _POINT, index="index"),
    VocabularyEntry("click", "double_tap", _POINT, index="index", times=2),
    VocabularyEntry("long_click", "long_press", _POINT, index="index"),
    VocabularyEntry(
        "type", "input_text", {"text": "text"}, at="point", index="index", clears="clear_text", enters=True
    ),
    VocabularyEntry("scroll", "scroll", _MOVE, index="index"),
    VocabularyEntry("scroll", "swipe", _MOVE, index="index", finger="vertical"),
    VocabularyEntry("swipe", "drag", {"start": "start", "end": "end"}),
    VocabularyEntry("open_app", "open_app", {"name": "app_name"}),
    VocabularyEntry("press_back", "navigate_back"),
    VocabularyEntry("press_home", "navigate_home"),
    VocabularyEntry("press_recent", "navigate_recent"),
    VocabularyEntry("press_enter", "keyboard_enter"),
    VocabularyEntry("press_enter", "press_keyboard", fixed={"keycode": "KEYCODE_ENTER"}),
    VocabularyEntry("wait", "wait"),
    VocabularyEntry("finished", "answer", {"answer": "text"}, needs=("answer",)),
    VocabularyEntry("finished", "status", fixed={"goal_status": "complete|completed|success|successful"}),
    VocabularyEntry("failed", "status", {"reason": "reason"}, fixed={"goal_status": "infeasible"}),
    VocabularyEntry("ask_user", "ask_user", {"question": "text"}),
    VocabularyEntry("take_over", "take_over", {"reason": "text"}),
)
_UNKNOWN = Skipped("unknown", "Give one of the actions.")

_OPENING = re.compile(r"[ \t]{0,9}(?:[{`<]|(?i:action) ?[:：])")

_AW_RULES = """\
You operate an Android phone for its user. In every step choose one of these actions, written as JSON:
{"action_type": "click", "index": n} or {"action_type": "click", "x": x, "y": y}
{"action_type": "long_press", "index": n} or with x and y
{"action_type": "input_text", "text": "..", "index": n} taps the field, types into it and presses Enter
{"action_type": "keyboard_enter"}
{"action_type": "scroll", "direction": "down", "index": n} brings into view what lies up, down, left or right
{"action_type": "drag", "start": [x, y], "end": [x, y]} moves a finger
{"action_type": "open_app", "app_name": "name"}
{"action_type": "navigate_back"}, {"action_type": "navigate_home"}, {"action_type": "navigate_recent"}
{"action_type": "wait"}
{"action_type": "ask_user", "text": "question"}
{"action_type": "take_over", "text": "what only the user can do"}
{"action_type": "answer", "text": "what the user asked to know"} ends the task
{"action_type": "status", "goal_status": "complete"}
{"action_type": "status", "goal_status": "infeasible", "reason": "why"}
index is an element's number in Screen_description; x and y are pixels of the screenshot.
Answer in this form:
Reason: why this comes next
Action: {"action_type": ...}"""


class ActionTypeForm(TextForm):
    """A JSON object behind `Action:` that names an `action_type`."""

    def read(self, reply: ModelReply) -> list[Call]:
        """The objects that name an action type."""
        if reply.calls:
            return read_calls(reply)
        values = find_objects(reply.text, lambda value: isinstance(value.get("action_type"), str))
        return [Call(value.pop("action_type"), value) for value in values]

    def write(self, call: Call) -> str:
        """The object behind `Action:`, x and y apart."""
        given = dict(call.arguments)
        place = dict(zip("xy", given.pop("point", ()), strict=False))
        if box := given.get("box_2d"):
            given["box_2d"] = [[*box, *box]]
        return f"Action: {json.dumps({'action_type': call.name, **place, **given}, ensure_ascii=False)}"

    def prose_end(self, text: str, start: int = 0) -> int:
        """Everything before the first line that begins with a label, a fence or a brace."""
        return end_before_line(_OPENING, text, start, undecided=12)


ANDROID_WORLD = TextDialect(
    "android_world",
    "AndroidWorld's JSON with action_type; coordinates in pixels, or an element's number",
    r"androidworld|m3a|t3a",
    lambda frame: _AW_RULES,
    Vocabulary(_AW_WORDS, PIXELS, skipped=(_UNKNOWN,)),
    ActionTypeForm(),
    Layout(elements=True, side=MODEST_SIDE),
)

OS_GENESIS = TextDialect(
    "os_genesis",
    "OS-Genesis: AndroidWorld's JSON with action_type; coordinates 0..1000",
    r"osgenesis|mobilerl",
    lambda frame: _AW_RULES.replace("pixels of the screenshot", "0..1000 of its width and height"),
    Vocabulary(_AW_WORDS, THOUSANDTHS, skipped=(_UNKNOWN,)),
    ActionTypeForm(),
    Layout(elements=True, side=MODEST_SIDE),
)


_GLM_BOX = {"point": "box_2d start_box box bbox point", "content": "element_info content"}
_GLM_MOVE = {"point": "box_2d start_box box bbox point", "direction": "direction"}
_GLM_WORDS = (
    VocabularyEntry("click", "click", _GLM_BOX, index="index"),
    VocabularyEntry("click", "left_click", _GLM_BOX),
    VocabularyEntry("click", "left_double_click", _GLM_BOX, times=2),
    VocabularyEntry("click", "double_tap", _GLM_BOX, times=2),
    VocabularyEntry("long_click", "long_press", _GLM_BOX, index="index"),
    VocabularyEntry("long_click", "right_click", _GLM_BOX),
    VocabularyEntry(
        "type", "input_text", {"text": "text"}, at="box_2d", index="index", clears="override", enters=True
    ),
    VocabularyEntry("type", "type", {"text": "content text"}, ignored=("element_info",)),
    VocabularyEntry("press_enter", "keyboard_enter"),
    VocabularyEntry("press_enter", "key", fixed={"keys": "enter|return"}),
    VocabularyEntry("press_back", "key", fixed={"keys": "back|esc|escape"}),
    VocabularyEntry("press_home", "key", fixed={"keys": "home"}),
    VocabularyEntry("swipe", "swipe", {"start": "start", "end": "end"}, needs=("end",)),
    VocabularyEntry("scroll", "swipe", _GLM_MOVE, finger=True, ignored=("dist",)),
    VocabularyEntry("scroll", "scroll", _GLM_MOVE, ignored=("step", "element_info")),
    VocabularyEntry("swipe", "drag", {"start": "start start_box", "end": "end end_box"}),
    VocabularyEntry("swipe", "left_drag", {"start": "start_box start", "end": "end_box end"}),
    *_AW_WORDS[7:],
    VocabularyEntry("finished", "finish", {"answer": "message"}),
    VocabularyEntry("finished", "DONE"),
    VocabularyEntry("failed", "FAIL"),
)
_GLM_SKIPPED = (
    Skipped("key", "That key is not available here. Go on without it."),
    Skipped("hover", "Pointing does nothing on a phone. Go on without it."),
    _UNKNOWN,
)
_GLM_VOCABULARY = Vocabulary(_GLM_WORDS, Space(999), skipped=_GLM_SKIPPED)
_MEMORY = re.compile(
    r"^[ \t*]*Memory[ \t*]*[:：][ \t*]*(.*(?:\n(?!\s*[*]*(?:Reason|Action|<\|)).*)*)", re.M | re.I
)
_NO_MEMORY = re.compile(r"(?:none|null|n/a|\[\s*\]|无|没有)?[.\s]*", re.IGNORECASE)
_BARE_END = re.compile(r"(DONE|FAIL|WAIT)(?:\(\))?", re.IGNORECASE)
_TOKENS = re.compile(r"<\|(?:begin|end)_of_box\|>")

_GLM_RULES = """\
You operate an Android phone for its user. You see the task, what was done before and the current \
screenshot; give the \
next action. Boxes are [[x1, y1, x2, y2]] in thousandths of the screenshot's width and height. The \
actions, as JSON:
{"action_type": "click", "box_2d": [[x1, y1, x2, y2]]}
{"action_type": "long_press", "box_2d": [[x1, y1, x2, y2]]}
{"action_type": "input_text", "text": "..", "box_2d": [[x1, y1, x2, y2]], "override": true} taps the \
field, empties it \
if override is true, types and presses Enter
{"action_type": "keyboard_enter"}
{"action_type": "swipe", "direction": "up", "box_2d": [[x1, y1, x2, y2]]} moves the finger up, down, left \
or right
{"action_type": "drag", "start": [x, y], "end": [x, y]} moves a finger from one point to another
{"action_type": "open_app", "app_name": "name"}
{"action_type": "navigate_back"}, {"action_type": "navigate_home"}, {"action_type": "navigate_recent"}
{"action_type": "wait"}
{"action_type": "ask_user", "text": "question"}
{"action_type": "take_over", "text": "what only the user can do"}
{"action_type": "answer", "text": "what the user asked to know"} ends the task
{"action_type": "status", "goal_status": "complete"}
{"action_type": "status", "goal_status": "infeasible", "reason": "why"}
Answer in this form:
Memory: what must be remembered from the screens so far, or None
Reason: why this comes next
Action: {"action_type": ...}"""


class MemoryForm(ActionTypeForm):
    """GLM-V's two forms, JSON behind `Action:` and calls between box tokens; AutoGLM's calls are read too."""

    def __init__(self) -> None:
        """Read calls of the computer form too."""
        self._calls = CallReader(_GLM_VOCABULARY.names, _GLM_VOCABULARY.keys)

    def read(self, reply: ModelReply) -> list[Call]:
        """The object, else the calls, else a bare word for the end."""
        if reply.calls:
            return read_calls(reply)
        text = _MEMORY.sub("", _TOKENS.sub("\n", reply.text))
        if objects := super().read(ModelReply(text)):
            return objects
        if calls := self._calls.calls(text) or DoForm().read(ModelReply(text)):
            return calls
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        bare = _BARE_END.fullmatch(lines[-1].removeprefix("Action:").strip()) if lines else None
        return [Call(bare[1])] if bare else read_calls(ModelReply(text))

    def notes(self, reply: ModelReply) -> tuple[str, ...]:
        """What stands behind `Memory:`, unless it is none."""
        memory = _MEMORY.search(reply.text)
        text = one_line(_TOKENS.sub("", memory[1])) if memory else ""
        return () if _NO_MEMORY.fullmatch(text) else (text,)


GLM_V = TextDialect(
    "glm_v",
    "GLM-4.1V to 4.6V: Memory, Reason and JSON with boxes; coordinates 0..999",
    r"glm4[1-9]v|glm5v|glm\d*v(?!\d)",
    lambda frame: _GLM_RULES,
    _GLM_VOCABULARY,
    MemoryForm(),
    Layout(Past.REPLIES, apps=True),
)


_BOX = {
    "point": "bbox bbox_2d bbox-2d bbox_2D bbox2d bbox_2009 point coords",
    "content": "target_element",
}
_PATH = {"start": "start_coords", "end": "end_coords"}
_MIND_WORDS = (
    VocabularyEntry("click", "click", _BOX, index="index"),
    VocabularyEntry("long_click", "long_press", _BOX, index="index"),
    VocabularyEntry("type", "input", {"text": "text"}, at="bbox", index="index", clears=True),
    VocabularyEntry("swipe", "swipe", _PATH, needs=("end",), ignored=("direction",)),
    VocabularyEntry("scroll", "swipe", {"direction": "direction", "point": "start_coords"}, finger=True),
    VocabularyEntry("open_app", "open_app", {"name": "app_name app name"}),
    VocabularyEntry("press_back", "key_back"),
    VocabularyEntry("press_home", "key_home"),
    VocabularyEntry("press_recent", "key_recent"),
    VocabularyEntry("press_enter", "key_enter"),
    VocabularyEntry("wait", "wait", ignored=("seconds", "time")),
    VocabularyEntry("finished", "done", {"answer": "answer"}, fixed={"status": "success"}),
    VocabularyEntry("failed", "done", {"reason": "reason"}, fixed={"status": "failed|failure"}),
    VocabularyEntry("take_over", "done", {"reason": "reason"}, fixed={"status": "suspended"}),
    VocabularyEntry("ask_user", "ask_user", {"question": "question"}),
)
_BESIDE = ("reasoning", "thought", "action", "parameters", "params")

_MIND_RULES = """\
You are a phone agent. From the task, what was done before and the screenshot, reason with care and give the \
next action.
Your actions:
- click: target_element (the element in words), bbox (the box around it, [x1, y1, x2, y2])
- long_press: target_element, bbox
- input: text, for the focused field, in place of what it holds
- swipe: direction (where the finger moves: UP, DOWN, LEFT, RIGHT), start_coords [x, y]; to end somewhere \
exactly, end_coords [x, y]
- open_app: app_name
- key_back, key_home, key_recent, key_enter: no parameters
- wait: no parameters
- ask_user: question
- done: status (success, failed, or suspended where only the user can go on), answer (what they asked to \
know), reason (why it failed, or what the user must do)
Boxes and coordinates go from 0 to {largest}.
Answer with one JSON object:
"""
_MIND_FORM = '{"reasoning": "why", "action": "its name", "parameters": {"name": "value"}}'


def _mind_rules(largest: str) -> str:
    return _MIND_RULES.format(largest=largest) + _MIND_FORM


class ReasonedForm(TextForm):
    """One JSON object with the reasoning inside."""

    def read(self, reply: ModelReply) -> list[Call]:
        """The action with its parameters."""
        return read_calls(reply) if reply.calls else [_call(value) for value in _objects(reply)]

    def write(self, call: Call) -> str:
        """The object in one line."""
        parameters = {key: _parameter(key, value) for key, value in call.arguments.items()}
        value = {"reasoning": "", "action": call.name, "parameters": parameters}
        return json.dumps(value, ensure_ascii=False)

    def thought(self, reply: ModelReply) -> str:
        """The reasoning of the object."""
        reasonings = (value.get("reasoning") for value in _objects(reply))
        return next((text for text in reasonings if isinstance(text, str)), "")


def _objects(reply: ModelReply) -> list[dict[str, Any]]:
    return find_objects(reply.text, lambda value: isinstance(value.get("action"), str))


def _call(value: dict[str, Any]) -> Call:
    given = value.get("parameters", value.get("params"))
    beside = {key: argument for key, argument in value.items() if key not in _BESIDE}
    if not isinstance(given, dict | None):
        raise MalformedReply("parameters is no JSON object.")
    return Call(value["action"], {**beside, **(given or {})})


def _parameter(key: str, value: Any) -> Any:
    if key == "bbox":
        return [*value, *value]
    return value.upper() if key == "direction" else value


MOBIMIND_PIXELS = TextDialect(
    "mobimind_pixels",
    "MobiMind mixed-7b: JSON with reasoning and boxes; coordinates in pixels of the screenshot",
    "mobimindmixed7b",
    lambda frame: _mind_rules(f"{frame.width} in x and {frame.height} in y, the pixels of the screenshot"),
    Vocabulary(_MIND_WORDS, PIXELS),
    ReasonedForm(),
    Layout(Past.REPLIES, picture_first=True, side=1200),
)

MOBIMIND = TextDialect(
    "mobimind",
    "MobiMind: JSON with reasoning and boxes; coordinates 0..1000",
    "mobimind",
    lambda frame: _mind_rules("1000 of the screenshot's width and height"),
    Vocabulary(_MIND_WORDS, THOUSANDTHS),
    ReasonedForm(),
    Layout(Past.REPLIES, picture_first=True, side=1200),
)


_CPM_WORDS = (
    VocabularyEntry("click", "POINT", {"point": "POINT"}),
    VocabularyEntry("long_click", "HOLD", {"point": "POINT"}),
    VocabularyEntry("swipe", "MOVE", {"start": "POINT", "end": "to"}),
    VocabularyEntry("scroll", "SCROLL", {"point": "POINT", "direction": "to"}, finger=True),
    VocabularyEntry("type", "TYPE", {"text": "TYPE"}),
    VocabularyEntry("clear", "CLEAR"),
    VocabularyEntry("press_back", "PRESS", fixed={"PRESS": "BACK"}),
    VocabularyEntry("press_home", "PRESS", fixed={"PRESS": "HOME"}),
    VocabularyEntry("press_enter", "PRESS", fixed={"PRESS": "ENTER"}),
    VocabularyEntry("press_recent", "PRESS", fixed={"PRESS": "RECENT|APPSELECT"}),
    VocabularyEntry("wait", "WAIT"),
    VocabularyEntry("open_app", "OPEN", {"name": "OPEN"}),
    VocabularyEntry("finished", "STATUS", {"answer": "answer"}, fixed={"STATUS": "finish|satisfied"}),
    VocabularyEntry("failed", "STATUS", {"reason": "reason"}, fixed={"STATUS": "impossible|interrupt"}),
    VocabularyEntry(
        "ask_user", "STATUS", {"question": "question"}, fixed={"STATUS": "need_feedback"}, needs=("question",)
    ),
    VocabularyEntry("take_over", "STATUS", {"reason": "reason"}, fixed={"STATUS": "need_feedback"}),
)
_CPM_KEYS = ("POINT", "PRESS", "TYPE", "CLEAR", "OPEN", "STATUS", "to", "duration")
_CPM_DIRECTIONS = ("up", "down", "left", "right")
_CPM_MORE: dict[str, dict[str, Any]] = {
    "HOLD": {"duration": 1000},
    "WAIT": {"duration": 500},
    "CLEAR": {"CLEAR": True},
}
_HOLD_MILLISECONDS = 200
_CPM_RULES = """\
# Role
You operate an Android phone for its user: from the task and the screenshot you give the next action.
# Rule
Answer with compact JSON, without line breaks or spaces outside of texts. Its keys:
"thought": why, briefly
"POINT": [x, y], 0 to 1000 of the screenshot's width and height; with "duration" over 200 milliseconds a \
long press, \
with "to": "up", "down", "left", "right" (where the finger moves) or [x, y] a swipe
"TYPE": text for the focused field
"CLEAR": true empties the focused field
"PRESS": "HOME", "BACK", "ENTER" or "RECENT"
"OPEN": the name of an app
"duration": alone, milliseconds to wait
"STATUS": "continue"; "finish" with "answer" (what the user asked to know, if anything); "impossible" \
with "reason"; \
"need_feedback" with "question", or with "reason" for what only the user can do"""


class CompactForm(TextForm):
    """One compact object whose keys are the actions."""

    in_order = True

    def read(self, reply: ModelReply) -> list[Call]:
        """The action, and behind it the end of the task if the same object says so.

        Raises:
            MalformedReply: several objects that differ, or keys that contradict one another.
        """
        if reply.calls:
            return read_calls(reply)
        objects = find_objects(reply.text, lambda value: any(key in value for key in _CPM_KEYS))
        if any(value != objects[0] for value in objects):
            raise MalformedReply("The reply has several actions. Give exactly one.")
        return _cpm_calls(objects[0]) if objects else []

    def write(self, call: Call) -> str:
        """The object."""
        given = {
            key: [*value] if isinstance(value, tuple) else value for key, value in call.arguments.items()
        }
        more = _CPM_MORE.get(call.name, {})
        return json.dumps({"thought": "", **given, **more}, ensure_ascii=False, separators=(",", ":"))

    def thought(self, reply: ModelReply) -> str:
        """The thought in the object."""
        values = find_objects(reply.text, lambda value: isinstance(value.get("thought"), str))
        return next((value["thought"] for value in values), "")


def _cpm_calls(value: dict[str, Any]) -> list[Call]:
    given = {key: item for key, item in value.items() if item is not None}
    kinds = [key for key in ("POINT", "PRESS", "TYPE", "CLEAR", "OPEN") if key in given]
    if len(kinds) > 1 and kinds != ["POINT", "TYPE"]:
        raise MalformedReply(f"{' and '.join(kinds)} are several actions. Give exactly one.")
    calls = [_cpm_call(kind, given) for kind in kinds]
    if not kinds and "duration" in given and "to" not in given:
        calls.append(Call("WAIT"))
    if "STATUS" in given and str(given["STATUS"]).casefold() not in ("continue", "start"):
        about: dict[str, Any] = {key: given[key] for key in ("answer", "reason", "question") if key in given}
        calls.append(Call("STATUS", {"STATUS": given["STATUS"], **about}))
    return calls


def _cpm_call(kind: str, given: dict[str, Any]) -> Call:
    if kind != "POINT":
        return Call(kind, {kind: given[kind]} if kind != "CLEAR" else {})
    where = {"POINT": given["POINT"]}
    if (end := given.get("to")) is not None:
        direction = isinstance(end, str) and end.strip().casefold() in _CPM_DIRECTIONS
        return Call("SCROLL" if direction else "MOVE", {**where, "to": end})
    duration = given.get("duration", 0)
    if isinstance(duration, bool) or not isinstance(duration, int | float):
        raise MalformedReply("duration is not a number of milliseconds.")
    return Call("HOLD" if duration > _HOLD_MILLISECONDS else "POINT", where)


AGENTCPM_GUI = TextDialect(
    "agentcpm_gui",
    "AgentCPM-GUI: compact JSON with POINT, TYPE, PRESS, STATUS; coordinates 0..1000",
    "agentcpm",
    lambda frame: _CPM_RULES,
    Vocabulary(_CPM_WORDS, THOUSANDTHS),
    CompactForm(),
    Layout(Past.SENTENCES, side=1120),
)

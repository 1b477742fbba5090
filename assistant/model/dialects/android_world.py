"""AndroidWorld's form: `Reason: …`, then `Action: {"action_type": "click", "x": 1, "y": 2}`.

Coordinates: pixels of the screenshot. `index` may stand for x and y: an element's number in the list, which
here counts from 1. `scroll` moves the content, `swipe` the finger.
Source: the prompts of AndroidWorld's agents M3A and T3A.
"""

from __future__ import annotations

import json
import re
from typing import Any

from assistant.model.dialects.base import PIXELS, Call, ModelReply
from assistant.model.dialects.parsing import end_before_line, find_objects, read_calls
from assistant.model.dialects.spoken import TextDialect, TextForm, Vocabulary, VocabularyEntry

_POINT = {"point": "point", "content": "content"}
_MOVE = {"point": "point", "direction": "direction"}
_WORDS = (
    VocabularyEntry("click", "click", _POINT, index="index"),
    VocabularyEntry("long_click", "long_press", _POINT, index="index"),
    VocabularyEntry("type", "input_text", {"text": "text"}, ignored=("point", "index", "clear_text")),
    VocabularyEntry("scroll", "scroll", _MOVE, index="index"),
    VocabularyEntry("scroll", "swipe", _MOVE, index="index", finger=True),
    VocabularyEntry("swipe", "drag", {"start": "start", "end": "end"}),
    VocabularyEntry("open_app", "open_app", {"name": "app_name"}),
    VocabularyEntry("press_back", "navigate_back"),
    VocabularyEntry("press_home", "navigate_home"),
    VocabularyEntry("press_recent", "navigate_recent"),
    VocabularyEntry("press_enter", "keyboard_enter"),
    VocabularyEntry("wait", "wait"),
    VocabularyEntry("finished", "answer", {"answer": "text"}, needs=("answer",)),
    VocabularyEntry("finished", "status", fixed={"goal_status": "complete|completed|success|successful"}),
    VocabularyEntry("failed", "status", {"reason": "reason"}, fixed={"goal_status": "infeasible"}),
    VocabularyEntry("ask_user", "ask_user", {"question": "text"}),
    VocabularyEntry("take_over", "take_over", {"reason": "text"}),
)
_REFUSED = {"double_tap": "Use click.", "unknown": "Give one of the actions."}

_OPENING = re.compile(r"[ \t]{0,9}(?:[{`<]|(?i:action) ?[:：])")

_RULES = """\
You operate an Android phone for its user. In every step choose one of these actions, written as JSON:
{"action_type": "click", "index": n} or {"action_type": "click", "x": x, "y": y}
{"action_type": "long_press", "index": n} or with x and y
{"action_type": "input_text", "text": "for the focused field"}
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
    """A JSON object behind `Action:`, x and y apart."""

    def read(self, reply: ModelReply) -> list[Call]:
        """The objects that name an action type."""
        if reply.calls:
            return [Call(call.name, _joined(call.arguments)) for call in read_calls(reply)]
        values = find_objects(reply.text, lambda value: isinstance(value.get("action_type"), str))
        return [Call(value.pop("action_type"), _joined(value)) for value in values]

    def write(self, call: Call) -> str:
        """The object behind `Action:`."""
        given = dict(call.arguments)
        place = dict(zip("xy", given.pop("point", ()), strict=False))
        return f"Action: {json.dumps({'action_type': call.name, **place, **given}, ensure_ascii=False)}"

    def prose_end(self, text: str, start: int = 0) -> int:
        """Everything before the first line that begins with a label, a fence or a brace."""
        return end_before_line(_OPENING, text, start, undecided=12)


def _joined(value: dict[str, Any]) -> dict[str, Any]:
    rest = {key: one for key, one in value.items() if key not in ("x", "y") and one is not None}
    both = [value[axis] for axis in "xy" if value.get(axis) is not None]
    return {**rest, "point": both} if both else rest


ANDROID_WORLD = TextDialect(
    "android_world",
    "AndroidWorld's JSON with action_type; coordinates in pixels, or an element's number",
    r"androidworld|m3a|t3a",
    lambda frame: _RULES,
    Vocabulary(_WORDS, PIXELS, _REFUSED),
    ActionTypeForm(),
)

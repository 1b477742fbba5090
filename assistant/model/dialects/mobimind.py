"""MobiMind's form: `{"reasoning": "", "action": "click", "parameters": {"bbox": [...]}}`.

Coordinates: 0..1000, points as boxes. A swipe's direction is the finger's.
This is the end-to-end form; a click without a box, which a second model would have to find, is malformed.
Leniency: the action names of MobiAgent's other form, such as KEY_BACK, and numbers of listed elements are
read too.
Source: the prompts of MobiAgent, which runs the MobiMind models.
"""

from __future__ import annotations

import json
from typing import Any

from assistant.model.dialects.base import THOUSANDTHS, Call, MalformedReply, ModelReply
from assistant.model.dialects.parsing import find_objects, first_brace, read_calls
from assistant.model.dialects.spoken import TextDialect, TextForm, Vocabulary, VocabularyEntry

_BOX = {
    "point": "bbox bbox_2d bbox-2d bbox_2D bbox2d bbox_2009 point coords",
    "content": "target_element",
}
_PATH = {"start": "start_coords", "end": "end_coords"}
_WORDS = (
    VocabularyEntry("click", "click", _BOX, index="index"),
    VocabularyEntry("long_click", "long_press", _BOX, index="index"),
    VocabularyEntry("type", "input", {"text": "text"}, ignored=("index",)),
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

_RULES = """\
You are a phone agent. From the task, what was done before and the screenshot, reason with care and give the \
next action.
Your actions:
- click: target_element (the element in words), bbox (the box around it, [x1, y1, x2, y2])
- long_press: target_element, bbox
- input: text, for the focused field
- swipe: direction (where the finger moves: UP, DOWN, LEFT, RIGHT), start_coords [x, y]; to end somewhere \
exactly, end_coords [x, y]
- open_app: app_name
- key_back, key_home, key_recent, key_enter: no parameters
- wait: no parameters
- ask_user: question
- done: status (success, failed, or suspended where only the user can go on), answer (what they asked to \
know), reason (why it failed, or what the user must do)
Boxes and coordinates go from 0 to 1000 of the screenshot's width and height.
Answer with one JSON object:
{"reasoning": "why", "action": "its name", "parameters": {"name": "value"}}"""


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

    def prose_end(self, text: str, start: int = 0) -> int:
        """Everything before the first brace or fence."""
        return first_brace(text, start)

    def thought(self, reply: ModelReply) -> str:
        """The reasoning of the object."""
        said = (value.get("reasoning") for value in _objects(reply))
        return next((text for text in said if isinstance(text, str)), "")


def _objects(reply: ModelReply) -> list[dict[str, Any]]:
    return find_objects(reply.text, lambda value: isinstance(value.get("action"), str))


def _call(value: dict[str, Any]) -> Call:
    given = value.get("parameters", value.get("params"))
    beside = {key: one for key, one in value.items() if key not in _BESIDE}
    if not isinstance(given, dict | None):
        raise MalformedReply("parameters is no JSON object.")
    return Call(value["action"], {**beside, **(given or {})})


def _parameter(key: str, value: Any) -> Any:
    if key == "bbox":
        return [*value, *value]
    return value.upper() if key == "direction" else value


MOBIMIND = TextDialect(
    "mobimind",
    "MobiMind: JSON with reasoning and boxes; coordinates 0..1000",
    "mobimind",
    lambda frame: _RULES,
    Vocabulary(_WORDS, THOUSANDTHS),
    ReasonedForm(),
)

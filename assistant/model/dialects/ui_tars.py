"""UI-TARS's form: `Thought: …`, then `Action: click(start_box='(x,y)')`.

Coordinates: version 1.0 and Doubao's models 0..1000; version 1.5 pixels of the screenshot in the size that
Qwen2.5-VL sees.
Leniency: boxes, `<point>` tags, box tokens, function calls and Seed's tags are read too. Several `Action:` in
a reply are a model that thinks again: the last one holds, unless it only claims the end.
Source: the prompts of UI-TARS.
"""

from __future__ import annotations

import re

from assistant.model.dialects import parsing, spoken
from assistant.model.dialects.base import THOUSANDTHS, Call, ModelReply, Space, patches
from assistant.model.dialects.parsing import read_calls
from assistant.model.dialects.spoken import TextDialect, TextForm, Vocabulary, VocabularyEntry
from assistant.model.types import one_line

_POINT = "start_box point start_point box bbox"
_AREA = {"start": "start_box start_point point", "end": "end_box end_point"}
_WORDS = (
    VocabularyEntry("click", "click", {"point": _POINT, "content": "content"}),
    VocabularyEntry("click", "left_single", {"point": _POINT}),
    VocabularyEntry("long_click", "long_press", {"point": _POINT, "content": "content"}, ignored=("time",)),
    VocabularyEntry("type", "type", {"text": "content text"}),
    VocabularyEntry("scroll", "scroll", {"point": _POINT, "direction": "direction"}),
    VocabularyEntry("swipe", "drag", _AREA),
    VocabularyEntry("swipe", "swipe", _AREA),
    VocabularyEntry("open_app", "open_app", {"name": "app_name name"}),
    VocabularyEntry("press_back", "press_back"),
    VocabularyEntry("press_home", "press_home"),
    VocabularyEntry("press_recent", "press_recent"),
    VocabularyEntry("press_enter", "hotkey", fixed={"key": "enter|return"}),
    VocabularyEntry("press_back", "hotkey", fixed={"key": "back"}),
    VocabularyEntry("press_home", "hotkey", fixed={"key": "home"}),
    VocabularyEntry("wait", "wait", ignored=("time",)),
    VocabularyEntry("finished", "finished", {"answer": "content"}),
    VocabularyEntry("failed", "failed", {"reason": "content"}),
    VocabularyEntry("ask_user", "call_user", {"question": "content"}, needs=("question",)),
    VocabularyEntry("take_over", "call_user", {"reason": "reason"}, ignored=("content",)),
)
_REFUSED = dict.fromkeys(
    ("left_double", "double_click", "right_single", "select"), "Use click or long_press."
)
_SAME_LINE = re.compile(
    r"^([ \t]*(?:Thought|Reflection|Action_Summary) ?[:：].*?)\s(Action ?[:：])", re.MULTILINE
)

_RULES = """\
You operate a phone for its user. You see a task, what you did before, and the current screenshot; give the \
next action.
## Output Format
Thought: what you see and what you do next, in a sentence or two
Action: one call of the action space
## Action Space
click(start_box='(x,y)')
long_press(start_box='(x,y)')
type(content='') # \\n at the end submits
scroll(start_box='(x,y)', direction='down or up or right or left') # shows more on that side
drag(start_box='(x1,y1)', end_box='(x2,y2)')
open_app(app_name='')
press_home()
press_back()
press_recent()
hotkey(key='enter')
wait()
call_user(content='') # a question to the user
call_user(reason='') # what the user must do by hand
failed(content='') # why the task cannot be done
finished(content='') # what the user asked to know, if anything
## Note
- {coordinates}
- Inside quotes write \\' for a quote and \\n for a line break.
- Write the Thought in the language of the task.
"""


class TarsForm(TextForm):
    """Calls behind `Action:`, in tags, as JSON or as functions."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Read calls of the vocabulary's names."""
        self._calls = spoken.CallReader(vocabulary.names | _REFUSED.keys(), vocabulary.keys)

    def read(self, reply: ModelReply) -> list[Call]:
        """The calls that count."""
        if reply.calls:
            return read_calls(reply)
        if parsing.OPENING in reply.text:
            return parsing.tagged_calls(reply.text)
        labelled = self._calls.labelled(_SAME_LINE.sub(r"\1\n\2", reply.text))
        if not labelled:
            return read_calls(reply)
        ends = any(call.name == "finished" for call in labelled[-1])
        return [call for calls in labelled for call in calls] if ends else labelled[-1]

    def write(self, call: Call) -> str:
        """The call behind `Action:`."""
        parts = (f"{key}={_quoted(value)}" for key, value in call.arguments.items())
        return f"Action: {call.name}({', '.join(parts)})"

    def prose_end(self, text: str, start: int = 0) -> int:
        """Everything before the first line that may turn out to be an action."""
        return self._calls.prose_end(text, start)

    def format_past_reply(self, thought: str, text: str) -> str:
        """Thought and action."""
        return f"Thought: {one_line(thought, 300)}\n{text}" if thought else text


def speak(name: str, title: str, pattern: str, space: Space, coordinates: str) -> TextDialect:
    """The dialect of one version."""
    vocabulary = Vocabulary(_WORDS, space, _REFUSED)
    rules = _RULES.format(coordinates=coordinates)
    return TextDialect(
        name, title, pattern, lambda frame: rules, vocabulary, TarsForm(vocabulary), in_turns=True
    )


def _quoted(value: str | tuple[float, float]) -> str:
    return spoken.quote(value if isinstance(value, str) else f"({value[0]:g},{value[1]:g})")


UI_TARS = speak(
    "ui_tars",
    "UI-TARS 1.0 and Doubao: Thought and Action; coordinates 0..1000",
    "uitars",
    THOUSANDTHS,
    "(x,y) goes from (0,0), the upper left corner of the screenshot, to (1000,1000), the lower right one.",
)


UI_TARS_1_5 = speak(
    "ui_tars_1_5",
    "UI-TARS 1.5: Thought and Action; coordinates in pixels of the resized screenshot",
    "uitars15",
    patches(28, least=100 * 28 * 28, most=16384 * 28 * 28),
    "(x,y) counts pixels of the screenshot from its upper left corner; Screen_width_height is its size.",
)

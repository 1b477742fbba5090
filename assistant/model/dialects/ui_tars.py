"""UI-TARS: `Thought:` and `Action: click(start_box='(x,y)')`, 0..1000 of the screenshot.

Version 1.0 and Doubao's models write so; boxes, `<point>` tags, box tokens, function calls and Seed's tags
are read too. Version 1.5 has the same words and counts pixels. Several `Action:` are a model that thinks
again: the last holds, unless it only claims the end.
"""

from __future__ import annotations

import re

from assistant.model.dialects import call_text, tag_text
from assistant.model.dialects.base import Call, Reply
from assistant.model.dialects.parsing import read_calls
from assistant.model.dialects.spaces import THOUSANDTHS, Space
from assistant.model.dialects.spoken import Form, Spoken
from assistant.model.dialects.words import Vocabulary, Word
from assistant.model.text import one_line

_POINT = "start_box point start_point box bbox"
_AREA = {"start": "start_box start_point point", "end": "end_box end_point"}
_WORDS = (
    Word("click", "click", {"point": _POINT, "content": "content"}),
    Word("click", "left_single", {"point": _POINT}),
    Word("long_click", "long_press", {"point": _POINT, "content": "content"}, ignored=("time",)),
    Word("type", "type", {"text": "content text"}),
    Word("scroll", "scroll", {"point": _POINT, "direction": "direction"}),
    Word("swipe", "drag", _AREA),
    Word("swipe", "swipe", _AREA),
    Word("open_app", "open_app", {"name": "app_name name"}),
    Word("press_back", "press_back"),
    Word("press_home", "press_home"),
    Word("press_recent", "press_recent"),
    Word("press_enter", "hotkey", fixed={"key": "enter|return"}),
    Word("press_back", "hotkey", fixed={"key": "back"}),
    Word("press_home", "hotkey", fixed={"key": "home"}),
    Word("wait", "wait", ignored=("time",)),
    Word("finished", "finished", {"answer": "content"}),
    Word("failed", "failed", {"reason": "content"}),
    Word("ask_user", "call_user", {"question": "content"}, needs=("question",)),
    Word("take_over", "call_user", {"reason": "reason"}, ignored=("content",)),
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


class TarsForm(Form):
    """Calls behind `Action:`, in tags, as JSON or as functions."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Read calls of the vocabulary's names."""
        self._calls = call_text.Form(vocabulary.names | _REFUSED.keys(), vocabulary.keys)

    def read(self, reply: Reply) -> list[Call]:
        """The calls that count."""
        if reply.calls:
            return read_calls(reply)
        if tag_text.OPENING in reply.text:
            return tag_text.calls(reply.text)
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

    def told(self, thought: str, text: str) -> str:
        """Thought and action."""
        return f"Thought: {one_line(thought, 300)}\n{text}" if thought else text


def speak(name: str, title: str, pattern: str, space: Space, coordinates: str) -> Spoken:
    """The dialect of one version."""
    vocabulary = Vocabulary(_WORDS, space, _REFUSED)
    rules = _RULES.format(coordinates=coordinates)
    return Spoken(name, title, pattern, lambda frame: rules, vocabulary, TarsForm(vocabulary), in_turns=True)


def _quoted(value: str | tuple[float, float]) -> str:
    return call_text.quote(value if isinstance(value, str) else f"({value[0]:g},{value[1]:g})")


UI_TARS = speak(
    "ui_tars",
    "UI-TARS 1.0 and Doubao: Thought and Action; coordinates 0..1000",
    "uitars",
    THOUSANDTHS,
    "(x,y) goes from (0,0), the upper left corner of the screenshot, to (1000,1000), the lower right one.",
)

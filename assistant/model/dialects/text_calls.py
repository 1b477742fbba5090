"""Families that write the action as a call: UI-TARS, UI-Venus, OS-Atlas.

UI-TARS: `Thought: …`, then `Action: click(start_box='(x,y)')`. A line break at the end of typed text is
Enter; typing at a box taps it first. Coordinates: version 1.0 and Doubao's models 0..1000; version 1.5 pixels
of the screenshot in the size that Qwen2.5-VL sees.
Leniency: boxes, `<point>` tags, box tokens, function calls and Seed's tags are read too. Several `Action:` in
a reply are a model that thinks again: the last one holds, unless it only claims the end. Of several calls
behind one label, parted by blank lines, the first is done and the model is told so.
UI-Venus: `<think>…</think><action>Click(box=(x,y))</action><conclusion>…</conclusion>`; version 1.5 0..1000,
version 1.0 pixels of the resized screenshot. Typing replaces what the field holds, as in its own framework.
JSON between the tags is read too.
OS-Atlas: `Thoughts: …`, then `Actions: CLICK <point>[[x,y]]</point>`, 0..1000; its scroll direction is the
finger's.
Source: the prompts of UI-TARS; UI-Venus' agents for evaluation and for phones; OS-Atlas as UI-S1 evaluates
it.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from assistant.model.dialects import spoken
from assistant.model.dialects.base import (
    THOUSANDTHS,
    Call,
    MalformedReply,
    ModelReply,
    Space,
    end_before_line,
    first_call_mark,
    patches,
    read_calls,
    tagged_calls,
)
from assistant.model.dialects.spoken import Skipped, TextDialect, TextForm, Vocabulary, VocabularyEntry
from assistant.model.types import one_line

_POINT = "start_box point start_point box bbox"
_AREA = {"start": "start_box start_point point", "end": "end_box end_point"}
_WORDS = (
    VocabularyEntry("click", "click", {"point": _POINT, "content": "content"}),
    VocabularyEntry("click", "left_single", {"point": _POINT}),
    VocabularyEntry("click", "select", {"point": _POINT}),
    VocabularyEntry("click", "left_double", {"point": _POINT}, times=2),
    VocabularyEntry("click", "double_click", {"point": _POINT}, times=2),
    VocabularyEntry("long_click", "right_single", {"point": _POINT}),
    VocabularyEntry("long_click", "long_press", {"point": _POINT, "content": "content"}, ignored=("time",)),
    VocabularyEntry("type", "type", {"text": "content text"}, at=_POINT, submits=True),
    VocabularyEntry("scroll", "scroll", {"point": _POINT, "direction": "direction"}),
    VocabularyEntry("swipe", "drag", _AREA),
    VocabularyEntry("swipe", "swipe", _AREA),
    VocabularyEntry("open_app", "open_app", {"name": "app_name name"}),
    VocabularyEntry("press_back", "press_back"),
    VocabularyEntry("press_home", "press_home"),
    VocabularyEntry("press_recent", "press_recent"),
    VocabularyEntry("press_enter", "hotkey", fixed={"key": "enter|return|Enter key"}),
    VocabularyEntry("press_back", "hotkey", fixed={"key": "back"}),
    VocabularyEntry("press_home", "hotkey", fixed={"key": "home"}),
    VocabularyEntry("wait", "wait", ignored=("time",)),
    VocabularyEntry("finished", "finished", {"answer": "content"}),
    VocabularyEntry("failed", "failed", {"reason": "content"}),
    VocabularyEntry("ask_user", "call_user", {"question": "content"}, needs=("question",)),
    VocabularyEntry("take_over", "call_user", {"reason": "reason"}, ignored=("content",)),
)
_DROPPED = "dropped_call"
_SKIPPED = (
    Skipped(_DROPPED, "Only the first of your actions was done. Give one action in each answer."),
    Skipped("hotkey", "That key is not available here; enter, back and home are. Go on without it."),
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


_EXTRA = re.compile(r"\)[ \t]*\n[ \t]*\n(?=[ \t]*\w+\()")


class TarsForm(TextForm):
    """Calls behind `Action:`, in tags, as JSON or as functions."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Read calls of the vocabulary's names."""
        self._calls = spoken.CallReader(vocabulary.names, vocabulary.keys)

    def read(self, reply: ModelReply) -> list[Call]:
        """The calls that count."""
        if reply.calls:
            return read_calls(reply)
        if calls := tagged_calls(reply.text):
            return calls
        text = _SAME_LINE.sub(r"\1\n\2", reply.text)
        labelled = self._calls.labelled(text)
        if not labelled:
            return read_calls(reply)
        ends = any(call.name == "finished" for call in labelled[-1])
        if ends and len(labelled) > 1:
            return [call for calls in labelled for call in calls]
        calls = labelled[-1]
        if len(calls) > 1 and len(_EXTRA.findall(text)) >= len(calls) - 1:
            return [calls[0], *(Call(_DROPPED) for call in calls[1:] if call != calls[0])]
        return calls

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
    vocabulary = Vocabulary(_WORDS, space, skipped=_SKIPPED)
    rules = _RULES.format(coordinates=coordinates)
    return TextDialect(
        name, title, pattern, lambda frame: rules, vocabulary, TarsForm(vocabulary), in_turns=True
    )


def _quoted(value: str | tuple[float, float]) -> str:
    return spoken.quote(value if isinstance(value, str) else f"({value[0]:g},{value[1]:g})")


UI_TARS = speak(
    "ui_tars",
    "UI-TARS 1.0 and Doubao: Thought and Action; coordinates 0..1000",
    r"uitars|doubaoseed|seed(?:1[5-9]|2)",
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


_BOX = "box point start_box bbox"
_VENUS_WORDS = (
    VocabularyEntry("click", "Click", {"point": _BOX}),
    VocabularyEntry("click", "DoubleClick", {"point": _BOX}, times=2),
    VocabularyEntry("long_click", "LongPress", {"point": _BOX}, ignored=("duration",)),
    VocabularyEntry(
        "swipe", "Drag", {"start": "start start_box", "end": "end end_box"}, ignored=("duration",)
    ),
    VocabularyEntry(
        "swipe", "Scroll", {"start": "start", "end": "end"}, needs=("end",), ignored=("direction", "duration")
    ),
    VocabularyEntry(
        "scroll", "Scroll", {"point": "point box start", "direction": "direction"}, ignored=("duration",)
    ),
    VocabularyEntry("type", "Type", {"text": "content text"}, at=_BOX, clears=True),
    VocabularyEntry("open_app", "Launch", {"name": "app app_name"}, ignored=("url",)),
    VocabularyEntry("wait", "Wait", ignored=("duration", "time")),
    VocabularyEntry("finished", "Finished", {"answer": "content"}),
    VocabularyEntry("failed", "Failed", {"reason": "content"}),
    VocabularyEntry("ask_user", "CallUser", {"question": "content"}, needs=("question",)),
    VocabularyEntry("take_over", "CallUser", {"reason": "reason"}, ignored=("content",)),
    VocabularyEntry("press_back", "PressBack"),
    VocabularyEntry("press_home", "PressHome"),
    VocabularyEntry("press_enter", "PressEnter"),
    VocabularyEntry("press_recent", "PressRecent"),
)
_VENUS_SKIPPED = (
    Skipped("Hover", "Pointing does nothing on a phone. Go on without it."),
    Skipped("Hotkey", "That key is not available here. Go on without it."),
)
_ACTION_TAG = re.compile(r"<action>(.*?)</action>", re.DOTALL | re.IGNORECASE)
_IN_PARAMS = re.compile(r"(\w{1,20})\(\s*params\s*=\s*(\{.{1,2000}\})\s*\)", re.DOTALL)

_VENUS_RULES = """\
You operate a phone for its user. You see the task, what you did before, and the current screenshot; give \
the next \
action.
Answer in this form:
<think>what you see and why the action is next</think>
<action>one call</action>
<conclusion>what the action does, in a sentence</conclusion>
The calls:
Click(box=(x,y))
LongPress(box=(x,y))
Drag(start=(x1,y1), end=(x2,y2))
Scroll(start=(x1,y1), end=(x2,y2), direction='down or up or right or left')
Type(content='') # into the focused field, in place of what it holds
Launch(app='')
PressBack(), PressHome(), PressEnter(), PressRecent()
Wait()
CallUser(content='') # a question to the user
CallUser(reason='') # what the user must do by hand
Failed(content='') # why the task cannot be done
Finished(content='') # what the user asked to know, if anything
{coordinates}"""


class VenusForm(TextForm):
    """A call in `<action>` tags."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Read calls of the vocabulary's names."""
        self._calls = spoken.CallReader(vocabulary.names, vocabulary.keys)

    def read(self, reply: ModelReply) -> list[Call]:
        """The call between the tags, as a call, as a call with one object, or as JSON."""
        if reply.calls:
            return read_calls(reply)
        tagged = _ACTION_TAG.findall(reply.text)
        if not tagged and "<action>" in reply.text.lower():
            raise MalformedReply("The action is cut off: its tag is not closed.")
        return [call for text in tagged or [reply.text] for call in self._read(text.strip())]

    def write(self, call: Call) -> str:
        """The call in its tags."""
        parts = (f"{key}={_venus_value(value)}" for key, value in call.arguments.items())
        return f"<action>{call.name}({', '.join(parts)})</action>"

    def prose_end(self, text: str, start: int = 0) -> int:
        """Everything before what may open a call, and before a line that may turn out to be one."""
        return min(first_call_mark(text, start), self._calls.prose_end(text, start))

    def format_past_reply(self, thought: str, text: str) -> str:
        """Thought and action in their tags."""
        return f"<think>{thought}</think>{text}" if thought else text

    def _read(self, text: str) -> list[Call]:
        if whole := _IN_PARAMS.fullmatch(text):
            return [Call(whole[1], _literal_object(whole[2]))]
        return self._calls.calls(text) or read_calls(ModelReply(text))


def _venus_value(value: str | tuple[float, float]) -> str:
    return spoken.quote(value) if isinstance(value, str) else f"({value[0]:g},{value[1]:g})"


def _literal_object(text: str) -> dict[str, Any]:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError) as error:
        raise MalformedReply("The arguments of the action cannot be read.") from error
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise MalformedReply("The arguments of the action cannot be read.")
    return value


def _venus(name: str, title: str, pattern: str, space: Space, coordinates: str) -> TextDialect:
    vocabulary = Vocabulary(_VENUS_WORDS, space, skipped=_VENUS_SKIPPED)
    rules = _VENUS_RULES.format(coordinates=coordinates)
    return TextDialect(name, title, pattern, lambda frame: rules, vocabulary, VenusForm(vocabulary))


UI_VENUS_1_0 = _venus(
    "ui_venus_1_0",
    "UI-Venus 1.0: calls in tags; coordinates in pixels of the resized screenshot",
    r"uivenusnavi|uivenus(?:7b|72b)|uivenus10",
    patches(28, least=4 * 28 * 28, most=16384 * 28 * 28),
    "(x,y) counts pixels of the screenshot from its upper left corner; Screen_width_height is its size.",
)

UI_VENUS = _venus(
    "ui_venus",
    "UI-Venus 1.5: calls in tags; coordinates 0..1000",
    "uivenus",
    THOUSANDTHS,
    "(x,y) goes from (0,0), the upper left corner of the screenshot, to (999,999), the lower right one.",
)


_ATLAS_WORDS = (
    VocabularyEntry("click", "CLICK", {"point": "point"}),
    VocabularyEntry("long_click", "LONG_PRESS", {"point": "point"}),
    VocabularyEntry("type", "TYPE", {"text": "text"}),
    VocabularyEntry("scroll", "SCROLL", {"direction": "text", "point": "point"}, finger=True),
    VocabularyEntry("swipe", "DRAG", {"start": "point", "end": "point2"}),
    VocabularyEntry("open_app", "OPEN_APP", {"name": "text"}),
    VocabularyEntry("press_back", "PRESS_BACK"),
    VocabularyEntry("press_home", "PRESS_HOME"),
    VocabularyEntry("press_recent", "PRESS_RECENT"),
    VocabularyEntry("press_enter", "PRESS_ENTER"),
    VocabularyEntry("press_enter", "ENTER"),
    VocabularyEntry("wait", "WAIT", ignored=("text",)),
    VocabularyEntry("ask_user", "ASK", {"question": "text"}),
    VocabularyEntry("take_over", "HAND_OVER", {"reason": "text"}),
    VocabularyEntry("failed", "IMPOSSIBLE", {"reason": "text"}),
    VocabularyEntry("finished", "COMPLETE", {"answer": "text"}),
)
_ATLAS_VOCABULARY = Vocabulary(_ATLAS_WORDS, THOUSANDTHS)
_ATLAS_LINE = re.compile(
    r"[ \t]{0,9}(?:[-*] |\d{1,2}[.)] )?(?i:actions? ?[:：])?[ \t*`]{0,9}"
    rf"(?P<name>{'|'.join(sorted(_ATLAS_VOCABULARY.names, key=len, reverse=True))})\b"
    r"[ \t]*(?:\(\))?(?:<point>(?P<point>[^<\n]{1,60})</point>)?"
    r"[ \t]*(?:<point>(?P<point2>[^<\n]{1,60})</point>)?"
    r"[ \t]*(?:\[(?P<text>.*)\])?[ \t.`*]*(?:<\|im_end\|>|</s>)?$",
    re.MULTILINE,
)
_ATLAS_OPENING = re.compile(r"[ \t]{0,9}(?:(?i:actions?) ?[:：]|[A-Z_]{4,12}\b)")
_ATLAS_RULES = """\
You operate an Android phone for its user. From the task, what was done before and the screenshot you \
give the next \
action. Coordinates go from 0 to 1000 of the screenshot's width and height. The actions:
CLICK <point>[[x, y]]</point>
LONG_PRESS <point>[[x, y]]</point>
TYPE [text for the focused field]
SCROLL [UP, DOWN, LEFT or RIGHT: where the finger moves]
DRAG <point>[[x1, y1]]</point> <point>[[x2, y2]]</point>
OPEN_APP [name]
PRESS_BACK, PRESS_HOME, PRESS_RECENT, PRESS_ENTER
WAIT
ASK [question to the user]
HAND_OVER [what only the user can do]
IMPOSSIBLE [why the task cannot be done]
COMPLETE [what the user asked to know, if anything]
Answer in this form:
Thoughts: why this comes next
Actions: the action"""


class UpperCaseForm(TextForm):
    """A word in capitals, its place in a tag, its text in brackets."""

    def read(self, reply: ModelReply) -> list[Call]:
        """The lines that are an action and nothing else."""
        if reply.calls:
            return read_calls(reply)
        text = re.sub(r"(?i)(actions? ?[:：])[ \t]*\n+", r"\1 ", reply.text)
        matches = _ATLAS_LINE.finditer(text)
        return [
            _atlas_call({key: item for key, item in match.groupdict().items() if item}) for match in matches
        ]

    def write(self, call: Call) -> str:
        """The line."""
        parts = [call.name]
        for value in call.arguments.values():
            place = isinstance(value, tuple)
            text = f"<point>[[{value[0]:g}, {value[1]:g}]]</point>" if place else f"[{_escaped(value)}]"
            parts.append(text)
        places = sorted(parts[1:], key=lambda part: not part.startswith("<point>"))
        return f"Actions: {' '.join([parts[0], *places])}"

    def prose_end(self, text: str, start: int = 0) -> int:
        """Everything before the first line that may turn out to be an action."""
        return end_before_line(_ATLAS_OPENING, text, start, undecided=30)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")


def _atlas_call(fields: dict[str, str]) -> Call:
    name = fields.pop("name")
    if "text" in fields:
        breaks = {"n": "\n", "r": "\r"}
        fields["text"] = re.sub(r"\\([\\nr])", lambda match: breaks.get(match[1], match[1]), fields["text"])
    return Call(name, dict(fields))


OS_ATLAS = TextDialect(
    "os_atlas",
    "OS-Atlas: actions in capitals; coordinates 0..1000",
    "osatlas",
    lambda frame: _ATLAS_RULES,
    _ATLAS_VOCABULARY,
    UpperCaseForm(),
)

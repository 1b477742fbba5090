"""Actions written as calls, and the families that write them so: UI-TARS, UI-Venus, AutoGLM.

`CallReader` reads calls such as `name(key='text', key=(1,2))`, and forgives full-width punctuation, either
kind of quotes, spaces, and unescaped quotes inside a text. A call counts only on a line of its own; one that
opens there and cannot be read makes the whole reply malformed.


UI-TARS: `Thought: …`, then `Action: click(start_box='(x,y)')`. A line break at the end of typed text is
Enter; typing at a box taps it first. Coordinates: version 1.0 and Doubao's models 0..1000; version 1.5 pixels
of the screenshot in the size that Qwen2.5-VL sees.
Leniency: boxes, `<point>` tags, box tokens, function calls and Seed's tags are read too. Several `Action:` in
a reply are a model that thinks again: the last one holds, unless it only claims the end. Of several calls
behind one label, parted by blank lines, the first is done and the model is told so.
UI-Venus: `<think>…</think><action>Click(box=(x,y))</action><conclusion>…</conclusion>`; version 1.5 0..1000,
version 1.0 pixels of the resized screenshot. Typing replaces what the field holds, as in its own framework.
JSON between the tags is read too.
AutoGLM-Phone: `<think>…</think><answer>do(action="Tap", element=[x,y])</answer>`, 0..1000. The prompt that
the model learnt from says 0..999, its own code divides by 1000. `finish(message="")` ends the task. Typing
replaces what the field holds, as in the model's own executor. `Note` and `Call_API` do nothing on the phone
and are kept as notes. `message` of a tap is the model's own warning.
Leniency: `do` counts also behind prose on its line, `finish` only at the beginning of one. Tags, box tokens
and a shorthand before a call are skipped. The shorthand alone, `[Back]`, counts where the action needs no
more.
Source: the prompts of UI-TARS; UI-Venus' agents for evaluation and for phones; the prompt and the parser of
AutoGLM-Phone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from typing import Any

from assistant.files import any_word
from assistant.model.dialects.base import (
    THOUSANDTHS,
    Call,
    MalformedReply,
    ModelReply,
    Space,
    end_before_line,
    ends_reply,
    first_call_mark,
    is_doubted,
    is_taken_back,
    patches,
    read_calls,
    tagged_calls,
)
from assistant.model.dialects.spoken import Skipped, TextDialect, TextForm, Vocabulary, VocabularyEntry
from assistant.model.prompts import Layout, Past
from assistant.model.types import one_line

Value = str | tuple[float, ...]
"""A text, or a list of numbers. A number alone is a text."""

_SPACE = r"[ \t]{0,12}"
_LABEL = rf"(?P<label>(?i:action|answer|动作|操作){_SPACE}[:：]{_SPACE})?"
_MARK = r"[-*>`]{1,4}\w{0,12}|\d{1,3}[.、]|<(?:answer|action)>|<\|\w{1,30}\|>"
_LINE_START = rf"{_SPACE}(?:{_MARK})?{_SPACE}{_LABEL}(?:<\|\w{{1,30}}\|>)?`?"
_OPEN = rf"{_SPACE}[(（]"
_TAIL = re.compile(r"(?:[ \t`.。;；,，、]|</\w+>|<\|[^|\n]*\|>|\[EOS\])*(?=\n|$)")
_BETWEEN = r"[\s,，;；、]*"
_CLOSE = re.compile(r"\s*[)）]")
_COMMA = re.compile(r"\s*[,，]")
_KEY = re.compile(r"\s*([A-Za-z_][A-Za-z_0-9]*)\s*[=＝]\s*")
_NUMBER = r"-?\d{1,9}(?:\.\d{1,9})?"
_LIST = re.compile(rf"[(（\[]\s*({_NUMBER}(?:\s*[,，]\s*{_NUMBER}){{1,8}})\s*[)）\]]", re.ASCII)
_ALONE = re.compile(_NUMBER, re.ASCII)
_TAGGED = re.compile(r"<[|\w]{1,20}>[\d\s.,()\[\]-]{1,60}<[|/\w]{1,20}>", re.ASCII)
_WORD = re.compile(r"[A-Za-z]+")
_BARE_NUMBERS = re.compile(rf"\s*({_NUMBER}(?:\s*[,，]\s*{_NUMBER}){{1,3}})(?=\s*[)）])", re.ASCII)
_SENTENCE_END = re.compile(r"(?:[.!?:。！？：，,][\s`*]*|^\s*|\n[\s`*]*)$")
_INLINE_TRIES = 3
_CLOSING = {"'": "'", '"': '"', "‘": "’'", "’": "’'", "“": '”"', "”": '”"'}
_ESCAPE = re.compile(r"""\\([\\'"‘’“”nr])""")
_BREAKS = {"n": "\n", "r": "\r"}


def quote(text: str, mark: str = "'") -> str:
    """A text in quotes; backslashes, quotes and line breaks escaped."""
    escaped = text.replace("\\", "\\\\").replace(mark, f"\\{mark}").replace("\n", "\\n").replace("\r", "\\r")
    return f"{mark}{escaped}{mark}"


class CallReader:
    """Reads calls of the given names, with arguments of the given keys, out of text.

    A call counts on a line of its own, or as the last thing of the reply, behind prose. One that opens as the
    pattern `inline` says counts also elsewhere in the middle of a line. Capitals do not matter.
    """

    def __init__(self, names: Collection[str], keys: Collection[str], inline: str = "") -> None:
        choice = any_word(names)
        name = rf"(?P<name>(?i:{choice})(?=[(（])|(?:{choice})){_OPEN}"
        self._opening = re.compile(_LINE_START + name)
        within = rf"|(?<![A-Za-z0-9_.])(?={inline})" if inline else ""
        self._on_line = re.compile(rf"(?:(?:^|\n){_LINE_START}{within}){name}")
        self._within = re.compile(rf"(?<![A-Za-z0-9_.]){name}")
        self._next = re.compile(_BETWEEN + name)
        self._next_argument = re.compile(rf"\s*[,，]\s*(?i:{'|'.join(sorted(keys))})\s*[=＝]")
        self._undecided = max(map(len, names)) + 44

    def prose_end(self, text: str, start: int = 0) -> int:
        """How many leading characters of a growing text belong to no call; the first `start` are known."""
        return end_before_line(self._opening, text, start, self._undecided)

    def calls(self, text: str) -> list[Call]:
        """All calls that count, in order; several to a line are all read.

        Raises:
            MalformedReply: a call that opens on its line and cannot be read, or that words follow, doubt or
                take back.
        """
        return [call for calls in self.labelled(text) for call in calls]

    def labelled(self, text: str) -> list[list[Call]]:
        """The same calls; each `Action:` before a call begins a new list.

        Raises:
            MalformedReply: as `calls`.
        """
        labelled_calls: list[list[Call]] = []
        place = 0
        opening = self._on_line.search(text)
        while opening:
            if is_doubted(text, opening.start("name")):
                raise MalformedReply("The words before the action doubt it. Give the action alone.")
            arguments, place = self._arguments(text, opening.end())
            if not labelled_calls or opening.groupdict().get("label"):
                labelled_calls.append([])
            labelled_calls[-1].append(Call(opening["name"], arguments))
            opening = self._next.match(text, place)
            if not opening:
                if not _TAIL.match(text, place):
                    raise MalformedReply("Something follows the action on its line. Give the action alone.")
                opening = self._on_line.search(text, place)
        if labelled_calls and is_taken_back(text, place):
            raise MalformedReply("The words after the action take it back. Give the action alone.")
        return labelled_calls or self._last(text)

    def _last(self, text: str) -> list[list[Call]]:
        """The call behind prose with which the reply ends; the end of a task counts only as a sentence."""
        for opening in list(self._within.finditer(text))[-_INLINE_TRIES:]:
            try:
                arguments, place = self._arguments(text, opening.end())
            except MalformedReply:
                continue
            own = bool(arguments) or _SENTENCE_END.search(text[max(0, opening.start() - 9) : opening.start()])
            is_end = opening["name"].casefold() in ("finish", "finished") and not _SENTENCE_END.search(
                text[max(0, opening.start() - 9) : opening.start()]
            )
            if own and not is_end and ends_reply(text, place) and not is_doubted(text, opening.start()):
                return [[Call(opening["name"], arguments)]]
        return []

    def _arguments(self, text: str, place: int) -> tuple[dict[str, Value], int]:
        """The arguments up to the closing bracket, and the place behind it."""
        arguments: dict[str, Value] = {}
        if close := _CLOSE.match(text, place):
            return arguments, close.end()
        if bare := self._bare(text, place):
            return {"": bare[0]}, bare[1]
        while True:
            key = _KEY.match(text, place)
            if not key:
                raise MalformedReply("The arguments of the action cannot be read. Write them as key=value.")
            if key[1] in arguments:
                raise MalformedReply(f"The action has {key[1][:40]} twice.")
            arguments[key[1]], place = self._value(text, key.end(), key[1])
            if close := _CLOSE.match(text, place):
                return arguments, close.end()
            comma = _COMMA.match(text, place)
            if not comma:
                raise MalformedReply("The action has no closing bracket.")
            place = comma.end()

    def _bare(self, text: str, place: int) -> tuple[Value, int] | None:
        """The one value of a call that names no keys, and the place behind the call."""
        if numbers := _BARE_NUMBERS.match(text, place):
            value: Value = tuple(float(number) for number in _ALONE.findall(numbers[1]))
            place = numbers.end()
        elif text[place : place + 1] in _CLOSING and place < len(text):
            try:
                value, place = self._string(text, place, "the action")
            except MalformedReply:
                return None
        elif alone := _LIST.match(text, place):
            value, place = tuple(float(number) for number in _ALONE.findall(alone[1])), alone.end()
        else:
            return None
        close = _CLOSE.match(text, place)
        return (value, close.end()) if close else None

    def _value(self, text: str, place: int, key: str) -> tuple[Value, int]:
        if text[place : place + 1] in _CLOSING and place < len(text):
            return self._string(text, place, key)
        if numbers := _LIST.match(text, place):
            return tuple(float(number) for number in _ALONE.findall(numbers[1])), numbers.end()
        if bare := _TAGGED.match(text, place) or _WORD.match(text, place) or _ALONE.match(text, place):
            return bare[0], bare.end()
        raise MalformedReply(f"The value of {key[:40]} cannot be read. Texts stand in quotes.")

    def _string(self, text: str, start: int, key: str) -> tuple[str, int]:
        """A quoted text. A quote ends it only where the call can go on behind it, so `it's` needs no care."""
        closing = _CLOSING[text[start]]
        place = start + 1
        while place < len(text):
            if escape := _ESCAPE.match(text, place):
                place = escape.end()
                continue
            if text[place] in closing and self._goes_on(text, place + 1):
                words = _ESCAPE.sub(lambda match: _BREAKS.get(match[1], match[1]), text[start + 1 : place])
                return words, place + 1
            place += 1
        raise MalformedReply(f"The text of {key[:40]} has no closing quote.")

    def _goes_on(self, text: str, place: int) -> bool:
        if close := _CLOSE.match(text, place):
            return bool(_TAIL.match(text, close.end()) or self._next.match(text, close.end()))
        return bool(self._next_argument.match(text, place))


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
    r"^([ \t]*(?:Thought|Reflection|Action_Summary) ?[:：].*?)(?<!says)(?<!says:)\s(Action ?[:：])", re.M
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


class CallForm(TextForm):
    """A form of text with calls of a vocabulary's names."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._calls = CallReader(vocabulary.names, vocabulary.keys)


class TarsForm(CallForm):
    """Calls behind `Action:`, in tags, as JSON or as functions."""

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
    layout = Layout(Past.TURNS, pictures=5)
    return TextDialect(name, title, pattern, lambda _: rules, vocabulary, TarsForm(vocabulary), layout)


def _quoted(value: str | tuple[float, float]) -> str:
    return quote(value if isinstance(value, str) else f"({value[0]:g},{value[1]:g})")


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
_CONCLUSION = re.compile(r"<conclusion>.*?</conclusion>", re.DOTALL | re.IGNORECASE)
_WITHOUT_ARGUMENTS = ("PressBack", "PressHome", "PressEnter", "PressRecent", "Wait", "Finished")
"""Calls whose brackets the smaller weights leave out."""
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


class VenusForm(CallForm):
    """A call in `<action>` tags."""

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

    def past_text(self, text: str) -> str:
        """Without the conclusion, which the family is not told again."""
        return _CONCLUSION.sub("", text).strip()

    def format_past_reply(self, thought: str, text: str) -> str:
        """Thought and action in their tags."""
        return f"<think>{thought}</think>{text}" if thought else text

    def _read(self, text: str) -> list[Call]:
        if whole := _IN_PARAMS.fullmatch(text):
            return [Call(whole[1], _literal_object(whole[2]))]
        if text in _WITHOUT_ARGUMENTS:
            return [Call(text)]
        return self._calls.calls(text) or read_calls(ModelReply(text))


def _venus_value(value: str | tuple[float, float]) -> str:
    return quote(value) if isinstance(value, str) else f"({value[0]:g},{value[1]:g})"


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
    form, layout = VenusForm(vocabulary), Layout(Past.REPLIES)
    return TextDialect(name, title, pattern, lambda _: rules, vocabulary, form, layout)


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


_AUTOGLM_ELEMENT = {"point": "element", "content": "content"}
_AUTOGLM_WORDS = (
    VocabularyEntry("click", "Tap", _AUTOGLM_ELEMENT, warns="message"),
    VocabularyEntry("click", "Double Tap", _AUTOGLM_ELEMENT, ignored=("message",), times=2),
    VocabularyEntry("long_click", "Long Press", _AUTOGLM_ELEMENT, ignored=("message",)),
    VocabularyEntry("type", "Type", {"text": "text"}, at="element", clears=True),
    VocabularyEntry("type", "Type_Name", {"text": "text"}, at="element", clears=True),
    VocabularyEntry(
        "swipe", "Swipe", {"start": "start", "end": "end"}, needs=("end",), ignored=("direction",)
    ),
    VocabularyEntry("scroll", "Scroll", {"point": "element start", "direction": "direction"}),
    VocabularyEntry("open_app", "Launch", {"name": "app"}),
    VocabularyEntry("press_back", "Back"),
    VocabularyEntry("press_home", "Home"),
    VocabularyEntry("press_recent", "Recent"),
    VocabularyEntry("press_enter", "Enter"),
    *(
        VocabularyEntry(f"press_{key}", f"Press {key}", ignored=("argument",))
        for key in ("back", "home", "enter")
    ),
    VocabularyEntry("wait", "Wait", ignored=("duration", "seconds")),
    VocabularyEntry(
        "ask_user", "Interact", {"question": "message"}, defaults={"question": "Which one is meant?"}
    ),
    VocabularyEntry("take_over", "Take_over", {"reason": "message"}),
    VocabularyEntry("failed", "Fail", {"reason": "message"}),
    VocabularyEntry("finished", "finish", {"answer": "message"}),
)
_AUTOGLM_SKIPPED = (
    Skipped("Note", "It is kept. Give the next action.", note="message"),
    Skipped("Call_API", "It is kept. Give the next action.", note="instruction"),
)
_AUTOGLM_VOCABULARY = Vocabulary(_AUTOGLM_WORDS, THOUSANDTHS, skipped=_AUTOGLM_SKIPPED)
_AUTOGLM_CALLS = CallReader(
    ("do", "finish"),
    {"action", "instruction", *_AUTOGLM_VOCABULARY.keys},
    inline=r"do\s{0,9}\(\s{0,9}action\s{0,9}=",
)
_SHORTHAND = re.compile(r"(?m)^[ \t]*\[[A-Z][A-Za-z_ ]{1,15}\](?=[ \t]*(?:do|finish)\()")
_BARE_SHORTHAND = re.compile(r"\[(Back|Home|Wait|Interact|Take_over)\]")

_AUTOGLM_RULES = """\
You operate a phone for its user, step by step, from screenshots.
Answer in this form:
<think>why this action is next, briefly</think>
<answer>the action</answer>
The action is one of:
do(action="Launch", app="name") starts an app; quicker than looking for its icon
do(action="Tap", element=[x,y])
do(action="Type", text="...") into the focused field, in place of what it holds
do(action="Swipe", start=[x1,y1], end=[x2,y2]) moves a finger
do(action="Scroll", element=[x,y], direction="down") shows what lies in the direction: down, up, left, right
do(action="Long Press", element=[x,y])
do(action="Back"), do(action="Home"), do(action="Recent"), do(action="Enter")
do(action="Wait", duration="x seconds")
do(action="Interact", message="question") asks the user, where several choices fit or something is missing
do(action="Take_over", message="what the user must do") for logins and captchas
do(action="Fail", message="why") where the task cannot be done
finish(message="what the user asked to know, or what was done")
Coordinates go from (0,0), the upper left corner, to (999,999), the lower right one.
Inside quotes write \\" for a quote and \\n for a line break."""


class DoForm(TextForm):
    """`do(action="…", …)` and `finish(message="…")`."""

    def read(self, reply: ModelReply) -> list[Call]:
        """The calls, named by their action."""
        if reply.calls:
            return [_autoglm_call(call) for call in read_calls(reply)]
        if bare := _BARE_SHORTHAND.fullmatch(reply.text.strip()):
            return [Call(bare[1])]
        return [_autoglm_call(call) for call in _AUTOGLM_CALLS.calls(_SHORTHAND.sub("", reply.text))]

    def write(self, call: Call) -> str:
        """One call."""
        parts = [f"{key}={_in_double_quotes(value)}" for key, value in call.arguments.items()]
        if call.name == "finish":
            return f"finish({', '.join(parts)})"
        return f"do({', '.join([f'action={_in_double_quotes(call.name)}', *parts])})"

    def prose_end(self, text: str, start: int = 0) -> int:
        """Everything before the first call."""
        end = _AUTOGLM_CALLS.prose_end(text, start)
        inline = text.find("do(", start)
        return min(end, inline) if inline >= 0 else end

    def format_past_reply(self, thought: str, text: str) -> str:
        """Thinking and answer in tags."""
        return f"<think>{one_line(thought, 300)}</think><answer>{text}</answer>"


def _autoglm_call(call: Call) -> Call:
    if call.name.casefold() != "do":
        return call
    name = call.arguments.get("action")
    if not isinstance(name, str):
        raise MalformedReply('do needs action, such as do(action="Back").')
    return Call(name, {key: value for key, value in call.arguments.items() if key != "action"})


def _in_double_quotes(value: str | tuple[float, float]) -> str:
    return quote(value, '"') if isinstance(value, str) else f"[{value[0]:g},{value[1]:g}]"


AUTOGLM = TextDialect(
    "autoglm",
    "AutoGLM-Phone: do(action=…) and finish(…); coordinates 0..1000",
    "autoglm",
    lambda frame: _AUTOGLM_RULES,
    _AUTOGLM_VOCABULARY,
    DoForm(),
    Layout(Past.TURNS, picture_first=True),
)

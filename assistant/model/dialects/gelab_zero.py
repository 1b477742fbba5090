r"""GELab-Zero's form: `explain:…\taction:CLICK\tpoint:x,y\tsummary:…`, fields parted by tabs.

Coordinates: 0..1000.
Leniency: fields may stand in any order and on lines of their own. A line without `summary` was cut off. In a
value `\t`, `\n` and `\\` stand for a tab, a line break and a backslash. A missing tab behind the action is
added.
Source: the prompt published with GELab-Zero.
"""

from __future__ import annotations

import re

from assistant.model.dialects.base import (
    THOUSANDTHS,
    Call,
    MalformedReply,
    ModelReply,
    end_before_line,
    read_calls,
)
from assistant.model.dialects.spoken import Skipped, TextDialect, TextForm, Vocabulary, VocabularyEntry
from assistant.model.prompts import Layout, Past

_POINT = {"point": "point", "content": "content"}
_KEYBOARD = ("is_keyboard", "keyboard_exists")
_WORDS = (
    VocabularyEntry("click", "CLICK", _POINT),
    VocabularyEntry("long_click", "LONGPRESS", _POINT),
    VocabularyEntry("click", "DOUBLECLICK", _POINT, times=2),
    VocabularyEntry("type", "TYPE", {"text": "value"}, ignored=_KEYBOARD, at="point"),
    VocabularyEntry("swipe", "SLIDE", {"start": "point1 point", "end": "point2"}, needs=("end",)),
    VocabularyEntry("scroll", "SLIDE", {"point": "point", "direction": "direction value"}, finger=True),
    VocabularyEntry("scroll", "SCROLL", {"point": "point", "direction": "direction"}),
    VocabularyEntry("open_app", "AWAKE", {"name": "value"}),
    VocabularyEntry("press_back", "BACK"),
    VocabularyEntry("press_home", "HOME"),
    VocabularyEntry("press_recent", "RECENT"),
    VocabularyEntry("press_enter", "ENTER"),
    *(
        VocabularyEntry(f"press_{key}", "HOT_KEY", fixed={spelling: f"{key}|KEYCODE_{key}"})
        for key in ("back", "home", "enter")
        for spelling in ("key", "value")
    ),
    VocabularyEntry("wait", "WAIT", ignored=("value",)),
    VocabularyEntry("finished", "COMPLETE", {"answer": "return value"}, ignored=("status",)),
    VocabularyEntry("failed", "ABORT", {"reason": "value"}),
    VocabularyEntry("ask_user", "INFO", {"question": "value"}),
    VocabularyEntry("take_over", "TAKEOVER", {"reason": "value"}),
    VocabularyEntry("take_over", "CALL_USER", {"reason": "value"}),
)
_SKIPPED = (
    Skipped("HOT_KEY", "That key is not available here; BACK, HOME and ENTER are. Go on without it."),
)
_VOCABULARY = Vocabulary(_WORDS, THOUSANDTHS, skipped=_SKIPPED)
_KEYS = "|".join(sorted({"explain", "action", "summary", "cot", *_VOCABULARY.keys}, key=len, reverse=True))
_FIELD = re.compile(rf"(?:^|[\t\n])[ \t]{{0,9}}(?P<key>{_KEYS})[ ]{{0,9}}[:：]")
_BY_SPACES = re.compile(rf"(?<=\S)[ ]{{1,9}}(?=(?:{_KEYS}):)")
_OPENING = re.compile(r"[ \t]{0,9}(?:explain|action) {0,9}[:：]")
_ESCAPE = re.compile(r"\\(?:u([0-9a-f]{4})|([\\tnr]))")
_ESCAPED = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_PLAIN = {"\\": "\\", "t": "\t", "n": "\n", "r": "\r"}

_RULES = """\
You operate a phone for its user, from the task, what was done before and a screenshot. x grows to the right \
and y downward from the upper left corner, both from 0 to 1000.
Think between <THINK> and </THINK>, then write one line whose fields are parted by tabs:
<THINK> thoughts </THINK>
explain:what the action is for\taction:its name and its fields\tsummary:what has been done, this step included
The actions and their fields:
action:CLICK\tpoint:x,y
action:LONGPRESS\tpoint:x,y
action:TYPE\tvalue:text for the focused field
action:SLIDE\tpoint1:x1,y1\tpoint2:x2,y2
action:SCROLL\tpoint:x,y\tdirection:down, up, left or right, where the hidden part lies
action:AWAKE\tvalue:name of an app to start
action:BACK, action:HOME, action:RECENT, action:ENTER
action:WAIT\tvalue:seconds
action:INFO\tvalue:question to the user
action:TAKEOVER\tvalue:what only the user can do
action:ABORT\tvalue:why the task cannot be done
action:COMPLETE\treturn:what the user asked to know, or what was done"""


class TabForm(TextForm):
    """One line of fields."""

    def read(self, reply: ModelReply) -> list[Call]:
        """The lines that name an action."""
        if reply.calls:
            return read_calls(reply)
        records = [fields for fields in _records(reply.text) if "action" in fields]
        return [_call(_parted(fields)) for fields in records]

    def write(self, call: Call) -> str:
        """The line, with nothing to explain or to sum up."""
        fields = [("explain", ""), ("action", call.name), *call.arguments.items(), ("summary", "")]
        return "\t".join(f"{key}:{_written(value)}" for key, value in fields)

    def prose_end(self, text: str, start: int = 0) -> int:
        """Everything before the first line that may turn out to be the action's."""
        return end_before_line(_OPENING, text, start, undecided=20)

    def thought(self, reply: ModelReply) -> str:
        """What the action is for."""
        return next((fields["explain"].strip() for fields in _records(reply.text) if "explain" in fields), "")

    def summary(self, reply: str) -> str:
        """What the model wrote of all that was done; it is told no more than this."""
        return next((fields["summary"].strip() for fields in _records(reply) if "summary" in fields), "")


def _records(text: str) -> list[dict[str, str]]:
    """The fields of each line; a field that comes again begins the next."""
    records: list[dict[str, str]] = []
    matches = list(_FIELD.finditer(text))
    ends = [*(field.start() for field in matches[1:]), len(text)]
    for field, end in zip(matches, ends, strict=False):
        if not records or field["key"] in records[-1]:
            records.append({})
        records[-1][field["key"]] = text[field.end() : end]
    return records


def _parted(fields: dict[str, str]) -> dict[str, str]:
    """Fields behind the action that spaces part, because the tab is missing."""
    name, *more = _BY_SPACES.split(fields["action"].strip())
    pairs = (part.split(":", 1) for part in more)
    return {**fields, "action": name, **dict(pairs)}


def _call(fields: dict[str, str]) -> Call:
    if "summary" not in fields:
        raise MalformedReply("The line of fields is cut off: it has no summary.")
    rest = {key: value for key, value in fields.items() if key not in ("explain", "action", "summary", "cot")}
    return Call(fields["action"].strip(), {key: _read(value) for key, value in rest.items()})


def _read(value: str) -> str:
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else _PLAIN[match[2]], value.strip())


def _written(value: str | tuple[float, float]) -> str:
    if not isinstance(value, str):
        return f"{value[0]:g},{value[1]:g}"
    escaped = re.sub(r"[\\\t\n\r]", lambda match: _ESCAPED[match[0]], value)
    return re.sub(r"^\s|\s$", lambda match: f"\\u{ord(match[0]):04x}", escaped)


GELAB_ZERO = TextDialect(
    "gelab_zero",
    "GELab-Zero: fields parted by tabs; coordinates 0..1000",
    r"gelab|stepgui",
    lambda frame: _RULES,
    _VOCABULARY,
    TabForm(),
    Layout(Past.SUMMARY),
)

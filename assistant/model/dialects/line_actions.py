r"""Families that write an action as one line of its own form: FingerTip, GELab-Zero, OS-Atlas.

GELab-Zero: `explain:…\taction:CLICK\tpoint:x,y\tsummary:…`, fields parted by tabs, 0..1000.
Leniency: fields may stand in any order and on lines of their own. A line without `summary` was cut off. In a
value `\t`, `\n` and `\\` stand for a tab, a line break and a backslash. A missing tab before or behind the
action is added.
OS-Atlas: `Thoughts: …`, then `Actions: CLICK <point>[[x,y]]</point>`, 0..1000; its scroll direction is the
finger's.
FingerTip: one action string, such as `click(coordinates=(x,y), content='')`; pixels of the sent picture.
Its Table 2 calls some actions navigate_back, navigate_home, navigate_recent and finish; these names are read,
not written. The actions that we add have the same form: swipe(start=(x,y), end=(x,y)), press_enter(),
open_app(name=''), finished(answer=''), failed(reason=''), ask_user(question=''), take_over(reason='').
Source: FingerTip 20K, Table 2 and the prompt of A.5.2; the prompt published with GELab-Zero; OS-Atlas as
UI-S1 evaluates it.
"""

from __future__ import annotations

import re

from assistant.files import any_word, lazy_regex
from assistant.model.dialects.base import (
    NAMES,
    PIXELS,
    THOUSANDTHS,
    Call,
    MalformedReply,
    ModelReply,
    ParsedReply,
    arguments_of,
    build_action,
    end_before_line,
    join_calls,
    main_action,
    parse_point,
    point_arguments,
    read_calls,
    text_argument,
)
from assistant.model.dialects.spoken import (
    Skipped,
    TextDialect,
    TextForm,
    Vocabulary,
    VocabularyEntry,
    refuse_denied_end,
)
from assistant.model.dialects.text_calls import CallReader, quote
from assistant.model.prompts import (
    DATA_RULE,
    MODEST_SIDE,
    Layout,
    OwnPrompt,
    Past,
    action_rules,
    conversation,
    headed_facts,
    step_facts,
    user_message,
)
from assistant.model.types import ChatMessage, PastStep, SentImage, StepRequest
from assistant.records import Action, Point

_GELAB_POINT = {"point": "point", "content": "content"}
_KEYBOARD = ("is_keyboard", "keyboard_exists")
_DONE = {"success", "successful", "succeeded", "complete", "completed", "done", "finished", "成功", "完成"}
_NOT_DONE = {"fail", "failed", "failure", "infeasible", "impossible", "incomplete", "失败", "未完成"}
_GELAB_WORDS = (
    VocabularyEntry("click", "CLICK", _GELAB_POINT),
    VocabularyEntry("long_click", "LONGPRESS", _GELAB_POINT),
    VocabularyEntry("click", "DOUBLECLICK", _GELAB_POINT, times=2),
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
    VocabularyEntry("finished", "COMPLETE", {"answer": "return value"}),
    VocabularyEntry("failed", "ABORT", {"reason": "value"}),
    VocabularyEntry("ask_user", "INFO", {"question": "value"}),
    VocabularyEntry("take_over", "TAKEOVER", {"reason": "value"}),
    VocabularyEntry("take_over", "CALL_USER", {"reason": "value"}),
)
_GELAB_SKIPPED = (
    Skipped("HOT_KEY", "That key is not available here; BACK, HOME and ENTER are. Go on without it."),
)
_GELAB_VOCABULARY = Vocabulary(_GELAB_WORDS, THOUSANDTHS, skipped=_GELAB_SKIPPED)
_KEYS = any_word({"explain", "action", "summary", "cot", "status", *_GELAB_VOCABULARY.keys})
_FIELD = re.compile(rf"(?:^|[\t\n])[ \t]{{0,9}}(?P<key>{_KEYS})[ ]{{0,9}}[:：]")
_ACTION_BY_SPACES = re.compile(rf"[ ]{{1,9}}(?=action:[ ]?(?:{any_word(_GELAB_VOCABULARY.names)})\b)")
_BY_SPACES = re.compile(rf"(?<=\S)[ ]{{1,9}}(?=(?:{_KEYS}):)")
_GELAB_OPENING = re.compile(r"[ \t]{0,9}(?:explain|action) {0,9}[:：]")
_ESCAPE = re.compile(r"\\(?:u([0-9a-f]{4})|([\\tnr]))")
_ESCAPED = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_PLAIN = {"\\": "\\", "t": "\t", "n": "\n", "r": "\r"}

_GELAB_RULES = """\
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
            return [_ended(call) for call in read_calls(reply)]
        records = [fields for fields in _records(reply.text) if "action" in fields]
        return [_ended(_gelab_call(_parted(fields))) for fields in records]

    def write(self, call: Call) -> str:
        """The line, with nothing to explain or to sum up."""
        fields = [("explain", ""), ("action", call.name), *call.arguments.items(), ("summary", "")]
        return "\t".join(f"{key}:{_gelab_text(value)}" for key, value in fields)

    def prose_end(self, text: str, start: int = 0) -> int:
        """Everything before the first line that may turn out to be the action's."""
        return end_before_line(_GELAB_OPENING, text, start, undecided=20)

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
    if not any(field["key"] == "action" for field in matches):
        text = _ACTION_BY_SPACES.sub("\t", text, count=1)
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


def _gelab_call(fields: dict[str, str]) -> Call:
    if "summary" not in fields:
        raise MalformedReply("The line of fields is cut off: it has no summary.")
    rest = {key: value for key, value in fields.items() if key not in ("explain", "action", "summary", "cot")}
    return Call(fields["action"].strip(), {key: _gelab_value(value) for key, value in rest.items()})


def _ended(call: Call) -> Call:
    """A call that ends the task, by what its status says: `COMPLETE status:failed` gives the task up.

    Raises:
        MalformedReply: an end with a status that says neither.
    """
    status = str(call.arguments.get("status", "")).strip().casefold()
    if call.name.upper() != "COMPLETE" or not status:
        return call
    given = {key: value for key, value in call.arguments.items() if key != "status"}
    if status in _DONE:
        return Call(call.name, given)
    if status in _NOT_DONE:
        return Call("ABORT", {"value": given.get("return", given.get("value", ""))})
    raise MalformedReply("COMPLETE takes no such status. Use ABORT where the task cannot be done.")


def _gelab_value(value: str) -> str:
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else _PLAIN[match[2]], value.strip())


def _gelab_text(value: str | tuple[float, float]) -> str:
    if not isinstance(value, str):
        return f"{value[0]:g},{value[1]:g}"
    escaped = re.sub(r"[\\\t\n\r]", lambda match: _ESCAPED[match[0]], value)
    return re.sub(r"^\s|\s$", lambda match: f"\\u{ord(match[0]):04x}", escaped)


GELAB_ZERO = TextDialect(
    "gelab_zero",
    "GELab-Zero: fields parted by tabs; coordinates 0..1000",
    r"gelab|stepgui",
    lambda frame: _GELAB_RULES,
    _GELAB_VOCABULARY,
    TabForm(),
    Layout(Past.SUMMARY),
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
_ATLAS_PLACED = ("CLICK", "LONG_PRESS")
"""Their numbers count without the tag around them, too."""
_ATLAS_OWN_WORD = "HAND_OVER"
"""A word of ours: it always has brackets, so that one cut off can be told from a whole one."""
_ATLAS_LINE = lazy_regex(
    r"(?:^[ \t]{0,9}(?:[-*] |\d{1,2}[.)] )?(?i:actions? ?[:：])?|(?i:\bactions? ?[:：]))[ \t*`]{0,9}"
    rf"(?P<name>{any_word(_ATLAS_VOCABULARY.names)})\b"
    r"[ \t]*(?:\(\))?(?:<point>(?P<point>[^<\n]{1,60})</point>)?"
    r"[ \t]*(?:<point>(?P<point2>[^<\n]{1,60})</point>)?"
    r"[ \t]*(?:\[(?P<text>(?:[^\\\n]|\\.)*)\])?[ \t.`*]*(?:<\|im_end\|>|</s>)?$",
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
        return [_atlas_call(match) for match in matches]

    def write(self, call: Call) -> str:
        """The line."""
        parts = [call.name]
        for value in call.arguments.values() or ([""] if call.name == _ATLAS_OWN_WORD else []):
            place = isinstance(value, tuple)
            text = f"<point>[[{value[0]:g}, {value[1]:g}]]</point>" if place else f"[{_escaped(value)}]"
            parts.append(text)
        places = sorted(parts[1:], key=lambda part: not part.startswith("<point>"))
        return f"Actions: {' '.join([parts[0], *places])}"

    def prose_end(self, text: str, start: int = 0) -> int:
        """Everything before the first line that may turn out to be an action."""
        return end_before_line(_ATLAS_OPENING, text, start, undecided=30)


def _escaped(text: str) -> str:
    return re.sub(r"[\\\]]", r"\\\g<0>", text).replace("\n", "\\n").replace("\r", "\\r")


def _atlas_call(match: re.Match[str]) -> Call:
    if match["name"] == _ATLAS_OWN_WORD and match["text"] is None:
        raise MalformedReply(f"{_ATLAS_OWN_WORD} needs its text in brackets.")
    fields = {key: item for key, item in match.groupdict().items() if item}
    name = fields.pop("name")
    if name in _ATLAS_PLACED and "point" not in fields and "text" in fields:
        fields["point"] = fields.pop("text")
    if "text" in fields:
        breaks = {"n": "\n", "r": "\r"}
        fields["text"] = re.sub(
            r"\\([\\\]nr])", lambda escape: breaks.get(escape[1], escape[1]), fields["text"]
        )
    return Call(name, dict(fields))


OS_ATLAS = TextDialect(
    "os_atlas",
    "OS-Atlas: actions in capitals; coordinates 0..1000",
    "osatlas",
    lambda frame: _ATLAS_RULES,
    _ATLAS_VOCABULARY,
    UpperCaseForm(),
)


_ALIASES = {
    "navigate_back": "press_back",
    "navigate_home": "press_home",
    "navigate_recent": "press_recent",
    "finish": "finished",
}
_FINGERTIP_KEYS = (
    "coordinates",
    "content",
    "text",
    "direction",
    "start",
    "end",
    "name",
    "answer",
    "reason",
    "question",
)
ACTION_NAMES = frozenset({*NAMES, *_ALIASES})
"""The names of actions that are read, in small letters."""

_FINGERTIP_FORM = CallReader(ACTION_NAMES, _FINGERTIP_KEYS)

_FINGERTIP_ROLE = (
    "You are an Android GUI agent. You are given an instruction and current screenshot and some "
    "supplementary information. You need to perform the next action to complete the instruction."
)
_FINGERTIP_ACTIONS = """\
## Action Space
click(coordinates=(x,y), content='')
long_click(coordinates=(x,y), content='')
type(text='')
scroll(coordinates=(x,y), direction='down or up or right or left')
press_back()
press_home()
press_recent()
wait()
finished()
swipe(start=(x,y), end=(x,y))
press_enter()
open_app(name='')
finished(answer='')
failed(reason='')
ask_user(question='')
take_over(reason='')
## Note
- coordinates should represent the coordinates of the click point. The origin is the upper left corner of \
the screenshot, with x increasing to the right and y increasing downward.
- content should represent the original text at the click point or the description of the icon, usually in \
Chinese.
- text should represent all the original text that the user intends to input. (usually in Chinese, and \
usually included in User_instruction)
- press_back(), press_home(), press_recent() means that go to previous screen, home screen, recent apps \
screen, respectively.
- wait() means that wait until the next observation is received. This usually occurs during loading or \
switching windows.
- finished() means that the instruction is completed. answer is what the user asked to know, if anything.
- Screen_description contains some correct content and coordinates of the UI, which can be directly \
referenced.
- Previous_actions contains the sequence of actions you have already performed under the current \
instruction.
"""
_FINGERTIP_LAST = """\
- Write a quote inside quotes with a backslash before it.
- Only one action in Action Space can be taken. Do not output anything other than the action to take.
The action to take:"""


class FingerTip:
    """The dialect `fingertip`."""

    name = "fingertip"
    title = "FingerTip's action strings; coordinates in pixels of the screenshot"
    space = PIXELS
    layout = Layout(elements=True, picture_first=True, side=MODEST_SIDE)

    def matches(self, model_name: str) -> bool:
        """Whether the model was trained on FingerTip."""
        return "fingertip" in model_name.lower().replace("-", "").replace("_", "")

    def rules(self, frame: SentImage) -> str:
        """The action space and its notes."""
        return _FINGERTIP_ACTIONS

    def messages(
        self, request: StepRequest, frame: SentImage, *, elements: bool = True, own: OwnPrompt | None = None
    ) -> list[ChatMessage]:
        """One user's message in the order of A.5.2, without the parts on other users' data."""
        if own is not None:
            return conversation(self, _FINGERTIP_ACTIONS, request, frame, elements=elements, own=own)
        facts = headed_facts(step_facts(self, request, frame, elements=elements))
        notes = f"{_FINGERTIP_ACTIONS}- {action_rules({})}\n- {DATA_RULE}\n{_FINGERTIP_LAST}"
        return [user_message(f"{_FINGERTIP_ROLE}\n{facts}\n{notes}", frame, picture_first=True)]

    def place(self, point: Point, frame: SentImage) -> tuple[float, float]:
        """The point in pixels."""
        return PIXELS.place(point, frame)

    def written(self, action: Action, frame: SentImage) -> str:
        """The action's string."""
        return self.write(action, frame).text

    def past_reply(self, step: PastStep, frame: SentImage) -> str:
        """The action's string."""
        return self.written(step.action, frame)

    def summary(self, reply: str) -> str:
        """None: the action stands alone."""
        return ""

    def tools(self) -> None:
        """None: actions are text."""

    def prose_end(self, text: str, start: int = 0) -> int:
        """Everything before the first line that may turn out to be an action."""
        return _FINGERTIP_FORM.prose_end(text, start)

    def thought(self, reply: ModelReply) -> str:
        """None: the action stands alone."""
        return ""

    def read(self, reply: ModelReply, frame: SentImage) -> ParsedReply:
        """Read the action that stands on a line of its own, or with which the reply ends."""
        if reply.calls:
            raise MalformedReply("The reply calls a function. Write the action as text.")
        parsed = join_calls(
            ParsedReply((_fingertip_action(call, frame),)) for call in _FINGERTIP_FORM.calls(reply.text)
        )
        refuse_denied_end(self, reply, parsed)
        return parsed

    def parse(self, reply: ModelReply, frame: SentImage) -> Action:
        """The action of the reply."""
        return main_action(self.read(reply, frame))

    def write(self, action: Action, frame: SentImage) -> ModelReply:
        """The action's string."""
        parts = []
        for key, value in arguments_of(action).items():
            match value:
                case Point():
                    x, y = PIXELS.place(value, frame)
                    parts.append(f"{'coordinates' if key == 'point' else key}=({x},{y})")
                case "" if key in ("answer", "reason"):
                    continue
                case _:
                    parts.append(f"{key}={quote(value)}")
        return ModelReply(text=f"{action.type}({', '.join(parts)})")


def _fingertip_action(call: Call, frame: SentImage) -> Action:
    name = call.name.casefold()
    name = _ALIASES.get(name, name)
    arguments: dict[str, str | Point] = {}
    for key, value in call.arguments.items():
        own = "point" if key == "coordinates" else key.casefold()
        if key == "":
            own = next(iter(point_arguments(name)), text_argument(name))
        arguments[own] = value if isinstance(value, str) else PIXELS.point(*parse_point(value, key), frame)
    return build_action(name, arguments)

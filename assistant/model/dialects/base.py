"""What every dialect shares: the `Dialect` protocol, coordinate spaces, and the calls that stand in a reply.

A dialect is how one family of models is asked for an action and how it writes it. `Space` says what a
family's coordinates count (pixels, thousandths, fractions); `build_action` makes an action of a name and
plain arguments; `parse_point` reads coordinates in all the ways in which models write them: lists, boxes,
quoted, tagged.

`read_calls` finds calls in a model's reply: functions of the endpoint, calls in tags, and JSON. JSON counts
on lines of its own, or as the last thing in the reply behind prose that does not doubt it, so that prose
about an action is never taken for the action. JSON in Python's quotes is read as data, never run.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from pydantic import ValidationError

from assistant.files import compile_words, read_words
from assistant.model.prompts import Layout, OwnPrompt
from assistant.model.types import ChatMessage, Resize, SentImage, StepRequest, smart_resize, unchanged_size
from assistant.records import ACTION, Action, Finished, Point, TypeText

Tool = dict[str, Any]
"""One function that the model may call, as the chat completions interface describes it."""


class MalformedReply(Exception):
    """A reply that is not exactly one action of the dialect; the message tells the model what was wrong."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A function that the model called; `arguments` is the JSON text it wrote."""

    name: str
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What the model said, its reasoning already taken out."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()

    def shown(self) -> str:
        """The reply as text, to quote it back to the model."""
        return "\n".join([self.text, *(f"{call.name}({call.arguments})" for call in self.calls)]).strip()


@dataclass(frozen=True, slots=True)
class Call:
    """One action as written: its name and its arguments by key, both in the family's words."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """What a reply means.

    `actions` are in order: typing may first tap and empty its field, and press Enter afterwards. None means
    that the model did something harmless that the phone has no part in, such as keeping a note. `notes` are
    what it wants kept, `remark` is what it should be told, such as why something was skipped, `warning` is
    its own that the action is sensitive. `implied_enter`: the last Enter only goes with the family's typing.
    """

    actions: tuple[Action, ...] = ()
    notes: tuple[str, ...] = ()
    remark: str = ""
    warning: str = ""
    implied_enter: bool = False

    @property
    def main(self) -> Action | None:
        """The action that the reply is about: the typing, not the tap before it."""
        typing = (action for action in self.actions if isinstance(action, TypeText))
        return next(typing, self.actions[0] if self.actions else None)


class Dialect(Protocol):
    """One way of asking and answering. Implementations hold no state."""

    @property
    def name(self) -> str:
        """The name that the setting `model.dialect` takes."""

    @property
    def title(self) -> str:
        """One line for a person."""

    @property
    def space(self) -> Space:
        """What its coordinates count, and the size that its pictures must have."""

    def matches(self, model_name: str) -> bool:
        """Whether a model of this name speaks the dialect."""

    def rules(self, frame: SentImage) -> str:
        """The fixed part of the prompt, shared only with dialects that write alike: role, form, actions."""

    @property
    def layout(self) -> Layout:
        """What the family learnt to be told."""

    def messages(
        self, request: StepRequest, frame: SentImage, *, elements: bool = True, own: OwnPrompt | None = None
    ) -> list[ChatMessage]:
        """The conversation that asks for the next action; `own` stands in place of the dialect's prompt."""

    def tools(self) -> list[Tool] | None:
        """The functions offered to the model; None where the dialect is text alone."""

    def prose_end(self, text: str, start: int = 0) -> int:
        """How many leading characters of a text still growing can no longer belong to an action.

        The first `start` are known to belong to none.
        """

    def thought(self, reply: ModelReply) -> str:
        """Reasoning that stands inside the action itself; usually empty."""

    def read(self, reply: ModelReply, frame: SentImage) -> ParsedReply:
        """Read what a reply means: one action, with what it takes to do it.

        Raises:
            MalformedReply: anything else; exact repeats count as one.
        """

    def parse(self, reply: ModelReply, frame: SentImage) -> Action:
        """The action that a reply is about.

        Raises:
            MalformedReply: as `read`, and a reply that means no action.
        """

    def write(self, action: Action, frame: SentImage) -> ModelReply:
        """The inverse of `parse`. The action's target is not written."""


def join_calls(parts: Iterable[ParsedReply]) -> ParsedReply:
    """What several calls of one reply mean together: harmless ones, and one action however often repeated.

    An answer followed by the bare end of the task is one end.

    Raises:
        MalformedReply: no call at all, or several actions that differ.
    """
    parts = list(parts)
    if not parts:
        raise MalformedReply("The reply has no action on a line of its own.")
    acting = list({part.actions: part for part in parts if part.actions}.values())
    if len(acting) == 2 and acting[1].actions == (Finished(),) and isinstance(acting[0].main, Finished):
        del acting[1]
    if len(acting) > 1:
        raise MalformedReply("The reply has several actions. Give exactly one.")
    return ParsedReply(
        actions=acting[0].actions if acting else (),
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        remark=" ".join(dict.fromkeys(part.remark for part in parts if part.remark)),
        warning=next((part.warning for part in parts if part.warning), ""),
        implied_enter=bool(acting) and acting[0].implied_enter,
    )


def main_action(parsed: ParsedReply) -> Action:
    """The action that a reply is about.

    Raises:
        MalformedReply: it means none.
    """
    if parsed.main is None:
        raise MalformedReply(parsed.remark or "The reply has no action.")
    return parsed.main


def checked_text(text: str, name: str, *, required: bool = False) -> str:
    """Text that can be stored and typed.

    Raises:
        MalformedReply: half characters, or nothing where something is required.
    """
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise MalformedReply(f"{name} holds a broken character.")
    if required and not text:
        raise MalformedReply(f"{name} is empty.")
    return text


@dataclass(frozen=True, slots=True)
class Space:
    """How a family counts.

    `units` is the largest coordinate on both axes; 0 stands for pixels of the sent picture. `yx` writes y
    before x. `decimals` are kept when a coordinate is written. `resize` gives the size that a picture must
    have when it is sent.
    """

    units: int = 0
    yx: bool = False
    decimals: int = 0
    resize: Resize = unchanged_size

    def size(self, frame: SentImage) -> tuple[int, int]:
        """The largest x and y. A picture that was not sent in the family's size counts as if it had been."""
        return (self.units, self.units) if self.units else self.resize(frame.width, frame.height)

    def place(self, point: Point, frame: SentImage) -> tuple[float, float]:
        """A point's coordinates, in the family's order."""
        width, height = self.size(frame)
        x, y = self._rounded(point.x * width), self._rounded(point.y * height)
        return (y, x) if self.yx else (x, y)

    def point(self, first: float, second: float, frame: SentImage) -> Point:
        """The point of two coordinates in the family's order; a unit outside is forgiven.

        Raises:
            MalformedReply: coordinates that lie outside, count something else, or are no numbers.
        """
        x, y = (second, first) if self.yx else (first, second)
        width, height = self.size(frame)
        if not (math.isfinite(x) and math.isfinite(y)):
            raise MalformedReply("The coordinates are not numbers.")
        if not self.decimals and (x % 1 or y % 1) and 0 <= x <= 1 and 0 <= y <= 1:
            raise MalformedReply(f"Coordinates go to {width} and {height}; they are no fractions of one.")
        slack = 10**-self.decimals
        if not (-slack <= x <= width + slack and -slack <= y <= height + slack):
            raise MalformedReply(
                f"The coordinates ({x:g}, {y:g}) lie outside: x goes from 0 to {width}, y from 0 to {height}."
            )
        return Point(min(1.0, max(0.0, x / width)), min(1.0, max(0.0, y / height)))

    def _rounded(self, value: float) -> float:
        return round(value, self.decimals) if self.decimals else round(value)


THOUSANDTHS = Space(1000)
"""0..1000, the corner included."""

UNIT = Space(1, decimals=3)
"""Fractions of the picture."""

PIXELS = Space()
"""Pixels of the picture as it is."""


def patches(factor: int, least: int, most: int) -> Space:
    """Pixels of the picture in Qwen's size, multiples of `factor`; areas in pixels."""
    return Space(resize=partial(smart_resize, factor=factor, least=least, most=most))


REQUIRED_TEXT = {"type": "text", "open_app": "name", "ask_user": "question"}
"""The text argument without which an action means nothing."""

_TEXT = {
    **REQUIRED_TEXT,
    "click": "content",
    "long_click": "content",
    "finished": "answer",
    "failed": "reason",
    "take_over": "reason",
}
_POINTS = {"click": ("point",), "long_click": ("point",), "scroll": ("point",), "swipe": ("start", "end")}
_BARE = ("clear", "press_back", "press_home", "press_recent", "press_enter", "wait")

NAMES = frozenset({*_TEXT, *_POINTS, *_BARE})
"""The names of all actions."""


def text_argument(name: str) -> str:
    """The name of the action's text argument; empty where it has none."""
    return _TEXT.get(name, "")


def point_arguments(name: str) -> tuple[str, ...]:
    """The names of the action's points."""
    return _POINTS.get(name, ())


def build_action(name: str, arguments: Mapping[str, Any]) -> Action:
    """An action from its name, its points and its texts.

    Raises:
        MalformedReply: an unknown name, an unknown or missing argument, or an empty text that is required.
    """
    if name not in NAMES:
        raise MalformedReply(f"There is no action {name[:40]!r}.")
    argument_names = {
        *point_arguments(name),
        text_argument(name),
        *(("direction",) if name == "scroll" else ()),
    }
    for key, value in arguments.items():
        if key not in argument_names:
            raise MalformedReply(f"{name} has no argument {key[:40]!r}.")
        if isinstance(value, str):
            checked_text(value, key, required=REQUIRED_TEXT.get(name) == key)
    given = {key: value.strip().lower() if key == "direction" else value for key, value in arguments.items()}
    try:
        return ACTION.validate_python({"type": name, **given})
    except ValidationError as error:
        raise MalformedReply(f"{name} cannot be used: {_problem(error)}") from error


def arguments_of(action: Action) -> dict[str, Any]:
    """The inverse of `build_action`: an action's points and texts in the order in which they are written."""
    fields = action.model_dump(exclude={"type", "target"})
    points = {key: getattr(action, key) for key in point_arguments(action.type)}
    return {key: points.get(key, fields[key]) for key in fields}


def _problem(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    place = next((str(part) for part in reversed(first["loc"]) if isinstance(part, str)), "argument")
    return f"{place} is missing." if first["type"] == "missing" else f"{place}: {first['msg']}."


_TAG = re.compile(r"<[^<>]{0,40}>")
_NUMBER = r"[-+]?\d{1,9}(?:\.\d{1,12})?"
_NUMBERS = re.compile(rf"[\s\[\]()（）]*(?:{_NUMBER}(?:[\s,，;\[\]()（）]+|\Z))+", re.ASCII)
_EACH = re.compile(_NUMBER, re.ASCII)


def parse_point(value: Any, key: str) -> tuple[float, float]:
    """The one place that a value means, in the order of writing; a box means its centre.

    Four numbers are two corners, eight the four corners of a box in turn; of two, three, six or seven the
    first two count, of five the first four.

    Raises:
        MalformedReply: letters, no numbers, or a single one.
    """
    numbers = list(_numbers(value, key, depth=0))
    match numbers:
        case [a, b, _, _, c, d, _, _] | [a, b, c, d] | [a, b, c, d, _]:
            return (a + c) / 2, (b + d) / 2
        case [a, b] | [a, b, _] | [a, b, _, _, _, _] | [a, b, _, _, _, _, _]:
            return a, b
        case [] | [_]:
            raise MalformedReply(f"{key[:40]} needs two numbers, such as [120, 480].")
        case _:
            raise MalformedReply(f"{key[:40]} has {len(numbers)} numbers. Give one point.")


def _numbers(value: Any, key: str, depth: int) -> Iterator[float]:
    if isinstance(value, bool) or depth > 3:
        raise MalformedReply(f"{key[:40]} is not a pair of numbers.")
    match value:
        case int() | float():
            if not abs(value) < 1e9:
                raise MalformedReply(f"{key[:40]} is not a pair of numbers.")
            yield value
        case str():
            yield from _in_text(value, key)
        case list() | tuple():
            if len(value) > 16:
                raise MalformedReply(f"{key[:40]} has too many numbers. Give one point.")
            for number in value:
                yield from _numbers(number, key, depth + 1)
        case {"x": x, "y": y, **rest} if not rest:
            yield from _numbers([x, y], key, depth + 1)
        case _:
            raise MalformedReply(f"{key[:40]} is not a pair of numbers.")


def _in_text(text: str, key: str) -> list[float]:
    """The numbers of a text such as `<|box_start|>(197,525)<|box_end|>` or `<point>200 300</point>`."""
    bare = _TAG.sub(" ", text[:200]).strip()
    if not bare.strip("[]()（） ,"):
        return []
    if not _NUMBERS.fullmatch(bare):
        raise MalformedReply(f"{key[:40]} holds {text[:40]!r}. Give real numbers, such as [120, 480].")
    return [float(number) for number in _EACH.findall(bare)]


_OPENING = re.compile(r"\{(?=\s*[\"'}])|\[(?=\s*\{)")
_MARK = re.compile(
    r"\{(?=\s{0,40}[\"'}])|\[(?=\s{0,40}\{)|`{3}|<[|｜]"
    r"|</?(?:\w{1,20}:)?(?i:tools?|functions?|invoke|calls?|actions?|answer|conclusion|output|json|parameter)"
    r"(?:[_-]\w{0,20})?\s{0,9}[>=\s]"
)
_MARK_BEGUN = re.compile(r"(?:[{\[]\s{0,40}|`{1,2}|</?[\w:-]{0,60}\s{0,9})\Z")
_LABEL = r"(?i:action|answer|output|call|function|json)[ \t]?[:：]"
_MARKUP = r"</?[\w:]{1,40}>|<\|\w{1,30}\|>"
_BEFORE = re.compile(
    rf"[ \t]{{0,40}}(?:[-*>`]{{1,3}}|`{{3}}\w{{1,12}}|\d{{1,3}}[.)])?[ \t]{{0,40}}"
    rf"(?:\*{{0,2}}{_LABEL}\*{{0,2}}|(?:{_MARKUP})|[ \t]|\[|`{{1,3}}(?:json)?){{0,6}}"
)
_AFTER = re.compile(r"[ \t]*(?:`+|[\]}.。;；,，]|</?[\w:|]+>|<\|[^|\n]*\|>|\[EOS\]|[ \t])*(?=\n|$)")
_REST = re.compile(rf"(?:\s|`|[\].。;；,，]|{_MARKUP}|<\|[^|\n]{{0,30}}\|>|\[EOS\])*")
_DECODER = json.JSONDecoder(strict=False)
_PYTHON_LIMIT = 20_000
_STRING_OR_WORD = re.compile(
    r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|\b(true|false|null)\b|([{}\[\]])""", re.DOTALL
)
_PYTHON_WORDS = {"true": "True", "false": "False", "null": "None"}

_REMARKS = read_words("assistant.model.dialects", "base.yaml")
_DOUBT = compile_words(_REMARKS["doubt"])
_QUOTED = re.compile(
    r"\b(?:says|said|reads|writes)\s*[:：]?\s*[\"'“‘]?\s*(?:Action ?[:：]\s*)?$", re.IGNORECASE
)
_LEADS_ON = re.compile(r"(?:[:：]|\bwould be|\bgoing to (?:write|call|send))\Z", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[.,;!?](?=\s|$)|[。，；！？]")
_MARKUP_END = re.compile(rf"(?:{_MARKUP}|`{{3}}\w{{0,12}}|\s)+$")
_OPENED = re.compile(r"[ \t]*(?:<[\w:]{1,40}>|`{3}\w{0,12})\s*")
_LABELLED = re.compile(rf"(?:{_LABEL})[\s*`]*(?:{_MARKUP}|[\s`*])*$")
_MARKS = re.compile(rf"(?:[\s\-*>`\[]|\d{{1,3}}[.)]|{_MARKUP}|`{{3}}\w{{1,12}})*")
_TAKEN_BACK = compile_words(_REMARKS["taken_back"], {"markup": _MARKUP})


def is_doubted(text: str, start: int) -> bool:
    """Whether the words that lead to the call at `start` say that it is not to be made, or not yet.

    They are the clause before it on its line; for a call on a line of its own, the line before, if it ends
    with a colon or in mid-sentence.
    """
    line = text.rfind("\n", 0, start) + 1
    lead = text[max(line, start - 300) : start]
    if _QUOTED.search(lead):
        return True
    if _LABELLED.search(lead):
        return False
    if _MARKS.fullmatch(lead):
        above = text[max(0, line - 300) : line]
        marked = _MARKUP_END.search(above)
        # A tag that opens behind words belongs to their sentence, wherever the call's line begins.
        opened = marked is not None and _OPENED.fullmatch(marked.group()) is not None
        before = _MARKUP_END.sub("", above).rstrip(" \n\t`*")
        if not opened and not _LEADS_ON.search(before):
            return False
        lead = before[before.rfind("\n") + 1 :]
    ends = [match.end() for match in _CLAUSE_END.finditer(lead)]
    return bool(_DOUBT.search(lead[ends[-1] :] if ends else lead))


def is_taken_back(text: str, end: int) -> bool:
    """Whether the words behind the last call, which ends at `end`, take it back."""
    return bool(_TAKEN_BACK.search(text[end : end + 2000]))


def ends_reply(text: str, end: int) -> bool:
    """Whether nothing but closing marks follows a call."""
    rest = _REST.match(text, end)
    return rest is not None and rest.end() == len(text)


def first_call_mark(text: str, start: int = 0) -> int:
    """Where the first thing that may open a call stands behind `start`; the text's length without one.

    That is JSON, a fence, or a tag around a call; what the text's end leaves open may still become one.
    """
    match = _MARK.search(text, start) or _MARK_BEGUN.search(text, start)
    return match.start() if match else len(text)


def find_objects(text: str, is_call: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    """The wanted JSON objects that are meant as calls, in order: those on lines of their own, and a last one.

    Raises:
        MalformedReply: something that opens like JSON and is none (what lies inside is never read), or words
            that say the call is not to be made.
    """
    objects: list[dict[str, Any]] = []
    place = end = before = 0
    while opening := _OPENING.search(text, place):
        start = opening.start()
        value, place = _value_at(text, start)
        values = value if isinstance(value, list) else [value]
        calls = [item for item in values if isinstance(item, dict) and is_call(item)]
        line = text.rfind("\n", 0, start) + 1
        alone = _BEFORE.fullmatch(text, line, start) and _AFTER.match(text, place)
        if calls and not alone and line < before:
            raise MalformedReply("Several JSON objects stand on one line. Give exactly one action.")
        before = place
        if calls and (alone or ends_reply(text, place)):
            if is_doubted(text, start):
                raise MalformedReply("The words before the action doubt it. Give the action alone.")
            objects.extend(calls)
            end = place
    if objects and is_taken_back(text, end):
        raise MalformedReply("The words after the action take it back. Give the action alone.")
    return objects


def _value_at(text: str, start: int) -> tuple[Any, int]:
    """The JSON value that opens at a place, in Python's quotes too, and where it ends."""
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError) as error:
        literal = _python_literal(text, start)
        if literal is None:
            raise MalformedReply("The JSON in the reply is broken or cut off.") from error
        return literal


def _python_literal(text: str, start: int) -> tuple[Any, int] | None:
    depth, pieces, place = 0, [], start
    for token in _STRING_OR_WORD.finditer(text, start, start + _PYTHON_LIMIT):
        pieces.append(text[place : token.start()])
        pieces.append(_PYTHON_WORDS.get(token[0], token[0]))
        place = token.end()
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token[0], 0)
        if depth <= 0:
            break
    else:
        return None
    try:
        return ast.literal_eval("".join(pieces)), place
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None


_NAMES = ("name", "action", "function", "type")
_HOLDERS = ("arguments", "parameters", "params", "args", "input", "action_inputs")


def read_calls(reply: ModelReply, is_call: Callable[[dict[str, Any]], bool] | None = None) -> list[Call]:
    """The functions that were called, or where there are none the calls in the text.

    `is_call` says which objects of the text are calls; by default those that name an action.

    Raises:
        MalformedReply: JSON that is broken, or names no action.
    """
    if reply.calls:
        return [call_of_function(call) for call in reply.calls]
    if calls := tagged_calls(reply.text):
        return calls
    return [call_of_object(value) for value in find_objects(reply.text, is_call or names_action)]


def names_action(value: dict[str, Any]) -> bool:
    """Whether an object looks like a call."""
    return any(isinstance(value.get(key), str | dict) for key in _NAMES)


def call_of_function(call: ToolCall) -> Call:
    """The call of a function; endpoints that add a prefix or a number to its name are taken.

    Raises:
        MalformedReply: arguments that are no JSON object.
    """
    name = call.name.strip().removeprefix("functions.").partition(":")[0]
    return Call(name, parse_arguments(call.arguments, name))


def call_of_object(value: dict[str, Any]) -> Call:
    """The call that a JSON object stands for: nested in `function`, with `arguments`, or flat.

    Raises:
        MalformedReply: no name, or arguments that are no JSON object.
    """
    inner = value.get("function", value.get("action"))
    if isinstance(inner, dict):
        return _named(inner, "name", "action", "type")
    if any(key in value for key in _HOLDERS):
        return _named(value, "name", "action", "function", "type")
    return _named(value, "action", "type", "function", "name")


def unwrap_call(call: Call, holders: Collection[str], key: str) -> Call:
    """The action inside a call of one of the `holders`, a function that takes the action's name as `key`.

    Raises:
        MalformedReply: the holder was called without a name.
    """
    if call.name not in holders:
        return call
    name = call.arguments.get(key)
    if not isinstance(name, str):
        raise MalformedReply(f"{call.name} needs {key}: the name of an action.")
    return Call(name, {other: argument for other, argument in call.arguments.items() if other != key})


def parse_arguments(values: Any, name: str) -> dict[str, Any]:
    """Arguments as an object or as its JSON text; nothing, which some endpoints send for none, is none.

    Raises:
        MalformedReply: broken JSON, or no object.
    """
    if isinstance(values, str):
        try:
            values = json.loads(values, strict=False) if values.strip() else {}
        except (ValueError, RecursionError) as error:
            raise MalformedReply(f"The arguments of {name[:40]} are not valid JSON.") from error
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise MalformedReply(f"The arguments of {name[:40]} are not a JSON object.")
    return {key: value for key, value in values.items() if value is not None}


def _named(value: dict[str, Any], *keys: str) -> Call:
    key = next((key for key in keys if isinstance(value.get(key), str)), None)
    if key is None:
        raise MalformedReply("The JSON in the reply names no action.")
    name: str = value[key]
    holder = next((holder for holder in _HOLDERS if holder in value), None)
    if holder:
        return Call(name, parse_arguments(value[holder], name))
    return Call(
        name, {other: argument for other, argument in value.items() if other != key and argument is not None}
    )


def end_before_line(opening: re.Pattern[str], text: str, start: int, undecided: int) -> int:
    """How many leading characters stand before the first line that `opening` matches.

    The first `start` are known to. A last line of at most `undecided` characters may still become one.
    """
    line = text.rfind("\n", 0, start) + 1
    while not opening.match(text, line):
        newline = text.find("\n", max(line, start))
        if newline < 0:
            return line if len(text) - line <= undecided else len(text)
        line = newline + 1
    return line


_FUNCTION = re.compile(
    r"<function=[\"']?(?P<seed>[\w.:-]{1,40})[\"']?>|<invoke\s+name=[\"'](?P<invoke>[\w.:-]{1,40})[\"']\s*>",
    re.IGNORECASE,
)
_ENDS = {"seed": "</function>", "invoke": "</invoke>"}
_PARAMETER = re.compile(
    r"\s*<parameter(?:=[\"']?(\w{1,40})[\"']?|\s+name=[\"'](\w{1,40})[\"'](?:\s+string=[\"']\w+[\"'])?)>"
    r"(.*?)</parameter>\s*",
    re.DOTALL | re.IGNORECASE,
)


def tagged_calls(text: str) -> list[Call]:
    """All calls in tags: Seed's `<function=click><parameter=point>…`, and `<invoke name="click">…`.

    Raises:
        MalformedReply: a call that is not closed, that holds anything but parameters, or words that doubt it.
    """
    function_calls = []
    opening = _FUNCTION.search(text)
    while opening:
        end = text.find(_ENDS[str(opening.lastgroup)], opening.end())
        if end < 0:
            raise MalformedReply("The call in tags is broken or cut off.")
        if is_doubted(text, opening.start()):
            raise MalformedReply("The words before the action doubt it. Give the action alone.")
        body = text[opening.end() : end]
        function_calls.append(Call(str(opening[str(opening.lastgroup)]), _parameters(body)))
        opening = _FUNCTION.search(text, end)
        if opening is None and is_taken_back(text, end):
            raise MalformedReply("The words after the action take it back. Give the action alone.")
    return function_calls


def _parameters(body: str) -> dict[str, Any]:
    parameters: dict[str, Any] = {}
    place = 0
    while place < len(body.rstrip()):
        parameter = _PARAMETER.match(body, place)
        if not parameter:
            raise MalformedReply("Between the tags of a call only parameters may stand.")
        key, value = parameter[1] or parameter[2], parameter[3]
        framed = len(value) > 1 and value[0] == value[-1] == "\n"
        parameters[key] = value[1:-1] if framed else value
        place = parameter.end()
    return parameters

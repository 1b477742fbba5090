"""What every dialect shares: the `Dialect` protocol, coordinate spaces, and actions as a name with arguments.

A dialect is how one family of models is asked for an action and how it writes it. `Space` says what a
family's coordinates count (pixels, thousandths, fractions); `build` makes an action of a name and plain
arguments; `parse_point` reads coordinates in all the ways in which models write them: lists, boxes, quoted,
tagged.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from pydantic import ValidationError

from assistant.model.prompts import ChatMessage
from assistant.model.types import Resize, SentImage, StepRequest, smart_resize, unchanged_size
from assistant.records import ACTION, Action, Point

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

    def messages(self, request: StepRequest, frame: SentImage, *, elements: bool = True) -> list[ChatMessage]:
        """The conversation that asks for the next action."""

    def tools(self) -> list[Tool] | None:
        """The functions offered to the model; None where the dialect is text alone."""

    def prose_end(self, text: str, start: int = 0) -> int:
        """How many leading characters of a text still growing can no longer belong to an action.

        The first `start` are known to belong to none.
        """

    def thought(self, reply: ModelReply) -> str:
        """Reasoning that stands inside the action itself; usually empty."""

    def parse(self, reply: ModelReply, frame: SentImage) -> Action:
        """Read the one action of a reply.

        Raises:
            MalformedReply: anything that is not exactly one action; exact repeats count as one.
        """

    def write(self, action: Action, frame: SentImage) -> ModelReply:
        """The inverse of `parse`. The action's target is not written."""


def one_action(actions: list[Action]) -> Action:
    """The only action among those found, exact repeats counted once.

    Raises:
        MalformedReply: none, or several that differ.
    """
    if not actions:
        raise MalformedReply("The reply has no action on a line of its own.")
    if any(action != actions[0] for action in actions):
        raise MalformedReply("The reply has several actions. Give exactly one.")
    return actions[0]


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
_BARE = ("press_back", "press_home", "press_recent", "press_enter", "wait")

NAMES = frozenset({*_TEXT, *_POINTS, *_BARE})
"""The names of all actions."""


def text_argument(name: str) -> str:
    """The name of the action's text argument; empty where it has none."""
    return _TEXT.get(name, "")


def point_arguments(name: str) -> tuple[str, ...]:
    """The names of the action's points."""
    return _POINTS.get(name, ())


def build(name: str, arguments: Mapping[str, Any]) -> Action:
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
    """The inverse of `build`: an action's points and texts in the order in which they are written."""
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

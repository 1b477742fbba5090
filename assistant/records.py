"""Plain data that every room shares: actions, their targets, records and states. No I/O.

The action space is FingerTip's Table 2, extended; the record is PersonalAlign's section 3.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal, NamedTuple

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter

from assistant.i18n import later
from assistant.naming import element_name

Fraction = Annotated[float, Field(ge=0, le=1)]


class Direction(StrEnum):
    """Where the content moves into view: `DOWN` shows what lies below (the finger moves up)."""

    UP = "up"
    DOWN = "down"
    LEFT = "left"
    RIGHT = "right"


class Outcome(StrEnum):
    """How a turn ended."""

    SUCCESS = "success"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Source(StrEnum):
    """Who decided a step: the model, replayed memory, or the user's own hand."""

    MODEL = "model"
    REPLAYED = "replayed"
    USER = "user"


class Point(NamedTuple):
    """A place on the screenshot that was sent, each coordinate in 0..1 from the upper left corner."""

    x: Fraction
    y: Fraction


class Bounds(NamedTuple):
    """A rectangle in pixels of the device's screen; right and bottom are exclusive."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        """Width in pixels."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """Height in pixels."""
        return self.bottom - self.top

    @property
    def area(self) -> int:
        """Area in square pixels; 0 for an empty rectangle."""
        return max(0, self.width) * max(0, self.height)

    @property
    def centre(self) -> tuple[int, int]:
        """The middle pixel."""
        return (self.left + self.right) // 2, (self.top + self.bottom) // 2

    def contains(self, x: float, y: float) -> bool:
        """Whether the pixel lies inside."""
        return self.left <= x < self.right and self.top <= y < self.bottom


class Target(BaseModel):
    """The element that an action hit, as the UI tree described it.

    `around` is the heading of what the element belongs to, where its own name says too little; it is for
    people, and no part of what makes two targets the same.
    """

    model_config = ConfigDict(frozen=True)

    resource_id: str = ""
    class_name: str = ""
    text: str = ""
    description: str = ""
    bounds: Bounds | None = None
    around: str = ""

    @property
    def label(self) -> str:
        """What a person would call the element: its text, else its description, else its id's last part."""
        return self.text or self.description or self._id_words

    @property
    def name(self) -> str:
        """The label as people read it: one that comes from the id alone without what it is made of."""
        return self.label if self.named else element_name(self.resource_id)

    @property
    def named(self) -> bool:
        """Whether the screen has words for the element; else only its id, or nothing, tells what it is."""
        return self.label != self._id_words

    @property
    def _id_words(self) -> str:
        return self.resource_id.rpartition("/")[2].replace("_", " ")


class _Action(BaseModel):
    model_config = ConfigDict(frozen=True)

    target: Target | None = None


class Click(_Action):
    """Tap a point. `content` is the text there, as the model named it."""

    type: Literal["click"] = "click"
    point: Point
    content: str = ""


class LongClick(_Action):
    """Press and hold a point."""

    type: Literal["long_click"] = "long_click"
    point: Point
    content: str = ""


class TypeText(_Action):
    """Enter text into the focused field."""

    type: Literal["type"] = "type"
    text: str


class Scroll(_Action):
    """Move the content under a point so that what lies in `direction` comes into view."""

    type: Literal["scroll"] = "scroll"
    point: Point = Point(0.5, 0.5)
    direction: Direction


class Swipe(_Action):
    """Move a finger from one point to another."""

    type: Literal["swipe"] = "swipe"
    start: Point
    end: Point


class PressBack(_Action):
    """Press the system's Back."""

    type: Literal["press_back"] = "press_back"


class PressHome(_Action):
    """Press the system's Home."""

    type: Literal["press_home"] = "press_home"


class PressRecent(_Action):
    """Press the system's Recents."""

    type: Literal["press_recent"] = "press_recent"


class PressEnter(_Action):
    """Press Enter on the keyboard."""

    type: Literal["press_enter"] = "press_enter"


class OpenApp(_Action):
    """Start an app by the name that its launcher icon carries."""

    type: Literal["open_app"] = "open_app"
    name: str


class Wait(_Action):
    """Do nothing until the screen has had time to change."""

    type: Literal["wait"] = "wait"


class Finished(_Action):
    """The instruction is carried out; `answer` is what the user asked to know, if anything."""

    type: Literal["finished"] = "finished"
    answer: str = ""


class Failed(_Action):
    """The instruction cannot be carried out."""

    type: Literal["failed"] = "failed"
    reason: str = ""


class AskUser(_Action):
    """Something only the user knows is missing."""

    type: Literal["ask_user"] = "ask_user"
    question: str


class TakeOver(_Action):
    """Something only the user may do: a login, a captcha, a secure page."""

    type: Literal["take_over"] = "take_over"
    reason: str = ""


Action = Annotated[
    Click
    | LongClick
    | TypeText
    | Scroll
    | Swipe
    | PressBack
    | PressHome
    | PressRecent
    | PressEnter
    | OpenApp
    | Wait
    | Finished
    | Failed
    | AskUser
    | TakeOver,
    Field(discriminator="type"),
]

ACTION: TypeAdapter[Action] = TypeAdapter(Action)
"""Reads and writes one action in the form of the record exchange format."""


_SCROLLS = {
    Direction.UP: later("scroll up"),
    Direction.DOWN: later("scroll down"),
    Direction.LEFT: later("scroll left"),
    Direction.RIGHT: later("scroll right"),
}
_BARE = {
    "press_back": later("press back"),
    "press_home": later("press home"),
    "press_recent": later("press recent"),
    "press_enter": later("press enter"),
    "wait": later("wait"),
    "finished": later("finish"),
    "failed": later("give up"),
    "take_over": later("hand over"),
}


def touched(action: Action) -> tuple[Point, ...]:
    """The points of the screen that an action touches."""
    match action:
        case Click(point=point) | LongClick(point=point):
            return (point,)
        case Swipe(start=start, end=end):
            return start, end
        case _:
            return ()


def shown(action: Action, translated: Callable[[str], str]) -> str:
    """What people read of an action: its description and, where that says little, what it belongs to."""
    told = describe(action, translated)
    if not isinstance(action, Click | LongClick) or action.target is None or not action.target.around:
        return told
    return translated("{action} ({around})").format(action=told, around=action.target.around)


def describe(action: Action, translated: Callable[[str], str] = str) -> str:
    """Say in a few words what an action does; the interface gives the words `translated`."""
    named = action.target.name if action.target else ""
    match action:
        case Click(point=point, content=content) | LongClick(point=point, content=content):
            verb = translated("tap") if isinstance(action, Click) else translated("hold")
            label = named or content
            where = translated("at {x:.2f}, {y:.2f}").format(x=point.x, y=point.y)
            if label:
                return translated("{verb} “{label}”").format(verb=verb, label=label)
            return f"{verb} {where}"
        case TypeText(text=text):
            return translated("type “{text}”").format(text=text)
        case Scroll(direction=direction):
            return translated(_SCROLLS[direction])
        case Swipe(start=start, end=end):
            places = {"start": f"{start.x:.2f}, {start.y:.2f}", "end": f"{end.x:.2f}, {end.y:.2f}"}
            return translated("swipe {start} to {end}").format(**places)
        case OpenApp(name=name):
            return translated("open {name}").format(name=name)
        case Finished(answer=detail) | Failed(reason=detail) | TakeOver(reason=detail):
            verb = translated(_BARE[action.type])
            return f"{verb}: {detail}" if detail else verb
        case AskUser(question=question):
            return translated("ask: {question}").format(question=question)
        case _:
            return translated(_BARE[action.type])


SCENARIOS = (
    later("residence"),
    later("office"),
    later("school"),
    later("dining place"),
    later("shopping mall"),
    later("medical institution"),
    later("entertainment venue"),
    later("sports venue"),
    later("cultural venue"),
    later("transportation"),
    later("urban street"),
    later("outdoors"),
)
"""The usual scenarios (FingerTip A.4); a label of the user's own is as good."""


class State(BaseModel):
    """The user's situation: local time with its zone, and the scenario's name (FingerTip A.4)."""

    model_config = ConfigDict(frozen=True)

    time: AwareDatetime
    scenario: str = "unknown"


class Record(BaseModel):
    """One interaction, in the exchange format (one JSON object a line).

    `said` is what the user typed, `instruction` what it was understood to mean. `model`, `usage`, `cost` and
    `seconds` tell what carrying it out took, where that was measured.
    """

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)

    id: str = Field(min_length=1)
    user_id: str
    time: AwareDatetime
    instruction: str = Field(min_length=1)
    said: str = ""
    scenario: str = "unknown"
    app: str = ""
    package: str = ""
    outcome: Outcome | None = None
    source: str = ""
    actions: tuple[Action, ...] = ()
    model: str = ""
    usage: Usage | None = None
    cost: Cost | None = None
    seconds: float | None = None


class Usage(BaseModel):
    """What a model was asked for: tokens in, tokens out, and how many requests."""

    model_config = ConfigDict(frozen=True)

    prompt_tokens: int = 0
    completion_tokens: int = 0
    requests: int = 0

    def __add__(self, other: Usage) -> Usage:
        """The sum of both."""
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            requests=self.requests + other.requests,
        )

    @property
    def total_tokens(self) -> int:
        """Tokens in and out."""
        return self.prompt_tokens + self.completion_tokens


class Cost(BaseModel):
    """Money, as far as prices are known: an amount in a currency (ISO 4217)."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)

    amount: float = Field(ge=0)
    currency: str = "USD"

    def plus(self, other: Cost | None) -> Cost:
        """The sum; of another currency only the newer, which is this one, is told."""
        same = other is not None and other.currency == self.currency
        return Cost(amount=self.amount + other.amount, currency=self.currency) if other and same else self


def record_id(user_id: str, time: datetime) -> str:
    """The id of a record made here, like `u55-20250309_133115` with microseconds to part close turns."""
    return f"u{user_id}-{time:%Y%m%d_%H%M%S_%f}"

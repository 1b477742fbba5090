"""Plain data that every room shares: actions, their targets, records and states. No I/O but for its words.

The action space is FingerTip's Table 2, extended; the record is PersonalAlign's section 3. What is seen
on the phone at one moment: the screenshot, the UI tree as a flat list, the foreground app. Names that a
person can read, made from the names that programs give: resource ids and packages. Money as people write
it.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import cache, wraps
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeVar

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter

from assistant.files import compile_words, read_words
from assistant.i18n import inner_quotation, later, money

T = TypeVar("T")

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\da-zA-Z_]+")
_KINDS_BEFORE = frozenset(
    ("iv", "ib", "ic", "img", "btn", "bt", "tv", "et", "ll", "rl", "fl", "cl", "rv", "lv", "cv", "vp")
) | frozenset(("cb", "rb", "sw", "sb", "pb", "tb", "fab", "id"))
_KINDS_BEHIND = frozenset(("widget", "view", "button", "btn", "layout", "container", "iv", "tv"))
COMMON_PARTS = frozenset(
    ("com", "org", "net", "cn", "io", "app", "apps", "android", "google", "mobile", "client", "main")
)
"""Parts of package names that say nothing about one app."""

HOME_SCREENS = ("launcher", ".home", "trebuchet", "quickstep")
"""Parts of the package names of apps that are a phone's home screen."""

_RUN_TOGETHER = re.compile(
    r"(?<=[a-z]{3})(controller|installer|manager|launcher|provider|services?|settings|browser|player|picker|ui)$"
)
"""Words that packages of Android's own carry at the end of another."""

_BETWEEN = re.compile(r"\d+(?: ?(?:s\b|秒))?|[^\w']|_")
_KEYS_OF_A_PAD = ("*", "#")


@cache
def _little_names() -> tuple[re.Pattern[str], ...]:
    names = read_words("assistant", "records.yaml")["says_little"]
    return tuple(compile_words(names[language], flags=re.NOFLAG) for language in ("en", "zh"))


def element_name(resource_id: str) -> str:
    """What a resource id says of its element: `com.shop:id/iv_close` is `close`.

    What the element is made of is dropped, unless nothing would remain.
    """
    words = _words(resource_id.rpartition("/")[2])
    while len(words) > 1 and words[0] in _KINDS_BEFORE:
        del words[0]
    while len(words) > 1 and words[-1] in _KINDS_BEHIND:
        del words[-1]
    return " ".join(words)


def says_little(name: str) -> bool:
    """Whether a name alone does not tell what is meant: “later”, “取消”, “×”, a countdown behind “skip”."""
    words = " ".join(_BETWEEN.sub(" ", name.casefold().replace("’", "'")).split())
    if not any(character.isalnum() for character in name):
        return name.strip() not in _KEYS_OF_A_PAD
    return any(little.fullmatch(words) for little in _little_names())


def app_name(package: str) -> str:
    """What a package calls its app: `com.android.permissioncontroller` is `Permission controller`."""
    parts = package.split(".")
    telling = [part for part in parts if part.casefold() not in COMMON_PARTS]
    last = (telling or parts)[-1]
    name = " ".join(_words(_RUN_TOGETHER.sub(r"_\1", last)))
    return name[:1].upper() + name[1:]


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name)]


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
    UNCONFIRMED = "unconfirmed"
    """The model says that it is done, and code finds no trace of it on the phone."""


BROKEN_OFF = frozenset({Outcome.FAILED, Outcome.CANCELLED, Outcome.UNCONFIRMED})
"""Outcomes that show neither that the user wanted it so nor how it is done."""


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
        left, top, right, bottom = self
        return left <= x < right and top <= y < bottom


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
        return self.text or self.description or _id_words(self.resource_id)

    @property
    def name(self) -> str:
        """The label as people read it: one that comes from the id alone without what it is made of."""
        return self.label if self.named else element_name(self.resource_id)

    @property
    def named(self) -> bool:
        """Whether the screen has words for the element; else only its id, or nothing, tells what it is."""
        return self.label != _id_words(self.resource_id)


def _id_words(resource_id: str) -> str:
    return resource_id.rpartition("/")[2].replace("_", " ")


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
    """Enter text into the focused field. `closes_keyboard`, which is not stored: put that away at once."""

    type: Literal["type"] = "type"
    text: str
    closes_keyboard: bool = Field(default=False, exclude=True)


class ClearText(_Action):
    """Empty the focused field."""

    type: Literal["clear"] = "clear"


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
    """Start an app by the name of its icon: as it was left, `anew` on its first page, or `at` an address.

    That is a page of the settings by its action, as `android.settings.WIFI_SETTINGS`, or a URI.
    """

    type: Literal["open_app"] = "open_app"
    name: str
    anew: bool = Field(default=False, exclude_if=lambda anew: not anew)
    at: str = Field(default="", exclude_if=lambda at: not at)


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
    | ClearText
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


_BARE = {
    Direction.UP: later("scroll up"),
    Direction.DOWN: later("scroll down"),
    Direction.LEFT: later("scroll left"),
    Direction.RIGHT: later("scroll right"),
    "clear": later("empty the field"),
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
    description = describe(action, translated)
    if not isinstance(action, Click | LongClick) or action.target is None or not action.target.around:
        return description
    return translated("{action} ({around})").format(action=description, around=action.target.around)


def describe(action: Action, translated: Callable[[str], str] = str) -> str:
    """Say in a few words what an action does; the interface gives the words `translated`."""
    named = action.target.name if action.target else ""
    match action:
        case Click(point=point, content=content) | LongClick(point=point, content=content):
            verb = translated("tap") if isinstance(action, Click) else translated("hold")
            label = inner_quotation(named or content)
            where = translated("at {x:.2f}, {y:.2f}").format(x=point.x, y=point.y)
            if label:
                return translated("{verb} “{label}”").format(verb=verb, label=label)
            return f"{verb} {where}"
        case TypeText(text=""):
            return translated("enter what is not kept")
        case TypeText(text=text):
            return translated("type “{text}”").format(text=inner_quotation(text))
        case Scroll(direction=direction):
            return translated(_BARE[direction])
        case Swipe(start=start, end=end):
            places = {"start": f"{start.x:.2f}, {start.y:.2f}", "end": f"{end.x:.2f}, {end.y:.2f}"}
            return translated("swipe {start} to {end}").format(**places)
        case OpenApp(name=name, at=at) if at:
            return translated("open {name} at {address}").format(name=name, address=at)
        case OpenApp(name=name, anew=anew):
            words = translated("open {name} on its first page") if anew else translated("open {name}")
            return words.format(name=name)
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

    def as_row(self) -> dict[str, Any]:
        """The record as a row of its table; `moment` is its time in seconds since 1970, for the order."""
        row = self.model_dump(mode="json", exclude={"actions"})
        row["time"] = self.time.isoformat()
        row["moment"] = self.time.timestamp()
        row["actions"] = [action.model_dump(mode="json", exclude_none=True) for action in self.actions]
        return row


class Usage(BaseModel):
    """What a model was asked for: tokens in, tokens out, and how many requests.

    `cached_tokens` are those of the prompt that the endpoint had kept; 0 also where it does not say.
    `estimated_tokens` are those in and out that it did not tell, because the request was ended before its
    reply was complete.
    """

    model_config = ConfigDict(frozen=True)

    prompt_tokens: int = 0
    completion_tokens: int = 0
    requests: int = 0
    cached_tokens: int = 0
    estimated_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        """The sum of both."""
        counts = self.model_dump()
        return Usage(**{name: count + getattr(other, name) for name, count in counts.items()})

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


@dataclass(slots=True, unsafe_hash=True)  # Frozen ones take four times as long to make: a page has 5,000.
class Element:
    """One node of the UI tree. `index` is its place in document order, `parent` its parent's or -1."""

    index: Final[int]
    parent: Final[int]
    class_name: Final[str]
    bounds: Final[Bounds]
    text: Final[str] = ""
    description: Final[str] = ""
    resource_id: Final[str] = ""
    package: Final[str] = ""
    hint: Final[str] = ""
    clickable: Final[bool] = False
    long_clickable: Final[bool] = False
    scrollable: Final[bool] = False
    checkable: Final[bool] = False
    checked: Final[bool] = False
    enabled: Final[bool] = True
    focused: Final[bool] = False
    password: Final[bool] = False
    selected: Final[bool] = False

    @property
    def label(self) -> str:
        """What a person would call the element, from its own attributes alone."""
        return self.text or self.description or _id_words(self.resource_id)

    @property
    def editable(self) -> bool:
        """Whether text can be typed here."""
        return self.class_name.endswith("EditText")

    def target(self) -> Target:
        """The form in which a performed action remembers the element."""
        return Target(
            resource_id=self.resource_id,
            class_name=self.class_name,
            text=self.text,
            description=self.description,
            bounds=self.bounds,
        )


PICTURE_TEXT = "picture.Text"
"""The class of an element that was read from the screenshot: nobody knows what reacts there."""
PICTURE_BUTTON = "picture.Button"
"""The class of the one that is about to be tapped."""


@dataclass(frozen=True, slots=True)
class ForegroundApp:
    """The window that has focus. A system window (keyguard, notification shade) has no activity."""

    package: str = ""
    activity: str = ""
    label: str = ""

    @property
    def name(self) -> str:
        """The label where it is known, else the package."""
        return self.label or self.package

    @property
    def title(self) -> str:
        """What a person calls the app: the label where it is known, else what the package says."""
        return self.label or app_name(self.package)


@dataclass(frozen=True, slots=True)
class Observation:
    """The phone's screen at one moment.

    `width` and `height` are the device's pixels in its current rotation; `screenshot` is a PNG or JPEG of
    that size, or empty when none could be taken. `secure` marks a screen that forbids screenshots: the
    picture is black, the elements still hold. `settled` is false when the screen still moved at the cap.
    `picture_texts` were read from the screenshot where the elements tell too little, numbered behind them.
    `windows` are where the phone says that windows lie which share the screen, None if it does not say. For
    one such window alone, `screen` is where the whole screen lies in its pixels.
    """

    width: int
    height: int
    screenshot: bytes = field(repr=False)
    elements: tuple[Element, ...] = field(repr=False)
    app: ForegroundApp = ForegroundApp()
    rotation: int = 0
    keyboard_shown: bool = False
    secure: bool = False
    settled: bool = True
    picture_texts: tuple[Element, ...] = field(default=(), repr=False)
    windows: tuple[Bounds, ...] | None = None
    screen: Bounds | None = None

    @property
    def shows_nothing(self) -> bool:
        """Whether neither the picture nor the elements say what is on the screen."""
        return self.secure and not any(e.text or e.description or e.hint for e in self.elements)

    @property
    def with_picture_texts(self) -> Observation:
        """The screen with what was read from its picture among its elements."""
        whole = (*self.elements, *self.picture_texts)
        return replace(self, elements=whole, picture_texts=()) if self.picture_texts else self

    def pixels(self, point: Point) -> tuple[int, int]:
        """The device pixel for a point, clamped to the screen."""
        left, top, right, bottom = self.screen or (0, 0, self.width, self.height)
        x, y = left + round(point.x * (right - left)), top + round(point.y * (bottom - top))
        return min(self.width - 1, max(0, x)), min(self.height - 1, max(0, y))

    def point(self, x: float, y: float) -> Point:
        """The point for a device pixel, clamped to 0..1."""
        left, top, right, bottom = self.screen or (0, 0, self.width, self.height)
        x, y = (x - left) / (right - left), (y - top) / (bottom - top)
        return Point(min(1.0, max(0.0, x)), min(1.0, max(0.0, y)))

    def descendants(self, element: Element) -> Iterator[Element]:
        """All elements below one, in document order."""
        inside = {element.index}
        for other in self.elements[element.index + 1 :]:
            if other.parent in inside:
                inside.add(other.index)
                yield other

    def label_of(self, element: Element) -> str:
        """The element's own label, else the words of what it contains: a row is called by its texts."""
        if element.text or element.description:
            return element.text or element.description
        words = [child.text or child.description for child in self.descendants(element)]
        return " · ".join(word for word in words if word) or element.label

    def element_at(self, point: Point, accepts: Callable[[Element], bool] | None = None) -> Element | None:
        """The smallest, then topmost element under a point: clickable ones first, or what `accepts` takes.

        Text that was read there from the picture comes before what has no words.
        """
        x, y = self.pixels(point)
        read = [element for element in self.picture_texts if element.bounds.contains(x, y)]
        under = read or [element for element in self.elements if element.bounds.contains(x, y)]
        reacting = [element for element in under if element.clickable or element.editable] or under
        under = list(filter(accepts, under)) if accepts is not None else reacting
        return min(under, key=lambda element: (element.bounds.area, -element.index), default=None)

    def target_at(self, point: Point) -> Target | None:
        """The target that an action at a point would hit, labelled as a person sees it."""
        element = self.element_at(point)
        return self.target_of(element) if element is not None else None

    def target_of(self, element: Element) -> Target:
        """An element as the target of an action, labelled as a person sees it."""
        target = element.target()
        if target.text or target.description:
            return target
        return target.model_copy(update={"text": self.label_of(element)})

    def focused_field(self) -> Element | None:
        """The field that typed text would go to."""
        return next((e for e in self.elements if e.focused and e.editable), None)


def once_per_screen(answer: Callable[[Observation], T]) -> Callable[[Observation], T]:
    """The same function, which keeps its answers for the latest screens: a page may have 5,000 elements."""
    latest: deque[tuple[Observation, T]] = deque(maxlen=12)  # A few steps, or a trace that is learnt from.

    @wraps(answer)
    def answer_once(observation: Observation) -> T:
        kept = next((each for each in tuple(latest) if each[0] is observation), None)
        if kept is None:
            kept = observation, answer(observation)
            latest.appendleft(kept)
        return kept[1]

    return answer_once


def in_words(cost: Cost) -> str:
    """`$0.004`, `¥12.30`, `0.25 CHF`: see `money`."""
    return money(cost.amount, cost.currency)

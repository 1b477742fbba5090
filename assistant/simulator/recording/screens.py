"""A recording: the screens that somebody saw on a phone, and what led from one to the next.

A recorded phone can show nothing that was not recorded. So an input either is the one that was recorded on
this screen, and the next recorded screen comes, or nothing happens. The same input means: the same kind of
gesture on the same element, or within 5 % of the screen, a swipe of the same direction, the
same key, the same text apart from case and white space, the same app.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from assistant.records import Bounds, Direction, Element, Observation, Point

NEAR = 0.05
"""How far beside a recorded point a touch may be, whatever it hits, as a share of each side."""

_LARGE = 0.5
"""The share of the screen from which an element does not tell what was meant."""


class InputKind(StrEnum):
    """What reaches the phone."""

    TAP = "tap"
    HOLD = "hold"
    SWIPE = "swipe"
    KEY = "key"
    TEXT = "text"
    START = "start"
    WAIT = "wait"


@dataclass(frozen=True, slots=True)
class RecordedInput:
    """One input. `point` is in 0..1 of the screen, `direction` that of the content.

    `text` is what was typed, or the package that was started.
    """

    kind: InputKind
    point: Point | None = None
    direction: Direction | None = None
    key: int = 0
    text: str = ""

    def __str__(self) -> str:
        """The input in a few words, for a log."""
        where = f" {self.point.x:.3f},{self.point.y:.3f}" if self.point else ""
        what = self.text or self.direction or (self.key if self.kind is InputKind.KEY else "")
        return f"{self.kind}{where} {what}".rstrip()


@dataclass(frozen=True, slots=True)
class RecordedMove:
    """A recorded input and the number of the screen that came of it."""

    input: RecordedInput
    target: int


@dataclass(frozen=True, slots=True)
class RecordedScreen:
    """One screen. `tree` is uiautomator's XML, empty where none was recorded; `picture` a file or nothing.

    `width` and `height` are the device's pixels. Screens with the same `key` are one place of the app: what
    was recorded on one of them is known for all.
    """

    name: str
    key: str
    width: int
    height: int
    package: str
    activity: str
    tree: bytes = field(repr=False)
    elements: tuple[Element, ...] = field(repr=False)
    picture: Path | None = None
    moves: tuple[RecordedMove, ...] = ()

    def element_bounds(self, point: Point) -> Bounds | None:
        """The bounds of the element at a point; None for none, or one of half of the screen and more."""
        seen = Observation(self.width, self.height, b"", self.elements)
        element = seen.element_at(point)
        if element is None or element.bounds.area > _LARGE * self.width * self.height:
            return None
        return element.bounds


@dataclass(frozen=True)
class Recording:
    """All screens, the first one first. `labels` are the names of apps by package, where they are known."""

    screens: Sequence[RecordedScreen]
    labels: dict[str, str] = field(default_factory=dict)

    @cached_property
    def _alike(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = defaultdict(list)
        for number, screen in enumerate(self.screens):
            places[screen.key].append(number)
        return places

    @property
    def move_count(self) -> int:
        """How many moves were recorded."""
        return sum(len(screen.moves) for screen in self.screens)

    def next_screen(self, number: int, happened: RecordedInput) -> int | None:
        """The screen that comes of an input on a screen; None where that was not recorded.

        What was recorded on this very screen goes before what was recorded on others like it.
        """
        alike = [number, *(other for other in self._alike[self.screens[number].key] if other != number)]
        for place in alike:
            for move in self.screens[place].moves:
                if self._is_same(self.screens[place], move, happened):
                    return move.target
        return None

    def first_of(self, package: str) -> int | None:
        """The first screen of an app: one that starting it led to, else any."""
        started = (
            move.target
            for screen in self.screens
            for move in screen.moves
            if move.input.kind is InputKind.START and move.input.text == package
        )
        any_screen = (number for number, screen in enumerate(self.screens) if screen.package == package)
        return next(started, next(any_screen, None))

    def follows_by_itself(self, number: int) -> int | None:
        """The screen that came after waiting on this one, where that is all that was recorded on it."""
        moves = self.screens[number].moves
        return moves[0].target if moves and moves[0].input.kind is InputKind.WAIT else None

    @staticmethod
    def _is_same(screen: RecordedScreen, move: RecordedMove, happened: RecordedInput) -> bool:
        recorded = move.input
        if recorded.kind is not happened.kind:
            return False
        match recorded.kind:
            case InputKind.TAP | InputKind.HOLD:
                return _is_same_place(screen, recorded.point, happened.point)
            case InputKind.SWIPE:
                return recorded.direction is happened.direction
            case InputKind.KEY:
                return recorded.key == happened.key
            case InputKind.TEXT:
                return plain_text(recorded.text) == plain_text(happened.text)
            case InputKind.START:
                return recorded.text == happened.text
            case _:
                return True


def _is_same_place(screen: RecordedScreen, recorded: Point | None, point: Point | None) -> bool:
    if recorded is None or point is None:
        return False
    if abs(recorded.x - point.x) <= NEAR and abs(recorded.y - point.y) <= NEAR:
        return True
    touched = screen.element_bounds(recorded)
    return touched is not None and touched == screen.element_bounds(point)


def plain_text(text: str) -> str:
    """A text without regard to case and white space."""
    return "".join(text.split()).casefold()

"""A screen's elements with what tells one from another, and a key of the screen that survives other content.

Nothing here depends on absolute pixels: the features are ids, classes, words and places in the tree.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

from assistant.records import Bounds, Element, ForegroundApp, Observation, Point

MAX_ANCESTORS = 8
"""How many ancestors, from the element upwards, belong to its kind."""

_SIZE_TOLERANCE = 0.1
"""Relative difference in width and height up to which the touched place inside the target is kept."""

SAME_STRUCTURE = 0.6
"""Share of structural parts from which two screens of one page are alike: a list's rows come and go with
optional parts of theirs, a dialog or another page brings and takes most of them."""

Kind = tuple[str, str, tuple[str, ...]]
"""Resource id, class, and the ids (else classes) of the ancestors, the nearest first."""

Label = tuple[str, str]
"""An element's own text and description, without spaces around and between words."""


class ScreenTree:
    """The elements of one screen, with the features by which a target is found again.

    Args:
        elements: in document order, each with its index and its parent's.
        size: the screen's width and height in pixels; by default the largest root's.
    """

    def __init__(self, elements: Sequence[Element], size: tuple[int, int] | None = None) -> None:
        self.elements = tuple(elements)
        self.children: list[list[int]] = [[] for _element in self.elements]
        self._ends = list(range(1, len(self.elements) + 1))
        roots = [element for element in self.elements if element.parent < 0]
        for element in self.elements:
            if element.parent >= 0:
                self.children[element.parent].append(element.index)
        for element in reversed(self.elements):
            if element.parent >= 0:
                self._ends[element.parent] = max(self._ends[element.parent], self._ends[element.index])
        self.width, self.height = size or (
            max((root.bounds.right for root in roots), default=0) or 1,
            max((root.bounds.bottom for root in roots), default=0) or 1,
        )

    def pixels(self, point: Point) -> tuple[float, float]:
        """The place of a point in pixels, inside of the screen."""
        x, y = point.x * self.width, point.y * self.height
        return min(x, self.width - 1), min(y, self.height - 1)

    def descendants(self, index: int) -> range:
        """The indexes of everything below an element."""
        return range(index + 1, self._ends[index])

    def ancestors(self, index: int) -> list[int]:
        """The indexes of what an element lies in, the nearest first."""
        line = []
        while (index := self.elements[index].parent) >= 0:
            line.append(index)
        return line

    def is_within(self, index: int, other: int) -> bool:
        """Whether an element is another one or lies below it."""
        return other <= index < self._ends[other]

    def is_visible(self, element: Element) -> bool:
        """Whether any of an element lies on the screen."""
        left, top, right, bottom = element.bounds
        return max(left, 0) < min(right, self.width) and max(top, 0) < min(bottom, self.height)

    def kind(self, index: int, depth: int = MAX_ANCESTORS) -> Kind:
        """What an element is, apart from its words and its place among its like."""
        element = self.elements[index]
        names: list[str] = []
        while len(names) < depth and (index := self.elements[index].parent) >= 0:
            names.append(self.elements[index].resource_id or self.elements[index].class_name)
        return element.resource_id, element.class_name, tuple(names)

    @cached_property
    def by_kind(self) -> dict[Kind, list[int]]:
        """The visible elements of each kind, in document order."""
        kinds: dict[Kind, list[int]] = {}
        for element in self.elements:
            if self.is_visible(element):
                kinds.setdefault(self.kind(element.index), []).append(element.index)
        return kinds

    def label(self, index: int) -> Label:
        """An element's own words. What is typed into a field is none of them; its hint is."""
        element = self.elements[index]
        text = element.hint if element.editable or element.password else element.text
        return " ".join(text.split()), " ".join(element.description.split())

    def content(self, index: int) -> tuple[Label, ...]:
        """The words of an element and of everything in it, in document order."""
        places, labels = self._worded
        return labels[bisect_left(places, index) : bisect_left(places, self._ends[index])]

    @cached_property
    def text(self) -> str:
        """All that the screen says, a line each, in lower case."""
        words = (word for element in self.elements for word in self.label(element.index))
        return "\n".join(word for word in words if word).casefold()

    def says_the_same(self, other: ScreenTree) -> bool:
        """Whether another screen shows just what this one shows: a scroll goes as far as the content does."""
        return bool(self.elements) and self.content(0) == other.content(0)

    def title(self, index: int) -> str:
        """The first words of an element and of what it holds; empty where it has none."""
        return next((word for label in self.content(index) for word in label if word), "")

    def alternatives(self, index: int) -> dict[str, int]:
        """The elements that can be chosen in the place of one, itself among them, by their titles.

        They are of its kind, in the same parent where it holds several, and react as it does. Empty where it
        is the only one, or their titles do not tell them apart.
        """
        element = self.elements[index]
        kind = self.kind(index)
        beside = self.children[element.parent] if element.parent >= 0 else []
        like = [other for other in beside if self.kind(other) == kind]
        like = [
            other
            for other in (like if len(like) > 1 else self.by_kind.get(kind, []))
            if self.elements[other].clickable == element.clickable and self.is_visible(self.elements[other])
        ]
        titles = {title: other for other in like if (title := self.title(other))}
        return titles if len(titles) == len(like) > 1 else {}

    def is_on(self, element: Element) -> bool:
        """Whether an element, or the mark in a row, is checked or selected."""
        inside = (self.elements[index] for index in (element.index, *self.descendants(element.index)))
        return any(part.checked or part.selected for part in inside)

    @cached_property
    def _worded(self) -> tuple[list[int], tuple[Label, ...]]:
        """The elements with words of their own, in document order, and these words."""
        places = [element.index for element in self.elements if any(self.label(element.index))]
        return places, tuple(self.label(index) for index in places)

    def shape(self, index: int) -> tuple[tuple[str, str], ...]:
        """The ids and classes of an element and of everything in it, in document order."""
        return self._shapes[index : self._ends[index]]

    @cached_property
    def _shapes(self) -> tuple[tuple[str, str], ...]:
        return tuple((element.resource_id, element.class_name) for element in self.elements)

    def beside(self, index: int) -> tuple[Label, ...]:
        """The words of the smallest container that has words besides an element's own, without these."""
        for container in self.ancestors(index):
            words = tuple(
                self.label(other)
                for other in range(container, self._ends[container])
                if not self.is_within(other, index) and any(self.label(other))
            )
            if words:
                return words
        return ()

    def container(self, index: int) -> Element | None:
        """The smallest container that has words besides an element's own."""
        own = len(self.content(index))
        return next(
            (self.elements[other] for other in self.ancestors(index) if len(self.content(other)) > own),
            None,
        )

    def touched(self, point: Point) -> Element | None:
        """The element that a tap at a point means: of those that react, the one drawn last.

        Where none reacts, the smallest one with words, else the smallest.
        """
        x, y = self.pixels(point)
        under = [element for element in self.elements if element.bounds.contains(x, y)]
        reacting = [element for element in under if is_tappable(element)]
        if reacting:
            return reacting[-1]
        worded = [element for element in under if any(self.label(element.index))]
        return min(worded or under, key=lambda e: (e.bounds.area, -e.index), default=None)

    def drawn_over(self, index: int, point: tuple[float, float]) -> list[Element]:
        """What is drawn after an element at a pixel and is no part of it."""
        return [element for element in self.elements[self._ends[index] :] if element.bounds.contains(*point)]

    @cached_property
    def structure(self) -> frozenset[str]:
        """The parts that make up the page: kinds with three ancestors, however often each occurs."""
        return frozenset(
            "/".join((identifier or name.rpartition(".")[2], *line))
            for index in range(len(self.elements))
            for identifier, name, line in (self.kind(index, 3),)
        )


def is_tappable(element: Element) -> bool:
    """Whether an element does something when it is touched."""
    return element.clickable or element.editable or element.long_clickable or element.checkable


@dataclass(frozen=True, slots=True)
class ScreenKey:
    """A page of an app, whatever its content, the size of its letters and the phone's language.

    The loop guard's fingerprint is exact: it tells whether anything changed. This key tells where one is.
    """

    package: str
    activity: str
    structure: frozenset[str]

    @property
    def digest(self) -> str:
        """The key as 16 letters: equal for screens of one page whose structure is exactly the same."""
        parts = (self.package, self.activity, *sorted(self.structure))
        return blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()

    def is_like(self, other: ScreenKey) -> bool:
        """Whether two screens are the same page: app and page equal, most of the structure in common."""
        if (self.package, self.activity) != (other.package, other.activity):
            return False
        return overlap(self.structure, other.structure) >= SAME_STRUCTURE


def screen_key(tree: ScreenTree, app: ForegroundApp) -> ScreenKey:
    """The key of a screen. Without ids the classes of the tree stand for them."""
    named = frozenset(element.resource_id for element in tree.elements if element.resource_id)
    return ScreenKey(app.package, app.activity, named if len(named) > 3 else tree.structure)


def tree_of(observation: Observation) -> ScreenTree:
    """The features of a screen."""
    return ScreenTree(observation.with_picture_texts.elements, (observation.width, observation.height))


def key_of(observation: Observation) -> ScreenKey:
    """The stable key of a screen."""
    return screen_key(tree_of(observation), observation.app)


def overlap(left: frozenset[str], right: frozenset[str]) -> float:
    """The Jaccard similarity of two sets; 1 for two empty ones."""
    return len(left & right) / len(left | right) if left or right else 1.0


def words_besides(text: str, values: Iterable[str]) -> Counter[str]:
    """The words of a text without numbers and without those of some values."""
    value_words = {word for value in values for word in value.casefold().split()}
    return Counter(word for word in re.findall(r"[^\W\d_]+", text) if word not in value_words)


def multiset_overlap(left: Counter[str], right: Counter[str]) -> float:
    """The Jaccard similarity of two bags of words; 0 where both are empty."""
    return (left & right).total() / total if (total := (left | right).total()) else 0.0


def free_point(
    recorded: ScreenTree, target: Element, point: Point, now: ScreenTree, element: Element
) -> Point | None:
    """Where to tap the element: at the recorded place inside it, else in its middle.

    Elements that were drawn over the target when it was recorded let taps through; so do, where no other
    place is left, those that do not react and have not moved since. None where others are drawn over it.

    Args:
        recorded: the screen on which the target was tapped.
        target: the element there.
        point: where it was tapped.
        now: the screen now.
        element: what the target is there.
    """
    overlays = {_overlay(other) for other in recorded.drawn_over(target.index, recorded.pixels(point))}
    present = frozenset(_standing(recorded, other) for other in recorded.elements)
    places = {(recorded.kind(other.index), other.bounds) for other in recorded.elements}
    free, below = [], []
    for place in _places(recorded, target, point, now, element):
        if not (0 <= place[0] < now.width and 0 <= place[1] < now.height):
            continue
        over = [other for other in now.drawn_over(element.index, place) if _overlay(other) not in overlays]
        # A bar at its recorded place is not a new dialog, even if its text changed.
        if any(
            _standing(now, other) not in present and (now.kind(other.index), other.bounds) not in places
            for other in over
        ):
            return None
        touched = now.touched(Point(place[0] / now.width, place[1] / now.height))
        if is_tappable(target) and (touched is None or touched.index != element.index):
            continue
        if not over:
            free.append(place)
        elif is_tappable(target) and all((now.kind(other.index), other.bounds) in places for other in over):
            below.append(place)
    if not free and not below:
        return None
    x, y = (free or below)[0]
    return Point(x / now.width, y / now.height)


def _places(
    recorded: ScreenTree, target: Element, point: Point, now: ScreenTree, element: Element
) -> Sequence[tuple[float, float]]:
    """Pixels inside the element, the likeliest first."""
    old, new = target.bounds, element.bounds
    inside = []
    if _similar_size(old.width, new.width) and _similar_size(old.height, new.height):
        x, y = recorded.pixels(point)
        inside.append(
            (
                new.left + (x - old.left) * new.width / old.width,
                new.top + (y - old.top) * new.height / old.height,
            )
        )
    shown = Bounds(max(new.left, 0), max(new.top, 0), min(new.right, now.width), min(new.bottom, now.height))
    inside += [
        (shown.left + shown.width * across, shown.top + shown.height * down)
        for down in (0.5, 0.25, 0.75)
        for across in (0.5, 0.25, 0.75)
    ]
    return inside


def _similar_size(size: int, other_size: int) -> bool:
    return bool(size) and abs(size - other_size) <= _SIZE_TOLERANCE * size


def _overlay(element: Element) -> tuple[str, str]:
    return element.resource_id, element.class_name


def _standing(tree: ScreenTree, element: Element) -> tuple[Kind, Label, int, int]:
    """Identifies an element, so that a bar which was there before is not taken for a new dialog."""
    bounds = element.bounds
    return tree.kind(element.index), tree.label(element.index), bounds.width, bounds.height

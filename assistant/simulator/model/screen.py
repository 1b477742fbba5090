"""The screen as the request describes it: a list of elements with their places on the picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assistant.records import Point
from assistant.simulator.model.words import any_closeness

Wanted = Callable[["Item"], bool]


@dataclass(frozen=True, slots=True)
class Item:
    """One line of the element list.

    An element without words is labelled with its resource id (`search button`), a row with the words of its
    parts, joined by `·`. `place` counts the lines, `point` is the middle of the visible part.
    """

    place: int
    kind: str
    label: str
    point: Point
    hint: str = ""
    flags: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """What to call it in words."""
        return self.label or self.hint or self.kind

    @property
    def parts(self) -> list[str]:
        """The words of a row's parts."""
        return [part.strip() for part in self.label.split("·")]

    @property
    def tappable(self) -> bool:
        """Whether a tap does something."""
        return bool(self.flags & {"clickable", "editable", "checked", "unchecked"}) and self.enabled

    @property
    def enabled(self) -> bool:
        """Whether it can be used."""
        return "disabled" not in self.flags

    @property
    def on(self) -> bool:
        """Whether it is ticked, switched on or selected."""
        return bool(self.flags & {"checked", "selected"})


@dataclass(frozen=True, slots=True)
class Screen:
    """All elements, in document order, with the app in front and whether the keyboard is up."""

    items: tuple[Item, ...] = ()
    app: str = ""
    package: str = ""
    keyboard: bool = False

    def find(self, *labels: str, least: int = 1, where: Wanted = lambda item: True) -> Item | None:
        """The element that fits one of the labels best; tappable ones win among equals, then the first."""
        items = self.all(*labels, least=least, where=where)
        return items[0] if items else None

    def all(self, *labels: str, least: int = 1, where: Wanted = lambda item: True) -> list[Item]:
        """All fitting elements, the best first."""
        rated = []
        for item in self.items:
            fit = any_closeness(labels, item.label) if labels else 4
            if fit >= least and where(item):
                rated.append(((-fit, not item.tappable, item.place), item))
        return [item for _, item in sorted(rated, key=lambda pair: pair[0])]

    @property
    def fields(self) -> list[Item]:
        """The text fields, from top to bottom."""
        return [item for item in self.items if item.kind == "field"]

    def beside(self, item: Item, where: Wanted = lambda item: True, within: float = 0.035) -> list[Item]:
        """Other elements at the same height, from left to right."""
        row = [
            other
            for other in self.items
            if other is not item and abs(other.point.y - item.point.y) <= within and where(other)
        ]
        return sorted(row, key=lambda other: other.point.x)

    @property
    def text(self) -> str:
        """All labels, one a line."""
        return "\n".join(item.label for item in self.items if item.label)

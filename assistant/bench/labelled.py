"""Things to press with the kind that a person gives them, and how well a way of guessing meets it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from assistant.events import ActionKind
from assistant.observations import Element, Observation
from assistant.records import Click, Point

SIZE = (1080, 2400)

Guess = Callable[[Click, Observation], ActionKind | None]


@dataclass(frozen=True, slots=True)
class Labelled:
    """One thing to press on a page, and the kind that a person gives it; None is harmless."""

    seen: Observation
    element: Element
    kind: ActionKind | None

    @property
    def tap(self) -> Click:
        """A tap that hits it, beside what can be pressed inside it."""
        return Click(point=_free_point(self.seen, self.element))

    @property
    def without_ids(self) -> Labelled:
        """The same target in an app that hides its ids, as many released apps do."""
        elements = tuple(replace(element, resource_id="") for element in self.seen.elements)
        return Labelled(replace(self.seen, elements=elements), elements[self.element.index], self.kind)


@dataclass(frozen=True, slots=True)
class Score:
    """How a way of guessing did. A wrong kind counts as found: the user is asked all the same."""

    found: int
    missed: tuple[Labelled, ...]
    false: tuple[Labelled, ...]
    wrong_kind: int

    @property
    def recall(self) -> float:
        """The share of sensitive targets that was found."""
        return self.found / max(1, self.found + len(self.missed))

    @property
    def precision(self) -> float:
        """The share of what was called sensitive that is."""
        return self.found / max(1, self.found + len(self.false))


def score(targets: Sequence[Labelled], guess: Guess) -> Score:
    """Let a way of guessing judge all targets."""
    guessed = [(target, guess(target.tap, target.seen)) for target in targets]
    return Score(
        found=sum(target.kind is not None and kind is not None for target, kind in guessed),
        missed=tuple(target for target, kind in guessed if target.kind is not None and kind is None),
        false=tuple(target for target, kind in guessed if target.kind is None and kind is not None),
        wrong_kind=sum(
            None not in (target.kind, kind) and target.kind is not kind for target, kind in guessed
        ),
    )


def _free_point(seen: Observation, element: Element) -> Point:
    """A point of an element that no smaller thing to press covers, the middle if there is none."""
    left, top, right, bottom = element.bounds
    inner = [
        e.bounds
        for e in seen.elements
        if e.index != element.index and e.clickable and e.bounds.area < element.bounds.area
    ]
    for share in (0.5, 0.25, 0.1, 0.75, 0.9):
        x, y = left + (right - left) * share, (top + bottom) / 2
        if not any(bounds.contains(round(x), round(y)) for bounds in inner):
            return seen.point(x, y)
    return seen.point(*element.bounds.centre)

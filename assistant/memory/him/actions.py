"""When two steps are the same, and how far apart they are otherwise (PersonalAlign 5.2, FingerTip 4).

The step success rule: equal types; a click within 14 % of the screen or on the same element; a scroll in the
same direction; typed text that is similar.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot
from typing import NamedTuple

from rapidfuzz.distance import Indel

from assistant.records import (
    Action,
    AskUser,
    Click,
    Failed,
    LongClick,
    OpenApp,
    Scroll,
    Swipe,
    TakeOver,
    TypeText,
)

NEAR = 0.14
"""The most that two clicks on the same place may be apart, in screens (AITW's rule)."""
SIMILAR_TEXT = 0.8
"""The least similarity of two texts that count as the same, 0..1."""


class Step(NamedTuple):
    """What comparing needs of an action. `element` names the element hit, empty when that is not known."""

    type: str
    x: float = 0.0
    y: float = 0.0
    text: str = ""
    element: str = ""


def step_of(action: Action) -> Step:
    """The comparable part of an action."""
    match action:
        case Click(point=point, content=content) | LongClick(point=point, content=content):
            target = action.target
            element = f"{target.resource_id} {target.label}".strip() if target else content.strip()
            return Step(action.type, point.x, point.y, "", element.casefold())
        case TypeText(text=text) | OpenApp(name=text) | AskUser(question=text):
            return Step(action.type, text=" ".join(text.casefold().split()))
        case Scroll(direction=direction):
            return Step(action.type, text=direction)
        case Swipe(start=start, end=end):
            return Step(action.type, end.x - start.x, end.y - start.y)
        case Failed() | TakeOver():
            return Step(action.type)
        case _:
            return Step(action.type)


def path_of(actions: Sequence[Action]) -> tuple[Step, ...]:
    """The steps of a record that say what was done: waiting and finishing are left out."""
    return tuple(step_of(action) for action in actions if action.type not in ("wait", "finished"))


def distance(left: Step, right: Step) -> float:
    """0 for the same step, 1 for steps of different types, between for the same type with other arguments."""
    if left == right:
        return 0.0
    if left.type != right.type:
        return 1.0
    match left.type:
        case "click" | "long_click":
            if left.element and left.element == right.element:
                return 0.0
            apart = hypot(left.x - right.x, left.y - right.y)
            return 0.0 if apart <= NEAR else min(1.0, 0.4 + apart)
        case "type" | "open_app" | "ask_user":
            alike = text_similarity(left.text, right.text)
            return 0.0 if alike >= SIMILAR_TEXT else 1.0 - alike
        case "swipe":
            return 0.0 if left.x * right.x + left.y * right.y > 0 else 0.5
        case _:
            return 0.5 if left.text != right.text else 0.0


def text_similarity(left: str, right: str) -> float:
    """How much two short texts have in common, 0..1, by longest common subsequence."""
    return Indel.normalized_similarity(left, right)

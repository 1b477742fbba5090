"""Which element an action hits."""

from __future__ import annotations

from assistant.execute.belonging import belonging
from assistant.observations import Observation
from assistant.records import Action, Click, LongClick, Point, PressEnter, Target, TypeText


def with_target(action: Action, seen: Observation) -> Action:
    """The action with the element that it hits on this screen."""
    match action:
        case Click(point=point) | LongClick(point=point):
            return action.model_copy(update={"target": target_of(point, seen)})
        case TypeText() | PressEnter():
            focused = seen.focused_field()
            return action.model_copy(update={"target": focused.target() if focused else None})
        case _:
            return action


def target_of(point: Point, seen: Observation) -> Target | None:
    """The target that a touch hits, with what it belongs to where its name says too little."""
    element, target = seen.element_at(point), seen.target_at(point)
    if element is None or target is None:
        return None
    around = belonging(seen, element, target)
    return target.model_copy(update={"around": around}) if around else target

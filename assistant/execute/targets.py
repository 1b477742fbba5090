"""Which element an action hits."""

from __future__ import annotations

from assistant.observations import Observation
from assistant.records import Action, Click, LongClick, PressEnter, TypeText


def with_target(action: Action, seen: Observation) -> Action:
    """The action with the element that it hits on this screen."""
    match action:
        case Click(point=point) | LongClick(point=point):
            return action.model_copy(update={"target": seen.target_at(point)})
        case TypeText() | PressEnter():
            focused = seen.focused_field()
            return action.model_copy(update={"target": focused.target() if focused else None})
        case _:
            return action

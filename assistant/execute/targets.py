"""Finds the element that an action targets."""

from __future__ import annotations

from assistant.agent.screen_elements import find_heading
from assistant.records import Action, Click, LongClick, Observation, Point, PressEnter, Target, TypeText


def with_target(action: Action, observation: Observation) -> Action:
    """The action with the element that it targets on this screen."""
    match action:
        case Click(point=point) | LongClick(point=point):
            return action.model_copy(update={"target": find_target(point, observation)})
        case TypeText() | PressEnter():
            focused = observation.focused_field()
            return action.model_copy(update={"target": focused.target() if focused else None})
        case _:
            return action


def find_target(point: Point, observation: Observation) -> Target | None:
    """The target at a point; with the heading around it if its own name is too vague."""
    element, target = observation.element_at(point), observation.target_at(point)
    if element is None or target is None:
        return None
    around = find_heading(observation, element, target)
    return target.model_copy(update={"around": around}) if around else target

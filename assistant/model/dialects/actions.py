"""Actions as a name and plain arguments: what all dialects share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from assistant.model.dialects.base import MalformedReply, sound
from assistant.records import ACTION, Action

REQUIRED_TEXT = {"type": "text", "open_app": "name", "ask_user": "question"}
"""The text argument without which an action means nothing."""

_TEXT = {
    **REQUIRED_TEXT,
    "click": "content",
    "long_click": "content",
    "finished": "answer",
    "failed": "reason",
    "take_over": "reason",
}
_POINTS = {"click": ("point",), "long_click": ("point",), "scroll": ("point",), "swipe": ("start", "end")}
_BARE = ("press_back", "press_home", "press_recent", "press_enter", "wait")

NAMES = frozenset({*_TEXT, *_POINTS, *_BARE})
"""The names of all actions."""


def text_argument(name: str) -> str:
    """The name of the action's text argument; empty where it has none."""
    return _TEXT.get(name, "")


def point_arguments(name: str) -> tuple[str, ...]:
    """The names of the action's points."""
    return _POINTS.get(name, ())


def build(name: str, arguments: Mapping[str, Any]) -> Action:
    """An action from its name, its points and its texts.

    Raises:
        MalformedReply: an unknown name, an unknown or missing argument, or an empty text that is required.
    """
    if name not in NAMES:
        raise MalformedReply(f"There is no action {name[:40]!r}.")
    known = {*point_arguments(name), text_argument(name), *(("direction",) if name == "scroll" else ())}
    for key, value in arguments.items():
        if key not in known:
            raise MalformedReply(f"{name} has no argument {key[:40]!r}.")
        if isinstance(value, str):
            sound(value, key, required=REQUIRED_TEXT.get(name) == key)
    given = {key: value.strip().lower() if key == "direction" else value for key, value in arguments.items()}
    try:
        return ACTION.validate_python({"type": name, **given})
    except ValidationError as error:
        raise MalformedReply(f"{name} cannot be used: {_problem(error)}") from error


def arguments_of(action: Action) -> dict[str, Any]:
    """The inverse of `build`: an action's points and texts in the order in which they are written."""
    fields = action.model_dump(exclude={"type", "target"})
    points = {key: getattr(action, key) for key in point_arguments(action.type)}
    return {key: points.get(key, fields[key]) for key in fields}


def _problem(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    place = next((str(part) for part in reversed(first["loc"]) if isinstance(part, str)), "argument")
    return f"{place} is missing." if first["type"] == "missing" else f"{place}: {first['msg']}."

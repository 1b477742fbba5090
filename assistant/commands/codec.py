"""What FingerTip's folders need of other rooms: its dialect for actions, the phone's reader for UI trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assistant.i18n import _
from assistant.model.dialects.base import MalformedReply, ModelReply
from assistant.model.dialects.fingertip import FingerTip
from assistant.model.dialects.spoken import quote
from assistant.model.types import SentImage
from assistant.phone.ui_tree import UnreadableTree, parse_tree
from assistant.records import Action, Element

_NAMES = ("action", "action_type", "type", "name")
_INNER = ("arguments", "parameters", "params", "args")
_LAST = {"terminate": "finished"}
_ANY = 1 << 20


class FingerTipCodec:
    """Reads and writes actions and trees for `memory.transfer`."""

    def __init__(self) -> None:
        self._dialect = FingerTip()

    def read_action(self, written: str | Mapping[str, Any], width: int, height: int) -> Action:
        """An action from `click(coordinates=(336,1267), content='')`, whole or in parts.

        Parts are an object with the action's name under `action`, `action_type`, `type` or `name`, and beside
        it, or in an object of their own, its arguments; the name may also be the whole string.

        Raises:
            ValueError: it cannot be read, or has coordinates where no screen is known.
        """
        text = written if isinstance(written, str) else _in_one(written)
        name, bracket, rest = text.strip().partition("(")
        text = _LAST.get(name, name) + (bracket + rest or "()")
        try:
            action = self._dialect.parse(ModelReply(text), SentImage(width or _ANY, height or _ANY))
        except MalformedReply as error:
            raise ValueError(str(error)) from error
        if not width and {"point", "start"} & set(type(action).model_fields):
            raise ValueError(_("it has coordinates, but there is no screenshot that tells of what screen"))
        return action

    def write_action(self, action: Action, width: int, height: int) -> str:
        """The action's string."""
        return self._dialect.write(action, SentImage(width, height)).text

    def read_tree(self, xml: bytes) -> Sequence[Element]:
        """The elements of a tree.

        Raises:
            ValueError: it is no tree.
        """
        try:
            return parse_tree(xml).elements
        except UnreadableTree as error:
            raise ValueError(str(error)) from error


def _in_one(parts: Mapping[str, Any]) -> str:
    """An action's parts as its string."""
    name = next((parts[key] for key in _NAMES if isinstance(parts.get(key), str)), "")
    if "(" in name:
        return name
    inner = next((parts[key] for key in _INNER if isinstance(parts.get(key), dict)), parts)
    arguments = (
        f"{key}={_argument(value)}"
        for key, value in inner.items()
        if value is not None and (inner is not parts or key not in _NAMES)
    )
    return f"{name}({', '.join(arguments)})"


def _argument(value: Any) -> str:
    match value:
        case [int() | float() as x, int() | float() as y] | {
            "x": int() | float() as x,
            "y": int() | float() as y,
        }:
            return f"({x},{y})"
        case str() if value.startswith("(") and value.endswith(")") and value.count(",") == 1:
            return value
        case _:
            return quote(str(value))

"""Calls written as JSON: by the endpoint's functions, or by the model in its text."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import Any

from assistant.model.dialects.base import Call, MalformedReply, Reply, ToolCall
from assistant.model.dialects.json_text import alone

_NAMES = ("name", "action", "function", "type")
_HOLDERS = ("arguments", "parameters", "params")


def read_calls(reply: Reply, wanted: Callable[[dict[str, Any]], bool] | None = None) -> list[Call]:
    """The functions that were called, or where there are none the calls in the text.

    `wanted` tells the objects of the text that are meant as calls; usually those that name an action.

    Raises:
        MalformedReply: JSON that is broken, or names no action.
    """
    if reply.calls:
        return [called(call) for call in reply.calls]
    return [call_of(value) for value in alone(reply.text, wanted or names_action)]


def names_action(value: dict[str, Any]) -> bool:
    """Whether an object looks like a call."""
    return any(isinstance(value.get(key), str | dict) for key in _NAMES)


def called(call: ToolCall) -> Call:
    """The call of a function; endpoints that add a prefix or a number to its name are taken.

    Raises:
        MalformedReply: arguments that are no JSON object.
    """
    name = call.name.strip().removeprefix("functions.").partition(":")[0]
    return Call(name, arguments_in(call.arguments, name))


def call_of(value: dict[str, Any]) -> Call:
    """The call that a JSON object stands for: nested in `function`, with `arguments`, or flat.

    Raises:
        MalformedReply: no name, or arguments that are no JSON object.
    """
    inner = value.get("function", value.get("action"))
    if isinstance(inner, dict):
        return _named(inner, "name", "action", "type")
    if any(key in value for key in _HOLDERS):
        return _named(value, "name", "action", "function", "type")
    return _named(value, "action", "type", "function", "name")


def unwrapped(call: Call, holders: Collection[str], key: str) -> Call:
    """The action inside a call of one of the `holders`, a function that takes the action's name as `key`.

    Raises:
        MalformedReply: the holder was called without a name.
    """
    if call.name not in holders:
        return call
    name = call.arguments.get(key)
    if not isinstance(name, str):
        raise MalformedReply(f"{call.name} needs {key}: the name of an action.")
    return Call(name, {other: one for other, one in call.arguments.items() if other != key})


def arguments_in(values: Any, name: str) -> dict[str, Any]:
    """Arguments as an object or as its JSON text; nothing, which some endpoints send for none, is none.

    Raises:
        MalformedReply: broken JSON, or no object.
    """
    if isinstance(values, str):
        try:
            values = json.loads(values, strict=False) if values.strip() else {}
        except (ValueError, RecursionError) as error:
            raise MalformedReply(f"The arguments of {name[:40]} are not valid JSON.") from error
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise MalformedReply(f"The arguments of {name[:40]} are not a JSON object.")
    return {key: value for key, value in values.items() if value is not None}


def _named(value: dict[str, Any], *keys: str) -> Call:
    key = next((key for key in keys if isinstance(value.get(key), str)), None)
    if key is None:
        raise MalformedReply("The JSON in the reply names no action.")
    name: str = value[key]
    holder = next((holder for holder in _HOLDERS if holder in value), None)
    if holder:
        return Call(name, arguments_in(value[holder], name))
    return Call(name, {other: one for other, one in value.items() if other != key and one is not None})

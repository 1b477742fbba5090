"""Finds calls in a model's reply: functions of the endpoint, JSON in prose, and calls in tags.

JSON counts only on lines of its own, so that prose about an action is never taken for the action. Seed's
models write calls in tags, `<function=click><parameter=point>…</parameter></function>`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from typing import Any

from assistant.model.dialects.base import Call, MalformedReply, ModelReply, ToolCall

_OPENING = re.compile(r"\{(?=\s*[\"'}])|\[(?=\s*\{)")
_BRACE = re.compile(r"[{\[`<]")
_LABEL = r"(?i:action|answer|output|call) ?[:：]"
_TAG = r"<(?:tool_call|answer|action)>|<\|\w{1,30}\|>"
_BEFORE = re.compile(rf"[ \t]{{0,40}}(?:[-*>`]{{1,3}}|`{{3}}\w{{1,12}}|{_TAG}|{_LABEL}|\[)?[ \t]{{0,40}}")
_AFTER = re.compile(r"[ \t]*(?:`+|[\]}.。;；,，]|</?[\w|]+>|<\|[^|\n]*\|>|\[EOS\])*[ \t]*(?=\n|$)")
_DECODER = json.JSONDecoder(strict=False)


def first_brace(text: str, start: int = 0) -> int:
    """Where the first brace, bracket, fence or tag stands behind `start`; the text's length without one."""
    match = _BRACE.search(text, start)
    return match.start() if match else len(text)


def find_objects(text: str, is_call: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    """The wanted JSON objects that stand on lines of their own, in order.

    Raises:
        MalformedReply: something that opens like JSON and is none; what lies inside is never read.
    """
    objects: list[dict[str, Any]] = []
    place = 0
    while opening := _OPENING.search(text, place):
        start = opening.start()
        try:
            value, place = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError) as error:
            raise MalformedReply("The JSON in the reply is broken or cut off.") from error
        line = text.rfind("\n", 0, start) + 1
        if _BEFORE.fullmatch(text, line, start) and _AFTER.match(text, place):
            values = value if isinstance(value, list) else [value]
            objects.extend(item for item in values if isinstance(item, dict) and is_call(item))
    return objects


_NAMES = ("name", "action", "function", "type")
_HOLDERS = ("arguments", "parameters", "params")


def read_calls(reply: ModelReply, wanted: Callable[[dict[str, Any]], bool] | None = None) -> list[Call]:
    """The functions that were called, or where there are none the calls in the text.

    `wanted` tells the objects of the text that are meant as calls; usually those that name an action.

    Raises:
        MalformedReply: JSON that is broken, or names no action.
    """
    if reply.calls:
        return [call_of_function(call) for call in reply.calls]
    return [call_of_object(value) for value in find_objects(reply.text, wanted or names_action)]


def names_action(value: dict[str, Any]) -> bool:
    """Whether an object looks like a call."""
    return any(isinstance(value.get(key), str | dict) for key in _NAMES)


def call_of_function(call: ToolCall) -> Call:
    """The call of a function; endpoints that add a prefix or a number to its name are taken.

    Raises:
        MalformedReply: arguments that are no JSON object.
    """
    name = call.name.strip().removeprefix("functions.").partition(":")[0]
    return Call(name, parse_arguments(call.arguments, name))


def call_of_object(value: dict[str, Any]) -> Call:
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


def unwrap_call(call: Call, holders: Collection[str], key: str) -> Call:
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


def parse_arguments(values: Any, name: str) -> dict[str, Any]:
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
        return Call(name, parse_arguments(value[holder], name))
    return Call(name, {other: one for other, one in value.items() if other != key and one is not None})


def end_before_line(opening: re.Pattern[str], text: str, start: int, undecided: int) -> int:
    """How many leading characters stand before the first line that `opening` matches.

    The first `start` are known to. A last line of at most `undecided` characters may still become one.
    """
    line = text.rfind("\n", 0, start) + 1
    while not opening.match(text, line):
        newline = text.find("\n", max(line, start))
        if newline < 0:
            return line if len(text) - line <= undecided else len(text)
        line = newline + 1
    return line


OPENING = "<function="
"""What every such call begins with."""

_FUNCTION = re.compile(r"<function=([\w.-]{1,40})>(.*?)</function>", re.DOTALL)
_PARAMETER = re.compile(r"\s*<parameter=(\w{1,40})>(.*?)</parameter>\s*", re.DOTALL)


def tagged_calls(text: str) -> list[Call]:
    """All calls in tags.

    Raises:
        MalformedReply: a call that is not closed, or that holds anything but parameters.
    """
    function_calls = []
    place = text.find(OPENING)
    while place >= 0:
        function = _FUNCTION.match(text, place)
        if not function:
            raise MalformedReply("The call in tags is broken or cut off.")
        function_calls.append(Call(function[1], _parameters(function[2])))
        place = text.find(OPENING, function.end())
    return function_calls


def _parameters(body: str) -> dict[str, str]:
    parameters = {}
    place = 0
    while place < len(body.rstrip()):
        parameter = _PARAMETER.match(body, place)
        if not parameter:
            raise MalformedReply("Between the tags of a call only parameters may stand.")
        parameters[parameter[1]] = parameter[2]
        place = parameter.end()
    return parameters

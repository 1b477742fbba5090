"""JSON objects in a model's prose: only those that stand on lines of their own are meant as actions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from assistant.model.dialects.base import MalformedReply

_OPENING = re.compile(r"\{(?=\s*[\"'}])|\[(?=\s*\{)")
_BRACE = re.compile(r"[{\[`<]")
_LABEL = r"(?i:action|answer|output|call) ?[:：]"
_TAG = r"<(?:tool_call|answer|action)>|<\|\w{1,30}\|>"
_BEFORE = re.compile(rf"[ \t]{{0,40}}(?:[-*>`]{{1,3}}|`{{3}}\w{{1,12}}|{_TAG}|{_LABEL}|\[)?[ \t]{{0,40}}")
_AFTER = re.compile(r"[ \t]*(?:`+|[\]}.。;；,，]|</?[\w|]+>|<\|[^|\n]*\|>|\[EOS\])*[ \t]*(?=\n|$)")
_DECODER = json.JSONDecoder(strict=False)


def first_brace(text: str, start: int = 0) -> int:
    """Where the first brace, bracket, fence or tag stands behind `start`; the text's length without one."""
    found = _BRACE.search(text, start)
    return found.start() if found else len(text)


def alone(text: str, wanted: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    """The wanted JSON objects that stand on lines of their own, in order.

    Raises:
        MalformedReply: something that opens like JSON and is none; what lies inside is never read.
    """
    found: list[dict[str, Any]] = []
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
            found.extend(one for one in values if isinstance(one, dict) and wanted(one))
    return found

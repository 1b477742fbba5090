"""Finding targets again on screens of anybody, line by line: `assistant skills match --file F --json`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from assistant.i18n import _
from assistant.phone.ui_tree import UnreadableTree, parse_tree
from assistant.records import Point
from assistant.skills.matcher import TargetRefused, find_again
from assistant.skills.screen_tree import ScreenTree

_DIGITS = 6
"""Decimals of a point that is printed: finer than a pixel of any screen."""


class RecordedTap(BaseModel):
    """One line: the XML of the recorded screen, where it was tapped (0..1), and the XML of the screen now."""

    model_config = ConfigDict(frozen=True)

    recorded: str
    point: Point
    now: str


def match_lines(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """For each line a `point`, or `refused` with a reason; `error` says what is wrong with a line."""
    for line in lines:
        if line.strip():
            yield _match(line)


def _match(line: str) -> dict[str, Any]:
    try:
        tap = RecordedTap.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or _("the line")
        return {"error": _("{place}: {reason}").format(place=place, reason=first["msg"])}
    try:
        recorded, now = _tree(tap.recorded), _tree(tap.now)
    except UnreadableTree as error:
        return {"error": str(error)}
    try:
        x, y = find_again(recorded, tap.point, now).point
    except TargetRefused as refusal:
        return {"refused": str(refusal)}
    return {"point": [round(x, _DIGITS), round(y, _DIGITS)]}


@lru_cache(maxsize=64)
def _tree(xml: str) -> ScreenTree:
    return ScreenTree(parse_tree(xml.encode("utf-8", "replace")).elements)

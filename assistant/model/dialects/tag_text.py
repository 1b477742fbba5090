"""Calls in tags, `<function=click><parameter=point>…</parameter></function>`: what Seed's models write."""

from __future__ import annotations

import re

from assistant.model.dialects.base import Call, MalformedReply

OPENING = "<function="
"""What every such call begins with."""

_FUNCTION = re.compile(r"<function=([\w.-]{1,40})>(.*?)</function>", re.DOTALL)
_PARAMETER = re.compile(r"\s*<parameter=(\w{1,40})>(.*?)</parameter>\s*", re.DOTALL)


def calls(text: str) -> list[Call]:
    """All calls in tags.

    Raises:
        MalformedReply: a call that is not closed, or that holds anything but parameters.
    """
    found = []
    place = text.find(OPENING)
    while place >= 0:
        function = _FUNCTION.match(text, place)
        if not function:
            raise MalformedReply("The call in tags is broken or cut off.")
        found.append(Call(function[1], _parameters(function[2])))
        place = text.find(OPENING, function.end())
    return found


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

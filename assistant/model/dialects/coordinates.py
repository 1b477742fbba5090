"""Coordinates in all the ways in which models write them: lists, boxes, quoted, tagged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from assistant.model.dialects.base import MalformedReply

_TAG = re.compile(r"<[^<>]{0,40}>")
_NUMBER = r"[-+]?\d{1,9}(?:\.\d{1,12})?"
_NUMBERS = re.compile(rf"[\s\[\]()（）]*(?:{_NUMBER}(?:[\s,，;\[\]()（）]+|\Z))+", re.ASCII)
_EACH = re.compile(_NUMBER, re.ASCII)


def pair(value: Any, key: str) -> tuple[float, float]:
    """The one place that a value means, in the order of writing; a box means its centre.

    Four numbers are two corners, eight the four corners of a box in turn; of two, three, six or seven the
    first two count, of five the first four.

    Raises:
        MalformedReply: letters, no numbers, or a single one.
    """
    numbers = list(_numbers(value, key, depth=0))
    match numbers:
        case [a, b, _, _, c, d, _, _] | [a, b, c, d] | [a, b, c, d, _]:
            return (a + c) / 2, (b + d) / 2
        case [a, b] | [a, b, _] | [a, b, _, _, _, _] | [a, b, _, _, _, _, _]:
            return a, b
        case [] | [_]:
            raise MalformedReply(f"{key[:40]} needs two numbers, such as [120, 480].")
        case _:
            raise MalformedReply(f"{key[:40]} has {len(numbers)} numbers. Give one point.")


def _numbers(value: Any, key: str, depth: int) -> Iterator[float]:
    if isinstance(value, bool) or depth > 3:
        raise MalformedReply(f"{key[:40]} is not a pair of numbers.")
    match value:
        case int() | float():
            if not abs(value) < 1e9:
                raise MalformedReply(f"{key[:40]} is not a pair of numbers.")
            yield value
        case str():
            yield from _in_text(value, key)
        case list() | tuple():
            if len(value) > 16:
                raise MalformedReply(f"{key[:40]} has too many numbers. Give one point.")
            for one in value:
                yield from _numbers(one, key, depth + 1)
        case {"x": x, "y": y, **rest} if not rest:
            yield from _numbers([x, y], key, depth + 1)
        case _:
            raise MalformedReply(f"{key[:40]} is not a pair of numbers.")


def _in_text(text: str, key: str) -> list[float]:
    """The numbers of a text such as `<|box_start|>(197,525)<|box_end|>` or `<point>200 300</point>`."""
    bare = _TAG.sub(" ", text[:200]).strip()
    if not bare.strip("[]()（） ,"):
        return []
    if not _NUMBERS.fullmatch(bare):
        raise MalformedReply(f"{key[:40]} holds {text[:40]!r}. Give real numbers, such as [120, 480].")
    return [float(number) for number in _EACH.findall(bare)]

"""Lines of a file of unknown origin, read with bounded memory, and the records written in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, BinaryIO

from pydantic import ValidationError

from assistant.i18n import _
from assistant.records import Record

LONGEST = 1_000_000
"""The most bytes of a line; a record of a hundred steps has some thirty thousand."""

_SKIPPED = 1 << 16
_EARLIEST, _LATEST = datetime(1970, 1, 2, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
_LONGEST_ID = 200
_SHOWN_PROBLEMS = 3
_SHOWN_LETTERS = 200


class Unreadable(ValueError):
    """What was read is no record; the message says why, in printable characters."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line, counted from 1, and the bytes up to its end. `text` is None where it is too long."""

    number: int
    end: int
    text: bytes | None


def read_lines(stream: BinaryIO, longest: int = LONGEST) -> Iterator[Line]:
    """The lines of a stream. Of one that is too long no more than a portion is ever in memory."""
    number = end = 0
    while text := stream.readline(longest + 1):
        number += 1
        end += len(text)
        whole = text.endswith(b"\n") or len(text) <= longest
        rest = text
        while not rest.endswith(b"\n") and (rest := stream.readline(_SKIPPED)):
            end += len(rest)
        yield Line(number, end, text if whole else None)


def read_record(text: bytes | None) -> Record:
    """The record of one line.

    Raises:
        Unreadable: it is too long, not JSON, or no record.
    """
    if text is None:
        raise Unreadable(_("the line is longer than {most:,} bytes").format(most=LONGEST))
    try:
        record = Record.model_validate_json(text.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r\n"))
    except ValidationError as error:
        raise Unreadable(in_words(error)) from error
    if b"\\u0000" in text and "\\u0000" in record.model_dump_json().replace("\\\\", ""):
        raise Unreadable(_("it holds a null character"))
    check(record)
    return record


def check(record: Record) -> None:
    """Refuse a record that is well-formed but cannot be meant.

    Raises:
        Unreadable: its time lies outside 1970 to 2199, or an id is very long.
    """
    try:
        possible = _EARLIEST <= record.time < _LATEST
    except OverflowError:
        possible = False
    if not possible:
        raise Unreadable(_("time: lies outside 1970 to 2199"))
    for name in ("id", "user_id"):
        if len(getattr(record, name)) > _LONGEST_ID:
            raise Unreadable(
                _("{name}: is longer than {most} characters").format(name=name, most=_LONGEST_ID)
            )


def in_words(error: ValidationError) -> str:
    """What is wrong with a record, in one line that quotes nothing of it."""
    problems = error.errors(include_url=False, include_input=False)
    told = "; ".join(_problem(problem) for problem in problems[:_SHOWN_PROBLEMS])
    more = len(problems) - _SHOWN_PROBLEMS
    told += _("; and {count} more").format(count=more) if more > 0 else ""
    return "".join(letter if letter.isprintable() else " " for letter in told)[:_SHOWN_LETTERS]


def _problem(problem: Any) -> str:
    place = ".".join(str(part) for part in problem["loc"])
    match problem["type"]:
        case "json_invalid":
            return _("not JSON: {reason}").format(
                reason=problem["ctx"]["error"].replace("line 1 column", "column")
            )
        case "missing":
            return _("{place}: is missing").format(place=place)
        case "union_tag_invalid":
            return _("{place}: there is no such action").format(place=place)
        case _:
            message = problem["msg"][:1].lower() + problem["msg"][1:]
            return f"{place}: {message}" if place else message

"""Import of records from JSON lines, with bounded memory, from a source that is not trusted.

Each portion is one transaction; all portions together are one change that can be undone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, BinaryIO, Protocol

from pydantic import ValidationError
from sqlalchemy import select

from assistant.i18n import _
from assistant.memory import schema
from assistant.memory.database import portions
from assistant.memory.store import Store
from assistant.memory.store import read_record as read_stored
from assistant.records import Action, Record

LONGEST = 1_000_000
"""Maximum number of bytes of a line; a record of a hundred steps has about 30,000."""

_SKIPPED = 1 << 16
_EARLIEST, _LATEST = datetime(1970, 1, 2, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
_LONGEST_ID = 200
_SHOWN_PROBLEMS = 3
_SHOWN_LETTERS = 200


_NUMBER_AS_TIME = re.compile(rb'"time"\s*:\s*"?\s*[-+.\d]+(?:[eE][-+]?\d+)?\s*["\s,}]')
_ASSUMED_SCREEN = (1080, 2400)
"""Width and height in pixels of the screen of action strings, in a line that does not say its `screen`."""


class ActionReader(Protocol):
    """Reads actions as other programs write them."""

    def read_action(self, written: str | Mapping[str, Any], width: int, height: int) -> Action:
        """An action from its string or object; coordinates are pixels of a screen of this size.

        Raises:
            ValueError: it cannot be read; the message says why.
        """


class UnreadableRecord(ValueError):
    """The input is not a record; the message says why, in printable characters."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line with its number from 1 and the offset of its end in bytes. `text` is None if it is too long."""

    number: int
    end: int
    text: bytes | None


def read_lines(stream: BinaryIO, longest: int = LONGEST) -> Iterator[Line]:
    """The lines of a stream; a line that is too long is skipped in portions, never held in memory."""
    number = end = 0
    while text := stream.readline(longest + 1):
        number += 1
        end += len(text)
        is_complete = text.endswith(b"\n") or len(text) <= longest
        rest = text
        while not rest.endswith(b"\n") and (rest := stream.readline(_SKIPPED)):
            end += len(rest)
        yield Line(number, end, text if is_complete else None)


def read_record(text: bytes | None, reader: ActionReader | None = None) -> Record:
    """Parse the record of one line.

    Args:
        text: the line; None for one that is too long.
        reader: reads actions that are written as strings.

    Raises:
        UnreadableRecord: the line is too long, not JSON, or not a record.
    """
    if text is None:
        raise UnreadableRecord(_("the line is longer than {most:,} bytes").format(most=LONGEST))
    line = text.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r\n")
    if _NUMBER_AS_TIME.search(line) and _has_number_as_time(line):
        raise UnreadableRecord(_("time: is a number; write it such as 2026-03-09T12:05:00+08:00"))
    try:
        record = Record.model_validate_json(line)
    except ValidationError as error:
        try:
            record = Record.model_validate_json(_rename_actions(line, reader))
        except ValidationError:
            raise UnreadableRecord(describe_errors(error)) from error
    if b"\\u0000" in text and "\\u0000" in record.model_dump_json().replace("\\\\", ""):
        raise UnreadableRecord(_("it holds a null character"))
    check_plausible(record)
    return record


def _has_number_as_time(line: bytes) -> bool:
    """Whether a line gives its time as seconds, of which nothing says the zone or the unit."""
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return False
    time = content.get("time") if isinstance(content, dict) else None
    return isinstance(time, int | float) or (isinstance(time, str) and not re.search(r"\d[-:T]", time))


def _rename_actions(line: bytes, reader: ActionReader | None) -> bytes:
    """A record line with our names of actions.

    Other programs write “long_press”, and name the app to open under `text`; FingerTip writes strings. Other
    lines stay unchanged.

    Raises:
        UnreadableRecord: a string is no action.
    """
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return line
    actions = content.get("actions") if isinstance(content, dict) else None
    if not isinstance(actions, list):
        return line
    for number, action in enumerate(actions):
        if isinstance(action, str) and reader is not None:
            actions[number] = _read_string(action, number, content.get("screen"), reader)
        if not isinstance(action, dict):
            continue
        if action.get("type") == "long_press":
            action["type"] = "long_click"
        if action.get("type") == "open_app" and "name" not in action and "text" in action:
            action["name"] = action.pop("text")
    return json.dumps(content).encode()


def _read_string(written: str, number: int, screen: Any, reader: ActionReader) -> dict[str, Any]:
    match screen:
        case [int(width), int(height)] if 0 < width < 100_000 and 0 < height < 100_000:
            size = (width, height)
        case None:
            size = _ASSUMED_SCREEN
        case _:
            raise UnreadableRecord(_("screen: is not [width, height]"))
    try:
        return reader.read_action(written, *size).model_dump(mode="json", exclude_none=True)
    except ValueError as error:
        raise UnreadableRecord(f"actions.{number}: {error}") from error


def check_plausible(record: Record) -> None:
    """Raise for a record that is well-formed but implausible.

    Raises:
        UnreadableRecord: its time is outside 1970 to 2199, or an id is very long.
    """
    try:
        possible = _EARLIEST <= record.time < _LATEST
    except OverflowError:
        possible = False
    if not possible:
        raise UnreadableRecord(_("time: lies outside 1970 to 2199"))
    for name in ("id", "user_id"):
        if len(getattr(record, name)) > _LONGEST_ID:
            raise UnreadableRecord(
                _("{name}: is longer than {most} characters").format(name=name, most=_LONGEST_ID)
            )


def describe_errors(error: ValidationError) -> str:
    """The validation errors of a record in one line, without its content."""
    problems = error.errors(include_url=False, include_input=False)
    message = "; ".join(_problem(problem) for problem in problems[:_SHOWN_PROBLEMS])
    more = len(problems) - _SHOWN_PROBLEMS
    message += _("; and {count} more").format(count=more) if more > 0 else ""
    return "".join(letter if letter.isprintable() else " " for letter in message)[:_SHOWN_LETTERS]


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


LINES_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """A line, or an episode's folder, by number from 1, that could not be imported, and why."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """The progress of an import; everything counted here is stored.

    `done` is the position in the source: bytes of a file, or episodes of a folder.
    """

    imported: int = 0
    duplicates: int = 0
    refused: int = 0
    done: int = 0


Tell = Callable[[ImportProgress], None]
"""Called after each transaction."""

Refuse = Callable[[RefusedLine], None]
"""Called for each line that cannot be imported."""


def import_lines(
    store: Store,
    stream: BinaryIO,
    name: str,
    tell: Tell,
    refuse: Refuse,
    reader: ActionReader | None = None,
) -> ImportProgress:
    """Import record lines. Existing records stay unchanged; empty lines are skipped.

    A line whose id has a record with other content is refused.

    Args:
        store: the memory.
        stream: the lines, one JSON object each.
        name: the name of the source, for the audit.
        tell: called with the progress after each portion.
        refuse: called for each line that is not a record, or is not the record of its id.
        reader: reads actions that are written as strings.

    Raises:
        StoreError: the memory cannot be written; portions that were reported stay stored.
    """
    progress, change_id = ImportProgress(), None
    for portion in portions(read_lines(stream), LINES_AT_ONCE):
        refused: list[RefusedLine] = []
        records = _same_or_new(store, _read(portion, refused, reader), refused)
        imported = 0
        if records:
            with store.change(f"Import records from {name}", "asked by the user", change_id) as change:
                imported = change.insert_missing(schema.records, (record.as_row() for record in records))
            change_id = change.id
        for refusal in refused:
            refuse(refusal)
        progress = ImportProgress(
            progress.imported + imported,
            progress.duplicates + len(records) - imported,
            progress.refused + len(refused),
            portion[-1].end,
        )
        tell(progress)
    return progress


def _same_or_new(
    store: Store, numbered: Iterable[tuple[int, Record]], refused: list[RefusedLine]
) -> list[Record]:
    """The records without those that would be another content of a known id, which are refused."""
    given = list(numbered)
    query = select(schema.records).where(schema.records.c.id.in_({record.id for _line, record in given}))
    with store.reader() as connection:
        stored = {row["id"]: read_stored(row) for row in connection.execute(query).mappings()}
    kept = []
    for line, record in given:
        if stored.setdefault(record.id, record) == record:
            kept.append(record)
        else:
            reason = _("the memory has {id} with other content, which stays as it is").format(id=record.id)
            refused.append(RefusedLine(line, reason))
    refused.sort(key=lambda refusal: refusal.line)
    return kept


def _read(
    lines: list[Line], refused: list[RefusedLine], reader: ActionReader | None
) -> Iterator[tuple[int, Record]]:
    for line in lines:
        if line.text is None or line.text.strip():
            try:
                yield line.number, read_record(line.text, reader)
            except UnreadableRecord as error:
                refused.append(RefusedLine(line.number, str(error)))

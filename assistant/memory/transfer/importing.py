"""Taking records in, a portion in each transaction, all of them one change that can be undone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from assistant.memory.records import add_records
from assistant.memory.rows import portions
from assistant.memory.store import Store
from assistant.memory.transfer.jsonl import Line, Unreadable, read_lines, read_record
from assistant.records import Record

LINES_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Refused:
    """A line, or an episode's folder counted from 1, that could not be taken in, and why."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Imported:
    """How an import stands: what is counted here is stored for good.

    `done` tells how far it is in its source: bytes of a file, or episodes of a folder.
    """

    imported: int = 0
    known: int = 0
    refused: int = 0
    done: int = 0


Tell = Callable[[Imported], None]
"""Is called after each transaction."""

Refuse = Callable[[Refused], None]
"""Is called for each line that cannot be taken in."""


def import_lines(store: Store, stream: BinaryIO, name: str, tell: Tell, refuse: Refuse) -> Imported:
    """Import record lines. Records that are known already stay as they are; empty lines do not count.

    Args:
        store: where they go.
        stream: the lines, one JSON object each.
        name: of the source, for the audit.
        tell: is told of each portion.
        refuse: is told of each line that is no record.

    Raises:
        StoreError: the memory cannot be written; what was told as imported stays.
    """
    at, change_id = Imported(), None
    for portion in portions(read_lines(stream), LINES_AT_ONCE):
        refused: list[Refused] = []
        records = list(_read(portion, refused))
        imported = 0
        if records:
            with store.change(f"Import records from {name}", "asked by the user", change_id) as change:
                imported = add_records(change, records)
            change_id = change.id
        for one in refused:
            refuse(one)
        at = Imported(
            at.imported + imported,
            at.known + len(records) - imported,
            at.refused + len(refused),
            portion[-1].end,
        )
        tell(at)
    return at


def _read(lines: list[Line], refused: list[Refused]) -> Iterator[Record]:
    for line in lines:
        if line.text is None or line.text.strip():
            try:
                yield read_record(line.text)
            except Unreadable as error:
                refused.append(Refused(line.number, str(error)))

"""Steps and notes of a turn. Recent ones can change; older ones are compressed, and decompressed on access.

A step with the model's thought takes a kilobyte or more; compressed in a group, about a tenth of that. So a
turn of thousands of steps stays small in memory, and every step can still be shown.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from assistant.records import Source

LIVE_MOST = 256
"""The most entries that are kept uncompressed and can change."""

PACKED_TOGETHER = 64

_PACKED_THOUGHT = 2000
"""Characters kept of a thought when it is compressed: its end, because the end is what is shown."""


class StepStatus(StrEnum):
    """Progress of a step; while it is in progress, what it does or waits for.

    `RUNNING` while the model thinks or the phone acts, `WAITING` while it waits for the user.
    """

    LOOKING = "looking"
    RUNNING = "running"
    WAITING = "waiting"
    PAUSED = "paused"
    NO_PHONE = "no phone"
    NO_MODEL = "no model"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    BEFORE = "before"


UNDER_WAY = frozenset(
    (
        StepStatus.LOOKING,
        StepStatus.RUNNING,
        StepStatus.WAITING,
        StepStatus.PAUSED,
        StepStatus.NO_PHONE,
        StepStatus.NO_MODEL,
    )
)
"""The statuses of a step in progress."""


@dataclass(slots=True, eq=False)
class Step:
    """One step as the panel shows it. `words` is empty until the action is chosen.

    The `last` step does nothing on the phone: its words are the model's answer, or why it gives up. A step
    that was `allowed` is sensitive, and the user approved it.
    """

    number: int
    words: str = ""
    thought: str = ""
    source: Source | None = None
    seconds: float | None = None
    error: str = ""
    status: StepStatus = StepStatus.RUNNING
    last: bool = False
    allowed: bool = False


@dataclass(slots=True, eq=False)
class Note:
    """A line between steps: a message of the user, an unreadable reply, how the turn ended.

    It `waits` while the turn is paused and has not read the user's message yet.
    """

    sign: str
    text: str
    waits: bool = False


Entry = Step | Note


class Entries:
    """The entries of a turn, oldest first. The first `packed` ones are rebuilt on each access."""

    def __init__(self) -> None:
        self._packs: list[bytes] = []
        self._live: list[Entry] = []
        self._unpacked: tuple[int, list[Entry]] = (-1, [])

    def __len__(self) -> int:
        return self.packed + len(self._live)

    def __getitem__(self, place: int) -> Entry:
        """The entry at an index, 0 for the oldest."""
        if place >= self.packed:
            return self._live[place - self.packed]
        pack, within = divmod(place, PACKED_TOGETHER)
        return self._pack(pack)[within]

    def __iter__(self) -> Iterator[Entry]:
        for pack in range(len(self._packs)):
            yield from self._pack(pack)
        yield from self._live

    @property
    def packed(self) -> int:
        """How many entries are compressed and cannot change."""
        return len(self._packs) * PACKED_TOGETHER

    @property
    def live(self) -> tuple[Entry, ...]:
        """The uncompressed entries, which can change."""
        return tuple(self._live)

    def place(self, entry: Entry) -> int:
        """The index of a live entry."""
        return self.packed + self._live.index(entry)

    def append(self, entry: Entry) -> list[Entry]:
        """Add an entry; returns the entries that were compressed to make room, mostly none."""
        self._live.append(entry)
        if len(self._live) <= LIVE_MOST:
            return []
        old, self._live = self._live[:PACKED_TOGETHER], self._live[PACKED_TOGETHER:]
        text = json.dumps([_entry_as_list(packed_entry) for packed_entry in old], ensure_ascii=False)
        self._packs.append(zlib.compress(text.encode("utf-8", "surrogatepass")))
        return old

    def move_to_end(self, entry: Entry) -> None:
        """Move a live entry behind all others."""
        self._live.remove(entry)
        self._live.append(entry)

    def _pack(self, pack: int) -> list[Entry]:
        if self._unpacked[0] != pack:
            text = zlib.decompress(self._packs[pack]).decode("utf-8", "surrogatepass")
            self._unpacked = (pack, [_parse_entry(values) for values in json.loads(text)])
        return self._unpacked[1]


def _entry_as_list(entry: Entry) -> list[Any]:
    if isinstance(entry, Note):
        return [entry.sign, entry.text]
    thought = entry.thought[-_PACKED_THOUGHT:]
    done = (entry.source, entry.seconds, entry.error, entry.status, entry.last, entry.allowed)
    return [entry.number, entry.words, thought, *done]


def _parse_entry(values: list[Any]) -> Entry:
    if len(values) == 2:
        return Note(*values)
    number, words, thought, source, seconds, error, status, last, allowed = values
    step_source = Source(source) if source is not None else None
    return Step(number, words, thought, step_source, seconds, error, StepStatus(status), last, allowed)

"""Turns as plain text: for copying, and appended to the transcript file."""

from __future__ import annotations

import os
from pathlib import Path

from assistant.history import PastTurns
from assistant.i18n import _
from assistant.presentation.turn_log import TurnLog
from assistant.tui.export import format_transcript
from assistant.tui.turn_lines import format_entry

_WIDTH = 100
_PRIVATE = 0o600


def format_turn(record: TurnLog) -> str:
    """A turn as the panel shows it, as plain text."""
    lines = [f"› {record.said}"]
    if record.instruction and record.instruction != record.said:
        lines.append(_("Task: ") + record.instruction)
    lines += [format_entry(entry, _WIDTH).plain for entry in record.entries]
    return "\n".join(line.rstrip() for text in lines for line in text.split("\n")) + "\n"


def append_turn(past: PastTurns, turn_id: str, file: Path) -> None:
    """Append a finished turn to a file, which is created readable only by the user.

    Raises:
        OSError: the file cannot be written.
        StoreError: the memory cannot be read.
    """
    whole = past.whole(turn_id)
    if whole is None:
        return
    file = file.expanduser()
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, _PRIVATE)
    with os.fdopen(handle, "a", encoding="utf-8", errors="replace") as output:
        output.write(format_transcript(whole) + "\n")

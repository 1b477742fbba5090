"""Turns as plain text: to be copied, and appended to a file of the user's own."""

from __future__ import annotations

import os
from pathlib import Path

from assistant.history.past import PastTurns
from assistant.language import _
from assistant.tui.history_lines import format_transcript
from assistant.tui.step_lines import entry_lines
from assistant.tui.turn_log import TurnLog

_WIDTH = 100
_PRIVATE = 0o600


def turn_text(record: TurnLog) -> str:
    """What the panel shows of a turn, its steps and answer, as plain text."""
    lines = [f"› {record.said}"]
    if record.instruction and record.instruction != record.said:
        lines.append(_("Task: ") + record.instruction)
    lines += [entry_lines(entry, _WIDTH).plain for entry in record.entries]
    return "\n".join(line.rstrip() for text in lines for line in text.split("\n")) + "\n"


def append(past: PastTurns, turn_id: str, file: Path) -> None:
    """Add a turn that is over to a file, which is made for the user alone.

    Raises:
        OSError: the file cannot be written.
        StoreError: the memory cannot be read.
    """
    whole = past.whole(turn_id)
    if whole is None:
        return
    file = file.expanduser()
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, _PRIVATE)
    with os.fdopen(handle, "a", encoding="utf-8", errors="replace") as written:
        written.write(format_transcript(whole) + "\n")

"""Only one program offers suggestions from a store: a lock on a file in it, which ends with the program."""

from __future__ import annotations

from pathlib import Path

from assistant.file_lock import Sole

NAME = "proactive.lock"


class SoleSpeaker(Sole):
    """The right to offer suggestions from a folder; a killed program loses it by itself."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / NAME)

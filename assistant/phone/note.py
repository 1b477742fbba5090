"""Small JSON notes on disk, written so that a crash leaves the old or the new one, never half of it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


class Note:
    """A JSON object in a file; without a path it lives in memory only. A broken file counts as empty."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._kept: dict[str, Any] = {}

    def load(self) -> dict[str, Any]:
        """The object as last saved."""
        if self._path is None:
            return dict(self._kept)
        try:
            values = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return values if isinstance(values, dict) else {}

    def save(self, values: dict[str, Any]) -> None:
        """Replace the object; an empty one removes the file.

        Raises:
            OSError: the file cannot be written.
        """
        self._kept = dict(values)
        if self._path is None:
            return
        if not values:
            self._path.unlink(missing_ok=True)
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._path.with_name(f"{self._path.name}.{os.getpid()}.new")
        fresh.write_text(json.dumps(values, ensure_ascii=False, indent=1), "utf-8")
        fresh.replace(self._path)


class KeyboardNote:
    """Which keyboard the user had on each phone, while another one is in its place."""

    def __init__(self, path: Path | None = None) -> None:
        self._note = Note(path)

    def read(self, serial: str) -> str:
        """The keyboard to put back on a phone; empty when there is none to put back."""
        keyboard = self._note.load().get(serial, "")
        return keyboard if isinstance(keyboard, str) else ""

    def write(self, serial: str, keyboard: str) -> None:
        """Remember the user's keyboard before it is replaced."""
        self._note.save(self._note.load() | {serial: keyboard})

    def clear(self, serial: str) -> None:
        """The user's keyboard is back."""
        self._note.save({key: value for key, value in self._note.load().items() if key != serial})

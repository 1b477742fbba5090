"""Turns of one database: their checkpoints, and what was seen before each step."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from PIL import Image
from sqlalchemy import Connection, delete, select

from assistant.memory import schema
from assistant.memory.changes import Heading, changing
from assistant.memory.database import Database
from assistant.memory.record_store import add_records
from assistant.memory.rows import put
from assistant.memory.turns import Checkpoint
from assistant.observations import Observation
from assistant.records import Outcome, Record

_PICTURE_WIDTH = 540
_PICTURE_QUALITY = 70


class TurnStore:
    """Keeps turns while they run, and makes records of them when they end.

    A turn that goes on is a trace and not a change; the record that it becomes is one.
    """

    def __init__(self, database: Database, screenshots: Path, now: Callable[[], datetime]) -> None:
        self._database = database
        self._screenshots = screenshots
        self._now = now

    def save(self, checkpoint: Checkpoint) -> None:
        """Keep an open turn as it stands now."""
        with self._database.write() as connection:
            _write(connection, checkpoint, is_open=True)

    def observe(self, turn_id: str, step: int, seen: Observation) -> None:
        """Keep what was seen before a step: the elements, and the screenshot made smaller."""
        name = f"{turn_id}-{step:03}.jpg" if seen.screenshot else ""
        if name:
            file = self._screenshots / name
            file.touch(mode=0o600)
            file.write_bytes(_smaller(seen.screenshot))
        row = {
            "turn_id": turn_id,
            "step": step,
            "package": seen.app.package,
            "activity": seen.app.activity,
            "width": seen.width,
            "height": seen.height,
            "secure": seen.secure,
            "screenshot": name,
            "elements": [_without_defaults(asdict(element)) for element in seen.elements],
        }
        with self._database.write() as connection:
            put(connection, schema.observations, row)

    def finish(self, checkpoint: Checkpoint, outcome: Outcome) -> Record:
        """End a turn: it becomes a record, in one transaction."""
        record = checkpoint.record(outcome)
        heading = Heading(f"Keep the record of turn {checkpoint.turn_id}", "the turn ended")
        with changing(self._database, heading, self._now) as change:
            _write(change.connection, checkpoint, is_open=False)
            add_records(change, [record])
        return record

    def newest_open(self, user_id: str) -> Checkpoint | None:
        """The newest turn that a killed program left behind."""
        turns = schema.turns
        query = (
            select(turns.c.checkpoint)
            .where(turns.c.open, turns.c.user_id == user_id)
            .order_by(turns.c.started.desc())
            .limit(1)
        )
        with self._database.read() as connection:
            found = connection.execute(query).scalar_one_or_none()
        return Checkpoint.model_validate(found) if found is not None else None

    def discard(self, turn_id: str) -> None:
        """Close an open turn without a record; its observations and screenshots go."""
        observations = schema.observations
        with self._database.write() as connection:
            query = select(observations.c.screenshot).where(observations.c.turn_id == turn_id)
            names = [name for name in connection.execute(query).scalars() if name]
            connection.execute(delete(schema.turns).where(schema.turns.c.id == turn_id))
        for name in names:
            (self._screenshots / name).unlink(missing_ok=True)

    def commands(self, user_id: str, newest: int = 200) -> list[str]:
        """What the user said in past turns, oldest first, without repeats."""
        turns = schema.turns
        query = (
            select(turns.c.said)
            .where(turns.c.user_id == user_id, turns.c.said != "")
            .order_by(turns.c.started.desc())
            .limit(newest)
        )
        with self._database.read() as connection:
            said = connection.execute(query).scalars().all()
        return list(dict.fromkeys(said))[::-1]


def _write(connection: Connection, checkpoint: Checkpoint, *, is_open: bool) -> None:
    row = {
        "id": checkpoint.turn_id,
        "user_id": checkpoint.user_id,
        "started": checkpoint.started.isoformat(),
        "said": checkpoint.said,
        "open": is_open,
        "checkpoint": checkpoint.model_dump(mode="json", exclude_none=True),
    }
    put(connection, schema.turns, row)


def _without_defaults(element: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in element.items() if value not in ("", False)}


def _smaller(png: bytes) -> bytes:
    with Image.open(io.BytesIO(png)) as picture:
        small = picture.convert("RGB")
    if (times := small.width // _PICTURE_WIDTH) > 1:
        # Ten times as quick as resampling, and this is done for every step.
        small = small.reduce(times)
    small.thumbnail((_PICTURE_WIDTH, _PICTURE_WIDTH * 4))
    out = io.BytesIO()
    small.save(out, "JPEG", quality=_PICTURE_QUALITY)
    return out.getvalue()

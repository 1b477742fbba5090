"""The local database: one SQLite file through SQLAlchemy Core, beside it the screenshots."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from PIL import Image
from sqlalchemy import Connection, Engine, create_engine, delete, event, func, select
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import DatabaseError

from assistant.memory import schema
from assistant.memory.approvals import Approvals
from assistant.memory.spending import Ledger
from assistant.memory.turns import Checkpoint
from assistant.observations import Observation
from assistant.records import Outcome, Record

_PICTURE_WIDTH = 540
_PICTURE_QUALITY = 70


class StoreError(Exception):
    """The memory cannot be used; the message says why and what to do."""


class Store:
    """Records, open turns and their observations of one folder.

    The folder is made for the user alone (0700), the files in it too (0600).

    Raises:
        StoreError: when the folder cannot be written or holds something else than our database.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._screenshots = folder / "screenshots"
        try:
            self._screenshots.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.chmod(0o700)
            file = folder / "memory.sqlite"
            file.touch(mode=0o600)
            self._engine = _open(file)
            with self._engine.begin() as connection:
                schema.migrate(connection)
        except OSError as error:
            raise StoreError(
                f"The memory folder {folder} cannot be written: {error.strerror}. "
                "Choose another with --store."
            ) from error
        except DatabaseError as error:
            raise StoreError(
                f"{folder / 'memory.sqlite'} is not a database that can be read ({error.orig}). "
                "Move it away, or choose another folder with --store."
            ) from error
        except schema.StoreTooNew as error:
            raise StoreError(str(error)) from error
        self.ledger = Ledger(self._engine)
        self.approvals = Approvals(self._engine)

    def close(self) -> None:
        """Let go of the file."""
        self._engine.dispose()

    def save(self, checkpoint: Checkpoint) -> None:
        """Keep an open turn as it stands now."""
        with self._engine.begin() as connection:
            _write_turn(connection, checkpoint, is_open=True)

    def observe(self, turn_id: str, step: int, seen: Observation) -> None:
        """Keep what was seen before a step: the elements, and the screenshot made smaller."""
        name = f"{turn_id}-{step:03}.jpg" if seen.screenshot else ""
        if name:
            file = self._screenshots / name
            file.touch(mode=0o600)
            file.write_bytes(_smaller(seen.screenshot))
        values = {
            "package": seen.app.package,
            "activity": seen.app.activity,
            "width": seen.width,
            "height": seen.height,
            "secure": seen.secure,
            "screenshot": name,
            "elements": [_without_defaults(asdict(element)) for element in seen.elements],
        }
        statement = insert(schema.observations).values(turn_id=turn_id, step=step, **values)
        with self._engine.begin() as connection:
            connection.execute(
                statement.on_conflict_do_update(index_elements=["turn_id", "step"], set_=values)
            )

    def finish(self, checkpoint: Checkpoint, outcome: Outcome) -> Record:
        """End a turn: it becomes a record, in one transaction."""
        record = checkpoint.record(outcome)
        with self._engine.begin() as connection:
            _write_turn(connection, checkpoint, is_open=False)
            _insert_record(connection, record)
        return record

    def open_turn(self, user_id: str) -> Checkpoint | None:
        """The newest turn that a killed program left behind."""
        turns = schema.turns
        query = (
            select(turns.c.checkpoint)
            .where(turns.c.open, turns.c.user_id == user_id)
            .order_by(turns.c.started.desc())
            .limit(1)
        )
        with self._engine.connect() as connection:
            found = connection.execute(query).scalar_one_or_none()
        return Checkpoint.model_validate(found) if found is not None else None

    def discard(self, turn_id: str) -> None:
        """Close an open turn without a record; its observations and screenshots go."""
        with self._engine.begin() as connection:
            shots = connection.execute(
                select(schema.observations.c.screenshot).where(schema.observations.c.turn_id == turn_id)
            ).scalars()
            names = [name for name in shots if name]
            connection.execute(delete(schema.turns).where(schema.turns.c.id == turn_id))
        for name in names:
            (self._screenshots / name).unlink(missing_ok=True)

    def add(self, records: Iterable[Record]) -> int:
        """Add records; one that is there already stays as it is. Returns how many were new."""
        with self._engine.begin() as connection:
            return sum(_insert_record(connection, record) for record in records)

    def records(self, user_id: str | None = None, newest: int | None = None) -> Iterator[Record]:
        """Stored records, oldest first; `newest` keeps only that many of the latest."""
        table = schema.records
        query = select(table).order_by(table.c.time.desc(), table.c.id.desc())
        if user_id is not None:
            query = query.where(table.c.user_id == user_id)
        if newest is not None:
            query = query.limit(newest)
        with self._engine.connect() as connection:
            rows = connection.execute(query).mappings().all()
        for row in reversed(rows):
            yield Record.model_validate(dict(row))

    def record_count(self) -> int:
        """How many records there are."""
        with self._engine.connect() as connection:
            return int(connection.execute(select(func.count()).select_from(schema.records)).scalar_one())

    def commands(self, user_id: str, newest: int = 200) -> list[str]:
        """What the user said in past turns, oldest first, without repeats."""
        turns = schema.turns
        query = (
            select(turns.c.said)
            .where(turns.c.user_id == user_id)
            .order_by(turns.c.started.desc())
            .limit(newest)
        )
        with self._engine.connect() as connection:
            said = connection.execute(query).scalars().all()
        return list(dict.fromkeys(said))[::-1]


def _open(file: Path) -> Engine:
    engine = create_engine(f"sqlite:///{file}")

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _record: object) -> None:
        for pragma in ("journal_mode=WAL", "foreign_keys=ON", "synchronous=NORMAL", "busy_timeout=5000"):
            connection.execute(f"PRAGMA {pragma}")

    return engine


def _write_turn(connection: Connection, checkpoint: Checkpoint, *, is_open: bool) -> None:
    values = {
        "user_id": checkpoint.user_id,
        "started": checkpoint.started.isoformat(),
        "said": checkpoint.said,
        "open": is_open,
        "checkpoint": checkpoint.model_dump(mode="json", exclude_none=True),
    }
    statement = insert(schema.turns).values(id=checkpoint.turn_id, **values)
    connection.execute(statement.on_conflict_do_update(index_elements=["id"], set_=values))


def _insert_record(connection: Connection, record: Record) -> int:
    values = record.model_dump(mode="json", exclude={"actions"})
    values["time"] = record.time.isoformat()
    values["actions"] = [action.model_dump(mode="json", exclude_none=True) for action in record.actions]
    done = connection.execute(insert(schema.records).values(values).on_conflict_do_nothing())
    return done.rowcount


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

"""What left this machine: one line for each request to the model's endpoint, with its words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, func, insert, select

from assistant.memory.changes import Change
from assistant.memory.database import Database
from assistant.memory.schema import sent


@dataclass(frozen=True, slots=True)
class SentLine:
    """One request. `parts` are role and text of each message, and empty in a list of lines."""

    user_id: str
    turn_id: str
    step: int
    time: datetime
    endpoint: str
    model: str
    text_bytes: int
    picture_bytes: int
    parts: tuple[tuple[str, str], ...] = ()
    id: int = 0

    @property
    def size(self) -> int:
        """Bytes of words and picture together."""
        return self.text_bytes + self.picture_bytes


class SentLog:
    """The requests of one database. A line is a trace and no change: it cannot be undone."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, line: SentLine) -> None:
        """Keep a line.

        Raises:
            StoreError: the memory cannot be written.
        """
        values = {
            "user_id": line.user_id,
            "turn_id": line.turn_id,
            "step": line.step,
            "time": line.time.isoformat(),
            "moment": line.time.timestamp(),
            "endpoint": line.endpoint,
            "model": line.model,
            "text_bytes": line.text_bytes,
            "picture_bytes": line.picture_bytes,
            "parts": [list(part) for part in line.parts],
        }
        with self._database.write() as connection:
            connection.execute(insert(sent).values(values))

    def lines(self, user_id: str, newest: int, turn_id: str = "", *, whole: bool = False) -> list[SentLine]:
        """The latest lines, newest first, of one turn or of all; with their texts when `whole`."""
        columns = [one for one in sent.columns if whole or one is not sent.c.parts]
        conditions: list[ColumnElement[bool]] = [sent.c.user_id == user_id]
        if turn_id:
            conditions.append(sent.c.turn_id == turn_id)
        query = select(*columns).where(*conditions).order_by(sent.c.id.desc()).limit(newest)
        with self._database.read() as connection:
            return [_read(row) for row in connection.execute(query).mappings()]

    def line(self, line_id: int) -> SentLine:
        """One line with its texts.

        Raises:
            KeyError: it is not there, or not any more.
        """
        with self._database.read() as connection:
            row = connection.execute(select(sent).where(sent.c.id == line_id)).mappings().one_or_none()
        if row is None:
            raise KeyError(line_id)
        return _read(row)

    def newest(self) -> int:
        """The number of the latest line, 0 for none."""
        with self._database.read() as connection:
            return int(connection.execute(select(func.coalesce(func.max(sent.c.id), 0))).scalar_one())

    def count(self, user_id: str) -> int:
        """How many lines are kept."""
        query = select(func.count()).select_from(sent).where(sent.c.user_id == user_id)
        with self._database.read() as connection:
            return int(connection.execute(query).scalar_one())

    def drop(self, line_ids: Sequence[int]) -> int:
        """Delete some lines for good. Returns how many were there."""
        with self._database.write() as connection:
            return connection.execute(delete(sent).where(sent.c.id.in_(line_ids))).rowcount

    def lines_of_all(self, before: datetime | None = None) -> int:
        """How many lines there are, of all users, older than a moment where one is given."""
        query = select(func.count()).select_from(sent)
        if before is not None:
            query = query.where(sent.c.moment < before.timestamp())
        with self._database.read() as connection:
            return int(connection.execute(query).scalar_one())

    def drop_before(self, moment: datetime) -> int:
        """Delete the lines that are older than a moment. Returns how many went."""
        with self._database.write() as connection:
            return connection.execute(delete(sent).where(sent.c.moment < moment.timestamp())).rowcount


def forget_sent(change: Change, record_ids: Sequence[str]) -> None:
    """Erase what was sent in the turns of some records."""
    query = select(sent.c.id).where(sent.c.turn_id.in_(record_ids))
    rows = [{"id": one} for one in change.connection.execute(query).scalars()]
    change.erase(sent, rows)


def _read(row: Mapping[Any, Any]) -> SentLine:
    return SentLine(
        user_id=row["user_id"],
        turn_id=row["turn_id"],
        step=row["step"],
        time=datetime.fromisoformat(row["time"]),
        endpoint=row["endpoint"],
        model=row["model"],
        text_bytes=row["text_bytes"],
        picture_bytes=row["picture_bytes"],
        parts=tuple((role, text) for role, text in row.get("parts", ())),
        id=row["id"],
    )

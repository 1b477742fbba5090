"""What the user allows always: kinds of sensitive action, each in one app."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from assistant.events import ActionKind
from assistant.memory import schema
from assistant.memory.changes import Heading, changing
from assistant.memory.database import Database


@dataclass(frozen=True, slots=True)
class StandingApproval:
    """One kind of action in one app that needs no asking, and since when."""

    package: str
    kind: ActionKind
    app: str
    time: datetime


class Approvals:
    """The standing approvals of one database."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    def allow(self, user_id: str, approval: StandingApproval) -> None:
        """Allow a kind in an app from now on; again is harmless."""
        values = {
            "user_id": user_id,
            "package": approval.package,
            "kind": approval.kind.value,
            "app": approval.app,
            "time": approval.time.isoformat(),
        }
        what = f"Always allow {approval.kind} in {approval.app or approval.package}"
        with changing(self._database, Heading(what, "asked by the user"), self._now) as change:
            change.insert_missing(schema.approvals, [values])

    def holds(self, user_id: str, package: str, kind: ActionKind) -> bool:
        """Whether a kind is always allowed in an app."""
        return any(one.kind is kind for one in self.of(user_id, package))

    def of(self, user_id: str, package: str | None = None) -> list[StandingApproval]:
        """What a user allows always, by app and kind; in one app only where a package is given."""
        table = schema.approvals
        query = select(table).where(table.c.user_id == user_id).order_by(table.c.package, table.c.kind)
        if package is not None:
            query = query.where(table.c.package == package)
        with self._database.read() as connection:
            rows = connection.execute(query).mappings().all()
        return [
            StandingApproval(
                row["package"], ActionKind(row["kind"]), row["app"], datetime.fromisoformat(row["time"])
            )
            for row in rows
        ]

    def revoke(self, user_id: str, package: str | None = None, kind: ActionKind | None = None) -> int:
        """Ask again from now on: in one app or in all, for one kind or for all. Returns how many ended."""
        table = schema.approvals
        query = select(table).where(table.c.user_id == user_id)
        if package is not None:
            query = query.where(table.c.package == package)
        if kind is not None:
            query = query.where(table.c.kind == kind.value)
        heading = Heading("Take back standing approvals", "asked by the user")
        with changing(self._database, heading, self._now) as change:
            rows = change.connection.execute(query).mappings().all()
            return change.delete_all(table, [dict(row) for row in rows])

"""What the user allows always: kinds of sensitive action, each in one app."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Engine, delete, select
from sqlalchemy.dialects.sqlite import insert

from assistant.events import ActionKind
from assistant.memory import schema


@dataclass(frozen=True, slots=True)
class StandingApproval:
    """One kind of action in one app that needs no asking, and since when."""

    package: str
    kind: ActionKind
    app: str
    time: datetime


class Approvals:
    """The standing approvals of one database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def allow(self, user_id: str, approval: StandingApproval) -> None:
        """Allow a kind in an app from now on; again is harmless."""
        values = {
            "user_id": user_id,
            "package": approval.package,
            "kind": approval.kind.value,
            "app": approval.app,
            "time": approval.time.isoformat(),
        }
        with self._engine.begin() as connection:
            connection.execute(insert(schema.approvals).values(values).on_conflict_do_nothing())

    def holds(self, user_id: str, package: str, kind: ActionKind) -> bool:
        """Whether a kind is always allowed in an app."""
        return any(one.kind is kind for one in self.of(user_id, package))

    def of(self, user_id: str, package: str | None = None) -> list[StandingApproval]:
        """What a user allows always, by app and kind; in one app only where a package is given."""
        table = schema.approvals
        query = select(table).where(table.c.user_id == user_id).order_by(table.c.package, table.c.kind)
        if package is not None:
            query = query.where(table.c.package == package)
        with self._engine.connect() as connection:
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
        statement = delete(table).where(table.c.user_id == user_id)
        if package is not None:
            statement = statement.where(table.c.package == package)
        if kind is not None:
            statement = statement.where(table.c.kind == kind.value)
        with self._engine.begin() as connection:
            return connection.execute(statement).rowcount

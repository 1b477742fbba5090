"""Forgetting: records go for good, with everything made from them and every word that quotes them.

Deleting rows leaves their text in free pages of the file; `free_pages` rewrites it without them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, select
from sqlalchemy.exc import OperationalError

from assistant.memory import derived, schema
from assistant.memory.audit import ChangeHeader, ChangeKind, changing, read_key
from assistant.memory.database import Database, portions
from assistant.memory.store import Store


@dataclass(frozen=True, slots=True)
class ForgetResult:
    """What went. `scrubbed` is false while a program that reads keeps old pages of the file alive."""

    records: int
    observations: int
    screenshots: int
    scrubbed: bool


def everything(store: Store) -> list[str]:
    """The ids of all records, of all turns that are over, and of records that only the audit still knows."""
    rows = schema.change_rows
    audited = select(rows.c.key).where(rows.c.table_name == schema.records.name).distinct()
    with store.reader() as connection:
        ids = dict.fromkeys(connection.execute(select(schema.records.c.id)).scalars())
        ids |= dict.fromkeys(
            connection.execute(select(schema.turns.c.id).where(~schema.turns.c.open)).scalars()
        )
        ids |= dict.fromkeys(read_key(key)["id"] for key in connection.execute(audited).scalars())
    return list(ids)


def forget(store: Store, record_ids: Iterable[str], why: str = "asked by the user") -> ForgetResult:
    """Delete records and turns of some ids for good. Ids that are not there do no harm.

    That of a record which an undo took out clears the audit of it.

    Their observations, screenshots, vectors and prototypes go with them, and their texts in the audit. At the
    end the file is rewritten, so that nothing can be read from its free pages or its log.

    Raises:
        StoreBusy: another program writes for long.
    """
    observations, files = schema.observations, []
    erased = {"records": 0, "observations": 0}
    heading = ChangeHeader("Forget records", why, ChangeKind.FORGET)
    with changing(store.database, heading, store.now) as change:
        for ids in portions(dict.fromkeys(record_ids)):
            query = select(observations.c.turn_id, observations.c.step, observations.c.screenshot)
            observed = (
                change.connection.execute(query.where(observations.c.turn_id.in_(ids))).mappings().all()
            )
            files += [store.screenshots / row["screenshot"] for row in observed if row["screenshot"]]
            derived.forget(change, ids)
            erased["observations"] += change.erase(observations, [{**row} for row in observed])
            change.erase(schema.turns, [{"id": turn_id} for turn_id in ids])
            erased["records"] += change.erase(schema.records, [{"id": record_id} for record_id in ids])
        # Still in the transaction: a kill leaves rows without pictures, never pictures without rows.
        screenshot_count = sum(file.exists() for file in files)
        for file in files:
            file.unlink(missing_ok=True)
    scrubbed = free_pages(store.database)
    return ForgetResult(erased["records"], erased["observations"], screenshot_count, scrubbed)


def free_pages(database: Database) -> bool:
    """Rewrite the database without what was deleted, so that nothing of it can be read from free pages.

    What a server's own log and backups keep is out of reach.

    Returns:
        False when another program reads just now, so that old pages stay until it ends.

    Raises:
        StoreBusy: another program writes.
    """
    with database.connect_plainly() as connection:
        if connection.dialect.name == "sqlite":
            return _free_file(connection, database.wait)
        return _free_tables(connection, database)


def _free_file(connection: Connection, wait: float) -> bool:
    """Rewrite the file of SQLite and empty its write-ahead log, waiting for no reader."""
    connection.exec_driver_sql("VACUUM")
    connection.exec_driver_sql("PRAGMA busy_timeout=100")
    busy, _, _ = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
    connection.exec_driver_sql(f"PRAGMA busy_timeout={round(wait * 1000)}")
    return not busy


def _free_tables(connection: Connection, database: Database) -> bool:
    """Rewrite the tables on a PostgreSQL server."""
    tables = ", ".join(table.name for table in schema.metadata.sorted_tables)
    connection.exec_driver_sql(f"SET lock_timeout = '{round(database.wait * 1000)}ms'")
    try:
        connection.exec_driver_sql(f"VACUUM FULL {tables}")
    except OperationalError as error:
        if not database.is_busy(error):
            raise
        return False
    finally:
        connection.exec_driver_sql("RESET lock_timeout")
    return True

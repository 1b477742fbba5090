"""What a database looks like from outside, to compare two of them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Engine, inspect


def shape(engine: Engine) -> dict[str, Any]:
    """Tables with their columns, keys and indexes. The order of columns does not count."""
    seen = inspect(engine)
    return {
        table: {
            "columns": {
                column["name"]: (str(column["type"]), column["nullable"], column["default"])
                for column in seen.get_columns(table)
            },
            "key": seen.get_pk_constraint(table)["constrained_columns"],
            "counts_up": _counts_up(engine, table),
            "indexes": sorted(
                (index["name"], index["column_names"], index["unique"]) for index in seen.get_indexes(table)
            ),
            "foreign_keys": [
                (key["constrained_columns"], key["referred_table"], key["referred_columns"], key["options"])
                for key in seen.get_foreign_keys(table)
            ],
        }
        for table in seen.get_table_names()
    }


def _counts_up(engine: Engine, table: str) -> bool:
    """Whether SQLite never uses the number of a deleted row again; other databases tell it as a default."""
    if engine.dialect.name != "sqlite":
        return False
    with engine.connect() as connection:
        query = "SELECT sql FROM sqlite_master WHERE name = ?"
        return "AUTOINCREMENT" in connection.exec_driver_sql(query, (table,)).scalar_one()

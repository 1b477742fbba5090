"""A PostgreSQL server of the tests' own, started by Debian's programs where they are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path

import pytest

HOMES = ("/usr/lib/postgresql/*/bin", "/usr/local/pgsql/bin", "/opt/homebrew/opt/postgresql*/bin")


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """Where it listens and keeps its files, and what starts it anew."""

    url: str
    files: Path
    restart: Callable[[], None]
    made: set[str] = field(default_factory=set)

    def database(self, folder: Path) -> str:
        """The URL of a database that belongs to a folder; made at the first call."""
        psycopg = pytest.importorskip("psycopg")
        name = f"t{sha256(str(folder.resolve()).encode()).hexdigest()[:32]}"
        there = suppress(psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation)
        with psycopg.connect(self.url, autocommit=True) as connection, there:
            connection.execute(f"CREATE DATABASE {name}")
        self.made.add(name)
        return self.url.replace("/postgres?", f"/{name}?")

    def drop_databases(self) -> None:
        """Remove those that were made for folders; each is eight megabytes of small files."""
        psycopg = pytest.importorskip("psycopg")
        with psycopg.connect(self.url, autocommit=True) as connection:
            while self.made:
                connection.execute(f"DROP DATABASE {self.made.pop()} WITH (FORCE)")


def programs() -> Path | None:
    """Where PostgreSQL's own programs are."""
    on_path = shutil.which("initdb")
    folders = [path for home in HOMES for path in Path("/").glob(home[1:]) if (path / "initdb").exists()]
    return Path(on_path).parent if on_path else max(folders, default=None)


@contextmanager
def running_server() -> Iterator[PostgresServer]:
    """A server that listens on a socket in a temporary folder; the test is skipped where it cannot be had."""
    pytest.importorskip("psycopg")
    home = programs()
    if home is None:
        pytest.skip("PostgreSQL is not installed")
    with tempfile.TemporaryDirectory(prefix="assistant-pg-") as folder:
        as_user = None if os.geteuid() else "postgres"
        try:
            if as_user:
                shutil.chown(folder, as_user)
        except LookupError:
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres")

        def run(*command: str) -> None:
            # The server must not keep our pipes open.
            program = str(home / command[0])
            subprocess.run(
                [program, *command[1:]],
                check=True,
                cwd=folder,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                user=as_user,
            )

        run("initdb", "-D", f"{folder}/data", "-A", "trust", "-U", "me", "-N")
        options = f"-c listen_addresses= -k {folder} -c fsync=off -c autovacuum=off -c max_connections=400"
        run("pg_ctl", "-D", f"{folder}/data", "-o", options, "-w", "start")
        try:
            restart = partial(
                run, "pg_ctl", "-D", f"{folder}/data", "-o", options, "-m", "fast", "-w", "restart"
            )
            yield PostgresServer(f"postgresql://me@/postgres?host={folder}", Path(folder, "data"), restart)
        finally:
            run("pg_ctl", "-D", f"{folder}/data", "-m", "immediate", "stop")

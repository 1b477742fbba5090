"""`--memory-server` runs the tests of the memory on a PostgreSQL server in the place of files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.memory import store
from assistant.memory.database import DatabaseBackend, backend_of

from .postgres import PostgresServer, running_server


@pytest.fixture(scope="session")
def memory_server(request: pytest.FixtureRequest) -> Iterator[PostgresServer | None]:
    """The server that the option asks for; each store's folder has a database of its own there."""
    if not request.config.getoption("--memory-server"):
        yield None
        return
    with running_server() as server, pytest.MonkeyPatch.context() as patch:

        def on_server(folder: Path, url: str) -> DatabaseBackend:
            return backend_of(folder, url or server.database(folder))

        patch.setattr(store, "backend_of", on_server)
        yield server


@pytest.fixture(autouse=True)
def stores_elsewhere(request: pytest.FixtureRequest, memory_server: PostgresServer | None) -> Iterator[None]:
    """Skip what is about SQLite's file where there is none, and drop a test's databases after it."""
    if memory_server is not None and request.node.get_closest_marker("sqlite_file"):
        pytest.skip("this is about SQLite's file")
    yield
    if memory_server is not None:
        memory_server.drop_databases()

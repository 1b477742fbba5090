"""`--memory-server` runs the tests of the memory on a PostgreSQL server in the place of files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.memory import store
from assistant.memory.database import DatabaseBackend, backend_of

from .postgres import running_server


@pytest.fixture(scope="session", autouse=True)
def memory_server(request: pytest.FixtureRequest) -> Iterator[None]:
    """Give each store's folder a database of its own on a server, where the option asks for it."""
    if not request.config.getoption("--memory-server"):
        yield
        return
    with running_server() as server, pytest.MonkeyPatch.context() as patch:

        def on_server(folder: Path, url: str) -> DatabaseBackend:
            return backend_of(folder, url or server.database(folder))

        patch.setattr(store, "backend_of", on_server)
        yield


@pytest.fixture(autouse=True)
def only_files(request: pytest.FixtureRequest) -> None:
    """Skip what is about the file itself where there is none."""
    if request.config.getoption("--memory-server") and request.node.get_closest_marker("sqlite_file"):
        pytest.skip("this is about SQLite's file")

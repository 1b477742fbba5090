"""Fixtures that several rooms need: an adb server, a home that is not the developer's, the embedder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from adbutils import AdbClient
from hypothesis import settings

from assistant.config import EmbeddingSettings
from assistant.embedding.embedder import Embedder
from assistant.embedding.library import Library
from assistant.simulator.adb_server import PrivateAdbServer

# A busy machine is no reason to fail.
settings.register_profile("assistant", deadline=None)
settings.load_profile("assistant")


@pytest.fixture(scope="session", autouse=True)
def english() -> Iterator[None]:
    """The program speaks English in tests, whatever the developer's environment says."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LC_ALL", "C.UTF-8")
        yield


@pytest.fixture(scope="session")
def lasting_adb_server() -> Iterator[PrivateAdbServer]:
    """One private adb server for the test session; adbutils and adb find it through the environment."""
    with PrivateAdbServer() as server, pytest.MonkeyPatch.context() as patch:
        for name, value in server.environment.items():
            patch.setenv(name, value)
        yield server


@pytest.fixture
def adb_server(lasting_adb_server: PrivateAdbServer) -> Iterator[PrivateAdbServer]:
    """The adb server, without any phone that an earlier test had."""
    yield lasting_adb_server
    AdbClient("127.0.0.1", lasting_adb_server.port).disconnect("")


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The bundled embedding model, whatever the developer's settings choose."""
    return Library().load(EmbeddingSettings())

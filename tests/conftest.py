"""Fixtures that several rooms need: a private adb server, and a home that is not the developer's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

from assistant.simulator.adb_server import PrivateAdbServer

# A busy machine is no reason to fail.
settings.register_profile("assistant", deadline=None)
settings.load_profile("assistant")


@pytest.fixture(scope="session")
def adb_server() -> Iterator[PrivateAdbServer]:
    """One private adb server for the test session; adbutils and adb find it through the environment."""
    with PrivateAdbServer() as server, pytest.MonkeyPatch.context() as patch:
        for name, value in server.environment.items():
            patch.setenv(name, value)
        yield server

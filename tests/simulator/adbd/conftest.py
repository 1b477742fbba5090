"""A daemon with a toy phone behind it, and the real adb clients."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.adbd.daemon import AdbDaemon
from tests.simulator.adbd.toy import Adb, Toy, ToyFiles, ToyShell

ADB29 = (os.environ.get("ASSISTANT_ADB29", ""), "/usr/lib/android-sdk/platform-tools/adb")


@pytest_asyncio.fixture
async def toy() -> AsyncIterator[Toy]:
    shell, files = ToyShell(), ToyFiles()
    daemon = AdbDaemon(shell, files)
    await daemon.start()
    yield Toy(daemon, shell, files)
    await daemon.stop()


@pytest.fixture(scope="session")
def adb36(lasting_adb_server: PrivateAdbServer) -> Adb:
    return Adb(lasting_adb_server.adb, lasting_adb_server.environment)


@pytest.fixture(scope="session")
def adb29() -> Iterator[Adb]:
    for place in ADB29:
        if place and Path(place).is_file():
            with PrivateAdbServer(Path(place)) as server:
                yield Adb(server.adb, server.environment)
            return
    pytest.skip("Debian's adb 29 is not installed; name it in ASSISTANT_ADB29")


@pytest.fixture(params=["adb36", "adb29"])
def adb(request: pytest.FixtureRequest) -> Adb:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Adb)
    return found


@pytest_asyncio.fixture
async def connected(toy: Toy, adb: Adb) -> AsyncIterator[Toy]:
    """The toy phone, connected to the adb server of the client under test."""
    await adb("connect", toy.daemon.serial)
    await adb.wait_state(toy.daemon.serial, "device")
    yield toy
    await adb("disconnect", toy.daemon.serial)

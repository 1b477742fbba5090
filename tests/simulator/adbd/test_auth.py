"""Every way of being let in or not, with real adb and its own keys."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st

from assistant.simulator.adbd.auth import Authenticator, AuthMode, MalformedKey, PublicKey
from assistant.simulator.adbd.daemon import AdbDaemon
from tests.simulator.adbd.toy import Adb, ToyFiles, ToyShell, eventually

Start = Callable[[Authenticator], "asyncio.Future[AdbDaemon]"]


@pytest_asyncio.fixture
async def start(adb: Adb) -> AsyncIterator[Start]:
    """Starts a daemon with an authenticator, and takes it away afterwards."""
    daemons: list[AdbDaemon] = []

    async def started(authenticator: Authenticator) -> AdbDaemon:
        daemon = AdbDaemon(ToyShell(), ToyFiles(), authenticator=authenticator)
        daemons.append(daemon)
        await daemon.start()
        await adb("connect", daemon.serial)
        return daemon

    yield lambda authenticator: asyncio.ensure_future(started(authenticator))
    for daemon in daemons:
        await adb("disconnect", daemon.serial)
        await daemon.stop()


@pytest_asyncio.fixture
async def key(start: Start) -> PublicKey:
    """The key of the adb server under test, which a phone that asks gets to see."""
    daemon = await start(Authenticator(AuthMode.ASK))
    await eventually(lambda: bool(daemon.authenticator.waiting))
    [key] = daemon.authenticator.waiting
    return key


async def test_a_known_key_is_let_in(start: Start, adb: Adb, key: PublicKey) -> None:
    daemon = await start(Authenticator(AuthMode.ASK, [key]))
    assert await adb.state(daemon.serial) == "device"
    assert not daemon.authenticator.waiting


async def test_an_unknown_key_waits_for_the_user(start: Start, adb: Adb, key: PublicKey) -> None:
    daemon = await start(Authenticator(AuthMode.ASK))
    await adb.wait_state(daemon.serial, "unauthorized")
    refused = await adb("-s", daemon.serial, "shell", "echo", "x")
    assert b"device unauthorized" in refused.err
    [waiting] = daemon.authenticator.waiting
    assert waiting.same(key)
    daemon.authenticator.confirm()
    await adb.wait_state(daemon.serial, "device")
    await adb("disconnect", daemon.serial)
    await adb("connect", daemon.serial)
    assert await adb.state(daemon.serial) == "device"


async def test_nobody_is_let_in_when_refused(start: Start, adb: Adb, key: PublicKey) -> None:
    daemon = await start(Authenticator(AuthMode.REFUSED, [key]))
    assert await adb.state(daemon.serial) == "unauthorized"
    daemon.authenticator.set_mode(AuthMode.OPEN)
    await adb.wait_state(daemon.serial, "device")


@given(st.binary(max_size=800))
def test_noise_is_no_key(noise: bytes) -> None:
    with pytest.raises(MalformedKey):
        PublicKey.parse(noise)


@given(st.binary(max_size=300), st.binary(min_size=20, max_size=20))
def test_noise_is_no_signature(noise: bytes, token: bytes) -> None:
    assert not PublicKey((1 << 2048) - 9, 65537).signed(token, noise)

"""Once the user has let this computer in, the phone is reached again without another question.

What is kept is a key: adb's in the user's home (`adbkey`), and its public half on the phone. Pairing by a
code gives the phone the same key, over a handshake that the simulated phone does not know; here it gets the
key by its dialog. The adb server is the real one, started and found by the product.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import pytest
import pytest_asyncio

from assistant.events import Event
from assistant.phone.adb import AdbServer, Connection, ConnectionEnded
from assistant.phone.monitor import PhoneMonitor
from assistant.settings.schema import PhoneSettings, Settings
from assistant.setup.core import PairingFailed, Setup
from assistant.simulator.adb_server import free_port
from assistant.simulator.adbd.auth import AuthMode
from assistant.simulator.phone import PhoneOptions, SimulatedPhone
from tests.phone.adb_responder import announcing
from tests.phone.scripted import until
from tests.worlds import DENSITY, SIZE, START

OPTIONS = PhoneOptions(start=START, size=SIZE, density=DENSITY, auth=AuthMode.ASK)
ANNOUNCED = "adb-R5CT1-xYz\t_adb-tls-connect._tcp\t{}\n"


async def end_server(port: int) -> None:
    """End an adb server that the product started, and wait until it is gone."""
    with suppress(OSError, ConnectionEnded):
        connection = await Connection.open("127.0.0.1", port)
        connection.send("host:kill")
        await connection.read_some()
        connection.close()
    await asyncio.to_thread(_wait_free, port)


def _wait_free(port: int) -> None:
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)):
                return
        time.sleep(0.02)


def is_at(monitor: PhoneMonitor, serial: str) -> bool:
    """Whether the phone in use is at an address, and can be used."""
    return monitor.phone is not None and monitor.phone.link.address == serial and not monitor.problem


async def restart(phone: SimulatedPhone) -> None:
    """Start the phone anew: it keeps its keys, and listens at another port."""
    before = phone.serial
    await phone.stop()
    phone.daemon.port = 0
    await phone.start()
    assert phone.serial != before


async def wait_listed(adb: AdbServer, serial: str, state: str) -> None:
    listings = adb.watch()
    async with asyncio.timeout(20):
        async for devices in listings:
            if (serial, state) in {(device.serial, device.state) for device in devices}:
                break
    await listings.aclose()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without keys; adb servers that are started have it, and look for no other phones."""
    for name, value in (("ADB_MDNS", "0"), ("ADB_LIBUSB", "0"), ("ADB_LOCAL_TRANSPORT_MAX_PORT", "1")):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("ADB_VENDOR_KEYS", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def port() -> int:
    """Where the adb server listens."""
    return free_port()


@pytest_asyncio.fixture
async def adb(home: Path, port: int) -> AsyncIterator[AdbServer]:
    server = AdbServer("127.0.0.1", port)
    yield server
    await end_server(port)


@pytest_asyncio.fixture
async def phone(adb: AdbServer, home: Path) -> AsyncIterator[SimulatedPhone]:
    """A phone whose user let this computer in, in its dialog."""
    async with SimulatedPhone(OPTIONS) as phone:
        assert "authenticate" in await adb.connect(phone.serial)
        await until(lambda: bool(phone.daemon.authenticator.waiting), 20)
        phone.daemon.authenticator.confirm()
        await wait_listed(adb, phone.serial, "device")
        assert (home / ".android" / "adbkey").is_file()
        yield phone


async def test_after_its_port_changed_it_asks_nothing(adb: AdbServer, phone: SimulatedPhone) -> None:
    await restart(phone)
    assert "connected to" in await adb.connect(phone.serial)
    await wait_listed(adb, phone.serial, "device")
    assert not phone.daemon.authenticator.waiting


async def test_after_the_adb_server_was_started_anew_it_asks_nothing(
    adb: AdbServer, port: int, phone: SimulatedPhone, home: Path
) -> None:
    key = (home / ".android" / "adbkey").read_bytes()
    await end_server(port)
    # The next question starts another one, which knows no phone yet.
    assert await adb.devices() == ()
    assert "connected to" in await adb.connect(phone.serial)
    await wait_listed(adb, phone.serial, "device")
    assert not phone.daemon.authenticator.waiting
    assert (home / ".android" / "adbkey").read_bytes() == key


async def test_setup_reaches_it_again_without_pairing(
    port: int, phone: SimulatedPhone, tmp_path: Path
) -> None:
    await restart(phone)
    await end_server(port)
    setup = Setup(Settings().overridden({"phone": {"adb_port": port}}), tmp_path / "config.toml")
    assert await setup.connect(phone.serial) == phone.serial
    assert not phone.daemon.authenticator.waiting


async def test_in_a_turns_monitor_it_is_found_by_its_name_with_the_kept_key(
    port: int, phone: SimulatedPhone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.phone.monitor._ADB_RETRY_SECONDS", 0.05)
    told: list[Event] = []
    address = phone.serial
    async with announcing(port, lambda: ANNOUNCED.format(phone.serial)) as front:
        settings = PhoneSettings(serial=address, adb_port=front, command_deadline=4.0)
        monitor = PhoneMonitor(settings, tmp_path, lambda: datetime.now(START.tzinfo), told.append)
        monitor.start()
        await monitor.first_look()
        assert monitor.problem == ""
        await restart(phone)
        await until(lambda: is_at(monitor, phone.serial), 20)
        assert not phone.daemon.authenticator.waiting
        await monitor.close()


async def test_a_computer_with_another_key_is_asked_about(
    phone: SimulatedPhone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "other"))
    (tmp_path / "other").mkdir()
    port = free_port()
    try:
        setup = Setup(Settings().overridden({"phone": {"adb_port": port}}), tmp_path / "config.toml")
        with pytest.raises(PairingFailed, match="does not trust this computer yet"):
            await setup.connect(phone.serial)
        await until(lambda: len(phone.daemon.authenticator.waiting) == 1, 20)
    finally:
        await end_server(port)

"""Scripted and simulated phones behind a real adb server, and the phone layer on them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from assistant.phone.adb import AdbServer, Shell
from assistant.phone.device import Phone
from assistant.records import Action, Observation
from assistant.settings.schema import PhoneSettings
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.adbd.daemon import AdbDaemon
from assistant.simulator.apps.base import Difficulties
from assistant.simulator.phone import PhoneOptions, SimulatedPhone
from tests.phone.scripted import NoFiles, ScriptedShell
from tests.worlds import DENSITY, SIZE

SETTINGS = PhoneSettings(command_deadline=3.0, settle_cap=0.5)


@dataclass
class Scripted:
    """A scripted phone: what it answers, its daemon, and the server that knows it."""

    script: ScriptedShell
    daemon: AdbDaemon
    adb: AdbServer
    notes: Path

    @property
    def serial(self) -> str:
        return self.daemon.serial

    def shell(self, deadline: float = 3.0) -> Shell:
        return Shell(self.adb, self.serial, deadline)

    def phone(self, settings: PhoneSettings = SETTINGS) -> Phone:
        return Phone(self.adb, self.serial, settings, self.notes)

    async def listed(self, state: str) -> None:
        """Wait until the adb server shows the phone in a state; empty for not at all."""
        async with asyncio.timeout(10):
            while True:
                states = {one.serial: one.state for one in await self.adb.devices()}
                if states.get(self.serial, "") == state:
                    return
                await asyncio.sleep(0.01)


@pytest.fixture
def adb(adb_server: PrivateAdbServer) -> AdbServer:
    return AdbServer("127.0.0.1", adb_server.port)


@pytest_asyncio.fixture
async def scripted(adb: AdbServer, tmp_path: Path) -> AsyncIterator[Scripted]:
    script = ScriptedShell()
    daemon = AdbDaemon(script, NoFiles())
    await daemon.start()
    await adb.connect(daemon.serial)
    yield Scripted(script, daemon, adb, tmp_path)
    script.gate.set()
    daemon.faults.restore()
    await adb.disconnect(daemon.serial)
    await daemon.stop()


@dataclass
class Simulated:
    """A simulated phone, connected, and the phone layer on it."""

    sim: SimulatedPhone
    phone: Phone
    adb: AdbServer
    notes: Path

    def again(self, settings: PhoneSettings = SETTINGS) -> Phone:
        """The same phone after a restart of the program."""
        return Phone(self.adb, self.sim.serial, settings, self.notes)

    def requests(self) -> list[str]:
        """The services asked for so far."""
        return [one.service for one in self.sim.traffic.since()]

    async def see(self, action: Action, seen: Observation | None = None) -> Observation:
        """Do an action on what is shown, and look."""
        await self.phone.perform(action, seen or await self.phone.observe())
        return await self.phone.observe()


Simulate = Callable[..., AbstractAsyncContextManager[Simulated]]


@pytest.fixture
def simulate(adb: AdbServer, tmp_path: Path) -> Simulate:
    """Runs a simulated phone with the given `PhoneOptions`."""

    @asynccontextmanager
    async def run(**options: Any) -> AsyncIterator[Simulated]:
        usual = {"difficulties": Difficulties.none(), "size": SIZE, "density": DENSITY}
        chosen = PhoneOptions(**{**usual, **options})
        async with SimulatedPhone(chosen) as sim:
            await adb.connect(sim.serial)
            yield Simulated(sim, Phone(adb, sim.serial, SETTINGS, tmp_path), adb, tmp_path)
            sim.daemon.faults.restore()
            await adb.disconnect(sim.serial)

    return run

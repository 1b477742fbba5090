"""A simulated phone, a scripted model and an engine in one event loop, joined by real adb and real HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

import pytest
from pydantic import SecretStr

from assistant.engine import Engine
from assistant.events import ActionKind, Event, StateChanged, TurnFinished, TurnState
from assistant.phone.adb import AdbServer
from assistant.safety.amounts import Allowance
from assistant.settings.schema import MemorySettings, ModelSettings, PhoneSettings, Settings, TurnSettings
from assistant.simulator import phone_command
from assistant.simulator import world as simulated_world
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.commands import simulate_app
from assistant.simulator.model import command as model_command
from assistant.simulator.model.client import ScriptedModelClient
from assistant.simulator.model.faults import Fault
from assistant.simulator.model.options import ControlChange, ModelOptions
from assistant.simulator.model.server import ScriptedModel
from assistant.simulator.phone import PhoneOptions, SimulatedPhone
from assistant.simulator.world import SimulatorProcesses

E = TypeVar("E", bound=Event)

START = datetime(2026, 3, 9, 12, 5, tzinfo=ZoneInfo("Asia/Shanghai"))
LIMIT = 60.0
SIZE, DENSITY = (360, 800), 140
"""A ninth of the usual pixels: the same pages, drawn and read in a fifth of the time."""


@dataclass
class World:
    """What a test of whole turns works with. `seen` are the engine's events; `hear` takes each, too."""

    phone: SimulatedPhone
    model: ScriptedModel
    settings: Settings
    engine: Engine
    seen: list[Event] = field(default_factory=list)
    hear: Callable[[Event], None] = lambda _event: None
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    async def listen(self) -> None:
        """Collect events until the engine is closed."""
        async for event in self.engine.events():
            self.seen.append(event)
            self.hear(event)
            self._news.set()

    def all(self, kind: type[E]) -> list[E]:
        """The events of one class so far."""
        return [event for event in self.seen if isinstance(event, kind)]

    async def next(self, kind: type[E], wanted: Callable[[E], bool] = lambda _: True, after: int = 0) -> E:
        """Await the first event of a class that satisfies a wish, the first `after` events not counted."""
        async with asyncio.timeout(LIMIT):
            while True:
                for event in self.seen[after:]:
                    if isinstance(event, kind) and wanted(event):
                        return event
                self._news.clear()
                await self._news.wait()

    async def state(self, state: TurnState, after: int = 0) -> StateChanged:
        """Wait until the turn is in a state."""
        return await self.next(StateChanged, lambda event: event.state is state, after)

    async def finished(self) -> TurnFinished:
        """Wait for the end of the turn."""
        return await self.next(TurnFinished)

    async def carry_out(self, said: str) -> TurnFinished:
        """Run one command to its end."""
        self.engine.run(said)
        return await self.finished()

    def app(self, package: str) -> dict[str, Any]:
        """An app's state on the phone."""
        state: dict[str, Any] = self.phone.state()["apps"][f"com.example.{package}"]
        return state

    async def change_model(self, *faults: Fault, pace: float | None = None) -> None:
        """Set faults or the pace of the scripted model, through its own control interface."""
        async with ScriptedModelClient(self.model.address.base_url) as client:
            await client.change(ControlChange(faults=list(faults), pace=pace))


def settings_for(phone: SimulatedPhone, model: ScriptedModel, adb_port: int, store: Path) -> Settings:
    """Settings that lead to this phone and this model, impatient where a test would wait."""
    return Settings(
        store=store,
        phone=PhoneSettings(
            serial=phone.serial, adb_port=adb_port, command_deadline=4.0, settle_cap=1.0, return_wait=20.0
        ),
        model=ModelSettings(
            base_url=model.address.base_url,
            api_key=SecretStr(""),
            name="scripted",
            retry_delay=0.01,
            stall_timeout=1.0,
            connect_timeout=2.0,
        ),
        turn=TurnSettings(max_steps=40, confirm_meaning_seconds=0),
        memory=MemorySettings(learning=False),
    )


@asynccontextmanager
async def running_world(
    adb_port: int,
    store: Path,
    *,
    options: PhoneOptions | None = None,
    attended: bool = True,
    approved: frozenset[ActionKind] = frozenset(),
    phone: dict[str, Any] | None = None,
    turn: dict[str, Any] | None = None,
    database: str = "",
    learning: bool = False,
    now: Callable[[], datetime] = lambda: datetime.now(START.tzinfo),
) -> AsyncIterator[World]:
    """A world whose phone is connected; `phone` and `turn` are settings that differ from the usual ones.

    With `database`, the memory is on a server; with `learning`, turns teach it something.
    """
    async with (
        SimulatedPhone(options or PhoneOptions(start=START, size=SIZE, density=DENSITY)) as simulated,
        ScriptedModel(ModelOptions()) as model,
    ):
        adb = AdbServer("127.0.0.1", adb_port)
        await adb.connect(simulated.serial)
        settings = settings_for(simulated, model, adb_port, store).overridden(
            {"phone": phone or {}, "turn": turn or {}, "memory": {"database": database, "learning": learning}}
        )
        engine = Engine(
            settings,
            now=now,
            attended=attended,
            allowances=map(Allowance, approved),
        )
        world = World(simulated, model, settings, engine)
        listening = asyncio.create_task(world.listen())
        try:
            await engine.start()
            await engine.wait_for_phone()
            yield world
        finally:
            await engine.close()
            await listening
            simulated.daemon.faults.restore()
            await adb.disconnect(simulated.serial)


def keep_worlds_in_this_process(patch: pytest.MonkeyPatch, adb: PrivateAdbServer) -> None:
    """Let phone and model of a simulated world run here, on an adb server that runs already.

    The commands are those that a world starts as programs, which load for seconds each.
    """

    class HereInstead(SimulatorProcesses):
        async def start(self, *arguments: str) -> dict[str, Any]:
            ready: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
            command = {"phone": phone_command, "model": model_command}[arguments[0]]

            def serve(server: Coroutine[Any, Any, None], _until_stdin_closes: bool) -> None:
                self._drains.append(asyncio.create_task(server))

            patch.setattr(command, "serve_until_told", serve)
            patch.setattr(command, "tell", lambda about, *_rest: ready.set_result(about))
            simulate_app(arguments, standalone_mode=False)
            begun: list[asyncio.Future[Any]] = [ready, *self._drains]
            await asyncio.wait(begun, return_when=asyncio.FIRST_COMPLETED)
            for server in self._drains:
                if server.done():
                    server.result()  # It ended before it told where it is: the reason is the test's.
            return await ready

        async def stop(self) -> None:
            for server in self._drains:
                server.cancel()
            await super().stop()

    patch.setattr(phone_command, "PrivateAdbServer", lambda: nullcontext(adb))
    patch.setattr(simulated_world, "SimulatorProcesses", HereInstead)

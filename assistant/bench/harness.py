"""Where benchmarks run: a simulated phone, a scripted model, engines that use both, a follower of turns."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo

from pydantic import SecretStr

from assistant.bench.tasks import Setup
from assistant.engine import Engine
from assistant.events import (
    ActionKind,
    Approval,
    ApprovalRequested,
    Cause,
    Event,
    StateChanged,
    StepFinished,
    StepStarted,
    TurnFinished,
    TurnState,
    Verdict,
)
from assistant.phone.adb import AdbServer
from assistant.records import Outcome
from assistant.safety.amounts import Allowance
from assistant.settings.schema import ModelSettings, PhoneSettings, Settings, TurnSettings
from assistant.simulator import SIMULATED
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.apps.base import Difficulties
from assistant.simulator.control import ControlClient
from assistant.simulator.demo_clock import DemoClock
from assistant.simulator.model.client import ScriptedModelClient
from assistant.simulator.model.options import ControlChange, ModelOptions, PhoneView
from assistant.simulator.model.server import ScriptedModel
from assistant.simulator.orders import ORDERS, Reset
from assistant.simulator.phone import PhoneOptions, SimulatedPhone
from assistant.simulator.world import World, WorldOptions

START = datetime(2026, 3, 9, 12, 5, tzinfo=ZoneInfo("Asia/Shanghai"))
"""The time of a local phone when it starts."""

# A stall of the model costs seconds and not minutes; nothing but a real stall takes as long.
_IMPATIENT = {"stall_timeout": 2.0, "retry_delay": 0.02, "connect_timeout": 5.0}


class TurnFailed(Exception):
    """A turn did not end as it must for anything to be measured by it."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A phone and a model in child processes, and the settings that lead to them; `now` is the time there."""

    settings: Settings
    phone: ControlClient
    model: ScriptedModelClient
    now: Callable[[], datetime]

    async def prepare(self, setups: Sequence[Setup] = ()) -> dict[str, Any]:
        """Return the phone to its start and set it up for a task; the phone's state then.

        Raises:
            ControlFailed: the phone refuses an order.
        """
        await self.phone.perform(Reset())
        for setup in setups:
            await self.phone.perform(ORDERS[setup.call].model_validate(setup.arguments))
        return await self.phone.state()

    @asynccontextmanager
    async def engine(
        self, approved: Sequence[ActionKind] = (), *, attended: bool = False
    ) -> AsyncIterator[Engine]:
        """An engine as `assistant run` has it, or as somebody has it who `attended` and is asked."""
        engine = Engine(
            self.settings,
            now=self.now,
            attended=attended,
            allowances=map(Allowance, approved),
            simulated=SIMULATED,
        )
        async with started(engine):
            yield engine


@asynccontextmanager
async def open_stage(
    options: WorldOptions, model_settings: Mapping[str, Any] | None = None
) -> AsyncIterator[Stage]:
    """A simulated world and an empty memory; all of it is gone at the end.

    The user's own settings play no part, so that figures can be compared; `model_settings` are values of
    that section which differ from the defaults. A start in the options is the time of the engines, too.

    Raises:
        WorldFailed: a child process does not start.
    """
    now = DemoClock(options.start or datetime.now().astimezone())
    with tempfile.TemporaryDirectory(prefix="assistant-bench-", ignore_cleanup_errors=True) as folder:
        async with (
            World(options) as world,
            ControlClient(world.phone["control"], world.phone["token"]) as phone,
            ScriptedModelClient(world.model["base_url"]) as model,
        ):
            defaults = Settings.model_construct(store=Path(folder))
            # A repeated task would else be carried out without the model that is measured.
            model_values = {
                "model": {**_IMPATIENT, **(model_settings or {})},
                "turn": {"replay": False},
            }
            settings = defaults.overridden(world.settings).overridden(model_values)
            yield Stage(settings, phone, model, now)


@dataclass(frozen=True, slots=True)
class LocalPhone:
    """A phone and a model in this process, joined by a real adb server, so that a bench can reach inside."""

    phone: SimulatedPhone
    model: ScriptedModelClient
    settings: Settings
    adb: AdbServer

    async def connect(self) -> None:
        """Connect the phone anew, as after its cable was pulled."""
        await self.adb.disconnect(self.phone.serial)
        await self.adb.connect(self.phone.serial)

    def engine(self, settings: Settings, approved: frozenset[ActionKind] = frozenset()) -> Engine:
        """An engine that is not started yet; a person attends it."""
        return Engine(settings, now=lambda: datetime.now(START.tzinfo), allowances=map(Allowance, approved))


@asynccontextmanager
async def open_local_phone(
    adb_port: int,
    folder: Path,
    size: tuple[int, int] = (1080, 2400),
    density: int = 420,
    locale: Literal["en", "zh"] = "en",
) -> AsyncIterator[LocalPhone]:
    """A phone of this size that has none of the difficulties of real apps, with its memory in a folder."""
    options = PhoneOptions(
        start=START, difficulties=Difficulties.none(), size=size, density=density, locale=locale
    )
    async with SimulatedPhone(options) as phone, ScriptedModel(ModelOptions()) as model:
        adb = AdbServer("127.0.0.1", adb_port)
        await adb.connect(phone.serial)
        url = model.address.base_url
        settings = Settings.model_construct(
            store=folder,
            user_id="me",
            phone=PhoneSettings(serial=phone.serial, adb_port=adb_port, settle_cap=1.0),
            model=ModelSettings(base_url=url, name="scripted", api_key=SecretStr(""), retry_delay=0.02),
            turn=TurnSettings(confirm=False, takeover=False, replay=False),
        )
        async with ScriptedModelClient(url) as client:
            view = PhoneView(url=phone.control.url, token=phone.control.token)
            await client.change(ControlChange(phone=view))
            yield LocalPhone(phone, client, settings, adb)
        await adb.disconnect(phone.serial)


@asynccontextmanager
async def open_own_phone() -> AsyncIterator[LocalPhone]:
    """A local phone with an adb server and a memory of its own, gone at the end."""
    with (
        PrivateAdbServer() as server,
        tempfile.TemporaryDirectory(prefix="assistant-bench-", ignore_cleanup_errors=True) as folder,
    ):
        async with open_local_phone(server.port, Path(folder)) as local:
            yield local


@asynccontextmanager
async def started(engine: Engine) -> AsyncIterator[Engine]:
    """An engine that knows its phone; it is closed at the end, when the memory has learnt."""
    try:
        await engine.start()
        await engine.wait_for_phone()
        yield engine
    finally:
        await engine.close()


async def carry_out(
    engine: Engine, said: str, cap: float, react: Callable[[Event], None] = lambda event: None
) -> TurnFinished | None:
    """Run one command to its end; None when it has not ended after `cap` seconds. `react` sees every event.

    Raises:
        NotReady: the phone or the model is missing.
    """
    engine.run(said)
    with suppress(TimeoutError):
        async with asyncio.timeout(cap):
            async for event in engine.events():
                react(event)
                if isinstance(event, TurnFinished):
                    return event
    return None


@dataclass(frozen=True, slots=True)
class PhaseStart:
    """What a turn began to do in a step, and when; a cause of None is the end of the step."""

    step: int
    cause: Cause | None
    time: float


class Follower:
    """What is seen of the turn that an engine runs. Times are `time.monotonic()` seconds.

    `phases` tell what it did one after the other, `cause` what it does since `since`, and `states` every
    change of its state with its time and cause. `agrees`: somebody says yes to each question.
    """

    def __init__(self) -> None:
        self.steps: list[StepFinished] = []
        self.finished: TurnFinished | None = None
        self.state: TurnState | None = None
        self.states: list[tuple[float, TurnState, Cause]] = []
        self.cause = Cause.COMMAND
        self.step = 0
        self.since = 0.0
        self.phases: list[PhaseStart] = []
        self.agrees = False
        self._changed = asyncio.Event()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition holds, or the turn is over."""
        while not condition() and self.finished is None:
            self._changed.clear()
            await self._changed.wait()

    async def succeeded(self, limit: float, *, may_be_unconfirmed: bool = False) -> list[StepFinished]:
        """Wait for the end of the turn; its steps.

        Raises:
            TurnFailed: it did not end within `limit` seconds, or not in success.
        """
        good = {Outcome.SUCCESS, Outcome.UNCONFIRMED} if may_be_unconfirmed else {Outcome.SUCCESS}
        with suppress(TimeoutError):
            async with asyncio.timeout(limit):
                await self.until(lambda: False)
        if self.finished is None:
            raise TurnFailed(f"The turn hangs in step {self.step}.")
        if self.finished.outcome not in good:
            raise TurnFailed(f"The turn ended as {self.finished.outcome}: {self.finished.answer}")
        return self.steps

    async def listen(self, engine: Engine) -> None:
        """Take events in until the engine is closed."""
        async for event in engine.events():
            self._take(event)
            self._changed.set()

    def _take(self, event: Event) -> None:
        match event:
            case StepStarted(step=step):
                self.step = step
                # The first observation of a turn, and one after a pause, is told before its step.
                self._begin(Cause.OBSERVING)
            case StepFinished(step=step):
                self.steps.append(event)
                self.phases.append(PhaseStart(step, None, time.monotonic()))
            case StateChanged(state=state, cause=cause):
                self.state = state
                self.states.append((time.monotonic(), state, cause))
                if cause is not self.cause:
                    self._begin(cause)
            case ApprovalRequested(decision=decision) if self.agrees:
                decision.set_result(Approval(Verdict.ONCE))
            case TurnFinished():
                self.finished = event

    def _begin(self, cause: Cause) -> None:
        self.cause, self.since = cause, time.monotonic()
        self.phases.append(PhaseStart(self.step, cause, self.since))


@asynccontextmanager
async def following(engine: Engine) -> AsyncIterator[Follower]:
    """A follower of an engine whose events nobody else takes."""
    follower = Follower()
    listening = asyncio.create_task(follower.listen(engine))
    try:
        yield follower
    finally:
        listening.cancel()
        with suppress(asyncio.CancelledError):
            await listening

"""Where benchmarks run: a simulated world, a memory of its own, and engines that carry out commands there."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from assistant.bench.tasks import Setup
from assistant.config import Settings
from assistant.engine import Engine
from assistant.events import ActionKind
from assistant.simulator.control import ControlClient
from assistant.simulator.model.client import ScriptedModelClient
from assistant.simulator.orders import ORDERS, Reset
from assistant.simulator.world import SIMULATED, World, WorldOptions

# Long enough for nothing but a real stall to reach, so that error switches cost seconds and not minutes.
_IMPATIENT = {"stall_timeout": 2.0, "retry_delay": 0.02, "connect_timeout": 5.0}


@dataclass(frozen=True, slots=True)
class Stage:
    """A phone that is connected, a model that answers, and the ways to steer both."""

    settings: Settings
    phone: ControlClient
    model: ScriptedModelClient

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
    async def engine(self, approved: Sequence[ActionKind] = ()) -> AsyncIterator[Engine]:
        """An engine as `assistant run` has it: nobody attends, some kinds of action are allowed."""
        engine = Engine(
            self.settings,
            now=lambda: datetime.now().astimezone(),
            attended=False,
            approved=frozenset(approved),
            simulated=SIMULATED,
        )
        try:
            await engine.start()
            await engine.phone_known()
            yield engine
        finally:
            await engine.close()


@asynccontextmanager
async def open_stage(
    options: WorldOptions, model_settings: Mapping[str, Any] | None = None
) -> AsyncIterator[Stage]:
    """A world as child processes and an empty memory; all of it is gone at the end.

    The user's own settings play no part, so that figures can be compared; `model_settings` are values of
    that section which differ from the defaults.

    Raises:
        WorldFailed: a child process does not start.
    """
    with tempfile.TemporaryDirectory(prefix="assistant-bench-", ignore_cleanup_errors=True) as folder:
        async with (
            World(options) as world,
            ControlClient(world.phone["control"], world.phone["token"]) as phone,
            ScriptedModelClient(world.model["base_url"]) as model,
        ):
            plain = Settings.model_construct(store=Path(folder))
            settings = plain.overridden(world.settings).overridden(
                {"model": {**_IMPATIENT, **(model_settings or {})}}
            )
            yield Stage(settings, phone, model)

"""A demo of the interface: an engine on the simulated phone, with a memory that is filled meanwhile."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import datetime

import typer

from assistant.demo.memory import fill
from assistant.demo.time_travel import DemoTime, TimeTravelCommand
from assistant.engine import Engine
from assistant.i18n import later
from assistant.memory.database import StoreError
from assistant.records import Outcome
from assistant.settings.schema import Settings
from assistant.simulator import SIMULATED
from assistant.simulator.control import ControlClient, ControlFailed
from assistant.simulator.orders import EndApps
from assistant.simulator.world import World, WorldOptions

GUIDE = (
    later("A minute to try it; phone and model are simulated:"),
    later("  1  order my usual lunch                      then  /why"),
    later("  2  what did I eat last week"),
    later("  3  ctrl+p, type: next suggestion, enter      then  tab, to answer it"),
    later("  4  remember that I am allergic to peanuts    then  /undo"),
    later("  5  /memory                                   to change or forget it"),
)
"""What the interface shows in the demo before the first turn."""


_log = logging.getLogger(__name__)

__all__ = ["GUIDE", "SIMULATED", "DemoSession", "World", "WorldOptions"]


class DemoSession:
    """One run of the interface in the demo. To be made, used and closed inside the event loop.

    Args:
        settings: settings that lead into the world, with the demo's store.
        world: the simulated phone and the scripted model.
        options: what the world was made with.

    Attributes:
        engine: runs the turns; commands wait until its memory is filled.
    """

    def __init__(self, settings: Settings, world: World, options: WorldOptions) -> None:
        self._options = options
        self._time = DemoTime(world, options.locale, options.start or datetime.now().astimezone())
        # Runs from the first wait on, when the engine is there.
        self._filling = self._time.filled = asyncio.create_task(self._fill_memory())
        self._tidying: asyncio.Task[None] | None = None
        self._world = world
        self.engine = Engine(
            settings,
            now=self._time.now,
            simulated=SIMULATED,
            ready=self._filling,
            schedules=True,
            turn_ended=self._handle_turn_end,
        )

    @property
    def commands(self) -> Sequence[TimeTravelCommand]:
        """What the demo adds to the command palette."""
        return self._time.commands

    def close(self) -> None:
        """Stop filling the memory; the interface has closed the engine."""
        self._filling.cancel()
        if self._tidying is not None:
            self._tidying.cancel()

    def _handle_turn_end(self, outcome: Outcome | None) -> None:
        """Let no turn meet what one that did not end well left open: a payment, a search without results."""
        if outcome is not Outcome.SUCCESS:
            self._tidying = asyncio.create_task(self._end_apps())

    async def _end_apps(self) -> None:
        phone = self._world.phone
        try:
            async with ControlClient(phone["control"], phone["token"]) as client:
                await client.perform(EndApps())
        except ControlFailed as problem:
            _log.warning("the simulated phone's apps stay open: %s", problem)

    async def _fill_memory(self) -> None:
        """Fill the memory once the phone is known: that takes longer than the first paint may."""
        await self.engine.wait_for_phone()
        try:
            await asyncio.to_thread(fill, self.engine.settings, self._options)
            await self._time.attach(self.engine)
        except StoreError as error:
            typer.echo(error, err=True)

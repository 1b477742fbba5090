"""`assistant watch`: suggestions as they come, without the terminal interface."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import datetime
from typing import Annotated

import typer

from assistant.commands.options import (
    ConfigOption,
    DemoOption,
    JsonOption,
    SerialOption,
    StoreOption,
    in_world,
    settings_of,
)
from assistant.commands.words import name_of
from assistant.engine import Engine
from assistant.events import (
    Event,
    ScenarioChanged,
    SuggestionAnswered,
    SuggestionLapsed,
    SuggestionOffered,
    event_json,
)
from assistant.file_lock import ProactiveLock
from assistant.i18n import _, moment
from assistant.memory.store import local_time
from assistant.model.types import one_line
from assistant.settings.schema import Settings
from assistant.simulator.world import SIMULATED, WorldOptions

_TOLD = SuggestionOffered | SuggestionLapsed | SuggestionAnswered | ScenarioChanged


def watch_command(
    as_json: JsonOption = False,
    store: StoreOption = None,
    serial: SerialOption = "",
    config: ConfigOption = None,
    demo: DemoOption = False,
    weeks: Annotated[
        int, typer.Option(min=0, max=12, help="With --demo: let so many weeks pass at once, and end.")
    ] = 0,
    refuse: Annotated[
        list[str] | None, typer.Option(metavar="HABIT", help="With --weeks: always answered with not now.")
    ] = None,
    stop: Annotated[
        list[str] | None, typer.Option(metavar="HABIT", help="With --weeks: given up after a week.")
    ] = None,
    move: Annotated[
        list[str] | None,
        typer.Option(metavar="HABIT=HH:MM", help="With --weeks: has another time after a week."),
    ] = None,
) -> None:
    """Print suggestions as they come, until ctrl+c."""
    settings = settings_of(store, serial, config)
    if (weeks and not demo) or ((refuse or stop or move) and not weeks):
        raise typer.TyperException(_("Weeks pass in the demo only: assistant watch --demo --weeks 3."))
    if not settings.proactive.enabled:
        typer.echo(
            _("Suggestions are switched off. Set proactive.enabled to true in the settings file."), err=True
        )
        raise typer.Exit(1)

    if weeks:
        # The embedder and the simulated life take long to import.
        from assistant.demo.weeks import run_weeks

        typer.echo(_(SIMULATED), err=True)
        run_weeks(settings, weeks, refuse or (), stop or (), move or (), as_json=as_json)
        return

    async def work(ready: Settings) -> None:
        told_to_end = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, told_to_end.set)
        if demo:
            typer.echo(_(SIMULATED), err=True)
        offers: dict[str, str] = {}
        await watch(ready, local_time, lambda event: typer.echo(_line(event, as_json, offers)), told_to_end)

    asyncio.run(in_world(settings, WorldOptions() if demo else None, work))


async def watch(
    settings: Settings, now: Callable[[], datetime], tell: Callable[[Event], None], stop: asyncio.Event
) -> None:
    """Tell of suggestions, and of where the user is, until stopped.

    Args:
        settings: whose routines, and which phone.
        now: the user's local time with its zone.
        tell: hears each event that is worth a line.
        stop: ends it.
    """
    async with AsyncExitStack() as stack:
        engine = Engine(settings, now=now)
        stack.push_async_callback(engine.close)
        if _somebody_else_speaks(settings):
            typer.echo(
                _("Another program suggests from this memory. This one begins when that ends."), err=True
            )
        await engine.start()
        listening = asyncio.create_task(_listen(engine, tell))
        stopped = asyncio.create_task(stop.wait())
        await asyncio.wait([listening, stopped], return_when=asyncio.FIRST_COMPLETED)
        for task in (listening, stopped):
            task.cancel()
        await asyncio.wait([listening, stopped])


async def _listen(engine: Engine, tell: Callable[[Event], None]) -> None:
    async for event in engine.events():
        if isinstance(event, SuggestionOffered):
            # Nobody could stop it here.
            engine.hold_suggestion(event.id)
        if isinstance(event, _TOLD):
            tell(event)


def _somebody_else_speaks(settings: Settings) -> bool:
    speaker = ProactiveLock(settings.store)
    free = speaker.take()
    speaker.release()
    return not free


def _line(event: Event, as_json: bool, offers: dict[str, str]) -> str:
    """The line of an event; `offers` keeps what was suggested by its id, to name it when it is over."""
    if as_json:
        return json.dumps(event_json(event), ensure_ascii=False)
    clock = f"{moment(event.time)}  "
    match event:
        case SuggestionOffered(id=made, instruction=instruction, score=score, why=why):
            again = made in offers
            offers[made] = one_line(instruction)
            words = _("Suggested in new words: {offer}") if again else _("Suggested from memory: {offer}")
            likely = _("{chance} likely now. {reasons}").format(
                chance=f"{score:.0%}", reasons=_("; ").join(why)
            )
            return f"{clock}◷ {words.format(offer=offers[made])}\n           {one_line(likely)}"
        case SuggestionLapsed(id=over):
            return f"{clock}  " + _("Over: {offer}").format(offer=offers.get(over, over))
        case SuggestionAnswered(id=over, answer=answer):
            return f"{clock}  {name_of(answer)}: {offers.get(over, over)}"
        case ScenarioChanged(scenario=scenario, place=place):
            return f"{clock}⌂ {one_line(place or _(scenario))}"
        case _:
            return ""

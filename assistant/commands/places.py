"""`assistant places`: the places that the user has named, and naming the one where the phone is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from assistant.cli.help import Commands
from assistant.commands.options import (
    ConfigOption,
    DemoOption,
    JsonOption,
    SerialOption,
    StoreOption,
    in_world,
    settings_of,
)
from assistant.i18n import _
from assistant.memory.store import open_store
from assistant.memory_view.labels import scenario_of
from assistant.model.types import one_line
from assistant.phone.adb import AdbServer, Shell
from assistant.phone.errors import PhoneError
from assistant.phone.sensors import SensorReadings, sense
from assistant.proactive.location import NamedPlace, NoSuchPlace, Places, UnrecognisablePlace
from assistant.settings.schema import Settings
from assistant.simulator.world import WorldOptions

places_app = Commands(help="Places by which the phone tells where you are. They stay on this machine.")

_Name = Annotated[str, typer.Argument(help="The place's name.")]


@places_app.command("list")
def list_command(as_json: JsonOption = False, store: StoreOption = None, config: ConfigOption = None) -> None:
    """List the places."""
    with _places(settings_of(store, config=config)) as places:
        found = places.all()
    if as_json:
        typer.echo(json.dumps([_plain(one) for one in found], ensure_ascii=False))
        return
    for one in found:
        typer.echo(f"{one_line(one.name)}  {one_line(_(one.scenario))}  {_marks(one)}")
    if not found:
        typer.echo(
            _("No place has a name yet. Where the phone is: assistant places here NAME --scenario office")
        )


@places_app.command("here")
def here_command(
    name: _Name,
    scenario: Annotated[str, typer.Option(help="Such as office, residence or school, or your own word.")],
    store: StoreOption = None,
    serial: SerialOption = "",
    config: ConfigOption = None,
    demo: DemoOption = False,
) -> None:
    """Name the place where the phone is now; it is known again by Wi-Fi, Bluetooth and location."""

    async def work(ready: Settings) -> None:
        signals = await _sense(ready)
        with _places(ready) as places:
            place = places.learn(name, scenario_of(scenario), signals)
        typer.echo(_("{name} is known by {marks}.").format(name=one_line(place.name), marks=_marks(place)))

    asyncio.run(in_world(settings_of(store, serial, config), WorldOptions() if demo else None, work))


@places_app.command("rename")
def rename_command(
    name: _Name, new: Annotated[str, typer.Argument()], store: StoreOption = None, config: ConfigOption = None
) -> None:
    """Call a place something else."""
    with _places(settings_of(store, config=config)) as places:
        places.rename(name, new)


@places_app.command("merge")
def merge_command(
    name: _Name,
    other: Annotated[str, typer.Argument(help="The place that becomes part of it.")],
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Make one place of two."""
    with _places(settings_of(store, config=config)) as places:
        places.merge(name, other)


@places_app.command("forget")
def forget_command(name: _Name, store: StoreOption = None, config: ConfigOption = None) -> None:
    """Forget a place for good."""
    with _places(settings_of(store, config=config)) as places:
        places.forget(name)


@contextmanager
def _places(settings: Settings) -> Iterator[Places]:
    """The places of the settings' user.

    Raises:
        TyperException: what was asked for is not possible, in words.
    """
    store = open_store(settings)
    try:
        yield Places(store, settings.user_id)
    except (NoSuchPlace, UnrecognisablePlace) as problem:
        raise typer.TyperException(str(problem)) from None
    finally:
        store.close()


async def _sense(settings: Settings) -> SensorReadings:
    adb = AdbServer(settings.phone.adb_host, settings.phone.adb_port)
    try:
        serial = await phone_of(settings, adb)
        return await sense(Shell(adb, serial, settings.phone.command_deadline))
    except PhoneError as problem:
        raise typer.TyperException(problem.sentence) from None


async def phone_of(settings: Settings, adb: AdbServer) -> str:
    """The serial of the configured phone, connected by its address if it has one, else of the only phone.

    Raises:
        PhoneError: the adb server does not answer, or the phone cannot be reached.
        TyperException: no phone is named, and there is none or there are several.
    """
    wanted = settings.phone.serial
    listed = await adb.devices()
    if ":" in wanted and all(one.serial != wanted for one in listed):
        await adb.connect(wanted)
    ready = [one.serial for one in listed if one.state == "device"]
    if not wanted and len(ready) != 1:
        none, several = _("No phone is connected."), _("Several phones are connected.")
        raise typer.TyperException(
            _("{problem} Name one with --serial.").format(problem=several if ready else none)
        )
    return wanted or ready[0]


def _marks(place: NamedPlace) -> str:
    marks = place.marks
    told = [*sorted(marks.bssids), *(one_line(device) for device in sorted(marks.devices))]
    if marks.position:
        told.append(f"{marks.position.latitude:.5f}, {marks.position.longitude:.5f}")
    return "; ".join(told)


def _plain(place: NamedPlace) -> dict[str, object]:
    where = place.marks.position
    return {
        "name": place.name,
        "scenario": place.scenario,
        "access_points": sorted(place.marks.bssids),
        "devices": sorted(place.marks.devices),
        "position": [where.latitude, where.longitude] if where else None,
    }

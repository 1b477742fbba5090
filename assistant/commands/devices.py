"""`assistant devices`: the phones that are connected."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import typer

from assistant.commands.options import (
    ConfigOption,
    DemoOption,
    JsonOption,
    in_world,
    settings_of,
)
from assistant.i18n import _
from assistant.model.types import one_line
from assistant.phone.adb import AdbServer
from assistant.phone.device import Phone
from assistant.phone.errors import PhoneError, PhoneStatus
from assistant.settings.schema import PhoneSettings, Settings
from assistant.simulator.world import WorldOptions


def devices_command(
    as_json: JsonOption = False,
    config: ConfigOption = None,
    demo: DemoOption = False,
) -> None:
    """List the phones that are connected, with what each can do now."""
    settings = settings_of(config=config)

    async def work(ready: Settings) -> bool:
        try:
            found = await connected(ready.phone)
        except PhoneError as problem:
            typer.echo(problem.sentence, err=True)
            return False
        if as_json:
            typer.echo(json.dumps([_plain(one) for one in found], ensure_ascii=False))
        elif not found:
            typer.echo(_("No phone is connected. Plug one in with USB debugging on, or run: assistant setup"))
        for one in () if as_json else found:
            typer.echo(_line(one))
        return bool(found)

    ready = asyncio.run(in_world(settings, WorldOptions() if demo else None, work))
    raise typer.Exit(0 if ready else 1)


async def connected(settings: PhoneSettings) -> list[PhoneStatus]:
    """Every phone that the adb server lists; a configured one on the network is connected first.

    Raises:
        PhoneError: there is no adb server.
    """
    adb = AdbServer(settings.adb_host, settings.adb_port)
    known = settings.serial
    if ":" in known and all(one.serial != known for one in await adb.devices()):
        await adb.connect(known)
    listed = await adb.devices()
    found = await asyncio.gather(*(Phone(adb, one.serial, settings).status() for one in listed))
    return [
        replace(status, serial=one.serial, model=status.model or one.model)
        for one, status in zip(listed, found, strict=True)
    ]


def _line(one: PhoneStatus) -> str:
    battery = f"{one.battery}%" if one.battery is not None else ""
    model = one_line(one.model) or _("phone")
    return "  ".join(part for part in (one_line(one.serial), model, battery, one_line(one.sentence)) if part)


def _plain(one: PhoneStatus) -> dict[str, object]:
    return {
        "serial": one.serial,
        "model": one.model,
        "android": one.android,
        "battery": one.battery,
        "state": one.state.value,
        "sentence": one.sentence,
    }

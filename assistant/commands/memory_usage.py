"""`assistant memory import usage`: habits of the first evening, from the phone's own usage statistics."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime
from pathlib import Path

import typer

from assistant.commands.options import in_world, settings_of
from assistant.commands.places import phone_of
from assistant.demo.memory import demo_store
from assistant.i18n import _
from assistant.memory.store import open_store
from assistant.phone.adb import AdbServer, Shell
from assistant.phone.apps import LABELS, AppLabels
from assistant.phone.errors import PhoneError
from assistant.phone.sensors import AppOpened, UsageUnknown, read_usage
from assistant.proactive.cold_start import habits_in
from assistant.settings.schema import Settings
from assistant.simulator.world import SIMULATED, WorldOptions


def import_usage(
    store: Path | None, serial: str, config: Path | None, *, demo: bool, learn: bool, as_json: bool
) -> None:
    """Read which apps are opened at about the same time on several days, and keep that as records.

    Raises:
        TyperException: the phone cannot be asked, or its statistics cannot be read; in words.
    """
    settings = settings_of(store, serial, config)
    if demo:
        typer.echo(_(SIMULATED), err=True)
        settings = demo_store(settings, store)
    world = WorldOptions() if demo else None
    count, seen, names = asyncio.run(in_world(settings, world, take_in))
    if learn and count:
        # As there: the embedder takes long to import.
        from assistant.cli.memory_data import learn_from_records

        memory = open_store(settings)
        try:
            learn_from_records(memory, settings)
        finally:
            memory.close()
    if as_json:
        typer.echo(json.dumps({"openings": seen, "imported": count, "apps": names}, ensure_ascii=False))
    elif names:
        typer.echo(
            _("{seen} openings read, {count} new records of habits: {names}.").format(
                seen=seen, count=count, names=", ".join(names)
            )
        )
    else:
        typer.echo(
            _("{seen} openings read, none at about the same time on three days. Try again in a few.").format(
                seen=seen
            )
        )


async def take_in(settings: Settings) -> tuple[int, int, list[str]]:
    """Read and keep; returns how many records are new, how many openings there were, and of which apps.

    Raises:
        TyperException: the phone cannot be asked, or its statistics cannot be read; in words.
    """
    opened, serial = await _read(settings)
    labels = AppLabels(settings.store / LABELS)
    memory = open_store(settings)
    try:
        records = habits_in(
            opened,
            settings.user_id,
            lambda package: labels.label(serial, package),
            known=memory.records.of(settings.user_id),
        )
        count = memory.records.add(records, "Import usage", "asked by the user") if records else 0
    finally:
        memory.close()
    return count, len(opened), sorted({one.app for one in records})


async def _read(settings: Settings) -> tuple[list[AppOpened], str]:
    adb = AdbServer(settings.phone.adb_host, settings.phone.adb_port)
    local = datetime.now().astimezone().tzinfo
    try:
        serial = await phone_of(settings, adb)
        shell = Shell(adb, serial, settings.phone.command_deadline)
        return (await read_usage(shell, local) if local else []), serial
    except PhoneError as problem:
        raise typer.TyperException(problem.sentence) from None
    except UsageUnknown as problem:
        raise typer.TyperException(str(problem)) from None

"""Options that several commands take."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from assistant import i18n
from assistant.settings.load import load
from assistant.settings.schema import Settings
from assistant.settings.table import load_what_is_right
from assistant.simulator.world import World, WorldOptions

T = TypeVar("T")

StoreOption = Annotated[Path | None, typer.Option("--store", help="Folder of the local memory.")]
SerialOption = Annotated[str, typer.Option("--serial", help="The phone's serial or host:port.")]
ConfigOption = Annotated[Path | None, typer.Option("--config", help="Settings file.")]
DemoOption = Annotated[bool, typer.Option("--demo", help="Use a simulated phone and a scripted model.")]
PlainOption = Annotated[
    bool, typer.Option("--plain", help="In lines, for screen readers and simple terminals.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")]


def settings_of(
    store: Path | None = None, serial: str = "", config: Path | None = None, *, lenient: bool = False
) -> Settings:
    """The settings as file, environment and options give them; their language is spoken from now on.

    Args:
        store: the folder of the memory.
        serial: the phone.
        config: the settings file.
        lenient: whether values of the file that cannot be used give way to defaults, to be mended later.

    Raises:
        SettingsError: they cannot be used.
    """
    overrides: dict[str, Any] = {}
    if store is not None:
        overrides["store"] = store
    if serial:
        overrides["phone"] = {"serial": serial}
    settings = load_what_is_right(config, overrides)[0] if lenient else load(config, overrides)
    i18n.use(settings.interface.language)
    return settings


async def in_world(
    settings: Settings, options: WorldOptions | None, work: Callable[[Settings], Awaitable[T]]
) -> T:
    """Await `work(settings)`, with the settings pointing into a simulated world where one is wanted."""
    if options is None:
        return await work(settings)
    async with World(options) as world:
        return await work(settings.overridden(world.settings))

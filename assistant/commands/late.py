"""Commands that are imported only when they are called: the interface must not wait for the benchmarks."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import typer
from typer.main import get_command

from assistant import i18n
from assistant.cli.help import Commands, SpokenGroup
from assistant.settings.table import language_of

_LATE = {
    "resolve": ("assistant.cli.resolve", "resolve_command"),
    "simulate": ("assistant.simulator.commands", "simulate_app"),
    "bench": ("assistant.bench.commands", "bench_app"),
    "devices": ("assistant.commands.devices", "devices_command"),
    "doctor": ("assistant.commands.doctor", "doctor_command"),
    "memory": ("assistant.cli.memory", "memory_app"),
    "models": ("assistant.cli.models", "models_app"),
    "suggest": ("assistant.cli.suggest", "suggest_command"),
    "watch": ("assistant.commands.watch", "watch_command"),
    "history": ("assistant.cli.history", "history_app"),
    "places": ("assistant.commands.places", "places_app"),
    "serve": ("assistant.cli.serve", "serve_command"),
    "settings": ("assistant.cli.account", "settings_app"),
    "setup": ("assistant.cli.setup", "setup_command"),
}
"""Where each command is: a module, and in it a Typer application or a function."""


class LateGroup(SpokenGroup):
    """The top level of the command line; knows the late commands by name."""

    def make_context(self, info_name: str | None, args: list[str], *others: Any, **extra: Any) -> Any:
        """Decide the language before anything is said."""
        i18n.use(language_of(_settings_file(args)))
        return super().make_context(info_name, args, *others, **extra)

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """All names, in the order of the help."""
        return [*_LATE, *super().list_commands(ctx)]

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]
        """A command by its name, imported now if it is a late one."""
        if cmd_name not in _LATE:
            return super().get_command(ctx, cmd_name)
        module, name = _LATE[cmd_name]
        target = getattr(import_module(module), name)
        if not isinstance(target, typer.Typer):
            single = Commands(pretty_exceptions_enable=False)
            single.command(cmd_name)(target)
            target = single
        command = get_command(target)
        command.name = cmd_name
        return command


def _settings_file(arguments: list[str]) -> Path | None:
    """The file that `--config` names, wherever it stands."""
    for argument, following in zip(arguments, [*arguments, ""][1:], strict=True):
        if argument == "--config":
            return Path(following)
        if argument.startswith("--config="):
            return Path(argument.partition("=")[2])
    return None

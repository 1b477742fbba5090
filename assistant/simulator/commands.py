"""`assistant simulate …`: the simulated phone, the scripted model and synthetic lives as programs.

Each command is imported only when it is called: the demo waits for phone and model, and each needs only its
own half.
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from assistant.i18n import later

_COMMANDS = {
    "life": ("assistant.simulator.life.commands", "life_command"),
    "phone": ("assistant.simulator.phone_command", "phone_command"),
    "model": ("assistant.simulator.model.command", "model_command"),
}


class _Commands(TyperGroup):
    """Knows the commands by name, and imports one when it is called or its help is shown."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """All names, in the order of the help."""
        return list(_COMMANDS)

    def get_command(self, ctx: typer.Context, cmd_name: str) -> TyperCommand | None:  # type: ignore[override]
        """A command by its name; None where there is none of this name."""
        if cmd_name not in _COMMANDS:
            return None
        module, function = _COMMANDS[cmd_name]
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        single.command(cmd_name)(getattr(import_module(module), function))
        return cast(TyperCommand, get_command(single))


simulate_app = typer.Typer(
    cls=_Commands,
    help=later("A simulated phone, a scripted model, synthetic lives."),
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


@simulate_app.callback()
def _simulate() -> None:
    """Makes a group of it, though no command is registered."""

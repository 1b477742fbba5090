"""`assistant serve`: the interface in a browser, for whoever has the address that is printed."""

from __future__ import annotations

import shlex
import socket
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.help import ConfigOption, DemoOption, SerialOption, StoreOption, settings_of
from assistant.i18n import _, later
from assistant.tui.keys import key_problem

MISSING = later("The browser interface needs textual-serve: pip install 'assistant[serve]'")
OPEN = later(
    "Warning: whoever reaches {host} and has the address can use your phone and read your memory. "
    "The connection is not encrypted: use it in a network that you trust, or through a tunnel."
)
_BROWSER_KEYS = {"this_turn": "ctrl+b", "refuse": "ctrl+r"}
"""Browsers open tabs and windows with ctrl+t and ctrl+n, and no page can keep them from it."""
_DRIVER = "assistant.tui.web_driver:WebDriver"
_HERE = ("127.0.0.1", "localhost", "::1")


def serve_command(
    host: Annotated[
        str, typer.Option("--host", help="Where to listen; by default only this computer can connect.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0 for any.")] = 8765,
    store: StoreOption = None,
    serial: SerialOption = "",
    config: ConfigOption = None,
    demo: DemoOption = False,
) -> None:
    """The interface in a browser, until ctrl+c. Every tab is a program of its own on the same memory."""
    settings = settings_of(store, serial, config)
    if find_spec("textual_serve") is None:
        typer.echo(_(MISSING), err=True)
        raise typer.Exit(1)
    # Late, since it is an extra.
    from assistant.web import ListenAddress, serve

    if host not in _HERE:
        typer.echo(_(OPEN).format(host=host), err=True)
    named = socket.gethostname() if _everywhere(host) else host
    try:
        command = interface_command(store, serial, config, demo=demo)
        serve(command, browser_keys(settings.keys), ListenAddress(host, port, named), typer.echo)
    except OSError as error:
        typer.echo(
            _("{host}:{port} cannot be listened on: {reason}. Choose another --port.").format(
                host=host, port=port, reason=error.strerror or error
            ),
            err=True,
        )
        raise typer.Exit(1) from error


def browser_keys(chosen: Mapping[str, str]) -> dict[str, str]:
    """What each tab finds in its environment: other keys for what a browser keeps to itself.

    Args:
        chosen: the keys that the user has chosen, which stay.
    """
    return {
        f"ASSISTANT_KEYS__{action.upper()}": key
        for action, key in _BROWSER_KEYS.items()
        if action not in chosen and not key_problem(chosen, action, key)
    }


def _everywhere(host: str) -> bool:
    """Whether a host means all of this computer's addresses, so that no browser can open it by that name."""
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return False


def interface_command(store: Path | None, serial: str, config: Path | None, *, demo: bool) -> str:
    """The command that each tab runs, for a shell."""
    words = [
        "env",
        f"TEXTUAL_DRIVER={_DRIVER}",
        sys.executable,
        "-m",
        "assistant",
        *(["demo"] if demo else []),
    ]
    for option, value in (("--store", store), ("--config", config)):
        if value is not None:
            words += [option, str(value.resolve())]
    if serial and not demo:
        words += ["--serial", serial]
    return shlex.join(words)

"""Terminal features for which Textual has no call: title and desktop notifications."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from textual.app import App

_NOTIFYING = ("rxvt", "foot")
"""Terminals that support OSC 777; others use OSC 9, as iTerm2, kitty, WezTerm and Ghostty do."""
_SAVE, _RESTORE = "\x1b[22;0t", "\x1b[23;0t"


def save_title(app: App[None]) -> None:
    """Have the terminal save its title."""
    write(app, _SAVE)


def set_title(app: App[None], title: str) -> None:
    """Set the terminal's title; `title` must be our own text, never text from outside."""
    write(app, f"\x1b]0;{title}\x07")


def restore_title(app: App[None]) -> None:
    """Restore the saved title."""
    write(app, _RESTORE)


def notify(app: App[None], text: str, environment: Mapping[str, str] = os.environ) -> None:
    """Show a desktop notification, if the terminal supports them.

    Args:
        app: the app in the terminal.
        text: one line; control characters are removed.
        environment: the environment variables, to select the escape sequence.
    """
    printable = "".join(letter for letter in text if letter.isprintable()).replace(";", ",")
    supports_osc_777 = environment.get("TERM", "").startswith(_NOTIFYING) or environment.get("VTE_VERSION")
    write(
        app,
        f"\x1b]777;notify;assistant;{printable}\x1b\\" if supports_osc_777 else f"\x1b]9;{printable}\x1b\\",
    )


def write(app: App[Any], sequence: str) -> None:
    """Write an escape sequence to the terminal between two frames; does nothing without one."""
    driver = app._driver
    if driver is not None and not app.is_headless:
        driver.write(sequence)

"""What the terminal itself shows: its title, for which Textual has no call of its own."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from textual.app import App

_NOTIFYING = ("rxvt", "foot")
"""Terminals that know OSC 777; others take OSC 9, as iTerm2, kitty, WezTerm and Ghostty do."""
_SAVE, _RESTORE = "\x1b[22;0t", "\x1b[23;0t"


def save_title(app: App[None]) -> None:
    """Ask the terminal to remember its title."""
    write(app, _SAVE)


def set_title(app: App[None], title: str) -> None:
    """Set the terminal's title; `title` is our own words, never text from outside."""
    write(app, f"\x1b]0;{title}\x07")


def restore_title(app: App[None]) -> None:
    """Give the terminal its own title back."""
    write(app, _RESTORE)


def notify(app: App[None], text: str, environment: Mapping[str, str] = os.environ) -> None:
    """Have the terminal show a desktop notification; one that cannot shows nothing.

    Args:
        app: whose terminal.
        text: one line; control characters in it are left out.
        environment: tells which of the two common sequences the terminal knows.
    """
    plain = "".join(letter for letter in text if letter.isprintable()).replace(";", ",")
    known = environment.get("TERM", "").startswith(_NOTIFYING) or environment.get("VTE_VERSION")
    write(app, f"\x1b]777;notify;assistant;{plain}\x1b\\" if known else f"\x1b]9;{plain}\x1b\\")


def write(app: App[Any], sequence: str) -> None:
    """Write a sequence to the terminal between two frames; nothing where there is none."""
    driver = app._driver
    if driver is not None and not app.is_headless:
        driver.write(sequence)

"""What the terminal itself shows: its title, for which Textual has no call of its own."""

from __future__ import annotations

from textual.app import App

_SAVE, _RESTORE = "\x1b[22;0t", "\x1b[23;0t"


def save_title(app: App[None]) -> None:
    """Ask the terminal to remember its title."""
    _write(app, _SAVE)


def set_title(app: App[None], title: str) -> None:
    """Set the terminal's title; `title` is our own words, never text from outside."""
    _write(app, f"\x1b]0;{title}\x07")


def restore_title(app: App[None]) -> None:
    """Give the terminal its own title back."""
    _write(app, _RESTORE)


def _write(app: App[None], sequence: str) -> None:
    driver = app._driver
    if driver is not None and not app.is_headless:
        driver.write(sequence)

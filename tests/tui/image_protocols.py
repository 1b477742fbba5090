"""An app on a real terminal line, whose other end is read and answered by the test."""

from __future__ import annotations

import asyncio
import codecs
import os
import pty
import re
import signal
import struct
import sys
import termios
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from fcntl import ioctl
from typing import ClassVar

import pytest
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from assistant.tui.terminal_probe import ImageTerminal
from assistant.tui.widgets.phone_screen import DrawnPicture, ImageApp

COLUMNS, ROWS = 40, 12
CELL = 8, 16
END = "\x1b]7777;end\x07"
_SIGNALS = (signal.SIGTSTP, signal.SIGCONT, signal.SIGWINCH, signal.SIGTTIN, signal.SIGTTOU)


class Above(ModalScreen[None]):
    """Covers everything."""

    BINDINGS: ClassVar[list[BindingType]] = [("f12", "dismiss")]

    def compose(self) -> ComposeResult:
        yield Static("above")


class WiredApp(ImageApp[None]):
    """A field, a picture beside it, and something that can lie over its corner."""

    CSS = """
    Screen { layers: below above; }
    Input { width: 20; }
    #picture { layer: below; offset: 20 0; width: 20; height: 10; border: round white; }
    #patch { layer: above; offset: 30 2; width: 5; height: 2; display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        ("f2", "push_screen('above')"),
        ("f3", "hide"),
        ("f4", "cover"),
        ("f12", "pop_screen"),
    ]
    SCREENS: ClassVar = {"above": Above}

    def __init__(self, terminal: ImageTerminal) -> None:
        super().__init__(terminal)
        self.animation_level = "none"
        self.picture = DrawnPicture("picture")

    def compose(self) -> ComposeResult:
        yield Input()
        yield self.picture
        yield Static("patch", id="patch")

    def action_hide(self) -> None:
        self.picture.display = not self.picture.display

    def action_cover(self) -> None:
        patch = self.query_one("#patch")
        patch.display = not patch.display


class Wire:
    """The terminal's end: everything that the app wrote, in order."""

    def __init__(self, app: WiredApp, terminal: int) -> None:
        self.app = app
        self._terminal = terminal
        self._more = asyncio.Event()
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self.written = ""

    def read(self) -> None:
        """Take in what can be read."""
        self.written += self._decoder.decode(os.read(self._terminal, 1 << 16))
        self._more.set()

    def type(self, text: str) -> None:
        """Press keys, or answer."""
        os.write(self._terminal, text.encode())

    async def until(self, true: Callable[[str], object], since: int = 0) -> str:
        """Wait until it is true of what was written since a place; gives that text."""
        while not true(self.written[since:]):
            self._more.clear()
            async with asyncio.timeout(20):
                await self._more.wait()
        return self.written[since:]

    async def shows(self, words: str, since: int = 0) -> str:
        """Wait until words were written since a place; gives the text since then."""
        return await self.until(lambda text: words in text, since)

    async def settled(self) -> None:
        """Wait until a mark that the app writes last has come through."""
        await self.app.workers.wait_for_complete()
        done = asyncio.Event()
        self.app.call_after_refresh(self.app.call_after_refresh, done.set)
        await done.wait()
        mark = f"\x1b]7777;{len(self.written)}\x07"
        assert self.app._driver is not None
        self.app._driver.write(mark)
        self.app._driver.flush()
        await self.until(lambda text: mark in text)


def pictures(text: str) -> list[str]:
    """The Sixel sequences in what was written."""
    return re.findall(r"\x1b7\x1b\[[\d;]+H\x1bP[^\x1b]*\x1b\\\x1b8", text)


@asynccontextmanager
async def on_the_wire(app: WiredApp, patch: pytest.MonkeyPatch) -> AsyncIterator[Wire]:
    """Run an app on a terminal line until the test is through."""
    master, slave = pty.openpty()
    ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, COLUMNS * CELL[0], ROWS * CELL[1]))
    handlers = {number: signal.getsignal(number) for number in _SIGNALS}
    wire = Wire(app, master)
    loop = asyncio.get_running_loop()
    loop.add_reader(master, wire.read)
    with (
        os.fdopen(slave, "w", encoding="utf-8", closefd=False) as drawn,
        os.fdopen(slave, closefd=False) as keys,
    ):
        patch.setattr(sys, "__stderr__", drawn)
        patch.setattr(sys, "__stdin__", keys)
        patch.setenv("COLUMNS", str(COLUMNS))
        patch.setenv("LINES", str(ROWS))
        running = asyncio.create_task(app.run_async())
        try:
            await wire.until(lambda text: "\x1b[?1049h" in text and "╭" in text)
            yield wire
        finally:
            app.exit()
            await running
            # What the app wrote last comes through before this does.
            drawn.write(END)
            drawn.flush()
            await wire.shows(END)
            loop.remove_reader(master)
            patch.undo()
            for number, handler in handlers.items():
                signal.signal(number, handler)
    os.close(slave)
    os.close(master)

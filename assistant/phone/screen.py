"""Reading the screen: screenshot and UI tree side by side, until the screen has settled."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from assistant.phone import pictures
from assistant.phone.shell import Output, Shell
from assistant.phone.ui_tree import UiTree, UnreadableTree, parse_tree

_TRIES = 3
_NOT_IDLE = "could not get idle state"
_TO_TERMINAL = "uiautomator dump /dev/tty"


@dataclass(frozen=True, slots=True)
class Shot:
    """One screenshot. `png` is empty when none could be taken, `forbidden` when the phone said so."""

    png: bytes = field(default=b"", repr=False)
    forbidden: bool = False


Glimpse = Callable[[bytes], None]
"""Is given screenshots (PNG, or empty) early, before the screen is known to have settled."""


def unheeded(png: bytes) -> None:
    """Does nothing with a glimpse."""


class ScreenSource(Protocol):
    """One way to look at a phone's screen. Methods raise `PhoneError` when the phone is lost."""

    async def screenshot(self) -> Shot:
        """The screen as it is now."""

    async def tree(self) -> UiTree | None:
        """The UI tree of the active window; None when the phone gives none, as under an animation."""


@dataclass(frozen=True, slots=True)
class Look:
    """The screen's picture and tree, and whether it had stopped moving."""

    shot: Shot
    tree: UiTree | None
    settled: bool


class AdbScreenSource:
    """`screencap` and `uiautomator dump`: slow on real phones, but every phone has them."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._file = f"/data/local/tmp/assistant-{os.getpid()}.xml"
        self._terminal_works = True
        self._was_busy = False

    async def screenshot(self) -> Shot:
        """The screen as it is now; a second try when the answer is no picture."""
        for _ in range(2):
            output = await self._shell.run("screencap -p")
            try:
                return Shot(pictures.find_png(output.stdout))
            except pictures.NotAPicture:
                if refuses_screenshot(output):
                    return Shot(forbidden=True)
        return Shot()

    async def tree(self) -> UiTree | None:
        """The UI tree of the active window.

        An animated screen never becomes idle, and an attempt takes ten seconds on a real phone. It is tried
        once more in the compressed form, which waits for less, and then given up; next time that form is
        tried alone.
        """
        tries = 0
        while tries < _TRIES:
            tries += 1
            output = await self._dump("--compressed " if self._was_busy else "")
            try:
                tree = parse_tree(output.stdout)
            except UnreadableTree:
                if _NOT_IDLE in output.everything:
                    if self._was_busy:
                        return None
                    self._was_busy = True
                elif self._terminal_works and "dumped to: /dev/tty" in output.everything:
                    self._terminal_works = False
                    tries -= 1
            else:
                self._was_busy = False
                return tree
        return None

    async def _dump(self, options: str) -> Output:
        if self._terminal_works:
            return await self._shell.run(_TO_TERMINAL.replace("dump ", f"dump {options}"))
        file = self._file
        return await self._shell.run(
            f"rm -f {file}; uiautomator dump {options}{file}; cat {file}; rm -f {file}"
        )


def refuses_screenshot(output: Output) -> bool:
    """Whether `screencap` printed that it may not, as some phones do for secure screens."""
    printed = output.everything[:500]
    return "Status: -1" in printed or "Failed" in printed


async def settled_look(
    source: ScreenSource,
    cap: float,
    now: Callable[[], float] = time.monotonic,
    glimpse: Glimpse = unheeded,
) -> Look:
    """Look until two screenshots in a row, the last one taken when the tree was read, show the same.

    Screenshots go on while the tree is being read, so that it starts over only if the screen moved in the
    end. The last screenshot is the one returned.

    Args:
        source: where to look.
        cap: seconds after which a screen that still moves is taken as it is.
        now: the clock.
        glimpse: is given each screenshot taken while there is something else to wait for.
    """
    end = now() + cap
    latest: Shot | None = None
    while True:
        reading = asyncio.ensure_future(source.tree())
        try:
            before, latest = latest, await source.screenshot()
            glimpse(latest.png)
            while before is None or (not reading.done() and now() < end):
                before, latest = latest, await source.screenshot()
                glimpse(latest.png)
            if not reading.done():
                await reading
                before, latest = latest, await source.screenshot()
            tree = await reading
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
        settled = await _same(before, latest)
        if settled or now() >= end:
            return Look(latest, tree, settled)


async def _same(before: Shot, after: Shot) -> bool:
    if before.png == after.png:
        return before.forbidden == after.forbidden
    if not before.png or not after.png:
        return False
    return await asyncio.to_thread(pictures.unmoved, before.png, after.png)

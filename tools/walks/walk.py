"""A walk: keys that a person presses, what they wait to see, and every screen that they stop at."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.cells import set_cell_size

from assistant.i18n import _
from tools.walks.terminal import Terminal

LIMIT = 90.0
"""Seconds after which a stage is held not to come."""
_LOOK = 0.1
_AGAIN = 2.0
"""After how many seconds a person presses a key again that did nothing."""
_EDGE = "│"
"""The left edge of a panel, in which a field may be."""
_STILL = 1.5
"""How long a screen may take, in seconds, to stop changing; a turn that runs does not."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A screen at which a person stops to look.

    Attributes:
        title: what is to be seen there, in a few words.
        done: what was pressed and typed to get there, in order.
        seconds: since the walk began.
        keys: pressed since then; a character that is typed is one.
        lines: the screen's text.
        styled: the same with its colours, as escape sequences.
    """

    title: str
    done: tuple[str, ...]
    seconds: float
    keys: int
    lines: tuple[str, ...]
    styled: str


class NotSeen(Exception):
    """A stage did not come; the message says which, and what was on the screen instead."""


class Walk:
    """Presses keys in a terminal and remembers the stages.

    Args:
        terminal: where the program runs.
        tell: hears of each stage as it comes.
        clock: seconds that only grow.
    """

    def __init__(
        self,
        terminal: Terminal,
        tell: Callable[[Stage], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._terminal = terminal
        self._clock = clock
        self._tell = tell
        self._begin = clock()
        self._done: list[str] = []
        self._keys = 0

    def start(self, *arguments: str) -> None:
        """Start the program in the terminal."""
        self._done.append(" ".join(["assistant", *arguments]))
        self._terminal.start([sys.executable, "-m", "assistant", *arguments])

    def press(self, *keys: str) -> None:
        """Press keys one after another."""
        for key in keys:
            self._terminal.press(key)
        self._keys += len(keys)
        self._done += keys

    def type(self, text: str) -> None:
        """Type a text."""
        self._terminal.type(text)
        self._keys += len(text)
        self._done.append(f"“{text}”")

    def say(self, text: str) -> None:
        """Type a text and send it."""
        self.type(text)
        self.press("enter")

    def kill(self) -> None:
        """End the program as the system does that has no memory left."""
        os.kill(self._terminal.process(), signal.SIGKILL)
        self._done.append("kill -9")

    async def ended(self) -> None:
        """Wait until the program has ended.

        Raises:
            NotSeen: it goes on.
        """
        await self._until("the end of the program", self._terminal.ended, LIMIT)

    def note(self, what: str) -> None:
        """Remember what was done other than at the keyboard."""
        self._done.append(what)

    async def see(self, title: str, *words: str, limit: float = LIMIT) -> None:
        """Wait until all of some words stand on the screen, and stop there to look.

        Args:
            title: what is to be seen.
            words: messages of the program, in English: they are looked for in the language spoken. What
                stands between braces in them may be anything.
            limit: seconds after which it is held not to come.

        Raises:
            NotSeen: it did not come.
        """
        await self.meet(title, *words, limit=limit)
        await self._stand_still()
        self._tell(
            Stage(
                title=title,
                done=tuple(self._done),
                seconds=self._clock() - self._begin,
                keys=self._keys,
                lines=tuple(self._terminal.lines()),
                styled=self._terminal.styled(),
            )
        )
        self._done.clear()

    async def meet(self, title: str, *words: str, limit: float = LIMIT) -> None:
        """As `see`, without a stop.

        Raises:
            NotSeen: it did not come.
        """
        wanted = [pattern(_(one)) for one in words]
        await self._until(title, lambda: self._shows(wanted), limit)

    async def pass_by(self, words: str) -> None:
        """Wait until some words, such as that something is looked up, have gone.

        Raises:
            NotSeen: they stay.
        """
        wanted = [pattern(_(words))]
        await self._until(f"the end of “{words}”", lambda: not self._shows(wanted), LIMIT)

    async def comes(self, words: str, limit: float) -> bool:
        """Whether some words come to stand on the screen in time."""
        wanted = [pattern(_(words))]
        return await self._within(limit, lambda: self._shows(wanted))

    def _shows(self, wanted: Sequence[re.Pattern[str]]) -> bool:
        screen = flat(self._terminal.lines())
        return all(one.search(screen) for one in wanted)

    async def close(self, key: str, words: str) -> None:
        """Press a key once and wait until some words are gone.

        Raises:
            NotSeen: they stay.
        """
        self.press(key)
        await self.pass_by(words)

    async def clear(self) -> None:
        """Empty the field that the cursor is in, and wait until it is: what is typed next must not go too.

        Raises:
            NotSeen: it stays full.
        """
        self.press("ctrl+u")
        await self._until("an empty field", self._nothing_typed, LIMIT)

    def _nothing_typed(self) -> bool:
        column, line = self._terminal.cursor()
        return not set_cell_size(self._terminal.lines()[line], column).rpartition(_EDGE)[2].strip()

    async def leave(self, key: str) -> None:
        """Press a key that leads to another field, and wait until the cursor stands elsewhere.

        Raises:
            NotSeen: it stays.
        """
        before = self._terminal.cursor()[1]
        self.press(key)
        await self._until("another field", lambda: self._terminal.cursor()[1] != before, LIMIT)

    async def insist(self, keys: str, words: str, limit: float = LIMIT) -> None:
        """Press keys, again after a while, until some words are gone: what just appeared takes no key yet.

        Args:
            keys: with a space between them.
            words: as in `see`.
            limit: as in `see`.

        Raises:
            NotSeen: they stay.
        """
        wanted = [pattern(_(words))]
        end = self._clock() + limit
        while self._shows(wanted):
            if self._clock() > end:
                raise NotSeen(f"{keys} does not make “{words}” go within {limit:.0f} s.")
            self.press(*keys.split())
            await self._within(_AGAIN, lambda: not self._shows(wanted))

    async def bring(self, key: str, words: str, limit: float = LIMIT) -> None:
        """Press a key, again after a while, until some words come: what is still looked up takes no key yet.

        Raises:
            NotSeen: they do not come.
        """
        end = self._clock() + limit
        self.press(key)
        while not await self.comes(words, _AGAIN):
            if self._clock() > end:
                raise NotSeen(f"{key} does not bring “{words}” within {limit:.0f} s.")
            self.press(key)

    async def _until(self, title: str, holds: Callable[[], bool], limit: float) -> None:
        if not await self._within(limit, holds):
            screen = "\n".join(self._terminal.lines())
            raise NotSeen(f"“{title}” did not come within {limit:.0f} s. The screen was:\n{screen}")

    async def _within(self, limit: float, holds: Callable[[], bool]) -> bool:
        """Look until a condition holds; false where it does not in time."""
        end = self._clock() + limit
        while not holds():
            if self._clock() > end:
                return False
            await asyncio.sleep(_LOOK)
        return True

    async def _stand_still(self) -> None:
        before = [""]

        def stands() -> bool:
            now = self._terminal.styled()
            same, before[0] = now == before[0], now
            return same

        await self._within(_STILL, stands)


def flat(lines: Sequence[str]) -> str:
    """A screen as one line without frames, so that words are found across the ends of lines."""
    return re.sub(r"[\s│▁-█▔▕▏]+", " ", " ".join(lines))


def pattern(words: str) -> re.Pattern[str]:
    """What finds a message of the program on a flat screen; its fields may hold anything."""
    parts = re.split(r"\{[a-z_]*\}", " ".join(words.split()))
    # A line of Chinese ends between any two characters.
    return re.compile(".{0,200}?".join(_loose(part) for part in parts))


def _loose(text: str) -> str:
    return "".join(re.escape(sign) + (" ?" if ord(sign) > 0x2E80 else "") for sign in text)


def program_environment(home: Path, language: str) -> dict[str, str]:
    """All that the program finds in its environment: an empty home, and where its sources are."""
    return {
        "HOME": str(home),
        "ASSISTANT_STORE": str(home / "memory"),
        "PATH": os.environ.get("PATH", os.defpath),
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "LANG": "zh_CN.UTF-8" if language == "zh" else "C.UTF-8",
        "TERM": "tmux-256color",
        "COLORTERM": "truecolor",
        "TZ": "UTC",
    }

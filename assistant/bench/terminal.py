"""Runs a program in a terminal of its own, presses keys there and reads what is painted."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import signal
import struct
import termios
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

_KEPT = 400_000
_QUOTED = 600
_STOP_LIMIT = 5.0


class TerminalFailed(Exception):
    """The program ended, or does not show what it should; the message carries what it painted last."""


class Terminal:
    """A pseudo-terminal with a program in it. `painted` is the latest of what it wrote."""

    def __init__(self, master: int, pid: int) -> None:
        self._master = master
        self._pid = pid
        self.painted = b""
        self._news = asyncio.Event()
        self._ended = False

    def press(self, keys: bytes) -> float:
        """Send keys; the `time.monotonic()` moment before that."""
        moment = time.monotonic()
        os.write(self._master, keys)
        return moment

    async def paints(self, text: bytes, limit: float) -> float:
        """Wait until a text has been painted since `forget`; the `time.monotonic()` moment.

        Raises:
            TerminalFailed: the program ended, or `limit` seconds have passed.
        """
        try:
            async with asyncio.timeout(limit):
                while text not in self.painted:
                    if self._ended:
                        raise self._failure("ended")
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError as error:
            raise self._failure(f"does not show “{text.decode()}”") from error
        return time.monotonic()

    async def quiet(self, seconds: float, limit: float) -> None:
        """Wait until nothing has been painted for some seconds, `limit` seconds at the most."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), seconds)
            except TimeoutError:
                return

    @property
    def ended(self) -> bool:
        """Whether the program has ended."""
        return self._ended

    def kill(self) -> None:
        """Kill the program at once, as the system does when memory runs out."""
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)

    def memory(self) -> int:
        """The bytes that the program holds in memory now; 0 where the system does not tell."""
        try:
            pages = Path(f"/proc/{self._pid}/statm").read_text("ascii").split()[1]
        except (OSError, IndexError):
            return 0
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def forget(self) -> None:
        """Forget what was painted so far."""
        self.painted = b""

    def _read(self) -> None:
        try:
            self.painted = (self.painted + os.read(self._master, 65536))[-_KEPT:]
        except OSError:
            self._ended = True
            asyncio.get_running_loop().remove_reader(self._master)
        self._news.set()

    def _failure(self, what: str) -> TerminalFailed:
        shown = self.painted[-_QUOTED:].decode("utf-8", "replace")
        return TerminalFailed(f"The interface {what}. It painted: {shown!a}")


@asynccontextmanager
async def in_terminal(
    command: Sequence[str], columns: int, rows: int, environment: Mapping[str, str]
) -> AsyncIterator[Terminal]:
    """A program in a terminal of a size; it is ended at the end."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    variables = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", **environment}
    program = await asyncio.create_subprocess_exec(
        *command, stdin=slave, stdout=slave, stderr=slave, env=variables, start_new_session=True
    )
    os.close(slave)
    terminal = Terminal(master, program.pid)
    loop = asyncio.get_running_loop()
    loop.add_reader(master, terminal._read)
    try:
        yield terminal
    finally:
        with suppress(ProcessLookupError):
            program.terminate()
        try:
            await asyncio.wait_for(program.wait(), _STOP_LIMIT)
        except TimeoutError:
            program.kill()
            await program.wait()
        loop.remove_reader(master)
        os.close(master)

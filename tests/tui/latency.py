"""How long a key takes to be painted, and Escape to reach the engine: `python -m tests.tui.latency [STEPS]`.

The interface runs in a terminal of its own while thoughts stream into the last of many steps. Not a test:
it prints figures of the machine it runs on.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import json
import os
import pty
import select
import statistics
import struct
import sys
import termios
import time

from assistant import events
from assistant.cli.setup import run_tui
from assistant.records import Click, Outcome, Point, Usage
from tests.tui.scripted import NOW, ScriptedEngine

from .sample_screens import phone_picture

_KEYS = "QZXVWY" * 7
_SECONDS_A_PIECE = 1 / 60


class StreamingEngine(ScriptedEngine):
    """Emits many steps, then thoughts without end; tells when it was paused."""

    steps = 500
    past_count = 0
    paused_at = -1

    async def start(self) -> None:
        self.phone()
        for number in range(self.past_count):
            self.begin(f"turn {number} of many")
            self.finish(Outcome.SUCCESS, f"Turn {number} is done, and this is what came of it.", 4)
        self.begin("many steps")
        action = Click(point=Point(0.5, 0.5), content="next")
        for number in range(1, self.steps):
            self.observe(number, picture=phone_picture(1080, 2400))
            self.choose(number, action)
            self.act(number, action)
        self.observe(self.steps)
        self.streaming = asyncio.create_task(self._stream())

    async def _stream(self) -> None:
        while True:
            self.think(self.steps, "the list is long and is read word by word ")
            self.emit(events.UsageUpdated(time=NOW, usage=Usage(prompt_tokens=1)))
            await asyncio.sleep(_SECONDS_A_PIECE)

    def pause(self) -> None:
        os.write(self.paused_at, json.dumps(time.monotonic()).encode())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("steps", nargs="?", type=int, default=500)
    parser.add_argument("--size", default="160x50")
    parser.add_argument("--turns", type=int, default=50, help="turns that are over, in the conversation")
    arguments = parser.parse_args()
    columns, rows = (int(part) for part in arguments.size.split("x"))
    read_end, write_end = os.pipe()
    child, terminal = pty.fork()
    if child == 0:
        os.environ["TERM"] = "xterm-256color"
        engine = StreamingEngine()
        engine.steps, engine.past_count, engine.paused_at = arguments.steps, arguments.turns, write_end
        sys.exit(asyncio.run(run_tui(engine)))
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    _read_until(terminal, b"", 10)
    taken = []
    for key in _KEYS:
        _read_until(terminal, b"", 0.1)
        began = time.monotonic()
        os.write(terminal, key.encode())
        _read_until(terminal, key.encode(), 2)
        taken.append((time.monotonic() - began) * 1000)
    began = time.monotonic()
    os.write(terminal, b"\x1b")
    select.select([read_end], [], [], 2)
    escape = (json.loads(os.read(read_end, 100)) - began) * 1000
    os.write(terminal, b"\x11")
    _read_until(terminal, b"", 1)
    taken.sort()
    tail = taken[round(0.95 * len(taken)) - 1]
    sys.stdout.write(
        f"{arguments.turns} turns, {arguments.steps} steps, {columns}x{rows}, "
        f"{1 / _SECONDS_A_PIECE:.0f} pieces of thought a second\n"
        f"key to paint: median {statistics.median(taken):.0f} ms, p95 {tail:.0f} ms, "
        f"worst of {len(taken)} {taken[-1]:.0f} ms\n"
        f"escape to engine: {escape:.0f} ms\n"
    )


def _read_until(terminal: int, wanted: bytes, seconds: float) -> None:
    """Read what is painted until it contains `wanted` or the time is over."""
    deadline, seen = time.monotonic() + seconds, b""
    while (left := deadline - time.monotonic()) > 0:
        if not select.select([terminal], [], [], left)[0]:
            return
        try:
            seen = (seen + os.read(terminal, 65536))[-200_000:]
        except OSError:
            return
        if wanted and wanted in seen:
            return


if __name__ == "__main__":
    main()

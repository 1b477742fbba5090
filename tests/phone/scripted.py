"""A phone that answers shell commands as a test tells it to, behind the simulator's real adb daemon."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cache

from PIL import Image

from assistant.simulator.adbd.backend import ByteReader, Fd, FileStatus, Write


@dataclass(frozen=True)
class Answer:
    """What a command prints and how it exits."""

    out: bytes | str = b""
    err: str = ""
    code: int = 0


Action = Callable[[str, Write], Awaitable[int]]

WINDOWS = """  Display: mDisplayId=0
    init=1080x2400 420dpi cur=1080x2400 app=1080x2274
  mCurrentFocus=Window{2785a60 u0 com.example.shop/com.example.shop.MainActivity}
  mFocusedApp=ActivityRecord{d72327 u0 com.example.shop/.MainActivity t409}
"""
TREE = (
    "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">"
    '<node index="0" text="" class="android.widget.FrameLayout" package="com.example.shop" '
    'bounds="[0,0][1080,2400]"><node index="0" text="Search" class="android.widget.EditText" '
    'package="com.example.shop" clickable="true" focused="true" '
    'bounds="[0,200][1080,300]" /></node></hierarchy>'
    "UI hierchary dumped to: /dev/tty\n"
)
POLICY = "== policy\n      mIsShowing=false\n      mInputRestricted=false\n"
FACTS = f"{WINDOWS}{POLICY}== power\n  mWakefulness=Awake\n"


@cache
def png(width: int = 1080, height: int = 2400, colour: str = "white") -> bytes:
    """A plain picture."""
    buffer = io.BytesIO()
    Image.new("RGB", (width, height), colour).save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()


@dataclass
class ScriptedShell:
    """Answers a line by the last rule whose words stand in it. `lines` were begun, `done` are finished."""

    rules: list[tuple[str, Answer | Action]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.rules = [
            ("", Answer()),
            ("getprop ro.build.version.sdk", Answer("31\n")),
            ("getprop ro.product.model", Answer("12\nSim Phone\n")),
            ("screencap", Answer(png())),
            ("uiautomator dump /dev/tty", Answer(TREE)),
            ("dumpsys window", Answer(FACTS)),
            ("dumpsys battery", Answer("  level: 84\nPhysical size: 1080x2400\n")),
        ]

    def on(self, words: str, answer: Answer | Action | bytes | str) -> None:
        """Answer lines with these words so from now on."""
        self.rules.append((words, Answer(answer) if isinstance(answer, (bytes, str)) else answer))

    def wait_on(self, words: str) -> None:
        """Let lines with these words wait for the gate."""

        async def waiting(line: str, write: Write) -> int:
            await self.gate.wait()
            return 0

        self.on(words, waiting)

    async def run(self, line: str, stdin: ByteReader, write: Write) -> int:
        self.lines.append(line)
        answer = next(answer for words, answer in reversed(self.rules) if words in line)
        if isinstance(answer, Answer):
            out = answer.out.encode() if isinstance(answer.out, str) else answer.out
            await write(Fd.STDOUT, out)
            await write(Fd.STDERR, answer.err.encode())
            code = answer.code
        else:
            code = await answer(line, write)
        self.done.append(line)
        return code


class NoFiles:
    """A phone without files."""

    def status(self, path: str) -> FileStatus | None:
        return None

    def list(self, path: str) -> list[tuple[str, FileStatus]]:
        return []

    def read(self, path: str) -> bytes:
        raise FileNotFoundError(path)

    def write(self, path: str, content: bytes, mode: int = 0o660, mtime: int | None = None) -> None:
        raise PermissionError(path)


async def until(holds: Callable[[], bool], limit: float = 5.0) -> None:
    """Wait for a condition. Raises `TimeoutError`."""
    async with asyncio.timeout(limit):
        while True:
            if holds():
                return
            await asyncio.sleep(0.002)

"""The session of lines in a true terminal, in a program of its own."""

from __future__ import annotations

import os
import pty
import select
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from assistant.plain.output import wrap_line

_PROGRAM = """
import asyncio, sys
from assistant.plain.session import run_plain
from assistant.events import Cause, TurnState
from tests.tui.scripted import ScriptedEngine, lunch

class Engine(ScriptedEngine):
    def run(self, said):
        lunch(self)
        self.decision = self.ask_approval(4)
        self.decision.add_done_callback(lambda done: self.enter(TurnState.RUNNING, Cause.THINKING))

engine = Engine()
sys.exit(asyncio.run(run_plain(engine)))
"""


class Terminal:
    """A program in a pseudo terminal."""

    def __init__(self, program: str) -> None:
        self.seen = ""
        child, self._descriptor = pty.fork()
        if child == 0:
            os.environ["TERM"] = "dumb"
            os.execv(sys.executable, [sys.executable, "-c", program])
        self._child = child

    def type(self, text: str) -> None:
        os.write(self._descriptor, text.encode())

    def until(self, words: str, seconds: float = 60) -> None:
        deadline, past = time.monotonic() + seconds, len(self.seen)
        while words not in self.seen[past:]:
            left = deadline - time.monotonic()
            assert left > 0, f"“{words}” did not come: {self.seen}"
            if select.select([self._descriptor], [], [], left)[0]:
                self.seen += os.read(self._descriptor, 65536).decode()

    def ended(self) -> int:
        return os.waitstatus_to_exitcode(os.waitpid(self._child, 0)[1])


@given(st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" ")), st.integers(8, 60))
def test_a_line_is_broken_between_words_and_loses_none(line: str, columns: int) -> None:
    shown = wrap_line(line, columns)
    for part in shown.split("\n"):
        assert cell_len(part.rstrip()) <= columns or len(part.split()) == 1
    assert "".join(shown.split()) == "".join(line.split())
    assert wrap_line(line, 0) == line


def test_words_stay_whole_in_a_narrow_terminal() -> None:
    line = "Type what the phone should do, then enter. help tells more."
    assert wrap_line(line, 40).split("\n") == [
        "Type what the phone should do, then",
        "enter. help tells more.",
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")
def test_a_turn_in_a_dumb_terminal() -> None:
    terminal = Terminal(_PROGRAM)
    terminal.until("Type what the phone should do")
    terminal.type("order my usual lunch\n")
    terminal.until("what it should do instead.")
    terminal.type("1\n")
    terminal.until("Not taken: the question has just appeared.")
    terminal.type("\x03")
    terminal.until("Pausing after this step")
    terminal.type("\x03")
    terminal.until("Cancelled")
    terminal.type("\x03")
    terminal.until("No turn is running. Press ctrl-c again to quit.")
    terminal.type("\x03")
    assert terminal.ended() == 0
    assert "\x1b" not in terminal.seen

"""What is drawn before the libraries are imported, on a real pseudo-terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from assistant import __main__ as program
from assistant.tui.first_paint import FirstPaint, last_line_sent, opens_interface, visible_text
from tests.tables import each

TERMINAL = {"TERM": "xterm-256color"}


@each(
    ("arguments", "opens"),
    [
        ("", True),
        ("demo", True),
        ("--store demo", True),
        ("--store somewhere demo --locale zh", True),
        ("run hello", False),
        ("--store demo run hello", False),
        ("demo --plain", False),
        ("--help", False),
    ],
)
def test_only_commands_with_an_interface_are_drawn_for(arguments: str, opens: bool) -> None:
    assert opens_interface(arguments.split(), TERMINAL) is opens
    assert not opens_interface(arguments.split(), {"TERM": "dumb"})


@each(
    ("typed", "shown"),
    [(b"helo\x7flo", "hello"), ("妈妈".encode(), "妈妈"), (b"a\x1b[A\x1bOPb", "ab"), (b"sent\rnext", "next")],
)
def test_what_is_typed_is_shown_as_the_field_will_have_it(typed: bytes, shown: str) -> None:
    assert visible_text(typed) == shown


@each(
    ("typed", "sent"),
    [(b"", ""), (b"next", ""), (b"helo\x7flo\rnext", "hello"), (b"one\r\r", "one"), (b"one\rtwo\r", "two")],
)
def test_the_line_that_was_sent_is_named(typed: bytes, sent: str) -> None:
    assert last_line_sent(typed) == sent


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    yield master, slave
    os.close(master)
    os.close(slave)


def read_until(master: int, words: bytes) -> bytes:
    output = b""
    while words not in output:
        assert select.select([master], [], [], 5)[0], output
        output += os.read(master, 65536)
    return output


def test_keys_are_shown_kept_and_the_terminal_is_as_before(terminal: tuple[int, int]) -> None:
    master, slave = terminal
    before = termios.tcgetattr(slave)
    with os.fdopen(os.dup(slave), "w", encoding="utf-8") as output:
        paint = FirstPaint(slave, output)
        assert b"What should the phone do?" in read_until(master, b"do?")
        os.write(master, b"call mom")
        read_until(master, b"call mom")
        os.write(master, b"\r")
        paint.say("Starting.")
        read_until(master, b"Starting.")
        while b"\r" not in paint._typed:
            assert paint._reader.is_alive()
        assert paint.hand_over() == b"call mom\r"
        assert termios.tcgetattr(slave) == before
        FirstPaint(slave, output).leave()
        read_until(master, b"\x1b[?1049l")


def test_a_sentence_is_broken_between_words_in_a_narrow_terminal(terminal: tuple[int, int]) -> None:
    master, slave = terminal
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 12, 40, 0, 0))
    with os.fdopen(os.dup(slave), "w", encoding="utf-8") as output:
        paint = FirstPaint(slave, output)
        paint.say("Starting a simulated phone and a scripted model.")
        drawn = read_until(master, b"scripted model.").decode()
        rows = re.findall(r"\x1b\[(\d+);1H\x1b\[2K  \x1b\[1m([^\x1b]*)", drawn)[-2:]
        assert rows == [("4", "Starting a simulated phone and a"), ("5", "scripted model.")]
        paint.say("Ready.")
        read_until(master, b"Ready.\x1b[0m\x1b[5;1H\x1b[2K\x1b[6;1H")
        paint.leave()


def test_seconds_are_told_where_nothing_new_comes_for_a_while(terminal: tuple[int, int]) -> None:
    master, slave = terminal
    now = [0.0]
    with os.fdopen(os.dup(slave), "w", encoding="utf-8") as output:
        paint = FirstPaint(slave, output, clock=lambda: now[0])
        assert b"so far" not in read_until(master, b"do?")
        now[0] = 9.2
        read_until(master, b"9 s so far: this machine is busy.")
        now[0] = 11.0
        read_until(master, b"11 s so far")
        paint.say("Ready.")
        assert b"so far" not in read_until(master, b"Ready.")
        paint.leave()


def test_drawing_imports_no_library_and_the_help_no_guard() -> None:
    libraries, heavy = (
        ("typer", "pydantic", "textual"),
        ("numpy", "sqlalchemy", "assistant.safety", "textual"),
    )
    code = (
        f"import sys, assistant.__main__; print([name for name in {libraries} if name in sys.modules])\n"
        f"import assistant.cli.main; print([name for name in {heavy} if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.split("\n") == ["[]", "[]", ""]


def test_the_garbage_collector_looks_seldom_from_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[object] = []
    monkeypatch.setattr(program, "gc", SimpleNamespace(set_threshold=lambda *of: done.append(of)))
    monkeypatch.setattr(program, "begin_first_paint", lambda arguments: done.append("painted"))
    monkeypatch.setattr("assistant.cli.main.main", lambda: done.append("run"))
    program.start()
    assert done == [(10_000, 20, 20), "painted", "run"]

"""The terminal is asked before the interface is up; its answers are not keys, and keys are not lost."""

from __future__ import annotations

import os
import pty
import struct
import termios
from collections.abc import Callable
from fcntl import ioctl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.settings.schema import Picture
from assistant.tui.app import AssistantApp
from assistant.tui.terminal_probe import (
    CURSOR_QUERY,
    NAME_QUERY,
    SIZES_QUERY,
    EarlyInput,
    ImageSize,
    TypedKey,
    begin_query,
    cell_size,
    find_picture_terminal,
    parse_keys,
)
from tests.tables import each
from tests.tui.scripted import Clock, ScriptedEngine

from .app_fixture import settle

ATTRIBUTES = b"\x1b[?63;1;4c"
XTERM = {
    CURSOR_QUERY: b"\x1b[1;1R",
    NAME_QUERY: b"\x1bP>|XTerm(379)\x1b\\" + ATTRIBUTES,
    SIZES_QUERY: b"\x1b[6;15;8t\x1b[?1;0;16S\x1b[?2;0;1000;990S" + ATTRIBUTES,
}


class Terminal:
    """Answers the questions that it knows."""

    def __init__(self, answers: dict[bytes, bytes]) -> None:
        self._answers = answers
        self.asked: list[bytes] = []
        self.waited = 0.0
        self._said = b""

    def send_query(self, query: bytes) -> None:
        self.asked.append(query)
        self._said += self._answers.get(query, b"")

    def read(self, enough: Callable[[bytes], bool], seconds: float) -> bytes:
        self.waited += 0 if enough(self._said) else seconds
        return self._said


def found(terminal: Terminal, setting: Picture = Picture.AUTO, **environment: str) -> Picture:
    begin_query(terminal, setting, environment)
    return find_picture_terminal(terminal, setting, environment, lambda: "").way


def test_a_terminal_is_asked_only_what_matters() -> None:
    terminal = Terminal(XTERM)
    assert found(terminal) is Picture.SIXEL
    assert terminal.asked == [CURSOR_QUERY, NAME_QUERY, SIZES_QUERY]
    kitty = Terminal({CURSOR_QUERY: b"\x1b[1;1R", NAME_QUERY: b"\x1bP>|kitty(0.41.1)\x1b\\\x1b[?62;52c"})
    assert found(kitty) is Picture.KITTY
    assert kitty.asked == [CURSOR_QUERY, NAME_QUERY]
    assert terminal.waited == kitty.waited == 0


def test_a_terminal_that_does_not_answer_in_time_is_asked_no_more() -> None:
    terminal = Terminal({NAME_QUERY: XTERM[NAME_QUERY]})
    assert found(terminal) is Picture.BLOCKS
    assert terminal.asked == [CURSOR_QUERY]
    assert terminal.waited <= 0.2


@each(
    ("setting", "environment"),
    [
        (Picture.BLOCKS, {}),
        (Picture.OFF, {}),
        (Picture.AUTO, {"NO_COLOR": "1"}),
        (Picture.AUTO, {"TERM": "dumb"}),
        (Picture.AUTO, {"TERM": "linux"}),
        (Picture.AUTO, {"TEXTUAL_DRIVER": "textual.drivers.web_driver:WebDriver"}),
    ],
)
def test_a_terminal_is_not_asked_in_vain(setting: Picture, environment: dict[str, str]) -> None:
    terminal = Terminal(XTERM)
    assert found(terminal, setting, **environment) in (Picture.BLOCKS, Picture.OFF)
    assert terminal.asked == []


def test_without_a_terminal_nothing_is_asked() -> None:
    read, write = os.pipe()
    keyboard = EarlyInput(read, write)
    begin_query(keyboard, Picture.AUTO, {})
    assert find_picture_terminal(keyboard, Picture.AUTO, {}).way is Picture.BLOCKS
    os.close(write)
    assert os.read(read, 9) == b""
    os.close(read)


def test_answers_from_a_real_terminal_are_no_keys() -> None:
    master, slave = pty.openpty()
    ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 1280, 755))
    keyboard = EarlyInput(slave, slave)
    begin_query(keyboard, Picture.AUTO, {})
    # A terminal sends its answers among what is typed.
    os.write(
        master, b"tu" + XTERM[CURSOR_QUERY] + b"rn" + XTERM[NAME_QUERY] + b" o" + XTERM[SIZES_QUERY] + b"n"
    )
    terminal = find_picture_terminal(keyboard, Picture.AUTO, {}, lambda: "")
    assert (terminal.way, terminal.cell, terminal.colours) == (Picture.SIXEL, ImageSize(8, 15), 16)
    # A terminal line hands on in pieces what was written at once.
    keyboard.read(lambda heard: heard.endswith(b"n"), 5)
    assert "".join(key.character for key in keyboard.end()) == "turn on"
    asked = b""
    while len(asked) < len(CURSOR_QUERY + NAME_QUERY + SIZES_QUERY):
        asked += os.read(master, 999)
    assert asked == CURSOR_QUERY + NAME_QUERY + SIZES_QUERY
    with os.fdopen(slave) as stream:
        assert cell_size(stream) == ImageSize(8, 15)
        ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
        assert cell_size(stream) is None
    assert cell_size(None) is None
    os.close(master)


def test_keys_are_taken_from_the_terminal_which_is_left_as_it_was() -> None:
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    ahead = EarlyInput(slave)
    os.write(master, "灯 on\x1b[A\x7f\r".encode())
    keys = ahead.end()
    assert [one.key for one in keys] == ["灯", "space", "o", "n", "backspace", "enter"]
    assert termios.tcgetattr(slave) == before
    assert ahead.end() == []
    os.close(master)
    os.close(slave)


def test_where_there_is_no_terminal_nothing_is_taken() -> None:
    read, write = os.pipe()
    os.write(write, b"text")
    assert EarlyInput(read).end() == []
    assert os.read(read, 9) == b"text"


@given(st.binary(max_size=60))
def test_any_bytes_make_only_keys_that_can_be_shown(typed: bytes) -> None:
    for pressed in parse_keys(typed):
        assert (
            pressed.key in ("enter", "backspace", "f1", "f2", "f3", "f8") or pressed.character.isprintable()
        )


@each(
    ("typed", "keys"),
    [
        (b"\x1bOQ", ["f2"]),
        (b"\x1bOQ\x1b[12~", ["f2"]),
        (b"go\r\x1b[19~", ["g", "o", "enter", "f8"]),
        # In the memory letters are keys: what was typed after it is not for it.
        (b"\x1bOQfd", ["f", "d"]),
    ],
)
def test_the_last_key_that_opens_something_is_kept(typed: bytes, keys: list[str]) -> None:
    assert [pressed.key for pressed in parse_keys(typed)] == keys


@pytest.mark.parametrize(
    ("typed", "calls", "left"),
    [
        (b"turn on wi", [], "turn on wi"),
        (b"order tea\rthen", [("run", "order tea")], "then"),
    ],
)
async def test_what_was_typed_ahead_reaches_the_field(
    typed: bytes, calls: list[tuple[str, ...]], left: str
) -> None:
    engine = ScriptedEngine()
    app = AssistantApp(engine, Clock())
    app.press_later(parse_keys(typed))
    async with app.run_test() as pilot:
        await settle(app, pilot)
        await settle(app, pilot)
        assert engine.calls == calls
        assert app.main.input.text == left


async def test_no_key_is_pressed_twice() -> None:
    engine = ScriptedEngine()
    app = AssistantApp(engine, Clock())
    app.press_later([TypedKey("a", "a")])
    async with app.run_test() as pilot:
        await settle(app, pilot)
        app.screen.set_focus(None)
        app.main.input.focus()
        await settle(app, pilot)
        assert app.main.input.text == "a"

"""Keys that are pressed before the interface is up reach the field."""

from __future__ import annotations

import os
import pty
import termios

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.tui.app import AssistantApp
from assistant.tui.terminal_probe import EarlyInput, TypedKey, parse_keys
from tests.tui.scripted import Clock, ScriptedEngine

from .app_fixture import settle


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
        assert pressed.key in ("enter", "backspace") or pressed.character.isprintable()


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

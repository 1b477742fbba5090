"""The window's title tells how the turn stands, and gives way to the shell's."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from types import SimpleNamespace
from typing import Any, cast

import pytest
from textual.app import App
from textual.driver import Driver

from assistant.events import Cause, TurnState
from assistant.presentation.ui_state import UiState, UserRequest
from assistant.tui import terminal
from assistant.tui.terminal import format_title, is_closed, wait_for_end
from tests.tables import each
from tests.tui.scripted import lunch

from .app_fixture import open_desk


@each(
    ("situation", "title"),
    [
        (UiState(), "assistant"),
        (UiState(TurnState.RUNNING, Cause.THINKING), "▸ assistant"),
        (UiState(TurnState.PAUSED, Cause.USER_PAUSED), "‖ assistant"),
        (UiState(TurnState.WAITING, Cause.APPROVAL, UserRequest.APPROVAL), "● assistant needs you"),
        (UiState(TurnState.WAITING, Cause.MEANING, UserRequest.MEANING), "? assistant"),
        (UiState(asking=UserRequest.OFFER), "assistant"),
        (UiState(TurnState.FINISHED), "✓ assistant"),
    ],
)
def test_a_title_tells_how_the_turn_stands(situation: UiState, title: str) -> None:
    assert format_title(situation) == title


async def test_the_title_follows_the_turn_and_comes_back_after_the_shell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    titles: list[str] = []
    monkeypatch.setattr(terminal, "save_title", lambda app: titles.append("save"))
    monkeypatch.setattr(terminal, "restore_title", lambda app: titles.append("restore"))
    monkeypatch.setattr(terminal, "set_title", lambda app, title: titles.append(title))
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        assert titles[:2] == ["save", "assistant"]
        assert titles[-1] == "▸ assistant"
        desk.engine.ask_approval(4)
        await desk.settle()
        assert titles[-1] == "● assistant needs you"
        shown = len(titles)
        desk.app.app_suspend_signal.publish(desk.app)
        # At once: the process stands still right after.
        assert titles[-1] == "restore"
        desk.app.post_message(Driver.SignalResume())
        await desk.settle()
        assert titles[shown:] == ["restore", "save", "● assistant needs you"]
    assert titles[-1] == "restore"


@pytest.mark.parametrize("is_terminal_closed", [True, False])
def test_only_a_closed_terminal_ends_the_program(is_terminal_closed: bool) -> None:
    """Keys that are typed do not wake the watch, and leaving the program ends it."""
    outside, terminal_end = os.openpty()
    closing, ended = os.pipe()
    left: list[bool] = []
    watch = threading.Thread(
        target=wait_for_end, args=(terminal_end, closing, lambda: left.append(is_closed(terminal_end)))
    )
    watch.start()
    os.write(outside, b"some keys\n")
    if is_terminal_closed:
        os.close(outside)
    else:
        os.close(ended)
    watch.join(10)
    assert left == ([True] if is_terminal_closed else [])
    assert not watch.is_alive()


async def test_an_interface_that_does_not_leave_a_closed_terminal_is_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours, theirs = os.openpty()
    codes: list[int] = []
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()

    def end(code: int) -> None:
        codes.append(code)
        loop.call_soon_threadsafe(ended.set)

    monkeypatch.setattr(terminal, "_PATIENCE", 0.01)
    monkeypatch.setattr(terminal, "_let_go", lambda *_descriptors: None)
    monkeypatch.setattr(os, "_exit", end)
    with os.fdopen(theirs, "rb", buffering=0) as keys:
        monkeypatch.setattr(sys, "__stdin__", keys)
        stuck = SimpleNamespace(is_web=False, post_message=lambda _message: None)
        with terminal.ending_with_terminal(cast(App[Any], stuck)):
            os.close(ours)
            async with asyncio.timeout(10):
                await ended.wait()
    assert codes == [128 + signal.SIGHUP]

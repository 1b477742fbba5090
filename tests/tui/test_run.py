from __future__ import annotations

import io

import pytest

from assistant.cli.setup import run_tui
from assistant.events import Cause, TurnState
from assistant.tui.app import AssistantApp
from tests.tui.scripted import ScriptedEngine, lunch

from .app_fixture import open_desk


async def test_the_engine_is_closed_even_when_the_interface_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    async def break_down(self: AssistantApp) -> None:
        raise RuntimeError("no terminal")

    monkeypatch.setattr(AssistantApp, "run_async", break_down)
    monkeypatch.setattr("assistant.cli.setup._prepare_terminal", lambda: True)
    engine = ScriptedEngine()
    with pytest.raises(RuntimeError, match="no terminal"):
        await run_tui(engine)
    assert engine.calls == [("close",)]


@pytest.mark.parametrize("stream", [None, io.StringIO()])
async def test_without_a_terminal_it_says_so(
    stream: io.StringIO | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.__stdin__", stream)
    engine = ScriptedEngine()
    assert await run_tui(engine) == 1
    assert engine.calls == [("close",)]
    assert "needs a terminal" in capsys.readouterr().err


async def test_waiting_time_is_told_while_something_is_under_way() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.wait(12)
        desk.app.main.turn._state._tick()
        await desk.settle()
        assert "model thinking · 12 s" in desk.text
        desk.engine.enter(TurnState.PAUSED, Cause.USER_PAUSED)
        await desk.settle()
        assert desk.app.main.turn._state._ticking is None

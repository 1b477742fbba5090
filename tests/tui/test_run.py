from __future__ import annotations

import pytest

from assistant.events import Cause, TurnState
from assistant.tui import run_tui
from assistant.tui.app import AssistantApp
from assistant.tui.door import EngineDoor
from tests.tui.desk import open_desk
from tests.tui.scripted import ScriptedEngine, lunch


async def test_the_engine_is_closed_even_when_the_interface_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    async def break_down(self: AssistantApp) -> None:
        raise RuntimeError("no terminal")

    monkeypatch.setattr(AssistantApp, "run_async", break_down)
    engine = ScriptedEngine()
    door: EngineDoor = engine
    with pytest.raises(RuntimeError, match="no terminal"):
        await run_tui(door)
    assert engine.calls == [("close",)]


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

"""What each situation looks like. After `pytest tests/tui --snapshot-update`, look at the pictures."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from textual.pilot import Pilot

from assistant.tui.app import AssistantApp
from tests.tui.desk import settle
from tests.tui.scenes import SCENES
from tests.tui.scripted import Clock

Compare = Callable[..., bool]


@pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])
@pytest.mark.parametrize("name", SCENES)
def test_scene(
    snap_compare: Compare, name: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    scene = SCENES[name]
    engine = scene.engine()
    app = AssistantApp(engine, Clock())

    async def play(pilot: Pilot[None]) -> None:
        await settle(app, pilot)
        scene.play(engine)
        await settle(app, pilot)

    run_before: Callable[[Pilot[None]], Awaitable[None]] = play
    assert snap_compare(app, terminal_size=size, run_before=run_before)

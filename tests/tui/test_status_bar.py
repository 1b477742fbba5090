from __future__ import annotations

import pytest

from assistant.settings.schema import ModelSettings, Settings
from assistant.tui.widgets.status import Status, StatusBar
from tests.tui.scripted import ScriptedEngine


@pytest.mark.parametrize(
    ("status", "wide", "narrow"),
    [
        (Status(used=9400), "9.4k tok", "9.4k tok"),
        (Status(used=900, used_today=1230, today="$0.004"), "1.2k tok · $0.004 today", "$0.004"),
        (Status(used=900, used_today=1230), "1.2k tok today", "1.2k tok"),
        (Status(model="m"), "◆ m", ""),
    ],
)
def test_the_last_part_tells_what_the_day_used_and_cost(status: Status, wide: str, narrow: str) -> None:
    assert status.parts(short=False)[-1] == wide
    short = status.parts(short=True)
    assert narrow in short if narrow else "tok" not in short[-1]


@pytest.mark.parametrize(
    ("settings", "guessed"),
    [
        (ModelSettings(name="mystery-9b", base_url="http://h/v1"), True),
        (ModelSettings(name="mystery-9b", base_url="http://h/v1", dialect="gemini"), False),
        (ModelSettings(name="qwen3-vl", base_url="http://h/v1"), False),
        (ModelSettings(base_url="http://h/v1"), False),
    ],
)
def test_a_guessed_dialect_is_said(settings: ModelSettings, guessed: bool) -> None:
    bar = StatusBar(ScriptedEngine(settings=Settings(model=settings)))
    assert ("reply format guessed" in bar.status.model) is guessed

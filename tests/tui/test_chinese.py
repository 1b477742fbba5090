"""The interface in Chinese: wide characters keep their columns. Update like the other pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from assistant import language
from assistant.language import Language
from assistant.records import Click, Point
from assistant.tui.app import AssistantApp
from assistant.tui.words import action_words, duration, led, padded
from tests.tui.desk import settle
from tests.tui.scenes import SCENES
from tests.tui.scripted import Clock

Compare = Callable[..., bool]


@pytest.fixture(autouse=True)
def chinese() -> Iterator[None]:
    language.use(Language.CHINESE)
    yield
    language.use(Language.ENGLISH)


@pytest.mark.parametrize("name", ["idle", "approval", "suggested", "finished"])
def test_scene(snap_compare: Compare, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    scene = SCENES[name]
    engine = scene.engine()
    app = AssistantApp(engine, Clock())

    async def play(pilot: Pilot[None]) -> None:
        await settle(app, pilot)
        scene.play(engine)
        await settle(app, pilot)

    assert snap_compare(app, terminal_size=(80, 24), run_before=play)


@pytest.mark.parametrize("text", ["等待", "🍜 面", "ok", ""])
def test_texts_are_padded_by_cells(text: str) -> None:
    assert cell_len(padded(text, 8)) == 8
    assert cell_len(led(text, 8)) == 8


def test_actions_and_figures_are_said_in_chinese() -> None:
    assert action_words(Click(point=Point(0.5, 0.5), content="搜索")) == "点击“搜索”"
    assert duration(125) == "2 分 5 秒"

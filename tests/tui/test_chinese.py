"""The interface in Chinese: wide characters keep their columns. Update like the other pictures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len
from syrupy.assertion import SnapshotAssertion

from assistant import i18n
from assistant.i18n import Language, pad_left, padded
from assistant.presentation.text import format_action, format_duration
from assistant.records import Click, Point
from tests.tui.gallery import VIEWS, rest
from tests.tui.looks import SIZES, THEMES, AsText, Looks, words


@pytest.fixture(autouse=True)
def chinese(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("NO_COLOR", raising=False)
    i18n.use(Language.CHINESE)
    yield
    i18n.use(Language.ENGLISH)


@pytest.mark.parametrize(
    "name", ["idle", "proposed", "approval", "paused", "suggested", "deciding", "finished", "help"]
)
async def test_view(name: str, snapshot: SnapshotAssertion, tmp_path: Path) -> None:
    view, looks = VIEWS[name], Looks()
    app = view.app(tmp_path)
    async with app.run_test(size=SIZES[0]) as pilot:
        await rest(app, pilot)
        await view.way(app, pilot)
        await rest(app, pilot)
        looks.take(app, SIZES[0], THEMES[0])
    assert {cell_len(line) for line in words(looks.grids[SIZES[0]][THEMES[0]])} == {SIZES[0][0]}
    assert str(looks) == snapshot(extension_class=AsText)


@pytest.mark.parametrize("text", ["等待", "🍜 面", "ok", ""])
def test_texts_are_padded_by_cells(text: str) -> None:
    assert cell_len(padded(text, 8)) == 8
    assert cell_len(pad_left(text, 8)) == 8


def test_actions_and_figures_are_said_in_chinese() -> None:
    assert format_action(Click(point=Point(0.5, 0.5), content="搜索")) == "点击“搜索”"
    assert format_duration(125) == "2 分 5 秒"

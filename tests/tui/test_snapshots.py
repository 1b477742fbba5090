"""What each screen and each situation looks like, at three sizes, dark and light.

After `pytest tests/tui/test_snapshots.py --snapshot-update`, look at the pictures:
`python -m tests.tui.show --svg FOLDER` draws them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from assistant.settings.load import ADB_PORT
from assistant.tui.app import CONTRAST
from tests.keyrings import MemoryKeyring, system_keyring
from tests.tui.gallery import VIEWS, resize, rest
from tests.tui.looks import ANSI, SIZES, THEMES, AsDrawing, AsText, Looks, grid_of, words
from tests.tui.scenes import SAYS, SCENES


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Colours are wanted, and the system's keyring is not asked."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    with system_keyring(MemoryKeyring()):
        yield


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gallery")


@pytest.mark.parametrize("name", VIEWS)
async def test_view(
    name: str, snapshot: SnapshotAssertion, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Tests have an adb server of their own, whose port is another each time.
    monkeypatch.delenv(ADB_PORT, raising=False)
    view, looks, drawings = VIEWS[name], Looks(), {}
    app = view.app(folder)
    async with app.run_test(size=SIZES[0]) as pilot:
        await rest(app, pilot)
        await view.way(app, pilot)
        for theme in THEMES + (ANSI if view.main else ()):
            app.theme = theme
            # There and back again, since a change of size costs time.
            for size in reversed(SIZES) if theme == THEMES[1] else SIZES:
                await resize(app, pilot, size)
                looks.take(app, size, theme)
                if view.main and theme in THEMES and size == SIZES[1]:
                    drawings[theme] = app.export_screenshot()
    assert str(looks) == snapshot(extension_class=AsText)
    for theme, drawing in drawings.items():
        assert drawing == snapshot(name=theme, extension_class=AsDrawing)
    assert not looks.faint(CONTRAST)
    for themes in looks.grids.values():
        assert SAYS.get(name, "") in "\n".join(words(themes[THEMES[0]]))


def test_every_situation_has_words_of_its_own() -> None:
    assert SAYS.keys() == SCENES.keys()
    assert [name for name, count in Counter(SAYS.values()).items() if count > 1] == ["? Asking you"]


async def test_without_colours_the_same_words_are_shown(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    view = VIEWS["approval"]
    app = view.app(folder)
    async with app.run_test(size=SIZES[0]) as pilot:
        await rest(app, pilot)
        await view.way(app, pilot)
        await rest(app, pilot)
        grid = grid_of(app)
    assert SAYS["approval"] in "\n".join(words(grid))
    colours = {colour for line in grid for _, style in line for colour in re.findall("#(\\w{6})", style)}
    assert colours
    assert all(colour[:2] == colour[2:4] == colour[4:] for colour in colours)

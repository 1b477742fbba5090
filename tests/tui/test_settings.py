"""The settings as a person looks at them, changes them and mends them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.widgets import Input

from assistant import i18n
from assistant.i18n import Language
from assistant.presentation.ui_state import RESTART
from assistant.settings.load import load_what_is_right
from assistant.setup.core import Setup
from assistant.tui.app import AssistantApp
from tests.tui.hostile_texts import HOSTILE
from tests.tui.scripted import Clock, ScriptedEngine

from .app_fixture import Desk


def setup_of(file: Path, text: str = "") -> Setup:
    file.write_text(text, "utf-8", errors="replace")
    settings, broken = load_what_is_right(file)
    setup = Setup(settings, file)
    setup.broken = broken
    return setup


@asynccontextmanager
async def settings(setup: Setup, find: str = "", size: tuple[int, int] = (80, 24)) -> AsyncIterator[Desk]:
    engine, clock = ScriptedEngine(), Clock()
    app = AssistantApp(engine, clock, setup=setup)
    async with app.run_test(size=size) as pilot:
        desk = Desk(app, pilot, engine, clock)
        await desk.settle()
        await desk.press("/settings")
        app.screen.query_one("#settings-find", Input).value = find
        await desk.settle()
        yield desk


async def test_a_number_is_changed_in_the_file_and_counts_from_a_new_start(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    async with settings(setup_of(file, "# mine\n"), "max_steps") as desk:
        assert "turn.max_steps" in desk.text
        assert "By default: 60." in desk.text
        await desk.press("enter")
        desk.app.screen.query_one("#settings-field", Input).value = "30"
        await desk.press("enter")
        assert "30" in desk.text
        await desk.press("escape")
    assert file.read_text().startswith("# mine")
    assert "max_steps = 30" in file.read_text()
    assert desk.app.return_code == RESTART


async def test_a_switch_and_a_choice_change_at_once_and_back_to_the_default(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    async with settings(setup_of(file), "turn.confirm second look") as desk:
        await desk.press("enter")
        assert "confirm = false" in file.read_text()
        await desk.press("delete")
        assert "confirm" not in file.read_text()


@pytest.mark.parametrize(("typed", "found"), [("model", "model.name"), ("默认d", ""), ("d", "model.name")])
async def test_words_typed_over_the_list_search_and_change_nothing(
    tmp_path: Path, typed: str, found: str
) -> None:
    file = tmp_path / "config.toml"
    text = f'store = "{tmp_path}"\n'
    async with settings(setup_of(file, text), size=(120, 60)) as desk:
        await desk.press(*typed)
        assert desk.app.screen.query_one("#settings-find", Input).value == typed
        assert (found or "No setting fits.") in desk.text
        await desk.press("backspace" if len(typed) > 1 else "down", "down", "e")
        assert desk.app.screen.query_one("#settings-find", Input).value == (typed[:-1] or typed) + "e"
    assert file.read_text() == text


async def test_what_does_not_fit_stays_in_the_field(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    async with settings(setup_of(file), "max_steps") as desk:
        await desk.press("enter")
        desk.app.screen.query_one("#settings-field", Input).value = "many"
        await desk.press("enter")
        assert "takes a whole number" in desk.text
        await desk.press("escape", "escape")
        assert desk.app.screen is desk.app.main
    assert file.read_text() == ""


async def test_wrong_and_unknown_values_are_told_at_the_start_shown_first_and_mended(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    setup = setup_of(file, '[turn]\nmax_steps = "many"\n[interface]\nfoo = 3\n')
    async with settings(setup) as desk:
        assert "✗ turn.max_steps" in desk.text
        assert "✗ interface.foo" in desk.text
        await desk.press("down", "delete")
        assert "foo" not in file.read_text()
        await desk.press("up", "enter")
        desk.app.screen.query_one("#settings-field", Input).value = "12"
        await desk.press("enter")
        assert "max_steps = 12" in file.read_text()
        assert "✗" not in desk.text


async def test_keys_and_prices_are_settings_too(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    setup = setup_of(file, '[model]\nname = "qwen2.5-vl"\n[keys]\nnap = "f4"\n')
    async with settings(setup) as desk:
        find = desk.app.screen.query_one("#settings-find", Input)
        field = desk.app.screen.query_one("#settings-field", Input)
        find.value = "prices."
        await desk.settle()
        await desk.press("enter")
        field.value = "0.5 cheap"
        await desk.press("enter")
        assert "two numbers and a currency" in desk.text
        field.value = "0.5 2 eur"
        await desk.press("enter")
        assert "0.5 2 EUR" in desk.text
        assert setup.settings.model.name in setup.settings.prices
        find.value = "keys."
        await desk.settle()
        assert "✗ keys.nap" in desk.text
        await desk.press("delete")
        assert "nap" not in file.read_text()
        await desk.press("end", "enter")
        field.value = "f1"
        await desk.press("enter")
        assert "is taken by help" in desk.text
    assert '[prices."qwen2.5-vl"]' in file.read_text()


async def test_in_chinese_the_settings_are_told_and_found(tmp_path: Path) -> None:
    i18n.use(Language.CHINESE)
    try:
        async with settings(setup_of(tmp_path / "config.toml"), "最多走几步") as desk:
            assert "一个任务最多走几步。 默认：60。" in desk.text.replace("\u3000", " ")
            assert "turn.max_steps" in desk.text
            await desk.press("enter")
            assert "整数" in desk.text
    finally:
        i18n.use(Language.ENGLISH)


async def test_the_theme_shows_at_once(tmp_path: Path) -> None:
    async with settings(setup_of(tmp_path / "config.toml"), "interface.theme") as desk:
        await desk.press("enter")
        desk.app.screen.query_one("#settings-field", Input).value = "textual-light"
        await desk.press("enter")
        assert desk.app.theme == "textual-light"
        await desk.press("escape")
        assert desk.app.is_running


@pytest.mark.parametrize("name", ["markup", "wide", "long"])
async def test_hostile_values_stay_text(tmp_path: Path, name: str) -> None:
    text = HOSTILE[name]
    setup = setup_of(tmp_path / "config.toml", f"[interface]\n{'x'!r} = '''{text}'''\n")
    async with settings(setup, size=(140, 40)) as desk:
        assert not [character for character in desk.text if character < " " and character != "\n"]
        if name == "markup":
            assert text[:27] in desk.text

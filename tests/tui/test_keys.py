"""Keys of the user's own: they work, are told everywhere, and what cannot be is said."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from textual.content import Content
from textual.widgets import Static

from assistant.settings.schema import ModelSettings, Settings
from assistant.tui import keys as keymap
from assistant.tui.keys import KEYS, build_keymap
from assistant.tui.widgets.input_lists import SLASH_COMMANDS
from tests.tui.scripted import ScriptedEngine, lunch

from .app_fixture import open_desk


@pytest.fixture(autouse=True)
def usual_keys() -> Iterator[None]:
    yield
    keymap.use_keymap({})


def engine(**keys: str) -> ScriptedEngine:
    return ScriptedEngine(settings=Settings(model=ModelSettings(name="m", base_url="http://h/v1"), keys=keys))


def test_there_are_five_function_keys_and_no_key_has_two_meanings() -> None:
    pressed = {key.key for key in KEYS if key.key}
    assert {key for key in pressed if key[0] == "f"} == {"f1", "f2", "f3", "f5", "f8"}
    for each in pressed:
        assert len({key.action for key in KEYS if key.key == each}) == 1


def test_what_has_no_key_is_a_slash_command() -> None:
    without = {key.action for key in KEYS if key.name and not key.key}
    assert without <= {command.action for command in SLASH_COMMANDS}


async def test_a_key_of_ones_own_works_and_the_usual_one_does_not() -> None:
    async with open_desk(engine(help="ctrl+b"), size=(80, 50)) as desk:
        await desk.press("f1")
        assert desk.app.screen is desk.app.main
        await desk.press("ctrl+b")
        assert desk.app.screen is not desk.app.main
        assert "ctrl+b" in desk.text


async def test_an_action_without_a_key_may_have_one_and_footer_and_completions_name_it() -> None:
    async with open_desk(engine(where="f4", help="ctrl+r"), size=(120, 30)) as desk:
        assert "ctrl+r help" in desk.text
        await desk.type("/whe")
        assert "(f4)" in desk.text
        await desk.press("ctrl+u", "f4")
        assert desk.app.screen is not desk.app.main


async def test_two_actions_may_swap_their_keys() -> None:
    async with open_desk(engine(help="f8", why="f1")) as desk:
        await desk.press("f8")
        assert "Now:" in desk.text


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"dance": "f1"}, "keys.dance is no action"),
        ({"help": "h"}, "h cannot be used"),
        ({"help": "ctrl+m"}, "ctrl+m cannot be used"),
        ({"help": "escape"}, "escape cannot be used"),
        ({"help": "f2"}, "f2 is taken by memory"),
        ({"help": "ctrl+q"}, "ctrl+q is taken by"),
        ({"help": "ctrl+w"}, "taken by the input field"),
        ({"help": "ctrl+b", "why": "ctrl+b"}, "ctrl+b is taken by help"),
        ({"help": "[red]"}, "cannot be used"),
    ],
)
def test_what_cannot_be_is_told_and_the_usual_key_stays(chosen: dict[str, str], words: str) -> None:
    made = build_keymap(chosen)
    assert words in made.problems[0]
    assert made.keys.get("help") in (None, "ctrl+b")


async def test_a_conflict_is_told_at_the_start() -> None:
    async with open_desk(engine(help="f2"), size=(120, 30)) as desk:
        assert "f2 is taken by memory" in desk.text


async def test_help_begins_with_what_can_be_done_now() -> None:
    async with open_desk(size=(100, 40)) as desk:
        await desk.press("f1")
        assert "Now: ○ Idle" in desk.text
        await desk.press("escape")
        lunch(desk.engine)
        await desk.settle()
        await desk.press("f1")
        assert "Now: ▸ Running · model thinking" in desk.text
        assert "Tell the running turn" in desk.text
        assert "Pause: nothing more is sent to the phone" in desk.text


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
async def test_further_lines_of_a_key_begin_below_its_words(size: tuple[int, int]) -> None:
    async with open_desk(size=size) as desk:
        await desk.press("f1")
        await desk.settle()
        lines = desk.app.screen.query_one("#help", Static).render()
        assert isinstance(lines, Content)
        behind = lines.plain.partition("  tab ")[2].split("\n")
        assert behind[1].startswith(" " * 13)
        assert behind[1][13] != " "

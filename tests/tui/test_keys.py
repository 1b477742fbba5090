"""Keys of the user's own: they work, are told everywhere, and what cannot be is said."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assistant.settings.schema import ModelSettings, Settings
from assistant.tui import keys as keymap
from assistant.tui.keys import ACTIONS, KEYS, build_keymap
from tests.tui.scripted import ScriptedEngine, lunch

from .app_fixture import open_desk


@pytest.fixture(autouse=True)
def usual_keys() -> Iterator[None]:
    yield
    keymap.use_keymap({})


def engine(**keys: str) -> ScriptedEngine:
    return ScriptedEngine(settings=Settings(model=ModelSettings(name="m", base_url="http://h/v1"), keys=keys))


def test_every_action_has_its_key_in_the_table() -> None:
    assert set(ACTIONS.values()) <= {key.key for key in KEYS}


async def test_a_key_of_ones_own_works_and_the_usual_one_does_not() -> None:
    async with open_desk(engine(help="ctrl+b"), size=(80, 50)) as desk:
        await desk.press("f1")
        assert desk.app.screen is desk.app.main
        await desk.press("ctrl+b")
        assert desk.app.screen is not desk.app.main
        assert "ctrl+b" in desk.text


async def test_footer_prompts_and_titles_name_the_users_keys() -> None:
    async with open_desk(engine(approve="alt+y", queue="ctrl+b", help="ctrl+r"), size=(120, 30)) as desk:
        lunch(desk.engine)
        await desk.settle()
        assert "ctrl+b queues it" in desk.text
        assert "ctrl+r help" in desk.text
        decision = desk.engine.ask_approval(4)
        await desk.wait(10)
        await desk.press("ctrl+y", "alt+y")
        assert not decision.done(), "an approval is answered from its list"


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
        ({"help": "f4"}, "f4 is taken by history"),
        ({"help": "ctrl+q"}, "ctrl+q is taken by"),
        ({"help": "ctrl+w"}, "taken by the input field"),
        ({"help": "ctrl+b", "why": "ctrl+b"}, "ctrl+b is taken by help"),
        ({"help": "[red]"}, "cannot be used"),
    ],
)
def test_what_cannot_be_is_told_and_the_usual_key_stays(chosen: dict[str, str], words: str) -> None:
    made = build_keymap(chosen)
    assert words in made.problems[0]
    assert made.keys.get("f1") in (None, "ctrl+b")


async def test_a_conflict_is_told_at_the_start() -> None:
    async with open_desk(engine(help="f4"), size=(120, 30)) as desk:
        assert "f4 is taken by history" in desk.text


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

"""Tasks that are shown on the phone, kept as skills, and carried out again."""

from __future__ import annotations

import pytest

from assistant.events import TurnState
from assistant.records import Outcome, Source
from tests.tui.scripted import PAY

from .app_fixture import open_desk


async def test_a_task_shown_on_the_phone_is_kept_as_a_skill_and_carried_out_again() -> None:
    async with open_desk() as desk:
        desk.engine.shown_steps = 2
        await desk.press("/record order my coffee")
        assert desk.calls == [("record", "order my coffee")]
        assert "◉ Recording   Show it on the phone" in desk.text
        assert "Idle" not in desk.text
        desk.engine.act(1, PAY, Source.USER)
        await desk.settle()
        assert "◉ Recording   Recorded: 1 step. When it is done, type /record" in desk.text
        assert "tap “Pay" not in desk.text
        await desk.type("call mom")
        await desk.press("enter")
        assert desk.calls == [("record", "order my coffee")], "a turn was begun while a task was shown"
        desk.app.main.input.clear()
        await desk.press("/record")
        await desk.settle()
        assert "Kept as a skill with 2 steps. /replay order my coffee carries it out" in one_row(desk.text)
        await desk.press("/replay order my coffee size=extra large")
        assert desk.calls[-1] == ("replay", "order my coffee", "size=extra large")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("item=iced tea until 4, then order cake", ("item=iced tea", "1", "4", "order cake")),
        ("--until 4 --then order cake", ("1", "4", "order cake")),
        ("item=tea from step 3", ("item=tea", "3", "None", "")),
        ("from 2 until step 4 then wait until noon", ("2", "4", "wait until noon")),
        ("从第2步 到第4步，然后点蛋糕", ("2", "4", "点蛋糕")),
    ],
)
async def test_a_part_of_a_skill_is_repeated_and_then_something_else_done(
    words: str, part: tuple[str, ...]
) -> None:
    async with open_desk() as desk:
        await desk.press(f"/replay order my coffee {words}")
        assert desk.calls[-1] == ("replay", "order my coffee", *part)


async def test_a_task_that_was_shown_says_which_words_may_be_others() -> None:
    async with open_desk() as desk:
        desk.engine.shown_steps, desk.engine.shown_value = 2, "coffee"
        await desk.press("/record order my coffee")
        await desk.press("/record")
        await desk.settle()
        assert "Say it as an order, with other values too: order my {item}." in one_row(desk.text)


async def test_escape_ends_a_recording_in_which_nothing_was_touched() -> None:
    async with open_desk() as desk:
        await desk.press("/record order my coffee")
        await desk.press("escape")
        await desk.settle()
        assert "Nothing was touched, so there is nothing to keep." in desk.text
        await desk.type("call mom")
        await desk.press("enter")
        assert desk.calls[-1] == ("run", "call mom")


def one_row(text: str) -> str:
    return " ".join(text.split())


async def test_behind_a_recording_nothing_is_told_of_how_the_turn_before_ended() -> None:
    async with open_desk() as desk:
        await desk.press("call mom")
        desk.engine.finish(Outcome.FAILED, "Not found.", 0)
        desk.engine.state = TurnState.FAILED
        await desk.settle()
        assert "Type what to do instead" in one_row(desk.text)
        desk.engine.shown_steps = 2
        await desk.press("/record order my coffee")
        await desk.press("/record")
        await desk.settle()
        assert "Kept as a skill with 2 steps." in one_row(desk.text)
        assert "Type what to do instead" not in one_row(desk.text)
        assert "Idle" in desk.text

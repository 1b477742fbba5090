"""Escape: the first pauses, the second cancels where it comes soon. What is typed behind a line stays."""

from __future__ import annotations

from assistant.events import Cause, TurnState
from assistant.tui.widgets.command_input import WITHIN, CommandInput
from tests.tui.app_fixture import Desk, open_desk
from tests.tui.scripted import lunch


async def let_escape_lapse(desk: Desk) -> None:
    desk.clock.advance(WITHIN)
    desk.app.main.escapes.tick()
    await desk.settle()


async def test_escape_pauses_then_cancels_even_while_typing() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type("half a wor")
        assert "esc pause" in desk.lines[-1]
        await desk.press("escape")
        assert desk.calls == [("pause",)]
        assert "Pausing after this step" in desk.text
        assert "esc again cancels" in desk.lines[-1]
        desk.engine.enter(TurnState.PAUSED, Cause.USER_PAUSED)
        await desk.settle()
        assert "Paused by you" in desk.text
        await desk.press("escape")
        assert desk.calls == [("pause",), ("cancel",)]
        assert "Cancelled" in desk.text
        assert desk.typed == "half a wor"


async def test_the_first_escape_in_a_pause_not_made_by_it_does_not_cancel() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        desk.engine.enter(TurnState.PAUSED, Cause.HANDED_OVER, "Log in on the phone, then press f5.")
        await desk.settle()
        assert "Handed over to you" in desk.text
        assert "Log in on the phone" in desk.text
        await desk.press("escape")
        assert ("cancel",) not in desk.calls
        await desk.press("escape")
        assert ("cancel",) in desk.calls


async def test_an_escape_long_after_the_first_cancels_only_with_one_more() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.press("escape")
        desk.engine.enter(TurnState.PAUSED, Cause.USER_PAUSED)
        await desk.settle()
        assert "f5 go on · esc again cancels" in desk.lines[-1]
        await let_escape_lapse(desk)
        assert "f5 go on · esc esc cancel" in desk.lines[-1]
        await desk.press("escape")
        assert ("cancel",) not in desk.calls
        assert "Escape again cancels the turn; what was done stays done." in desk.lines[-1]
        await let_escape_lapse(desk)
        assert "Escape again" not in desk.lines[-1]
        await desk.press("escape", "escape")
        assert desk.calls[-1] == ("cancel",)


async def test_a_late_escape_does_not_cancel_even_before_the_footer_says_so() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.press("escape")
        desk.clock.advance(WITHIN)
        await desk.press("escape")
        assert ("cancel",) not in desk.calls
        await desk.press("escape")
        assert desk.calls[-1] == ("cancel",)


async def test_two_escapes_at_once_cancel() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.press("escape", "escape")
        assert desk.calls == [("pause",), ("cancel",)]


async def test_a_pause_from_the_palette_is_no_first_escape() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        desk.app.main.action_pause()
        await desk.press("escape")
        assert ("cancel",) not in desk.calls


async def test_resuming_disarms_escape() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.press("escape", "f5", "escape")
        assert desk.calls == [("pause",), ("resume",), ("pause",)]


async def test_keys_that_come_in_a_burst_act_in_their_order() -> None:
    async with open_desk() as desk:
        await desk.burst("pay 30", "backspace", "backspace", "15")
        assert desk.typed == "pay 15"
        await desk.burst("left", "1", "ctrl+u", "call mom")
        assert desk.typed == "call mom5"


async def test_what_is_typed_while_a_line_is_handled_stays_in_the_field() -> None:
    async with open_desk() as desk:
        field = desk.app.main.input
        field.fill("help")
        field.post_message(CommandInput.Sent("help", "help"))
        field.insert("forget")
        await desk.settle()
        assert desk.typed == "forget"


async def test_enter_pressed_twice_sends_a_line_once() -> None:
    async with open_desk() as desk:
        await desk.burst("call mom", "enter", "enter")
        await desk.settle()
        assert [call for call in desk.calls if call[0] == "run"] == [("run", "call mom")]
        assert desk.typed == ""


async def test_what_is_typed_and_sent_while_a_line_is_handled_is_a_line_of_its_own() -> None:
    async with open_desk() as desk:
        await desk.burst("thanks", "enter", "call mom", "enter")
        await desk.settle()
        assert [call for call in desk.calls if call[0] == "run"] == [("run", "call mom")]
        assert desk.typed == ""


async def test_a_line_that_stays_in_the_field_can_be_sent_again() -> None:
    async with open_desk() as desk:
        await desk.burst("/nosuch", "enter", "enter")
        await desk.settle()
        assert desk.typed == "/nosuch"
        desk.app.main.input.fill("")
        await desk.burst("call mom", "enter")
        await desk.settle()
        assert [call for call in desk.calls if call[0] == "run"] == [("run", "call mom")]

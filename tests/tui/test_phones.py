from __future__ import annotations

from assistant.events import Cause, PhoneState, TurnState
from assistant.phone.errors import PhoneStatus
from tests.tui.scripted import ScriptedEngine

from .app_fixture import open_desk

PHONES = [
    PhoneStatus(PhoneState.READY, "", serial="emulator-5554", model="Pixel 8", battery=84),
    PhoneStatus(
        PhoneState.LOCKED, "Phone is locked.", serial="192.168.1.20:37123", model="小米 15", battery=7
    ),
]


async def test_a_phone_is_chosen_from_the_list() -> None:
    async with open_desk(ScriptedEngine(connected=list(PHONES))) as desk:
        await desk.press("/phones")
        rows = [line for line in desk.lines if "5554" in line or "小米" in line]
        assert "Pixel 8" in rows[0]
        assert "84%" in rows[0]
        assert "ready" in rows[0]
        assert "locked" in rows[1]
        await desk.press("down", "enter")
        assert desk.calls == [("use", "192.168.1.20:37123")]


async def test_another_phone_is_chosen_while_a_turn_goes_on() -> None:
    async with open_desk(ScriptedEngine(connected=list(PHONES))) as desk:
        desk.engine.enter(TurnState.RUNNING, Cause.THINKING)
        await desk.press("/phones")
        await desk.press("down", "enter")
        assert desk.calls == [("use", "192.168.1.20:37123")]
        assert desk.engine.state is TurnState.RUNNING


async def test_without_phones_it_says_so() -> None:
    async with open_desk() as desk:
        await desk.press("/phones")
        assert "No phone is connected." in desk.text


async def test_a_second_program_says_what_it_leaves_to_the_first() -> None:
    async with open_desk(ScriptedEngine(has_other_program=True)) as desk:
        desk.engine.phone()
        await desk.settle()
        assert "Another assistant is open on this memory." in desk.text

from __future__ import annotations

from assistant.events import Cause, PhoneState, TurnState
from assistant.phone.errors import PhoneStatus
from tests.tui.scripted import ScriptedEngine, lunch

from .app_fixture import Desk, open_desk

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


async def test_a_command_behind_a_phones_name_goes_to_that_phone() -> None:
    async with open_desk(ScriptedEngine(connected=list(PHONES))) as desk:
        await send(desk, "@小米 order lunch")
        assert desk.calls == [("use", "192.168.1.20:37123"), ("run", "order lunch")]
        assert desk.typed == ""


async def test_a_command_for_an_unknown_phone_reaches_none() -> None:
    async with open_desk(ScriptedEngine(connected=list(PHONES))) as desk:
        for line in ("@Galaxy order lunch", "/queue @Galaxy order lunch"):
            await send(desk, line)
            assert "Nothing is called “Galaxy order lunch" in desk.text
        assert desk.calls == []
        assert desk.engine.command_queue.commands == ()


async def test_a_name_of_several_phones_must_be_made_plain() -> None:
    same = [PhoneStatus(PhoneState.READY, "", serial=serial, model="Pixel 8") for serial in ("a1", "b2")]
    async with open_desk(ScriptedEngine(connected=same), size=(120, 24)) as desk:
        await send(desk, "@Pixel order lunch")
        assert "Several phones are called that. Name one by its serial: a1, b2" in desk.text
        assert desk.typed == "@Pixel order lunch"
        assert desk.calls == []


async def test_a_name_that_the_memory_knows_stays_part_of_the_command() -> None:
    async with open_desk(ScriptedEngine(connected=list(PHONES))) as desk:
        await send(desk, "@mom gets a call at eight")
        assert desk.calls == [("run", "@mom gets a call at eight")]


async def test_the_phones_complete_an_at_sign_that_begins_the_line() -> None:
    async with open_desk(ScriptedEngine(connected=list(PHONES)), size=(120, 24)) as desk:
        desk.app.main.input.insert("@emu")
        await desk.settle()
        assert "Pixel 8: the command goes to this phone" in desk.text
        await desk.press("enter")
        assert desk.typed == "@emulator-5554 "
        desk.app.main.input.fill("@emulator-5554")
        await desk.settle()
        await desk.press("enter")
        assert desk.calls == [("use", "emulator-5554")]
        desk.app.main.input.fill("call @emu")
        await desk.settle()
        assert "the command goes to this phone" not in desk.text


async def send(desk: Desk, line: str) -> None:
    desk.app.main.input.insert(line)
    await desk.settle()
    await desk.press("escape", "enter")


async def test_without_phones_it_says_so() -> None:
    async with open_desk() as desk:
        await desk.press("/phones")
        assert "No phone is connected." in desk.text


async def test_a_second_program_says_what_it_leaves_to_the_first() -> None:
    async with open_desk(ScriptedEngine(has_other_program=True)) as desk:
        desk.engine.phone()
        await desk.settle()
        assert "Another assistant is open on this memory." in desk.text


async def test_lines_that_were_asked_about_reach_no_other_phone() -> None:
    async with open_desk(ScriptedEngine(connected=list(PHONES)), size=(120, 40)) as desk:
        desk.engine.front_phone = "emulator-5554"
        desk.app.main.show_front()
        lunch(desk.engine)
        await desk.settle()
        for line in ("call mom", "call dad"):
            await desk.type(line)
            await desk.press("enter")
        assert desk.engine.is_held
        desk.engine.front_phone = "192.168.1.20:37123"
        desk.app.main.show_front()
        await desk.settle()
        assert not desk.engine.is_held
        for line in ("call mom", "call dad"):
            assert f"“{line}”: for the running turn" not in desk.text
            assert line in desk.text
        assert desk.text.count("Left out: another phone is shown.") == 2
        assert desk.typed == ""
        assert [call for call in desk.calls if call[0] in ("say", "run")] == []

"""Commands that wait while a turn runs: queued, changed, started in order, held after a failure."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.events import Key

from assistant.memory.programs import CommandQueue
from assistant.records import Outcome
from assistant.settings.schema import ModelSettings, Settings
from assistant.turn_runner import EngineBusy
from tests.tui.hostile_texts import HOSTILE
from tests.tui.scripted import ScriptedEngine, lunch

from .app_fixture import Desk, open_desk


async def queue(desk: Desk, *commands: str) -> None:
    for said in commands:
        await desk.press(f"/queue {said}")


def waiting(desk: Desk) -> list[str]:
    return list(desk.engine.command_queue.commands)


async def test_a_queued_command_starts_when_the_turn_has_ended_well() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await queue(desk, "order coffee", "turn on wi-fi")
        assert desk.calls == []
        assert desk.typed == ""
        assert "1  order coffee" in desk.text
        assert "2  turn on wi-fi" in desk.text
        desk.engine.finish(Outcome.SUCCESS, "Noodles are ordered.", 4)
        await desk.settle()
        assert desk.calls == [("run", "order coffee")]
        desk.engine.begin("order coffee")
        await desk.settle()
        assert re.search("order my usual lunch +✓ Noodles are ordered.", desk.text)
        assert desk.engine.command_queue.commands == ("turn on wi-fi",)


@pytest.mark.parametrize(
    ("outcome", "words"), [(Outcome.FAILED, "the turn failed"), (Outcome.CANCELLED, "the turn was cancelled")]
)
async def test_after_a_bad_end_the_line_is_held_until_the_user_lets_it_go_on(
    outcome: Outcome, words: str
) -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await queue(desk, "order coffee")
        desk.engine.finish(outcome, "", 4)
        await desk.settle()
        assert desk.calls == []
        assert words in desk.text
        assert "kept, not begun" in desk.text
        assert "/queue opens it, enter begins" in desk.text
        await desk.press("/queue", "enter")
        assert desk.calls == [("run", "order coffee")]
        assert desk.engine.command_queue.commands == ()


async def test_commands_are_dropped_moved_and_edited() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await queue(desk, "one", "two", "three")
        assert "▸ 1  one" not in desk.text
        await desk.press("tab", "down", "down")
        assert "▸ 3  three" in desk.text
        await desk.press("shift+up")
        assert waiting(desk) == ["one", "three", "two"]
        await desk.press("delete")
        assert waiting(desk) == ["one", "two"]
        await desk.press("up", "right")
        assert desk.typed == "one"
        await desk.press("x", "enter", "1", "enter")
        assert waiting(desk) == ["onex", "two"]


async def test_enter_still_talks_to_the_turn() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type("no onions")
        await desk.press("enter")
        assert desk.calls == [("say", "no onions")]


async def test_escape_in_the_queue_goes_back_to_the_field_and_pauses_nothing() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await queue(desk, "one")
        await desk.press("tab", "escape")
        assert desk.calls == []
        assert desk.app.main.input.has_focus


@pytest.mark.parametrize("line", ["dumplings, and keep it mild", "jde", "不要香菜"])
async def test_a_sentence_typed_in_the_queue_goes_to_the_field_and_drops_nothing(line: str) -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await queue(desk, "one", "two")
        await desk.press("tab")
        await desk.type(line)
        assert desk.typed == line
        assert waiting(desk) == ["one", "two"]


async def test_without_a_turn_what_is_queued_starts_at_once() -> None:
    async with open_desk() as desk:
        await desk.press("/queue")
        assert "The queue is empty" in desk.text
        await queue(desk, "one")
        assert desk.calls == [("run", "one")]
        assert desk.typed == ""


async def test_commands_of_a_killed_program_are_held(tmp_path: Path) -> None:
    killed = CommandQueue(tmp_path)
    killed.add("order coffee")
    killed.close()
    async with open_desk(ScriptedEngine(command_queue=CommandQueue(tmp_path))) as desk:
        assert "on hold since the last start" in desk.text
        assert desk.calls == []
        await desk.press("/queue", "enter")
        assert desk.calls == [("run", "order coffee")]


async def test_a_command_that_cannot_start_stays_in_the_line() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await queue(desk, "order coffee")
        desk.engine.missing = "No phone is connected."
        desk.engine.finish(Outcome.SUCCESS, "Done.", 4)
        await desk.settle()
        assert desk.engine.command_queue.commands == ("order coffee",)
        assert "on hold: the phone or the model is missing" in desk.text


async def test_the_next_command_starts_when_the_engine_is_done_with_the_turn_before() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await queue(desk, "order coffee")
        desk.engine.ended.clear()
        desk.engine.finish(Outcome.SUCCESS, "Done.", 4)
        await desk.settle()
        assert desk.calls == []
        desk.engine.ended.set()
        await desk.settle()
        assert desk.calls == [("run", "order coffee")]


async def test_while_another_program_uses_the_phone_the_line_is_held(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(said: str) -> None:
        raise EngineBusy("Another program carries out a turn on this phone.")

    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await queue(desk, "order coffee")
        monkeypatch.setattr(desk.engine, "run", refuse)
        desk.engine.finish(Outcome.SUCCESS, "Done.", 4)
        await desk.settle()
        assert desk.engine.command_queue.commands == ("order coffee",)
        assert desk.engine.command_queue.on_hold
        assert "on hold: another program uses the phone" in desk.text
        assert "Another program carries out a turn" in desk.text


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
async def test_hostile_commands_stay_text(text: str) -> None:
    engine = ScriptedEngine()
    engine.command_queue.add(text)
    async with open_desk(engine) as desk:
        assert not [character for character in desk.text if character < " " and character != "\n"]
        if text.startswith("["):
            assert text in desk.text


async def test_keys_that_come_in_a_burst_are_queued_whole() -> None:
    settings = Settings(model=ModelSettings(name="m", base_url="http://h/v1"), keys={"queue": "ctrl+g"})
    async with open_desk(ScriptedEngine(settings=settings)) as desk:
        lunch(desk.engine)
        await desk.settle()
        for character in (*"tea now", "ctrl+g"):
            key = "space" if character == " " else character
            desk.app.post_message(Key(key, character if len(character) == 1 else None))
        await desk.settle()
        assert waiting(desk) == ["tea now"]
        assert desk.typed == ""

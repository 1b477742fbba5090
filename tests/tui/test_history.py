"""Past turns as a person uses them: find one, look at it, run it again, copy it, write it to a file."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from assistant.events import ActionKind
from assistant.history import PastTurns, PastTurnStep, PictureState
from assistant.memory.store import Store
from assistant.memory.turns import StoredStep
from assistant.phone.errors import Refusal
from assistant.records import Click, Outcome, Point
from assistant.tui.app import AssistantApp
from assistant.tui.screens.history import format_past_action, format_past_step
from tests.history_turns import keep_some, lunch
from tests.tui.hostile_texts import HOSTILE
from tests.tui.scripted import ScriptedEngine
from tests.tui.scripted import lunch as play_lunch

from .app_fixture import Desk, open_desk

_READING = ("list", "turn", "picture", "told")


@asynccontextmanager
async def history(
    folder: Path, engine: ScriptedEngine | None = None, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[Desk]:
    engine = engine or ScriptedEngine()
    if engine.turns is None:
        _, engine.turns = keep_some(folder / "memory")
    async with open_desk(engine, size, pictures=folder) as desk:
        await desk.press("/history")
        await quiet(desk.app, desk.pilot)
        yield desk


async def quiet(app: AssistantApp, pilot: Pilot[None]) -> None:
    """Wait until everything that is looked at was read and drawn."""
    for _ in range(2):
        await pilot.pause()
        while any(worker.group in _READING and not worker.is_finished for worker in app.workers):
            await pilot.pause()


async def press(desk: Desk, *keys: str) -> None:
    for key in keys:
        await desk.pilot.press(key)
        await quiet(desk.app, desk.pilot)


async def test_turns_stand_newest_first_with_how_they_ended(tmp_path: Path) -> None:
    async with history(tmp_path) as desk:
        text = desk.text
        assert text.index("给妈妈发消息") < text.index("set an alarm") < text.index("order my usual lunch")
        for words in ("not ended", "failed", "went well · 3 steps · Eats"):
            assert words in text


async def test_a_turn_shows_its_steps_and_the_picture_before_each(tmp_path: Path) -> None:
    async with history(tmp_path) as desk:
        await press(desk, "end", "enter")
        for words in (
            "Task: Order beef noodles",
            "Beef noodles are ordered.",
            "✓ tap “Search”",
            "the field is gone",
        ):
            assert words in desk.text
        assert "▀▀▀▀" in desk.text
        await press(desk, "down")
        assert "◎" in desk.text
        await press(desk, "down")
        assert "This screen" in desk.text
        await press(desk, "escape", "escape")
        assert desk.app.screen is desk.app.main


async def test_turns_are_found_as_words_are_typed(tmp_path: Path) -> None:
    async with history(tmp_path) as desk:
        await press(desk, "/")
        desk.app.screen.query_one(Input).value = "nodles"
        await quiet(desk.app, desk.pilot)
        assert "order my usual lunch" in desk.text
        assert "set an alarm" not in desk.text
        desk.app.screen.query_one(Input).value = "zzzzz"
        await quiet(desk.app, desk.pilot)
        assert "No past turn fits." in desk.text
        await press(desk, "escape", "escape")
        assert "set an alarm" in desk.text


async def test_run_again_starts_the_command(tmp_path: Path) -> None:
    async with history(tmp_path) as desk:
        await press(desk, "down", "r")
        assert desk.calls == [("run", "set an alarm for 7:30")]


async def test_run_again_while_a_turn_runs_waits_for_its_end(tmp_path: Path) -> None:
    async with history(tmp_path) as desk:
        play_lunch(desk.engine)
        await desk.settle()
        await press(desk, "down", "r")
        assert desk.calls == []
        assert desk.engine.command_queue.commands == ("set an alarm for 7:30",)


async def test_edit_and_run_puts_the_command_into_the_field(tmp_path: Path) -> None:
    async with history(tmp_path) as desk:
        await press(desk, "down", "e")
        assert desk.typed == "set an alarm for 7:30"
        assert desk.calls == []


async def test_a_turn_is_written_to_a_page_and_a_step_view_to_a_drawing(tmp_path: Path) -> None:
    async with history(tmp_path) as desk:
        await press(desk, "end", "x")
        page = tmp_path / "assistant-turn-20260310-120500.html"
        assert page.read_text().count("data:image/jpeg") == 3
        await press(desk, "enter", "s")
        assert page.with_suffix(".svg").read_text().startswith("<svg")
        assert "Saved" in desk.text


async def test_in_a_browser_what_is_written_is_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    downloaded: list[Path] = []
    monkeypatch.setattr(AssistantApp, "is_web", True)
    monkeypatch.setattr(AssistantApp, "deliver_binary", lambda self, file: downloaded.append(file))
    async with history(tmp_path) as desk:
        await press(desk, "end", "x")
        assert downloaded == [tmp_path / "assistant-turn-20260310-120500.html"]
        assert "Saved" in desk.text


async def test_copying_offers_the_step_or_the_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.tui.terminal.run_program", lambda command, text: False)
    async with history(tmp_path) as desk:
        await press(desk, "end", "c")
        assert "order my usual lunch" in desk.app.clipboard
        assert "Sent to the terminal's clipboard" in desk.text
        await press(desk, "enter", "down", "c")
        assert desk.app.clipboard == "tap “Search”"


async def test_without_turns_it_says_so(tmp_path: Path) -> None:
    engine = ScriptedEngine()
    engine.turns = PastTurns(Store(tmp_path / "empty"), "me")
    async with history(tmp_path, engine) as desk:
        assert "There are no past turns yet." in desk.text
        await press(desk, "r", "e", "c", "x", "enter")
        assert desk.app.screen is not desk.app.main


@pytest.mark.parametrize("name", [name for name in HOSTILE if name != "strange"])
async def test_hostile_text_stays_text(tmp_path: Path, name: str) -> None:
    text = HOSTILE[name]
    store = Store(tmp_path / "memory")
    step = StoredStep(number=1, action=Click(point=Point(0.5, 0.5), content=text), app=text, error=text)
    turn = lunch(said=text, instruction=text + ".", steps=(step,), answer=text, model=text)
    store.turns.save(turn)
    store.turns.finish(turn, Outcome.FAILED)
    engine = ScriptedEngine()
    engine.turns = PastTurns(store, "me")
    async with history(tmp_path, engine, (140, 40)) as desk:
        await press(desk, "c")
        assert not [character for character in desk.text if character < " " and character != "\n"]
        assert not any(mark in desk.text for mark in "\x7f\x9b\u202e\u2066")
        if text.startswith("["):
            assert text in desk.text


def test_a_sensitive_step_says_what_the_user_said_to_it() -> None:
    step = StoredStep(number=4, action=Click(point=Point(0.5, 0.9), content="Pay"), kind=ActionKind.PAY)
    assert "tap “Pay” · you allowed it" in format_past_action(PastTurnStep(step, PictureState.NONE))
    refused = format_past_action(PastTurnStep(step.refused(Refusal.NOT_ALLOWED), PictureState.NONE))
    assert "you allowed it" not in refused
    assert (
        "you did not allow it"
        in format_past_step(PastTurnStep(step.refused(Refusal.NOT_ALLOWED), PictureState.NONE)).plain
    )


async def test_a_letter_that_is_no_key_begins_a_search(tmp_path: Path) -> None:
    async with history(tmp_path) as desk:
        field = desk.app.screen.query_one("#past-find", Input)
        assert field.placeholder.startswith("/ finds")
        await press(desk, *"lunch")
        assert field.has_focus
        assert field.value == "lunch"

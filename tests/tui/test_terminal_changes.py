"""What happens to the terminal under the interface: its size, what a shell wrote on it, a very long paste."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events
from textual._compositor import Compositor
from textual.driver import Driver

from assistant.tui.app import AssistantApp
from tests.tui.remembered import live
from tests.tui.scripted import ScriptedEngine, lunch

from .app_fixture import open_desk

STORM = ((20, 5), (160, 50), (21, 6), (3, 1), (100, 30), (20, 5), (80, 24))


async def test_a_storm_of_sizes_leaves_turn_prompt_and_memory_as_they_were(tmp_path: Path) -> None:
    store, view = live(tmp_path)
    engine = ScriptedEngine(remembered=view)
    async with open_desk(engine) as desk:
        await desk.type("half a comm")
        lunch(engine)
        decision = engine.ask_approval(4)
        await desk.settle()
        before = desk.lines
        for size in STORM:
            await desk.pilot.resize_terminal(*size)
            assert all(len(line) == size[0] for line in desk.lines)
        await desk.settle()
        assert desk.lines == before
        await desk.press("f2")
        for size in STORM:
            await desk.pilot.resize_terminal(*size)
        assert "▸preferences" in desk.text
        assert "yes, this once" in desk.text
        assert desk.typed == "half a comm"
        assert not decision.done()
        assert desk.calls == []
    store.close()


async def test_the_smallest_window_still_says_what_goes_on_and_how_to_stop_it() -> None:
    async with open_desk(size=(40, 6)) as desk:
        lunch(desk.engine)
        await desk.settle()
        assert "Running · model thinking" in desk.text
        assert "esc pause" in desk.text
        desk.engine.ask_approval(4, sentence="Pays ¥32.00 to Corner Noodle House.")
        await desk.settle()
        assert "Pays ¥32.00 to Corner Noodle House." in desk.text
        assert "no, do this instead" in desk.text
        assert "esc pause" in desk.text


async def test_after_the_shell_everything_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[bool] = []

    def draw(self: Compositor, full: bool = False, **how: object) -> None:
        drawn.append(self.size.region in self._dirty_regions)
        self._dirty_regions.clear()

    async with open_desk() as desk:
        monkeypatch.setattr(Compositor, "render_update", draw)
        desk.app.post_message(Driver.SignalResume())
        await desk.settle()
        assert any(drawn)


async def test_a_book_can_be_pasted_and_sent() -> None:
    book = "Order the following, 面, one line each.\n" * 1_000
    async with open_desk() as desk:
        await desk.paste(book)
        assert desk.typed == book
        assert "esc" not in desk.lines[0]
        await desk.press("enter")
        assert desk.calls == [("run", book.strip())]


async def test_escape_that_comes_together_with_a_letter_pauses_and_never_cancels() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        for letter in "no":
            desk.app.post_message(events.Key(f"alt+{letter}", letter))
            await desk.settle()
        assert desk.calls == [("pause",), ("pause",)]
        assert desk.typed == "no"


async def test_with_nothing_typed_to_take_back_the_shell_is_two_keys_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    left: list[bool] = []
    monkeypatch.setattr(AssistantApp, "action_suspend_process", lambda self: left.append(True))
    async with open_desk() as desk:
        await desk.type("order tea")
        await desk.press("enter")
        await desk.type("x")
        await desk.press("ctrl+z")
        assert (desk.typed, left) == ("", [])
        await desk.press("ctrl+z")
        assert (desk.typed, left) == ("", [])
        assert "ctrl+z again goes back to the shell" in desk.text
        await desk.press("ctrl+z")
        assert left == [True]


async def test_what_was_proposed_and_withdrawn_is_not_taken_for_something_typed() -> None:
    async with open_desk() as desk:
        assert desk.app.main.input.propose("Order beef noodles")
        desk.app.main.input.withdraw()
        await desk.press("ctrl+z")
        assert desk.typed == ""

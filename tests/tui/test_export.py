"""Copying says what is known, and turns are written down where the user wants it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from assistant import events
from assistant.records import Outcome, Usage
from assistant.settings.schema import InterfaceSettings, Settings
from assistant.tui import terminal
from tests.history_turns import keep_some
from tests.tables import each
from tests.tui.scripted import NOW, ScriptedEngine, lunch

from .app_fixture import Desk, open_desk


class Clip:
    def __init__(self, works: bool) -> None:
        self.works = works
        self.commands: list[str] = []
        self.asked: list[str] = []

    def run(self, command: Sequence[str], text: str) -> bool:
        self.commands.append(command[0])
        return self.works


async def done(desk: Desk, group: str) -> None:
    await desk.settle()
    while any(worker.group == group and not worker.is_finished for worker in desk.app.workers):
        await desk.pilot.pause()
    await desk.settle()


@each(
    ("environment", "works", "text", "words", "commands"),
    [
        ({"WAYLAND_DISPLAY": "w"}, True, "a", "Copied.", ["wl-copy"]),
        ({"DISPLAY": ":0"}, False, "a", "does not confirm it", ["xclip", "xsel"]),
        ({"DISPLAY": ":0", "SSH_CONNECTION": "x"}, True, "a", "does not confirm it", []),
        ({"DISPLAY": ":0", "TEXTUAL_DRIVER": "web"}, True, "a", "does not confirm it", []),
        ({"TMUX": "/tmp/tmux-0/s,1,0", "SSH_TTY": "x"}, True, "a", "Copied into tmux", ["tmux"]),
        ({"TMUX": "/tmp/tmux-0/s,1,0"}, False, "a", "does not confirm it", ["tmux"]),
        ({"TMUX": "/tmp/tmux-0/s,1,0", "TEXTUAL_DRIVER": "web"}, True, "a", "does not confirm it", []),
        ({}, True, "a" * 80_000, "too long", []),
    ],
)
def test_copying_says_what_is_known(
    environment: dict[str, str], works: bool, text: str, words: str, commands: list[str]
) -> None:
    clip = Clip(works)
    assert words in terminal.copy(text, clip.asked.append, environment, clip.run)
    assert clip.commands == commands
    assert bool(clip.asked) == ("does not confirm it" in words)


async def test_a_turn_is_copied_with_its_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "run_program", lambda command, text: False)
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.app.run_action("copy_turn")
        await done(desk, "copy")
        assert "type “beef noodles”" in desk.app.clipboard
        assert "does not confirm it" in desk.text


async def test_a_turn_that_is_over_is_added_to_the_transcript(tmp_path: Path) -> None:
    file = tmp_path / "turns.txt"
    engine = ScriptedEngine(settings=Settings(interface=InterfaceSettings(transcript=str(file))))
    _, engine.turns = keep_some(tmp_path / "memory")
    ended = events.TurnFinished(
        time=NOW, turn_id="t-lunch", outcome=Outcome.SUCCESS, answer="", steps=3, usage=Usage(), seconds=1.0
    )
    async with open_desk(engine) as desk:
        engine.emit(ended)
        await done(desk, "transcript")
    assert "type “beef noodles”" in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600

"""The window's title tells how the turn stands, and gives way to the shell's."""

from __future__ import annotations

import pytest
from textual.driver import Driver

from assistant.events import Cause, TurnState
from assistant.presentation.ui_state import Asking, Situation
from assistant.tui import window_title
from assistant.tui.window_title import format_title
from tests.tui.scripted import lunch

from .app_fixture import open_desk


@pytest.mark.parametrize(
    ("situation", "title"),
    [
        (Situation(), "assistant"),
        (Situation(TurnState.RUNNING, Cause.THINKING), "▸ assistant"),
        (Situation(TurnState.PAUSED, Cause.USER_PAUSED), "‖ assistant"),
        (Situation(TurnState.WAITING, Cause.APPROVAL, Asking.APPROVAL), "● assistant needs you"),
        (Situation(TurnState.WAITING, Cause.MEANING, Asking.MEANING), "? assistant"),
        (Situation(asking=Asking.OFFER), "assistant"),
        (Situation(TurnState.FINISHED), "✓ assistant"),
    ],
)
def test_a_title_tells_how_the_turn_stands(situation: Situation, title: str) -> None:
    assert format_title(situation) == title


async def test_the_title_follows_the_turn_and_comes_back_after_the_shell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    titles: list[str] = []
    monkeypatch.setattr(window_title, "save_title", lambda app: titles.append("save"))
    monkeypatch.setattr(window_title, "restore_title", lambda app: titles.append("restore"))
    monkeypatch.setattr(window_title, "set_title", lambda app, title: titles.append(title))
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        assert titles[:2] == ["save", "assistant"]
        assert titles[-1] == "▸ assistant"
        desk.engine.ask_approval(4)
        await desk.settle()
        assert titles[-1] == "● assistant needs you"
        shown = len(titles)
        desk.app.app_suspend_signal.publish(desk.app)
        # At once: the process stands still right after.
        assert titles[-1] == "restore"
        desk.app.post_message(Driver.SignalResume())
        await desk.settle()
        assert titles[shown:] == ["restore", "save", "● assistant needs you"]
    assert titles[-1] == "restore"

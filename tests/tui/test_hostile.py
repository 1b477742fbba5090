"""Text from the phone, the model and the user reaches every widget and stays text."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant import events
from assistant.config import ModelSettings, Settings
from assistant.events import ActionKind, Cause, PhoneState, TurnState
from assistant.observations import ForegroundApp
from assistant.records import Click, Outcome, Point, Target
from assistant.tui.words import one_line, safe, wrapped
from tests.tui.desk import open_desk
from tests.tui.hostile_texts import HOSTILE
from tests.tui.scripted import NOW, CutOff, ScriptedEngine


def everything(engine: ScriptedEngine, text: str) -> None:
    app = ForegroundApp(text, text, text)
    action = Click(
        point=Point(0.5, 0.5),
        content=text,
        target=Target(resource_id=text, class_name=text, text=text, description=text),
    )
    engine.emit(
        events.PhoneStateChanged(time=NOW, state=PhoneState.READY, sentence=text, serial=text, model=text)
    )
    engine.begin(text, text + ".")
    engine.observe(1, app)
    engine.think(1, text, text)
    engine.choose(1, action)
    engine.act(1, action, error=text)
    engine.observe(2, app)
    engine.think(2, text)
    engine.say(text)
    engine.emit(
        events.ReplyMalformed(time=NOW, step=2, attempt=1, reason=text),
        events.ModelRetrying(time=NOW, attempt=1, delay=2, reason=text),
    )
    engine.enter(TurnState.WAITING, Cause.PHONE, text)
    engine.ask_approval(2, action, ActionKind.SEND, app)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
async def test_hostile_text_stays_text_everywhere(text: str) -> None:
    settings = Settings(model=ModelSettings(name=text, base_url="http://[bad"))
    engine = ScriptedEngine(settings=settings, missing=text, simulated=text, past=[text])
    engine.cut_off = CutOff(said=text, time=datetime.fromisoformat("2026-03-10T12:05:00+00:00"))
    async with open_desk(engine, size=(120, 40)) as desk:
        screens = [desk.text]
        everything(engine, text)
        await desk.settle()
        screens.append(desk.text)
        await desk.press("ctrl+o", "f4")
        screens.append(desk.text)
        await desk.press("enter")
        await desk.wait(10)
        await desk.press("ctrl+n")
        engine.ask_question(2, text)
        await desk.settle()
        screens.append(desk.text)
        engine.finish(Outcome.FAILED, text, 2)
        await desk.settle()
        screens.append(desk.text)
        assert desk.app.is_running
        for screen in screens:
            assert not [character for character in screen if character < " " and character != "\n"]
            assert not any(mark in screen for mark in "\x7f\x9b\u202e\u2066\ud83d")
        if text.startswith("["):
            assert all(text in screen for screen in screens[1:])


@pytest.mark.parametrize("text", ["[@click=app.quit]leave[/]"])
async def test_markup_makes_no_links(text: str) -> None:
    engine = ScriptedEngine()
    async with open_desk(engine) as desk:
        everything(engine, text)
        await desk.settle()
        for y, line in enumerate(desk.lines):
            if "leave" in line:
                await desk.pilot.click(offset=(line.index("leave") + 1, y))
        assert desk.app.is_running


@given(st.text(alphabet=st.characters(codec=None)))
def test_safe_text_has_no_control_characters_and_can_be_written(text: str) -> None:
    cleaned = safe(text)
    cleaned.encode()
    assert all(character.isprintable() or character == "\n" or ord(character) > 0x9F for character in cleaned)
    assert safe(cleaned) == cleaned
    assert "\n" not in one_line(text)


@given(st.text(max_size=300), st.integers(min_value=4, max_value=60))
def test_wrapped_lines_fit(text: str, width: int) -> None:
    from rich.cells import cell_len

    assert all(cell_len(line) <= width for line in wrapped(safe(text), width))

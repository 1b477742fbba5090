"""Text from the phone, the model and the user reaches every widget and stays text."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant import events
from assistant.events import ActionKind, Cause, PhoneState, TurnState
from assistant.phone.errors import PhoneStatus
from assistant.presentation.text import one_line, safe
from assistant.records import Click, ForegroundApp, Outcome, Point, Target
from assistant.settings.schema import ModelSettings, Settings
from assistant.setup.core import FoundPhone
from assistant.tui.app import SetupApp
from assistant.tui.turn_lines import wrapped
from tests.keyrings import MemoryKeyring, system_keyring
from tests.tui.hostile_texts import HOSTILE
from tests.tui.scripted import CUT_OFF, NOW, ScriptedEngine, past_suggestion
from tests.tui.test_setup import MISS, MadeUp
from tests.tui.test_setup import settle as settle_setup
from tests.tui.test_setup import shown as setup_text

from .app_fixture import open_desk


def assert_plain(screens: list[str]) -> None:
    """Nothing on the screens would be obeyed by a terminal."""
    for screen in screens:
        assert not [character for character in screen if character < " " and character != "\n"]
        assert not any(mark in screen for mark in "\x7f\x9b\u202e\u2066\ud83d")


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
    engine.cut_off = replace(CUT_OFF, said=text, time=datetime.fromisoformat("2026-03-10T12:05:00+00:00"))
    async with open_desk(engine, size=(120, 40)) as desk:
        screens = [desk.text]
        everything(engine, text)
        await desk.settle()
        screens.append(desk.text)
        await desk.press("/thoughts", "/history")
        screens.append(desk.text)
        await desk.press("enter")
        await desk.wait(10)
        await desk.press("n", "enter")
        engine.ask_question(2, text)
        await desk.settle()
        screens.append(desk.text)
        engine.finish(Outcome.FAILED, text, 2)
        await desk.settle()
        screens.append(desk.text)
        assert desk.app.is_running
        assert_plain(screens)
        if text.startswith("["):
            assert all(text in screen for screen in screens[1:])


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
async def test_hostile_names_of_phones_places_and_suggestions_stay_text(text: str) -> None:
    phone = PhoneStatus(PhoneState.READY, text, serial=text, model=text, battery=7)
    engine = ScriptedEngine(connected=[phone], old=[past_suggestion(text)])
    async with open_desk(engine, size=(120, 40)) as desk:
        engine.emit(
            events.ScenarioChanged(time=NOW, scenario=text, place=text, origin="place"),
            events.SuggestionOffered(
                time=NOW, id=text, instruction=text, score=0.9, until=NOW, why=(text, text), starts=None
            ),
        )
        await desk.settle()
        shown = [desk.text]
        for key in ("/suggestion", "/suggestions", "/phones"):
            await desk.press(key)
            shown.append(desk.text)
            await desk.press("escape")
        assert_plain(shown)
        if text.startswith("["):
            assert all(text[:20] in screen for screen in shown)


async def test_hostile_answers_while_setting_up_stay_text() -> None:
    text = " ".join(HOSTILE.values())[:2000].encode(errors="replace").decode()
    setup = MadeUp(Settings(model=ModelSettings(name="m", base_url="http://h/v1")), not_kept="Not kept.")
    setup.listed = [FoundPhone(text, text, text, text)]
    setup.trial = replace(MISS, dialect=text, sentence=text, advice=text, thought=text)
    app = SetupApp(setup)
    with system_keyring(MemoryKeyring()):
        async with app.run_test(size=(80, 24)) as pilot:
            await settle_setup(app, pilot)
            shown = [setup_text(app)]
            for keys in (("enter",), ("ctrl+right", "ctrl+right", "enter")):
                await pilot.press(*keys)
                await settle_setup(app, pilot)
                shown.append(setup_text(app))
            assert_plain(shown)
            assert "[/x] [@click=app.quit]" in shown[0]


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

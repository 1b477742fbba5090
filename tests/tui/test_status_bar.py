from __future__ import annotations

import pytest

from assistant import events
from assistant.events import Cause, PhoneState, TurnState
from assistant.records import Outcome
from assistant.settings.schema import ModelSettings, Settings
from assistant.tui.widgets.around_turn import Status, StatusBar
from tests.tables import each
from tests.tui.app_fixture import open_desk
from tests.tui.scripted import NOW, ScriptedEngine


@each(
    ("status", "wide", "narrow"),
    [
        (Status(used=9400), "9.4k tok", "9.4k tok"),
        (Status(used=900, used_today=1230, today="$0.004"), "1.2k tok · $0.004 today", "$0.004"),
        (Status(used=900, used_today=1230), "1.2k tok today", "1.2k tok"),
        (Status(model="m"), "◆ m", ""),
    ],
)
def test_the_last_part_tells_what_the_day_used_and_cost(status: Status, wide: str, narrow: str) -> None:
    assert status.parts(short=False)[-1] == wide
    short = status.parts(short=True)
    assert narrow in short if narrow else "tok" not in short[-1]


def test_a_battery_is_told_when_it_is_low() -> None:
    status = Status(phone_state=PhoneState.READY, phone="Pixel 8", battery=21)
    assert status.parts(short=False)[0] == "● Pixel 8"
    status.battery = 20
    assert status.parts(short=False)[0] == "● Pixel 8 · battery 20 %"


@pytest.mark.parametrize(
    ("address", "told"),
    [("http://localhost:8000/v1", "qwen3-vl"), ("https://api.example.com/v1", "qwen3-vl @ api.example.com")],
)
def test_where_pictures_go_is_told_unless_they_stay_here(address: str, told: str) -> None:
    settings = Settings(model=ModelSettings(name="qwen3-vl", base_url=address))
    assert StatusBar(ScriptedEngine(settings=settings)).status.model == told


@pytest.mark.parametrize(("width", "rows"), [(160, 1), (80, 2)])
async def test_what_is_simulated_has_a_line_of_its_own_only_where_it_must(width: int, rows: int) -> None:
    async with open_desk(ScriptedEngine(simulated="Simulated phone"), size=(width, 30)) as desk:
        assert "Simulated phone" in desk.lines[rows - 1]
        assert desk.app.main.status.size.height == rows


@each(
    ("settings", "guessed"),
    [
        (ModelSettings(name="mystery-9b", base_url="http://h/v1"), True),
        (ModelSettings(name="mystery-9b", base_url="http://h/v1", dialect="gemini"), False),
        (ModelSettings(name="qwen3-vl", base_url="http://h/v1"), False),
        (ModelSettings(base_url="http://h/v1"), False),
    ],
)
def test_a_guessed_dialect_is_said(settings: ModelSettings, guessed: bool) -> None:
    bar = StatusBar(ScriptedEngine(settings=Settings(model=settings)))
    assert ("reply format guessed" in bar.status.model) is guessed


async def test_what_a_turn_says_of_its_phone_stays_among_the_steps_and_the_battery_in_the_bar() -> None:
    engine = ScriptedEngine()
    async with open_desk(engine, size=(100, 30)) as desk:
        engine.emit(
            events.PhoneStateChanged(
                time=NOW, state=PhoneState.READY, sentence="", serial="p", model="Pixel 8", battery=15
            )
        )
        engine.begin("text mom", "text mom")
        engine.enter(TurnState.RUNNING, Cause.OBSERVING)
        said = "The resident helper is not used in this turn, plain adb is: it was ended."
        engine.emit(
            events.PhoneStateChanged(time=NOW, state=PhoneState.READY, sentence=said, helper_lost=True)
        )
        engine.emit(
            events.PhoneStateChanged(time=NOW, state=PhoneState.READY, sentence="No picture is read.")
        )
        engine.enter(TurnState.RUNNING, Cause.THINKING)
        await desk.settle()
        screen = " ".join(" ".join(desk.lines).split())
        assert "The resident helper is not used in this turn, plain adb is:" in screen
        assert "Pixel 8 without helper battery 15 %" in desk.lines[0]
        engine.emit(
            events.PhoneStateChanged(
                time=NOW, state=PhoneState.LOCKED, sentence="", serial="p", model="Pixel 8", battery=14
            )
        )
        await desk.settle()
        assert "Pixel 8 locked without helper battery 14 %" in desk.lines[0]
        engine.finish(Outcome.SUCCESS, "Sent.", 1)
        await desk.settle()
        assert "without helper" not in desk.lines[0]


def test_what_holds_for_one_turn_is_not_shown_for_another_phones() -> None:
    bar = StatusBar(ScriptedEngine())
    lost = events.PhoneStateChanged(time=NOW, state=PhoneState.READY, sentence="", helper_lost=True)
    bar.handle_event(lost)
    assert bar.status.helper_lost
    bar.show_front([])
    assert not bar.status.helper_lost
    bar.show_front([events.StepStarted(time=NOW, step=1), lost])
    assert bar.status.helper_lost

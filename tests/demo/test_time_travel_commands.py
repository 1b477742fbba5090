"""Time that passes in the demo, as the interface shows it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.demo.time_travel import DemoTime, TimeSpan, TimeTravelCommand, TimeTravelResult, format_result
from assistant.events import Cause, TurnState
from assistant.i18n import Language, speaking
from assistant.proactive.suggestions import Stage, Suggestion
from tests.tui.app_fixture import Desk, open_desk
from tests.tui.scripted import NOW, ScriptedEngine


class DayByDay(DemoTime):
    """A clock that moves by a day whatever is asked for, and shows its time on an engine."""

    def __init__(self, engine: ScriptedEngine) -> None:
        world: Any = SimpleNamespace(phone={})
        super().__init__(world, "en", NOW)
        self.scripted = engine
        self.scripted.simulated_time = NOW
        self.asked: list[TimeSpan] = []

    async def let_pass(self, span: TimeSpan) -> TimeTravelResult:
        self.asked.append(span)
        assert self.scripted.simulated_time is not None
        self.scripted.simulated_time += timedelta(days=1)
        self._clock.move_to(self.scripted.simulated_time)
        return TimeTravelResult((passed(NOW, "Order the usual coffee"),), waits=True)


def passed(due: datetime, instruction: str) -> Suggestion:
    """A suggestion that nobody answered."""
    return Suggestion(
        id=instruction,
        routine="r",
        anchor="a",
        instruction=instruction,
        score=0.9,
        why=(),
        evidence=(),
        scenario="office",
        made=due,
        due=due,
        until=due + timedelta(hours=1),
        stage=Stage.OVER,
    )


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine(simulated="Simulated phone")


@pytest.fixture
def clock(engine: ScriptedEngine) -> DayByDay:
    return DayByDay(engine)


async def choose(desk: Desk, words: str) -> None:
    """Choose an entry of the palette by its words."""
    (entry,) = [entry for entry in desk.app.get_system_commands(desk.app.screen) if words in entry.title]
    entry.callback()
    for worker in [worker for worker in desk.app.workers if worker.group == "commands"]:
        await worker.wait()
    await desk.settle()


async def test_the_palette_lets_time_pass_and_the_bar_shows_it(
    engine: ScriptedEngine, clock: DayByDay
) -> None:
    async with open_desk(engine, commands=clock.commands) as desk:
        assert "Simulated phone · Tue 10 Mar 12:05" in desk.text
        await choose(desk, "three weeks")
        assert clock.asked == [TimeSpan.WEEKS]
        assert "It is Wed 11 Mar 12:05. Suggestions that passed meanwhile: 1 (" in desk.text
        desk.app.main.status.refresh()
        await desk.settle()
        assert "Simulated phone · Wed 11 Mar 12:05" in desk.text


async def test_time_stands_while_a_turn_runs(engine: ScriptedEngine, clock: DayByDay) -> None:
    async with open_desk(engine, commands=clock.commands) as desk:
        desk.engine.enter(TurnState.RUNNING, Cause.THINKING)
        await desk.settle()
        await choose(desk, "an hour")
        assert clock.asked == []
        assert "A turn is running." in desk.text


async def test_without_a_demo_time_cannot_be_steered() -> None:
    async with open_desk() as desk:
        titles = [entry.title for entry in desk.app.get_system_commands(desk.app.screen)]
        assert not [title for title in titles if "Demo" in title]


def test_where_nothing_was_suggested_the_next_moment_is_told() -> None:
    message = format_result(NOW, TimeTravelResult(next_look=NOW + timedelta(hours=20)))
    assert message == "It is Tue 10 Mar 12:05. Nothing comes up before Wed 11 Mar 08:05."
    assert "Nothing comes up in the next days" in format_result(NOW, TimeTravelResult())
    two = (passed(NOW, "Order the usual coffee"), passed(NOW + timedelta(hours=6), "Play quiet music"))
    message = format_result(NOW, TimeTravelResult(two))
    assert "passed meanwhile: 2 (Tue 10 Mar 12:05 Order the usual coffee; " in message
    assert "18:05 Play quiet music)" in message
    four = tuple(passed(NOW, f"Task {number}") for number in range(4))
    assert "4 (…; Tue 10 Mar 12:05 Task 1; " in format_result(NOW, TimeTravelResult(four))
    assert "waits for your answer" in format_result(NOW, TimeTravelResult(waits=True))
    with speaking(Language.CHINESE):
        assert "错过了 2 条建议" in format_result(NOW, TimeTravelResult(two))


def test_every_command_is_found_by_the_word_time(clock: DayByDay) -> None:
    commands: Sequence[TimeTravelCommand] = clock.commands
    assert len(commands) == len(TimeSpan)
    assert all("time" in command.title for command in commands)

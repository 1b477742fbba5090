"""Time that passes in the demo, as the interface shows it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from assistant.events import Cause, TurnState
from assistant.presentation.time_travel import TimeSpan, TimeTravelResult, format_passed, list_passages
from tests.tui.app_fixture import Desk, open_desk
from tests.tui.scripted import NOW, ScriptedEngine


@dataclass
class Wheel:
    """A clock that moves by a day whatever is asked for."""

    time: datetime = NOW
    asked: list[TimeSpan] = field(default_factory=list)

    def now(self) -> datetime:
        return self.time

    async def let_pass(self, passage: TimeSpan) -> TimeTravelResult:
        self.asked.append(passage)
        self.time += timedelta(days=1)
        return TimeTravelResult(7, waits=True)


async def choose(desk: Desk, words: str) -> None:
    """Choose an entry of the palette by its words."""
    (entry,) = [one for one in desk.app.get_system_commands(desk.app.screen) if words in one.title]
    entry.callback()
    for worker in [one for one in desk.app.workers if one.group == "time"]:
        await worker.wait()
    await desk.settle()


async def test_the_palette_lets_time_pass_and_the_bar_shows_it() -> None:
    wheel = Wheel()
    async with open_desk(ScriptedEngine(simulated="Simulated phone"), steering=wheel) as desk:
        assert "Simulated phone · Tue 10 Mar 12:05" in desk.text
        await choose(desk, "three weeks")
        assert wheel.asked == [TimeSpan.WEEKS]
        assert "It is Wed 11 Mar 12:05. Suggestions meanwhile: 7. " in desk.text
        desk.app.main.status.refresh()
        await desk.settle()
        assert "Simulated phone · Wed 11 Mar 12:05" in desk.text


async def test_time_stands_while_a_turn_runs() -> None:
    wheel = Wheel()
    async with open_desk(steering=wheel) as desk:
        desk.engine.enter(TurnState.RUNNING, Cause.THINKING)
        await desk.settle()
        await choose(desk, "an hour")
        assert wheel.asked == []
        assert "A turn runs." in desk.text


async def test_without_a_demo_time_cannot_be_steered() -> None:
    async with open_desk() as desk:
        titles = [one.title for one in desk.app.get_system_commands(desk.app.screen)]
        assert not [one for one in titles if "Demo" in one]


def test_where_nothing_was_suggested_the_next_moment_is_told() -> None:
    told = format_passed(NOW, TimeTravelResult(next_look=NOW + timedelta(hours=20)))
    assert told == "It is Tue 10 Mar 12:05. Nothing comes up before Wed 11 Mar 08:05."
    assert "Nothing comes up in the next days" in format_passed(NOW, TimeTravelResult())
    assert format_passed(NOW, TimeTravelResult(2)).endswith("Suggestions meanwhile: 2; past ones: f7.")


def test_every_way_is_found_by_the_word_time() -> None:
    assert all("time" in words for _, words in list_passages())

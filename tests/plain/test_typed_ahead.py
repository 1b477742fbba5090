"""Lines that are typed before they can be carried out, and what the end of the input does."""

from __future__ import annotations

import asyncio

import pytest

from assistant.events import Cause, TurnState, Verdict
from assistant.records import Outcome
from tests.tables import each
from tests.tui.scripted import ScriptedEngine, lunch

from .typed_session import TypedSession, open_session


async def test_the_end_of_the_input_ends_a_turn_that_asks() -> None:
    session = TypedSession(ScriptedEngine())
    running = asyncio.create_task(session.plain_session.run(session.lines()))
    await session.settle()
    lunch(session.engine)
    await session.settle()
    await session.type(None)
    assert not running.done()
    session.engine.ask_approval(4)
    await asyncio.wait_for(running, 5)
    assert ("cancel",) in session.engine.calls


async def test_a_command_waits_for_the_phone() -> None:
    async with open_session(ScriptedEngine(searching=True)) as session:
        await session.type("turn on dark mode")
        assert session.engine.calls == []
        session.engine.is_searching = False
        session.engine.phone()
        await session.settle()
        assert session.engine.calls == [("run", "turn on dark mode")]


@each("line", ["never mind", "no, don't do that", "算了"])
async def test_a_command_that_waits_for_the_phone_is_taken_back(line: str) -> None:
    async with open_session(ScriptedEngine(searching=True)) as session:
        await session.type("turn on dark mode")
        await session.type(line)
        assert "Not started: turn on dark mode" in session.printed
        session.engine.is_searching = False
        session.engine.phone()
        await session.settle()
        assert session.engine.calls == []


class Running(ScriptedEngine):
    """An engine whose turns begin at once, and end when a test says so."""

    def run(self, said: str) -> None:
        super().run(said)
        self.begin(said)

    def found(self) -> None:
        self.is_searching = False
        self.phone()

    def said(self) -> list[str]:
        return [words for name, words in (call for call in self.calls if len(call) == 2) if name == "run"]


async def piped(engine: ScriptedEngine, *lines: str) -> tuple[TypedSession, asyncio.Task[None]]:
    """A session whose input was written before it began, and has ended."""
    session = TypedSession(engine, piped=True)
    running = asyncio.create_task(session.plain_session.run(session.lines()))
    for line in (*lines, None):
        await session.type(line)
    return session, running


@pytest.mark.parametrize("looking", [True, False])
async def test_piped_commands_run_in_their_order(looking: bool) -> None:
    engine = Running(searching=looking)
    session, running = await piped(
        engine, "turn on dark mode", "", "run help me sleep", "set a timer", "quit"
    )
    if looking:
        assert engine.said() == []
        assert "“turn on dark mode” starts as soon as the phone is found." in session.printed
        engine.found()
        await session.settle()
    assert "“help me sleep” waits for the commands before it." in session.printed
    for count in (1, 2, 3):
        assert engine.said() == ["turn on dark mode", "help me sleep", "set a timer"][:count]
        engine.finish(Outcome.SUCCESS, "Done.", steps=1)
        await session.settle()
    await asyncio.wait_for(running, 5)


async def test_a_piped_line_answers_what_the_command_before_it_asks() -> None:
    engine = Running(searching=True)
    session, running = await piped(engine, "order lunch", "3", "1", "set a timer")
    engine.found()
    await session.settle()
    first, second = engine.ask_approval(4), engine.ask_approval(5)
    await session.settle()
    assert (first.result().verdict, second.result().verdict) == (Verdict.THIS_TURN, Verdict.ONCE)
    engine.finish(Outcome.SUCCESS, "Ordered.", steps=4)
    await session.settle()
    assert engine.said() == ["order lunch", "set a timer"]
    engine.finish(Outcome.SUCCESS, "Set.", steps=1)
    await asyncio.wait_for(running, 5)


async def test_what_waits_is_not_started_after_a_failure() -> None:
    engine = Running()
    session, running = await piped(engine, "order lunch", "pay", "run set a timer", "exit")
    engine.finish(Outcome.FAILED, "The shop is closed.", steps=1)
    await asyncio.wait_for(running, 5)
    assert engine.said() == ["order lunch"]
    for command in ("pay", "set a timer"):
        assert f"Not started, because the command before it did not succeed: {command}" in session.printed


async def test_piped_words_reach_a_turn_that_is_held() -> None:
    engine = Running(searching=True)
    session, running = await piped(engine, "order lunch", "resume")
    engine.found()
    await session.settle()
    assert ("resume",) not in engine.calls
    engine.enter(TurnState.PAUSED, Cause.HANDED_OVER, "Log in, then type resume.")
    await session.settle()
    assert ("resume",) in engine.calls
    engine.finish(Outcome.SUCCESS, "Ordered.", steps=4)
    await asyncio.wait_for(running, 5)


async def test_commands_typed_while_the_phone_is_looked_for_are_all_kept() -> None:
    engine = Running(searching=True)
    async with open_session(engine) as session:
        await session.type("turn on dark mode")
        await session.type("set a timer")
        engine.found()
        await session.settle()
        assert engine.said() == ["turn on dark mode"]
        decision = engine.ask_approval(1)
        await session.settle()
        await session.type("1")
        assert decision.result().verdict is Verdict.ONCE
        engine.finish(Outcome.SUCCESS, "Done.", steps=1)
        await session.settle()
        assert engine.said() == ["turn on dark mode", "set a timer"]


async def test_how_the_last_command_ended_is_told_before_the_end_of_the_input_ends_all() -> None:
    engine = Running()
    session, running = await piped(engine, "set a timer")
    engine.enter(TurnState.FINISHED, Cause.DONE)
    await session.settle()
    assert not running.done()
    engine.finish(Outcome.SUCCESS, "Set.", steps=1)
    await asyncio.wait_for(running, 5)
    assert any(line.startswith("Finished: Set.") for line in session.printed)


async def test_a_line_that_nobody_says_the_use_of_at_the_end_of_input_is_left_out() -> None:
    async with open_session() as session:
        lunch(session.engine)
        await session.settle()
        await session.type("purple")
        assert session.engine.is_held
        await session.type(None)
        assert "Left out: “purple”." in session.printed
        assert not session.engine.is_held
        session.engine.finish(Outcome.SUCCESS, "Noodles are ordered.", 4)
        session.engine.state = None
        await session.settle()
    assert [call for call in session.engine.calls if call[0] in ("say", "run")] == []


async def test_a_turn_that_is_paused_at_the_end_of_input_is_ended() -> None:
    async with open_session() as session:
        lunch(session.engine)
        session.engine.enter(TurnState.PAUSED, Cause.USER_PAUSED)
        await session.settle()
        await session.type(None)
        assert "No more answers: the turn is ended." in session.printed
        assert session.engine.calls[-1] == ("cancel",)


async def test_a_turn_that_was_resumed_before_the_end_of_input_goes_on() -> None:
    async with open_session() as session:
        lunch(session.engine)
        session.engine.enter(TurnState.PAUSED, Cause.USER_PAUSED)
        await session.settle()
        await session.type("resume")
        await session.type(None)
        assert ("cancel",) not in session.engine.calls
        session.engine.finish(Outcome.SUCCESS, "Noodles are ordered.", 4)
        await session.settle()

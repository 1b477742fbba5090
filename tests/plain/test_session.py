from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from assistant import i18n
from assistant.events import Answer, Cause, PhoneState, Snooze, TurnState, Verdict
from assistant.i18n import Language
from assistant.plain.session import PlainSession
from assistant.records import Finished, OpenApp, Outcome
from tests.tui.scripted import CUT_OFF, Clock, ScriptedEngine, lunch

_LONG = 10.0


@dataclass
class Table:
    """A session whose lines are typed by a test."""

    engine: ScriptedEngine
    clock: Clock = field(default_factory=Clock)
    told: list[str] = field(default_factory=list)
    asked_memory: list[str] = field(default_factory=list)
    bells: int = 0
    piped: bool = False
    _typed: asyncio.Queue[str | None] = field(default_factory=asyncio.Queue)

    def __post_init__(self) -> None:
        self.session = PlainSession(
            self.engine,
            self.told.append,
            self.clock,
            self._memory,
            typed_ahead=self.piped,
            bell=self._ring,
        )

    async def lines(self) -> AsyncIterator[str]:
        while (line := await self._typed.get()) is not None:
            yield line

    async def type(self, line: str | None) -> None:
        self.clock.advance(_LONG)
        self._typed.put_nowait(line)
        await self.settle()

    async def settle(self) -> None:
        for _ in range(20):
            await asyncio.sleep(0)

    @property
    def text(self) -> str:
        return "\n".join(self.told)

    async def _memory(self, words: str) -> None:
        self.asked_memory.append(words)

    def _ring(self) -> None:
        self.bells += 1


@asynccontextmanager
async def table(engine: ScriptedEngine | None = None) -> AsyncIterator[Table]:
    one = Table(engine or ScriptedEngine())
    running = asyncio.create_task(one.session.run(one.lines()))
    await one.settle()
    yield one
    if not running.done():
        await one.type("quit")
    await asyncio.wait_for(running, 5)


async def test_each_event_is_a_line_without_control_characters() -> None:
    async with table() as one:
        one.engine.phone(PhoneState.LOCKED, "Phone is locked. Unlock it to go on.")
        lunch(one.engine)
        one.engine.choose(4, OpenApp(name="\x1b[2JEats\nfake line"))
        for _second_look in range(2):
            one.engine.choose(5, Finished(answer="Ordered."))
            one.engine.act(5, Finished(answer="Ordered."))
        one.engine.finish(Outcome.SUCCESS, "Ordered.", steps=4)
        await one.settle()
        assert "Phone: Phone is locked. Unlock it to go on." in one.told
        assert "Command: order my usual lunch" in one.told
        assert "Step 2: tap “Search”" in one.told
        assert "Step 2 done from memory, 0.2 s." in one.told
        assert "Step 4: open Eats fake line" in one.told
        assert "Finished: Ordered. (4 steps, 31 s, 12k tok)" in one.told
        assert one.text.count("Ordered.") == 1
        assert all(line.isprintable() for line in one.told)


async def test_a_command_runs_and_later_words_need_say() -> None:
    async with table() as one:
        await one.type("say hello to Mom")
        assert one.engine.calls == [("run", "say hello to Mom")]
        one.engine.begin("say hello to Mom")
        await one.type("the other Mom")
        assert one.told[-1] == "A turn runs. say WORDS tells it something; ctrl-c pauses."
        await one.type("say the other Mom")
        assert one.engine.calls[-1] == ("say", "the other Mom")


async def test_control_c_pauses_then_ends_the_turn_then_leaves() -> None:
    async with table() as one:
        lunch(one.engine)
        await one.settle()
        one.session.interrupt()
        said = "Do it on the phone, then press F5, or press Escape twice to end."
        one.engine.enter(TurnState.PAUSING, Cause.HANDED_OVER, said)
        one.engine.enter(TurnState.PAUSED, Cause.HANDED_OVER, said)
        await one.settle()
        assert one.text.count("Do it on the phone, then type resume, or type cancel to end.") == 1
        one.engine.enter(TurnState.PAUSED, Cause.USER_PAUSED)
        await one.settle()
        assert one.engine.calls[-1] == ("pause",)
        assert one.told[-1].startswith("Paused by you. resume goes on")
        await one.type("the other shop")
        assert one.told[-1] == "resume goes on, say WORDS tells it something, ctrl-c ends the turn."
        await one.type("resume")
        assert one.engine.calls[-1] == ("resume",)
        one.session.interrupt()
        one.session.interrupt()
        await one.settle()
        assert one.engine.calls[-2:] == [("pause",), ("cancel",)]
        assert one.told[-1].startswith("Cancelled")
        one.session.interrupt()
        one.session.interrupt()


@pytest.mark.parametrize(
    ("typed", "verdict", "words"),
    [
        ("1", Verdict.ONCE, ""),
        ("2", Verdict.THIS_TURN, ""),
        ("3", Verdict.ALWAYS, ""),
        ("4", Verdict.NO, ""),
        ("pay by card", Verdict.INSTEAD, "pay by card"),
    ],
)
async def test_an_approval_is_given_by_number(typed: str, verdict: Verdict, words: str) -> None:
    async with table() as one:
        lunch(one.engine)
        decision = one.engine.ask_approval(4, sentence="Pays ¥32.00 to Corner Noodle House.")
        await one.settle()
        assert "Pays ¥32.00 to Corner Noodle House." in one.told
        assert "1  yes, once" in one.told
        assert "2  yes, and to all payments for the rest of this turn" in one.told
        assert any(line.startswith("3  yes, and to all payments in PayBox always") for line in one.told)
        assert "4  no, and pause the turn" in one.told
        assert one.bells == 1
        await one.type("7")
        await one.type("")
        assert not decision.done()
        await one.type(typed)
        assert (decision.result().verdict, decision.result().words) == (verdict, words)


async def test_a_line_typed_before_the_question_does_not_answer_it() -> None:
    async with table() as one:
        lunch(one.engine)
        decision = one.engine.ask_approval(4)
        await one.settle()
        one._typed.put_nowait("1")
        await one.settle()
        assert not decision.done()
        assert one.told[-1].startswith("Not taken")
        await one.type("1")
        assert decision.result().verdict is Verdict.ONCE


async def test_a_question_is_answered_by_number_or_in_words_and_perhaps_once() -> None:
    async with table() as one:
        one.engine.begin("order lunch")
        choices = ("beef noodles", "soup")
        first = one.engine.ask_question(0, "What is your usual lunch?", choices, kept=True)
        second = one.engine.ask_question(0, "How many?")
        await one.settle()
        assert "How many?" not in one.told
        await one.type("once 3 bowls")
        assert first.result() == "3 bowls (just this time)"
        assert "How many?" in one.told
        await one.type("2")
        assert second.result() == "2"


async def test_nothing_goes_on_by_itself() -> None:
    async with table() as one:
        one.engine.begin("order my usual lunch")
        decision = one.engine.propose("Order beef noodles", seconds=0.0)
        await one.settle()
        one.clock.advance(100)
        await one.settle()
        assert not decision.done()
        await one.type("1")
        assert decision.result() == "Order beef noodles"


async def test_a_suggestion_needs_its_word() -> None:
    async with table() as one:
        await one.type("accept")
        assert one.told[-1] == "Nothing is suggested."
        one.engine.suggest()
        await one.settle()
        assert one.told[-1].startswith(
            "Suggested from memory: Navigate home and play the evening podcast? Nothing begins without a yes"
        )
        await one.type("why")
        assert one.told[-1] == "last yesterday"
        await one.type("later 10")
        assert ("answer", "s1", Snooze.TEN_MINUTES, "") in one.engine.calls
        await one.type("edit Navigate home")
        assert ("answer", "s1", Answer.EDITED, "Navigate home") in one.engine.calls
        await one.type("never")
        assert ("answer", "s1", Answer.NEVER, "") in one.engine.calls


async def test_a_turn_that_was_cut_off_is_offered_and_a_command_leaves_it_stored() -> None:
    async with table(ScriptedEngine(cut_off=CUT_OFF)) as one:
        assert "1  continue it" in one.told
        await one.type("turn on dark mode")
        assert one.engine.calls[-1] == ("run", "turn on dark mode")
        await one.type("1")
        assert one.engine.calls[-1] == ("continue", "t1")


async def test_what_is_missing_is_told() -> None:
    async with table(ScriptedEngine(missing="No phone is connected. Plug one in.")) as one:
        await one.type("turn on dark mode")
        assert one.told[-1] == "No phone is connected. Plug one in."


async def test_memory_and_places_are_reached_by_words() -> None:
    async with table() as one:
        await one.type("memory list --app Eats")
        await one.type("at office")
        await one.type("at nowhere")
        await one.type("memory")
        assert one.told[-1].startswith("memory list, memory show ID")
        await one.type("memory card is full, what now")
        assert one.asked_memory == ["list --app Eats"]
        assert one.engine.calls == [
            ("where", "office"),
            ("where", ""),
            ("run", "memory card is full, what now"),
        ]


async def test_a_place_is_said_in_the_language_of_the_interface() -> None:
    i18n.use(Language.CHINESE)
    try:
        async with table() as one:
            await one.type("at 办公室")
            await one.type("at Office")
            await one.type("at 爬山")
            assert one.engine.calls == [("where", "office"), ("where", "office"), ("where", "爬山")]
    finally:
        i18n.use(Language.ENGLISH)


async def test_the_end_of_the_input_ends_a_turn_that_asks() -> None:
    one = Table(ScriptedEngine())
    running = asyncio.create_task(one.session.run(one.lines()))
    await one.settle()
    lunch(one.engine)
    await one.settle()
    await one.type(None)
    assert not running.done()
    one.engine.ask_approval(4)
    await asyncio.wait_for(running, 5)
    assert ("cancel",) in one.engine.calls


async def test_a_command_waits_for_the_phone() -> None:
    async with table(ScriptedEngine(searching=True)) as one:
        await one.type("turn on dark mode")
        assert one.engine.calls == []
        one.engine.is_searching = False
        one.engine.phone()
        await one.settle()
        assert one.engine.calls == [("run", "turn on dark mode")]


class Running(ScriptedEngine):
    """An engine whose turns begin at once, and end when a test says so."""

    def run(self, said: str) -> None:
        super().run(said)
        self.begin(said)

    def found(self) -> None:
        self.is_searching = False
        self.phone()

    def said(self) -> list[str]:
        return [words for call, words in (one for one in self.calls if len(one) == 2) if call == "run"]


async def piped(engine: ScriptedEngine, *lines: str) -> tuple[Table, asyncio.Task[None]]:
    """A session whose input was written before it began, and has ended."""
    one = Table(engine, piped=True)
    running = asyncio.create_task(one.session.run(one.lines()))
    for line in (*lines, None):
        await one.type(line)
    return one, running


@pytest.mark.parametrize("looking", [True, False])
async def test_piped_commands_run_in_their_order(looking: bool) -> None:
    engine = Running(searching=looking)
    one, running = await piped(engine, "turn on dark mode", "", "run help me sleep", "set a timer", "quit")
    if looking:
        assert engine.said() == []
        assert "“turn on dark mode” starts as soon as the phone is found." in one.told
        engine.found()
        await one.settle()
    assert "“help me sleep” waits for what is before it." in one.told
    for count in (1, 2, 3):
        assert engine.said() == ["turn on dark mode", "help me sleep", "set a timer"][:count]
        engine.finish(Outcome.SUCCESS, "Done.", steps=1)
        await one.settle()
    await asyncio.wait_for(running, 5)


async def test_a_piped_line_answers_what_the_command_before_it_asks() -> None:
    engine = Running(searching=True)
    one, running = await piped(engine, "order lunch", "2", "1", "set a timer")
    engine.found()
    await one.settle()
    first, second = engine.ask_approval(4), engine.ask_approval(5)
    await one.settle()
    assert (first.result().verdict, second.result().verdict) == (Verdict.THIS_TURN, Verdict.ONCE)
    engine.finish(Outcome.SUCCESS, "Ordered.", steps=4)
    await one.settle()
    assert engine.said() == ["order lunch", "set a timer"]
    engine.finish(Outcome.SUCCESS, "Set.", steps=1)
    await asyncio.wait_for(running, 5)


async def test_what_waits_is_not_started_after_a_failure() -> None:
    engine = Running()
    one, running = await piped(engine, "order lunch", "pay", "exit")
    engine.finish(Outcome.FAILED, "The shop is closed.", steps=1)
    await asyncio.wait_for(running, 5)
    assert engine.said() == ["order lunch"]
    assert "Not started, as the one before did not end well: pay" in one.told


async def test_piped_words_reach_a_turn_that_is_held() -> None:
    engine = Running(searching=True)
    one, running = await piped(engine, "order lunch", "resume")
    engine.found()
    await one.settle()
    assert ("resume",) not in engine.calls
    engine.enter(TurnState.PAUSED, Cause.HANDED_OVER, "Log in, then type resume.")
    await one.settle()
    assert ("resume",) in engine.calls
    engine.finish(Outcome.SUCCESS, "Ordered.", steps=4)
    await asyncio.wait_for(running, 5)


async def test_commands_typed_while_the_phone_is_looked_for_are_all_kept() -> None:
    engine = Running(searching=True)
    async with table(engine) as one:
        await one.type("turn on dark mode")
        await one.type("set a timer")
        engine.found()
        await one.settle()
        assert engine.said() == ["turn on dark mode"]
        decision = engine.ask_approval(1)
        await one.settle()
        await one.type("1")
        assert decision.result().verdict is Verdict.ONCE
        engine.finish(Outcome.SUCCESS, "Done.", steps=1)
        await one.settle()
        assert engine.said() == ["turn on dark mode", "set a timer"]


async def test_how_the_last_command_ended_is_told_before_the_end_of_the_input_ends_all() -> None:
    engine = Running()
    one, running = await piped(engine, "set a timer")
    engine.enter(TurnState.FINISHED, Cause.DONE)
    await one.settle()
    assert not running.done()
    engine.finish(Outcome.SUCCESS, "Set.", steps=1)
    await asyncio.wait_for(running, 5)
    assert any(line.startswith("Finished: Set.") for line in one.told)

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import pytest

from assistant import i18n
from assistant.conversation.service import Reply
from assistant.events import (
    ActionKind,
    Answer,
    Approval,
    Cause,
    PhoneState,
    PlannedTask,
    Snooze,
    TurnFinished,
    TurnState,
    Verdict,
)
from assistant.i18n import Language
from assistant.plain.output import format_spoken_line
from assistant.plain.session import PlainSession
from assistant.records import Click, Finished, OpenApp, Outcome, Point, Target, Usage
from tests.tui.scripted import CUT_OFF, Clock, ScriptedEngine, lunch
from tests.worlds import START

_LONG = 10.0


@dataclass
class TypedSession:
    """A session whose lines are typed by a test."""

    engine: ScriptedEngine
    clock: Clock = field(default_factory=Clock)
    printed: list[str] = field(default_factory=list)
    memory_commands: list[str] = field(default_factory=list)
    bells: int = 0
    piped: bool = False
    _typed: asyncio.Queue[str | None] = field(default_factory=asyncio.Queue)

    def __post_init__(self) -> None:
        self.plain_session = PlainSession(
            self.engine,
            self.printed.append,
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
        return "\n".join(self.printed)

    async def _memory(self, words: str) -> None:
        self.memory_commands.append(words)

    def _ring(self) -> None:
        self.bells += 1


@asynccontextmanager
async def open_session(engine: ScriptedEngine | None = None) -> AsyncIterator[TypedSession]:
    session = TypedSession(engine or ScriptedEngine())
    running = asyncio.create_task(session.plain_session.run(session.lines()))
    await session.settle()
    yield session
    if not running.done():
        await session.type("quit")
    await asyncio.wait_for(running, 5)


async def test_each_event_is_a_line_without_control_characters() -> None:
    async with open_session() as session:
        session.engine.phone(PhoneState.LOCKED, "Phone is locked. Unlock it to go on.")
        lunch(session.engine)
        session.engine.choose(4, OpenApp(name="\x1b[2JEats\nfake line"))
        for _second_look in range(2):
            session.engine.choose(5, Finished(answer="Ordered."))
            session.engine.act(5, Finished(answer="Ordered."))
        session.engine.finish(Outcome.SUCCESS, "Ordered.", steps=4)
        await session.settle()
        assert "Phone: Phone is locked. Unlock it to go on." in session.printed
        assert "Command: order my usual lunch" in session.printed
        assert "Step 2: tap “Search”" in session.printed
        assert "Step 2 done from memory, 0.2 s." in session.printed
        assert "Step 4: open Eats fake line" in session.printed
        assert "Finished: Ordered. (4 steps, 31 s, 12k tok)" in session.printed
        assert session.text.count("Ordered.") == 1
        assert all(line.isprintable() for line in session.printed)


async def test_words_for_a_running_turn_reach_it_and_a_new_command_waits() -> None:
    async with open_session() as session:
        await session.type("say hello to Mom")
        assert session.engine.calls == [("run", "say hello to Mom")]
        session.engine.begin("say hello to Mom")
        await session.type("no, the other Mom")
        assert session.engine.calls[-1] == ("say", "no, the other Mom")
        await session.type("call Dad")
        assert session.printed[-1] == "“call Dad” waits for the commands before it."
        await session.type("purple")
        assert "2  for the running turn: the model reads it before its next action" in session.printed
        assert session.engine.is_held
        await session.type("2")
        assert session.engine.calls[-1] == ("say", "purple")
        assert not session.engine.is_held
        session.engine.finish(Outcome.SUCCESS, "Said.", 1)
        session.engine.state = None
        await session.settle()
        assert session.engine.calls[-1] == ("run", "call Dad")


TASKS = (
    PlannedTask(id="a", instruction="look up the opening hours of Willow Park", app="Maps"),
    PlannedTask(id="b", instruction="send {{a}} to Mom", app="Chat", needs=("a",)),
)


async def test_one_sub_task_is_paused_resumed_and_ended_by_its_letter_or_app() -> None:
    async with open_session() as session:
        lunch(session.engine)
        await session.type("pause a")
        assert ("pause", "a") not in session.engine.calls
        session.engine.planned = TASKS
        for line, call in (
            ("pause a", ("pause", "a")),
            ("continue Maps", ("resume", "a")),
            ("取消b", ("cancel", "b")),
        ):
            await session.type(line)
            assert session.engine.calls[-1] == call
        assert session.printed[-3:] == [
            "a · Maps pauses; the others go on.",
            "a · Maps goes on.",
            "b · Chat ends, and what needs it; the others go on.",
        ]


async def test_what_needs_no_phone_is_answered() -> None:
    async with open_session() as session:
        session.engine.replies["question"] = Reply("Sundays around 20:00.", ("r1", "r2"))
        await session.type("when do I usually call mom?")
        assert session.printed[-2:] == ["Sundays around 20:00.", "From 2 records in the memory."]
        await session.type("thanks!")
        assert session.engine.calls == [("reply", "question"), ("reply", "thanks")]
        await session.type("bye")


async def test_words_with_a_slash_do_what_they_do_in_the_interface() -> None:
    async with open_session() as session:
        await session.type("/help")
        assert "ctrl-c: pause" in session.text
        await session.type("/记忆")
        assert "memory list" in session.text
        await session.type("/routine list")
        assert session.printed[-1] == "There is no /routine. help lists what can be typed."
        for typed, told in (
            ("/histry", "/history"),
            ("/skills", "assistant skills list"),
            ("/find Mom", "memory find"),
        ):
            await session.type(typed)
            assert told in session.printed[-1]
        assert session.engine.calls == []


async def test_control_c_pauses_then_ends_the_turn_then_leaves() -> None:
    async with open_session() as session:
        lunch(session.engine)
        await session.settle()
        session.plain_session.interrupt()
        sentence = "Do it on the phone, then press F5, or press Escape twice to end."
        session.engine.enter(TurnState.PAUSING, Cause.HANDED_OVER, sentence)
        session.engine.enter(TurnState.PAUSED, Cause.HANDED_OVER, sentence)
        await session.settle()
        assert session.text.count("Do it on the phone, then type resume, or type cancel to end.") == 1
        session.engine.enter(TurnState.PAUSED, Cause.USER_PAUSED)
        await session.settle()
        assert session.engine.calls[-1:] == [("pause",)]
        assert session.printed[-1].startswith("Paused by you. resume goes on")
        await session.type("the other shop")
        assert session.engine.calls[-1:] == [("pause",)]
        await session.type("1")
        assert session.engine.calls[-1:] == [("say", "the other shop")]
        await session.type("resume")
        assert session.engine.calls[-1] == ("resume",)
        session.plain_session.interrupt()
        session.plain_session.interrupt()
        await session.settle()
        assert session.engine.calls[-2:] == [("pause",), ("cancel",)]
        assert session.printed[-1].startswith("Cancelled")
        session.plain_session.interrupt()
        session.plain_session.interrupt()


@pytest.mark.parametrize(
    ("typed", "verdict", "words"),
    [
        ("1", Verdict.ONCE, ""),
        ("2", Verdict.NO, ""),
        ("3", Verdict.THIS_TURN, ""),
        ("yes", Verdict.ONCE, ""),
        ("好", Verdict.ONCE, ""),
        ("no", Verdict.NO, ""),
        ("不", Verdict.NO, ""),
    ],
)
async def test_an_approval_is_given_by_number(typed: str, verdict: Verdict, words: str) -> None:
    async with open_session() as session:
        lunch(session.engine)
        decision = session.engine.ask_approval(4, sentence="Pays ¥32.00 to Corner Noodle House.")
        await session.settle()
        assert "Pays ¥32.00 to Corner Noodle House." in session.printed
        assert "1  yes, this once" in session.printed
        assert "2  no, pause here" in session.printed
        assert "3  yes, and pay Corner Noodle House again this turn, at most ¥32.00 each" in session.printed
        assert "4  no, do this instead: …" in session.printed
        assert session.bells == 1
        await session.type("7")
        await session.type("")
        assert not decision.done()
        await session.type(typed)
        assert (decision.result().verdict, decision.result().words) == (verdict, words)


@pytest.mark.parametrize("words", ["yes, but from my savings", "先别付，我想想", "pay by card"])
async def test_a_free_sentence_at_an_approval_is_held_until_a_number_says_what_it_is_for(words: str) -> None:
    async with open_session() as session:
        lunch(session.engine)
        decision = session.engine.ask_approval(4)
        await session.settle()
        await session.type("")
        await session.type(words)
        assert not decision.done()
        assert session.printed[-5:] == [
            "1  no, but go on with what I said",
            "2  no, and pause here",
            "3  no, end the turn, and start this",
            "4  no, end the turn, and start nothing",
            "5  back to the question: only “yes” allows it",
        ]
        await session.type("1")
        assert decision.result() == Approval(Verdict.INSTEAD, words)


async def test_another_line_leaves_a_held_sentence_out_and_the_question_stands() -> None:
    async with open_session() as session:
        lunch(session.engine)
        decision = session.engine.ask_approval(4)
        await session.settle()
        await session.type("")
        await session.type("maybe tonight")
        await session.type("no")
        assert "Left out: “maybe tonight”." in session.printed
        assert decision.result() == Approval(Verdict.NO)


async def test_a_change_of_mind_in_a_pause_ends_the_turn_and_begins_the_other_command() -> None:
    async with open_session() as session:
        lunch(session.engine)
        session.engine.enter(TurnState.PAUSED, Cause.USER_PAUSED)
        await session.settle()
        await session.type("forget it, ring my sister")
        assert not session.engine.calls
        await session.type("2")
        assert session.engine.calls[0] == ("cancel",)
        assert not [call for call in session.engine.calls if call[0] in ("say", "resume")]


@pytest.mark.parametrize(("paused", "number"), [(False, "4"), (True, "3")])
@pytest.mark.parametrize("words", ["i changed jobs, so maybe later on", "行吧随它去"])
async def test_a_held_sentence_may_end_the_turn_and_start_nothing(
    words: str, paused: bool, number: str
) -> None:
    async with open_session() as session:
        lunch(session.engine)
        if paused:
            session.engine.enter(TurnState.PAUSED, Cause.USER_PAUSED)
        else:
            session.engine.ask_approval(4)
        await session.settle()
        await session.type("")
        await session.type(words)
        assert any("start nothing" in line for line in session.printed)
        await session.type(number)
        assert [call[0] for call in session.engine.calls] == ["cancel"]


async def test_something_else_is_asked_for_by_its_number_and_then_said() -> None:
    async with open_session() as session:
        lunch(session.engine)
        decision = session.engine.ask_approval(4)
        await session.settle()
        await session.type("4")
        assert session.printed[-1] == "Type what it should do instead."
        assert not decision.done()
        await session.type("pay by card")
        assert decision.result() == Approval(Verdict.INSTEAD, "pay by card")


async def test_a_line_typed_before_the_question_does_not_answer_it() -> None:
    async with open_session() as session:
        lunch(session.engine)
        decision = session.engine.ask_approval(4)
        await session.settle()
        session._typed.put_nowait("1")
        await session.settle()
        assert not decision.done()
        assert session.printed[-1].startswith("Not taken")
        await session.type("1")
        assert decision.result().verdict is Verdict.ONCE


async def test_a_question_is_answered_by_number_or_in_words_and_perhaps_once() -> None:
    async with open_session() as session:
        session.engine.begin("order lunch")
        choices = ("beef noodles", "soup")
        first = session.engine.ask_question(0, "What is your usual lunch?", choices, kept=True)
        second = session.engine.ask_question(0, "How many?")
        await session.settle()
        assert "How many?" not in session.printed
        await session.type("once 3 bowls")
        assert first.result() == "3 bowls (just this time)"
        assert "How many?" in session.printed
        await session.type("2")
        assert second.result() == "2"


async def test_nothing_goes_on_by_itself() -> None:
    async with open_session() as session:
        session.engine.begin("order my usual lunch")
        decision = session.engine.propose("Order beef noodles", seconds=0.0)
        await session.settle()
        session.clock.advance(100)
        await session.settle()
        assert not decision.done()
        await session.type("1")
        assert decision.result() == "Order beef noodles"


async def test_a_question_below_a_meaning_is_answered_and_begins_nothing() -> None:
    async with open_session() as session:
        session.engine.begin("text mom I am late")
        decision = session.engine.propose("text Susan Lin I am late", seconds=0.0)
        await session.settle()
        await session.type("does anyone see what I type here?")
        assert ("reply", "privacy") in session.engine.calls
        assert not decision.done()
        await session.type("say sorry too")
        assert ("say", "say sorry too") in session.engine.calls
        assert decision.result() == "text Susan Lin I am late"


async def test_help_in_words_tells_the_words_of_this_mode() -> None:
    async with open_session() as session:
        await session.type("what can you do")
        assert "quit: leave." in session.printed
        assert not [line for line in session.printed if "Escape" in line or "F1" in line]


async def test_a_step_is_named_without_the_ids_of_its_app() -> None:
    async with open_session() as session:
        session.engine.begin("text mom")
        target = Target(resource_id="com.chat:id/fab", class_name="android.widget.ImageButton")
        session.engine.choose(1, Click(point=Point(0.9, 0.9), content="fab", target=target))
        await session.settle()
        assert session.printed[-1] == "Step 1: tap the large round button"


async def test_a_suggestion_needs_its_word() -> None:
    async with open_session() as session:
        await session.type("accept")
        assert session.printed[-1] == "Nothing is suggested."
        session.engine.suggest()
        await session.settle()
        assert session.printed[-1].startswith(
            "Suggested from memory: Navigate home and play the evening podcast? It starts only if you accept"
        )
        await session.type("why")
        assert session.printed[-1] == "last yesterday"
        await session.type("later 10")
        assert ("answer", "s1", Snooze.TEN_MINUTES, "") in session.engine.calls
        await session.type("edit Navigate home")
        assert ("answer", "s1", Answer.EDITED, "Navigate home") in session.engine.calls
        await session.type("never")
        assert ("answer", "s1", Answer.NEVER, "") in session.engine.calls


async def test_a_turn_that_was_cut_off_is_offered_and_a_command_leaves_it_stored() -> None:
    async with open_session(ScriptedEngine(cut_off=CUT_OFF)) as session:
        assert "1  continue it" in session.printed
        await session.type("turn on dark mode")
        assert session.engine.calls[-1] == ("run", "turn on dark mode")
        await session.type("1")
        assert session.engine.calls[-1] == ("continue", "t1")


async def test_turns_cut_off_on_several_phones_are_offered_one_at_a_time() -> None:
    engine = ScriptedEngine(cut_off=CUT_OFF)
    later = replace(CUT_OFF, turn_id="t0", said="text Dad", phone="galaxy")
    engine.also_cut_off = [later, replace(later, turn_id="t-1", said="call mom", phone="old")]
    async with open_session(engine) as session:
        assert "3 turns were left unfinished, each on its own phone. One is shown at a time" in session.text
        assert "text Dad" not in session.text
        await session.type("1")
        assert engine.calls[-1] == ("continue", "t1")
        assert "text Dad" not in session.text
        lunch(engine)
        engine.finish(Outcome.SUCCESS, "Done.", 4)
        await session.settle()
        assert "“text Dad”, begun on" in session.text
        assert "It goes on on galaxy." in session.text
        assert "call mom" not in session.text
        await session.type("2")
        assert engine.calls[-1] == ("discard", "t0")
        assert "“call mom”, begun on" in session.text
        await session.type("1")
        assert engine.calls[-1] == ("continue", "t-1")


async def test_what_is_missing_is_told() -> None:
    async with open_session(ScriptedEngine(missing="No phone is connected. Plug one in.")) as session:
        await session.type("turn on dark mode")
        assert session.printed[-1] == "No phone is connected. Plug one in."


async def test_memory_and_places_are_reached_by_words() -> None:
    async with open_session() as session:
        await session.type("memory list --app Eats")
        await session.type("at office")
        await session.type("at nowhere")
        await session.type("memory")
        assert session.printed[-1].startswith("memory list, memory show ID")
        await session.type("memory card is full, what now")
        assert session.memory_commands == ["list --app Eats"]
        assert session.engine.calls == [
            ("where", "office"),
            ("where", ""),
            ("run", "memory card is full, what now"),
        ]


async def test_a_place_is_said_in_the_language_of_the_interface() -> None:
    i18n.use(Language.CHINESE)
    try:
        async with open_session() as session:
            await session.type("at 办公室")
            await session.type("at Office")
            await session.type("at 爬山")
            assert session.engine.calls == [("where", "office"), ("where", "office"), ("where", "爬山")]
    finally:
        i18n.use(Language.ENGLISH)


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


async def test_words_for_the_running_turn_begin_no_meaning_that_opened_since() -> None:
    async with open_session() as session:
        lunch(session.engine)
        await session.settle()
        await session.type("a table near the window")
        decision = session.engine.propose("Call Mom")
        await session.settle()
        await session.type("2")
        assert session.engine.calls[-1] == ("say", "a table near the window")
        assert not session.engine.is_held
        assert not decision.done()


async def test_words_for_the_running_turn_refuse_no_approval_that_opened_since_and_stand_in_it() -> None:
    async with open_session() as session:
        lunch(session.engine)
        await session.settle()
        await session.type("a table near the window")
        decision = session.engine.ask_approval(4, kind=ActionKind.GRANT)
        await session.settle()
        before = len(session.printed)
        await session.type("2")
        assert session.engine.calls[-1] == ("say", "a table near the window")
        assert not decision.done()
        assert any("“a table near the window”" in line for line in session.printed[before + 1 :])
        await session.type("1")
        assert decision.result() == Approval(Verdict.ONCE)


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


@pytest.mark.parametrize(("word", "answer"), [("no", Answer.NOT_NOW), ("不用了", Answer.NOT_NOW)])
async def test_a_plain_no_answers_a_suggestion(word: str, answer: Answer) -> None:
    async with open_session() as session:
        session.engine.suggest()
        await session.settle()
        await session.type(word)
        assert [call[2] for call in session.engine.calls if call[0] == "answer"] == [answer]


@pytest.mark.parametrize("said", ["nah not today, it rains", "今天下雨，不跑了"])
async def test_a_sentence_that_refuses_something_is_asked_about_below_a_suggestion(said: str) -> None:
    async with open_session() as session:
        session.engine.suggest()
        await session.settle()
        await session.type(said)
        assert not [call for call in session.engine.calls if call[0] in ("run", "answer")]
        await session.type("1")
        assert [call[2] for call in session.engine.calls if call[0] == "answer"] == [Answer.NOT_NOW]


async def test_a_number_where_the_answers_begin_with_figures_is_asked_about_once() -> None:
    async with open_session() as session:
        answer = session.engine.ask_question(0, "How many?", ("2 people", "4 people"))
        await session.settle()
        await session.type("2")
        assert not answer.done()
        assert "number 2" in session.printed[-1]
        await session.type("number 2")
        assert answer.result() == "4 people"


async def test_a_command_is_begun_without_what_puts_it_behind_another() -> None:
    async with open_session() as session:
        await session.type("and then call mom")
        assert ("run", "call mom") in session.engine.calls


async def test_what_opens_while_a_line_is_asked_about_is_shown_once_that_is_answered() -> None:
    async with open_session() as session:
        lunch(session.engine)
        await session.settle()
        await session.type("a table near the window")
        assert session.printed[-1] == "3  neither: back to the field"
        decision = session.engine.ask_approval(4)
        await session.settle()
        assert session.printed[-1] == "3  neither: back to the field"
        await session.type("2")
        assert "1  yes, this once" in session.printed
        assert session.printed.count("1  yes, this once") == 1
        assert not decision.done()


@pytest.mark.parametrize("language", list(Language))
def test_a_cancelled_turn_says_in_lines_which_page_it_left_open(language: Language) -> None:
    left = "The page in Eats that would pay ¥29 was left open."
    event = TurnFinished(
        time=START, turn_id="t", outcome=Outcome.CANCELLED, answer="", steps=3, usage=Usage(), seconds=2
    )
    with i18n.speaking(language):
        alone = format_spoken_line(replace(event, answer=i18n._("Cancelled.")))
        told = format_spoken_line(replace(event, answer=f"{i18n._('Cancelled.')} {left}"))
    assert left in told
    assert told.replace(f": {left}", "") == alone

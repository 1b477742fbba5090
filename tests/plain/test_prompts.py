"""How what a turn asks, and what is offered, is answered in lines."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.events import ActionKind, Answer, Approval, Cause, Snooze, TurnState, Verdict
from assistant.records import Outcome
from tests.tables import each
from tests.tui.scripted import CUT_OFF, ScriptedEngine, lunch

from .typed_session import open_session


@each(
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


_NEXT = "the next command: it starts when this turn succeeds"


@each(("words", "more"), [("i'd say some other day", []), ("先别付，我想想", []), ("pay by card", [_NEXT])])
async def test_a_free_sentence_at_an_approval_is_held_until_a_number_says_what_it_is_for(
    words: str, more: list[str]
) -> None:
    async with open_session() as session:
        lunch(session.engine)
        decision = session.engine.ask_approval(4)
        await session.settle()
        await session.type("")
        await session.type(words)
        assert not decision.done()
        ways = [
            "no, but go on with what I said",
            "no, and pause here",
            "no, end the turn, and start this",
            "no, end the turn, and start nothing",
            *more,
            "back to the question: only “yes” allows it",
        ]
        numbered = [f"{number}  {way}" for number, way in enumerate(ways, 1)]
        assert session.printed[-len(ways) :] == numbered
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


@each(
    ("words", "paused", "number"),
    [
        ("i changed jobs, so maybe later on", False, "4"),
        ("明天再说吧", False, "4"),
        ("forget it, ring my sister", True, "3"),
    ],
)
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


async def test_own_words_are_chosen_by_their_number_and_then_said() -> None:
    async with open_session() as session:
        session.engine.begin("call my sister")
        answer = session.engine.ask_question(0, "Who?", ("Anna", "Berta"), kept=True, about="person")
        await session.settle()
        assert "3  none of these: your own words …" in session.printed
        await session.type("3")
        assert session.printed[-1] == "Type your own words."
        await session.type("Carla")
        assert answer.result() == "Carla"


async def test_a_choice_is_taken_with_what_is_said_besides() -> None:
    async with open_session() as session:
        session.engine.begin("order coffee")
        answer = session.engine.ask_question(0, "Which?", ("Latte", "Mocha"), about="open")
        await session.settle()
        await session.type("the latte, but make it large")
        assert session.engine.calls == [("say", "make it large")]
        assert answer.result() == "Latte"


async def test_a_fact_below_an_approval_is_kept_and_the_approval_stays() -> None:
    async with open_session() as session:
        lunch(session.engine)
        decision = session.engine.ask_approval(4)
        await session.settle()
        await session.type("I'm allergic to nuts")
        assert session.engine.calls == [("reply", "remember")]
        assert not decision.done()


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
        begun = list(session.engine.calls)
        await session.type("yes but without the podcast")
        assert session.printed[-1].startswith(
            "Nothing is begun yet. To begin it so, type: edit Navigate home"
        )
        assert session.engine.calls == begun
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


async def test_words_for_the_running_turn_begin_no_meaning_that_opened_since() -> None:
    async with open_session() as session:
        lunch(session.engine)
        await session.settle()
        await session.type("a table near the window")
        decision = session.engine.propose("Call Mom")
        await session.settle()
        await session.type("1")
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
        await session.type("1")
        assert session.engine.calls[-1] == ("say", "a table near the window")
        assert not decision.done()
        assert any("“a table near the window”" in line for line in session.printed[before + 1 :])
        await session.type("1")
        assert decision.result() == Approval(Verdict.ONCE)


@pytest.mark.parametrize(("word", "answer"), [("no", Answer.NOT_NOW), ("不用了", Answer.NOT_NOW)])
async def test_a_plain_no_answers_a_suggestion(word: str, answer: Answer) -> None:
    async with open_session() as session:
        session.engine.suggest()
        await session.settle()
        await session.type(word)
        assert [call[2] for call in session.engine.calls if call[0] == "answer"] == [answer]


@pytest.mark.parametrize(
    ("said", "wait"), [("in an hour pls", Snooze.AN_HOUR), ("明天再说", Snooze.TOMORROW)]
)
async def test_a_time_alone_puts_a_suggestion_off(said: str, wait: Snooze) -> None:
    async with open_session() as session:
        session.engine.suggest()
        await session.settle()
        await session.type(said)
        assert [call[2] for call in session.engine.calls if call[0] == "answer"] == [wait]


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

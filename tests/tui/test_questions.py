"""Questions, offers to continue a turn, and what is left in the field for either."""

from __future__ import annotations

import asyncio

import pytest

from assistant.conversation.service import Reply
from assistant.events import Approval, Cause, TurnState, Verdict
from assistant.records import Click, Outcome, Point
from tests.tui.scripted import CUT_OFF, ScriptedEngine, lunch

from .app_fixture import Desk, open_desk


async def asked(desk: Desk) -> asyncio.Future[Approval]:
    lunch(desk.engine)
    decision = desk.engine.ask_approval(4)
    await desk.settle()
    return decision


@pytest.mark.parametrize("answer", ["y", "no", "2"])
async def test_an_answer_left_in_the_field_does_not_begin_the_next_command(answer: str) -> None:
    async with open_desk() as desk:
        await asked(desk)
        desk.app.main.input.focus()
        desk.app.main.input.insert(answer)
        await desk.settle()
        desk.engine.finish(Outcome.FAILED, "", 4)
        await desk.settle()
        assert desk.typed == ""
        await desk.type("call mom")
        assert desk.typed == "call mom"


async def test_other_words_begun_for_a_question_are_kept_when_the_turn_ends() -> None:
    async with open_desk() as desk:
        await asked(desk)
        desk.app.main.input.focus()
        desk.app.main.input.insert("no onions")
        await desk.settle()
        desk.engine.finish(Outcome.FAILED, "", 4)
        await desk.settle()
        assert desk.typed == "no onions"


@pytest.mark.parametrize(("pause", "typed"), [(1.5, "call mom"), (0.2, "ycall mom")])
async def test_an_answer_that_comes_too_late_is_dropped_once_something_else_is_typed(
    pause: float, typed: str
) -> None:
    async with open_desk() as desk:
        await asked(desk)
        desk.engine.finish(Outcome.FAILED, "", 4)
        await desk.wait(0.3)
        await desk.press("y")
        await desk.wait(pause)
        await desk.press("c")
        desk.app.main.input.insert("all mom")
        await desk.settle()
        assert desk.typed == typed


async def test_a_question_makes_the_empty_input_its_answer() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        answer = desk.engine.ask_question(4, "Which office?")
        await desk.settle()
        assert "Asking you" in desk.text
        assert "Which office?" in desk.text
        assert "answer" in desk.text
        await desk.wait(1)
        await desk.type("the new one")
        await desk.press("enter")
        assert answer.result() == "the new one"
        assert desk.calls == []


async def test_a_command_of_the_program_that_there_is_none_is_no_answer() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        answer = desk.engine.ask_question(4, "Which office?")
        await desk.settle()
        await desk.wait(1)
        await desk.type("/find north")
        await desk.press("enter")
        assert not answer.done()
        assert desk.typed == "/find north"
        assert "There is no /find" in desk.text


async def test_escape_at_a_question_whether_anything_is_to_be_done_says_no() -> None:
    async with open_desk() as desk:
        desk.engine.begin("thanks, all done")
        answer = desk.engine.ask_question(
            0, "Is anything to be done?", ("no, nothing", "as said"), about="remark"
        )
        await desk.settle()
        await desk.wait(1)
        await desk.press("escape")
        assert answer.result() == "no, nothing"
        assert ("pause",) not in desk.calls


async def test_enter_right_after_a_question_appears_does_not_answer_it() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        answer = desk.engine.ask_question(4, "Which office?")
        await desk.settle()
        await desk.type("north")
        await desk.press("enter")
        assert not answer.done()
        assert desk.typed == "north"
        await desk.wait(1)
        await desk.press("enter")
        assert answer.result() == "north"


async def test_a_question_does_not_take_over_words_being_typed() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type("be quick")
        answer = desk.engine.ask_question(4, "Which office?")
        await desk.wait(10)
        await desk.press("enter", "2", "enter")
        assert not answer.done()
        assert desk.calls == [("say", "be quick")]
        await desk.wait(1)
        await desk.type("the new one")
        await desk.press("enter")
        assert answer.result() == "the new one"


@pytest.mark.parametrize(("key", "call"), [("1", ("continue", "t1")), ("2", ("discard", "t1"))])
async def test_an_interrupted_turn_is_offered(key: str, call: tuple[str, str]) -> None:
    async with open_desk(ScriptedEngine(cut_off=CUT_OFF)) as desk:
        assert "Left unfinished" in desk.text
        assert "“order my usual lunch”, begun on Tue 10 Mar 12:05, stopped after 7 steps" in desk.text
        assert "1  continue with step 8" in desk.text
        assert "Decide about the unfinished turn, or type a command." in desk.text
        await desk.wait(1)
        await desk.press(key, "enter")
        assert desk.calls == [call]
        assert "Left unfinished" not in desk.text


async def test_the_key_that_goes_on_offers_a_turn_that_a_fault_left_behind() -> None:
    async with open_desk(ScriptedEngine()) as desk:
        await desk.press("f5")
        assert "No turn is paused." in desk.text
        desk.engine.cut_off = CUT_OFF
        await desk.press("f5")
        await desk.wait(1)
        assert "Left unfinished" in desk.text
        await desk.press("1", "enter")
        assert desk.calls == [("continue", "t1")]


async def test_an_offer_is_put_off_and_takes_no_letters() -> None:
    async with open_desk(ScriptedEngine(cut_off=CUT_OFF)) as desk:
        await desk.wait(1)
        await desk.press("n")
        assert (desk.calls, desk.typed) == ([], "n")
        await desk.press("ctrl+u", "tab")
        await desk.wait(1)
        await desk.press("3", "enter")
        assert desk.calls == []
        assert "Left unfinished" not in desk.text


async def test_an_offer_that_cannot_be_taken_up_stays() -> None:
    async with open_desk(ScriptedEngine(cut_off=CUT_OFF, missing="No phone is connected.")) as desk:
        await desk.wait(1)
        await desk.press("enter")
        assert "Left unfinished" in desk.text
        assert "No phone is connected." in desk.text


async def test_an_offer_taken_up_as_a_turn_ends_is_made_again_where_it_cannot_begin() -> None:
    async with open_desk(ScriptedEngine(cut_off=CUT_OFF)) as desk:
        await desk.wait(1)
        desk.engine.state = TurnState.FINISHED
        desk.engine.ended.clear()
        await desk.press("enter")
        assert "Left unfinished" not in desk.text
        desk.engine.missing = "No phone is connected."
        desk.engine.state = None
        desk.engine.ended.set()
        await desk.settle()
        assert "Left unfinished" in desk.text
        assert desk.calls == []
        desk.engine.missing = ""
        await desk.wait(1)
        await desk.press("enter")
        assert desk.calls == [("continue", "t1")]


async def test_a_new_turn_puts_the_offer_away() -> None:
    async with open_desk(ScriptedEngine(cut_off=CUT_OFF)) as desk:
        desk.engine.begin("something else")
        desk.engine.enter(TurnState.RUNNING, Cause.THINKING)
        await desk.settle()
        assert "Left unfinished" not in desk.text
        assert desk.calls == []


async def test_enter_in_the_empty_field_goes_to_the_list_and_answers_only_there() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        answer = desk.engine.ask_question(4, "Which office?", choices=("north", "south"))
        await desk.wait(1)
        assert "enter alone goes to" in desk.text
        await desk.press("enter")
        assert not answer.done()
        assert "enter takes" in desk.text
        await desk.press("enter")
        assert not answer.done()
        await desk.wait(1)
        await desk.press("down", "enter")
        assert answer.result() == "south"


async def test_enter_in_the_empty_field_below_a_payment_marks_nothing() -> None:
    async with open_desk() as desk:
        decision = await asked(desk)
        desk.app.main.input.focus()
        await desk.wait(1)
        await desk.press("enter")
        await desk.wait(1)
        await desk.press("enter")
        assert not decision.done()


async def test_a_second_letter_marks_the_other_answer() -> None:
    async with open_desk() as desk:
        decision = await asked(desk)
        await desk.wait(1)
        await desk.press("y", "n")
        assert desk.typed == ""
        await desk.wait(1)
        await desk.press("enter")
        assert decision.result().verdict is Verdict.NO


async def test_leaving_while_a_turn_is_on_its_way_needs_a_second_press() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.press("ctrl+q")
        assert desk.app.is_running
        assert "ctrl+q again leaves" in desk.text
        desk.engine.think(2, "Look.")
        await desk.settle()
        assert "ctrl+q again leaves" in desk.text
        await desk.pilot.press("ctrl+q")
        assert desk.app.return_code == 0 or not desk.app.is_running


async def test_a_long_notice_is_shown_to_its_end() -> None:
    async with open_desk(size=(80, 24)) as desk:
        sentence = "Nothing was done: the words that were typed fit no answer here. Press y or n, then enter."
        desk.app.main.hint(sentence)
        await desk.settle()
        assert "then enter." in desk.text
        desk.app.main.hint(f"{sentence} {sentence.replace('then', 'and then')}")
        await desk.settle()
        assert "and then enter." in desk.text
        desk.app.main.hint(sentence * 9)
        await desk.settle()
        assert len(desk.lines) == 24
        assert desk.lines[-1].rstrip().endswith("…")


async def test_what_waits_in_the_queue_is_found_before_the_memory_is_searched() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        desk.engine.command_queue.add("set an alarm for 7:30", None)
        desk.app.main.orders.show_queue()
        await desk.settle()
        told: list[str] = []
        assert desk.app.main.queue.go_to("alarm", told.append)
        assert "d drops it" in told[0]
        assert not desk.app.main.queue.go_to("noodles", told.append)


async def test_a_correction_that_the_last_step_read_comes_back_where_the_turn_fails() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type("actually without coriander")
        await desk.press("enter")
        assert desk.calls == [("say", "actually without coriander")]
        desk.engine.observe(5)
        desk.engine.act(5, Click(point=Point(0.5, 0.5)))
        desk.engine.finish(Outcome.FAILED, "There is no such shop.", 5)
        desk.engine.state = None
        await desk.settle()
        assert desk.typed == "actually without coriander"


async def test_the_question_about_a_long_line_is_not_cut_but_the_line() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        desk.engine.ask_approval(4)
        await desk.settle()
        await desk.wait(10)
        await desk.type("text ben that he is to call me back when he can please, it is about sunday")
        await desk.press("enter")
        assert "is no plain yes or no: what is it for?" in desk.text


@pytest.mark.parametrize("said", ["1", "２"])
async def test_a_mere_number_in_mid_turn_is_asked_about(said: str) -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type(said)
        await desk.press("enter")
        assert desk.calls == []
        assert "for the running turn" in desk.text


@pytest.mark.parametrize("size", [(160, 50), (80, 24)])
async def test_the_end_of_the_newest_answer_is_in_view(size: tuple[int, int]) -> None:
    async with open_desk(size=size) as desk:
        for number in range(5):
            lunch(desk.engine)
            desk.engine.finish(Outcome.CANCELLED, "Cancelled.", 20)
            desk.engine.state = None
            await desk.settle()
            answer = f"Answer {number} {'long words ' * 30}ends here {number}"
            desk.engine.replies["question"] = Reply(answer, ("r1",))
            await desk.type("what did I eat last week?")
            await desk.press("enter")
            assert f"here {number}" in desk.text

from __future__ import annotations

import asyncio

import pytest
from textual import events

from assistant.events import ActionKind, Approval, Cause, TurnState, Verdict
from assistant.presentation.prompts import ContinuePrompt
from assistant.presentation.ui_state import SETTLING
from assistant.records import Outcome, TypeText
from assistant.tui.widgets.around_turn import FoldedTurn
from tests.tui.scripted import CUT_OFF, NOW, ScriptedEngine, lunch

from .app_fixture import Desk, open_desk


async def asked(desk: Desk) -> asyncio.Future[Approval]:
    lunch(desk.engine)
    decision = desk.engine.ask_approval(4)
    await desk.settle()
    return decision


async def test_the_list_decides_once_the_box_has_settled() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        for keys, verdict in (
            (["n"], Verdict.NO),
            (["2"], Verdict.NO),
            (["down", "down"], Verdict.NO),
            (["y"], Verdict.ONCE),
            (["1"], Verdict.ONCE),
            (["3"], Verdict.THIS_TURN),
            (["down"], Verdict.ONCE),
            (["down", "down", "down"], Verdict.THIS_TURN),
        ):
            decision = desk.engine.ask_approval(4)
            await desk.settle()
            assert "Pay?" in desk.text
            await desk.wait(SETTLING)
            await desk.press(*keys, "enter")
            assert decision.result() == Approval(verdict), keys
            assert "Pay?" not in desk.text
            assert desk.app.main.input.has_focus
            assert ("tap “Pay ¥32.00” · you allowed it" in desk.text) is (verdict is not Verdict.NO)


async def test_a_bare_enter_pays_nothing() -> None:
    async with open_desk() as desk:
        decision = await asked(desk)
        await desk.wait(SETTLING)
        assert "▸ 1" not in desk.text
        assert "1–4, y, n or ↓ marks, then enter gives it" in desk.text
        await desk.press("enter", "enter")
        assert not decision.done()
        await desk.press("y")
        assert "▸ 1" in desk.text
        await desk.press("enter")
        assert decision.result() == Approval(Verdict.ONCE)


async def test_a_text_that_begins_like_an_answer_is_none() -> None:
    async with open_desk() as desk:
        decision = await asked(desk)
        for text in ("2 pizzas from Luigi", "1st look at the price", "you misread it", "no meat", "20", "n1"):
            await desk.wait(SETTLING)
            await desk.type(text)
            assert not decision.done()
            assert desk.typed == text
            await desk.press("ctrl+u")


async def test_a_number_is_read_as_a_whole_in_the_field_too() -> None:
    async with open_desk(ScriptedEngine(cut_off=CUT_OFF)) as desk:
        await desk.wait(1)
        await desk.type("2 pizzas from Luigi")
        await desk.press("enter")
        assert desk.calls == [("run", "2 pizzas from Luigi")]
    async with open_desk(ScriptedEngine(cut_off=CUT_OFF)) as desk:
        await desk.wait(1)
        desk.app.main.input.focus()
        await desk.type("2")
        await desk.press("enter")
        assert (desk.calls, desk.typed) == ([("discard", "t1")], "")


async def test_a_number_begun_before_the_list_is_no_answer_to_it() -> None:
    async with open_desk() as desk:
        await desk.type("2")
        desk.engine.missing = "No phone is connected."
        desk.app.main.decision.ask(
            ContinuePrompt(
                CUT_OFF, lambda: True, desk.calls.clear, asyncio.get_running_loop().create_future()
            )
        )
        await desk.wait(5)
        await desk.press("enter")
        assert "Left unfinished" in desk.text


async def test_what_is_pasted_beside_a_list_goes_to_the_field() -> None:
    async with open_desk() as desk:
        decision = await asked(desk)
        await desk.wait(SETTLING)
        await desk.paste("2 pizzas\n")
        assert not decision.done()
        assert desk.typed == "2 pizzas\n"


async def test_something_else_is_chosen_from_the_list_and_said_in_the_field() -> None:
    async with open_desk() as desk:
        decision = await asked(desk)
        await desk.wait(SETTLING)
        await desk.press("4", "enter")
        assert desk.app.main.input.has_focus
        assert "no, do this instead" in str(desk.app.main.input.border_title)
        await desk.wait(10)
        await desk.press("enter")
        assert not decision.done()
        await desk.type("pay cash")
        await desk.press("enter")
        assert decision.result() == Approval(Verdict.INSTEAD, "pay cash")


async def test_no_chord_that_means_something_elsewhere_decides() -> None:
    async with open_desk() as desk:
        decision = await asked(desk)
        await desk.wait(10)
        await desk.press("ctrl+y", "ctrl+t", "ctrl+o", "ctrl+n", "ctrl+e")
        assert not decision.done()


async def test_a_key_pressed_too_early_does_not_count_and_starts_the_wait_anew() -> None:
    async with open_desk() as desk:
        decision = await asked(desk)
        await desk.wait(SETTLING - 0.1)
        await desk.press("y", "enter")
        assert not decision.done()
        assert "Not taken" in desk.lines[-1]
        await desk.wait(SETTLING - 0.1)
        await desk.press("y", "enter")
        assert not decision.done()
        await desk.wait(SETTLING)
        await desk.press("y", "enter")
        assert decision.done()


async def test_text_begun_before_the_card_is_no_answer_to_it() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type("yes")
        decision = desk.engine.ask_approval(4)
        await desk.wait(10)
        assert desk.app.main.input.has_focus
        await desk.press("enter")
        assert not decision.done()
        assert desk.calls == [("say", "yes")]


@pytest.mark.parametrize(
    ("words", "approval"),
    [
        ("ok", Approval(Verdict.ONCE)),
        ("好", Approval(Verdict.ONCE)),
        ("不", Approval(Verdict.NO)),
    ],
)
async def test_typed_words_mean_what_they_say(words: str, approval: Approval) -> None:
    async with open_desk() as desk:
        decision = await asked(desk)
        await desk.wait(10)
        await desk.type(words)
        assert desk.typed == words
        await desk.press("enter")
        assert decision.result() == approval
        assert desk.calls == []


@pytest.mark.parametrize(
    "words",
    [
        "yes, maybe not today but tomorrow",
        "我再想想，先不付",
    ],
)
async def test_a_free_sentence_at_an_approval_decides_nothing_by_itself(words: str) -> None:
    async with open_desk() as desk:
        decision = await asked(desk)
        await desk.wait(10)
        await desk.type(words)
        await desk.press("enter")
        assert not decision.done()
        assert desk.calls == []
        assert f"“{words}” is no plain yes or no" in desk.text
        assert "1  no, but go on with what I said" in desk.text
        assert "▸ 1  no" not in desk.text
        assert "yes, this once" not in desk.text


@pytest.mark.parametrize("words", ["yes, but only from my savings", "可以，不过换个地址", "the other card"])
async def test_what_is_to_be_different_refuses_what_is_asked_and_is_said_to_the_turn(words: str) -> None:
    async with open_desk() as desk:
        decision = await asked(desk)
        await desk.wait(10)
        await desk.type(words)
        await desk.press("enter")
        assert decision.result() == Approval(Verdict.INSTEAD, words)
        assert "what is it for" not in desk.text


@pytest.mark.parametrize("words", ["great, maybe the other one", "cab is fine", "hmm not sure"])
async def test_what_may_agree_or_only_thinks_aloud_leaves_the_question_as_it_is(words: str) -> None:
    async with open_desk() as desk:
        decision = await asked(desk)
        await desk.wait(10)
        await desk.type(words)
        await desk.press("enter")
        assert not decision.done()
        assert desk.calls == []
        assert "That is no plain yes or no" in desk.text


@pytest.mark.parametrize("words", ["maybe some other day", "明天再说吧"])
async def test_a_sentence_at_an_approval_may_end_the_turn_and_start_nothing(words: str) -> None:
    async with open_desk() as desk:
        await asked(desk)
        await desk.wait(10)
        await desk.type(words)
        await desk.press("enter")
        assert "4  no, end the turn, and start nothing" in desk.text
        await desk.press("4", "enter")
        assert [call[0] for call in desk.calls] == ["cancel"]


@pytest.mark.parametrize(
    ("keys", "approval"),
    [
        (["1", "enter"], Approval(Verdict.INSTEAD, "pay cash")),
        (["2", "enter"], Approval(Verdict.NO)),
    ],
)
async def test_what_a_sentence_at_an_approval_is_for_is_chosen(keys: list[str], approval: Approval) -> None:
    async with open_desk() as desk:
        decision = await asked(desk)
        await desk.wait(10)
        await desk.type("pay cash")
        await desk.press("enter", *keys)
        assert decision.result() == approval
        assert desk.calls == []


async def test_stop_here_pauses_where_the_approval_has_gone_meanwhile() -> None:
    async with open_desk() as desk:
        decision = await asked(desk)
        await desk.wait(10)
        await desk.type("pay cash")
        await desk.press("enter")
        decision.set_result(Approval(Verdict.ONCE))
        desk.engine.enter(TurnState.RUNNING, Cause.ACTING)
        await desk.settle()
        await desk.press("2", "enter")
        assert desk.calls == [("pause",)]


async def test_a_line_of_an_ended_turn_is_not_for_the_next_one() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type("call mom")
        await desk.press("enter")
        assert "for the running turn" in desk.text
        desk.engine.finish(Outcome.SUCCESS, "Ordered.", 5)
        await desk.settle()
        lunch(desk.engine)
        await desk.settle()
        await desk.type("with two eggs")
        await desk.press("enter")
        assert "The turn ended before “call mom”" in desk.text


async def test_a_change_of_mind_at_an_approval_ends_the_turn_and_begins_the_other_command() -> None:
    async with open_desk() as desk:
        decision = await asked(desk)
        await desk.wait(10)
        await desk.type("ring my sister")
        await desk.press("enter", "3", "enter")
        desk.engine.state = None
        await desk.settle()
        assert desk.calls[0] == ("cancel",)
        assert not decision.done() or decision.cancelled()
        await desk.settle()
        assert ("run", "ring my sister") in desk.calls


async def test_back_at_an_approval_shows_its_answers_again() -> None:
    async with open_desk() as desk:
        decision = await asked(desk)
        await desk.wait(10)
        await desk.type("hmm")
        await desk.press("enter", "5", "enter")
        await desk.settle()
        assert not decision.done()
        assert "yes, this once" in desk.text
        assert desk.typed == ""
        await desk.wait(10)
        await desk.press("n", "enter")
        assert decision.result() == Approval(Verdict.NO)


async def test_an_approval_that_something_was_said_at_marks_no_yes_when_it_is_back() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        decision = desk.engine.ask_approval(4, kind=ActionKind.SEND, text="late")
        await desk.settle()
        await desk.wait(10)
        assert not marked(desk)
        await desk.type("hmm, wait a second")
        await desk.press("enter", "5", "enter")
        await desk.settle()
        await desk.wait(10)
        assert "yes, this once" in desk.text
        assert not marked(desk)
        await desk.press("enter")
        assert not decision.done()


async def test_below_a_permission_no_use_of_a_sentence_is_marked() -> None:
    """Its refusal is tapped on the phone, in the user's name."""
    async with open_desk() as desk:
        lunch(desk.engine)
        decision = desk.engine.ask_approval(4, kind=ActionKind.GRANT)
        await desk.settle()
        await desk.wait(10)
        await desk.type("fine, for today")
        await desk.press("enter", "enter", "enter")
        assert not decision.done()
        assert "▸" not in "".join(line for line in desk.lines if "tell the turn" in line)


@pytest.mark.parametrize("number", ["7", "0", "77"])
async def test_a_number_that_no_answer_has_is_none(number: str) -> None:
    async with open_desk() as desk:
        decision = await asked(desk)
        await desk.wait(10)
        await desk.type(number)
        await desk.press("enter")
        assert not decision.done()
        assert "1–4, y, n or ↓ marks" in desk.text


async def test_a_slash_command_is_no_answer() -> None:
    async with open_desk() as desk:
        decision = await asked(desk)
        await desk.wait(10)
        await desk.type("/thoughts")
        await desk.press("enter")
        assert not decision.done()
        assert "What the model thought is" in desk.lines[-1]


async def test_typing_goes_to_the_field_after_an_answer_beneath_earlier_turns() -> None:
    async with open_desk(size=(100, 30)) as desk:
        desk.app.main.turn.scrollback.restore([FoldedTurn("t1", "navigate home", "", Outcome.SUCCESS, NOW)])
        decision = await asked(desk)
        await desk.wait(SETTLING)
        await desk.press("1", "enter")
        assert decision.done()
        await desk.type("faster")
        assert desk.typed == "faster"
        desk.app.main.turn.scrollback.focus()
        await desk.press("r")
        assert desk.typed == "fasterr"


async def test_what_may_have_been_done_is_said_first_and_not_marked_for_a_yes() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        decision = desk.engine.ask_approval(4, warning="This was done already in this turn: ¥32.00.")
        await desk.wait(10)
        assert "This was done already in this turn: ¥32.00." in desk.text
        await desk.press("enter")
        assert decision.result() == Approval(Verdict.NO)


async def test_decision_keys_mean_their_own_without_a_decision() -> None:
    async with open_desk() as desk:
        await desk.type("abc")
        await desk.press("home", "ctrl+e", "d", "ctrl+z", "ctrl+y")
        assert desk.typed == "abcd"


async def test_escape_reaches_the_engine_while_a_decision_waits() -> None:
    async with open_desk() as desk:
        decision = await asked(desk)
        await desk.press("escape")
        assert desk.calls == [("pause",)]
        assert not decision.done()
        assert "Pay?" in desk.text


async def test_a_decision_taken_elsewhere_leaves_the_screen() -> None:
    async with open_desk() as desk:
        decision = await asked(desk)
        decision.cancel()
        await desk.settle()
        assert "Pay?" not in desk.text


async def test_the_end_of_a_turn_takes_its_decision_along() -> None:
    async with open_desk() as desk:
        await asked(desk)
        desk.engine.finish(Outcome.CANCELLED, "", 4)
        await desk.settle()
        assert "Pay?" not in desk.text


async def test_decisions_come_one_after_the_other() -> None:
    async with open_desk() as desk:
        first = await asked(desk)
        second = desk.engine.ask_approval(5, kind=ActionKind.DELETE)
        await desk.wait(10)
        assert "Pay?" in desk.text
        assert "Delete?" not in desk.text
        await desk.press("y", "enter")
        assert first.done()
        assert "Delete?" in desk.text
        await desk.press("y", "enter")
        assert not second.done()


def marked(desk: Desk) -> list[str]:
    """The answers that look as if Enter gave them."""
    return [line.strip(" │") for line in desk.lines if line.strip(" │").startswith("▸ ") and "  " in line[4:]]


async def test_of_two_lists_only_the_one_that_asked_first_is_active() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type("call mom")
        decision = desk.engine.ask_approval(4)
        await desk.settle()
        await desk.wait(SETTLING)
        await desk.press("enter")
        assert not marked(desk)
        assert "“call mom” waits until the list above is answered" in desk.text
        assert desk.app.main.decision.answers.has_focus
        await desk.press("1")
        assert "yes, this once" in marked(desk)[0]
        await desk.press("down", "enter")
        assert not decision.done(), "an Enter too many gave an approval"
        await desk.wait(1)
        await desk.press("enter")
        assert decision.result() == Approval(Verdict.NO)
        assert "“call mom”: for the running turn" in desk.text
        assert "the next command" in marked(desk)[0]
        await desk.press("enter")
        assert desk.engine.command_queue.commands == ("call mom",)
        assert not marked(desk)


async def test_an_approval_that_comes_behind_another_list_waits_its_turn() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type("call mom")
        await desk.press("enter")
        decision = desk.engine.ask_approval(4)
        await desk.settle()
        await desk.wait(SETTLING)
        assert "Pay?" in desk.text
        assert "Answer the list below first" in desk.text
        assert "yes, this once" not in desk.text
        assert "the next command" in marked(desk)[0]
        await desk.press("enter", "enter")
        assert desk.engine.command_queue.commands == ("call mom",)
        assert not decision.done(), "an Enter too many gave an approval"
        assert "yes, this once" in desk.text
        await desk.wait(SETTLING)
        await desk.press("y", "enter")
        assert decision.result() == Approval(Verdict.ONCE)


async def test_words_typed_fast_beside_a_list_arrive_whole_and_answer_nothing() -> None:
    async with open_desk() as desk:
        decision = await asked(desk)
        await desk.wait(SETTLING)
        for key in ["n", "o", "t", "space", "n", "o", "w", "enter"]:
            character = {"space": " ", "enter": "\r"}.get(key, key)
            desk.app.post_message(events.Key(key, character))
        await desk.settle()
        assert not decision.done() or decision.result() == Approval(Verdict.NO)
        assert desk.typed in ("", "not now")
        assert "Element" not in desk.text, "the space opened the details"


async def test_a_list_beside_which_something_is_typed_keeps_a_hollow_mark() -> None:
    async with open_desk() as desk:
        decision = await asked(desk)
        await desk.press("1")
        assert [line[:4] for line in marked(desk)] == ["▸ 1 "]
        await desk.type("what is it")
        assert not marked(desk)
        assert "▹ 1  yes, this once" in desk.text
        desk.app.main.input.clear()
        await desk.wait(SETTLING)
        await desk.press("enter")
        assert not decision.done(), "Enter in the emptied field gave an approval"
        await desk.press("down")
        assert [line[:4] for line in marked(desk)] == ["▸ 1 "]
        await desk.press("down")
        await desk.wait(SETTLING)
        await desk.press("enter")
        assert decision.result() == Approval(Verdict.NO)


async def test_a_click_marks_the_answer_of_an_approval_and_a_second_one_gives_it() -> None:
    async with open_desk() as desk:
        decision = await asked(desk)
        await desk.wait(SETTLING + 1)
        row = next(number for number, line in enumerate(desk.lines) if "1  yes, this once" in line)

        await desk.pilot.click(offset=(12, row))
        await desk.settle()
        assert not decision.done()
        assert "▸ 1  yes, this once" in desk.text

        await desk.pilot.click(offset=(12, row))
        await desk.settle()
        assert decision.done()


@pytest.mark.parametrize("size", [(40, 12), (30, 12)])
async def test_in_a_small_window_nothing_is_agreed_to_that_was_out_of_view(size: tuple[int, int]) -> None:
    async with open_desk(size=size) as desk:
        decision = await asked(desk)
        await desk.wait(SETTLING + 1)
        assert "page down" in desk.text

        await desk.press("y", "enter")
        assert not decision.done()
        assert "Not taken: press page down" in " ".join("".join(desk.lines[-3:]).split())
        assert "not yet: page" in desk.text

        # The hint below the input says “page down” for five seconds more.
        body = desk.app.main.query_one("#decision-body")
        while body.scroll_offset.y < body.max_scroll_y:
            await desk.press("pagedown")
        await desk.press("y", "enter")
        assert decision.done()


async def test_what_was_read_stays_read_where_the_card_grows_by_what_was_said() -> None:
    async with open_desk(size=(40, 12)) as desk:
        decision = await asked(desk)
        await desk.wait(SETTLING + 1)
        bar = desk.app.main.decision
        assert bar.hides_terms
        bar.query_one("#decision-body").scroll_end(animate=False)
        await desk.settle()
        assert not bar.hides_terms
        bar.note_said("use the other card please")
        await desk.wait(SETTLING + 1)
        body = bar.query_one("#decision-body")
        assert "You said" in desk.text, "what is new stands in view"
        assert body.scroll_offset.y < body.max_scroll_y
        assert not bar.hides_terms, "the rest below was read before"
        await desk.press("y", "enter")
        assert decision.done()


async def test_why_a_yes_is_not_taken_stands_in_the_box_until_the_rest_was_read() -> None:
    async with open_desk(size=(80, 18)) as desk:
        lunch(desk.engine)
        text = "\n".join(f"line {number} of the message" for number in range(40))
        decision = desk.engine.ask_approval(4, TypeText(text=text), ActionKind.SEND)
        await desk.wait(SETTLING + 1)
        await desk.press("y", "e", "s", "enter")
        await desk.wait(30)
        box = desk.app.main.decision.region
        assert "not yet: page down" in "\n".join(desk.lines[box.y : box.bottom])
        assert "enter takes" not in desk.text

        desk.app.main.query_one("#decision-body").scroll_end(animate=False)
        await desk.settle()
        box = desk.app.main.decision.region
        assert "not yet: page down" not in "\n".join(desk.lines[box.y : box.bottom])
        assert not decision.done()


async def test_what_was_read_of_one_approval_does_not_count_for_the_next() -> None:
    async with open_desk(size=(40, 12)) as desk:
        first = await asked(desk)
        await desk.wait(SETTLING + 1)
        while "page down" in desk.text:
            await desk.press("pagedown")
        second = desk.engine.ask_approval(4)
        await desk.press("n", "enter")
        assert first.done()

        await desk.wait(SETTLING + 1)
        await desk.press("y", "enter")
        assert not second.done()


async def test_a_no_needs_no_reading() -> None:
    async with open_desk(size=(40, 12)) as desk:
        decision = await asked(desk)
        await desk.wait(SETTLING + 1)
        await desk.press("n", "enter")
        assert decision.done()

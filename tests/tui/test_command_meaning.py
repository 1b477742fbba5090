"""How a command was understood, what it is about to do, and why."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from assistant import events, i18n
from assistant.events import Cause, TurnState
from assistant.i18n import Language
from assistant.presentation.command_meaning import ElementView
from assistant.presentation.prompts import MeaningPrompt
from assistant.presentation.text import safe
from assistant.presentation.turn_log import TurnLog
from assistant.presentation.ui_state import SETTLING, TYPING_PAUSE
from assistant.tui.screens.dialogs import WhyScreen
from assistant.tui.turn_lines import format_command
from tests.tui.app_fixture import Desk, open_desk
from tests.tui.hostile_texts import HOSTILE
from tests.tui.meanings import INSTRUCTION, RECORDS, SAID, complete, hostile, proposed, recall
from tests.tui.scripted import NOW, ScriptedEngine


def squeezed(desk: Desk) -> str:
    return " ".join(desk.text.replace("│", " ").split())


async def pass_time(desk: Desk, seconds: float) -> None:
    desk.clock.advance(seconds)
    desk.app.main.decision.tick()
    await desk.settle()


async def test_each_part_is_shown_with_its_source_while_the_command_is_understood() -> None:
    async with open_desk() as desk:
        recall(desk.engine)
        await desk.settle()
        lines = [line.strip() for line in desk.lines]
        assert lines[1:6] == [
            f"› {SAID}",
            "my usual lunch = beef noodles, no coriander  done 14 times, last Sat 7 Mar",
            "the office = Harbour Road 11       Work · address · you said so on Tue 3 Mar",
            "mom's sister = ?                     perhaps Anna, Berta",
            "looks in Contacts                  1 step · tap “Search”",
        ]
        assert "◌ Understanding the command" in desk.text


async def test_the_parts_make_room_for_the_steps_once_the_turn_runs() -> None:
    async with open_desk(size=(80, 18)) as desk:
        complete(desk.engine)
        await desk.settle()
        assert "mom's sister = Anna" in desk.text
        desk.engine.emit(events.InstructionResolved(time=NOW, instruction=INSTRUCTION))
        desk.engine.observe(1)
        desk.engine.think(1, "Look.")
        await desk.settle()
        assert "mom's sister = Anna" not in desk.text
        assert f"⇒ {INSTRUCTION}" in desk.text
        assert "Running · model thinking" in desk.text
        await desk.pilot.resize_terminal(100, 40)
        await desk.settle()
        assert "mom's sister = Anna" in desk.text


async def test_what_is_left_alone_goes_on_by_itself() -> None:
    async with open_desk() as desk:
        decision = proposed(desk.engine)
        await desk.settle()
        assert "About to do" in desk.text
        assert "enter go now   ↑ edit   or say what to change   f8 why   starts in 4 s" in desk.text
        assert INSTRUCTION[:30] in desk.text
        assert desk.typed == ""
        await pass_time(desk, 2.5)
        assert "starts in 2 s" in desk.text
        assert not decision.done()
        await pass_time(desk, 1.5)
        assert decision.result() == INSTRUCTION
        assert "About to do" not in desk.text
        assert desk.typed == ""


@pytest.mark.parametrize(
    ("spoken", "said", "note"),
    [
        (Language.ENGLISH, "remind me on fridays", "Keeps few of your words: “remind me on fridays”"),
        (Language.CHINESE, "每周五提醒我交周报", "你的原话多半没用上：“每周五提醒我交周报”"),
    ],
)
async def test_another_thing_than_was_said_never_goes_on_by_itself(
    spoken: Language, said: str, note: str
) -> None:
    async with open_desk() as desk:
        i18n.use(spoken)
        try:
            decision = desk.engine.propose(INSTRUCTION, unlike=said)
            await desk.wait(SETTLING)
            assert note in desk.text
            await pass_time(desk, 60)
            assert not decision.done()
            await desk.press("enter")
            assert decision.result() == INSTRUCTION
        finally:
            i18n.use(Language.ENGLISH)


@pytest.mark.parametrize("spoken", [Language.ENGLISH, Language.CHINESE])
@pytest.mark.parametrize("in_field", [True, False])
async def test_what_can_be_done_with_it_fits_one_line(spoken: Language, in_field: bool) -> None:
    decision: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    event = events.MeaningProposed(time=NOW, instruction=INSTRUCTION, seconds=60, decision=decision)
    prompt = MeaningPrompt(event, in_field=in_field)
    i18n.use(spoken)
    try:
        prompt.begin(0.0)
        assert cell_len(prompt.choices) <= 74
        prompt.stop_countdown()
        assert cell_len(prompt.choices) <= 74
    finally:
        i18n.use(Language.ENGLISH)


async def test_it_can_be_changed_in_the_field_and_then_waits() -> None:
    async with open_desk() as desk:
        decision = proposed(desk.engine)
        await desk.wait(SETTLING)
        assert "still ask first" in desk.text
        await desk.press("up")
        assert desk.typed == INSTRUCTION
        await desk.press("space", "n", "o", "w")
        assert "f8 why   waits for you" in desk.text
        assert desk.typed == f"{INSTRUCTION} now"
        await pass_time(desk, 60)
        assert not decision.done()
        await desk.press("enter")
        assert decision.result() == f"{INSTRUCTION} now"
        assert desk.typed == ""
        assert desk.calls == []
        desk.engine.emit(
            events.MeaningCorrected(time=NOW),
            events.InstructionResolved(time=NOW, instruction=decision.result()),
        )
        await desk.settle()
        assert "as you changed it, for this time only" in desk.text
        assert "not this time" not in desk.text


@pytest.mark.parametrize("said", ["never mind", "算了", "不要了", "no"])
async def test_what_is_typed_in_the_countdown_cancels_and_is_never_glued_to_the_instruction(
    said: str,
) -> None:
    async with open_desk() as desk:
        decision = proposed(desk.engine)
        await desk.wait(SETTLING)
        await desk.type(said)
        assert desk.typed == said
        await desk.press("enter")
        assert desk.calls == [("cancel",)]
        assert not decision.done()


@pytest.mark.parametrize("said", ["rice instead", "要米饭"])
async def test_other_words_in_the_countdown_correct_the_turn_that_begins(said: str) -> None:
    async with open_desk() as desk:
        decision = proposed(desk.engine)
        await desk.wait(SETTLING)
        await desk.type(said)
        await pass_time(desk, 60)
        assert not decision.done()
        await desk.press("enter")
        assert desk.calls == [("say", said)]
        assert decision.result() == INSTRUCTION
        assert desk.typed == ""


async def test_an_emptied_instruction_is_not_carried_out_unasked() -> None:
    async with open_desk() as desk:
        decision = proposed(desk.engine)
        await desk.wait(SETTLING)
        await desk.press("up", "ctrl+u")
        assert desk.typed == ""
        await pass_time(desk, 60)
        assert not decision.done()
        assert "say what to change" in desk.text


async def test_a_part_that_was_changed_is_marked_and_what_is_learnt_from_it_said() -> None:
    async with open_desk(size=(100, 40)) as desk:
        decision = proposed(desk.engine)
        await desk.settle()
        decision.cancel()
        changed = INSTRUCTION.replace("Harbour Road 11", "Main Street 4")
        desk.engine.emit(
            events.MeaningCorrected(time=NOW, element="the office", value="Main Street 4"),
            events.InstructionResolved(time=NOW, instruction=changed),
        )
        await desk.settle()
        assert "my usual lunch = beef noodles, no coriander  " in desk.text
        assert "the office = Harbour Road 11 (no longer)" in desk.text
        assert f"⇒ {changed}" in desk.text
        assert "as you changed it; from now on “the office” means Main Street 4" in desk.text
        await desk.press("f8")
        assert "the office = Harbour Road 11 (no longer)" in desk.text


async def test_what_is_typed_above_the_reasons_closes_them_and_goes_into_the_field() -> None:
    async with open_desk(size=(100, 40)) as desk:
        proposed(desk.engine).cancel()
        await desk.settle()
        await desk.press("f8")
        assert isinstance(desk.app.screen, WhyScreen)
        await desk.press("c")
        assert not isinstance(desk.app.screen, WhyScreen)
        await desk.press("a", "l", "l")
        assert desk.typed == "call"


async def test_a_part_that_was_changed_for_once_is_marked_so() -> None:
    async with open_desk(size=(100, 40)) as desk:
        decision = proposed(desk.engine)
        await desk.settle()
        decision.cancel()
        changed = INSTRUCTION.replace("beef noodles, no coriander", "rice")
        desk.engine.emit(
            events.MeaningCorrected(time=NOW), events.InstructionResolved(time=NOW, instruction=changed)
        )
        await desk.settle()
        assert "my usual lunch = beef noodles, no coriander (not this time)" in desk.text
        assert "the office = Harbour Road 11  " in desk.text
        assert "as you changed it, for this time only" in desk.text


async def test_enter_lets_it_stand_but_not_the_enter_of_the_moment_before() -> None:
    async with open_desk() as desk:
        decision = proposed(desk.engine)
        await desk.settle()
        await desk.press("enter")
        assert not decision.done()
        assert "Press enter again" in desk.lines[-1]
        await desk.wait(SETTLING)
        await desk.press("enter")
        assert decision.result() == INSTRUCTION


async def test_words_being_typed_stay_and_nothing_goes_on_meanwhile() -> None:
    async with open_desk() as desk:
        recall(desk.engine)
        await desk.settle()
        await desk.type("be quick")
        decision = desk.engine.propose(INSTRUCTION)
        await desk.settle()
        await pass_time(desk, 60)
        assert desk.typed == "be quick"
        assert "waits for you" in desk.text
        assert "tab chooses   esc pause   f8 why   waits for you" in desk.text
        await desk.press("enter", "2", "enter")
        assert desk.calls == [("say", "be quick")]
        assert not decision.done()
        await desk.wait(TYPING_PAUSE)
        await desk.press("up", "ctrl+u", "up", "ctrl+u")
        desk.app.main.input.insert("Order rice")
        await desk.press("enter")
        assert not decision.done()
        assert "“Order rice”: does it change what begins?" in desk.text
        await desk.press("enter")
        assert desk.calls[-1] == ("say", "Order rice")
        assert decision.result() == INSTRUCTION


async def test_a_question_below_a_meaning_is_answered_and_begins_nothing() -> None:
    async with open_desk() as desk:
        recall(desk.engine)
        decision = desk.engine.propose(INSTRUCTION)
        await desk.wait(TYPING_PAUSE)
        await desk.type("what did I eat last week?")
        await desk.press("enter")
        assert desk.calls == [("reply", "question")]
        assert "About to do" in desk.text
        await pass_time(desk, 60)
        assert not decision.done()


@pytest.mark.parametrize("words", ["", "go ahead", "yes"])
async def test_a_meaning_that_was_delayed_begins_at_enter_or_a_yes(words: str) -> None:
    async with open_desk() as desk:
        recall(desk.engine)
        await desk.settle()
        await desk.type("be quick")
        decision = desk.engine.propose(INSTRUCTION)
        await desk.settle()
        await desk.press("ctrl+u")
        await desk.wait(TYPING_PAUSE)
        assert "waits for you" in desk.text
        if words:
            await desk.type(words)
        await desk.press("enter")
        assert decision.result() == INSTRUCTION
        assert desk.calls == []


async def test_a_key_lets_it_stand_while_the_field_has_other_words() -> None:
    async with open_desk() as desk:
        await desk.type("next")
        decision = desk.engine.propose(INSTRUCTION)
        await desk.wait(TYPING_PAUSE)
        await desk.press("tab", "1", "enter")
        assert decision.result() == INSTRUCTION
        assert desk.typed == "next"


async def test_escape_stops_it_and_the_field_is_free_again() -> None:
    async with open_desk() as desk:
        decision = proposed(desk.engine)
        await desk.settle()
        await desk.press("escape")
        assert desk.calls == [("pause",)]
        decision.cancel()
        desk.engine.enter(TurnState.PAUSED, Cause.USER_PAUSED)
        await desk.settle()
        assert "About to do" not in desk.text
        assert "Paused by you" in desk.text
        assert desk.typed == ""
        again = desk.engine.propose(INSTRUCTION)
        await desk.settle()
        assert desk.typed == ""
        await desk.press("escape", "escape")
        assert desk.calls[-1] == ("cancel",)
        assert "About to do" not in desk.text
        assert not again.done()


@pytest.mark.parametrize("key", ["f1", "x"])
async def test_what_waits_for_the_user_is_not_painted_again_at_each_tick(key: str) -> None:
    async with open_desk() as desk:
        proposed(desk.engine)
        await desk.settle()
        assert desk.app.main.decision.is_ticking
        await desk.press(key)
        await pass_time(desk, 0.5)
        assert not desk.app.main.decision.is_ticking
        await desk.press("escape")
        assert "waits for you" in desk.text


async def test_why_names_the_records_behind_each_part_and_time_does_not_run_there() -> None:
    engine = ScriptedEngine(records=RECORDS)
    async with open_desk(engine, size=(80, 50)) as desk:
        await desk.press("f8")
        assert "This command did not use the memory" in desk.lines[-1]
        decision = proposed(engine)
        await desk.settle()
        assert "f8 why" in desk.lines[-1]
        await desk.press("f8")
        words = squeezed(desk)
        for expected in (
            "my usual lunch = beef noodles, no coriander",
            "done 14 times, last Sat 7 Mar",
            "Because of 3 records:",
            "Sat 07 Mar 2026 12:05 Eats “Order beef noodles”",
            "1 record is not kept any more.",
            "Candidates: Anna, Berta",
            "Looked in Contacts (Family): Anna",
            "Remembered when the turn succeeds",
        ):
            assert expected in words
        await pass_time(desk, 60)
        await desk.press("escape")
        assert not decision.done()
        assert "waits for you" in desk.text


async def test_why_tells_of_the_suggestion_that_was_accepted() -> None:
    engine = ScriptedEngine(records=RECORDS)
    async with open_desk(engine, size=(80, 50)) as desk:
        engine.begin("Navigate to the office")
        engine.emit(
            events.SuggestionTaken(
                time=NOW,
                id="s1",
                instruction="Navigate to the office",
                score=0.86,
                why=("12 of 14 times at about this time of day", "last yesterday"),
                evidence=("r1", "r2"),
            ),
            events.InstructionResolved(time=NOW, instruction="Navigate to the office"),
        )
        await desk.settle()
        assert "suggested from memory, and you said yes · 12 of 14 times" in desk.text
        assert "f8 why" in desk.lines[-1]
        await desk.press("f8")
        words = squeezed(desk)
        for expected in (
            "1 Suggestion: Navigate to the office",
            "12 of 14 times at about this time of day · last yesterday",
            "Because of 2 records:",
            "Sat 07 Mar 2026 12:05 Eats “Order beef noodles”",
        ):
            assert expected in words
        assert "You changed it" not in words


async def test_a_likely_answer_is_picked_by_its_number() -> None:
    async with open_desk() as desk:
        recall(desk.engine)
        for typed, answer in (
            ("2", "rice"),
            ("the second one", "rice"),
            ("第二个", "rice"),
            ("the soup", "soup [/b]"),
            ("3 pho", "3 pho"),
        ):
            future = desk.engine.ask_question(0, "What is meant?", ("soup [/b]", "rice"), kept=True)
            await desk.wait(1)
            assert "1  soup [/b]" in desk.text
            assert "2  rice" in desk.text
            assert "or your own words" in desk.text
            assert "choosing what to do" not in desk.text
            await desk.type(typed)
            await desk.press("enter")
            assert future.result() == answer
            assert "choosing what to do" not in desk.text


@pytest.mark.parametrize("said", ["none of them", "neither", "都不是"])
async def test_who_wants_none_of_the_likely_answers_is_asked_for_their_own_words(said: str) -> None:
    async with open_desk() as desk:
        future = desk.engine.ask_question(0, "What is meant?", ("soup", "rice"), kept=True)
        await desk.wait(1)
        await desk.type(said)
        await desk.press("enter")
        assert not future.done()
        assert "None of these: type your own words" in desk.text
        await desk.type("the second soup")
        await desk.press("enter")
        assert future.result() == "the second soup"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("whatever", "Nothing is chosen for you"),
        ("she lives next door", "Enter again makes it"),
    ],
)
async def test_what_answers_nothing_leaves_the_question_open(said: str, shown: str) -> None:
    async with open_desk() as desk:
        future = desk.engine.ask_question(0, "Who is meant?", ("Anna", "Berta"), kept=True)
        await desk.wait(1)
        await desk.type(said)
        await desk.press("enter")
        assert not future.done()
        assert shown in desk.text
        assert said in desk.text


async def test_a_sentence_that_is_sent_twice_is_the_answer() -> None:
    async with open_desk() as desk:
        future = desk.engine.ask_question(0, "Where is “it”?", kept=True)
        await desk.wait(1)
        await desk.type("she sells shells")
        await desk.press("enter")
        assert not future.done()
        await desk.press("enter")
        assert future.result() == "she sells shells"


async def test_a_command_below_a_question_is_no_answer_but_asked_about() -> None:
    async with open_desk() as desk:
        recall(desk.engine)
        future = desk.engine.ask_question(0, "Who is meant?", kept=True)
        await desk.wait(1)
        await desk.type("set an alarm for 7")
        await desk.press("enter")
        assert not future.done()
        assert "the next command" in desk.text


async def test_a_refusal_below_a_question_ends_the_turn() -> None:
    async with open_desk() as desk:
        recall(desk.engine)
        future = desk.engine.ask_question(0, "Who is meant?", ("Anna",), kept=True)
        await desk.wait(1)
        await desk.type("oh no, not now, she is at work")
        await desk.press("enter")
        assert ("cancel",) in desk.engine.calls
        assert not future.done() or future.cancelled()


async def test_a_choice_with_a_wish_is_taken_and_the_wish_is_said() -> None:
    async with open_desk() as desk:
        recall(desk.engine)
        future = desk.engine.ask_question(0, "What is meant?", ("soup", "rice"), kept=True)
        await desk.wait(1)
        await desk.type("the second one, but without salt")
        await desk.press("enter")
        assert future.result() == "rice"
        assert ("say", "without salt") in desk.engine.calls


async def test_an_answer_can_be_for_this_time_only() -> None:
    async with open_desk() as desk:
        future = desk.engine.ask_question(0, "What is meant?", ("soup", "rice"), kept=True)
        await desk.wait(1)
        assert "3  answer for this time only" in desk.text
        await desk.press("3", "enter")
        assert "3  remember the answer after all" in desk.text
        await desk.press("1", "enter")
        assert future.result() == "soup (just this time)"


async def test_what_is_not_remembered_anyway_offers_no_choice_about_it() -> None:
    async with open_desk() as desk:
        future = desk.engine.ask_question(3, "Which office?")
        await desk.wait(1)
        assert "this time only" not in desk.text
        await desk.type("1")
        await desk.press("enter")
        assert future.result() == "1"


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
async def test_hostile_text_stays_text(text: str) -> None:
    async with open_desk() as desk:
        decision = hostile(desk.engine, text)
        await desk.settle()
        screens = [desk.text]
        await desk.press("f8")
        screens.append(desk.text)
        await desk.wait(SETTLING)
        await desk.press("escape", "enter")
        assert decision.result() == f"{text}."
        desk.engine.ask_question(0, text, (text, text), kept=True)
        await desk.settle()
        screens.append(desk.text)
        assert desk.app.is_running
        for screen in screens:
            assert not [character for character in screen if character < " " and character != "\n"]
            assert not any(mark in screen for mark in "\x7f\x9b\u202e\u2066\ud83d")
        if text.startswith("["):
            assert all(text in screen for screen in screens)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.text(max_size=90), st.text(max_size=90), st.text(max_size=90)), max_size=6),
    st.text(max_size=300),
    st.booleans(),
    st.integers(min_value=24, max_value=120),
    st.integers(min_value=4, max_value=20),
)
def test_lines_fit_into_their_room(
    parts: list[tuple[str, str, str]], said: str, is_open: bool, width: int, room: int
) -> None:
    record = TurnLog(said=" ".join(safe(said).split()))
    record.understood.open = is_open
    record.understood.instruction = record.said + "."
    for number, texts in enumerate(parts):
        element, value, why = (" ".join(safe(text).split()) for text in texts)
        record.understood.parts[str(number)] = ElementView(element, value, "profile", why, unknown=True)
    lines = format_command(record, width, room)
    assert len(lines) <= room
    assert all(cell_len(line.plain) <= width for line in lines)


def test_a_value_that_is_most_of_the_instruction_stands_only_there() -> None:
    record = TurnLog(said="order the usual")
    record.understood.instruction = "Order rice at Lin's on Eats"
    part = record.understood.parts["the usual"] = ElementView(
        "the usual", "Order rice at Lin's", "preference", "done 2 times"
    )
    _command, why, meaning = (line.plain.split() for line in format_command(record, 80, 9))
    assert why == ["the", "usual", "done", "2", "times"]
    assert meaning == ["⇒", "Order", "rice", "at", "Lin's", "on", "Eats"]
    part.value = "rice"
    assert "the usual = rice" in format_command(record, 80, 9)[1].plain


async def test_words_begun_before_a_meaning_change_it_once_the_user_says_so() -> None:
    async with open_desk() as desk:
        recall(desk.engine)
        await desk.settle()
        await desk.type("order rice")
        decision = desk.engine.propose(INSTRUCTION)
        await desk.wait(SETTLING)
        await desk.press("tab", "2", "enter")
        assert desk.typed == "order rice"
        await desk.press("enter")
        assert desk.calls == [("say", "order rice")]
        assert decision.result() == INSTRUCTION


@pytest.mark.parametrize("said", ["no, call dad instead", "that's wrong"])
async def test_words_that_refuse_begin_no_meaning_that_is_to_be_changed_by_the_field(said: str) -> None:
    async with open_desk() as desk:
        recall(desk.engine)
        await desk.settle()
        await desk.type(said)
        decision = desk.engine.propose(INSTRUCTION)
        await desk.wait(SETTLING)
        await desk.press("tab", "2", "enter")
        await desk.press("enter")
        assert not decision.done()
        assert "does it change what begins?" in desk.text
        assert not [call for call in desk.calls if call[0] == "say"]


async def test_words_that_only_refuse_end_the_turn_before_it_begins() -> None:
    async with open_desk() as desk:
        recall(desk.engine)
        await desk.settle()
        await desk.type("不对，别点了")
        decision = desk.engine.propose(INSTRUCTION)
        await desk.wait(SETTLING)
        await desk.press("tab", "2", "enter")
        await desk.press("enter")
        assert not decision.done()
        assert desk.calls == [("cancel",)]


@pytest.mark.parametrize("said", ["yes, change it please", "yes", "好，改一下"])
async def test_a_yes_to_whether_a_line_changes_the_meaning_begins_nothing(said: str) -> None:
    async with open_desk() as desk:
        recall(desk.engine)
        await desk.settle()
        await desk.type("that's wrong")
        decision = desk.engine.propose(INSTRUCTION)
        await desk.wait(SETTLING)
        await desk.press("tab", "2", "enter")
        await desk.press("enter")
        assert "does it change what begins?" in desk.text
        await desk.type(said)
        await desk.press("enter")
        assert not decision.done()
        assert "Choose with ↑ ↓ and enter" in desk.text
        assert not [call for call in desk.calls if call[0] == "say"]

from __future__ import annotations

import asyncio
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from assistant import events
from assistant.events import ActionKind, Approval, ApprovedBy, Cause, Deed, TurnState, Verdict
from assistant.phone.errors import Refusal
from assistant.presentation.turn_log import NoteEntry, StepEntry, StepStatus, TurnLog, format_ending
from assistant.records import (
    Click,
    Failed,
    Finished,
    ForegroundApp,
    OpenApp,
    Outcome,
    Point,
    Source,
    TypeText,
    Usage,
)
from assistant.tui.turn_lines import entry_height, format_entry, format_thought, readable_thought
from assistant.tui.widgets.command_input import InputHistory
from tests.tables import each
from tests.tui.scripted import NOW

TAP = Click(point=Point(0.5, 0.5), content="Search")


def finished(number: int, error: str = "") -> events.StepFinished:
    return events.StepFinished(
        time=NOW,
        step=number,
        action=TAP,
        source=Source.MODEL,
        seconds=1.9,
        model_seconds=1.5,
        phone_seconds=0.3,
        own_seconds=0.1,
        error=error,
    )


def test_a_step_gathers_its_events() -> None:
    log = TurnLog()
    step = log.handle_event(events.StepStarted(time=NOW, step=1))
    for event in (
        events.ThoughtStreamed(time=NOW, step=1, text="Look "),
        events.ThoughtStreamed(time=NOW, step=1, text="there."),
        events.ActionChosen(time=NOW, step=1, action=TAP, source=Source.MODEL),
    ):
        assert log.handle_event(event) is step
    assert isinstance(step, StepEntry)
    assert (step.thought, step.text, step.status) == ("Look there.", "tap “Search”", StepStatus.RUNNING)
    assert log.running is step
    log.handle_event(finished(1))
    assert (step.seconds, step.status) == (1.9, StepStatus.DONE)
    assert log.running is None


@each(
    ("state", "cause", "shown"),
    [
        (TurnState.RUNNING, Cause.OBSERVING, "▸ looking at the phone"),
        (TurnState.RUNNING, Cause.THINKING, "▸ choosing what to do"),
        (TurnState.RUNNING, Cause.MODEL, "◌ waiting for the model"),
        (TurnState.WAITING, Cause.PHONE, "◌ waiting for the phone"),
        (TurnState.PAUSED, Cause.PHONE, "◌ waiting for the phone"),
        (TurnState.PAUSED, Cause.MODEL, "‖ not begun"),
        (TurnState.PAUSING, Cause.USER_PAUSED, "‖ not begun"),
        (TurnState.PAUSED, Cause.TOUCHED, "‖ not begun"),
    ],
)
def test_a_step_without_an_action_says_what_goes_on(state: TurnState, cause: Cause, shown: str) -> None:
    log = TurnLog()
    step = log.handle_event(events.StepStarted(time=NOW, step=3))
    assert isinstance(step, StepEntry)
    log.handle_event(events.StateChanged(time=NOW, state=state, cause=cause))
    assert format_entry(step, 80).plain.split("\n")[0].rstrip() == f"   3 {shown}"
    again = log.handle_event(events.StepStarted(time=NOW, step=3))
    assert again is step
    if cause is not Cause.THINKING:
        assert format_entry(step, 80).plain.rstrip() == f"   3 {shown}"


def test_what_was_begun_stands_in_a_pause_and_goes_on_after_it() -> None:
    log = TurnLog()
    step = log.handle_event(events.StepStarted(time=NOW, step=1))
    log.handle_event(events.ActionChosen(time=NOW, step=1, action=TAP, source=Source.MODEL))
    assert isinstance(step, StepEntry)
    pausing = events.StateChanged(time=NOW, state=TurnState.PAUSING, cause=Cause.USER_PAUSED)
    assert log.handle_event(pausing) is None
    assert "1 ▸ tap “Search”" in format_entry(step, 80).plain
    paused = replace(pausing, state=TurnState.PAUSED)
    assert log.handle_event(paused) is step
    assert log.handle_event(paused) is None
    for width in (40, 80):
        assert format_entry(step, width).plain.startswith("   1 ‖ tap “Search”")
        assert format_entry(step, width).plain.rstrip().endswith("not done")
    log.handle_event(events.StateChanged(time=NOW, state=TurnState.RUNNING, cause=Cause.ACTING))
    assert step.status is StepStatus.RUNNING
    assert log.running is step


def test_what_is_over_changes_no_more() -> None:
    log = TurnLog()
    step = log.handle_event(events.StepStarted(time=NOW, step=1))
    log.handle_event(finished(1))
    assert (
        log.handle_event(events.StateChanged(time=NOW, state=TurnState.PAUSED, cause=Cause.TOUCHED)) is None
    )
    assert isinstance(step, StepEntry)
    assert step.status is StepStatus.DONE


def test_a_step_begun_again_after_a_pause_keeps_its_row() -> None:
    log = TurnLog()
    first = log.handle_event(events.StepStarted(time=NOW, step=1))
    log.handle_event(events.ThoughtStreamed(time=NOW, step=1, text="stale"))
    assert log.handle_event(events.StepStarted(time=NOW, step=1)) is first
    assert isinstance(first, StepEntry)
    assert first.thought == ""
    assert list(log.entries) == [first]


def test_a_reply_that_is_asked_for_again_leaves_no_thought() -> None:
    log = TurnLog()
    step = log.handle_event(events.ThoughtStreamed(time=NOW, step=1, text="cut o"))
    log.handle_event(events.ModelRetrying(time=NOW, attempt=1, delay=0, reason="The reply was cut off."))
    log.handle_event(events.ThoughtStreamed(time=NOW, step=1, text="whole"))
    assert isinstance(step, StepEntry)
    assert step.thought == "whole"


def test_a_step_number_that_comes_back_after_it_was_done_gets_a_row_of_its_own() -> None:
    log = TurnLog()
    first = log.handle_event(events.StepStarted(time=NOW, step=1))
    log.handle_event(finished(1))
    second = log.handle_event(events.StepStarted(time=NOW, step=1))
    assert list(log.entries) == [first, second]
    assert log.running is second


def claimed(number: int, answer: str) -> events.StepFinished:
    return replace(finished(number), action=Finished(answer=answer))


def ended(outcome: Outcome, answer: str) -> events.TurnFinished:
    return events.TurnFinished(
        time=NOW, turn_id="t", outcome=outcome, answer=answer, steps=1, usage=Usage(), seconds=2
    )


def test_what_the_model_names_as_evidence_is_told_once() -> None:
    log = TurnLog()
    log.handle_event(events.StepStarted(time=NOW, step=1))
    log.handle_event(claimed(1, "Playing. “louder” = “Volume 40 %”"))
    step = log.handle_event(ended(Outcome.SUCCESS, "Playing. “louder”: “Volume 40 %”."))
    assert isinstance(step, StepEntry)
    assert step.text == "Playing. “louder”: “Volume 40 %”."


@each(
    ("saved", "skill", "words"),
    [
        (14.0, "play {song}", "6 steps repeated from memory, about 14 s saved: play {song}"),
        (0.0, "play {song}", "6 steps repeated from memory: play {song}"),
        (14.0, "", "6 steps repeated from memory, about 14 s saved"),
    ],
)
def test_what_was_repeated_is_told_with_its_skill_and_what_that_saved(
    saved: float, skill: str, words: str
) -> None:
    log = TurnLog()
    end = replace(ended(Outcome.SUCCESS, "It plays."), replayed=6, saved=saved, skill=skill)
    log.handle_event(end)
    assert log.saving == words
    assert words in [entry.text for entry in log.entries]


def test_an_answer_that_memory_read_is_told_as_such() -> None:
    log = TurnLog()
    end = replace(ended(Outcome.SUCCESS, "¥ 77"), replayed=3, saved=14.0, skill="tell me", answer_read=True)
    log.handle_event(end)
    assert log.saving == (
        "3 steps repeated from memory, about 14 s saved; the answer was read where it stood before: tell me"
    )


def test_the_answer_stands_once_however_often_it_was_checked() -> None:
    log = TurnLog()
    for _ in range(2):
        log.handle_event(events.StepStarted(time=NOW, step=2))
        log.handle_event(claimed(2, "Done:\nit is set."))
    assert log.handle_event(ended(Outcome.SUCCESS, "Done:\nit is set.")) is None
    [step] = log.entries
    assert format_entry(step, 80).plain.startswith("     ✓ Done:")


def test_a_success_that_is_not_believed_is_not_shown_as_one() -> None:
    log = TurnLog()
    step = log.handle_event(claimed(2, "Paid."))
    note = log.handle_event(ended(Outcome.FAILED, "Nothing was paid."))
    assert isinstance(step, StepEntry)
    assert step.status is StepStatus.FAILED
    assert isinstance(note, NoteEntry)
    assert list(log.entries) == [step, note]


def approved(log: TurnLog, number: int, verdict: Verdict | None) -> StepEntry:
    """A step that was asked about, answered so, and then done or refused; without a verdict it was not."""

    async def answered() -> asyncio.Future[Approval]:
        decision: asyncio.Future[Approval] = asyncio.get_running_loop().create_future()
        if verdict is None:
            decision.cancel()
        else:
            decision.set_result(Approval(verdict))
        return decision

    event = events.ApprovalRequested(
        time=NOW,
        step=number,
        kind=ActionKind.PAY,
        action=TAP,
        app=ForegroundApp("a", "b"),
        decision=asyncio.run(answered()),
    )
    log.handle_event(event)
    log.resume_step(number)
    step = log.handle_event(finished(number, Refusal.NOT_ALLOWED if verdict is Verdict.NO else ""))
    assert isinstance(step, StepEntry)
    return step


@each("verdict", [Verdict.ONCE, Verdict.THIS_TURN, Verdict.ALWAYS])
def test_a_step_that_the_user_allowed_says_so(verdict: Verdict) -> None:
    step = approved(TurnLog(), 1, verdict)
    assert "tap “Search” · you allowed it" in format_entry(step, 80).plain
    assert entry_height(step, 30) == len(format_entry(step, 30).split())


@each(
    ("by", "words"),
    [
        (ApprovedBy.RULE, " · allowed by your rule"),
        (ApprovedBy.TURN, " · you allowed it for this turn"),
        (ApprovedBy.COMMAND_LINE, " · allowed by --yes"),
        (ApprovedBy.USER, " · you allowed it"),
    ],
)
def test_a_deed_that_needed_no_question_says_whose_approval_it_has(by: ApprovedBy, words: str) -> None:
    log = TurnLog()
    deed = Deed(kind=ActionKind.SEND, package="com.chat", recipient="Mom", text="late")
    log.handle_event(events.ActionChosen(time=NOW, step=1, action=TAP, source=Source.MODEL))
    log.handle_event(events.ApprovalSettled(time=NOW, step=1, deed=deed, verdict=Verdict.ONCE, by=by))
    step = log.handle_event(finished(1))
    assert isinstance(step, StepEntry)
    assert f"tap “Search”{words}" in format_entry(step, 80).plain


def test_a_step_that_the_user_refused_says_so() -> None:
    plain = format_entry(approved(TurnLog(), 1, Verdict.NO), 80).plain
    assert "you did not allow it" in plain
    assert "you allowed it" not in plain


def test_what_was_said_at_an_approval_stands_in_the_log() -> None:
    log = TurnLog()
    log.handle_event(events.ActionChosen(time=NOW, step=1, action=TAP, source=Source.MODEL))
    log.handle_event(
        events.ApprovalSettled(
            time=NOW,
            step=1,
            deed=Deed(kind=ActionKind.PAY, package="com.eats", amount="¥30"),
            verdict=Verdict.INSTEAD,
            by=ApprovedBy.USER,
            words="too\x1b[2J much, take the small one",
        )
    )
    (said,) = (entry for entry in log.entries if isinstance(entry, NoteEntry))
    assert format_entry(said, 80).plain.strip() == "› too much, take the small one"


def test_a_question_that_was_never_answered_allows_nothing() -> None:
    assert not approved(TurnLog(), 1, None).allowed


def test_what_is_said_to_a_turn_that_stands_still_waits_until_it_goes_on() -> None:
    log = TurnLog()
    assert log.mark_heard(TurnState.PAUSED) == []
    message = log.handle_event(events.UserSaid(time=NOW, text="be quick"))
    assert isinstance(message, NoteEntry)
    assert format_entry(message, 80).plain.strip() == "› be quick · read when the turn continues"
    assert entry_height(message, 24) == len(format_entry(message, 24).split())
    assert log.mark_heard(TurnState.PAUSED) == []
    assert log.mark_heard(TurnState.RUNNING) == [message]
    assert format_entry(message, 80).plain.strip() == "› be quick"
    assert log.mark_heard(TurnState.RUNNING) == []
    heard = log.handle_event(events.UserSaid(time=NOW, text="thanks"))
    assert isinstance(heard, NoteEntry)
    assert not heard.waits


def test_an_error_is_a_failed_step() -> None:
    log = TurnLog()
    step = log.handle_event(finished(1, "Nothing is there."))
    assert isinstance(step, StepEntry)
    assert step.status is StepStatus.FAILED
    assert "Nothing is there." in format_entry(step, 80).plain


def test_the_end_stops_what_still_runs() -> None:
    log = TurnLog()
    step = log.handle_event(events.StepStarted(time=NOW, step=1))
    note = log.handle_event(
        events.TurnFinished(
            time=NOW,
            turn_id="t",
            outcome=Outcome.CANCELLED,
            answer="",
            steps=1,
            usage=Usage(),
            seconds=2,
        )
    )
    assert note is None
    assert isinstance(step, StepEntry)
    assert "■ not done" in format_entry(step, 80).plain


@given(
    st.text(max_size=200),
    st.text(max_size=400),
    st.integers(min_value=30, max_value=160),
    st.sampled_from(StepStatus),
    st.booleans(),
)
def test_lines_fit_their_width(
    words: str, thought: str, width: int, status: StepStatus, thoughts: bool
) -> None:
    log = TurnLog()
    log.handle_event(events.ThoughtStreamed(time=NOW, step=12, text=thought))
    step = log.handle_event(
        events.ActionChosen(time=NOW, step=12, action=TypeText(text=words), source=Source.MODEL)
    )
    assert isinstance(step, StepEntry)
    step.status, step.error, step.seconds = status, thought, 75.0
    for line in format_entry(step, width, thoughts).plain.split("\n"):
        assert cell_len(line) <= width
    note = log.handle_event(events.UserSaid(time=NOW, text=words))
    assert isinstance(note, NoteEntry)
    for line in format_entry(note, width).plain.split("\n"):
        assert cell_len(line) <= width


def test_a_long_thought_shows_its_end() -> None:
    lines = format_thought(" ".join(f"word{number}" for number in range(500)), 60, 3)
    assert len(lines) == 3
    assert lines[0].plain.strip().startswith("…")
    assert lines[-1].plain.endswith("word499")


def test_recall_returns_to_the_draft() -> None:
    recall = InputHistory()
    recall.start(["a", "b", "b"])
    assert [recall.older("draft"), recall.older("b"), recall.older("a")] == ["b", "a", None]
    assert [recall.newer(), recall.newer(), recall.newer()] == ["b", "draft", None]


def test_a_turn_that_goes_on_tells_what_was_done_and_said_before() -> None:
    turn = TurnLog()
    turn.handle_event(events.StepRetold(time=NOW, step=1, action=OpenApp(name="Eats"), source=Source.MODEL))
    turn.handle_event(events.WordsRetold(time=NOW, text="the one at the corner", after=1))
    turn.handle_event(events.StepStarted(time=NOW, step=2))
    lines = [format_entry(entry, 80).plain.rstrip() for entry in turn.entries]
    assert "open Eats" in lines[0]
    assert lines[0].endswith("before")
    assert "the one at the corner" in lines[1]
    assert turn.running is not None
    assert turn.running.number == 2


def test_the_time_that_the_user_took_is_told_apart() -> None:
    over = events.TurnFinished(
        time=NOW,
        turn_id="t",
        outcome=Outcome.SUCCESS,
        answer="",
        steps=5,
        usage=Usage(),
        seconds=625,
        waited=600,
    )
    assert format_ending(over) == "5 steps, 25 s, and 10 min 0 s of waiting for you"
    assert format_ending(replace(over, seconds=25.0, waited=1.0)) == "5 steps, 24 s"


def test_a_cancelled_turn_says_what_it_left() -> None:
    log = TurnLog(said="order lunch")
    left = "“Submit order” was pressed in Eats and not paid: the order may wait there."
    note = log.handle_event(ended(Outcome.CANCELLED, f"Cancelled. {left}"))
    assert isinstance(note, NoteEntry)
    assert (note.sign, note.text) == ("■", left)
    assert TurnLog().handle_event(ended(Outcome.CANCELLED, "Cancelled.")) is None


def test_it_is_told_that_the_model_gave_up() -> None:
    log = TurnLog(said="order a spaceship")
    assert not log.gave_up
    log.handle_event(replace(finished(1), action=Failed(reason="no shop sells it")))
    assert log.gave_up


@each(
    ("thought", "shown"),
    [("[scripted] “", ""), ("The cart now holds “", "The cart now holds"), ("Go back.", "Go back.")],
)
def test_a_thought_is_shown_without_a_mark_that_only_opens(thought: str, shown: str) -> None:
    assert readable_thought(thought) == shown


def test_an_ending_that_adds_to_the_last_words_of_the_model_is_told_once() -> None:
    log = TurnLog()
    failed = "There is no contact called Mom."
    log.handle_event(events.StepStarted(time=NOW, step=1))
    log.handle_event(replace(finished(1), action=Failed(reason=failed)))
    log.handle_event(ended(Outcome.FAILED, f"{failed} “Mom” stands in a field in Chat and is not sent."))
    lines = [format_entry(entry, 80).plain for entry in log.entries]
    assert "\n".join(lines).count(failed) == 1
    assert "is not sent" in " ".join("\n".join(lines).split())


@each("branch", ["", "c"])
def test_an_answer_that_is_given_anew_keeps_its_row(branch: str) -> None:
    log = TurnLog()
    rows = []
    for answer in ("Sent.", "Sent to Mom."):
        log.handle_event(events.StepStarted(time=NOW, step=3, branch=branch))
        rows.append(log.handle_event(replace(claimed(3, answer), branch=branch)))
    assert rows[0] is rows[1]
    assert [entry for entry in log.entries if isinstance(entry, StepEntry)] == [rows[0]]

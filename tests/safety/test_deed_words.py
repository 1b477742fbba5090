from __future__ import annotations

from datetime import UTC, datetime

import pytest

from assistant.agent.checkpoint import (
    format_refusal_words,
    tell_done,
    tell_left_half_done,
    tell_open_page,
    tell_unsent,
    warn_of_leftovers,
)
from assistant.agent.instruction_check import tell_other_parts
from assistant.events import ActionKind, Deed
from assistant.memory.turns import Checkpoint, StoredStep
from assistant.phone.errors import Refusal
from assistant.records import Action, ClearText, Click, OpenApp, Point, PressBack, Target, TypeText, Wait
from tests.tables import each


def _step(number: int, action: Action, deed: Deed | None = None, *, error: str = "") -> StoredStep:
    return StoredStep(number=number, action=action, app="Clock", deed=deed, error=error)


def _tap(label: str, class_name: str = "android.widget.Button") -> Click:
    return Click(point=Point(0.5, 0.5), target=Target(text=label, class_name=class_name))


def test_what_was_done_is_told_whatever_the_outcome() -> None:
    paid = Deed(kind=ActionKind.PAY, amount="¥29", recipient="Old Street Noodles")
    maybe = Deed(kind=ActionKind.SEND, recipient="Mom", maybe=True)
    allowed = Deed(kind=ActionKind.GRANT, recipient="Allow “Maps” to use the location?")
    steps = [_step(1, _tap("Pay"), paid), _step(2, _tap("Send"), maybe, error="the phone is gone")]
    told = tell_done([*steps, _step(3, _tap("Allow"), allowed)])
    assert told[2] == "This permission was granted: Allow “Maps” to use the location."
    unknown = allowed.model_copy(update={"recipient": "Install unknown apps", "entry": "Maps"})
    told_row = tell_done([_step(1, _tap("Allow"), unknown)])
    assert told_row == ["This permission was granted: Install unknown apps · Maps."]
    assert told[0] == "¥29 was paid to Old Street Noodles."
    assert "may have been done" in told[1]


def test_a_touch_that_nobody_could_judge_is_not_told_as_a_payment() -> None:
    unread = Deed(kind=ActionKind.PAY, package="com.example.rail", app="Rail")
    steps = [_step(number, Click(point=Point(0.5, 0.5)), unread) for number in (1, 2)]
    assert tell_done(steps) == ["In Rail something was touched that could not be read. (2 times)"]


def test_what_was_saved_or_switched_is_told_with_how_often() -> None:
    saved = [_step(number, _tap("Save")) for number in range(1, 6)]
    refused = _step(6, _tap("Save"), error="it leads nowhere")
    switched = _step(7, _tap("Wi-Fi", "android.widget.Switch"))
    opened = [_step(8, _tap("Add")), _step(9, _tap("Alarm"))]
    assert tell_done([*saved, refused, switched, *opened]) == [
        "“Save” was pressed in Clock, 5 times.",
        "“Wi-Fi” was pressed in Clock.",
    ]


@pytest.mark.parametrize("label", ["Add to cart", "加入购物车"])
def test_what_is_left_in_a_cart_is_told_until_it_is_ordered(label: str) -> None:
    submit = Deed(kind=ActionKind.PAY, app="Clock", amount="¥29", text="Submit order")
    opens = Deed(kind=ActionKind.PAY, app="Clock", text="Check out")
    put = _step(1, _tap(label))
    left = "What was put into the cart in Clock stays there."
    assert tell_done([put]) == [left]
    assert tell_done([put, _step(2, _tap("Submit order"), submit, error="the user did not allow it")]) == [
        left
    ]
    assert left in tell_done([put, _step(2, _tap("Check out"), opens).model_copy(update={"led_on": True})])
    assert left not in tell_done([put, _step(2, _tap("Submit order"), submit)])
    assert tell_done([_step(1, _tap(label), error="it leads nowhere")]) == []


def test_a_command_of_two_parts_tells_both() -> None:
    command = "set an alarm for 6:30 and text Susan Lin good night"
    sent = Deed(kind=ActionKind.SEND, recipient="Susan Lin", text="good night")
    steps = [_step(1, _tap("Save")), _step(2, _tap("Send"), sent)]
    answer = "Sent to Susan Lin: good night"
    assert tell_other_parts(command, answer, steps) == "Also carried out: “set an alarm for 6:30”."
    assert tell_other_parts(command, answer, steps[1:]) == ""
    assert tell_other_parts(command, f"The alarm is set. {answer}", steps) == ""
    refused = _step(3, _tap("Book the van"), error=Refusal.NOT_ALLOWED)
    assert tell_other_parts(command, answer, [*steps, refused]) == ""


def test_what_is_said_at_an_approval_is_told_to_the_model_as_no_text_to_enter() -> None:
    note = format_refusal_words(StoredStep(number=1, action=OpenApp(name="Eats")), "no the other")
    assert note.endswith("The user says: no the other")
    assert "entered nowhere" in note


def test_a_text_that_was_entered_and_not_sent_is_told() -> None:
    typed = _step(1, TypeText(text="im running late"))
    refused = _step(2, _tap("Send"), error="the user did not allow it")
    assert tell_left_half_done([typed, refused]) == (
        "“im running late” stands in a field in Clock and is not sent."
    )
    assert tell_left_half_done([typed, _step(2, _tap("Send"))]) == ""
    assert tell_left_half_done([]) == ""


PAGE, TEXT = "No step of this command led to this page", "No step of this command wrote this text"
TO_CHEN = Deed(kind=ActionKind.PAY, package="paybox", app="PayBox", amount="¥50", recipient="Chen Lili")
TO_MOM = Deed(kind=ActionKind.SEND, package="chat", recipient="Mom", text="I'll be late")


@each(
    ("deed", "actions", "said", "warning"),
    [
        (TO_CHEN, [], "two coffees", PAGE),
        (TO_CHEN, [OpenApp(name="PayBox")], "two coffees for 150", PAGE),
        (TO_CHEN, [OpenApp(name="PayBox"), Wait(), PressBack()], "two coffees", PAGE),
        (TO_CHEN, [OpenApp(name="PayBox"), _tap("Pay")], "two coffees", ""),
        (TO_CHEN, [_tap("Pay"), OpenApp(name="PayBox")], "two coffees", ""),
        (TO_CHEN, [], "send chen lili the money", ""),
        (TO_CHEN, [], "给陈莉莉转账50元", ""),
        (TO_MOM, [OpenApp(name="Chat")], "text mom good night", TEXT),
        (TO_MOM, [], "text mom: i'll be late", ""),
        (TO_MOM, [OpenApp(name="Chat"), TypeText(text="I'll be late")], "tell mom", ""),
    ],
)
def test_what_stood_there_before_the_turn_is_warned_of(
    deed: Deed, actions: list[Action], said: str, warning: str
) -> None:
    steps = [_step(at, action).model_copy(update={"package": "paybox"}) for at, action in enumerate(actions)]
    assert warn_of_leftovers(deed, steps, [said]).startswith(warning)
    assert bool(warn_of_leftovers(deed, steps, [said])) is bool(warning)


def turn_of(*steps: StoredStep, asked: StoredStep | None = None) -> Checkpoint:
    started = datetime(2026, 3, 9, 12, tzinfo=UTC)
    return Checkpoint(
        turn_id="t", user_id="me", started=started, said="x", instruction="x", steps=steps, asked=asked
    )


@each(
    ("deed", "told"),
    [
        (TO_CHEN, "The page in PayBox that would pay ¥50 was left open."),
        (
            TO_MOM.model_copy(update={"app": "Chat"}),
            "The page in Chat that would send “I'll be late” was left open.",
        ),
        (
            Deed(kind=ActionKind.DELETE, app="Notes", text="Delete"),
            "The page in Notes that you were asked about was left open.",
        ),
    ],
)
def test_a_page_that_is_left_open_after_a_no_or_under_the_question_is_told(deed: Deed, told: str) -> None:
    refused = _step(2, _tap("Do it"), deed, error="the user did not allow it")
    before = _step(1, _tap("Next"))
    assert tell_open_page(turn_of(before, refused)) == told
    assert tell_open_page(turn_of(before, asked=_step(2, _tap("Do it"), deed))) == told
    assert tell_open_page(turn_of(refused, _step(3, PressBack()))) == ""
    assert tell_open_page(turn_of(_step(1, _tap("Do it"), deed))) == ""
    maybe = deed.model_copy(update={"maybe": True})
    assert tell_open_page(turn_of(_step(1, _tap("Do it"), maybe, error="the phone is gone"))) == ""


def test_a_text_that_was_refused_in_another_conversation_is_told_until_it_is_sent_or_cleared() -> None:
    to_mom = TO_MOM.model_copy(update={"app": "Chat"})
    refused = _step(2, _tap("Send"), to_mom, error="the user did not allow it")
    gone_on = _step(3, _tap("Contacts"))
    told = "“I'll be late” may still stand unsent in Chat, for Mom."
    assert tell_unsent([refused, gone_on]) == told
    assert tell_unsent([refused]) == ""
    assert tell_unsent([refused, gone_on, _step(4, _tap("Send"), to_mom)]) == ""
    cleared = _step(4, ClearText()).model_copy(update={"package": "chat"})
    assert tell_unsent([refused, cleared]) == ""

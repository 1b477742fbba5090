"""What “undo” and “redo” take back and bring back."""

from __future__ import annotations

import pytest

from assistant.conversation.routing import route
from assistant.conversation.service import Conversation
from assistant.events import ActionKind, Deed
from assistant.memory import schema
from assistant.memory.store import Store
from assistant.records import Outcome

from .past import ask, ended_turn, record


@pytest.mark.parametrize(
    ("said", "undo", "redo", "content"),
    [
        ("remember that I am allergic to peanuts", "undo that", "redo", "allergic to: peanuts"),
        ("记住我对花生过敏", "撤销", "重做", "花生"),
    ],
)
def test_what_is_taken_back_is_named_and_comes_back(
    conversation: Conversation, said: str, undo: str, redo: str, content: str
) -> None:
    ask(conversation, said)
    question = "what am I allergic to?"
    undone = ask(conversation, undo).text
    assert content in undone
    assert redo in undone
    assert not ask(conversation, question).is_answered
    assert content in ask(conversation, redo).text
    assert ask(conversation, question).is_answered


def test_undo_again_takes_back_the_change_before(conversation: Conversation) -> None:
    ask(conversation, "remember that I am allergic to peanuts")
    ask(conversation, "remember that my boss is Wang Lei")
    assert "Wang Lei" in ask(conversation, "undo").text
    assert "peanuts" in ask(conversation, "undo").text
    assert not ask(conversation, "what am I allergic to?").is_answered
    assert "None of your changes" in ask(conversation, "undo").text


@pytest.mark.parametrize("undo", ["undo that", "撤销刚才的"])
def test_an_import_is_not_undone_by_a_word(conversation: Conversation, store: Store, undo: str) -> None:
    ask(conversation, "remember that I am allergic to peanuts")
    with store.change("Import records from three weeks", "asked by the user") as change:
        change.insert(schema.records, [record(40, 9, "Order tea").as_row()])
    assert "three weeks" in ask(conversation, undo).text
    assert store.records.get("r40-9") is not None
    # The second word goes on to what was offered, and the import stays.
    assert "peanuts" in ask(conversation, undo).text
    ask(conversation, undo)
    assert store.records.get("r40-9") is not None


@pytest.mark.parametrize(("undo", "paid"), [("undo that", "¥29 was paid to Old Street"), ("撤销", "¥29")])
def test_right_after_a_turn_undo_means_the_turn(
    conversation: Conversation, store: Store, undo: str, paid: str
) -> None:
    ask(conversation, "remember that I am allergic to peanuts")
    deed = Deed(kind=ActionKind.PAY, amount="¥29", recipient="Old Street")
    ended_turn(store, Outcome.SUCCESS, "", "Ordered.", deed=deed)
    told = ask(conversation, undo).text
    assert paid in told
    assert store.records.get("t1") is not None
    assert ask(conversation, "what am I allergic to?").is_answered
    ask(conversation, undo)
    assert store.records.get("t1") is None
    ask(conversation, "redo")
    assert store.records.get("t1") is not None


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.CANCELLED])
@pytest.mark.parametrize("undo", ["undo", "撤销"])
def test_after_a_turn_that_did_nothing_undo_goes_on_to_ones_own_change(
    conversation: Conversation, store: Store, outcome: Outcome, undo: str
) -> None:
    ask(conversation, "remember that I am allergic to peanuts")
    ended_turn(store, outcome, "Text Mom that I am late", "")
    told = ask(conversation, undo).text
    assert "order my usual lunch" in told
    assert "peanuts" in told
    assert "peanuts" in ask(conversation, undo).text
    assert not ask(conversation, "am I allergic to peanuts?").is_answered


@pytest.mark.parametrize("undo", ["undo", "撤销"])
def test_undo_says_that_what_goes_is_a_schedule(conversation: Conversation, undo: str) -> None:
    ask(conversation, "every weekday at 8 order my usual coffee")
    told = ask(conversation, undo).text
    assert "every weekday at 8: order my usual coffee" in told.replace("：", ": ")
    assert "schedule" in told or "定时任务" in told


def test_with_nothing_of_ones_own_nothing_is_undone(conversation: Conversation, store: Store) -> None:
    assert ask(conversation, "undo").text == "None of your changes can be undone."
    assert ask(conversation, "redo").text == "There is nothing to redo."
    assert store.records.get("r30-12") is not None


def test_all_suggestions_are_switched_by_a_line_and_back_by_undo(
    conversation: Conversation, switched: list[bool]
) -> None:
    said = conversation.reply(route("stop sending me suggestions")).text
    assert said == "Nothing is suggested any more. Kept in the file. “undo” takes it back."
    assert conversation.reply(route("undo")).text.startswith("Taken back, as before: Suggestions")
    conversation.reply(route("don't suggest anything anymore"))
    conversation.reply(route("别再给我建议了"))
    conversation.reply(route("turn suggestions back on"))
    assert switched == [False, True, False, False, True]


def test_undo_goes_to_what_was_changed_after_suggestions_were_switched_off(
    conversation: Conversation, switched: list[bool]
) -> None:
    conversation.reply(route("stop suggesting"))
    conversation.reply(route("remember that I am allergic to peanuts"))
    assert "peanuts" in conversation.reply(route("undo")).text
    assert switched == [False]

"""Answers to whether something was done and what it cost: yes or no first, the sum first, nothing else."""

from __future__ import annotations

from datetime import timedelta

import pytest

from assistant.conversation.answers import ask_last_price
from assistant.conversation.routing import route
from assistant.conversation.service import Conversation
from assistant.events import ActionKind, Deed
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint, StoredStep
from assistant.records import OpenApp, Outcome
from assistant.safety.amounts import sum_amounts
from tests.tables import each

from .past import NOW, ask


def pay(amount: str, payee: str) -> Deed:
    return Deed(kind=ActionKind.PAY, app="Eats", amount=amount, recipient=payee)


def past_turn(
    store: Store, number: int, said: str, outcome: Outcome, deed: Deed | None = None, instruction: str = ""
) -> None:
    """Store a turn of one step that ended some minutes ago."""
    step = StoredStep(number=1, action=OpenApp(name="x"), app="Eats", deed=deed)
    turn = Checkpoint(
        turn_id=f"p{number}",
        user_id="me",
        started=NOW - timedelta(minutes=50 - number),
        said=said,
        instruction=instruction or said,
        steps=(step,),
    )
    answer = "Done." if outcome is Outcome.SUCCESS else "Cancelled."
    store.turns.finish(turn.model_copy(update={"answer": answer}), outcome)


@pytest.fixture
def morning(store: Store) -> None:
    """A lunch and dumplings that were paid, and a taxi, a pizza and a message that were not done."""
    lunch = "Order beef noodles from Old Street Noodles on Eats"
    past_turn(
        store, 1, "get me the usual for lunch", Outcome.SUCCESS, pay("¥29", "Old Street Noodles"), lunch
    )
    past_turn(store, 2, "book me a taxi home", Outcome.CANCELLED)
    past_turn(store, 3, "order a pepperoni pizza", Outcome.SUCCESS)
    past_turn(store, 4, "order dumplings", Outcome.SUCCESS, pay("¥21.50", "Dumpling House"))
    past_turn(store, 5, "text alex i'll be 10 mins late", Outcome.CANCELLED)
    sent = Deed(kind=ActionKind.SEND, app="Chat", recipient="Lin Guodong", text="happy birthday")
    past_turn(store, 6, "call dad", Outcome.SUCCESS, sent)
    past_turn(store, 7, "turn the alarm up too", Outcome.SUCCESS)


@each(
    ("line", "opening", "absent"),
    [
        (
            "ugh this takes forever, did you actually order the lunch or not??",
            "Yes. Wed 11 Mar 08:11: ¥29",
            "taxi",
        ),
        ("did you book the taxi or not", "No. “book me a taxi home”: cancelled.", "¥"),
        ("did you order the pizza or not", "No, not as far as is known. “order a pepperoni", "¥"),
        ("so did you text alex?", "No. “text alex i'll be 10 mins late”: cancelled.", "memory"),
        ("did you order dumplings?", "Yes. ", "pizza"),
        ("did you order the burger or not", "No: nothing of that kind", "¥"),
    ],
)
@pytest.mark.usefixtures("morning")
def test_whether_something_was_done_is_told_by_yes_or_no_and_of_that_alone(
    conversation: Conversation, line: str, opening: str, absent: str
) -> None:
    text = ask(conversation, line).text

    assert text.startswith(opening)
    assert absent not in text


@pytest.mark.usefixtures("morning")
def test_what_was_spent_is_told_as_a_sum_without_what_failed(conversation: Conversation) -> None:
    lines = ask(conversation, "ok how much did i spend on food today").text.splitlines()

    assert lines[0] == "¥50.50 in all."
    assert len(lines) == 3
    assert "Memory has no amount" not in lines[-1]


@pytest.mark.usefixtures("morning")
def test_what_that_cost_is_told_first(conversation: Conversation) -> None:
    target = ask_last_price(route("and how much was that in the end?"))

    assert conversation.reply(target).text.startswith("¥21.50. Wed 11 Mar 08:14: order dumplings")


@pytest.mark.usefixtures("morning")
def test_an_hour_without_orders_tells_the_last_at_another_hour(conversation: Conversation) -> None:
    reply = ask(conversation, "whats the last thing i ordered for dinner?")

    assert reply.text.startswith("None in that part of the day. Last: Wed 11 Mar 08:14")
    assert reply.evidence == ("p4",)


@pytest.mark.usefixtures("morning")
def test_a_complaint_that_names_something_is_about_that_turn(conversation: Conversation) -> None:
    reply = ask(conversation, "thats wrong, you didnt call dad, you texted him")

    assert "The record of “call dad” has:" in reply.text
    assert "alarm" not in reply.text
    assert "To try it again" not in reply.text
    assert reply.evidence == ("p6",)


@pytest.mark.usefixtures("morning")
@each("line", ["太慢了吧你,咋这么磨叽", "that's not what i asked for"])
def test_a_complaint_offers_nothing_to_be_done_twice(conversation: Conversation, line: str) -> None:
    assert "turn the alarm up too" in (reply := ask(conversation, line)).text
    assert (reply.offer, "again" in reply.text) == ("", False)


@each(
    ("amounts", "sums"),
    [
        (["¥29", "¥21.50", ""], ["¥50.50"]),
        (["¥29", "$5", "¥1"], ["¥30", "$5"]),
        (["3万元", "2万元"], ["50000 元"]),
        ([], []),
    ],
)
def test_amounts_are_summed_by_currency(amounts: list[str], sums: list[str]) -> None:
    assert sum_amounts(amounts) == sums

from __future__ import annotations

from assistant.agent.checkpoint import format_refusal_words
from assistant.events import ActionKind, Deed
from assistant.memory.turns import StoredStep
from assistant.records import OpenApp
from assistant.safety.deeds import tell_cancelled


def test_a_cancelled_turn_says_what_it_had_done() -> None:
    paid = Deed(kind=ActionKind.PAY, amount="¥29", recipient="Old Street Noodles")
    maybe = Deed(kind=ActionKind.SEND, recipient="Mom", maybe=True)
    assert tell_cancelled(()) == "Cancelled."
    assert "¥29 was paid to Old Street Noodles." in tell_cancelled((paid,))
    assert "may have been done" in tell_cancelled((maybe,))


def test_what_is_said_at_an_approval_is_told_to_the_model_as_no_text_to_enter() -> None:
    note = format_refusal_words(StoredStep(number=1, action=OpenApp(name="Eats")), "no the other")
    assert note.endswith("The user says: no the other")
    assert "do not type" in note

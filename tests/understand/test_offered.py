"""What is offered for a command that leaves open what is wanted: only what fits its verb, thing and day."""

from __future__ import annotations

import pytest

from assistant.embedding.heads import Tagging
from assistant.records import State
from assistant.understand.service import UnderstandingService
from tests.understand.memories import NOW, PlainProfile, memory, preference

RUN = preference("Play Hill Song for my run", "Music", 0.5, (2, 4, 6))
RIDE = preference("Navigate to the lake", "Maps", 0.5, (2, 9))
MOM = preference("Call Ann Lee", "Phone", 0.4, (3, 10, 17))
SOUP = preference("Order lentil soup from Bowl", "Eats", 0.4, (3, 5, 9))
TEA = preference("Order a green tea from Leaf", "Eats", 0.3, (1, 5))
CHAIR = preference("Buy a chair on Market", "Market", 0.3, (8,))
ALL = (RUN, RIDE, MOM, SOUP, TEA, CHAIR)


def offered(said: str) -> list[str]:
    sources = memory(PlainProfile(), *ALL)
    service = UnderstandingService(
        lambda: sources, lambda: State(time=NOW), tagger=lambda command: Tagging(0.0, 0.4, ())
    )
    return [candidate.value for meaning in service.resolve(said).missing for candidate in meaning.candidates]


@pytest.mark.parametrize("said", ["get me the usual", "bring us the usual", "老样子来两份", "老样子来一杯"])
def test_who_asks_to_get_the_usual_is_offered_what_one_gets_and_had_more_than_once(said: str) -> None:
    assert sorted(offered(said)) == sorted(each.prototype.instruction for each in (SOUP, TEA))


def test_same_as_yesterday_is_what_was_done_yesterday() -> None:
    assert offered("same as yesterday") == ["Order a green tea from Leaf"]
    assert offered("same as yesterday but for two") == ["Order a green tea from Leaf"]


def test_a_named_thing_leaves_out_the_others() -> None:
    assert offered("the same soup as yesterday") == ["Order lentil soup from Bowl"]

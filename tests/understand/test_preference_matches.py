"""Which preference is of the thing that a wish names."""

from __future__ import annotations

import pytest

from assistant.understand.perceive import perceive, remove_redundant
from assistant.understand.slots import find_thing


@pytest.mark.parametrize(
    ("said", "thing"),
    [
        ("get my usual coffee", "coffee"),
        ("book the same hotel as last time", "hotel"),
        ("order the usual", ""),
        ("lunch, same as always", "lunch"),
        ("老样子，来份饭", "饭"),
        ("take me to the usual place", ""),
    ],
)
def test_a_wish_names_a_thing_or_nothing(said: str, thing: str) -> None:
    element = perceive(said).elements[0]
    assert find_thing(element, said) == thing


@pytest.mark.parametrize("said", ["order the usual", "去老地方", "order lunch to the office as usual"])
def test_as_ever_alone_stays(said: str) -> None:
    perceived = perceive(said)
    assert remove_redundant(perceived).elements == perceived.elements

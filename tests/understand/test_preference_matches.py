"""Which preference is of the thing that a wish names."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest

from assistant.embedding.embedder import Embedder
from assistant.memory.prototypes.model import Preference
from assistant.records import State
from assistant.understand.memory_sources import NoEmbedder, make_similarity
from assistant.understand.perceive import perceive, remove_redundant
from assistant.understand.service import UnderstandingService
from assistant.understand.slots import find_single_match, find_thing, match_preferences
from assistant.understand.types import Sources
from tests.understand.memories import NOW, PlainPreferences, PlainProfile, preference

_AMERICANO = preference("Order an iced americano at the corner for pickup", "Cafe Run", 0.1)
_TABLE = preference("Book a table for four at a hotpot place", "", 0.8)
_RUN = preference("Log my run in the fitness tracker", "FitLog", 0.7)


def _resolved(said: str, embedder: Embedder, *preferences: Preference) -> str:
    sources = Sources("me", PlainProfile(), PlainPreferences(preferences), make_similarity(embedder))
    return UnderstandingService(lambda: sources, lambda: State(time=NOW)).resolve(said).instruction


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


def test_an_americano_is_a_coffee_and_a_table_no_hotel(embedder: Embedder) -> None:
    preferences = [_AMERICANO, _TABLE]
    alike = make_similarity(embedder)
    matches = match_preferences("coffee", preferences, alike)
    assert matches is not None
    only = find_single_match(matches)
    assert only is not None
    assert only.preference is _AMERICANO
    hotels = match_preferences("hotel", preferences, alike)
    assert hotels is not None
    assert find_single_match(hotels) is None


def test_nothing_is_judged_where_likeness_cannot_be_told() -> None:
    assert match_preferences("hotel", [_TABLE], None) is None
    assert match_preferences("hotel", [_TABLE], make_similarity(NoEmbedder())) is None


def test_a_table_is_not_booked_for_a_hotel(embedder: Embedder) -> None:
    assert "table" not in _resolved("book the same hotel as last time", embedder, _TABLE)
    assert "table" in _resolved("book the same table as last time", embedder, _TABLE)


def test_a_named_thing_is_asked_about_at_its_own_hour(embedder: Embedder) -> None:
    early = NOW.replace(hour=8, minute=40)
    sources = Sources("me", PlainProfile(), _Hourly((_AMERICANO,)), make_similarity(embedder))
    resolution = UnderstandingService(lambda: sources, lambda: State(time=early)).resolve(
        "get my usual coffee"
    )
    assert "iced americano" in resolution.instruction


class _Hourly(PlainPreferences):
    """Sure of its answer about noon only, as its records lie there."""

    def preferences(
        self, command: str, user_id: str, now: datetime, scenario: str = "unknown", top: int = 3
    ) -> Sequence[Preference]:
        confidence = 0.9 if abs(now - NOW) < timedelta(hours=1) else 0.1
        return [
            preference(candidate.prototype.instruction, candidate.prototype.app, confidence)
            for candidate in self.answer
        ]


def test_as_ever_beside_what_is_meant_adds_nothing(embedder: Embedder) -> None:
    said = "log my workout like always"
    assert [element.text for element in remove_redundant(perceive(said)).elements] == ["my workout"]
    assert _resolved(said, embedder, _RUN).count("my run") == 1


@pytest.mark.parametrize("said", ["order the usual", "去老地方", "order lunch to the office as usual"])
def test_as_ever_alone_stays(said: str) -> None:
    perceived = perceive(said)
    assert remove_redundant(perceived).elements == perceived.elements

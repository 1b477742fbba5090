from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.bench.hashing import HashingEmbedder
from assistant.embedding.embedder import Embedder, EmbeddingError, Vectors
from assistant.memory.profile.graph import Evidence, Strength
from assistant.memory.profile.service import Profile
from assistant.memory.store import Store
from assistant.records import Outcome, Record, State
from assistant.understand.memory_sources import NoEmbedder, evidence_time, open_memory, store_lessons
from assistant.understand.resolution import LearnedAnswer
from assistant.understand.service import UnderstandingService
from assistant.understand.types import MeaningOrigin, Sources
from tests.tables import each

NOW = datetime(2026, 3, 9, 12, 5, tzinfo=UTC)


class Broken:
    """An embedder that cannot be loaded."""

    @property
    def model_id(self) -> str:
        raise EmbeddingError("The model is damaged.")

    @property
    def dimensions(self) -> int:
        raise EmbeddingError("The model is damaged.")

    def embed(self, texts: object) -> Vectors:
        raise EmbeddingError("The model is damaged.")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A memory with a profile and three weeks of lunches, the last a year ago."""
    memory = Store(tmp_path)
    Profile(memory, HashingEmbedder(), "me").remember(
        "mom", "Susan", Evidence("r7", NOW, Strength.USER), "name"
    )
    memory.records.add(
        Record(
            id=f"r{day}",
            user_id="me",
            time=NOW - timedelta(days=365 + day),
            instruction="Order beef noodles without coriander on Eats",
            app="Eats",
        )
        for day in range(0, 21, 3)
    )
    yield memory
    memory.close()


def resolved(store: Store, said: str, embeds: Embedder, warnings: list[str]) -> str:
    sources: list[Sources] = []

    def opened() -> Sources:
        sources[:] = sources or [open_memory(store, embeds, "me", warnings.append)]
        return sources[0]

    return UnderstandingService(opened, lambda: State(time=NOW)).resolve(said).instruction


def test_profile_and_preferences_fill_a_command(store: Store) -> None:
    warnings: list[str] = []
    assert resolved(store, "call my mom", HashingEmbedder(), warnings) == "call Susan"
    instruction = resolved(store, "order my usual beef noodles", HashingEmbedder(), warnings)
    assert instruction == "Order beef noodles without coriander on Eats"
    assert warnings == []


@pytest.mark.parametrize("outcome", [Outcome.CANCELLED, Outcome.FAILED, Outcome.SUCCESS])
def test_what_was_said_again_and_again_does_not_hide_what_it_means(store: Store, outcome: Outcome) -> None:
    said = "order my usual beef noodles"
    for turn in range(4):
        instruction = resolved(store, said, HashingEmbedder(), [])
        assert instruction == "Order beef noodles without coriander on Eats"
        a_year_before = NOW - timedelta(days=365) + timedelta(minutes=turn)
        store.records.add(
            [Record(id=f"t{turn}", user_id="me", time=a_year_before, instruction=said, outcome=outcome)]
        )


def test_what_was_done_in_an_app_tells_its_kind(store: Store) -> None:
    store.records.add(
        Record(id=f"f{day}", user_id="me", time=NOW, instruction="Play a song", app="Hum", outcome=outcome)
        for day, outcome in enumerate((Outcome.FAILED, Outcome.CANCELLED))
    )
    memory = open_memory(store, HashingEmbedder(), "me", print)
    assert memory.app_kinds is not None
    assert memory.preferences is not None
    memory.preferences.habits("order noodles", State(time=NOW), 0.0)
    assert memory.app_kinds(["Eats", "Hum", "Xq"]) == {"Eats": {"food": 7 / 8, "shop": 7 / 8}}
    others = open_memory(store, HashingEmbedder(), "you", print).app_kinds
    assert others is not None
    assert others(["Eats"]) == {}


def test_without_an_embedder_names_are_still_known(store: Store) -> None:
    warnings: list[str] = []
    said = "call my mom and order my usual noodles"
    assert resolved(store, said, Broken(), warnings) == "call Susan and order my usual noodles"
    assert warnings == ["The model is damaged."]
    with pytest.raises(EmbeddingError):
        NoEmbedder().embed(["a"])


def test_a_lesson_answers_the_next_time(store: Store) -> None:
    profile = Profile(store, HashingEmbedder(), "me")
    said = LearnedAnswer("my boss", "Ms. Lee", MeaningOrigin.USER, "you said so", confirmed=True)
    read = LearnedAnswer(
        "my dormitory", "Building 7", MeaningOrigin.EXPLORATION, "read in Maps", confirmed=False
    )
    store_lessons(profile, [said, read], "r99", NOW)
    warnings: list[str] = []
    command = "ask the boss for a ride to my dormitory"
    assert resolved(store, command, HashingEmbedder(), warnings) == "ask Ms. Lee for a ride to Building 7"


@each("days", [0, 1, 7, 8, 14, 15, 400])
def test_a_pause_fades_nothing(days: int) -> None:
    newest = NOW - timedelta(days=days, hours=1)
    awake = evidence_time(NOW, newest)
    assert newest <= awake <= NOW
    assert awake - newest <= timedelta(days=7)
    assert (awake.weekday(), awake.time()) == (NOW.weekday(), NOW.time())
    assert evidence_time(NOW, None) == NOW


@pytest.mark.parametrize(
    ("told", "said", "instruction"),
    [
        (["tell my sister Ana hello", "call my sister Eva"], "call my sister", "call my sister"),
        (["tell my sister Ana hello", "call my sister Ana Holm"], "call my sister", "call Ana Holm"),
        (["order a taxi for Ms Dahl, our neighbour"], "call my neighbour", "call my neighbour"),
        (["tell my husband I'll be home by five"], "call my husband", "call my husband"),
        (["tell my boss Mr Tunde Fasasi that I am ill"], "call my boss", "call Mr Tunde Fasasi"),
        (["text Harald, my boss, that I am ill"], "call my boss", "call Harald"),
        (["tell my boss Mr Tunde Fasasi that I am ill"], "call my landlord", "call my landlord"),
    ],
)
def test_a_role_is_filled_only_by_the_one_person_who_was_named_in_it(
    tmp_path: Path, told: list[str], said: str, instruction: str
) -> None:
    memory = Store(tmp_path / "roles")
    profile = Profile(memory, HashingEmbedder(), "me")
    profile.learn_all(
        Record(id=f"p{day}", user_id="me", time=NOW - timedelta(days=9 - day), instruction=text)
        for day, text in enumerate(told)
    )
    assert resolved(memory, said, HashingEmbedder(), []) == instruction
    memory.close()


@pytest.mark.parametrize(
    ("drinks", "is_dropped"),
    [
        ((True, True, True, True, True, False, False), True),
        ((True, False, True, True, False, True, False), False),
        ((True, True, True, True, True, True, False), False),
    ],
)
def test_a_part_of_a_habit_that_was_dropped_is_not_done(
    tmp_path: Path, drinks: tuple[bool, ...], is_dropped: bool
) -> None:
    memory = Store(tmp_path)
    memory.records.add(
        Record(
            id=f"r{number}",
            user_id="me",
            time=NOW - timedelta(days=3 * (len(drinks) - number)),
            instruction="Order rice, beans, eggs, gravy and plantain" + (" with cola" if drink else ""),
            app="Eats",
        )
        for number, drink in enumerate(drinks)
    )
    sources = open_memory(memory, HashingEmbedder(), "me", lambda sentence: None)
    assert sources.preferences is not None
    ways = sources.preferences.past_ways("order my rice", State(time=NOW), 20)
    assert any("cola" in way.prototype.instruction for way in ways) is not is_dropped
    memory.close()


@pytest.mark.parametrize(
    "said", ["the same lunch as on Feb 24", "that lunch of Feb 24, I will not sleep or play anything"]
)
def test_what_was_done_on_a_day_that_is_named_comes_first(tmp_path: Path, said: str) -> None:
    memory = Store(tmp_path)
    meant, at = "Order ogbono soup from Basira on Chow", NOW - timedelta(days=13)
    memory.records.add(
        Record(id=f"s{day}", user_id="me", time=NOW - timedelta(days=day), instruction=instruction)
        for day in range(1, 20)
        for instruction in [f"Play the song number {day} by Band {day} on Tunes"]
    )
    memory.records.add([Record(id="l", user_id="me", time=at, instruction=meant)])
    sources = open_memory(memory, HashingEmbedder(), "me", print)
    assert sources.preferences is not None
    ways = sources.preferences.past_ways(said, State(time=NOW), 10)
    assert len(ways) <= 10
    assert meant in [way.prototype.instruction for way in ways[:3]]
    memory.close()


def test_wishes_of_single_requests_are_told_as_such(tmp_path: Path) -> None:
    memory = Store(tmp_path)
    profile = Profile(memory, HashingEmbedder(), "me")
    record = Record(id="r", user_id="me", time=NOW, instruction="Order noodles without coriander on Eats")
    memory.records.add([record])
    profile.learn_all([record])
    profile.remember("my dentist", "Dr. Gao", Evidence("r", NOW, Strength.USER))
    sources = open_memory(memory, HashingEmbedder(), "me", print)
    assert sources.profile is not None
    facts = {fact.value: fact.is_implied for fact in sources.profile.facts_for("order noodles", 600)}
    assert facts["Dr. Gao"] is False
    assert any(is_implied for value, is_implied in facts.items() if "coriander" in value)
    memory.close()


def test_a_pause_of_months_hides_nothing_from_a_model(tmp_path: Path) -> None:
    memory = Store(tmp_path, now=lambda: NOW + timedelta(days=400))
    words = [f"{first}{second}" * 3 for first in "bdfgklmnprstvw" for second in "aeiou"]
    memory.records.add(
        Record(
            id=f"w{day}", user_id="me", time=NOW - timedelta(days=day), instruction=f"Show {word}", app=word
        )
        for day, word in enumerate(words, 1)
    )
    alarm = "Set an alarm for 6:50 in Clock"
    memory.records.add(
        Record(id=f"c{day}", user_id="me", time=NOW - timedelta(days=day), instruction=alarm, app="Clock")
        for day in (2, 4, 6)
    )
    sources = open_memory(memory, HashingEmbedder(), "me", print)
    assert sources.preferences is not None
    ways = sources.preferences.past_ways("show that thing", State(time=NOW), 90)
    assert alarm in [way.prototype.instruction for way in ways]
    memory.close()

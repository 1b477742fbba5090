from __future__ import annotations

from pathlib import Path

import pytest

from assistant.memory.profile.service import Profile
from assistant.memory.prototypes.service import HierarchicalMemory, learn_from_records
from assistant.memory.store import INCOGNITO, LearningSwitches, Store
from assistant.records import Outcome
from assistant.settings.schema import Settings
from tests.memory.prototypes.lived import MONDAY, Hashing, record


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path, now=lambda: MONDAY)
    store.records.add(record(f"n{day}", day=day) for day in range(4))
    return store


def test_a_pause_holds_for_every_program_and_can_be_undone(store: Store, tmp_path: Path) -> None:
    learning, elsewhere = LearningSwitches(store, "1"), LearningSwitches(Store(tmp_path), "1")
    assert not elsewhere.paused
    assert learning.pause() is not None
    assert elsewhere.paused
    assert learning.pause() is None
    assert not LearningSwitches(store, "2").paused
    store.undo()
    assert not elsewhere.paused


def test_prototypes_lose_and_regain_the_records_of_a_source(store: Store) -> None:
    store.records.add(
        own_record.model_copy(update={"source": "simulated"})
        for own_record in (record("s1", day=4), record("s2", day=5))
    )
    memory, learning = HierarchicalMemory(store, Hashing()), LearningSwitches(store, "1")

    def counted() -> int:
        return sum(len(prototype.members) for prototype in memory.prototypes("1"))

    assert counted() == 6
    learning.switch("simulated", False)
    assert counted() == 4
    assert [(source.name, source.records, source.on) for source in learning.sources()] == [
        ("", 4, True),
        (INCOGNITO, 0, False),
        ("simulated", 2, False),
    ]
    learning.switch("simulated", True)
    assert counted() == 6


def test_nothing_is_learnt_from_a_turn_without_learning(store: Store) -> None:
    record_of_call = record("i1", "Call my wife Anna, I always call her on WhatsApp", day=6)
    store.records.add([record_of_call.model_copy(update={"source": INCOGNITO})])
    learn_from_records(store, Hashing(), Settings(user_id="1"), ["1"])
    facts = [fact for fact in Profile(store, Hashing(), "1").facts() if "i1" in fact.record_ids]
    assert facts == []
    members = [
        member.record_id
        for prototype in HierarchicalMemory(store, Hashing()).prototypes("1")
        for member in prototype.members
    ]
    assert "i1" not in members
    with pytest.raises(ValueError, match="stay out"):
        LearningSwitches(store, "1").switch(INCOGNITO, True)


def test_what_came_to_no_end_is_no_evidence_until_it_does(store: Store) -> None:
    outcomes = (Outcome.FAILED, Outcome.CANCELLED)
    store.records.add(
        record(f"x{day}", "Call my wife Anna, I always call her on WhatsApp", day=day, outcome=outcome)
        for day, outcome in enumerate(outcomes, start=6)
    )
    learn_from_records(store, Hashing(), Settings(user_id="1"), ["1"])
    profile, memory = Profile(store, Hashing(), "1"), HierarchicalMemory(store, Hashing())

    def evidence() -> set[str]:
        return {member.record_id for prototype in memory.prototypes("1") for member in prototype.members}

    def told() -> set[str]:
        return {name for fact in profile.facts() for name in fact.record_ids}

    assert evidence() == {f"n{day}" for day in range(4)}
    assert not {"x6", "x7"} & told()
    store.records.edit("x6", {"outcome": Outcome.SUCCESS.value}, "it was done after all")
    learn_from_records(store, Hashing(), Settings(user_id="1"), ["1"])
    assert evidence() == {"x6", *(f"n{day}" for day in range(4))}
    assert "x6" in told()

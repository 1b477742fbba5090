"""Whether recorded steps are repeated in an app depends on how repeated steps went there lately."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import insert

from assistant.memory import schema
from assistant.memory.forgetting import forget
from assistant.memory.store import Store
from assistant.memory_view.items import Section
from assistant.memory_view.service import MemoryView
from assistant.settings.schema import Settings
from assistant.skills.service import SkillMemory
from assistant.skills.storage import ReplayCounts, describe_outcomes, wilson_lower_bound
from tests.memory.prototypes.lived import Hashing
from tests.skills.mini_app import MiniPhone, MiniTurn, orders

COUNTS = st.integers(0, 400)
TURNS = st.integers(3, 20)
PACKAGE = "com.feast"


@given(COUNTS, COUNTS, TURNS)
def test_more_steps_that_led_elsewhere_never_ask_for_less_evidence(
    matched: int, differed: int, turns: int
) -> None:
    needed = ReplayCounts(matched, differed, turns).runs_needed
    assert ReplayCounts(matched, differed + 1, turns).runs_needed >= needed
    assert ReplayCounts(matched + 1, differed, turns).runs_needed <= needed


@given(COUNTS, COUNTS, TURNS)
def test_what_is_asked_for_is_bounded_and_nothing_where_at_most_a_fifth_led_elsewhere(
    matched: int, differed: int, turns: int
) -> None:
    needed = ReplayCounts(matched, differed, turns).runs_needed
    assert 0 <= needed <= 8
    if 4 * differed <= matched:
        assert needed == 0


@given(COUNTS, st.integers(1, 400), TURNS)
def test_any_bad_app_recovers_by_good_outcomes(matched: int, differed: int, turns: int) -> None:
    assert ReplayCounts(matched + 4 * differed, differed, turns).runs_needed == 0


@given(COUNTS, COUNTS)
def test_the_bound_lies_below_the_share(count: int, others: int) -> None:
    total = count + others
    assert 0 <= wilson_lower_bound(count, total) <= (count / total if total else 0) + 1e-12


def test_the_bound_is_wilsons() -> None:
    """Wilson 1927; 10 of 20: .299, 8 of 40: .105, as R's binom.confint gives."""
    assert wilson_lower_bound(10, 20) == pytest.approx(0.2993, abs=1e-4)
    assert wilson_lower_bound(8, 40) == pytest.approx(0.1050, abs=1e-4)


def test_few_turns_ask_for_nothing() -> None:
    assert ReplayCounts(0, 6, 2).runs_needed == 0
    assert ReplayCounts(0, 6, 3).runs_needed > 0


def past(store: Store, turns: int, matched: int, differed: int, first: int = 0) -> None:
    """Turns that repeated steps in the app, as many as given, with these outcomes each."""
    rows = [
        {
            "turn_id": f"past-{number:03}",
            "user_id": "me",
            "package": PACKAGE,
            "matched": matched,
            "differed": differed,
        }
        for number in range(first, first + turns)
    ]
    with store.database.write() as connection:
        connection.execute(insert(schema.replay_outcomes), rows)


def order(store: Store, skills: SkillMemory, number: int, dish: str) -> MiniTurn:
    turn = MiniTurn(
        store, skills, number, f"get me {dish} on Feast", MiniPhone(), orders("Feast", dish), user="me"
    )
    turn.run()
    assert turn.phone.ordered == ("Feast", dish, "S")
    return turn


def test_an_app_whose_steps_often_lead_elsewhere_is_left_to_the_model_until_runs_confirm_them(
    store: Store,
) -> None:
    skills = SkillMemory(store, "me")
    order(store, skills, 1, "Rice")
    past(store, 6, 1, 3)
    needed, by_memory = [], []
    for number in range(2, 7):
        needed.append(skills.repository.outcomes(PACKAGE).runs_needed)
        by_memory.append(len(order(store, skills, number, "Soup").proposed))
    assert needed == [4, 3, 3, 2, 2], "what the model confirms are good outcomes, too"
    assert by_memory == [0, 0, 0, 3, 3], "repeated again once each step is confirmed often enough"


def test_the_turns_in_which_the_model_takes_the_steps_count_as_good_outcomes(store: Store) -> None:
    skills = SkillMemory(store, "me")
    order(store, skills, 1, "Rice")
    past(store, 6, 1, 3)
    before = skills.repository.outcomes(PACKAGE)
    order(store, skills, 2, "Soup")
    after = skills.repository.outcomes(PACKAGE)
    assert (after.matched - before.matched, after.differed - before.differed) == (3, 0)


def test_only_the_newest_turns_count(store: Store) -> None:
    past(store, 20, 0, 5)
    past(store, 20, 5, 0, first=20)
    assert SkillMemory(store, "me").repository.outcomes(PACKAGE) == ReplayCounts(100, 0, 20)
    assert SkillMemory(store, "another").repository.outcomes(PACKAGE) == ReplayCounts()
    assert SkillMemory(store, "me").repository.outcomes("com.shop") == ReplayCounts()


def test_a_turn_that_ended_badly_speaks_for_no_step(store: Store) -> None:
    skills = SkillMemory(store, "me")
    order(store, skills, 1, "Rice")
    turn = MiniTurn(store, skills, 2, "get me Soup on Feast", MiniPhone(), orders("Feast", "Soup"))
    turn.is_right = lambda phone: False
    turn.run()
    assert turn.proposed
    assert skills.repository.outcomes(PACKAGE) == ReplayCounts()


def test_a_forgotten_turn_leaves_no_outcome(store: Store) -> None:
    skills = SkillMemory(store, "me")
    for number, dish in enumerate(("Rice", "Soup"), 1):
        order(store, skills, number, dish)
    assert skills.repository.outcomes(PACKAGE).turns == 1
    forget(store, ["turn-me-2"])
    assert skills.repository.outcomes(PACKAGE) == ReplayCounts()


def test_it_is_told_in_words_and_counts(store: Store, tmp_path: Path) -> None:
    skills = SkillMemory(store, "me")
    order(store, skills, 1, "Rice")
    (template,) = skills.repository.all()
    assert describe_outcomes(ReplayCounts(), template) == ""
    assert describe_outcomes(ReplayCounts(9, 1, 3), template) == (
        "in 3 turns 9 steps led where expected, 1 did not"
    )
    past(store, 6, 1, 3)
    view = MemoryView(store, Hashing(), Settings(user_id="me"))
    (item,) = view.items(Section.SKILLS).items
    assert dict(view.details(Section.SKILLS, item).facts)["in this app"] == (
        "in 6 turns 6 steps led where expected, 18 did not; so a step is repeated after 4 turns that confirm "
        "it: 0 of 3"
    )

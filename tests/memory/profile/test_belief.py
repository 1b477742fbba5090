from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from assistant.memory.profile.graph import (
    ALLERGY,
    WISH,
    Belief,
    Beliefs,
    Evidence,
    Strength,
    Value,
    assess_beliefs,
    confidence,
)
from tests.memory.profile.conftest import STARTED

Reason = tuple[float, Strength]


def value(text: str, *reasons: Reason, single: bool = True, hidden: bool = False, key: str = "seat") -> Value:
    evidence = tuple(Evidence(f"{text}{day}", STARTED + timedelta(days=day), how) for day, how in reasons)
    return Value(text, "e", key, text, text, single, hidden, evidence)


def often(*days: float) -> list[Reason]:
    return [(day, Strength.IMPLIED) for day in days]


def holding(standings: Beliefs) -> list[str]:
    return [belief_value.text for belief_value, _ in standings.holding]


def test_what_is_asked_for_more_often_and_lately_holds() -> None:
    beliefs = assess_beliefs([value("aisle", *often(0, 1, 2)), value("window", *often(40, 45, 50, 55))])
    assert holding(beliefs) == ["window"]
    assert [standing for *_, standing in beliefs.values] == [Belief.HOLDS, Belief.HELD]
    assert not beliefs.disputed


def test_one_exception_does_not_supersede_a_habit() -> None:
    beliefs = assess_beliefs([value("window", *often(*range(10))), value("aisle", *often(11))])
    assert holding(beliefs) == ["window"]
    assert beliefs.values[1][2] is Belief.RARE


def test_what_holds_from_now_on_ends_what_held() -> None:
    beliefs = assess_beliefs([value("window", *often(*range(20))), value("aisle", (21, Strength.SWITCHED))])
    assert holding(beliefs) == ["aisle"]


def test_what_the_user_wrote_outweighs_any_number_of_requests_before() -> None:
    beliefs = assess_beliefs([value("window", *often(*range(50))), value("aisle", (51, Strength.USER))])
    assert holding(beliefs) == ["aisle"]


def test_two_recent_values_of_like_weight_are_a_conflict() -> None:
    beliefs = assess_beliefs([value("window", *often(1, 5, 9)), value("aisle", *often(2, 6, 10))])
    assert {candidate.text for candidate in beliefs.disputed} == {"window", "aisle"}
    assert len(beliefs.holding) == 1


def test_hidden_values_do_not_count() -> None:
    beliefs = assess_beliefs([value("window", *often(1, 2, 3), hidden=True), value("aisle", *often(4))])
    assert holding(beliefs) == ["aisle"]


def test_a_list_keeps_all_its_values() -> None:
    beliefs = assess_beliefs(
        [value("nuts", *often(1), single=False), value("milk", *often(2, 3), single=False)]
    )
    assert holding(beliefs) == ["milk", "nuts"]


def test_what_a_list_has_not_told_for_long_held_before() -> None:
    milk = [value("milk", *often(*range(10, 20)), single=False)]
    beliefs = assess_beliefs([value("nuts", *often(*range(8)), single=False), *milk])
    assert holding(beliefs) == ["milk"]
    assert beliefs.values[1][2] is Belief.HELD
    assert holding(assess_beliefs([value("nuts", *often(1, 15), single=False), *milk])) == ["milk", "nuts"]


def test_what_was_said_to_be_so_stands_longer_and_an_allergy_for_good() -> None:
    firmly = [(day, Strength.STATED) for day in range(8)]
    others = [value("milk", *often(*range(10, 20)), single=False)]
    assert holding(assess_beliefs([value("nuts", *firmly, single=False), *others])) == ["nuts", "milk"]
    many = often(*range(10, 60))
    assert holding(
        assess_beliefs([value("nuts", *firmly, single=False), value("milk", *many, single=False)])
    ) == ["milk"]
    allergic = [
        value(text, *why, single=False, key=ALLERGY) for text, why in (("nuts", firmly), ("milk", many))
    ]
    assert holding(assess_beliefs(allergic)) == ["milk", "nuts"]


def test_a_wish_of_one_request_is_no_preference() -> None:
    once = value("cut in squares", (1, Strength.IMPLIED), single=False, key=WISH)
    firmly = value("well done", (1, Strength.STATED), single=False, key=WISH)
    repeated_wish = value("extra napkins", *often(1, 2), single=False, key=WISH)
    assert holding(assess_beliefs([once, firmly, repeated_wish])) == ["well done", "extra napkins"]


reasons = st.lists(st.tuples(st.floats(0, 300), st.sampled_from(list(Strength))), min_size=1, max_size=5)


@given(st.lists(reasons, min_size=1, max_size=4))
def test_exactly_one_value_of_a_single_key_holds(given_reasons: Sequence[Sequence[Reason]]) -> None:
    values = [value(str(number), *reasons) for number, reasons in enumerate(given_reasons)]
    assert len(assess_beliefs(values).holding) == 1
    assert 0 <= confidence(assess_beliefs(values).holding[0][1]) < 1

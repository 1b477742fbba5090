from __future__ import annotations

from datetime import timedelta

import pytest

from assistant.memory.prototypes.model import (
    Member,
    Prototype,
    RecordKind,
    confidence,
    entropy,
    hour_density,
    kind_of_prototype,
    kind_of_record,
    most_frequent_state,
    share,
    usual_slots,
)
from assistant.records import Outcome

from .lived import MONDAY, readings, record


def member(name: str, hours: int = 0, scenario: str = "office", fit: float = 1.0) -> Member:
    return Member(name, MONDAY + timedelta(hours=hours), scenario, fit)


def prototype(*members: Member, hidden: bool = False) -> Prototype:
    return Prototype(
        "p", "1", "a", "Order noodles", (), "Eats", "", members, float(len(members)), hidden=hidden
    )


def test_entropy_is_normalised() -> None:
    assert entropy("aaaa", 24) == 0.0
    assert entropy(range(24), 24) == pytest.approx(1.0)
    assert entropy("ab", 4) == pytest.approx(0.5)
    assert entropy((), 24) == 0.0


def test_hours_are_on_a_circle() -> None:
    late = [23.5, 23.8, 0.1, 0.3]
    assert hour_density(late, 0.0) > hour_density(late, 2.0) > hour_density(late, 12.0)
    assert hour_density(late, 12.0) < 1.0 < hour_density(late, 0.0)


def test_an_unknown_scenario_speaks_for_nothing() -> None:
    assert share(["office", "unknown"], "unknown") == share([], "office")
    assert share(["office"] * 3, "office") > share(["office"] * 3, "residence")


def test_phi_of_a_regular_prototype() -> None:
    sure = confidence([member(str(day), 24 * day) for day in range(20)])
    assert (sure.state, sure.records, sure.consistency, sure.phi) == (1.0, 1.0, 1.0, 1.0)


def test_phi_falls_with_spread_scarcity_and_inconsistency() -> None:
    regular = [member(str(day), 24 * day) for day in range(10)]
    phi = confidence(regular).phi
    scattered = [member(str(day), 29 * day, f"place {day}") for day in range(10)]
    assert confidence(scattered).phi < phi
    assert confidence(regular[:4]).phi < phi
    assert confidence([member(str(day), 24 * day, fit=0.7) for day in range(10)]).phi < phi
    assert confidence([]).phi == 0.0
    assert (
        confidence(scattered, time=False).state < confidence(scattered, scenario=False, time=False).state + 1
    )
    assert confidence(scattered, scenario=False).state != confidence(scattered, time=False).state


def test_the_most_frequent_state_is_a_pair() -> None:
    members = [member("a"), member("b", 1), member("c", 24), member("d", 25, "residence")]
    assert most_frequent_state(members) == (12, "office")
    with pytest.raises(ValueError, match="without records"):
        most_frequent_state([])


def test_kinds_follow_days_and_hours() -> None:
    regular = [member(str(day), 24 * day) for day in range(20)]
    scattered = [member(str(day), 29 * day, f"place {day % 5}", 0.7) for day in range(6)]
    burst = [member(str(step)) for step in range(9)]
    assert kind_of_prototype(prototype(*regular[:2])) is RecordKind.MOMENT
    assert kind_of_prototype(prototype(*burst)) is RecordKind.MOMENT
    assert kind_of_prototype(prototype(*scattered)) is RecordKind.PREFERENCE
    assert kind_of_prototype(prototype(*regular)) is RecordKind.ROUTINE
    assert kind_of_prototype(prototype(*regular[:14], *scattered)) is RecordKind.ROUTINE
    assert kind_of_prototype(prototype(*regular[:5], *scattered)) is RecordKind.PREFERENCE


def test_reasons_name_records_days_and_hours() -> None:
    classification = kind_of_record("1", prototype(*(member(str(day), 24 * day) for day in range(5))))
    assert classification.evidence == ("4", "3", "2", "0")
    sentences = " ".join(classification.why)
    assert "5 records of 5 days" in sentences
    assert "this one and 4 more" in sentences
    assert "4 of 5 are between 12:05 and 12:05: so it is a routine." in sentences
    assert "5 of 5 are in this scenario: office." in sentences
    assert kind_of_record("1", prototype(member("1"))).why[0] == "No other record is like it."
    # Nobody left out what was cancelled; it is no habit because it did not succeed.
    assert kind_of_record("1", None, Outcome.CANCELLED).why == (
        "It is not counted, because it did not end as a success.",
    )
    assert kind_of_record("1", None).why == ("It is not counted, because you left it out.",)


def test_usual_slots() -> None:
    lived = readings(
        *(record(f"r{day}", day=day, minutes=day) for day in range(5)),
        record("late", day=5, minutes=600, scenario="residence"),
    )
    slots = usual_slots(lived)
    assert slots["app"] == "Eats"
    assert slots["item"] == "beef noodles"
    assert slots["place"] == "office"
    assert slots["time"] == "12:05–12:09 Mon–Fri"
    assert usual_slots([]) == {}


def test_what_happens_at_any_time_has_no_usual_time() -> None:
    assert "time" not in usual_slots(readings(*(record(str(step), minutes=step * 240) for step in range(6))))

from __future__ import annotations

from datetime import timedelta

from assistant.bench.paper_methods import at_state, kind_by_confidence, routines
from assistant.memory.prototypes.model import Member, Prototype, RecordKind
from tests.memory.prototypes.lived import MONDAY


def member(name: str, hours: int = 0) -> Member:
    return Member(name, MONDAY + timedelta(hours=hours), "office", 1.0)


def prototype(*members: Member, hidden: bool = False) -> Prototype:
    return Prototype(
        "p", "1", "a", "Order noodles", (), "Eats", "", members, float(len(members)), hidden=hidden
    )


def test_routines_are_what_exceeds_the_boundary_and_is_not_hidden() -> None:
    regular = [member(str(day), 24 * day) for day in range(12)]
    kept_routines = routines(
        [prototype(*regular), prototype(*regular, hidden=True), prototype(member("x"))], 0.7
    )
    assert len(kept_routines) == 1
    assert kept_routines[0].evidence[0] == "11"
    assert (kept_routines[0].hour, kept_routines[0].scenario) == (12, "office")
    assert at_state(kept_routines, MONDAY, "office") == kept_routines
    assert at_state(kept_routines, MONDAY, "residence") == []


def test_the_rule_of_the_paper_is_kept_beside() -> None:
    burst = [member(str(step)) for step in range(9)]
    assert kind_by_confidence(prototype(*burst)) is RecordKind.ROUTINE
    assert kind_by_confidence(prototype(*burst), boundary=0.99) is RecordKind.PREFERENCE
    assert kind_by_confidence(prototype(*burst[:2])) is RecordKind.MOMENT

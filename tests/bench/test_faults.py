from __future__ import annotations

from collections import Counter

from assistant.bench.task_runs import FAULT_KINDS, happened, plan_faults
from assistant.simulator.model.faults import Fault, FaultKind


def test_the_same_seed_gives_the_same_faults() -> None:
    assert plan_faults(7, 1) == plan_faults(7, 1)
    assert plan_faults(7, 1) != plan_faults(7, 2)


def test_every_second_task_has_each_kind() -> None:
    had = Counter(kind for place in range(40) for kind in {fault.kind for fault in plan_faults(place, 0)})

    assert had == dict.fromkeys(FAULT_KINDS, 20)


def test_what_is_not_pending_any_more_has_happened() -> None:
    cut, early, late = (
        Fault(kind=FaultKind.CUT),
        Fault(kind=FaultKind.ERROR),
        Fault(kind=FaultKind.ERROR, skip=9),
    )

    assert happened([cut, early, late], [late, cut]) == (FaultKind.ERROR,)
    assert happened([cut], [cut]) == ()

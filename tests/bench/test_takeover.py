from __future__ import annotations

from assistant.bench.takeover import Cut, Noticed, report
from assistant.events import Cause


def test_late_or_wrong_notices_and_idle_pauses_are_not_good() -> None:
    fine = [Noticed(Cut.TOUCH, 0.01, Cause.TOUCHED), Noticed(Cut.CALL, 0.1, Cause.CALL)]
    assert report(fine, [0.5], 0, 1).good
    assert not report([Noticed(Cut.TOUCH, 0.5, Cause.TOUCHED)], [0.5], 0, 1).good
    assert not report([Noticed(Cut.TOUCH, 0.01, Cause.CALL)], [0.5], 0, 1).good
    assert not report(fine, [0.5], 1, 1).good

from __future__ import annotations

from assistant.bench.takeover import Cut, Notice, report
from assistant.events import Cause


def test_late_or_wrong_notices_and_idle_pauses_are_not_good() -> None:
    fine = [Notice(Cut.TOUCH, 0.01, Cause.TOUCHED), Notice(Cut.CALL, 0.1, Cause.CALL)]
    assert report(fine, [0.5], 0, 1).good
    assert not report([Notice(Cut.TOUCH, 0.5, Cause.TOUCHED)], [0.5], 0, 1).good
    assert not report([Notice(Cut.TOUCH, 0.01, Cause.CALL)], [0.5], 0, 1).good
    assert not report(fine, [0.5], 1, 1).good

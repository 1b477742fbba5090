from __future__ import annotations

from assistant.bench.idle import report


def test_the_share_of_a_core_stands_beside_that_of_an_empty_app() -> None:
    found = report(seconds=60.0, ours=0.3, empty=0.12)
    assert found.good
    assert (found.values["share"], found.values["baseline_share"]) == (0.005, 0.002)


def test_more_than_half_a_hundredth_of_a_core_is_over_the_mark() -> None:
    found = report(seconds=60.0, ours=0.4, empty=0.12)
    assert not found.good

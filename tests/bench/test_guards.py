from __future__ import annotations

from assistant.bench.guards import load_targets, report


def test_the_report_holds_what_is_asked_for() -> None:
    told = report()
    assert told.good
    assert told.values["targets"] >= 300
    assert told.values["guards"]["recall"] >= 0.98
    assert told.values["guards"]["precision"] >= 0.85
    assert told.values["baseline"]["recall"] < told.values["guards"]["recall"]


def test_a_tap_hits_the_labelled_target() -> None:
    hits = [one.seen.element_at(one.tap.point) for one in load_targets()]
    same = sum(hit == one.element for hit, one in zip(hits, load_targets(), strict=True))
    assert same >= 0.97 * len(hits)

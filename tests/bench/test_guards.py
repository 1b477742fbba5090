from __future__ import annotations

import pytest

from assistant.bench.guard_screens import Half, load_fresh_screens, load_screens, read_thing
from assistant.bench.guards import PRECISION, RECALL, load_targets, report
from assistant.bench.report import Report
from assistant.events import ActionKind


@pytest.fixture(scope="module")
def told() -> Report:
    return report()


@pytest.mark.parametrize("name", ["simulated apps", "other apps, to develop", "other apps, to test"])
def test_the_rules_hold_on_what_they_were_made_with(told: Report, name: str) -> None:
    figures = told.values["sets"][name]
    assert figures["targets"] >= 300
    assert figures["guards"]["recall"] >= RECALL
    assert figures["guards"]["precision"] >= PRECISION
    assert figures["plain words"]["recall"] < figures["guards"]["recall"]


@pytest.mark.parametrize("name", ["fresh apps, to develop", "fresh apps, to test"])
def test_they_reach_beyond_it(told: Report, name: str) -> None:
    figures = told.values["sets"][name]
    assert figures["targets"] >= 250
    assert figures["guards"]["recall"] >= 0.95
    assert figures["guards"]["precision"] >= PRECISION
    assert figures["plain words"]["recall"] < 0.5


def test_hidden_ids_cost_little(told: Report) -> None:
    figures = told.values["sets"]["simulated apps"]["guards, ids hidden"]
    assert figures["recall"] >= 0.88
    assert figures["precision"] >= 0.95


def test_a_tap_hits_the_labelled_target() -> None:
    targets = [
        *load_targets(),
        *(one for load in (load_screens, load_fresh_screens) for half in load().values() for one in half),
    ]
    hits = [one.seen.element_at(one.tap.point) for one in targets]
    same = sum(hit == one.element for hit, one in zip(hits, targets, strict=True))
    assert same >= 0.97 * len(hits)


def test_the_halves_share_no_app_and_have_both_languages() -> None:
    halves = load_screens()
    apps = {half: {one.seen.app.package for one in targets} for half, targets in halves.items()}
    assert apps[Half.DEVELOP] & apps[Half.TEST] <= {"com.android.settings"}
    for targets in (*halves.values(), *load_fresh_screens().values()):
        chinese = [one for one in targets if not one.seen.label_of(one.element).isascii()]
        assert 0.3 < len(chinese) / len(targets) < 0.7


def test_a_line_is_read() -> None:
    thing = read_thing("b pay Send $250.00 @btn_primary")
    assert (thing.shape, thing.kind, thing.words) == ("b", ActionKind.PAY, "Send $250.00")
    assert thing.resource_id == "btn_primary"
    assert read_thing("r - Statements | March").labelled
    assert not read_thing("t You send $250.00").labelled
    for bad in ("b", "x - Words", "b nothing Words"):
        with pytest.raises(ValueError, match=r"no shape|not a valid"):
            read_thing(bad)

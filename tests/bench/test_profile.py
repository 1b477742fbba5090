from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from assistant.bench import profile_scale
from assistant.bench.hashing import HashingEmbedder
from assistant.bench.profile import BUDGET, MARK, OURS, RAW, RawSystem, Tally, report, run, within
from assistant.bench.profile_people import Need, make_person
from assistant.memory.profile.retrieval import count_tokens
from tests.tables import each


def test_a_person_follows_from_the_seed() -> None:
    assert make_person(3, instructions=40) == make_person(3, instructions=40)
    assert make_person(3, instructions=40) != make_person(4, instructions=40)


def test_people_of_development_never_say_the_held_out_phrases() -> None:
    held_out = re.compile("barely|breaks the bank|hate waiting for parcels|nothing to eat with here")
    developed = [make_person(seed, development=True) for seed in (0, 2)]
    reported = [make_person(seed) for seed in (50, 52)]
    assert not any(held_out.search(one.said) for person in developed for one in person.records)
    assert any(held_out.search(one.said) for person in reported for one in person.records)


def test_what_a_task_needs_was_said_and_is_not_in_the_task() -> None:
    person = make_person(51)
    assert len(person.records) == 500
    assert len(person.tasks) == 30
    said = "\n".join(one.said for one in person.records)
    dimensions = {need.dimension for task in person.tasks for need in task.needs}
    assert len(dimensions) > 30
    for task in person.tasks:
        for need in task.needs:
            assert need.is_told_by(said), need.dimension
            assert not need.is_told_by(task.text), task.text


def need(*tells: str, outdated: str = "", cues: tuple[str, ...] = ()) -> Need:
    before = (re.compile(outdated),) if outdated else ()
    return Need("food.spice", "mild", tuple(map(re.compile, tells)), before, cues)


def test_a_need_is_settled_when_the_old_value_is_gone() -> None:
    one = need("mild", "easy on the chili", outdated="extra spicy")
    assert one.is_told_by("taste: mild\ntaste: extra spicy")
    assert not one.is_settled_by("taste: mild\ntaste: extra spicy")
    assert one.is_settled_by("taste: easy on the chili")
    assert not one.is_told_by("taste: medium")


def test_a_cue_has_to_stand_in_the_same_line() -> None:
    one = need("nuts", cues=("no ", "avoid"))
    assert one.is_told_by("avoid: nuts")
    assert not one.is_told_by("no milk\nnuts")


def test_lines_are_kept_within_the_budget() -> None:
    text = within(["one two three", "four five six", "seven"], 8)
    assert text.splitlines() == ["one two three", "four five six"]
    assert count_tokens(text) <= 8


def test_plain_vectors_find_the_nearest_instruction(tmp_path: Path) -> None:
    system = RawSystem(tmp_path, HashingEmbedder(), "1")
    for one in make_person(50, instructions=30).records:
        system.learn(one)
    wanted = make_person(50, instructions=30).records[7].said
    assert wanted in system.recall(wanted, 200)


def test_the_profile_tells_more_than_its_baselines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.bench.profile.make_person", lambda seed, _: make_person(seed, True, 80))
    shown = json.loads(run(HashingEmbedder(), [1]).as_json())
    assert shown["systems"][OURS]["alignment"] > shown["systems"][RAW]["alignment"]
    assert {OURS, RAW} <= set(shown["systems"])
    assert shown["paper"]["MobiMem"]["alignment"] == MARK


@each(("ours", "baseline", "good"), [(90, 80, True), (80, 70, False), (90, 95, False)])
def test_the_report_is_good_above_mark_and_baselines(ours: int, baseline: int, good: bool) -> None:
    def tally(told: int) -> Tally:
        return Tally(needs=100, told_needs=Counter({BUDGET: told}))

    assert report({OURS: tally(ours), RAW: tally(baseline)}, [50], "x").good is good


def test_growth_is_measured_at_each_size() -> None:
    report = profile_scale.run(HashingEmbedder(64), [30, 90], 0, chroma=False)
    sizes = json.loads(report.as_json())["sizes"]
    assert [size["nodes"] for size in sizes] == [30, 90]
    assert all(size[what]["count"] for size in sizes for what in ("retrieval", "update", "naive"))

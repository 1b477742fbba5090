from __future__ import annotations

import json
from collections import defaultdict

import pytest

from assistant.bench import him
from assistant.bench.hashing import HashingEmbedder
from assistant.bench.him import Case, Result, dbstream, methods, read_lives, river_is_there
from assistant.bench.resolving import Expected, Fate, Nearest, fill_nearest, shares
from assistant.simulator.life.people import LifeOptions
from assistant.understand.resolution import ResolutionKind

EMBEDDER = HashingEmbedder(128)
OPTIONS = LifeOptions(seed=31, weeks=3, people=2)


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return read_lives(OPTIONS, EMBEDDER)


def knowing_the_truth(case: Case) -> Result:
    """The upper bound of every figure."""
    first = {
        case.truth[reading.record_id]: reading.record_id for reading in reversed(case.history) if reading.path
    }
    groups = {reading.record_id: case.truth[reading.record_id] for reading in case.readings}
    return Result(groups, [[first[command.cluster]] for command in case.commands])


def test_knowing_the_truth_scores_full(cases: list[Case]) -> None:
    figures, _ = him.measure(cases, knowing_the_truth)

    assert figures["v_measure"] == pytest.approx(1.0)
    assert figures["pairwise_f1"] == pytest.approx(1.0)
    assert figures["top_1"] == figures["top_3"] == 1.0
    assert figures["type"] > 0.7


def test_history_ends_at_the_split(cases: list[Case]) -> None:
    for case in cases:
        assert 0 < len(case.history) < len(case.readings)
        assert max(one.time for one in case.history) < case.life.split
        assert min(one.at for one in case.commands) >= case.life.split


def test_the_memory_groups_and_answers_for_one_user(cases: list[Case]) -> None:
    for case in cases:
        result = him.him(case)

        assert result.groups.keys() == case.truth.keys()
        assert {prototype.user_id for prototype in result.prototypes} == {case.life.person.user_id}
        before = {reading.record_id for reading in case.history}
        assert all(record in before for answer in result.answers for record in answer)


def test_the_report_has_methods_beside_each_other() -> None:
    report = him.run(OPTIONS, EMBEDDER)
    values = json.loads(report.as_json())

    names = [row["method"] for row in values["methods"]]
    assert names == list(methods())
    assert names[:4] == ["HIM", "paper: three equal parts", "recent records", "nearest records"]
    assert ("DBSTREAM on embeddings" in names) == river_is_there()
    assert report.good == (not values["behind"])
    assert values["model"] == EMBEDDER.model_id
    alone = values["methods"][2]
    assert alone["homogeneity"] == 1.0
    assert alone["pairwise_recall"] == 0.0


def test_commands_are_judged_by_what_resolve_makes_of_them(cases: list[Case]) -> None:
    case = cases[0]
    resolved = him.resolve_life(case, None)

    assert len(resolved.vague) == len(case.commands)
    for command, resolution in zip(case.commands, resolved.vague, strict=True):
        fate = him.judge(case, command, resolution)
        assert (fate in (Fate.RIGHT, Fate.WRONG)) == (resolution.decision is ResolutionKind.FILLED)
    assert {resolution.perceived.command for resolution in resolved.explicit} <= {
        record.instruction for record in case.life.own if record.time >= case.life.split
    }


def test_the_nearest_record_fills_as_often_as_ours() -> None:
    nearest = [Nearest(0.4, is_right=True), Nearest(0.9, is_right=False), Nearest(0.7, is_right=True)]
    assert fill_nearest(nearest, 2) == [Fate.WRONG, Fate.RIGHT, Fate.AS_SAID]
    assert shares(fill_nearest(nearest, 2))["recognised"] == pytest.approx(2 / 3)
    assert shares([])["wrong"] == 0.0


@pytest.mark.parametrize(
    ("expected", "decision", "instruction", "fate"),
    [
        ({"contains": ["Ana"]}, "filled", "Call ana", Fate.RIGHT),
        ({"contains": ["Ana"], "not": ["Eva"]}, "filled", "Call Ana and Eva", Fate.WRONG),
        ({"contains": ["Ana"]}, "ask", "call her", Fate.ASKED),
        ({"contains": ["Ana"]}, "as_said", "call her", Fate.AS_SAID),
        ({"ask": True, "not": ["Ana"]}, "ask", "call her", Fate.RIGHT),
        ({"ask": True}, "filled", "call Ana", Fate.WRONG),
        ({"ask": True}, "as_said", "call her", Fate.AS_SAID),
        ({"unchanged": True}, "as_said", "call her", Fate.RIGHT),
        ({"unchanged": True}, "ask", "call her", Fate.ASKED),
    ],
)
def test_what_is_expected_is_judged(
    expected: dict[str, object], decision: str, instruction: str, fate: Fate
) -> None:
    assert Expected.model_validate(expected).judge("call her", decision, instruction) is fate


@pytest.mark.skipif(not river_is_there(), reason="river is not installed (extra bench)")
def test_dbstream_groups_what_is_near(cases: list[Case]) -> None:
    small, large = dbstream(cases[0], radius=0.3), dbstream(cases[0], radius=1.3)

    assert len(set(small.groups.values())) > 3 * len(set(large.groups.values()))
    same = defaultdict(set)
    for reading in cases[0].readings:
        same[reading.text].add(small.groups[reading.record_id])
    assert all(len(groups) == 1 for groups in same.values())

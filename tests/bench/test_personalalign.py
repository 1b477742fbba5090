"""PersonalAlign's figures: states in its proportion, what counts as right, and what is carried out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from assistant.bench import personalalign
from assistant.bench.hashing import HASHING, load_embedder
from assistant.bench.personalalign import (
    LLM_UM,
    LivedPeople,
    PaperState,
    Told,
    likeness,
    paper_states,
    score,
    tell_written,
)
from assistant.bench.proactive_replay import live_days
from assistant.bench.written_profile import WrittenAnswer
from assistant.records import Usage
from assistant.settings.schema import ProactiveSettings
from assistant.simulator.life.people import LifeOptions

OPTIONS = LifeOptions(seed=100, weeks=5, people=2)
EMBEDS = load_embedder(HASHING)


@pytest.fixture(scope="module")
def people() -> LivedPeople:
    return live_days(OPTIONS, EMBEDS)


@pytest.fixture(scope="module")
def asked(people: LivedPeople) -> Sequence[PaperState]:
    return paper_states(people, 1, 40)


def right_answers(people: LivedPeople, asked: Sequence[PaperState]) -> list[Told]:
    """Who knows what is wanted says it in the person's words, from the memory's routine."""
    told = []
    for each in asked:
        clusters = people[each.person][1][0].clusters
        home = next((name for name, about in clusters.items() if about in each.right_clusters), "")
        told.append(Told(home, each.said) if each.right_clusters else Told())
    return told


def test_states_keep_the_papers_proportion_and_say_what_the_person_then_does(
    people: LivedPeople, asked: Sequence[PaperState]
) -> None:
    due = [each for each in asked if each.right_clusters]
    assert len(due) < 40 * 0.7
    assert all(each.said for each in due)
    assert any(each.actions for each in due)
    assert not any(each.said or each.actions for each in asked if not each.right_clusters)
    for each in due:
        first = people[each.person][1][0].midnight
        assert each.state.time >= first - timedelta(minutes=6)
    assert paper_states(people, 1, 40) == asked


def test_who_knows_what_is_wanted_scores_full(people: LivedPeople, asked: Sequence[PaperState]) -> None:
    row = score("knowing", right_answers(people, asked), asked, people, EMBEDS)
    assert (row["precision"], row["recall"], row["false_alarms"], row["f1"]) == (1.0, 1.0, 0.0, 1.0)
    assert row["semantic"] == pytest.approx(1.0)
    assert row["judged"] == 1.0
    assert row["ssr"] > 0.5


def test_silence_and_constant_talk_are_told_apart(people: LivedPeople, asked: Sequence[PaperState]) -> None:
    silent = score("silent", [Told()] * len(asked), asked, people, EMBEDS)
    assert (silent["recall"], silent["false_alarms"], silent["type"], silent["semantic"]) == (0, 0, 0, 0)
    talking = score("talking", [Told("", "Play music")] * len(asked), asked, people, EMBEDS)
    assert (talking["recall"], talking["false_alarms"], talking["judged"]) == (1.0, 1.0, 0.0)
    due = sum(bool(each.right_clusters) for each in asked)
    assert talking["precision"] == pytest.approx(due / len(asked))


def test_a_models_words_mean_the_routine_that_is_nearest_to_them(
    people: LivedPeople, asked: Sequence[PaperState]
) -> None:
    prototypes = people[asked[0].person][1][0].history.prototypes
    name, prototype = next(iter(prototypes.items()))
    answers = [WrittenAnswer(prototype.instruction, Usage(), 0.1), WrittenAnswer("", Usage(), 0.1)]
    assert tell_written(answers, [asked[0], asked[0]], people, EMBEDS) == [
        Told(name, prototype.instruction),
        Told(),
    ]


def test_likeness_is_full_for_the_same_words_and_nothing_for_none() -> None:
    assert likeness("Play jazz", "Play jazz", EMBEDS) == pytest.approx(1.0)
    assert likeness("", "Play jazz", EMBEDS) == 0.0
    assert 0.0 < likeness("Play jazz now", "Play jazz", EMBEDS) < 1.0


def test_the_report_has_every_part_beside_the_papers() -> None:
    alone = replace(OPTIONS, people=1)
    report = personalalign.run(alone, EMBEDS, ProactiveSettings(), llm_um=True, count=20)
    values = report.values
    names = [row["method"] for row in values["identification"]]
    assert names[0] == "ours"
    assert names[-1] == LLM_UM
    assert values["llm_um"]["calls"] == 1 + values["states"]["due"] + values["states"]["quiet"]
    assert [row["method"] for row in values["rewriting_c1"]] == ["as said", "nearest record", "ours"]
    watched, triggered = values["triggering_c2"]
    assert triggered["looks_a_day"] < 20
    assert watched["looks_a_day"] == 720
    assert triggered["f1"] > 0
    executed = values["executing_c3"]
    assert executed["suggestions"] > 0
    assert 0 < executed["right"] <= 1
    assert all(values[part] for part in ("paper_table_6", "paper_table_5", "not_measured"))

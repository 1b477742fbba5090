"""`assistant bench him`: clusters, kinds and preferences on synthetic lives, beside baselines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from assistant.bench.cluster_scores import ClusterScores, cluster_scores, confusion_f1, mean_scores
from assistant.bench.him_cases import Case, read_lives
from assistant.bench.him_methods import Method, Outcome, ablations, baselines, river_is_there
from assistant.bench.him_quality import Scored, quality_grid, quality_lines, quality_values, score_records
from assistant.bench.report import Grid, Report
from assistant.bench.success_rates import NOTHING, SuccessRates, mean_rates, success_rates
from assistant.embedding.embeds import Embeds
from assistant.memory.him.aggregation import Rules
from assistant.memory.him.kinds import STABLE, kind_by_confidence, kind_of_prototype
from assistant.memory.him.prototype import Kind
from assistant.simulator.life.people import LifeOptions

SYNTHETIC = "Synthetic lives (assistant simulate life)"
_OURS = "HIM"


@dataclass(frozen=True, slots=True)
class Found:
    """What one method does over all lives. `first` and `among` are shares of commands, top-1 and top-3."""

    name: str
    clusters: ClusterScores
    first: float
    among: float
    rates: SuccessRates
    by_locale: dict[str, float]

    def as_json(self) -> dict[str, Any]:
        """Plain values, rounded."""
        scores = self.clusters
        return {
            "method": self.name,
            "v_measure": round(scores.v_measure, 4),
            "homogeneity": round(scores.homogeneity, 4),
            "completeness": round(scores.completeness, 4),
            "pairwise_f1": round(scores.f1, 4),
            "pairwise_precision": round(scores.precision, 4),
            "pairwise_recall": round(scores.recall, 4),
            "top_1": round(self.first, 4),
            "top_3": round(self.among, 4),
            "top_1_by_locale": {name: round(value, 4) for name, value in self.by_locale.items()},
            **self.rates.as_json(),
        }


@dataclass(frozen=True, slots=True)
class KindsFound:
    """How records of each true kind were told: `(true, found)` to a count, for one way of telling."""

    name: str
    counts: Counter[tuple[str, str]]

    @property
    def accuracy(self) -> float:
        """The share of records told right."""
        return sum(count for (true, said), count in self.counts.items() if true == said) / self.counts.total()

    @property
    def f1(self) -> dict[str, float]:
        """F1 of each kind."""
        return confusion_f1(self.counts, Kind)


def measure(cases: Sequence[Case], method: Method) -> tuple[Found, list[Outcome]]:
    """Run a method over all lives; also what it makes of each."""
    scores, answers, outcomes = [], [], []
    for case in cases:
        outcome = method.run(case)
        labels = [outcome.homes[one.record_id] for one in case.readings]
        scores.append(cluster_scores([case.truth[one.record_id] for one in case.readings], labels))
        answers += list(_judged(case, outcome.answers))
        outcomes.append(outcome)
    by_locale = {
        locale: fmean(place == 1 for here, place, _ in answers if here == locale)
        for locale in sorted({here for here, _, _ in answers})
    }
    found = Found(
        name=method.name,
        clusters=mean_scores(scores),
        first=fmean(place == 1 for _, place, _ in answers),
        among=fmean(place > 0 for _, place, _ in answers),
        rates=mean_rates(rate for _, _, rate in answers if rate is not None),
        by_locale=by_locale,
    )
    return found, outcomes


def run(
    options: LifeOptions,
    embeds: Embeds,
    tell: Callable[[str], None] = lambda _: None,
    methods: Sequence[Method] = (),
) -> Report:
    """Measure methods, by default all, on the lives that the options ask for; the first must be HIM."""
    cases = read_lives(options, embeds)
    tell(f"{len(cases)} lives, {sum(len(case.readings) for case in cases)} records, model {embeds.model_id}")
    found: list[Found] = []
    ours: list[Outcome] = []
    for method in methods or [*ablations(Rules()), *baselines()]:
        result, outcomes = measure(cases, method)
        ours = ours or outcomes
        found.append(result)
        tell(f"{method.name}: V {result.clusters.v_measure:.3f}, top-1 {result.first:.3f}")
    scored = [one for case in cases for one in score_records(case.readings, case.life.split, case.kinds)]
    return _report(options, embeds, cases, found, _kinds(cases, ours), scored)


def _judged(case: Case, answers: Sequence[Sequence[str]]) -> Iterator[tuple[str, int, SuccessRates | None]]:
    """For each command its locale, the place of the right answer from 1 (0: none), and how replay does."""
    for command, offered in zip(case.commands, answers, strict=True):
        right = [case.truth[record] == command.cluster for record in offered]
        golden = case.golden(command.cluster)
        done = case.actions[offered[0]] if offered else ()
        rate = (success_rates(golden, done) if done else NOTHING) if golden else None
        yield case.life.person.locale, right.index(True) + 1 if True in right else 0, rate


def _kinds(cases: Sequence[Case], outcomes: Sequence[Outcome]) -> list[KindsFound]:
    """Kinds as the memory tells them, by the paper's Φ, by the number of records alone, all as one-offs."""
    ours: Counter[tuple[str, str]] = Counter()
    by_phi: Counter[tuple[str, str]] = Counter()
    by_count: Counter[tuple[str, str]] = Counter()
    alone: Counter[tuple[str, str]] = Counter()
    for case, outcome in zip(cases, outcomes, strict=True):
        for prototype in outcome.prototypes:
            said, phi = kind_of_prototype(prototype), kind_by_confidence(prototype)
            size = len(prototype.members)
            counted = (
                Kind.MOMENT if size < STABLE else Kind.ROUTINE if size >= 4 * STABLE else Kind.PREFERENCE
            )
            for member in prototype.members:
                true = case.kinds[member.record_id]
                ours[true, said] += 1
                by_phi[true, phi] += 1
                by_count[true, counted] += 1
                alone[true, Kind.MOMENT] += 1
    return [
        KindsFound(_OURS, ours),
        KindsFound("Φ of the paper alone", by_phi),
        KindsFound("number of records alone", by_count),
        KindsFound("all one-offs", alone),
    ]


def _report(
    options: LifeOptions,
    embeds: Embeds,
    cases: Sequence[Case],
    found: Sequence[Found],
    kinds: Sequence[KindsFound],
    scored: Sequence[Scored],
) -> Report:
    ours, others = found[0], [one for one in found if not one.name.startswith(_OURS)]
    behind = _behind(ours, others)
    behind += [f"kinds by {one.name}" for one in kinds[1:] if one.accuracy >= kinds[0].accuracy]
    asked = sum(len(case.commands) for case in cases)
    records = sum(len(case.readings) for case in cases)
    lines = [
        f"{len(cases)} people, {options.weeks} weeks, {records} records, {asked} vague commands whose words "
        f"no record has. Model {embeds.model_id}.",
        *quality_lines(scored),
        "HIM is ahead of every baseline." if not behind else f"HIM is not ahead: {', '.join(behind)}.",
    ]
    if not river_is_there():
        lines.append(
            "DBSTREAM is left out: river is not installed. Install the extra: pip install -e .[bench]"
        )
    values = {
        "benchmark": "him",
        "model": embeds.model_id,
        "seed": options.seed,
        "people": len(cases),
        "weeks": options.weeks,
        "locale": options.locale,
        "hard": options.hard,
        "records": records,
        "commands": asked,
        "methods": [one.as_json() for one in found],
        "kinds": [
            {
                "by": one.name,
                "accuracy": round(one.accuracy, 4),
                "f1": {kind: round(score, 4) for kind, score in one.f1.items()},
                "confusion": {f"{true} as {said}": count for (true, said), count in one.counts.items()},
            }
            for one in kinds
        ],
        "quality": quality_values(scored),
        "paper": {"table_5_csr": {"recent": 33.2, "nearest": 35.4, "HIM": 42.3}},
        "behind": behind,
        "river": river_is_there(),
    }
    grids = [_clusters_grid(found), _preferences_grid(found), *_kind_grids(kinds), quality_grid(scored)]
    return Report(values, grids, lines, not behind, SYNTHETIC)


def _behind(ours: Found, others: Sequence[Found]) -> list[str]:
    """In words, where a baseline does at least as well."""
    measures: dict[str, Callable[[Found], float]] = {
        "V-measure": lambda one: one.clusters.v_measure,
        "pairwise F1": lambda one: one.clusters.f1,
        "top-1": lambda one: one.first,
        "top-3": lambda one: one.among,
        "Type": lambda one: one.rates.type,
        "SSR": lambda one: one.rates.step,
        "CSR": lambda one: one.rates.cumulative,
    }
    return [
        f"{name} of {other.name}"
        for name, measured in measures.items()
        for other in others
        if measured(other) >= measured(ours)
    ]


def _clusters_grid(found: Sequence[Found]) -> Grid:
    columns = ("clusters", "V-measure", "homogeneity", "completeness", "pair F1", "precision", "recall")
    rows = []
    for one in found:
        scores = one.clusters
        figures = (
            scores.v_measure,
            scores.homogeneity,
            scores.completeness,
            scores.f1,
            scores.precision,
            scores.recall,
        )
        rows.append((one.name, *(f"{figure:.3f}" for figure in figures)))
    return Grid("Clusters against the truth, mean over people", columns, tuple(rows), frozenset(columns[1:]))


def _preferences_grid(found: Sequence[Found]) -> Grid:
    locales = sorted({locale for one in found for locale in one.by_locale})
    columns = ("method", "top-1", "top-3", *(f"top-1 {name}" for name in locales), "Type", "SSR", "CSR")
    rows = []
    for one in found:
        figures = [one.first, one.among, *(one.by_locale.get(name, 0.0) for name in locales)]
        figures += [one.rates.type, one.rates.step, one.rates.cumulative]
        rows.append((one.name, *(f"{100 * figure:.1f}" for figure in figures)))
    title = "What a vague command means, %; Type, SSR and CSR of doing the first answer's actions"
    return Grid(title, columns, tuple(rows), frozenset(columns[1:]))


def _kind_grids(kinds: Sequence[KindsFound]) -> list[Grid]:
    columns = ("by", "right", *(f"F1 {kind}" for kind in Kind))
    rows = [
        (one.name, f"{100 * one.accuracy:.1f}", *(f"{one.f1[kind]:.3f}" for kind in Kind)) for one in kinds
    ]
    first = kinds[0]
    confusion = [(true, *(str(first.counts[true, said]) for said in Kind)) for true in Kind]
    told = tuple(f"told {kind}" for kind in Kind)
    return [
        Grid("Moment, preference, routine", columns, tuple(rows), frozenset(columns[1:])),
        Grid(f"Records of each kind, {first.name}", ("truly", *told), tuple(confusion), frozenset(told)),
    ]

"""`bench him`: clusters, kinds and preferences on synthetic lives, beside baselines.

The baselines: the paper's own measure in our memory, recent and nearest records, which group nothing, and
DBSTREAM on the vectors alone. Records that came to no end are left out, of every method: nothing is learnt
from them. The methods are asked directly; `resolve` is what a user gets, who is asked about what is not sure.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assistant.bench.cluster_scores import cluster_scores, confusion_f1, mean_scores
from assistant.bench.paper_methods import kind_by_confidence, nearest, recent
from assistant.bench.report import SYNTHETIC, Report, progress, rounded
from assistant.bench.resolving import Fate, Nearest, fill_nearest, shares
from assistant.bench.success_rates import NOTHING, Rates, mean_rates, success_rates
from assistant.embedding.embedder import CachedEmbedder, Embedder, Vectors
from assistant.embedding.models import HabitMatcher
from assistant.memory.prototypes.clustering import ClusteringRules
from assistant.memory.prototypes.model import (
    STABLE,
    Prototype,
    RecordKind,
    kind_of_prototype,
)
from assistant.memory.prototypes.service import HierarchicalMemory, learn_from_records
from assistant.memory.prototypes.similarity import ConsistencyWeights, RecordFeatures, extract_features
from assistant.memory.prototypes.terms import main_clause
from assistant.memory.store import Store
from assistant.records import Action, Outcome, Record, State
from assistant.settings.schema import Settings
from assistant.simulator.life.living import Life, lives
from assistant.simulator.life.people import LifeOptions
from assistant.simulator.life.questions import Command, commands
from assistant.understand.habit_match import CommandTagger
from assistant.understand.memory_sources import open_memory
from assistant.understand.resolution import Meaning, Resolution, ResolutionKind
from assistant.understand.service import UnderstandingService

TOP = 3
DBSTREAM_RADIUS = 0.8
"""The radius of DBSTREAM's micro-clusters among unit vectors: the best of a sweep on seeds 100 and 101."""
PAPER_WEIGHTS = ConsistencyWeights(1.0, 1.0, 1.0, 0.0, verbs=False)
"""PersonalAlign's own measure: three equal parts, without what this program adds."""

_OURS = "HIM"
_EXPLICIT = 40
"""How many explicit commands of each life are resolved."""
_PAPER_CSR = {"table_5_csr": {"recent": 33.2, "nearest": 35.4, "HIM": 42.3}}
_COMPARED = {
    "V-measure": "v_measure",
    "pairwise F1": "pairwise_f1",
    "top-1": "top_1",
    "top-3": "top_3",
    "Type": "type",
    "SSR": "ssr",
    "CSR": "csr",
}


@dataclass(frozen=True, slots=True)
class Case:
    """One life, read: its own records, the part before the split, and vague commands with their truth.

    `asked` has the vector of each command, one row each; `embeds` is what made it.
    """

    life: Life
    embeds: Embedder
    readings: list[RecordFeatures]
    history: list[RecordFeatures]
    truth: dict[str, str]
    kinds: dict[str, RecordKind]
    actions: dict[str, tuple[Action, ...]]
    commands: list[Command]
    asked: Vectors

    def golden(self, cluster: str) -> tuple[Action, ...]:
        """What the person did when they wanted that after the split; empty where they did not."""
        for record in self.life.own:
            done = record.outcome is Outcome.SUCCESS and record.actions
            if done and record.time >= self.life.split and self.truth[record.id] == cluster:
                return record.actions
        return ()


@dataclass(frozen=True, slots=True)
class Result:
    """What a method makes of a life.

    Attributes:
        groups: the name of the group of each record of the whole life.
        answers: for each command the records that stand for what it may mean, surest first, at most `TOP`,
            from the history alone.
        prototypes: of the whole life, where the method has some.
    """

    groups: Mapping[str, str]
    answers: Sequence[Sequence[str]]
    prototypes: Sequence[Prototype] = ()


Method = Callable[[Case], Result]


def features_of(records: Sequence[Record], embeds: Embedder) -> list[RecordFeatures]:
    """The features of some records, in order, with the vectors of their main clauses."""
    clauses = [main_clause(record.instruction) for record in records]
    vectors = dict(zip(distinct := list(dict.fromkeys(clauses)), embeds.embed(distinct), strict=True))
    return [
        extract_features(record, vectors[clause]) for record, clause in zip(records, clauses, strict=True)
    ]


def read_lives(options: LifeOptions, embeds: Embedder) -> list[Case]:
    """Live the lives, embed their records and their commands."""
    remembering = CachedEmbedder(embeds)
    cases = []
    for life in lives(options):
        done = [record for record in life.own if record.outcome is Outcome.SUCCESS]
        learnt = {record.id for record in done}
        readings, questions = features_of(done, remembering), commands(life)
        truths = [truth for truth in life.truths if truth.record_id in learnt]
        cases.append(
            Case(
                life=life,
                embeds=remembering,
                readings=readings,
                history=[reading for reading in readings if reading.time < life.split],
                truth={truth.record_id: truth.cluster for truth in truths},
                kinds={truth.record_id: truth.kind for truth in truths},
                actions={record.id: record.actions for record in done},
                commands=questions,
                asked=remembering.embed([command.said for command in questions]),
            )
        )
    return cases


def methods() -> dict[str, Method]:
    """HIM as the program has it, and the baselines by name; DBSTREAM only where river is installed."""
    paper = ClusteringRules(weights=PAPER_WEIGHTS)
    baselines = {"recent records": recent_records, "nearest records": nearest_records}
    if river_is_there():
        baselines["DBSTREAM on embeddings"] = dbstream
    return {_OURS: him, "paper: three equal parts": lambda case: him(case, paper), **baselines}


def him(case: Case, rules: ClusteringRules | None = None) -> Result:
    """The memory as the program has it, in a store of its own, everybody's records of that phone in it."""
    user, split = case.life.person.user_id, case.life.split
    with TemporaryDirectory(prefix="assistant-bench-") as folder:
        store = Store(Path(folder), now=lambda: case.life.records[-1].time)
        try:
            memory = HierarchicalMemory(store, case.embeds, rules or ClusteringRules(), threshold=0.0)
            store.records.add(record for record in case.life.records if record.time < split)
            memory.aggregate(user_id=user)
            answers = [
                [
                    match.prototype.centre_id
                    for match in memory.preferences(command.said, user, command.at, command.scenario, TOP)
                ]
                for command in case.commands
            ]
            store.records.add(record for record in case.life.records if record.time >= split)
            memory.aggregate(user_id=user)
            prototypes = memory.prototypes(user)
        finally:
            store.close()
    groups = {member.record_id: prototype.id for prototype in prototypes for member in prototype.members}
    return Result(groups, answers, prototypes)


def recent_records(case: Case) -> Result:
    """The newest records, whatever is asked."""
    newest = [reading.record_id for reading in recent(case.history, TOP)]
    return Result(_ungrouped(case), [newest for _ in case.commands])


def nearest_records(case: Case) -> Result:
    """The records whose vectors are nearest to the command's."""
    answers = [[reading.record_id for reading in nearest(case.history, vector, TOP)] for vector in case.asked]
    return Result(_ungrouped(case), answers)


def river_is_there() -> bool:
    """Whether the library with DBSTREAM is installed (the extra `bench`)."""
    return find_spec("river") is not None


def dbstream(case: Case, radius: float = DBSTREAM_RADIUS) -> Result:
    """River's DBSTREAM over the vectors alone; a command means the group whose mean is nearest.

    A group is told by its record nearest to the mean.
    """
    groups = _dbstream_groups(case.history, radius)
    members: dict[str, list[RecordFeatures]] = defaultdict(list)
    for reading in case.history:
        members[groups[reading.record_id]].append(reading)
    means = np.stack([_mean(group) for group in members.values()])
    centres = [_nearest_to(mean, group) for mean, group in zip(means, members.values(), strict=True)]
    answers = [[centres[place] for place in np.argsort(-(means @ vector))[:TOP]] for vector in case.asked]
    return Result(_dbstream_groups(case.readings, radius), answers)


def _dbstream_groups(readings: Sequence[RecordFeatures], radius: float) -> dict[str, str]:
    model = import_module("river.cluster").DBSTREAM(
        clustering_threshold=radius, fading_factor=0.001, cleanup_interval=500, minimum_weight=1.0
    )
    points = {reading.record_id: dict(enumerate(map(float, reading.vector))) for reading in readings}
    for point in points.values():
        model.learn_one(point)
    return {record_id: str(model.predict_one(point)) for record_id, point in points.items()}


def _mean(readings: Sequence[RecordFeatures]) -> NDArray[np.float32]:
    mean: NDArray[np.float32] = np.mean([reading.vector for reading in readings], axis=0, dtype=np.float32)
    return mean / np.float32(np.linalg.norm(mean))


def _nearest_to(mean: NDArray[np.float32], readings: Sequence[RecordFeatures]) -> str:
    return max(readings, key=lambda reading: float(reading.vector @ mean)).record_id


def _ungrouped(case: Case) -> dict[str, str]:
    return {reading.record_id: reading.record_id for reading in case.readings}


def measure(cases: Sequence[Case], method: Method) -> tuple[dict[str, Any], list[Result]]:
    """The figures of a method over all lives, unrounded, and what it makes of each."""
    scores, answers, results = [], [], []
    for case in cases:
        result = method(case)
        records = [reading.record_id for reading in case.readings]
        scores.append(
            cluster_scores([case.truth[name] for name in records], [result.groups[name] for name in records])
        )
        answers += list(_judged(case, result.answers))
        results.append(result)
    by_locale = {
        locale: fmean(place == 1 for spoken, place, _ in answers if spoken == locale)
        for locale in sorted({spoken for spoken, _, _ in answers})
    }
    figures = {
        **mean_scores(scores),
        "top_1": fmean(place == 1 for _, place, _ in answers),
        "top_3": fmean(place > 0 for _, place, _ in answers),
        "top_1_by_locale": rounded(by_locale),
        **mean_rates(rate for _, _, rate in answers if rate is not None),
    }
    return figures, results


def _judged(case: Case, answers: Sequence[Sequence[str]]) -> Iterator[tuple[str, int, Rates | None]]:
    """For each command its locale, the place of the right answer from 1 (0: none), and how replay does."""
    for command, offered in zip(case.commands, answers, strict=True):
        right = [case.truth[record] == command.cluster for record in offered]
        golden = case.golden(command.cluster)
        done = case.actions[offered[0]] if offered else ()
        rate = (success_rates(golden, done) if done else NOTHING) if golden else None
        yield case.life.person.locale, right.index(True) + 1 if True in right else 0, rate


@dataclass(frozen=True, slots=True)
class ResolvedLife:
    """What `resolve` makes of the vague commands of a life, in order, and of explicit ones."""

    vague: tuple[Resolution, ...]
    explicit: tuple[Resolution, ...]


def resolve_life(
    case: Case, tagger: CommandTagger | None, matcher: HabitMatcher | None = None
) -> ResolvedLife:
    """Resolve the vague commands of a life, and explicit ones, with what came before them as memory."""
    user, states = case.life.person.user_id, [State(time=case.life.split)]
    with TemporaryDirectory(prefix="assistant-bench-") as folder:
        store = Store(Path(folder), now=lambda: case.life.split)
        try:
            store.records.add(case.life.history)
            learn_from_records(store, case.embeds, Settings(store=Path(folder), user_id=user), [user])
            sources = open_memory(store, case.embeds, user, progress, matcher=matcher)
            understanding = UnderstandingService(lambda: sources, lambda: states[-1], tagger=tagger)

            def resolve(asked: Iterable[tuple[str, State]]) -> Iterator[Resolution]:
                for said, state in asked:
                    states.append(state)
                    yield understanding.resolve(said, sources.apps)

            return ResolvedLife(
                tuple(
                    resolve(
                        (command.said, State(time=command.at, scenario=command.scenario))
                        for command in case.commands
                    )
                ),
                tuple(
                    resolve(
                        (record.instruction, State(time=record.time, scenario=record.scenario))
                        for record in _explicit_records(case)
                    )
                ),
            )
        finally:
            store.close()


def _explicit_records(case: Case) -> list[Record]:
    """The newest records after the split, whose instructions say all that was wanted."""
    later = [record for record in case.life.own if record.time >= case.life.split]
    return later[-_EXPLICIT:]


def judge(case: Case, command: Command, resolution: Resolution) -> Fate:
    """What became of a command. A habit is right by its records, a fact by what the person then did."""
    match resolution.decision:
        case ResolutionKind.AS_SAID:
            return Fate.AS_SAID
        case ResolutionKind.ASK | ResolutionKind.ANSWER:
            return Fate.ASKED
        case ResolutionKind.FILLED:
            right = all(_means(case, meaning, command.cluster) for meaning in resolution.meanings)
            return Fate.RIGHT if right else Fate.WRONG


def _means(case: Case, meaning: Meaning, cluster: str) -> bool:
    if meaning.chosen is None:
        return False
    if meaning.chosen.preference is not None:
        members = meaning.chosen.preference.prototype.members
        counts = Counter(case.truth.get(member.record_id, "") for member in members)
        return bool(counts) and counts.most_common(1)[0][0] == cluster
    meant = [record.instruction for record in case.life.own if case.truth.get(record.id) == cluster]
    return any(meaning.chosen.value.casefold() in instruction.casefold() for instruction in meant)


def _nearest(case: Case) -> Iterator[Nearest]:
    for command, vector in zip(case.commands, case.asked, strict=True):
        for record in nearest(case.history, vector, 1):
            yield Nearest(float(record.vector @ vector), case.truth[record.record_id] == command.cluster)


def _through_resolve(
    cases: Sequence[Case], tagger: CommandTagger | None, matcher: HabitMatcher | None
) -> dict[str, Any]:
    """The figures of `resolve`, beside the nearest record."""
    lives_resolved = [resolve_life(case, tagger, matcher) for case in cases]
    judged = [
        (command, resolution, judge(case, command, resolution))
        for case, life in zip(cases, lives_resolved, strict=True)
        for command, resolution in zip(case.commands, life.vague, strict=True)
    ]
    fates = [fate for _, _, fate in judged]
    baseline = fill_nearest(
        [record for case in cases for record in _nearest(case)],
        sum(fate in (Fate.RIGHT, Fate.WRONG) for fate in fates),
    )
    explicit = [resolution for life in lives_resolved for resolution in life.explicit]
    rewritten = [
        resolution for resolution in explicit if resolution.instruction != resolution.perceived.command
    ]
    return {
        "vague": [
            {"method": "resolve", **rounded(shares(fates))},
            {"method": "nearest record, as often", **rounded(shares(baseline))},
        ],
        "explicit": {
            "commands": len(explicit),
            "flagged": sum(resolution.decision is not ResolutionKind.AS_SAID for resolution in explicit),
            "rewritten": len(rewritten),
        },
        "wrong": [
            f"{command.said} → {resolution.instruction}"
            for command, resolution, fate in judged
            if fate is Fate.WRONG
        ],
        "rewritten": [
            f"{resolution.perceived.command} → {resolution.instruction}" for resolution in rewritten
        ],
    }


def run(
    options: LifeOptions,
    embeds: Embedder,
    measured: Mapping[str, Method] | None = None,
    tagger: CommandTagger | None = None,
    matcher: HabitMatcher | None = None,
) -> Report:
    """Measure methods, by default all, on the lives that the options ask for; the first must be HIM.

    Args:
        options: which lives.
        embeds: the sentence embedder.
        measured: the methods.
        tagger: says for `resolve` which commands depend on the user; None for the rules alone.
        matcher: says for `resolve` which habit a command means; None to compare words and vectors alone.
    """
    cases = read_lives(options, embeds)
    records = sum(len(case.readings) for case in cases)
    progress(f"{len(cases)} lives, {records} records, model {embeds.model_id}")
    figures: dict[str, dict[str, Any]] = {}
    ours: list[Result] = []
    for name, method in (measured or methods()).items():
        figures[name], results = measure(cases, method)
        ours = ours or results
        progress(f"{name}: V {figures[name]['v_measure']:.3f}, top-1 {figures[name]['top_1']:.3f}")
    kinds = _kinds(cases, ours)
    first, *others = kinds
    behind = [
        f"{label} of {name}"
        for label, figure in _COMPARED.items()
        for name, row in figures.items()
        if name != _OURS and row[figure] >= figures[_OURS][figure]
    ]
    behind += [f"kinds by {other['by']}" for other in others if other["accuracy"] >= first["accuracy"]]
    asked = sum(len(case.commands) for case in cases)
    rows = [{"method": name, **rounded(row)} for name, row in figures.items()]
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
        "methods": rows,
        "resolve": _through_resolve(cases, tagger, matcher),
        "kinds": kinds,
        "paper": _PAPER_CSR,
        "behind": behind,
        "river": river_is_there(),
    }
    return Report(values, not behind, SYNTHETIC)


def _kinds(cases: Sequence[Case], results: Sequence[Result]) -> list[dict[str, Any]]:
    """Kinds as the memory tells them, by the paper's Φ, by the number of records alone, all as one-offs."""
    ways: dict[str, Callable[[Prototype], RecordKind]] = {
        _OURS: kind_of_prototype,
        "Φ of the paper alone": kind_by_confidence,
        "number of records alone": _kind_by_size,
        "all one-offs": lambda prototype: RecordKind.MOMENT,
    }
    kinds = []
    for name, kind_of in ways.items():
        counts: Counter[tuple[str, str]] = Counter()
        for case, result in zip(cases, results, strict=True):
            for prototype in result.prototypes:
                kind = kind_of(prototype)
                counts.update((case.kinds[member.record_id], kind) for member in prototype.members)
        right = sum(count for (true, kind), count in counts.items() if true == kind)
        kinds.append(
            {
                "by": name,
                "accuracy": round(right / counts.total(), 4),
                "f1": rounded(confusion_f1(counts, RecordKind)),
                "confusion": {f"{true} as {kind}": count for (true, kind), count in counts.items()},
            }
        )
    return kinds


def _kind_by_size(prototype: Prototype) -> RecordKind:
    size = len(prototype.members)
    return (
        RecordKind.MOMENT
        if size < STABLE
        else RecordKind.ROUTINE
        if size >= 4 * STABLE
        else RecordKind.PREFERENCE
    )

"""`bench proactive`: when to speak, on synthetic lives (PersonalAlign 6.1, Tables 4 and 6).

The first 80 % of each life's days are history. Each state after it is judged by itself with that history
alone: positive ones are moments just before a routine is carried out, quiet ones are not near any. Then the
days after it are lived again, with the product's rules of speaking and a user who answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from assistant.bench.cluster_scores import harmonic_mean
from assistant.bench.proactive_methods import (
    History,
    Judge,
    Method,
    history_of,
    last_done,
    methods,
    recency_share,
)
from assistant.bench.proactive_replay import (
    Day,
    Replay,
    Voice,
    calibration,
    chance_pairs,
    days_of,
    main_cluster,
    replay,
    speak_as_product,
    speak_from,
)
from assistant.bench.report import SYNTHETIC, Report, progress, rounded
from assistant.embedding.embedder import Embedder
from assistant.embedding.models import CachedEmbedder
from assistant.memory.prototypes.model import Member, Prototype
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.store import Store
from assistant.proactive.likelihood import NOTHING_DONE, USUAL, estimate_chances
from assistant.proactive.suggestions import threshold
from assistant.records import State
from assistant.settings.schema import ProactiveSettings
from assistant.simulator.chance import Chance, whole
from assistant.simulator.life.living import Life, lives
from assistant.simulator.life.people import LifeOptions
from assistant.simulator.life.questions import AskedState, states

PAPER = {"f1": 0.797, "false_alarms": 0.49}
BALANCE = 215 / 100
"""Positive states to quiet ones in the paper; ours are weighted to it."""
HEARTBEAT_MS = 5.0
"""What one look at the time may take with 1,000 prototypes."""

_REPLAYED = 3
"""So many of the people live their last days again: each way of judging looks every minute."""
_HEARTBEATS, _WARM_UP = 15, 2
_PROTOTYPES = 1000
_DAYS = 56
_DAY_SETS = (
    frozenset(range(7)),
    frozenset(range(5)),
    frozenset({0, 2, 4}),
    frozenset({1, 3}),
    frozenset({5}),
)


@dataclass(frozen=True, slots=True)
class Marks:
    """What is aimed at, by whether the lives are hard."""

    f1: float
    false_alarms: float
    right: float


MARKS = {False: Marks(0.96, 0.05, 0.97), True: Marks(0.84, 0.08, 0.0)}


@dataclass(frozen=True, slots=True)
class Case:
    """One life: what is held of its history, the states that are asked, and the true cluster of each record.

    `days` are those after the history, for the lives that are lived again.
    """

    life: Life
    history: History
    asked: tuple[AskedState, ...]
    truth: dict[str, str]
    days: tuple[Day, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What a method makes of a state: whether it guesses anything, and whether that is what was wanted."""

    score: float
    positive: bool
    right: bool
    guessed: bool


def read_lives(options: LifeOptions, embeds: Embedder, lived: int) -> list[Case]:
    """Live the lives and aggregate their histories; for `lived` of them the days after it too."""
    cases: list[Case] = []
    for life in lives(options):
        with TemporaryDirectory(prefix="assistant-bench-") as folder:
            store = Store(Path(folder), partial(getattr, life, "split"))
            try:
                store.records.add(life.history)
                memory = HierarchicalMemory(store, embeds)
                history = history_of(memory.prototypes(life.person.user_id))
                days = tuple(days_of(life, store, memory)) if len(cases) < lived else ()
            finally:
                store.close()
        truth = {record.record_id: record.cluster for record in life.truths}
        cases.append(Case(life, history, tuple(states(life)), truth, days))
    return cases


def answers(case: Case, method: Method) -> list[Answer]:
    """What a method makes of each state of a life."""
    given = []
    done = last_done(case.history.prototypes, case.life.split)
    for asked in case.asked:
        judged = method.judge(case.history, State(time=asked.at, scenario=asked.scenario), done)
        prototype = case.history.prototypes.get(judged.routine)
        cluster = main_cluster(prototype, case.truth) if prototype else ""
        given.append(
            Answer(
                score=judged.score,
                positive=asked.cluster is not None,
                right=bool(cluster) and cluster in {asked.cluster, *asked.also},
                guessed=prototype is not None,
            )
        )
    return given


def identify(given: Sequence[Answer], least: float) -> dict[str, float]:
    """How well positive states are told from quiet ones by a method that speaks from a score on."""
    positive = [answer for answer in given if answer.positive]
    quiet = [answer for answer in given if not answer.positive]
    spoken = len(_spoken(positive, least))
    alarms = len(_spoken(quiet, least)) / max(1, len(quiet))
    false = alarms * len(positive) / BALANCE
    precision = spoken / (spoken + false) if spoken else 0.0
    recall = spoken / max(1, len(positive))
    f1 = harmonic_mean(precision, recall)
    return {"precision": precision, "recall": recall, "f1": f1, "false_alarms": alarms}


def best_least(given: Sequence[Answer]) -> float:
    """The score with the best F1 in hindsight, which favours a method."""
    return max((step / 50 for step in range(1, 50)), key=lambda least: identify(given, least)["f1"])


def _spoken(given: Sequence[Answer], least: float) -> list[Answer]:
    return [answer for answer in given if answer.score >= least and answer.guessed]


def _scores(given: Sequence[Answer], least: float) -> dict[str, float]:
    """Identification, and the share of what was offered in positive states that was wanted."""
    spoken = _spoken([answer for answer in given if answer.positive], least)
    return {
        "least": least,
        **identify(given, least),
        "right": sum(answer.right for answer in spoken) / max(1, len(spoken)),
    }


def run(options: LifeOptions, embeds: Embedder, settings: ProactiveSettings) -> Report:
    """Measure all methods on the lives that the options ask for.

    Args:
        options: the lives.
        embeds: the sentence embedder.
        settings: when the product speaks.
    """
    remembering = CachedEmbedder(embeds)
    cases = read_lives(options, remembering, _REPLAYED)
    asked = [state for case in cases for state in case.asked]
    progress(f"{len(cases)} lives, {len(asked)} states, model {embeds.model_id}")
    tried, scores = [], []
    for method in methods(threshold(settings.cost_of_being_wrong)):
        given = [answer for case in cases for answer in answers(case, method)]
        least = best_least(given) if method.least is None else method.least
        tried.append(replace(method, least=least))
        scores.append({"method": method.name, **rounded(_scores(given, least))})
        progress(f"{method.name}: F1 {scores[-1]['f1']}, false alarms {scores[-1]['false_alarms']}")
    (calm,) = read_lives(replace(options, people=1, routines=False), remembering, 1)
    days = [case.days for case in cases if case.days]
    replays = []
    for voice in voices(tried, settings.cost_of_being_wrong):
        lived = sum(
            (replay(own, voice, settings, f"{options.seed} {place}") for place, own in enumerate(days)),
            Replay(),
        )
        unasked = replay(calm.days, voice, settings, f"{options.seed} 0")
        figures = lived.as_json(voice.name, remembering)
        replays.append({**figures, "a_day_without_routines": round(unasked.per_day, 3)})
        progress(f"{voice.name}, lived again: {figures['a_day']} a day, F1 {figures['f1']}")
    curves = {
        name: calibration([pair for own in days for pair in chance_pairs(own, given_chances)])
        for name, given_chances in (
            (
                "ours",
                lambda history, state, recent: (
                    estimate_chances(history.table, state, USUAL, history.feedback, recent).chance
                ),
            ),
            ("frequency", lambda history, state, recent: recency_share(history, state)),
        )
    }
    beats = [
        {"method": method.name, "heartbeat_ms": round(heartbeat(method.judge, options.seed), 2)}
        for method in tried
        if not method.name.startswith("ours ")
    ]
    return _report(options, embeds.model_id, asked, scores, replays, curves, beats)


def voices(tried: Sequence[Method], cost_of_being_wrong: float) -> list[Voice]:
    """The product, what is left out of it (PersonalAlign Figure 6), and the baselines, as they speak."""

    def product(name: str, learns: bool = True, **left_out: bool) -> Voice:
        return Voice(name, speak_as_product(replace(USUAL, **left_out), cost_of_being_wrong), learns)

    return [
        product("ours"),
        product("ours without feedback", learns=False),
        product("ours without time", time=False),
        product("ours without scenario", scenario=False),
        *(
            Voice(method.name, speak_from(method.judge, method.least or 0.0))
            for method in tried
            if not method.name.startswith("ours")
        ),
    ]


def heartbeat(judge: Judge, seed: int, prototypes: int = _PROTOTYPES) -> float:
    """Milliseconds of processor time that judging one state takes with so many prototypes."""
    random, first = Chance(whole(0, 2**48, "changes", seed, "heartbeat")), datetime(2025, 3, 3, tzinfo=UTC)
    drawn = []
    for number in range(prototypes):
        days, minute = random.choice(_DAY_SETS), random.uniform(7 * 60, 21 * 60)
        times = []
        for day in range(_DAYS):
            offset = random.gauss(0, 15.0)
            if random.random() >= 0.1 and (first + timedelta(days=day)).weekday() in days:
                times.append(first + timedelta(days=day, minutes=minute + offset))
        drawn.append(_prototype(f"p{number}", times))
    history = history_of(drawn)
    spent = []
    for number in range(_HEARTBEATS + _WARM_UP):
        now = first + timedelta(days=_DAYS, minutes=7 * 60 + 55 * number)
        before = process_time()
        judge(history, State(time=now, scenario="office"), NOTHING_DONE)
        spent.append(process_time() - before)
    return 1000 * median(spent[_WARM_UP:])


def _prototype(name: str, times: Sequence[datetime]) -> Prototype:
    members = tuple(Member(f"{name}-{place}", at, "unknown", 1.0) for place, at in enumerate(times))
    return Prototype(name, "s", members[0].record_id, f"Do {name}", (), "", "", members, float(len(members)))


def _report(
    options: LifeOptions,
    model: str,
    asked: Sequence[AskedState],
    scores: Sequence[dict[str, Any]],
    replays: Sequence[dict[str, Any]],
    curves: dict[str, dict[str, Any]],
    beats: Sequence[dict[str, Any]],
) -> Report:
    marks, ours = MARKS[options.hard], scores[0]
    positive = sum(state.cluster is not None for state in asked)
    values = {
        "benchmark": "proactive",
        "model": model,
        "seed": options.seed,
        "people": options.people,
        "weeks": options.weeks,
        "hard": options.hard,
        "states": {"positive": positive, "quiet": len(asked) - positive},
        "methods": scores,
        "replay": replays,
        "calibration": curves,
        "heartbeat": beats,
        "marks": {**asdict(marks), "heartbeat_ms": HEARTBEAT_MS},
        "paper": PAPER,
    }
    good = (
        ours["f1"] >= marks.f1 and ours["false_alarms"] <= marks.false_alarms and ours["right"] >= marks.right
    )
    return Report(values, good, SYNTHETIC)

"""`bench proactive`: when to speak, on synthetic lives (PersonalAlign 6.1, Tables 4 and 6).

The first 80 % of each life's days are history. First, the days after it are lived again, with the product's
rules of speaking and a user who answers: what a person would get. Then states of these days are judged by
themselves: just before a routine is carried out, between 5 and 120 minutes from one, and far from any.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from statistics import median
from time import process_time
from typing import Any

from assistant.bench.cluster_scores import harmonic_mean
from assistant.bench.personalalign import DUE, QUIET, LivedPeople, ask_model, identify, paper_states
from assistant.bench.proactive_methods import (
    History,
    Judge,
    Method,
    baselines,
    history_of,
    ours,
    recency_share,
)
from assistant.bench.proactive_replay import (
    RIGHT,
    Day,
    Voice,
    calibration,
    chance_pairs,
    live_days,
    replay,
    speak_as_oracle,
    speak_as_product,
    speak_from,
    summary,
)
from assistant.bench.report import SYNTHETIC, Report, progress, rounded
from assistant.bench.written_profile import costs
from assistant.embedding.embedder import CachedEmbedder, Embedder
from assistant.memory.prototypes.model import Member, Prototype
from assistant.proactive.forecast import (
    AT_ONCE,
    NOTHING_DONE,
    USUAL,
    RecentHabits,
    estimate_chances,
    threshold,
)
from assistant.records import State
from assistant.settings.schema import ModelSettings, ProactiveSettings
from assistant.simulator.chance import Chance, whole
from assistant.simulator.life.living import Life
from assistant.simulator.life.people import LifeOptions
from assistant.simulator.life.questions import states

PAPER = {"f1": 0.797, "false_alarms": 0.49}
BALANCE = 215 / 100
"""Positive states to quiet ones in the paper; ours are weighted to it."""
HEARTBEAT_MS = 5.0
"""What one look at the time may take with 1,000 prototypes."""
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
_NEAR = (5.0, 120.0)
MARKS = {False: {"f1": 0.92, "needless_a_day": 0.2}, True: {"f1": 0.54, "needless_a_day": 0.7}}
"""What is aimed at, by whether the lives are hard."""
_ORACLE = "knows every habit, not the dice"
_ORACLE_COSTS = {False: (0.5, 0.9), True: (0.3, 0.38)}
"""Of these costs of being wrong, the better is taken in hindsight, by whether the lives are hard."""
STATE_MARKS = {"right": 0.92, "false_alarms": 0.05}


@dataclass(frozen=True, slots=True)
class Asked:
    """A state to judge: `right_clusters` are the clusters that are right; none for a state to be quiet in.

    `recent` is what was done that day, where it is given. `kind` names the set that it belongs to.
    """

    kind: str
    state: State
    right_clusters: frozenset[str]
    history: History
    clusters: dict[str, str]
    recent: RecentHabits


def asked_states(life: Life, days: Sequence[Day]) -> Iterator[Asked]:
    """The states of one life, judged with its history alone, or with what was done that day."""
    first = days[0]
    for asked in states(life):
        right_clusters = frozenset({asked.cluster, *asked.also} if asked.cluster else ())
        state = State(time=asked.at, scenario=asked.scenario)
        yield Asked("just before, or far", state, right_clusters, first.history, first.clusters, NOTHING_DONE)
    random = Chance(whole(0, 2**48, "near", life.person.user_id))
    for day in days:
        for deed in (done for done in day.done if done.due):
            away = timedelta(minutes=random.choice((-1, 1)) * random.uniform(*_NEAR))
            now = (deed.record.time + away).astimezone(day.midnight.tzinfo).replace(microsecond=0)
            if now.date() == day.date:
                coming = [done for done in day.done if timedelta() < done.record.time - now <= RIGHT]
                right_clusters = frozenset(done.cluster for done in coming if done.due)
                recent = day.recent(now)
                yield Asked(
                    "5 to 120 minutes from one",
                    day.state(now),
                    right_clusters,
                    day.history,
                    day.clusters,
                    recent,
                )


def judge_states(asked: Sequence[Asked], method: Method) -> dict[str, dict[str, float]]:
    """By set: how often what is wanted is offered, and how often something is offered in quiet states.

    F1 tells states in which something is wanted from quiet ones, weighted to the paper's balance.
    """
    given = [(each, method.judge(each.history, each.state, each.recent)) for each in asked]
    figures = {}
    for kind in dict.fromkeys(each.kind for each in asked):
        own = [(each, judged) for each, judged in given if each.kind == kind]
        figures[kind] = max((_scores(own, least) for least in method.least), key=lambda row: row["f1"])
    return figures


def _scores(given: Sequence[tuple[Asked, Any]], least: float) -> dict[str, float]:
    spoken = [(each, judged) for each, judged in given if judged.routine and judged.score >= least]
    positive = sum(bool(each.right_clusters) for each, _ in given)
    recall = sum(bool(each.right_clusters) for each, _ in spoken) / max(1, positive)
    right = sum(
        each.clusters.get(judged.routine, "") in each.right_clusters
        for each, judged in spoken
        if each.right_clusters
    )
    alarms = sum(not each.right_clusters for each, _ in spoken) / max(1, len(given) - positive)
    precision = recall / (recall + alarms / BALANCE) if recall else 0.0
    return {
        "f1": harmonic_mean(precision, recall),
        "right": right / max(1, positive),
        "false_alarms": alarms,
        "least": least,
    }


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """LLM-UM beside the others: `model` is asked about so many `states`; None for the scripted one."""

    model: ModelSettings | None = None
    states: int = DUE + QUIET


def run(
    options: LifeOptions,
    embeds: Embedder,
    settings: ProactiveSettings,
    seeds: int = 1,
    llm_um: ModelProfile | None = None,
) -> Report:
    """Measure all ways of speaking on the lives that the options ask for.

    Args:
        options: the lives.
        embeds: the sentence embedder.
        settings: when the product speaks.
        seeds: from how many seeds, the next ones, so many lives are taken; all count as one set.
        llm_um: has a model write a profile of each person, and asks it about some states.

    Raises:
        TurnFailed: that model's endpoint fails.
    """
    remembering = CachedEmbedder(embeds)
    people = [
        lived
        for place in range(seeds)
        for lived in live_days(replace(options, seed=options.seed + place), remembering)
    ]
    calm = live_days(replace(options, people=max(1, options.people // 4), routines=False), remembering)
    progress(f"{len(people)} lives, model {embeds.model_id}")
    rows = [_best_row(voices, people, calm, settings, options.seed) for voices in _voices(settings)]
    particular = [
        _figures(voice, people, settings, options.seed, particular=True)
        for voices in list(_voices(settings))[:2]
        for voice in voices
    ]
    for row in particular:
        progress(
            f"{row['method']}, some never wanted: F1 {row['f1']}, {row['needless_a_day']} needless a day"
        )
    oracle = _oracle_row(people, settings, options)
    progress(f"{_ORACLE}: F1 {oracle['f1']}, {oracle['needless_a_day']} needless a day")
    asked = [state for life, days in people for state in asked_states(life, days)]
    least = threshold(settings.cost_of_being_wrong)
    methods = [Method("ours", ours(AT_ONCE), (least,)), *baselines()]
    judged = [
        {"method": method.name, "set": kind, **rounded(row)}
        for method in methods
        for kind, row in judge_states(asked, method).items()
    ]
    beats = [
        {"method": method.name, "heartbeat_ms": round(heartbeat(method.judge, options.seed), 2)}
        for method in methods
    ]
    written = _with_profiles(people, remembering, settings, options.seed, llm_um) if llm_um else {}
    return _report(
        options, seeds, embeds.model_id, rows, oracle, particular, judged, _curves(people), beats, written
    )


def _with_profiles(
    people: LivedPeople,
    embeds: Embedder,
    settings: ProactiveSettings,
    seed: int,
    llm_um: ModelProfile,
) -> dict[str, Any]:
    """LLM-UM and the others on states in the paper's proportion, and what its calls cost."""
    asked = paper_states(people, seed, llm_um.states)
    written = ask_model(people, asked, llm_um.model)
    return {"identification": identify(people, settings, embeds, asked, written), "llm_um": costs(written)}


def _best_row(
    voices: Sequence[Voice], people: LivedPeople, calm: LivedPeople, settings: ProactiveSettings, seed: int
) -> dict[str, Any]:
    """What the best of a method's voices comes to, and how often it speaks to who has no routines."""
    figures = [_figures(voice, people, settings, seed) for voice in voices]
    best = max(range(len(voices)), key=lambda place: figures[place]["f1"])
    unasked = [
        replay(days, voices[best], settings, f"{seed} {place}") for place, (_, days) in enumerate(calm)
    ]
    needless = sum(len(each.suggestions) for each in unasked) / max(1, sum(each.days for each in unasked))
    row = {**figures[best], "a_day_without_routines": round(needless, 3)}
    progress(f"{row['method']}, lived: F1 {row['f1']}, {row['needless_a_day']} needless a day")
    return row


def _oracle_row(people: LivedPeople, settings: ProactiveSettings, options: LifeOptions) -> dict[str, Any]:
    """What somebody comes to who knows when each routine is due, and speaks at the best of some costs."""

    def speak(cost: float) -> dict[str, Any]:
        lived = [
            replay(
                days, Voice(_ORACLE, speak_as_oracle(days, cost), False), settings, f"{options.seed} {place}"
            )
            for place, (_, days) in enumerate(people)
        ]
        return summary(_ORACLE, lived)

    return max(map(speak, _ORACLE_COSTS[options.hard]), key=lambda row: float(row["f1"]))


def _curves(people: LivedPeople) -> dict[str, dict[str, Any]]:
    """How often what was given a chance was then done."""
    return {
        name: calibration([pair for _, days in people for pair in chance_pairs(days, given_chances)])
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


def _figures(
    voice: Voice,
    people: LivedPeople,
    settings: ProactiveSettings,
    seed: int,
    *,
    particular: bool = False,
) -> dict[str, Any]:
    lived = [
        replay(days, voice, settings, f"{seed} {place}", particular=particular)
        for place, (_, days) in enumerate(people)
    ]
    return summary(voice.name, lived)


def _voices(settings: ProactiveSettings) -> Iterator[list[Voice]]:
    """The product, what is left out of it (PersonalAlign Figure 6), and the baselines.

    A baseline has a voice for each score that it may speak from; the best of them counts.
    """
    for name, weighing, learns in (
        ("ours", USUAL, True),
        ("ours without feedback", USUAL, False),
        ("ours without sequence", replace(USUAL, sequence=False), True),
        ("ours with the scenario", replace(USUAL, place_ahead=True), True),
        ("ours without time", replace(USUAL, time=False), True),
    ):
        yield [Voice(name, speak_as_product(weighing, settings), learns)]
    for method in baselines():
        yield [Voice(method.name, speak_from(method.judge, least), False) for least in method.least]


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
    seeds: int,
    model: str,
    rows: Sequence[dict[str, Any]],
    oracle: dict[str, Any],
    particular: Sequence[dict[str, Any]],
    judged: Sequence[dict[str, Any]],
    curves: dict[str, dict[str, Any]],
    beats: Sequence[dict[str, Any]],
    written: dict[str, Any],
) -> Report:
    marks, product = MARKS[options.hard], rows[0]
    values = {
        "benchmark": "proactive",
        "model": model,
        "seed": options.seed,
        "seeds": seeds,
        "people": options.people,
        "weeks": options.weeks,
        "hard": options.hard,
        "lived": rows,
        "lived_by_oracle": oracle,
        "share_of_oracle": round(product["f1"] / max(1e-9, oracle["f1"]), 3),
        "lived_by_particular_people": particular,
        "states": judged,
        "calibration": curves,
        "heartbeat": beats,
        **written,
        "marks": {**marks, **STATE_MARKS, "heartbeat_ms": HEARTBEAT_MS},
        "paper": PAPER,
    }
    good = product["f1"] >= marks["f1"] and product["needless_a_day"] <= marks["needless_a_day"]
    gains = particular[0]["f1"] > particular[1]["f1"]
    return Report(values, good and gains and all(row["f1"] <= product["f1"] for row in rows[1:]), SYNTHETIC)

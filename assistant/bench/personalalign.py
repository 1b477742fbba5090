"""`bench personalalign`: what PersonalAlign measures of routines (Tables 4 to 6, C.1 to C.3).

Its annotated records and its screens are not given, so lives are invented, with the paper's 215 states in
which a routine is due and 100 in which none is. What was wanted is known here, so that no model
judges. What no figure is made of is said in `not_measured`.

- Identification: whether a state asks for a suggestion, and whether the right one is made.
- Execution with suggestions: the suggestion's usual actions beside those that the person then took. The paper
  has a model act on recorded screens; here the actions are the memory's, and no screen is looked at.
- C.1, rewriting: a vague command as the memory completes it, beside what the person says of it in full.
- C.2, triggering: the lived days, looked at only when a time comes that was learnt before the day, and after
  what the person does.
- C.3, executing: what would have become of every suggestion, had it been carried out unasked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from statistics import fmean
from typing import Any

import numpy as np
from rapidfuzz.distance import Levenshtein

from assistant.bench.cluster_scores import harmonic_mean
from assistant.bench.him import judge, read_lives, resolve_life
from assistant.bench.paper_methods import nearest
from assistant.bench.proactive_methods import History, Method, baselines, ours
from assistant.bench.proactive_replay import (
    RIGHT,
    Day,
    Look,
    Offers,
    Voice,
    live_days,
    replay,
    speak_as_product,
    summary,
)
from assistant.bench.report import SYNTHETIC, Report, progress, rounded
from assistant.bench.resolving import Fate
from assistant.bench.success_rates import NOTHING, mean_rates, success_rates
from assistant.bench.written_profile import (
    MOST_RECORDS,
    WrittenAnswer,
    WrittenProfiles,
    costs,
    write_profiles,
)
from assistant.embedding.embedder import CachedEmbedder, Embedder
from assistant.proactive.forecast import (
    AT_ONCE,
    NOTHING_DONE,
    USUAL,
    Habits,
    RoutineFeedback,
    find_expected_occasions,
    threshold,
)
from assistant.proactive.suggestions import RoutineCandidate
from assistant.records import Action, Outcome, Record, State
from assistant.settings.schema import ModelSettings, ProactiveSettings
from assistant.simulator.chance import Chance, whole
from assistant.simulator.life.living import Life
from assistant.simulator.life.people import LifeOptions
from assistant.simulator.life.questions import states
from assistant.understand.resolution import ResolutionKind

DUE, QUIET = 215, 100
"""States in which a routine is due, and in which none is, in the paper."""
LLM_UM = "LLM-UM"
NOT_MEASURED = (
    "Judgement by a language model (Table 4): the lives tell what was wanted.",
    "Type, SSR and CSR of vision-language models on recorded screens (Tables 3, 5, 7): neither screens nor a "
    "model are given; the memory's actions are compared instead.",
    "AndroidIntent's 775 and 215 annotated intents: not given, so its lives are not these.",
    "C.1 to C.3 have no figures in the paper.",
)
_LIVED = "a look every two minutes"
PAPER: tuple[dict[str, Any], ...] = (
    {"method": "recent records", "semantic": 0.494, "judged": 0.32, "precision": 0.708, "recall": 0.783,
     "false_alarms": 0.62, "f1": 0.758, "tokens": "4930"},
    {"method": "nearest records", "semantic": 0.498, "judged": 0.322, "precision": 0.742, "recall": 0.82,
     "false_alarms": 0.64, "f1": 0.779, "tokens": "3089"},
    {"method": LLM_UM, "semantic": 0.491, "judged": 0.316, "precision": 0.756, "recall": 0.823,
     "false_alarms": 0.57, "f1": 0.788, "tokens": "1161 (+6518)"},
    {"method": "HIM-Agent", "semantic": 0.535, "judged": 0.363, "precision": 0.781, "recall": 0.814,
     "false_alarms": 0.49, "f1": 0.797, "tokens": "1605"},
)  # fmt: skip
"""Table 6, with GPT-5.1."""
PAPER_EXECUTION: tuple[dict[str, Any], ...] = (
    {"method": "the command alone", "type": 0.466, "ssr": 0.206, "csr": 0.266},
    {"method": "recent records", "type": 0.494, "ssr": 0.211, "csr": 0.332},
    {"method": "nearest records", "type": 0.51, "ssr": 0.224, "csr": 0.354},
    {"method": LLM_UM, "type": 0.512, "ssr": 0.223, "csr": 0.352},
    {"method": "HIM-Agent", "type": 0.52, "ssr": 0.24, "csr": 0.423},
)
"""Table 5: vague commands, with Qwen3-VL on recorded screens."""

LivedPeople = Sequence[tuple[Life, tuple[Day, ...]]]


@dataclass(frozen=True, slots=True)
class PaperState:
    """A state to tell. `said` and `actions` are what the person then says and does; empty where none is due.

    `person` is a place among the lives, `right_clusters` are the clusters that are right.
    """

    person: int
    state: State
    right_clusters: frozenset[str]
    said: str = ""
    actions: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """What a method suggests in a state: the routine that it means, and its words; both empty for nothing."""

    routine: str = ""
    words: str = ""


def paper_states(people: LivedPeople, seed: int, count: int = DUE + QUIET) -> list[PaperState]:
    """States of all people in the paper's proportion, at most so many, drawn by the seed."""
    every = [
        _paper_state(place, life, asked.at, asked.scenario, frozenset({asked.cluster, *asked.also} - {None}))
        for place, (life, _) in enumerate(people)
        for asked in states(life)
    ]
    random = Chance(whole(0, 2**48, "paper states", seed))
    due = [state for state in every if state.right_clusters]
    quiet = [state for state in every if not state.right_clusters]
    share = round(count * DUE / (DUE + QUIET))
    return [
        *random.sample(due, min(share, len(due))),
        *random.sample(quiet, min(count - share, len(quiet))),
    ]


def _paper_state(
    place: int, life: Life, at: datetime, scenario: str, right_clusters: frozenset[Any]
) -> PaperState:
    state = State(time=at, scenario=scenario)
    if not right_clusters:
        return PaperState(place, state, frozenset())
    clusters = {truth.record_id: truth.cluster for truth in life.truths}
    coming = [
        record
        for record in life.own
        if timedelta() <= record.time - at <= timedelta(minutes=6) and clusters[record.id] in right_clusters
    ]
    deed = min(coming, key=lambda record: record.time, default=None)
    done = deed.actions if deed is not None and deed.outcome is Outcome.SUCCESS else ()
    return PaperState(place, state, right_clusters, deed.instruction if deed is not None else "", done)


def tell(method: Method, asked: Sequence[PaperState], people: LivedPeople, least: float) -> list[Told]:
    """What a way of judging suggests in each state, with nothing known of the day."""
    suggestions = []
    for each in asked:
        history = people[each.person][1][0].history
        judged = method.judge(history, each.state, NOTHING_DONE)
        prototype = history.prototypes.get(judged.routine)
        spoken = prototype is not None and judged.score >= least
        suggestions.append(Told(judged.routine, prototype.instruction) if prototype and spoken else Told())
    return suggestions


def tell_written(
    answers: Sequence[WrittenAnswer], asked: Sequence[PaperState], people: LivedPeople, embeds: Embedder
) -> list[Told]:
    """What a model's words suggest: the routine whose instruction is nearest to them."""
    suggestions = []
    for answer, each in zip(answers, asked, strict=True):
        prototypes = people[each.person][1][0].history.prototypes
        if not answer.text or not prototypes:
            suggestions.append(Told(words=answer.text))
            continue
        vectors = embeds.embed([answer.text, *(each.instruction for each in prototypes.values())])
        place = int(np.argmax(vectors[1:] @ vectors[0]))
        suggestions.append(Told(list(prototypes)[place], answer.text))
    return suggestions


def likeness(words: str, meant: str, embeds: Embedder) -> float:
    """The mean of cosine and edit similarity of two texts, 0..1, as FingerTip 5.1 has it."""
    if not words or not meant:
        return 0.0
    first, second = embeds.embed([words, meant])
    return (max(0.0, float(first @ second)) + Levenshtein.normalized_similarity(words, meant)) / 2


def score(
    name: str,
    suggestions: Sequence[Told],
    asked: Sequence[PaperState],
    people: LivedPeople,
    embeds: Embedder,
) -> dict[str, Any]:
    """The figures of Table 6, and Type, SSR and CSR of what would be carried out.

    A silence where something is due has no likeness and no step. `judged` are the states in which the
    right routine is suggested.
    """
    pairs = list(zip(suggestions, asked, strict=True))
    due = [(made, each) for made, each in pairs if each.right_clusters]
    quiet = [made for made, each in pairs if not each.right_clusters]
    hits, alarms = sum(bool(made.words) for made, _ in due), sum(bool(made.words) for made in quiet)
    precision, recall = hits / max(1, hits + alarms), hits / max(1, len(due))
    right = [
        people[each.person][1][0].clusters.get(made.routine, "") in each.right_clusters for made, each in due
    ]
    rates = []
    for made, each in due:
        prototype = people[each.person][1][0].history.prototypes.get(made.routine)
        if each.actions:
            has_actions = prototype is not None and prototype.actions
            rates.append(
                success_rates(each.actions, prototype.actions) if has_actions and prototype else NOTHING
            )
    return {
        "method": name,
        "semantic": fmean(likeness(made.words, each.said, embeds) for made, each in due) if due else 0.0,
        "judged": fmean(right) if right else 0.0,
        "precision": precision,
        "recall": recall,
        "false_alarms": alarms / max(1, len(quiet)),
        "f1": harmonic_mean(precision, recall),
        **mean_rates(rates),
    }


def identify(
    people: LivedPeople,
    settings: ProactiveSettings,
    embeds: Embedder,
    asked: Sequence[PaperState],
    written: WrittenProfiles | None,
) -> list[dict[str, Any]]:
    """A row of figures for each way of telling; a baseline takes the score from which it is best."""
    methods = [Method("ours", ours(AT_ONCE), (threshold(settings.cost_of_being_wrong),)), *baselines()]
    rows = []
    for method in methods:
        tried = [
            score(method.name, tell(method, asked, people, least), asked, people, embeds)
            for least in method.least
        ]
        rows.append({**rounded(max(tried, key=lambda row: float(row["f1"]))), "tokens": "0"})
    if written is not None:
        suggestions = tell_written(written.suggestions, asked, people, embeds)
        rows.append(
            {**rounded(score(LLM_UM, suggestions, asked, people, embeds)), "tokens": _tokens(written)}
        )
    return rows


def _tokens(written: WrittenProfiles) -> str:
    counts: dict[str, Any] = dict(costs(written))
    each, once = counts["a_state"], counts["a_profile"]
    return f"{each['tokens_in'] + each['tokens_out']} (+{once['tokens_in'] + once['tokens_out']})"


def ask_model(
    people: LivedPeople, asked: Sequence[PaperState], model: ModelSettings | None
) -> WrittenProfiles:
    """LLM-UM's profiles of all people and its answers to the states; see `write_profiles`."""
    histories = [
        [record for record in life.own if record.time < life.split and record.outcome is Outcome.SUCCESS]
        for life, _ in people
    ]
    return asyncio.run(write_profiles(model, histories, [(each.person, each.state) for each in asked]))


def rewriting(options: LifeOptions, embeds: Embedder) -> list[dict[str, Any]]:
    """C.1: vague commands as said, as the nearest record, and as the memory completes them.

    What is asked about stays as it was said; `right` and `wrong` are shares of what is rewritten.
    """
    rows: dict[str, list[tuple[float, Fate]]] = {"as said": [], "nearest record": [], "ours": []}
    for case in read_lives(options, embeds):
        meant = {
            case.truth[record.id]: record.instruction
            for record in reversed(case.life.own)
            if record.time >= case.life.split and record.id in case.truth
        }
        vague = resolve_life(case, None).vague
        for command, vector, resolution in zip(case.commands, case.asked, vague, strict=True):
            if command.cluster not in meant:
                continue
            target = meant[command.cluster]
            near = nearest(case.history, vector, 1)[0]
            fate = Fate.RIGHT if case.truth[near.record_id] == command.cluster else Fate.WRONG
            filled = resolution.instruction if resolution.decision is ResolutionKind.FILLED else command.said
            for name, words, became in (
                ("as said", command.said, Fate.AS_SAID),
                ("nearest record", near.text, fate),
                ("ours", filled, judge(case, command, resolution)),
            ):
                rows[name].append((likeness(words, target, embeds), became))
    return [{"method": name, **rounded(_rewritten(given))} for name, given in rows.items()]


def _rewritten(given: Sequence[tuple[float, Fate]]) -> dict[str, float]:
    filled = [fate for _, fate in given if fate in (Fate.RIGHT, Fate.WRONG)]
    return {
        "commands": len(given),
        "semantic": fmean(like for like, _ in given) if given else 0.0,
        "rewritten": len(filled) / max(1, len(given)),
        "right": sum(fate is Fate.RIGHT for fate in filled) / max(1, len(filled)),
        "asked": sum(fate is Fate.ASKED for _, fate in given) / max(1, len(given)),
    }


class _Triggered:
    """Offers as the product does, only when a time comes that was learnt before the day, or after a deed.

    A trigger that comes while another suggestion is open waits for its end.
    """

    def __init__(self, settings: ProactiveSettings) -> None:
        self._offers, self._settings = speak_as_product(USUAL, settings), settings
        self._day, self._looked = date.min, datetime.min.replace(tzinfo=UTC)
        self._opening: tuple[datetime, ...] = ()
        self.looks = 0

    def __call__(self, look: Look) -> Iterator[RoutineCandidate]:
        now = look.state.time
        if now.date() != self._day:
            self._day, self._opening = now.date(), self._learnt(look.history, look.answers, now)
        triggers = (*self._opening, *(done for _, done in look.recent.done))
        before, self._looked = self._looked, now
        if any(before < trigger <= now for trigger in triggers):
            self.looks += 1
            yield from self._offers(look)

    def _learnt(self, history: History, answers: RoutineFeedback, now: datetime) -> tuple[datetime, ...]:
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        expected = find_expected_occasions(
            Habits(history.prototypes, history.table),
            midnight,
            self._settings.cost_of_being_wrong,
            feedback=answers.feedback,
            days=1,
            prompted=answers.prompted,
        )
        return tuple(occasion.opens for occasion in expected)


def triggering(people: LivedPeople, settings: ProactiveSettings, seed: int) -> list[dict[str, Any]]:
    """C.2: the lived days with a look every two minutes, and with one only where something triggers it."""
    rows = []
    watched = [
        replay(days, Voice(_LIVED, speak_as_product(USUAL, settings)), settings, f"{seed} {place}")
        for place, (_, days) in enumerate(people)
    ]
    rows.append({**summary(_LIVED, watched), "looks_a_day": 720.0})
    triggered, looks = [], 0
    for place, (_, days) in enumerate(people):
        offers = _Triggered(settings)
        triggered.append(replay(days, Voice("when triggered", offers), settings, f"{seed} {place}"))
        looks += offers.looks
    number = sum(each.days for each in triggered)
    rows.append({**summary("when triggered", triggered), "looks_a_day": round(looks / max(1, number), 1)})
    kept = ("method", "f1", "interval", "a_day", "needless_a_day", "missed_a_day", "looks_a_day")
    return [{name: row[name] for name in kept} for row in rows]


def executing(people: LivedPeople, settings: ProactiveSettings, seed: int) -> dict[str, Any]:
    """C.3: every suggestion of the lived days carried out unasked, beside what the person then did.

    `right` is the share whose very deed followed within the hour, `wrong_a_day` counts the others; the steps
    are compared for the right ones, whose deed has any.
    """
    made, days_lived, rates = [], 0, []
    for place, (_, days) in enumerate(people):
        chosen: list[tuple[datetime, str]] = []
        voice = Voice("ours", _noting(speak_as_product(USUAL, settings), chosen))
        replay(days, voice, settings, f"{seed} {place}")
        days_lived += len(days)
        by_date = {day.date: day for day in days}
        for at, routine in chosen:
            day = by_date[at.date()]
            deed = _deed_after(day, routine, at)
            made.append(deed is not None)
            actions = day.history.prototypes[routine].actions
            if deed is not None and deed.actions and deed.outcome is Outcome.SUCCESS:
                rates.append(success_rates(deed.actions, actions) if actions else NOTHING)
    return {
        "suggestions": len(made),
        "right": round(sum(made) / max(1, len(made)), 4),
        "wrong_a_day": round((len(made) - sum(made)) / max(1, days_lived), 3),
        **rounded(mean_rates(rates)),
    }


def _noting(offers: Offers, chosen: list[tuple[datetime, str]]) -> Offers:
    """The same offers; the first of each moment, which is the one that is made, is noted."""

    def noted(look: Look) -> Iterable[RoutineCandidate]:
        for candidate in offers(look):
            chosen.append((look.state.time, candidate.routine))
            yield candidate

    return noted


def _deed_after(day: Day, routine: str, at: datetime) -> Record | None:
    """The first deed of a routine's cluster within the hour."""
    cluster = day.clusters.get(routine, "")
    coming = (
        done.record
        for done in day.done
        if done.cluster == cluster and timedelta() <= done.record.time - at <= RIGHT
    )
    return next(coming, None)


def run(
    options: LifeOptions,
    embeds: Embedder,
    settings: ProactiveSettings,
    llm_um: bool = False,
    model: ModelSettings | None = None,
    count: int = DUE + QUIET,
) -> Report:
    """Measure all of it on lives.

    Args:
        options: the lives.
        embeds: the sentence embedder.
        settings: when the product speaks.
        llm_um: whether a model is asked, too: once for each life and each state.
        model: which; None for the scripted one.
        count: the states of identification.

    Raises:
        TurnFailed: the model's endpoint fails.
    """
    remembering = CachedEmbedder(embeds)
    people = live_days(options, remembering)
    progress(f"{len(people)} lives, model {embeds.model_id}")
    asked = paper_states(people, options.seed, count)
    written = ask_model(people, asked, model) if llm_um else None
    rows = identify(people, settings, remembering, asked, written)
    progress(f"identification: F1 {rows[0]['f1']}, false alarms {rows[0]['false_alarms']}")
    rewritten = rewriting(options, remembering)
    progress(f"rewriting: {rewritten[-1]}")
    triggered = triggering(people, settings, options.seed)
    executed = executing(people, settings, options.seed)
    values = {
        "benchmark": "personalalign",
        "model": embeds.model_id,
        "seed": options.seed,
        "people": options.people,
        "weeks": options.weeks,
        "hard": options.hard,
        "states": {
            "due": sum(bool(each.right_clusters) for each in asked),
            "quiet": sum(not each.right_clusters for each in asked),
        },
        "identification": rows,
        "paper_table_6": list(PAPER),
        "paper_table_5": list(PAPER_EXECUTION),
        "llm_um": {**costs(written), "most_records": MOST_RECORDS} if written else {},
        "rewriting_c1": rewritten,
        "triggering_c2": triggered,
        "executing_c3": executed,
        "not_measured": list(NOT_MEASURED),
    }
    return Report(values, all(row["f1"] <= rows[0]["f1"] for row in rows[1:]), SYNTHETIC)

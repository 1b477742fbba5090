"""The days after a person's history, lived again minute by minute with suggestions and a user who answers.

Every night the memory takes in what happened. Every minute a way of judging is asked; what it offers passes
the policy of the product: once an occasion, shortly before its usual time, no more than the budget a day,
never in quiet hours. A suggestion is wanted when the person does that very thing within the next hour. Of
wanted ones the user accepts four of five and overlooks the rest; of others every second one is refused, the
rest lapses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from functools import partial
from random import Random
from statistics import fmean, median
from typing import Any

import numpy as np
from rapidfuzz.distance import Levenshtein

from assistant.bench.proactive_methods import History, Judge, Judged, history_of
from assistant.bench.report import rounded
from assistant.embedding.embedder import Embedder
from assistant.events import Answer
from assistant.memory.prototypes.model import Prototype, RecordKind
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.store import Store
from assistant.proactive.forecast import Habits, RoutineFeedback, summarize_feedback
from assistant.proactive.habit_table import Floats
from assistant.proactive.likelihood import LikelihoodWeights, RecentHabits
from assistant.proactive.offers import (
    DayTiming,
    find_suppression,
    in_quiet_hours,
    is_same_occasion,
    prompted_times,
)
from assistant.proactive.suggestions import (
    STAYS,
    RoutineCandidate,
    Stage,
    Suggestion,
    add_real_time,
    make_suggestion,
)
from assistant.records import Record, State
from assistant.settings.schema import ProactiveSettings
from assistant.simulator.chance import Chance, whole
from assistant.simulator.life.living import Life
from assistant.simulator.life.people import Person

_LATELY = timedelta(hours=3)
_EVIDENCE = 3
_THERE_MINUTES = 30
_WANTED = timedelta(hours=1)
_ACCEPTS, _REFUSES = 0.8, 0.5
_BINS = 10
_AWAKE = range(6 * 60, 23 * 60, 30)
_SOON = timedelta(minutes=90)
"""A chance is that of a habit's coming up from now on within this time."""
_LEAST_CHANCE = 0.02

Offers = Callable[[History, State, RecentHabits], list[Judged]]
Chances = Callable[[History, State, RecentHabits], Floats]


@dataclass(frozen=True, slots=True)
class Done:
    """Something the person did: its true cluster, and the prototype of that morning it belongs to.

    `due` tells whether it is a routine that had come up often enough by that morning to be suggested.
    """

    record: Record
    cluster: str
    routine: str
    due: bool


@dataclass(frozen=True, slots=True)
class Day:
    """One day: what the memory held in the morning, and what the person then did.

    `clusters` has the true cluster of each prototype.
    """

    date: date
    person: Person
    history: History
    clusters: dict[str, str]
    done: tuple[Done, ...]
    midnight: datetime

    def recent(self, now: datetime) -> RecentHabits:
        """What was done in the last hours, oldest first."""
        lately = (done for done in self.done if timedelta() <= now - done.record.time < _LATELY)
        return RecentHabits(tuple((done.routine, done.record.time) for done in lately if done.routine))

    def state(self, now: datetime) -> State:
        """The moment and where the person is: at a routine's place about its time, else as on such days.

        Whether the routine comes up makes no difference. It is unknown as often as it is in the records.
        """
        person, minute = self.person, 60 * now.hour + now.minute
        drawn = whole(0, 10**6, "where", person.user_id, self.date.isoformat(), now.hour)
        if drawn < person.temper.unknown * 10**6:
            return State(time=now, scenario="unknown")
        for habit in person.habits:
            due = habit.due(self.date)
            if due is not None and habit.scenario and abs(due - minute) <= _THERE_MINUTES:
                return State(time=now, scenario=habit.scenario)
        return State(time=now, scenario=person.scenario(self.date, minute))


def days_of(life: Life, store: Store, memory: HierarchicalMemory) -> Iterator[Day]:
    """The days after the history; each night the memory takes in what happened.

    Args:
        life: whose.
        store: where the history lies already; the days are added to it.
        memory: the prototypes over that store.
    """
    user, truths = life.person.user_id, {truth.record_id: truth for truth in life.truths}
    clusters = {truth.record_id: truth.cluster for truth in life.truths}
    seen = Counter(clusters[record.id] for record in life.history if record.id in clusters)
    zone, day = life.split.tzinfo, life.split.date()
    prototypes = memory.prototypes(user)
    while day <= life.person.last:
        today = [record for record in life.own if record.time.astimezone(zone).date() == day]
        store.records.add(today)
        tomorrow = memory.prototypes(user)
        history = history_of(prototypes, until=day)
        homes = _homes(prototypes, tomorrow)
        done = tuple(
            Done(
                record,
                clusters[record.id],
                homes.get(record.id, ""),
                truths[record.id].kind is RecordKind.ROUTINE and seen[clusters[record.id]] >= _EVIDENCE,
            )
            for record in today
        )
        about = {name: main_cluster(prototype, clusters) for name, prototype in history.prototypes.items()}
        yield Day(day, life.person, history, about, done, datetime.combine(day, time(), zone))
        seen.update(act.cluster for act in done)
        prototypes, day = tomorrow, day + timedelta(days=1)


def _homes(morning: Sequence[Prototype], evening: Sequence[Prototype]) -> dict[str, str]:
    """The prototype of the morning that each record of the evening belongs to, if there was one."""
    held = {member.record_id: prototype.id for prototype in morning for member in prototype.members}
    homes: dict[str, str] = {}
    for prototype in evening:
        shared = Counter(held[member.record_id] for member in prototype.members if member.record_id in held)
        if shared:
            home = shared.most_common(1)[0][0]
            homes |= {member.record_id: home for member in prototype.members}
    return homes


def main_cluster(prototype: Prototype, clusters: dict[str, str]) -> str:
    """The true cluster of most of a prototype's records; empty where none has one."""
    counts = Counter(
        clusters[member.record_id] for member in prototype.members if member.record_id in clusters
    )
    return counts.most_common(1)[0][0] if counts else ""


@dataclass(frozen=True, slots=True)
class Voice:
    """A way of judging as it speaks. `learns` tells whether the user's answers change anything."""

    name: str
    offers: Offers
    learns: bool = True


def speak_as_product(weighing: LikelihoodWeights, cost_of_being_wrong: float) -> Offers:
    """The product's judgement with all that it would offer at once, best first."""

    def offers(history: History, state: State, recent: RecentHabits) -> list[Judged]:
        habits = Habits(history.prototypes, history.table)
        candidates = habits.judge(state, cost_of_being_wrong, weighing, history.feedback, recent)
        return [Judged(candidate.routine, candidate.score) for candidate in candidates]

    return offers


def speak_from(judge: Judge, least: float) -> Offers:
    """A baseline that speaks from a score on."""

    def offers(history: History, state: State, recent: RecentHabits) -> list[Judged]:
        judged = judge(history, state, recent)
        return [judged] if judged.routine in history.prototypes and judged.score >= least else []

    return offers


@dataclass(frozen=True, slots=True)
class Answered:
    """One suggestion: how it was answered, how many minutes ahead it was, and what was done next.

    `ahead` is None where nobody wanted it.
    """

    instruction: str
    answer: Answer
    ahead: float | None
    next_done: str


@dataclass(frozen=True, slots=True)
class Replay:
    """What came of some days: the suggestions, and how many routines came up and how many were met."""

    days: int = 0
    due: int = 0
    met: int = 0
    suggestions: tuple[Answered, ...] = ()

    def __add__(self, other: Replay) -> Replay:
        return Replay(
            self.days + other.days,
            self.due + other.due,
            self.met + other.met,
            self.suggestions + other.suggestions,
        )

    @property
    def per_day(self) -> float:
        """Suggestions a day."""
        return len(self.suggestions) / max(1, self.days)

    def as_json(self, name: str, embeds: Embedder) -> dict[str, Any]:
        """Plain values; `sim1` is FingerTip's, over suggestions after which something was done in an hour."""
        made = self.suggestions
        ahead = [suggestion.ahead for suggestion in made if suggestion.ahead is not None]
        answers = Counter(suggestion.answer for suggestion in made)
        precision, recall = len(ahead) / max(1, len(made)), self.met / max(1, self.due)
        cosine, edit = likeness(
            [(suggestion.instruction, suggestion.next_done) for suggestion in made], embeds
        )
        return {
            "method": name,
            **rounded({"precision": precision, "recall": recall, "f1": harmonic(precision, recall)}),
            "a_day": round(self.per_day, 3),
            "needless_a_day": round((len(made) - len(ahead)) / max(1, self.days), 3),
            "minutes_ahead": round(median(ahead), 1) if ahead else None,
            "accepted": answers[Answer.ACCEPTED] + answers[Answer.EDITED],
            "rejected": answers[Answer.NOT_NOW],
            "ignored": answers[Answer.LAPSED] + answers[Answer.DONE],
            **rounded({"cosine": cosine, "edit": edit, "sim1": (cosine + edit) / 2}),
        }


def harmonic(left: float, right: float) -> float:
    """The harmonic mean of two shares; 0 where both are."""
    return 2 * left * right / (left + right) if left + right else 0.0


def likeness(pairs: Iterable[tuple[str, str]], embeds: Embedder) -> tuple[float, float]:
    """The mean cosine and the mean similarity by edits of pairs of texts, both 0..1 (FingerTip's Sim1)."""
    full = [(left, right) for left, right in pairs if left and right]
    if not full:
        return 0.0, 0.0
    cosine = fmean(
        max(0.0, float(embeds.embed([left])[0] @ embeds.embed([right])[0])) for left, right in full
    )
    edit = fmean(Levenshtein.normalized_similarity(left.casefold(), right.casefold()) for left, right in full)
    return cosine, edit


def replay(days: Sequence[Day], voice: Voice, settings: ProactiveSettings, seed: str) -> Replay:
    """Live some days of one person again."""
    user = _User(Chance(whole(0, 2**48, "answers", seed)))
    for day in days:
        _live(day, voice, settings, user)
    due = [
        done
        for day in days
        for done in day.done
        if done.due and not in_quiet_hours(done.record.time, settings.quiet_from, settings.quiet_until)
    ]
    met = sum((done.cluster, done.record.id) in user.met for done in due)
    return Replay(len(days), len(due), met, tuple(user.answered))


@dataclass
class _User:
    """Who is asked, and what was offered and answered so far."""

    random: Random
    past: list[Suggestion] = field(default_factory=list)
    answered: list[Answered] = field(default_factory=list)
    met: set[tuple[str, str]] = field(default_factory=set)

    def answer(self, suggestion: Suggestion, day: Day, now: datetime) -> datetime:
        """Answer a suggestion; when it is out of the way."""
        coming = [done for done in day.done if timedelta() <= done.record.time - now <= _WANTED]
        cluster = day.clusters.get(suggestion.routine, "")
        wanted = next((done for done in coming if done.cluster == cluster), None)
        ahead = None
        if wanted is None:
            answer = Answer.NOT_NOW if self.random.random() < _REFUSES else Answer.LAPSED
        else:
            overlooked = Answer.DONE if wanted.record.time - now <= STAYS else Answer.LAPSED
            answer = Answer.ACCEPTED if self.random.random() < _ACCEPTS else overlooked
            ahead = (wanted.record.time - now).total_seconds() / 60
            self.met.add((cluster, wanted.record.id))
        next_done = coming[0].record.instruction if coming else ""
        self.answered.append(Answered(suggestion.instruction, answer, ahead, next_done))
        ended = now if answer in (Answer.ACCEPTED, Answer.NOT_NOW) else add_real_time(now, STAYS)
        self.past.append(replace(suggestion, stage=Stage.OVER, shown=now, answer=answer, answered=ended))
        return ended


def _live(day: Day, voice: Voice, settings: ProactiveSettings, user: _User) -> None:
    history, timing, quiet = _morning(day, voice, user.past)
    free_from = day.midnight
    for minute in range(24 * 60):
        now = day.midnight + timedelta(minutes=minute)
        if now < free_from or find_suppression(settings, user.past[-60:], now):
            continue
        state = day.state(now)
        for judged in voice.offers(history, state, day.recent(now)):
            if judged.routine in quiet or not timing.is_near(judged.routine, now):
                continue
            prototype = history.prototypes[judged.routine]
            candidate = RoutineCandidate(judged.routine, prototype.instruction, judged.score, (), ())
            anchors = frozenset(prototype.evidence)
            usual = partial(timing.occasion, judged.routine)
            if is_same_occasion(candidate, anchors, user.past[-60:], now, usual):
                continue
            suggestion = make_suggestion(candidate, prototype.centre_id, state.scenario, state.time)
            free_from = user.answer(suggestion, day, now)
            history, timing, quiet = _morning(day, voice, user.past)
            break


def _morning(day: Day, voice: Voice, past: Sequence[Suggestion]) -> tuple[History, DayTiming, frozenset[str]]:
    """What is held of the past with the answers so far."""
    prototypes = day.history.prototypes
    now = day.midnight + timedelta(days=1)
    answers = summarize_feedback(past, prototypes, now) if voice.learns else RoutineFeedback({})
    homes = {
        member.record_id: prototype.id for prototype in prototypes.values() for member in prototype.members
    }
    history = replace(day.history, feedback=dict(answers.feedback))
    return history, DayTiming(day.history.table, prompted_times(past, homes)), answers.quiet


def chance_pairs(days: Iterable[Day], chances: Chances) -> Iterator[tuple[float, bool]]:
    """Chances of habits at every half hour awake, and whether each then came up soon."""
    for day in days:
        for minute in _AWAKE:
            now = day.midnight + timedelta(minutes=minute)
            given = chances(day.history, day.state(now), day.recent(now))
            soon = {done.cluster for done in day.done if timedelta() <= done.record.time - now <= _SOON}
            for place in np.flatnonzero(given >= _LEAST_CHANCE):
                yield float(given[place]), day.clusters[day.history.table.ids[place]] in soon


def calibration(pairs: Sequence[tuple[float, bool]]) -> dict[str, Any]:
    """The expected calibration error, the mean squared error (Brier), and a bin for each tenth of chances.

    A bin has how many chances there are, their mean, and the share of what happened; zeros where it is empty.
    """
    said = np.clip(np.array([chance for chance, _ in pairs]), 0.0, 1.0)
    came = np.array([happened for _, happened in pairs], dtype=np.float64)
    place = np.minimum(_BINS - 1, (said * _BINS).astype(np.int64))
    bins = []
    for number in range(_BINS):
        here = place == number
        means = (float(said[here].mean()), float(came[here].mean())) if here.any() else (0.0, 0.0)
        bins.append({"count": int(here.sum()), "said": means[0], "happened": means[1]})
    error = sum(part["count"] * abs(part["said"] - part["happened"]) for part in bins) / max(1, len(pairs))
    brier = float(((said - came) ** 2).mean()) if pairs else 0.0
    return {"error": round(error, 4), "brier": round(brier, 4), "bins": [rounded(part) for part in bins]}

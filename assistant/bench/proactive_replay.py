"""The days after a person's history, lived again with suggestions and a user who answers.

Every night the memory takes in what happened. Every other minute a way of judging is asked; what it offers
passes the rules of the product: once an occasion, not while another one is open, no more than the budget a
day, never in quiet hours. A suggestion is *right* if the person does that very thing within the next hour;
`f1_30` counts only the half hour for which a suggestion stands. It is *early* if they do it in the hour
after; then it is needless, and what it was early for is missed unless it is offered again. Of right ones the
user accepts four of five and overlooks the rest; of others every second one is refused, the rest lapses.

Answers drawn so tell nothing that the records do not tell as well. What only answers can tell is which
routines a person does not want to be offered at all: with `particular` lives one in four is refused whenever
it comes, and an offer of it is needless although the deed follows.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from assistant.bench.cluster_scores import harmonic_mean
from assistant.bench.proactive_methods import History, Judge, history_of
from assistant.bench.report import rounded
from assistant.embedding.embedder import Embedder
from assistant.events import Answer
from assistant.memory.prototypes.model import Prototype, RecordKind
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.store import Store
from assistant.proactive.forecast import (
    Habits,
    LikelihoodWeights,
    RecentHabits,
    RoutineFeedback,
    summarize_feedback,
    threshold,
)
from assistant.proactive.habit_table import UNKNOWN, Floats, minute_of
from assistant.proactive.offers import find_offers, find_suppression, in_quiet_hours, is_same_occasion
from assistant.proactive.suggestions import (
    STAYS,
    RoutineCandidate,
    Stage,
    Suggestion,
    add_real_time,
    make_suggestion,
)
from assistant.proactive.timing import AHEAD, normal_share
from assistant.records import Record, State
from assistant.settings.schema import ProactiveSettings
from assistant.simulator.chance import Chance, whole
from assistant.simulator.life.habits import Habit
from assistant.simulator.life.living import Life, lives
from assistant.simulator.life.people import LifeOptions, Person

EVIDENCE = 3
"""So many times something must have come up before a morning to be a routine of that day."""
_THERE_MINUTES = 30
_STAYS_THERE = timedelta(hours=1)
RIGHT = timedelta(hours=1)
_LOOK = 2
"""Minutes between two looks."""
_ACCEPTS, _REFUSES = 0.8, 0.5
_UNWANTED = 4
"""One routine in so many is not wanted as an offer by somebody particular."""
_BINS = 10
_AWAKE = range(6 * 60, 23 * 60, 30)
_LEAST_CHANCE = 0.02
_RESAMPLES = 1000

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

    `clusters` has the true cluster of each prototype; `person` is who lives a synthetic life, None for the
    log of somebody real.
    """

    date: date
    person: Person | None
    history: History
    clusters: dict[str, str]
    done: tuple[Done, ...]
    midnight: datetime

    def recent(self, now: datetime) -> RecentHabits:
        """What was done today so far, oldest first."""
        before = (done for done in self.done if done.record.time <= now and done.routine)
        return RecentHabits(tuple((done.routine, done.record.time) for done in before), day_known=True)

    def state(self, now: datetime) -> State:
        """The moment and where the person is: at a routine's place about its time, else as on such days.

        Whether the routine comes up makes no difference. It is unknown as often as it is in the records. Of
        a log's days only where somebody was last is known, for a while.
        """
        if self.person is None:
            there = [
                done.record.scenario
                for done in self.done
                if timedelta() <= now - done.record.time <= _STAYS_THERE
            ]
            return State(time=now, scenario=there[-1] if there else UNKNOWN)
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
    wordings = memory.wordings(prototypes)
    while day <= life.person.last:
        today = [record for record in life.own if record.time.astimezone(zone).date() == day]
        store.records.add(today)
        tomorrow = memory.prototypes(user)
        history, wordings = history_of(prototypes, until=day, wordings=wordings), memory.wordings(tomorrow)
        homes = homes_of(prototypes, tomorrow, wordings)
        done = tuple(
            Done(
                record,
                clusters[record.id],
                homes.get(record.id, ""),
                truths[record.id].kind is RecordKind.ROUTINE and seen[clusters[record.id]] >= EVIDENCE,
            )
            for record in today
        )
        about = {name: offered_cluster(prototype, clusters) for name, prototype in history.prototypes.items()}
        yield Day(day, life.person, history, about, done, datetime.combine(day, time(), zone))
        seen.update(act.cluster for act in done)
        prototypes, day = tomorrow, day + timedelta(days=1)


def live_days(options: LifeOptions, embeds: Embedder) -> list[tuple[Life, tuple[Day, ...]]]:
    """Live the lives: each with the days after its history, and what the memory held on their mornings."""
    people = []
    for life in lives(options):
        with TemporaryDirectory(prefix="assistant-bench-") as folder:
            store = Store(Path(folder), partial(getattr, life, "split"))
            try:
                store.records.add(life.history)
                memory = HierarchicalMemory(store, embeds)
                people.append((life, tuple(days_of(life, store, memory))))
            finally:
                store.close()
    return people


def homes_of(
    morning: Sequence[Prototype], evening: Sequence[Prototype], wordings: Sequence[Sequence[str]]
) -> dict[str, str]:
    """The prototype of the morning that each record of the evening belongs to, if there was one.

    `wordings` are those of the evening: what is said in new words belongs to the habit that it is.
    """
    held = {member.record_id: prototype.id for prototype in morning for member in prototype.members}
    habit = {name: names[0] for names in wordings for name in names}
    records: dict[str, list[str]] = defaultdict(list)
    for prototype in evening:
        name = habit.get(prototype.id, prototype.id)
        records[name] += [member.record_id for member in prototype.members]
    homes: dict[str, str] = {}
    for names in records.values():
        shared = Counter(held[record] for record in names if record in held)
        if shared:
            homes |= dict.fromkeys(names, shared.most_common(1)[0][0])
    return homes


def offered_cluster(prototype: Prototype, clusters: dict[str, str]) -> str:
    """The true cluster of the record whose instruction a prototype offers; empty where it has none."""
    return clusters.get(prototype.centre_id, "")


@dataclass(frozen=True, slots=True)
class Look:
    """What is known at one look: that morning's memory, past suggestions, the day so far, the answers."""

    history: History
    past: Sequence[Suggestion]
    state: State
    recent: RecentHabits
    answers: RoutineFeedback


Offers = Callable[[Look], Iterable[RoutineCandidate]]
"""What to offer at a look, the best first."""


@dataclass(frozen=True, slots=True)
class Voice:
    """A way of judging as it speaks. `learns` tells whether the user's answers change anything."""

    name: str
    offers: Offers
    learns: bool = True


def speak_as_product(weighing: LikelihoodWeights, settings: ProactiveSettings) -> Offers:
    """The product's own offers, see `find_offers`."""

    def offers(look: Look) -> Iterator[RoutineCandidate]:
        habits = Habits(look.history.prototypes, look.history.table)
        return find_offers(habits, look.past, look.state, settings, look.answers, weighing, look.recent)

    return offers


def speak_from(judge: Judge, least: float) -> Offers:
    """A baseline that speaks from a score on, once an occasion."""

    def offers(look: Look) -> Iterator[RoutineCandidate]:
        judged = judge(look.history, look.state, look.recent)
        prototype = look.history.prototypes.get(judged.routine)
        if prototype is None or judged.score < least or judged.routine in look.answers.quiet:
            return
        candidate = RoutineCandidate(judged.routine, prototype.instruction, judged.score, (), ())
        if not is_same_occasion(candidate, frozenset(prototype.evidence), look.past, look.state.time):
            yield candidate

    return offers


def speak_as_oracle(days: Sequence[Day], cost_of_being_wrong: float) -> Offers:
    """What knows each habit's days, hour, spread and misses as the life was made by them, but not the dice.

    It speaks by the rules of the product: at the hour that is worth most, once an occasion, and a habit that
    follows another when that one was done. It offers what the memory holds.

    Args:
        days: the days that are lived.
        cost_of_being_wrong: see `threshold`; it decides when it speaks, too.
    """
    by_date = {day.date: day for day in days}
    person = days[0].person
    habits = [habit for habit in person.habits if habit.kind is RecordKind.ROUTINE] if person else []
    minutes = {habit.id: _best_minute(habit, cost_of_being_wrong) for habit in habits}

    def offers(look: Look) -> Iterator[RoutineCandidate]:
        now = look.state.time
        day = by_date[now.date()]
        done = {deed.cluster: deed.record.time for deed in day.done if deed.record.time <= now}
        chances = []
        for habit in habits:
            phase = habit.phase(day.date)
            if phase is None or phase.want.id in done:
                continue
            chance = _true_chance(habit, habits, done, now, minutes[habit.id])
            if chance >= threshold(cost_of_being_wrong):
                chances.append((chance, phase.want.id))
        for chance, cluster in sorted(chances, reverse=True):
            homes = [name for name, about in day.clusters.items() if about == cluster]
            if not homes:
                continue
            prototypes = look.history.prototypes
            home = max(homes, key=lambda name: len(prototypes[name].members))
            candidate = RoutineCandidate(home, prototypes[home].instruction, chance, (), ())
            if not is_same_occasion(candidate, frozenset(), look.past, now):
                yield candidate

    return offers


def _best_minute(habit: Habit, cost_of_being_wrong: float) -> float:
    """Minutes from when a habit is due to when offering it is worth most."""
    minutes, rate = np.arange(-120.0, 61.0, 2.0), 1 - habit.missed
    begin, end = (normal_share((minutes + later) / max(1.0, habit.spread)) for later in (0.0, AHEAD))
    return float(minutes[np.argmax(rate * (end - begin) - cost_of_being_wrong * (1 - rate * end))])


def _true_chance(
    habit: Habit, habits: Sequence[Habit], done: Mapping[str, datetime], now: datetime, begins: float
) -> float:
    """The chance that a habit which was not done yet comes up within the next hour; 0 before it may."""
    rate = 1 - habit.missed
    if habit.after:
        leader = next((other for other in habits if other.id == habit.after), None)
        phase = leader.phase(now.date()) if leader else None
        if phase is None or phase.want.id not in done:
            return 0.0
        ago = (now - done[phase.want.id]).total_seconds() / 60 / habit.gap
        passed, soon = rate * min(1.0, max(0.0, ago - 0.5)), rate * float(ago < 1.5)
    else:
        due = habit.due(now.date())
        if due is None or minute_of(now) < due + begins:
            return 0.0
        off = np.array([0.0, AHEAD]) + minute_of(now) - due
        passed, soon = (rate * float(share) for share in normal_share(off / max(1.0, habit.spread)))
    return (soon - passed) / (1 - passed)


@dataclass(frozen=True, slots=True)
class Answered:
    """One suggestion: how it was answered, and how many minutes ahead of the deed; None for no deed."""

    answer: Answer
    ahead: float | None


@dataclass(frozen=True, slots=True)
class Replay:
    """What came of some days: suggestions, how many routines came up, and how far ahead each was met."""

    days: int = 0
    due: int = 0
    met: tuple[float, ...] = ()
    suggestions: tuple[Answered, ...] = ()

    def __add__(self, other: Replay) -> Replay:
        return Replay(
            self.days + other.days,
            self.due + other.due,
            self.met + other.met,
            self.suggestions + other.suggestions,
        )

    def right(self, within: timedelta = RIGHT) -> int:
        """How many suggestions were followed by the deed in time."""
        minutes = within.total_seconds() / 60
        return sum(made.ahead is not None and made.ahead <= minutes for made in self.suggestions)

    @property
    def needless_a_day(self) -> float:
        """How many suggestions a day were not right."""
        return (len(self.suggestions) - self.right()) / max(1, self.days)

    @property
    def missed_a_day(self) -> float:
        """How many routines a day came up without a suggestion."""
        return (self.due - len(self.met)) / max(1, self.days)

    def f1(self, within: timedelta = RIGHT) -> float:
        """The harmonic mean of the share of suggestions that were right and of routines that were met."""
        minutes = within.total_seconds() / 60
        met = sum(ahead <= minutes for ahead in self.met)
        return harmonic_mean(self.right(within) / max(1, len(self.suggestions)), met / max(1, self.due))


def _middle(values: Iterable[float]) -> list[float]:
    """The bounds of the middle 95 %."""
    return [round(float(edge), 3) for edge in np.percentile(list(values), (2.5, 97.5))]


def summary(name: str, lived: Sequence[Replay]) -> dict[str, Any]:
    """The figures of several people's days, with intervals of 95 % over people drawn again and again."""
    total = sum(lived, Replay())
    ahead = [made.ahead for made in total.suggestions if made.ahead is not None and made.ahead <= 60]
    answers = Counter(made.answer for made in total.suggestions)
    days, right = max(1, total.days), total.right()
    random = np.random.default_rng(0)
    drawn = random.integers(0, len(lived), (_RESAMPLES, len(lived)))
    spread = [sum((lived[place] for place in row), Replay()) for row in drawn]
    return {
        "method": name,
        **rounded({"f1": total.f1(), "f1_30": total.f1(STAYS)}),
        "interval": _middle(each.f1() for each in spread),
        "a_day": round(len(total.suggestions) / days, 3),
        "right_a_day": round(right / days, 3),
        "needless_a_day": round(total.needless_a_day, 3),
        "needless_interval": _middle(each.needless_a_day for each in spread),
        "early_a_day": round(
            sum(made.ahead is not None for made in total.suggestions) / days - right / days, 3
        ),
        "missed_a_day": round(total.missed_a_day, 3),
        "missed_interval": _middle(each.missed_a_day for each in spread),
        "minutes_ahead": round(median(ahead), 1) if ahead else None,
        "accepted": answers[Answer.ACCEPTED],
        "refused": answers[Answer.NOT_NOW],
        "ignored": answers[Answer.LAPSED] + answers[Answer.DONE],
    }


def replay(
    days: Sequence[Day], voice: Voice, settings: ProactiveSettings, seed: str, *, particular: bool = False
) -> Replay:
    """Live some days of one person again; a `particular` one wants no offers of some routines."""
    clusters = {done.cluster for day in days for done in day.done if done.due} if particular else set()
    unwanted = frozenset(name for name in clusters if not whole(0, _UNWANTED, "unwanted", seed, name))
    user = _User(Chance(whole(0, 2**48, "answers", seed)), unwanted)
    for day in days:
        _live(day, voice, settings, user)
    due = [
        done.record.id
        for day in days
        for done in day.done
        if done.due
        and done.cluster not in unwanted
        and not in_quiet_hours(done.record.time, settings.quiet_from, settings.quiet_until)
    ]
    met = tuple(user.met[record] for record in due if record in user.met)
    return Replay(len(days), len(due), met, tuple(user.answered))


@dataclass
class _User:
    """Who is asked, and what was offered and answered so far; `met` are deeds with minutes ahead."""

    random: Random
    unwanted: frozenset[str] = frozenset()
    past: list[Suggestion] = field(default_factory=list)
    answered: list[Answered] = field(default_factory=list)
    met: dict[str, float] = field(default_factory=dict)

    def answer(self, suggestion: Suggestion, day: Day, now: datetime) -> datetime:
        """Answer a suggestion; when it is out of the way."""
        cluster = day.clusters.get(suggestion.routine, "")
        if cluster in self.unwanted:
            self.answered.append(Answered(Answer.NOT_NOW, None))
            over = replace(suggestion, stage=Stage.OVER, shown=now, answer=Answer.NOT_NOW, answered=now)
            self.past.append(over)
            return now
        coming = (
            (done, (done.record.time - now).total_seconds() / 60)
            for done in day.done
            if done.cluster == cluster and timedelta() <= done.record.time - now <= 2 * RIGHT
        )
        deed, ahead = next(coming, (None, None))
        ended = add_real_time(now, STAYS)
        if deed is None or deed.record.time - now > RIGHT:
            answer = Answer.NOT_NOW if self.random.random() < _REFUSES else Answer.LAPSED
        else:
            self.met.setdefault(deed.record.id, ahead or 0.0)
            overlooked = Answer.DONE if deed.record.time - now <= STAYS else Answer.LAPSED
            answer = Answer.ACCEPTED if self.random.random() < _ACCEPTS else overlooked
            ended = min(ended, deed.record.time)
        ended = now if answer in (Answer.ACCEPTED, Answer.NOT_NOW) else ended
        self.answered.append(Answered(answer, ahead))
        self.past.append(replace(suggestion, stage=Stage.OVER, shown=now, answer=answer, answered=ended))
        return ended


def _live(day: Day, voice: Voice, settings: ProactiveSettings, user: _User) -> None:
    answers, free_from = _answers(day, voice, user.past), day.midnight
    for minute in range(0, 24 * 60, _LOOK):
        now = day.midnight + timedelta(minutes=minute)
        past = user.past[-60:]
        if now < free_from or find_suppression(settings, past, now):
            continue
        state = day.state(now)
        for candidate in voice.offers(Look(day.history, past, state, day.recent(now), answers)):
            centre = day.history.prototypes[candidate.routine].centre_id
            suggestion = make_suggestion(candidate, centre, state.scenario, now)
            free_from = user.answer(suggestion, day, now)
            answers = _answers(day, voice, user.past)
            break


def _answers(day: Day, voice: Voice, past: Sequence[Suggestion]) -> RoutineFeedback:
    """What the user made of suggestions so far."""
    if not voice.learns:
        return RoutineFeedback({})
    return summarize_feedback(past, day.history.prototypes, day.midnight + timedelta(days=1))


def chance_pairs(days: Iterable[Day], chances: Chances) -> Iterator[tuple[float, bool]]:
    """Chances of habits at every half hour awake, and whether each then came up within the next hour."""
    for day in days:
        for minute in _AWAKE:
            now = day.midnight + timedelta(minutes=minute)
            given = chances(day.history, day.state(now), day.recent(now))
            soon = {done.cluster for done in day.done if timedelta() <= done.record.time - now <= RIGHT}
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

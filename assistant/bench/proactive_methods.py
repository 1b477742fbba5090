"""Ways to tell whether a routine is wanted in a state: ours, its ablations, the paper's Φ, simple rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from operator import itemgetter

import numpy as np

from assistant.bench.paper_methods import Routine, at_state, routines
from assistant.memory.prototypes.model import Prototype
from assistant.proactive.forecast import (
    Feedback,
    LikelihoodWeights,
    RecentHabits,
    estimate_chances,
    select_habits,
)
from assistant.proactive.habit_table import (
    Calendar,
    Floats,
    HabitTable,
    circular_distance,
    minute_of,
)
from assistant.records import State

_CLOSE_MINUTES = 45.0
_HALF_LIFE = 21.0


@dataclass(frozen=True, slots=True)
class History:
    """What a method may know of a person: the prototypes of the history, as a table, the paper's routines."""

    prototypes: dict[str, Prototype]
    table: HabitTable
    feedback: dict[str, Feedback]
    routines: tuple[Routine, ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """The best guess for a state and how sure the method is of it; no guess is an empty id."""

    routine: str
    score: float


Judge = Callable[[History, State, RecentHabits], Judged]


@dataclass(frozen=True, slots=True)
class Method:
    """A way of judging. It speaks from a score on; with several given, from the best of them in hindsight."""

    name: str
    judge: Judge
    least: tuple[float, ...]


_TRIED = (0.3, 0.4, 0.5)


def history_of(
    prototypes: Sequence[Prototype],
    least_records: int = 3,
    until: date | None = None,
    wordings: Sequence[Sequence[str]] = (),
) -> History:
    """The prototypes of a history as the methods read them; see `HabitTable` for `until`."""
    shown = [prototype for prototype in prototypes if not prototype.hidden]
    kept, habits = select_habits(shown, wordings, least_records)
    table = HabitTable(habits, Calendar(), until)
    return History(kept, table, {}, tuple(routines(kept.values())))


BASELINES = (
    "Φ of the paper",
    "recency-weighted, by kind of day",
    "share of days, by hour",
    "Markov × hour",
    "last action",
)


def baselines() -> list[Method]:
    """The paper's Φ and simple rules; each may choose its score in hindsight, which favours it."""
    judges: tuple[tuple[Judge, tuple[float, ...]], ...] = (
        (phi, (0.0,)),
        (recency, _TRIED),
        (by_hour, _TRIED),
        (markov, (0.1, *_TRIED)),
        (recent, (0.0,)),
    )
    return [Method(name, judge, least) for name, (judge, least) in zip(BASELINES, judges, strict=True)]


def ours(weighing: LikelihoodWeights) -> Judge:
    """The product's own judgement."""

    def judge(history: History, state: State, done: RecentHabits) -> Judged:
        judged = estimate_chances(history.table, state, weighing, history.feedback, done)
        if not len(history.table) or not judged.chance.max():
            return Judged("", 0.0)
        best = max(range(len(history.table)), key=lambda place: float(judged.rank[place]))
        return Judged(history.table.ids[best], float(judged.chance.max()))

    return judge


def phi(history: History, state: State, done: RecentHabits) -> Judged:
    """The paper's: Φ above its boundary, and exactly the most frequent hour and scenario."""
    due = at_state(history.routines, state.time, state.scenario)
    return Judged(due[0].prototype.id, due[0].confidence.phi) if due else Judged("", -1.0)


def recency(history: History, state: State, done: RecentHabits) -> Judged:
    """The faded share of days of this kind on which it came up within 45 minutes of now."""
    return _best(history, recency_share(history, state))


def recency_share(history: History, state: State) -> Floats:
    """That share for each habit."""
    return _share(history.table, state.time, _CLOSE_MINUTES, _HALF_LIFE, by_kind=True)


def by_hour(history: History, state: State, done: RecentHabits) -> Judged:
    """The share of all days on which it came up in this hour."""
    return _best(history, _share(history.table, state.time, 30.0, 1e6, by_kind=False))


def markov(history: History, state: State, done: RecentHabits) -> Judged:
    """The share of days in this hour, times how often it came next after what was done last."""
    table = history.table
    if not len(table):
        return Judged("", 0.0)
    share = _share(table, state.time, 30.0, 1e6, by_kind=False)
    last = max(done.done, key=itemgetter(1))[0] if done.done else ""
    if last not in table.places:
        return _best(history, share)
    order = table.instant_owner
    follows = order[1:][order[:-1] == table.places[last]]
    counts = np.bincount(follows, minlength=len(table)).astype(float)
    lift = (counts + 1.0) / (counts.sum() + len(table)) * len(table)
    return _best(history, np.minimum(1.0, share * lift))


def recent(history: History, state: State, done: RecentHabits) -> Judged:
    """What was done most recently, always."""
    return Judged(max(done.done, key=itemgetter(1))[0], 1.0) if done.done else Judged("", -1.0)


def _best(history: History, scores: Floats) -> Judged:
    if not len(scores):
        return Judged("", 0.0)
    place = int(np.argmax(scores))
    return Judged(history.table.ids[place], float(scores[place]))


def _share(table: HabitTable, now: datetime, minutes: float, half_life: float, *, by_kind: bool) -> Floats:
    if not len(table):
        return np.zeros(0)
    today = now.toordinal()
    days = np.arange(len(table.days.presence)) + table.days.first
    weight = np.where(days < today, np.power(0.5, (today - days) / half_life), 0.0)
    if by_kind:
        weight = weight * (table.days.free == table.calendar.is_free(now.date()))
    close = (circular_distance(table.minute - minute_of(now)) <= minutes).astype(float)
    came = np.maximum.reduceat(close, table.group_start)
    share: Floats = table.per_habit(came * weight[table.group_day - table.days.first]) / (weight.sum() + 1)
    return share

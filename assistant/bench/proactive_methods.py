"""Ways to tell whether a routine is wanted in a state: ours, its ablations, the paper's Φ, simple rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

import numpy as np

from assistant.memory.him.prototype import Prototype
from assistant.memory.him.routines import Routine, at_state, routines
from assistant.proactive.days import Calendar
from assistant.proactive.habits import Floats, HabitTable, circular, habit_of, minute_of
from assistant.proactive.likelihood import NOTHING_DONE, USUAL, Feedback, Recent, Weighing, chances
from assistant.records import State

_CLOSE_MINUTES = 45.0
_HALF_LIFE = 21.0


@dataclass(frozen=True, slots=True)
class Known:
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


Judge = Callable[[Known, State, Recent], Judged]


@dataclass(frozen=True, slots=True)
class Method:
    """A way of judging. `least` is the score from which it speaks; None chooses the best in hindsight."""

    name: str
    judge: Judge
    least: float | None = None


def known_of(prototypes: Sequence[Prototype], least_records: int = 3, until: date | None = None) -> Known:
    """The prototypes of a history as the methods read them; see `HabitTable` for `until`."""
    kept = {one.id: one for one in prototypes if len(one.members) >= least_records and not one.hidden}
    table = HabitTable([habit_of(one) for one in kept.values()], Calendar(), until)
    return Known(kept, table, {}, tuple(routines(kept.values())))


def methods(least: float) -> list[Method]:
    """Ours first, then what is left out of it, then the baselines."""
    without = {
        "without time": replace(USUAL, time=False),
        "without scenario": replace(USUAL, scenario=False),
        "without sequence": replace(USUAL, sequence=False),
    }
    return [
        Method("ours", ours(USUAL), least),
        *(Method(f"ours {name}", ours(weighing), None) for name, weighing in without.items()),
        Method("Φ of the paper", phi, 0.0),
        Method("recency-weighted, by kind of day", recency),
        Method("share of days, by hour", by_hour),
        Method("Markov: what follows the last", markov),
        Method("recent records", recent, 0.0),
    ]


def ours(weighing: Weighing) -> Judge:
    """The product's own judgement."""

    def judge(known: Known, state: State, done: Recent) -> Judged:
        judged = chances(known.table, state, weighing, known.feedback, done)
        if not len(known.table) or not judged.chance.max():
            return Judged("", 0.0)
        best = max(range(len(known.table)), key=lambda place: float(judged.rank[place]))
        return Judged(known.table.ids[best], float(judged.chance.max()))

    return judge


def phi(known: Known, state: State, done: Recent) -> Judged:
    """The paper's: Φ above its boundary, and exactly the most frequent hour and scenario."""
    due = at_state(known.routines, state.time, state.scenario)
    return Judged(due[0].prototype.id, due[0].confidence.phi) if due else Judged("", -1.0)


def recency(known: Known, state: State, done: Recent) -> Judged:
    """The faded share of days of this kind on which it came up within 45 minutes of now."""
    return _best(known, recency_share(known, state))


def recency_share(known: Known, state: State) -> Floats:
    """That share for each habit."""
    return _share(known.table, state.time, _CLOSE_MINUTES, _HALF_LIFE, by_kind=True)


def by_hour(known: Known, state: State, done: Recent) -> Judged:
    """The share of all days on which it came up in this hour."""
    return _best(known, _share(known.table, state.time, 30.0, 1e6, by_kind=False))


def markov(known: Known, state: State, done: Recent) -> Judged:
    """What most often came next after what was done last."""
    table = known.table
    if not done.done or not len(table):
        return Judged("", 0.0)
    order = np.lexsort((table.minute, table.day))
    owners = table.owner[order]
    last = max(done.done, key=lambda one: one[1])[0]
    if last not in table.ids:
        return Judged("", 0.0)
    follows = owners[1:][owners[:-1] == table.ids.index(last)]
    counts = np.bincount(follows, minlength=len(table)).astype(float)
    return _best(known, counts / max(1.0, counts.sum()))


def recent(known: Known, state: State, done: Recent) -> Judged:
    """What was done most recently, always."""
    if done.done:
        return Judged(max(done.done, key=lambda one: one[1])[0], 1.0)
    return Judged("", -1.0)


def last_done(prototypes: dict[str, Prototype], before: datetime, newest: int = 1) -> Recent:
    """The newest occasions before a moment, as a method may know them."""
    times = [(one.id, member.time) for one in prototypes.values() for member in one.members]
    past = sorted((one for one in times if one[1] < before), key=lambda one: one[1])
    return Recent(tuple(past[-newest:])) if past else NOTHING_DONE


def _best(known: Known, scores: Floats) -> Judged:
    if not len(scores):
        return Judged("", 0.0)
    place = int(np.argmax(scores))
    return Judged(known.table.ids[place], float(scores[place]))


def _share(table: HabitTable, now: datetime, minutes: float, half_life: float, *, by_kind: bool) -> Floats:
    if not len(table):
        return np.zeros(0)
    today = now.toordinal()
    days = np.arange(len(table.days.presence)) + table.days.first
    weight = np.where(days < today, np.power(0.5, (today - days) / half_life), 0.0)
    if by_kind:
        weight = weight * (table.days.free == table.calendar.is_free(now.date()))
    near = (circular(table.minute - minute_of(now)) <= minutes).astype(float)
    came = np.maximum.reduceat(near, table.group_start)
    share: Floats = table.per_habit(came * weight[table.group_day - table.days.first]) / (weight.sum() + 1)
    return share

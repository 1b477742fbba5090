"""From chances to suggestions: what is worth saying now, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from assistant.language import _, counted, weekday_of
from assistant.memory.him.prototype import Member, Prototype
from assistant.proactive.habits import UNKNOWN, HabitTable, circular_minutes, minute_of
from assistant.proactive.likelihood import Chances
from assistant.records import State

MOST_AT_ONCE = 3
"""So many routines may be likely at one moment; the first of them is the one to offer."""
_BESIDE = 0.6
"""A second one is told when it ranks at least this much of the first."""
_ABOUT = 50.0
_EVIDENCE = 20


@dataclass(frozen=True, slots=True)
class Candidate:
    """A routine that the user probably wants now. `score` is its chance, 0..1; `why` a sentence each."""

    routine: str
    instruction: str
    score: float
    evidence: tuple[str, ...]
    why: tuple[str, ...]


def threshold(cost_of_being_wrong: float) -> float:
    """The chance from which speaking pays.

    Args:
        cost_of_being_wrong: what a needless suggestion costs, in units of what a wanted one is worth.
    """
    return cost_of_being_wrong / (1 + cost_of_being_wrong)


def choose(
    table: HabitTable,
    judged: Chances,
    prototypes: Mapping[str, Prototype],
    state: State,
    least: float,
) -> list[Candidate]:
    """What is worth suggesting, best first.

    Args:
        table: the habits that were judged.
        judged: their chances.
        prototypes: what they stand for, by id; hidden ones are never suggested, nor any outside of the
            hours and the place that the user gave it.
        state: the state they were judged in, for the reasons.
        least: the chance from which speaking pays.
    """
    likely = sorted(
        (place for place in range(len(table)) if judged.chance[place] >= least),
        key=lambda place: (-judged.rank[place], table.ids[place]),
    )
    shown = [prototypes[table.ids[place]] for place in likely]
    ranks = {table.ids[place]: float(judged.rank[place]) for place in likely}
    chances = {table.ids[place]: float(judged.chance[place]) for place in likely}
    open_ones = [one for one in shown if not one.hidden and _may_be_now(one, state)]
    best = ranks[open_ones[0].id] if open_ones else 0.0
    return [
        Candidate(
            routine=one.id,
            instruction=one.instruction,
            score=round(chances[one.id], 4),
            evidence=one.evidence[:_EVIDENCE],
            why=reasons(one.members, state),
        )
        for one in open_ones[:MOST_AT_ONCE]
        if ranks[one.id] >= _BESIDE * best
    ]


def _may_be_now(prototype: Prototype, state: State) -> bool:
    """Whether the user's own hours and place for it, if any, are those of now; an unknown place is not."""
    here = not prototype.place or prototype.place == state.scenario
    return here and (prototype.window is None or prototype.window.holds(state.time))


def reasons(members: Sequence[Member], state: State) -> tuple[str, ...]:
    """Why now, from the records: how many lie near this time of day, on this weekday, in this scenario."""
    before = [one for one in members if one.time < state.time]
    if not before:
        return ()
    minute = minute_of(state.time)
    near = [one for one in before if circular_minutes(minute_of(one.time), minute) <= _ABOUT]
    days = {one.time.date() for one in near}
    about = _("{near} of {all} times at about this time of day, on {days}")
    told = [about.format(near=len(near), all=len(before), days=counted(len(days), "day"))]
    weekday = sum(day.weekday() == state.time.weekday() for day in days)
    if weekday > 1:
        told.append(_("{count} of them on a {weekday}").format(count=weekday, weekday=weekday_of(state.time)))
    here = sum(one.scenario == state.scenario for one in near)
    if state.scenario != UNKNOWN and here:
        told.append(
            _("{count} of them in this place ({scenario})").format(count=here, scenario=_(state.scenario))
        )
    told.append(_ago(max(one.time for one in before), state.time))
    return tuple(told)


def _ago(then: datetime, now: datetime) -> str:
    days = (now.date() - then.astimezone(now.tzinfo).date()).days
    if days < 1:
        return _("last today")
    return _("last yesterday") if days == 1 else _("last {days} days ago").format(days=days)

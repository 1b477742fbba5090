"""From chances to suggestions: what is worth saying now, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assistant.memory.prototypes.model import Prototype
from assistant.proactive.habit_table import HabitTable
from assistant.proactive.likelihood import Chances
from assistant.proactive.reasons import Why, reasons
from assistant.records import State

MOST_AT_ONCE = 3
"""So many routines may be likely at one moment; the first of them is the one to offer."""
_BESIDE = 0.6
"""A second one is told when it ranks at least this much of the first."""
EVIDENCE = 20
"""So many records are named as evidence."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A routine that the user probably wants now. `score` is its chance, 0..1; `why` the reasons."""

    routine: str
    instruction: str
    score: float
    evidence: tuple[str, ...]
    why: tuple[Why, ...]


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
    open_ones = [one for one in shown if not one.hidden and may_be_now(one, state)]
    best = ranks[open_ones[0].id] if open_ones else 0.0
    return [
        Candidate(
            routine=one.id,
            instruction=one.instruction,
            score=round(chances[one.id], 4),
            evidence=one.evidence[:EVIDENCE],
            why=reasons(one.members, state),
        )
        for one in open_ones[:MOST_AT_ONCE]
        if ranks[one.id] >= _BESIDE * best
    ]


def may_be_now(prototype: Prototype, state: State) -> bool:
    """Whether the user's own hours and place for it, if any, are those of now; an unknown place is not."""
    here = not prototype.place or prototype.place == state.scenario
    return here and (prototype.window is None or prototype.window.holds(state.time))

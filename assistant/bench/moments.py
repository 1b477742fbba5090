"""At which moments a turn is interrupted: all phases of a step alike, and each instant of a phase alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate, pairwise

from assistant.bench.follower import Mark
from assistant.events import Cause
from assistant.simulator.chance import share


class Phase(StrEnum):
    """What a turn is about in a step, in the order in which it comes."""

    BETWEEN = "between two steps"
    LOOKING = "while waiting for the phone"
    THINKING = "while the model thinks"
    ACTING = "while acting"


PHASES = {
    Cause.OBSERVING: Phase.LOOKING,
    Cause.THINKING: Phase.THINKING,
    Cause.MODEL: Phase.THINKING,
    Cause.ACTING: Phase.ACTING,
}
_ORDER = tuple(Phase)


@dataclass(frozen=True, slots=True)
class Span:
    """One phase of one step of an undisturbed turn.

    `seconds` is how long it took, 0 for what has no length; `left` what the step still took at its begin.
    """

    step: int
    phase: Phase
    seconds: float
    left: float


@dataclass(frozen=True, slots=True)
class Moment:
    """So many seconds after a step's phase began; `left` is what the step would take from there."""

    step: int
    phase: Phase
    offset: float
    left: float


def spans(marks: Sequence[Mark]) -> list[Span]:
    """The phases of the steps that came to their end."""
    found: list[Span] = []
    step: list[Mark] = []
    for mark in marks:
        if step and step[0].step != mark.step:
            step = []
        step.append(mark)
        if mark.cause is None:
            found += _phases(step)
            step = []
    return found


def _phases(step: Sequence[Mark]) -> list[Span]:
    """The phases of one step; its last mark is its end."""
    number, end = step[0].step, step[-1].time
    whole = Span(number, Phase.BETWEEN, 0.0, end - step[0].time)
    parts = [
        Span(number, PHASES[mark.cause], after.time - mark.time, end - mark.time)
        for mark, after in pairwise(step)
        if mark.cause in PHASES
    ]
    return [whole, *parts]


def moments(spans: Sequence[Span], count: int, seed: int, turn: int) -> list[Moment]:
    """Random moments of a turn, in order. The phases take turns; within one, each instant is as likely.

    Those of one phase are spread: each lies in a part of its own of all the time that the phase took.

    Args:
        spans: the undisturbed turn.
        count: how many moments.
        seed: what chooses them.
        turn: the number of the turn, so that no two have the same moments.
    """
    there = [phase for phase in _ORDER if any(span.phase is phase for span in spans)]
    found: list[Moment] = []
    for number, phase in enumerate(there):
        here = [span for span in spans if span.phase is phase]
        parts = len(range((number - turn) % len(there), count, len(there)))
        chances = [(part + share(seed, turn, phase.value, part)) / parts for part in range(parts)]
        found += [_moment(here, chance) for chance in chances]
    return sorted(found, key=lambda one: (one.step, _ORDER.index(one.phase), one.offset))


def _moment(spans: Sequence[Span], chance: float) -> Moment:
    """The moment at a share of all these spans laid end to end; of spans without length, one of them."""
    ends = list(accumulate(span.seconds for span in spans))
    if not ends[-1]:
        span = spans[min(int(chance * len(spans)), len(spans) - 1)]
        return Moment(span.step, span.phase, 0.0, span.left)
    instant = chance * ends[-1]
    place = next(number for number, end in enumerate(ends) if instant <= end)
    span = spans[place]
    offset = min(span.seconds, max(0.0, instant - (ends[place] - span.seconds)))
    return Moment(span.step, span.phase, offset, span.left - offset)

"""What needs days in order: the replay, calibration, routines that change, and what a look costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assistant.bench.proactive_calibration import Curve, curve, frequency, pairs, product
from assistant.bench.proactive_changes import Changed, heartbeat, moved, stopped
from assistant.bench.proactive_days import Day
from assistant.bench.proactive_methods import Method
from assistant.bench.proactive_replay import Replayed, Voice, ours_as_it_speaks, replay, speaks
from assistant.config import ProactiveSettings
from assistant.embedding.embeds import Embeds
from assistant.proactive.likelihood import USUAL

PROTOTYPES = 1000
_ROUTINES = 15
_CHANGING = ("ours", "Φ of the paper", "recency-weighted, by kind of day", "share of days, by hour")

Lives = Sequence[Sequence[Day]]


@dataclass(frozen=True, slots=True)
class Changes:
    """How soon a way of judging follows what changes, and milliseconds that one look takes it."""

    name: str
    stopped: Changed
    moved: Changed
    left: Changed
    look: float

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "method": self.name,
            "stopped": self.stopped.as_json(),
            "at_new_time": self.moved.as_json(),
            "silent_at_old_time": self.left.as_json(),
            "heartbeat_ms": round(self.look, 2),
        }


@dataclass(frozen=True, slots=True)
class Lived:
    """All of it.

    `replayed` has a row for each way of judging; `calm`, in the same order, how often a day it speaks to
    people without routines.
    """

    replayed: tuple[dict[str, Any], ...]
    calm: tuple[float, ...]
    ours: Curve
    frequency: Curve
    changes: tuple[Changes, ...]


def live_again(
    days: Lives,
    calm: Lives,
    tried: Sequence[Method],
    settings: ProactiveSettings,
    embeds: Embeds,
    seed: int,
    tell: Callable[[str], None],
) -> Lived:
    """Measure what needs days in order.

    Args:
        days: the days after the history, by person.
        calm: the same of people without routines.
        tried: the ways of judging, ours first, each with the score that it speaks from.
        settings: the product's.
        embeds: for how like suggestions are to what was done.
        seed: which answers, and which routines change.
        tell: hears how far it is.
    """
    replayed, quiet = [], []
    for voice in voices(tried, settings.cost_of_being_wrong):
        found, unasked = (_replayed(lives, voice, settings, seed) for lives in (days, calm))
        replayed.append(found.as_json(voice.name, embeds))
        quiet.append(len(unasked.told) / max(1, unasked.days))
        tell(f"{voice.name}, lived again: {replayed[-1]['a_day']} a day, F1 {replayed[-1]['f1']}")
    changes = tuple(_changes(method, seed) for method in tried if method.name in _CHANGING)
    ours, other = (
        curve([one for person in days for one in pairs(person, chanced)]) for chanced in (product, frequency)
    )
    return Lived(tuple(replayed), tuple(quiet), ours, other, changes)


def voices(tried: Sequence[Method], cost_of_being_wrong: float) -> list[Voice]:
    """The product, what is left out of it (PersonalAlign Figure 6), and the baselines, as they speak."""
    without = {"time": replace(USUAL, time=False), "scenario": replace(USUAL, scenario=False)}
    usual = ours_as_it_speaks(USUAL, cost_of_being_wrong)
    return [
        Voice("ours", usual),
        Voice("ours without feedback", usual, learns=False),
        *(
            Voice(f"ours without {name}", ours_as_it_speaks(weighing, cost_of_being_wrong))
            for name, weighing in without.items()
        ),
        *(
            Voice(one.name, speaks(one.judge, one.least or 0.0))
            for one in tried
            if not one.name.startswith("ours")
        ),
    ]


def _replayed(lives: Lives, voice: Voice, settings: ProactiveSettings, seed: int) -> Replayed:
    return sum(
        (replay(days, voice, settings, f"{seed} {place}") for place, days in enumerate(lives)), Replayed()
    )


def _changes(method: Method, seed: int) -> Changes:
    least = method.least or 0.0
    moves = moved(method.judge, least, _ROUTINES, seed)
    ends = stopped(method.judge, least, _ROUTINES, seed)
    return Changes(method.name, ends, *moves, heartbeat(method.judge, PROTOTYPES, seed))

"""From the user's answers to what counts when a routine is judged again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from assistant.events import Answer
from assistant.memory.prototypes.model import Prototype
from assistant.proactive.likelihood import Feedback
from assistant.proactive.suggestions import Suggestion

HALF_LIFE = timedelta(days=28)
"""How long an answer takes to lose half of what it counts."""
_ACCEPTED = {Answer.ACCEPTED: 1.0, Answer.EDITED: 0.5, Answer.DONE: 0.5}
_REJECTED = {Answer.NOT_NOW: 0.6, Answer.LAPSED: 0.1}
_QUIET_AFTER = 2


@dataclass(frozen=True, slots=True)
class Standing:
    """What the answers so far say, by routine; those that were refused twice on end are `quiet`."""

    feedback: Mapping[str, Feedback]
    quiet: frozenset[str] = frozenset()


NO_ANSWERS = Standing({})


def standing(
    past: Iterable[Suggestion],
    routines: Mapping[str, Prototype],
    now: datetime,
    half_life: timedelta = HALF_LIFE,
) -> Standing:
    """What the user's answers mean for the routines there are now.

    An answer belongs to the routine that holds the suggestion's anchor today, whatever it was called then.
    "Never" is no feedback: it hides the routine (see `Decisions.hide`), until the user shows it again. One
    that was never on the screen and lapsed says nothing. Two refusals one after the other silence a routine
    for one half-life, however likely it is.

    Args:
        past: suggestions in any order; open ones do not count.
        routines: the prototypes there are now, by id.
        now: the present time.
        half_life: how fast answers fade.
    """
    home = {member.record_id: one.id for one in routines.values() for member in one.members}
    answers: dict[str, list[Suggestion]] = defaultdict(list)
    for one in past:
        if one.answered is None or one.answered > now or (one.answer is Answer.LAPSED and one.shown is None):
            continue
        routine = home.get(one.anchor, one.routine)
        if routine in routines:
            answers[routine].append(one)
    return Standing(
        {routine: _feedback(given, now, half_life) for routine, given in answers.items()},
        frozenset(routine for routine, given in answers.items() if _is_quiet(given, now, half_life)),
    )


def _feedback(given: Iterable[Suggestion], now: datetime, half_life: timedelta) -> Feedback:
    accepted = rejected = 0.0
    for one in given:
        weight = 0.5 ** ((now - (one.answered or now)) / half_life)
        accepted += weight * _ACCEPTED.get(one.answer, 0.0)
        rejected += weight * _REJECTED.get(one.answer, 0.0)
    return Feedback(accepted, rejected)


def _is_quiet(given: Iterable[Suggestion], now: datetime, half_life: timedelta) -> bool:
    told = [one for one in given if one.answer in (Answer.NOT_NOW, *_ACCEPTED)]
    last = sorted(told, key=lambda one: one.answered or now)[-_QUIET_AFTER:]
    refused = [one for one in last if one.answer is Answer.NOT_NOW]
    recent = all(one.answered is not None and now - one.answered < half_life for one in refused)
    return len(refused) == _QUIET_AFTER and recent

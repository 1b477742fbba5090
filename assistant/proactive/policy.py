"""Whether now is the time to speak: a pure decision over what is known, with the time passed in.

All rules of the day follow the user's wall clock: `now` carries the zone that they are in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from assistant.events import Answer, Snooze
from assistant.proactive.choosing import Candidate
from assistant.proactive.suggestions import Stage, Suggestion, later
from assistant.settings.schema import ProactiveSettings

OCCASION = timedelta(hours=3)
"""A routine is offered once within this time."""
_LONGEST_TURN = timedelta(hours=1)
"""A turn under way when a suggestion was made began no longer ago than this."""


class Hush(StrEnum):
    """Why nothing new is said."""

    OFF = "off"
    QUIET_HOURS = "quiet hours"
    BUDGET = "budget"
    OPEN = "another one waits for an answer"


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do with the suggestions that are open: let some lapse, hold some back, show at most one."""

    lapse: tuple[Suggestion, ...] = ()
    show: Suggestion | None = None


def plan(found: Sequence[Suggestion], now: datetime, *, hush: Hush | None, busy: bool) -> Plan:
    """What becomes of the open suggestions.

    One whose time is over lapses: after a night's sleep of the machine, all of the night's do. Of those that
    are due, the one with the highest score is shown, unless one is on the screen already, a turn runs or the
    user types, or nothing may be said.

    Args:
        found: the suggestions that are not over.
        now: the present time.
        hush: why nothing may be said, if so; what the user put off to now is said in spite of the budget.
        busy: whether a turn runs or the user types.
    """
    lapse = tuple(one for one in found if one.until < now)
    fresh = [one for one in found if one.until >= now]
    held = busy or any(one.stage is Stage.SHOWN for one in fresh)
    due = [
        one
        for one in fresh
        if one.stage is not Stage.SHOWN
        and one.due <= now
        and (hush is None or (hush is Hush.BUDGET and one.stage is Stage.SNOOZED))
    ]
    best = max(due, key=lambda one: (one.stage is Stage.SNOOZED, one.score, one.id), default=None)
    return Plan(lapse, None if held else best)


def hush_now(settings: ProactiveSettings, past: Sequence[Suggestion], now: datetime) -> Hush | None:
    """Why nothing may be said now, None when something may.

    Args:
        settings: the user's rules.
        past: the suggestions of the last days, in any order.
        now: the user's local time.
    """
    if not settings.enabled:
        return Hush.OFF
    if in_quiet_hours(now, settings.quiet_from, settings.quiet_until):
        return Hush.QUIET_HOURS
    if shown_on(past, now) >= settings.a_day:
        return Hush.BUDGET
    return None


def in_quiet_hours(now: datetime, begin: time, end: time) -> bool:
    """Whether a local time lies in the hours from `begin` to before `end`, across midnight if it must."""
    clock = now.timetz().replace(tzinfo=None)
    return begin <= clock < end if begin <= end else clock >= begin or clock < end


def shown_on(past: Sequence[Suggestion], now: datetime) -> int:
    """How many suggestions were shown on the day it is where the user is."""
    return sum(
        one.shown is not None and one.shown.astimezone(now.tzinfo).date() == now.date() for one in past
    )


def is_same_occasion(
    candidate: Candidate,
    anchors: frozenset[str],
    past: Sequence[Suggestion],
    now: datetime,
    usual: Callable[[datetime], int | None] = lambda _: None,
) -> bool:
    """Whether a routine was offered on this occasion already, or has been put off to later.

    Args:
        candidate: what would be offered.
        anchors: the ids of the routine's records, since its name may have changed.
        past: the suggestions of the last days.
        now: the present time.
        usual: the usual time that a moment belongs to. One that nobody answered at the usual time before
            this one, such as that of a routine that has moved since, is of another occasion.
    """
    own = [one for one in past if one.routine == candidate.routine or one.anchor in anchors]
    return any(
        one.stage is not Stage.OVER
        or (
            _since(max(one.made, one.answered or one.made, one.due), now) < OCCASION
            and not (one.answer is Answer.LAPSED and usual(one.made) != usual(now))
        )
        for one in own
    )


def _since(then: datetime, now: datetime) -> timedelta:
    """The real time between, or that on the wall where an hour comes twice: whichever is less."""
    wall = now.replace(tzinfo=None) - then.astimezone(now.tzinfo).replace(tzinfo=None)
    return min(timedelta(seconds=now.timestamp() - then.timestamp()), wall)


def snoozed_until(now: datetime, snooze: Snooze) -> datetime:
    """When a suggestion comes back: tomorrow is the same wall-clock time, also across a change of clocks."""
    match snooze:
        case Snooze.TEN_MINUTES:
            return later(now, timedelta(minutes=10))
        case Snooze.AN_HOUR:
            return later(now, timedelta(hours=1))
        case Snooze.TOMORROW:
            wall = now + timedelta(days=1)
            return wall if isinstance(now.tzinfo, ZoneInfo) else wall.replace(tzinfo=None).astimezone()


def done_since(suggestion: Suggestion, done: Sequence[tuple[str, datetime]], anchors: frozenset[str]) -> bool:
    """Whether the user did the same without accepting it; `done` are record ids with their times.

    A record is as old as the begin of its turn: one that was not known when the suggestion was made may be of
    a turn that was under way then.
    """
    made, known = suggestion.made, suggestion.evidence
    return suggestion.answer is Answer.NONE and any(
        record in anchors and (time > made or (record not in known and made - time < _LONGEST_TURN))
        for record, time in done
    )

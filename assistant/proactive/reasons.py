"""Why something is suggested now: kept as figures, and put into words for whoever reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from assistant.i18n import _, counted, weekday_of
from assistant.memory.prototypes.model import Member
from assistant.proactive.habit_table import UNKNOWN, circular_minutes, minute_of
from assistant.records import SCENARIOS, State

_ABOUT = 50.0
"""So many minutes before and after are about the same time of day."""


class ReasonKind(StrEnum):
    """What a reason tells of."""

    TIME = "time"
    WEEKDAY = "weekday"
    PLACE = "place"
    LAST = "last"


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason.

    TIME: `count` of `of` records lie near this time of day, on `days` days. WEEKDAY: `count` of these are of
    the weekday of `on`, an ISO date. PLACE: `count` of these were in the scenario `place`. LAST: the newest
    record is `days` days old.
    """

    kind: ReasonKind
    count: int = 0
    of: int = 0
    days: int = 0
    on: str = ""
    place: str = ""


Why = Reason | str
"""A reason; one that was kept before there were figures is a sentence, in the language of its time."""


def reasons(members: Sequence[Member], state: State) -> tuple[Why, ...]:
    """Why now, from the records: how many lie near this time of day, on this weekday, in this scenario."""
    before = [one for one in members if one.time < state.time]
    if not before:
        return ()
    minute = minute_of(state.time)
    near = [one for one in before if circular_minutes(minute_of(one.time), minute) <= _ABOUT]
    days = {one.time.date() for one in near}
    told: list[Why] = [Reason(ReasonKind.TIME, len(near), len(before), len(days))]
    weekday = sum(day.weekday() == state.time.weekday() for day in days)
    if weekday > 1:
        told.append(Reason(ReasonKind.WEEKDAY, weekday, on=state.time.date().isoformat()))
    here = sum(one.scenario == state.scenario for one in near)
    if state.scenario != UNKNOWN and here:
        told.append(Reason(ReasonKind.PLACE, here, place=state.scenario))
    newest = max(one.time for one in before)
    age = (state.time.date() - newest.astimezone(state.time.tzinfo).date()).days
    told.append(Reason(ReasonKind.LAST, days=max(0, age)))
    return tuple(told)


def in_words(why: Why) -> str:
    """A reason in the language in use."""
    if isinstance(why, str):
        return why
    match why.kind:
        case ReasonKind.TIME:
            if why.days == why.count:
                told = _("at about this time of day {near} of {all} times")
            else:
                told = _("at about this time of day {near} of {all} times, on {days}")
            return told.format(near=why.count, all=why.of, days=counted(why.days, "day"))
        case ReasonKind.WEEKDAY:
            day = weekday_of(datetime.fromisoformat(why.on))
            return _("{count} of these on a {weekday} like this one").format(count=why.count, weekday=day)
        case ReasonKind.PLACE:
            place = _(why.place) if why.place in SCENARIOS else why.place
            return _("{count} of these in this place ({scenario})").format(count=why.count, scenario=place)
        case ReasonKind.LAST:
            if why.days > 1:
                return _("last {days} days ago").format(days=why.days)
            return _("last yesterday") if why.days else _("last today")


def as_plain(why: Why) -> str | dict[str, Any]:
    """A reason as the memory keeps it."""
    if isinstance(why, str):
        return why
    kept = asdict(why)
    return {name: value for name, value in kept.items() if value}


def read_reason(kept: object) -> Why:
    """A reason as the memory keeps it; what cannot be read is told as it stands."""
    if isinstance(kept, Mapping):
        try:
            return Reason(**{**kept, "kind": ReasonKind(kept["kind"])})
        except (KeyError, TypeError, ValueError):
            return ""
    return str(kept)

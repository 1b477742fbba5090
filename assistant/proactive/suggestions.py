"""Suggestions in the memory: what was offered, why, when it was shown, and what the user made of it.

From chances to suggestions: what is worth saying now, and why.

Why something is suggested now: kept as figures, and put into words for whoever reads it.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, insert, select, update

from assistant.events import Answer
from assistant.i18n import _, counted, weekday_of
from assistant.memory.prototypes.model import Member, Prototype
from assistant.memory.schema import suggestions as table
from assistant.memory.store import Store
from assistant.proactive.habit_table import UNKNOWN, HabitTable, circular_minutes, minute_of
from assistant.proactive.likelihood import HabitChances
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


MOST_AT_ONCE = 3
"""So many routines may be likely at one moment; the first of them is the one to offer."""
_BESIDE = 0.6
"""A second one is told when it ranks at least this much of the first."""
EVIDENCE = 20
"""So many records are named as evidence."""


@dataclass(frozen=True, slots=True)
class RoutineCandidate:
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
    judged: HabitChances,
    prototypes: Mapping[str, Prototype],
    state: State,
    least: float,
) -> list[RoutineCandidate]:
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
        RoutineCandidate(
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


STAYS = timedelta(minutes=30)
"""How long a suggestion is of use from when it is due."""
_JOB = "what is likely now"


class Stage(StrEnum):
    """Where a suggestion stands: held back for a while, on the screen, put off by the user, over."""

    WAITING = "waiting"
    SHOWN = "shown"
    SNOOZED = "snoozed"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One suggestion. Times are local, with their offsets.

    `routine` is the prototype when it was made and `anchor` its centre record, by which the prototype is
    found when it was made anew since. It is of use from `due` to `until`. `score` is the chance, 0..1.
    """

    id: str
    routine: str
    anchor: str
    instruction: str
    score: float
    why: tuple[Why, ...]
    evidence: tuple[str, ...]
    scenario: str
    made: datetime
    due: datetime
    until: datetime
    stage: Stage = Stage.WAITING
    shown: datetime | None = None
    answer: Answer = Answer.NONE
    answered: datetime | None = None
    snoozes: int = 0


class NoSuchSuggestion(LookupError):
    """There is no open suggestion of an id; the message is for the user."""


def later(now: datetime, duration: timedelta) -> datetime:
    """So much real time later: adding to a time with a zone moves its wall clock instead."""
    return datetime.fromtimestamp(now.timestamp() + duration.total_seconds(), now.tzinfo)


def suggestion_of(candidate: RoutineCandidate, anchor: str, scenario: str, now: datetime) -> Suggestion:
    """A new suggestion, due now."""
    return Suggestion(
        id=uuid.uuid4().hex[:12],
        routine=candidate.routine,
        anchor=anchor,
        instruction=candidate.instruction,
        score=candidate.score,
        why=candidate.why,
        evidence=candidate.evidence,
        scenario=scenario,
        made=now,
        due=now,
        until=later(now, STAYS),
    )


class Suggestions:
    """The suggestions of one user.

    What the user answers is a change that can be undone; making, showing and lapsing only leave a count in
    the audit, so that the latest change is never one that nobody made.
    """

    def __init__(self, store: Store, user_id: str) -> None:
        self._store = store
        self._user_id = user_id

    def since(self, begin: datetime) -> list[Suggestion]:
        """Those made from a moment on, oldest first."""
        # As text, times of several zones are in order but for a day.
        roughly = table.c.made >= (begin - timedelta(days=2)).isoformat()
        return [one for one in self._select(roughly) if one.made >= begin]

    def open(self) -> list[Suggestion]:
        """Those that are not over, oldest first."""
        return self._select(table.c.state != Stage.OVER.value)

    def latest(self, count: int) -> list[Suggestion]:
        """The newest ones, newest first."""
        return self._select()[::-1][:count]

    def get(self, suggestion_id: str) -> Suggestion:
        """An open one.

        Raises:
            NoSuchSuggestion: it is over, or there is none.
        """
        for one in self.open():
            if one.id == suggestion_id:
                return one
        raise NoSuchSuggestion(_("That suggestion is over."))

    def add(self, suggestion: Suggestion) -> None:
        """Keep a new one."""
        with self._store.change("Make a suggestion", _JOB) as change:
            change.rebuild(table, insert(table), [self._row(suggestion)])

    def show(self, suggestion: Suggestion, now: datetime) -> Suggestion:
        """Note that it is on the screen."""
        shown = replace(suggestion, stage=Stage.SHOWN, shown=suggestion.shown or now)
        self._note("Show a suggestion", shown)
        return shown

    def settle(self, suggestion: Suggestion, answer: Answer, now: datetime) -> Suggestion:
        """Note how it ended without the user's answer."""
        over = replace(suggestion, stage=Stage.OVER, answer=answer, answered=now)
        self._note("End a suggestion", over)
        return over

    def renew(self, suggestion: Suggestion) -> Suggestion:
        """Keep it as the memory behind it is now, or as a model words it."""
        self._note("Word a suggestion", suggestion)
        return suggestion

    def withdraw(self, suggestion: Suggestion, now: datetime) -> Suggestion:
        """End one for a reason that says nothing about the user: it counts as never shown."""
        return self.settle(replace(suggestion, shown=None), Answer.LAPSED, now)

    def answer(self, suggestion: Suggestion, answer: Answer, now: datetime) -> Suggestion:
        """Keep what the user answered."""
        over = replace(suggestion, stage=Stage.OVER, answer=answer, answered=now)
        self._change("Answer a suggestion", over)
        return over

    def snooze(self, suggestion: Suggestion, due: datetime) -> Suggestion:
        """Put it off."""
        put_off = replace(
            suggestion,
            stage=Stage.SNOOZED,
            due=due,
            until=later(due, STAYS),
            snoozes=suggestion.snoozes + 1,
        )
        self._change("Put off a suggestion", put_off)
        return put_off

    def _note(self, what: str, suggestion: Suggestion) -> None:
        values = self._row(suggestion)
        with self._store.change(what, _JOB) as change:
            change.rebuild(table, update(table).where(table.c.id == suggestion.id).values(values))

    def _change(self, what: str, suggestion: Suggestion) -> None:
        with self._store.change(what, "asked by the user") as change:
            change.update(table, {"id": suggestion.id}, self._row(suggestion))

    def _select(self, *conditions: ColumnElement[bool]) -> list[Suggestion]:
        query = select(table).where(table.c.user_id == self._user_id, *conditions)
        with self._store.reader() as connection:
            read = [_read(row) for row in connection.execute(query).mappings()]
        return sorted(read, key=lambda one: (one.made, one.id))

    def _row(self, one: Suggestion) -> dict[str, Any]:
        return {
            "id": one.id,
            "user_id": self._user_id,
            "routine": one.routine,
            "anchor": one.anchor,
            "instruction": one.instruction,
            "score": one.score,
            "why": [as_plain(reason) for reason in one.why],
            "evidence": list(one.evidence),
            "scenario": one.scenario,
            "made": one.made.isoformat(),
            "due": one.due.isoformat(),
            "until": one.until.isoformat(),
            "shown": one.shown.isoformat() if one.shown else "",
            "state": one.stage.value,
            "answer": one.answer.value,
            "answered": one.answered.isoformat() if one.answered else "",
            "snoozes": one.snoozes,
        }


def _read(row: Mapping[Any, Any]) -> Suggestion:
    return Suggestion(
        id=row["id"],
        routine=row["routine"],
        anchor=row["anchor"],
        instruction=row["instruction"],
        score=row["score"],
        why=tuple(map(read_reason, row["why"])),
        evidence=tuple(row["evidence"]),
        scenario=row["scenario"] or UNKNOWN,
        made=datetime.fromisoformat(row["made"]),
        due=datetime.fromisoformat(row["due"]),
        until=datetime.fromisoformat(row["until"]),
        stage=Stage(row["state"]),
        shown=datetime.fromisoformat(row["shown"]) if row["shown"] else None,
        answer=Answer(row["answer"]),
        answered=datetime.fromisoformat(row["answered"]) if row["answered"] else None,
        snoozes=row["snoozes"],
    )

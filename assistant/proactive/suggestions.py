"""Suggestions in the memory: what was offered, why, when it was shown, and what the user made of it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, insert, select, update

from assistant.events import Answer
from assistant.i18n import _
from assistant.memory.schema import suggestions as table
from assistant.memory.store import Store
from assistant.proactive.choosing import Candidate
from assistant.proactive.habit_table import UNKNOWN
from assistant.proactive.reasons import Why, as_plain, read_reason

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


def suggestion_of(candidate: Candidate, anchor: str, scenario: str, now: datetime) -> Suggestion:
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

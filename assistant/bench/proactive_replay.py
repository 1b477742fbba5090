"""Days lived again with the product's rules of speaking, and a user who accepts, ignores or rejects.

Every minute the way of judging is asked; what it offers passes the policy of the product: once an
occasion, shortly before its usual time, no more than the budget a day, never in quiet hours. A suggestion is
wanted when the person does that very thing within the next hour. Of wanted ones the user accepts four of
five and overlooks the rest; of others every second one is refused, the rest lapses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from random import Random
from statistics import median
from typing import Any

from assistant.bench.proactive_days import Day, Done
from assistant.bench.proactive_methods import Judge, Judged, Known
from assistant.bench.proactive_scores import likeness
from assistant.config import ProactiveSettings
from assistant.embedding.embeds import Embeds
from assistant.events import Answer
from assistant.proactive.choosing import Candidate
from assistant.proactive.feedback import NO_ANSWERS, Standing, standing
from assistant.proactive.forecast import Habits
from assistant.proactive.likelihood import Recent, Weighing
from assistant.proactive.policy import hush_now, in_quiet_hours, is_same_occasion
from assistant.proactive.suggestions import STAYS, Stage, Suggestion, later, suggestion_of
from assistant.proactive.timing import Timing, prompted_times
from assistant.records import State
from assistant.simulator.chance import Chance, whole

_WANTED = timedelta(hours=1)
_ACCEPTS, _REFUSES = 0.8, 0.5

Offers = Callable[[Known, State, Recent], list[Judged]]


@dataclass(frozen=True, slots=True)
class Voice:
    """A way of judging as it speaks. `learns` tells whether the user's answers change anything."""

    name: str
    offers: Offers
    learns: bool = True


@dataclass(frozen=True, slots=True)
class Told:
    """One suggestion: whether it was wanted, how many minutes ahead, and what the person did next, if any."""

    instruction: str
    answer: Answer
    ahead: float | None
    next_done: str


@dataclass(frozen=True, slots=True)
class Replayed:
    """What came of some days: the suggestions, and how many routines came up and how many were met."""

    days: int = 0
    due: int = 0
    met: int = 0
    told: tuple[Told, ...] = ()

    def __add__(self, other: Replayed) -> Replayed:
        return Replayed(
            self.days + other.days, self.due + other.due, self.met + other.met, self.told + other.told
        )

    def as_json(self, name: str, embeds: Embeds) -> dict[str, Any]:
        """Plain values; `sim1` is FingerTip's, over suggestions after which something was done in an hour."""
        wanted = [one.ahead for one in self.told if one.ahead is not None]
        cosine, edit = likeness(((one.instruction, one.next_done) for one in self.told), embeds)
        precision = len(wanted) / max(1, len(self.told))
        recall = self.met / max(1, self.due)
        return {
            "method": name,
            "precision": round(precision, 4),
            "recall": round(recall, 4),
            "f1": round(2 * precision * recall / (precision + recall), 4) if wanted else 0.0,
            "a_day": round(len(self.told) / max(1, self.days), 3),
            "needless_a_day": round((len(self.told) - len(wanted)) / max(1, self.days), 3),
            "minutes_ahead": round(median(wanted), 1) if wanted else None,
            "accepted": sum(one.answer in (Answer.ACCEPTED, Answer.EDITED) for one in self.told),
            "rejected": sum(one.answer is Answer.NOT_NOW for one in self.told),
            "ignored": sum(one.answer in (Answer.LAPSED, Answer.DONE) for one in self.told),
            "cosine": round(cosine, 4),
            "edit": round(edit, 4),
            "sim1": round((cosine + edit) / 2, 4),
        }


def ours_as_it_speaks(weighing: Weighing, cost_of_being_wrong: float) -> Offers:
    """The product's judgement with all that it would offer at once, best first."""

    def offers(known: Known, state: State, recent: Recent) -> list[Judged]:
        habits = Habits(known.prototypes, known.table)
        found = habits.judge(state, cost_of_being_wrong, weighing, known.feedback, recent)
        return [Judged(one.routine, one.score) for one in found]

    return offers


def speaks(judge: Judge, least: float) -> Offers:
    """A baseline that speaks from a score on."""

    def offers(known: Known, state: State, recent: Recent) -> list[Judged]:
        judged = judge(known, state, recent)
        return [judged] if judged.routine in known.prototypes and judged.score >= least else []

    return offers


def replay(days: Sequence[Day], voice: Voice, settings: ProactiveSettings, seed: str) -> Replayed:
    """Live some days of one person again."""
    user = _User(Chance(whole(0, 2**48, "answers", seed)))
    for day in days:
        _live(day, voice, settings, user)
    told = tuple(user.told)
    due = [one for day in days for one in day.done if one.due and not _asleep(one, settings)]
    met = sum((one.cluster, one.record.id) in user.met for one in due)
    return Replayed(len(days), len(due), met, told)


@dataclass
class _User:
    """Who is asked, and what was offered and answered so far."""

    random: Random
    past: list[Suggestion] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)
    met: set[tuple[str, str]] = field(default_factory=set)

    def hears(self, made: Suggestion, day: Day, now: datetime) -> Suggestion:
        """Answer a suggestion."""
        coming = [one for one in day.done if timedelta() <= one.record.time - now <= _WANTED]
        cluster = day.clusters.get(made.routine, "")
        wanted = next((one for one in coming if one.cluster == cluster), None)
        next_done = next(iter(coming), None)
        if wanted is None:
            answer = Answer.NOT_NOW if self.random.random() < _REFUSES else Answer.LAPSED
            ahead = None
        else:
            soon = wanted.record.time - now <= STAYS
            answer = Answer.ACCEPTED if self.random.random() < _ACCEPTS else _overlooked(soon)
            ahead = (wanted.record.time - now).total_seconds() / 60
            self.met.add((cluster, wanted.record.id))
        text = next_done.record.instruction if next_done else ""
        self.told.append(Told(made.instruction, answer, ahead, text))
        answered = now if answer in (Answer.ACCEPTED, Answer.NOT_NOW) else later(now, STAYS)
        over = replace(made, stage=Stage.OVER, shown=now, answer=answer, answered=answered)
        self.past.append(over)
        return over


def _live(day: Day, voice: Voice, settings: ProactiveSettings, user: _User) -> None:
    known, timing, quiet = _morning(day, voice, user.past)
    free_from = day.midnight
    for minute in range(24 * 60):
        now = day.midnight + timedelta(minutes=minute)
        if now < free_from or hush_now(settings, user.past[-60:], now):
            continue
        state = State(time=now, scenario=day.scenario(now))
        for judged in voice.offers(known, state, day.recent(now)):
            if judged.routine in quiet or not timing.is_near(judged.routine, now):
                continue
            made = _suggestion(known, judged, state)
            anchors = frozenset(known.prototypes[judged.routine].evidence)
            usual = partial(timing.occasion, judged.routine)
            if is_same_occasion(_candidate(known, judged), anchors, user.past[-60:], now, usual):
                continue
            over = user.hears(made, day, now)
            free_from = over.answered or now
            known, timing, quiet = _morning(day, voice, user.past)
            break


def _morning(day: Day, voice: Voice, past: Sequence[Suggestion]) -> tuple[Known, Timing, frozenset[str]]:
    """What is known with the answers so far."""
    now = day.midnight + timedelta(days=1)
    told: Standing = standing(past, day.known.prototypes, now) if voice.learns else NO_ANSWERS
    home = {member.record_id: one.id for one in day.known.prototypes.values() for member in one.members}
    known = replace(day.known, feedback=dict(told.feedback))
    return known, Timing(day.known.table, prompted_times(past, home)), told.quiet


def _candidate(known: Known, judged: Judged) -> Candidate:
    instruction = known.prototypes[judged.routine].instruction
    return Candidate(judged.routine, instruction, judged.score, (), ())


def _suggestion(known: Known, judged: Judged, state: State) -> Suggestion:
    anchor = known.prototypes[judged.routine].centre_id
    return suggestion_of(_candidate(known, judged), anchor, state.scenario, state.time)


def _overlooked(soon: bool) -> Answer:
    return Answer.DONE if soon else Answer.LAPSED


def _asleep(done: Done, settings: ProactiveSettings) -> bool:
    return in_quiet_hours(done.record.time, settings.quiet_from, settings.quiet_until)

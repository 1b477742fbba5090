"""Questions about a life with known answers: vague commands, and states with a routine due or with none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from random import Random
from zoneinfo import ZoneInfo

from assistant.memory.prototypes.model import RecordKind
from assistant.simulator.chance import Chance, whole
from assistant.simulator.life.habits import Habit, days_between
from assistant.simulator.life.living import Life
from assistant.simulator.life.people import Person
from assistant.simulator.life.wording import spoken, vague

_EVIDENCE = 3
_QUIET_STATES = 100
_CLEARANCE = 120.0
_ALSO = 30.0
_TRIES = 400


@dataclass(frozen=True, slots=True)
class Command:
    """A vague command at a time and place; `cluster` is what the person means."""

    user_id: str
    at: datetime
    scenario: str
    said: str
    cluster: str
    kind: RecordKind


@dataclass(frozen=True, slots=True)
class AskedState:
    """A state after the history. `instruction` is what the person then orders, if any.

    `also` are the clusters of other routines that the person has within half an hour of it: they are no wrong
    suggestions either. `why` tells what makes it easy or hard: `routine` for a positive; `no routine`,
    `other weekday` and `stopped` for the quiet ones.
    """

    user_id: str
    at: datetime
    scenario: str
    instruction: str | None
    cluster: str | None
    why: str
    also: tuple[str, ...] = ()


def commands(life: Life) -> list[Command]:
    """Vague commands in the time after the split, for habits with evidence before it.

    Their words are in no record. A habit that has changed is asked about as it is now.
    """
    random = _chance("commands", life)
    evidence = _evidence(life)
    commands = []
    for habit in life.person.habits:
        for day in _days_after(life, habit, random)[:2]:
            phase = habit.phase(day)
            said = vague(habit.phases[0].want, life.person.locale, in_records=False, random=random)
            if phase is None or not said or evidence[phase.want.id] < _EVIDENCE:
                continue
            due = habit.due(day)
            minute = due + random.gauss(0, habit.spread) if due is not None else random.uniform(*habit.window)
            commands.append(
                Command(
                    life.person.user_id,
                    _at(life.person, day, minute),
                    _seen(life.person, habit.scenario or life.person.scenario(day, minute), random),
                    spoken(said, life.person.locale, random),
                    phase.want.id,
                    habit.kind,
                )
            )
    return commands


def states(life: Life, quiet: int = _QUIET_STATES) -> list[AskedState]:
    """States after the split: one before each routine's occurrence that has evidence, and quiet ones."""
    return sorted([*_due_states(life), *_quiet_states(life, quiet)], key=lambda state: state.at)


def _due_states(life: Life) -> Iterator[AskedState]:
    random, evidence = _chance("due", life), _evidence(life)
    records = {record.id: record for record in life.own}
    for truth in life.truths:
        record = records[truth.record_id]
        if (
            record.time < life.split
            or truth.kind is not RecordKind.ROUTINE
            or evidence[truth.cluster] < _EVIDENCE
        ):
            continue
        yield AskedState(
            life.person.user_id,
            (record.time - timedelta(minutes=random.uniform(0, 5))).replace(microsecond=0),
            record.scenario,
            record.instruction,
            truth.cluster,
            "routine",
            tuple(sorted(_near(life, record.time) - {truth.cluster})),
        )


def _near(life: Life, at: datetime) -> set[str]:
    """The wants of routines that are due about that time."""
    minute = 60 * at.hour + at.minute
    near = set()
    for habit in life.person.habits:
        phase, due = habit.phase(at.date()), habit.due(at.date())
        if phase and due is not None and abs(due - minute) <= _ALSO:
            near.add(phase.want.id)
    return near


def _quiet_states(life: Life, count: int) -> Iterator[AskedState]:
    """Half at any time, half at a routine's hour on days on which it is not due, or after it has stopped."""
    random, person = _chance("quiet", life), life.person
    days = days_between(life.split.date(), person.last)
    busy = _busy(life)
    routines = [habit for habit in person.habits if habit.kind is RecordKind.ROUTINE]
    made = 0
    for attempt in range(_TRIES):
        if made >= count:
            return
        day, minute, why = random.choice(days), random.uniform(7 * 60, 23 * 60), "no routine"
        if routines and attempt % 2:
            habit = random.choice(routines)
            minute = habit.phases[-1].due(day) + random.gauss(0, habit.spread)
            why = "stopped" if habit.phase(day) is None else "other weekday"
        if any(abs(minute - other) < _CLEARANCE for other in busy.get(day, ())):
            continue
        made += 1
        where = _seen(person, person.scenario(day, minute), random)
        yield AskedState(person.user_id, _at(person, day, minute), where, None, None, why)


def _busy(life: Life) -> dict[date, list[float]]:
    """Minutes of each day near which a state is not quiet: routines due, and what is really done."""
    routines = [habit for habit in life.person.habits if habit.kind is RecordKind.ROUTINE]
    busy = {
        day: [due for habit in routines if (due := habit.due(day)) is not None]
        for day in days_between(life.split.date(), life.person.last)
    }
    kinds = {truth.record_id: truth.kind for truth in life.truths}
    for record in life.own:
        if record.time >= life.split and kinds[record.id] is RecordKind.ROUTINE:
            busy[record.time.date()].append(60 * record.time.hour + record.time.minute)
    return busy


def _days_after(life: Life, habit: Habit, random: Random) -> list[date]:
    """Days after the split on which the habit can be asked for, in any order."""
    days = [day for day in days_between(life.split.date(), life.person.last) if habit.phase(day)]
    if habit.kind is RecordKind.ROUTINE:
        days = [day for day in days if habit.due(day) is not None]
    random.shuffle(days)
    return days


def _evidence(life: Life) -> Counter[str]:
    before = {record.id for record in life.history}
    return Counter(truth.cluster for truth in life.truths if truth.record_id in before)


def _seen(person: Person, scenario: str, random: Random) -> str:
    return "unknown" if random.random() < person.temper.unknown else scenario


def _at(person: Person, day: date, minute: float) -> datetime:
    return datetime.combine(day, time(), ZoneInfo(person.zone)) + timedelta(minutes=round(minute))


def _chance(about: str, life: Life) -> Random:
    return Chance(whole(0, 2**48, about, life.person.user_id, life.person.first.isoformat()))

"""The last fifth of a life as the memory meets it, morning by morning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from assistant.bench.proactive_methods import Known, known_of
from assistant.memory.him.memory import HierarchicalMemory
from assistant.memory.him.prototype import Kind, Prototype
from assistant.memory.store import Store
from assistant.proactive.likelihood import Recent
from assistant.records import Record
from assistant.simulator.chance import whole
from assistant.simulator.life.living import Life
from assistant.simulator.life.people import Person

_LATELY = timedelta(hours=3)
_EVIDENCE = 3
_THERE = 30


@dataclass(frozen=True, slots=True)
class Done:
    """Something the person did: what it is really about, and the prototype of that morning it belongs to."""

    record: Record
    cluster: str
    routine: str
    due: bool
    """Whether it is a routine that had come up often enough by that morning to be suggested."""


@dataclass(frozen=True, slots=True)
class Day:
    """One day: what the memory knew in the morning, and what the person then did.

    `clusters` tells what each prototype is really about.
    """

    day: date
    person: Person
    known: Known
    clusters: dict[str, str]
    done: tuple[Done, ...]
    midnight: datetime

    def recent(self, now: datetime) -> Recent:
        """What was done in the last hours, oldest first."""
        lately = (one for one in self.done if timedelta() <= now - one.record.time < _LATELY)
        return Recent(tuple((one.routine, one.record.time) for one in lately if one.routine))

    def scenario(self, now: datetime) -> str:
        """Where the person is: at a routine's place about its time, else where such days have them.

        Whether the routine comes up makes no difference. It is unknown as often as it is in the records.
        """
        person, minute = self.person, 60 * now.hour + now.minute
        hour = whole(0, 10**6, "where", person.user_id, self.day.isoformat(), now.hour)
        if hour < person.temper.unknown * 10**6:
            return "unknown"
        for habit in person.habits:
            due = habit.due(self.day)
            if due is not None and habit.scenario and abs(due - minute) <= _THERE:
                return habit.scenario
        return person.scenario(self.day, minute)


def days_of(life: Life, store: Store, memory: HierarchicalMemory) -> Iterator[Day]:
    """The days after the history; each night the memory takes in what happened.

    Args:
        life: whose.
        store: where the history lies already; the days are added to it.
        memory: the prototypes over that store.
    """
    user, truths = life.person.user_id, {one.record_id: one for one in life.truths}
    cluster_of = {one.record_id: one.cluster for one in life.truths}
    seen = Counter(cluster_of[one.id] for one in life.history if one.id in cluster_of)
    zone, day = life.split.tzinfo, life.split.date()
    prototypes = memory.prototypes(user)
    while day <= life.person.last:
        today = [one for one in life.own if one.time.astimezone(zone).date() == day]
        store.records.add(today)
        tomorrow = memory.prototypes(user)
        known = known_of(prototypes, until=day)
        home = _home(prototypes, tomorrow)
        done = tuple(
            Done(
                one,
                truths[one.id].cluster,
                home.get(one.id, ""),
                truths[one.id].kind is Kind.ROUTINE and seen[truths[one.id].cluster] >= _EVIDENCE,
            )
            for one in today
        )
        about = {name: _about(one, cluster_of) for name, one in known.prototypes.items()}
        yield Day(day, life.person, known, about, done, datetime.combine(day, time(), zone))
        seen.update(one.cluster for one in done)
        prototypes, day = tomorrow, day + timedelta(days=1)


def _home(morning: Sequence[Prototype], evening: Sequence[Prototype]) -> dict[str, str]:
    """The prototype of the morning that each record of the evening belongs to, if there was one."""
    held = {member.record_id: one.id for one in morning for member in one.members}
    home: dict[str, str] = {}
    for one in evening:
        shared = Counter(held[member.record_id] for member in one.members if member.record_id in held)
        if shared:
            home |= {member.record_id: shared.most_common(1)[0][0] for member in one.members}
    return home


def _about(prototype: Prototype, cluster_of: dict[str, str]) -> str:
    counted = Counter(cluster_of[one.record_id] for one in prototype.members if one.record_id in cluster_of)
    return counted.most_common(1)[0][0] if counted else ""

"""The weeks to come of the demo's person in seconds, and what is suggested to them meanwhile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from assistant.demo.time_travel import PassingTime
from assistant.events import Answer, Event, SuggestionAnswered, SuggestionLapsed, SuggestionOffered
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.store import Store
from assistant.proactive.service import ProactiveService, UserState
from assistant.proactive.suggestions import Suggestion
from assistant.records import Record, record_id
from assistant.settings.schema import Settings
from assistant.simulator.demo_clock import DemoClock
from assistant.simulator.living_on import LivingOn

_WANTED_WITHIN = timedelta(minutes=45)


@dataclass(frozen=True, slots=True)
class Person:
    """How the demo's person answers: refuses some routines always, and accepts what they are about to do."""

    life: LivingOn
    refuses: frozenset[str] = frozenset()

    def wants(self, instruction: str, now: datetime) -> Record | None:
        """What they are about to do, if it is what was suggested."""
        name = self.life.name_of(instruction)
        soon = self.life.between(now, now + _WANTED_WITHIN)
        return next((one for one in soon if name and self.life.name_of(one.instruction) == name), None)

    def answer(self, instruction: str, now: datetime) -> Answer:
        """What they answer; none where they just let it be."""
        if self.life.name_of(instruction) in self.refuses:
            return Answer.NOT_NOW
        return Answer.ACCEPTED if self.wants(instruction, now) else Answer.NONE


@dataclass(frozen=True, slots=True)
class Offered:
    """A suggestion that is over: which habit it meant, and whether that was about to come up then."""

    suggestion: Suggestion
    name: str
    wanted: bool


@dataclass(slots=True)
class Walked:
    """What came of some weeks: all suggestions in order, and what the person did, with its habit's name."""

    offered: list[Offered] = field(default_factory=list)
    done: list[tuple[str, datetime]] = field(default_factory=list)

    def counts(self) -> list[tuple[str, int, int, int]]:
        """For each habit its name, how often it was done, offered in time, and offered needlessly."""
        done = Counter(name for name, _ in self.done)
        timely = Counter(one.name for one in self.offered if one.wanted)
        needless = Counter(one.name for one in self.offered if not one.wanted)
        names = sorted({*done, *timely, *needless})
        return [(name, done[name], timely[name], needless[name]) for name in names]


async def walk(
    settings: Settings,
    store: Store,
    memory: Callable[[], HierarchicalMemory],
    clock: DemoClock,
    person: Person,
    days: int,
    tell: Callable[[Offered], None] = lambda _: None,
) -> Walked:
    """Let days pass through the real service, with a person who answers.

    Args:
        settings: when something may be said.
        store: the memory, with what is known so far.
        memory: opens the prototypes.
        clock: stands at the beginning.
        person: lives and answers.
        days: how many days.
        tell: hears of each suggestion when it is over.
    """
    walked = Walked()
    shown: dict[str, SuggestionOffered] = {}
    begin, end = clock(), clock() + timedelta(days=days)

    def hear(event: Event) -> None:
        match event:
            case SuggestionOffered():
                shown[event.id] = event
                react(event)
            case SuggestionLapsed(id=over) | SuggestionAnswered(id=over) if over in shown:
                told = _offered(service.latest(20), shown.pop(over), person)
                walked.offered.append(told)
                tell(told)

    def react(event: SuggestionOffered) -> None:
        answer = person.answer(event.instruction, event.time)
        if answer is Answer.ACCEPTED and (meant := person.wants(event.instruction, event.time)):
            at = clock()
            record = meant.model_copy(update={"time": at, "id": record_id(settings.user_id, at)})
            store.records.add([record], "Carry a suggestion out", "accepted")
        if answer is not Answer.NONE:
            service.answer(event.id, answer)

    situation = UserState(lambda: person.life.where(clock()), lambda: False)
    service = ProactiveService(settings, store, memory, clock, situation, hear)
    service.start()
    try:
        await service.settled()
        await PassingTime(clock, person.life, store, service).until(end)
    finally:
        await service.close()
    for record in store.records.of(settings.user_id):
        if record.time > begin:
            walked.done.append((person.life.name_of(record.instruction), record.time))
    return walked


def _offered(latest: Sequence[Suggestion], event: SuggestionOffered, person: Person) -> Offered:
    suggestion = next(one for one in latest if one.id == event.id)
    wanted = person.wants(event.instruction, event.time) is not None
    return Offered(suggestion, person.life.name_of(event.instruction), wanted)

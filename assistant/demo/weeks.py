"""`assistant watch --demo --weeks N`: weeks of the demo's person in seconds, in a memory of their own.

Prints what is suggested to them meanwhile.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import typer

from assistant.demo.memory import live_in
from assistant.demo.time_travel import PassingTime
from assistant.embedding.models import ModelRegistry
from assistant.events import Answer, Event, SuggestionAnswered, SuggestionLapsed, SuggestionOffered
from assistant.i18n import _, fitted, later, moment, pad_left, padded
from assistant.memory.prototypes.service import HierarchicalMemory, hierarchical_memory
from assistant.memory.store import Store, open_store
from assistant.model.types import one_line
from assistant.proactive.service import ProactiveDependencies, ProactiveService
from assistant.proactive.suggestions import Suggestion
from assistant.records import Record, record_id
from assistant.settings.schema import Settings
from assistant.simulator.demo_clock import DemoClock
from assistant.simulator.lived_in import habits
from assistant.simulator.living_on import LivingOn, Turning
from assistant.simulator.world import WorldOptions

_WANTED_WITHIN = timedelta(minutes=45)


@dataclass(frozen=True, slots=True)
class DemoPerson:
    """How the demo's person answers: refuses some routines always, and accepts what they are about to do."""

    life: LivingOn
    refuses: frozenset[str] = frozenset()

    def wants(self, instruction: str, now: datetime) -> Record | None:
        """What they are about to do, if it is what was suggested."""
        name = self.life.name_of(instruction)
        soon = self.life.between(now, now + _WANTED_WITHIN)
        return next(
            (record for record in soon if name and self.life.name_of(record.instruction) == name), None
        )

    def answer(self, instruction: str, now: datetime) -> Answer:
        """What they answer; none where they just let it be."""
        if self.life.name_of(instruction) in self.refuses:
            return Answer.NOT_NOW
        return Answer.ACCEPTED if self.wants(instruction, now) else Answer.NONE


@dataclass(frozen=True, slots=True)
class SuggestionOutcome:
    """A suggestion that is over: which habit it meant, and whether that was about to come up then."""

    suggestion: Suggestion
    name: str
    is_wanted: bool


@dataclass(slots=True)
class WeeksSummary:
    """What came of some weeks: all suggestions in order, and what the person did, with its habit's name."""

    offered: list[SuggestionOutcome] = field(default_factory=list)
    done: list[tuple[str, datetime]] = field(default_factory=list)

    def counts(self) -> list[tuple[str, int, int, int]]:
        """For each habit its name, how often it was done, offered in time, and offered needlessly."""
        done = Counter(name for name, _ in self.done)
        timely = Counter(outcome.name for outcome in self.offered if outcome.is_wanted)
        needless = Counter(outcome.name for outcome in self.offered if not outcome.is_wanted)
        names = sorted({*done, *timely, *needless})
        return [(name, done[name], timely[name], needless[name]) for name in names]


@dataclass(frozen=True, slots=True)
class _LocatedService:
    """The service for a person without a phone: says where they are before each look.

    Attributes:
        service: offers routines.
        where: the person's scenario at the moment.
    """

    service: ProactiveService
    where: Callable[[], str]

    def wake(self) -> None:
        """Look soon."""
        self.service.set_scenario(self.where())
        self.service.wake()

    async def settled(self) -> None:
        """Return when everything has been looked at."""
        await self.service.settled()

    def moments(self) -> list[datetime]:
        """When there will be something to look at."""
        return self.service.moments()


async def walk(
    settings: Settings,
    store: Store,
    memory: Callable[[], HierarchicalMemory],
    clock: DemoClock,
    person: DemoPerson,
    days: int,
    tell: Callable[[SuggestionOutcome], None] = lambda _: None,
) -> WeeksSummary:
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
    walked = WeeksSummary()
    shown: dict[str, SuggestionOffered] = {}
    begin, end = clock(), clock() + timedelta(days=days)

    def hear(event: Event) -> None:
        match event:
            case SuggestionOffered():
                shown[event.id] = event
                react(event)
            case SuggestionLapsed(id=over) | SuggestionAnswered(id=over) if over in shown:
                outcome = _offered(service.suggestions(20), shown.pop(over), person)
                walked.offered.append(outcome)
                tell(outcome)

    def react(event: SuggestionOffered) -> None:
        answer = person.answer(event.instruction, event.time)
        if answer is Answer.ACCEPTED and (habit_record := person.wants(event.instruction, event.time)):
            at = clock()
            record = habit_record.model_copy(update={"time": at, "id": record_id(settings.user_id, at)})
            store.records.add([record], "Carry a suggestion out", "accepted")
        if answer is not Answer.NONE:
            service.answer(event.id, answer)

    service = ProactiveService(settings, store, ProactiveDependencies(memory), clock, hear)
    located = _LocatedService(service, lambda: person.life.where(clock()))
    service.start()
    located.wake()
    try:
        await located.settled()
        await PassingTime(clock, person.life, store, located).until(end)
    finally:
        await service.close()
    for record in store.records.of(settings.user_id):
        if record.time > begin:
            walked.done.append((person.life.name_of(record.instruction), record.time))
    return walked


def _offered(latest: Sequence[Suggestion], event: SuggestionOffered, person: DemoPerson) -> SuggestionOutcome:
    suggestion = next(suggestion for suggestion in latest if suggestion.id == event.id)
    is_wanted = person.wants(event.instruction, event.time) is not None
    return SuggestionOutcome(suggestion, person.life.name_of(event.instruction), is_wanted)


_CHANGE_AFTER = timedelta(days=7)
_WORDS = {
    Answer.NONE: later("open"),
    Answer.ACCEPTED: later("accepted"),
    Answer.NOT_NOW: later("not now"),
    Answer.DONE: later("done by themselves"),
    Answer.LAPSED: later("no answer"),
}


def run_weeks(
    settings: Settings,
    weeks: int,
    refused: Sequence[str],
    stopped: Sequence[str],
    moved: Sequence[str],
    *,
    as_json: bool,
) -> None:
    """Let weeks of the demo's person pass and print what was suggested when.

    Args:
        settings: when something may be said; its store is not touched.
        weeks: how many.
        refused: names of habits whose suggestions the person refuses.
        stopped: names of habits that they give up after the first week.
        moved: habits that have another time of day from then on, as `NAME=13:30`.
        as_json: JSON lines instead of words.

    Raises:
        TyperException: a name or a time that is not known.
    """
    begin = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    turning = Turning((begin + _CHANGE_AFTER).date(), _names(stopped), dict(map(_moved, moved)))
    person = DemoPerson(LivingOn(settings.user_id, turning=turning), _names(refused))
    with TemporaryDirectory() as folder:
        ready = settings.overridden({"store": Path(folder)})
        live_in(ready, WorldOptions(), lambda: begin)
        clock = DemoClock(begin, lambda: 0.0)
        store = open_store(ready, clock)
        try:
            memory = hierarchical_memory(store, ModelRegistry().load_in_background(ready.embedding), ready)
            walked = asyncio.run(
                walk(
                    ready,
                    store,
                    lambda: memory,
                    clock,
                    person,
                    7 * weeks,
                    lambda outcome: typer.echo(_format_outcome(outcome, as_json)),
                )
            )
        finally:
            store.close()
    _summary(walked, as_json)


def _names(given: Sequence[str]) -> frozenset[str]:
    for name in given:
        _checked_habit(name)
    return frozenset(given)


def _moved(given: str) -> tuple[str, time]:
    name, _equals, at = given.partition("=")
    try:
        return _checked_habit(name), time.fromisoformat(at)
    except ValueError:
        raise typer.TyperException(
            _("“{given}” is not NAME=HH:MM, such as lunch=13:30.").format(given=given)
        ) from None


def _checked_habit(name: str) -> str:
    names = [habit.name for habit in habits()]
    if name not in names:
        raise typer.TyperException(
            _("The person has no habit called “{name}”. There is: {names}.").format(
                name=name, names=", ".join(names)
            )
        )
    return name


def _format_outcome(outcome: SuggestionOutcome, as_json: bool) -> str:
    suggestion = outcome.suggestion
    if as_json:
        fields = {
            "at": suggestion.made.isoformat(),
            "habit": outcome.name,
            "instruction": suggestion.instruction,
            "score": suggestion.score,
            "wanted": outcome.is_wanted,
            "answer": suggestion.answer.value,
        }
        return json.dumps(fields, ensure_ascii=False)
    needless = "" if outcome.is_wanted else "  " + _("needless")
    instruction = fitted(one_line(suggestion.instruction), 56)
    answer = _(_WORDS[suggestion.answer])
    return f"{moment(suggestion.made)}  {instruction}  {suggestion.score:.0%}  {answer}{needless}"


def _summary(walked: WeeksSummary, as_json: bool) -> None:
    counts = walked.counts()
    if as_json:
        rows = [dict(zip(("habit", "done", "in_time", "needless"), row, strict=True)) for row in counts]
        typer.echo(json.dumps({"habits": rows}))
        return
    titles = pad_left(_("done"), 6) + pad_left(_("in time"), 9) + pad_left(_("needless"), 10)
    typer.echo(f"\n{padded(_('habit'), 18)}{titles}")
    for name, done, timely, needless in counts:
        typer.echo(f"{padded(name or _('another'), 18)}{done:>6}{timely:>9}{needless:>10}")

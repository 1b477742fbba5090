"""Lives a person's weeks: what happens each day, as records, with the truth about each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from random import Random
from zoneinfo import ZoneInfo

from assistant.memory.prototypes.model import RecordKind
from assistant.records import Failed, Outcome, Record, record_id
from assistant.simulator.chance import Chance, whole
from assistant.simulator.life.habits import (
    EARLIEST,
    LATEST,
    Habit,
    Occurrence,
    days_between,
    occurrences,
    poisson,
)
from assistant.simulator.life.intents import Intent, Want, lexicon
from assistant.simulator.life.people import LifeOptions, Person, filled, invent, other_value
from assistant.simulator.life.performing import actions
from assistant.simulator.life.wording import free_values, instruction, mistyped, spoken, vague

_AWAY = ("transportation", "cultural venue", "outdoors", "dining place", "urban street")
_ELSEWHERE = ("urban street", "transportation", "shopping mall", "dining place", "residence", "outdoors")
_HISTORY = 0.8
_ONCE_OR_TWICE = 2
_VAGUE_FROM = timedelta(days=12)


@dataclass(frozen=True, slots=True)
class Truth:
    """What a record is about: `cluster` is the want's id, `habit` is empty for a one-off."""

    record_id: str
    cluster: str
    kind: RecordKind
    habit: str = ""


@dataclass(frozen=True, slots=True)
class Life:
    """A person's records, oldest first, with the truth about each record of the person's own.

    Records of somebody else who uses the same phone are among them, under another user id. `split` is where
    the first 80 % of the days end: history before, questions after.
    """

    person: Person
    records: tuple[Record, ...]
    truths: tuple[Truth, ...]
    split: datetime

    @property
    def own(self) -> tuple[Record, ...]:
        """The person's own records."""
        return tuple(record for record in self.records if record.user_id == self.person.user_id)

    @property
    def history(self) -> tuple[Record, ...]:
        """All records before the split, those of others among them."""
        return tuple(record for record in self.records if record.time < self.split)


def lives(options: LifeOptions) -> Iterator[Life]:
    """The lives that are asked for, one after another; the same options give the same lives."""
    for place in range(options.people):
        yield live(invent(options, place), Chance(whole(0, 2**48, "life", options.seed, place)), options)


def live(person: Person, random: Random, options: LifeOptions) -> Life:
    """One person's life."""
    days = days_between(person.first, person.last)
    planned = [
        occurrence
        for occurrence in occurrences(person.habits, days, random)
        if not person.is_away(occurrence.day)
    ]
    planned = [_deviating(occurrence, person, random) for occurrence in planned]
    planned += _moments(person, days, planned, random)
    narrator = _Narrator(person, random)
    narrated = sorted((narrator.tell(occurrence) for occurrence in planned), key=lambda pair: pair[0].time)
    records = [record for record, _ in narrated]
    if person.shares_phone:
        records = sorted([*records, *_housemate(person, options, random)], key=lambda record: record.time)
    split = datetime.combine(
        person.first + timedelta(days=int(len(days) * _HISTORY)), time(), ZoneInfo(person.zone)
    )
    return Life(person, tuple(records), tuple(truth for _, truth in narrated), split)


class _Narrator:
    """Tells occurrences as records, in the person's own manner of speaking and tapping."""

    def __init__(self, person: Person, random: Random) -> None:
        self._person = person
        self._random = random
        self._ids: set[str] = set()

    def tell(self, happened: Occurrence) -> tuple[Record, Truth]:
        """The record of something that happened, and the truth about it."""
        person, random, want = self._person, self._random, happened.want
        own = whole(0, 1000, person.user_id, want.intent.id)
        free = free_values(want, random)
        text = instruction(want, free, person.locale, own, random)
        done = actions(want, free, person.locale, own // 7, random)
        outcome = Outcome.SUCCESS
        if random.random() < 0.03:
            outcome, done = Outcome.FAILED, (*done[: max(1, len(done) // 2)], Failed())
        if random.random() < 0.05:
            done = ()
        said = self._said(happened, text)
        if random.random() < person.temper.typos:
            text = mistyped(text, random)
        app = lexicon().apps[want.intent.app]
        at = self._moment(happened)
        record = Record(
            id=self._id(at),
            user_id=person.user_id,
            time=at,
            scenario=self._scenario(happened),
            app=app.label.of(person.locale),
            package=app.package,
            said=said,
            instruction=text,
            outcome=outcome,
            source="executed",
            actions=done,
        )
        return record, Truth(record.id, want.id, happened.kind, happened.habit)

    def _said(self, happened: Occurrence, text: str) -> str:
        settled = happened.habit and happened.day - self._person.first > _VAGUE_FROM
        if settled and self._random.random() < 0.25:
            short = vague(happened.want, self._person.locale, in_records=True, random=self._random)
            if short:
                return spoken(short, self._person.locale, self._random)
        return spoken(text, self._person.locale, self._random)

    def _moment(self, happened: Occurrence) -> datetime:
        zone = self._person.away_zone if self._person.is_away(happened.day) else self._person.zone
        midnight = datetime.combine(happened.day, time(), ZoneInfo(zone))
        return midnight + timedelta(seconds=round(60 * happened.minute))

    def _scenario(self, happened: Occurrence) -> str:
        person, random = self._person, self._random
        if random.random() < person.temper.unknown:
            return "unknown"
        if person.is_away(happened.day):
            return random.choice(_AWAY)
        if random.random() < person.temper.elsewhere:
            return random.choice(_ELSEWHERE)
        return happened.scenario or person.scenario(happened.day, happened.minute)

    def _id(self, at: datetime) -> str:
        made, step = record_id(self._person.user_id, at), 0
        while made in self._ids:
            step += 1
            made = record_id(self._person.user_id, at + timedelta(microseconds=step))
        self._ids.add(made)
        return made


def _deviating(happened: Occurrence, person: Person, random: Random) -> Occurrence:
    """Now and then a habit is done differently once: that is a one-off of its own."""
    slots = happened.want.intent.slots
    if len(slots) < 2 or random.random() >= person.temper.deviations:
        return happened
    slot = random.choice(sorted(slots))
    changed = other_value(slots[slot], happened.want.fillings[slot], random)
    want = Want(happened.want.intent, {**happened.want.fillings, slot: changed})
    usual = {phase.want.id for habit in person.habits for phase in habit.phases}
    if want.id in usual:
        return happened
    return replace(happened, want=want, kind=RecordKind.MOMENT, habit="")


def _moments(
    person: Person, days: Sequence[date], habitual: Sequence[Occurrence], random: Random
) -> list[Occurrence]:
    """One-offs, some of them in bursts; no want on more than two days, and none that a habit is about."""
    chooser = _Chooser(person.habits, random)
    occurrences = []
    for day in days:
        for _ in range(poisson(person.temper.moments, random)):
            want = chooser.draw()
            minute = 60 * random.uniform(*want.intent.hours)
            occurrences.append(Occurrence(day, minute, want, RecordKind.MOMENT))
    for _ in range(random.randint(2, 4)):
        want, day = chooser.draw(), random.choice(days)
        begin = 60 * random.uniform(9, 20)
        steps = (random.uniform(1, 15) for _ in range(random.randint(4, 7)))
        for step in steps:
            begin += step
            occurrences.append(Occurrence(day, begin, want, RecordKind.MOMENT))
    occurrences += _regrets(habitual, random)
    return [
        replace(occurrence, minute=min(LATEST, max(EARLIEST, occurrence.minute)))
        for occurrence in occurrences
    ]


def _regrets(habitual: Sequence[Occurrence], random: Random) -> list[Occurrence]:
    """Orders that are cancelled some minutes later: the same thing, and the opposite."""
    orders = {"lunch-noodles": "cancel-food", "groceries": "cancel-purchase"}
    regrets = []
    for habit in habitual:
        if (undo := orders.get(habit.want.intent.id)) and random.random() < 0.08:
            want = Want(lexicon().intent(undo), {"item": habit.want.fillings["item"]})
            regrets.append(
                Occurrence(habit.day, habit.minute + random.uniform(2, 15), want, RecordKind.MOMENT)
            )
    return regrets


class _Chooser:
    """Draws wants for one-offs, none of them more than twice."""

    def __init__(self, habits: Sequence[Habit], random: Random) -> None:
        self._random = random
        topics = {habit.intent.topic for habit in habits}
        self._intents: list[Intent] = [
            intent
            for intent in lexicon().intents
            if RecordKind.MOMENT in intent.kinds and intent.topic not in topics - {""}
        ]
        self._seen = Counter(phase.want.id for habit in habits for phase in habit.phases)
        for want in list(self._seen):
            self._seen[want] = _ONCE_OR_TWICE

    def draw(self) -> Want:
        """A want that has been drawn once at most; after many tries any."""
        want = filled(self._random.choice(self._intents), self._random)
        for _ in range(200):
            if self._seen[want.id] < _ONCE_OR_TWICE:
                break
            want = filled(self._random.choice(self._intents), self._random)
        self._seen[want.id] += 1
        return want


def _housemate(person: Person, options: LifeOptions, random: Random) -> list[Record]:
    """What somebody else does on the same phone: other habits, the same apps, another user id."""
    stranger = invent(replace(options, seed=whole(0, 2**30, "housemate", person.user_id)), 0)
    other = replace(
        stranger, user_id=f"{person.user_id}-guest", locale=person.locale, zone=person.zone, away=None,
        first=person.first, last=person.last,
    )  # fmt: skip
    days = days_between(person.first, person.last)
    moved = [_shifted(habit, person.first - stranger.first) for habit in stranger.habits[:3]]
    narrator = _Narrator(other, random)
    return [narrator.tell(occurrence)[0] for occurrence in occurrences(moved, days, random)]


def _shifted(habit: Habit, by: timedelta) -> Habit:
    phases = tuple(replace(phase, first=phase.first + by, last=phase.last + by) for phase in habit.phases)
    return replace(habit, phases=phases, after="")

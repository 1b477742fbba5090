"""Personalised commands carried out one after another with one memory and parts of understanding off.

Each session has a phone whose apps hold the person's data; it returns there before each command. The user is
simulated: they let every completed command stand, allow every action, and answer what they are asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import cast

from assistant.bench.deed_counts import NO_DEEDS, DeedCount, of_task
from assistant.bench.harness import Stage, carry_out, open_stage, started
from assistant.bench.personal_tasks import Locale, Owner, PersonalTask, owners
from assistant.bench.report import progress
from assistant.bench.tasks import check
from assistant.demo.memory import know_apps, live_in
from assistant.engine import Engine
from assistant.events import (
    ActionKind,
    Approval,
    ApprovalRequested,
    ElementExplored,
    ElementRecalled,
    ElementsPerceived,
    Event,
    MeaningProposed,
    QuestionAsked,
    StateChanged,
    TurnFinished,
    TurnState,
    Verdict,
)
from assistant.safety.amounts import Allowance
from assistant.settings.schema import Settings
from assistant.simulator import SIMULATED
from assistant.simulator.model.options import ControlChange
from assistant.simulator.orders import Own, Snapshot, Trip
from assistant.simulator.world import WorldOptions

CAP = 300.0
"""Seconds after which a command that hangs counts as not done; others end by steps, however busy it is."""

_SCALE = 0.5
_MOST_STEPS = 45
_BETWEEN = timedelta(hours=2)


class Arm(StrEnum):
    """What of understanding is at work; in the last, memory begins with three weeks of records."""

    AS_SAID = "as-said"
    LOOKS = "looks"
    ASKS = "asks"
    BOTH = "both"
    LIVED_BOTH = "lived-both"

    @property
    def looks(self) -> bool:
        """Whether apps are looked into."""
        return self in (Arm.LOOKS, Arm.BOTH, Arm.LIVED_BOTH)

    @property
    def asks(self) -> bool:
        """Whether there is a user who can be asked."""
        return self in (Arm.ASKS, Arm.BOTH, Arm.LIVED_BOTH)

    @property
    def understands(self) -> bool:
        """Whether anything is made of what is said."""
        return self is not Arm.AS_SAID


@dataclass(frozen=True, slots=True)
class Lookup:
    """One exploration of an app: for which words, and whether its result is right; None for no result."""

    words: str
    app: str
    right: bool | None


@dataclass(slots=True)
class Observed:
    """What was seen of one command while it was carried out.

    `sources` tells for each element, by the words perceived, who gave its meaning and whether it is right;
    `yeses` are the kinds of what was asked about and allowed.
    """

    perceived: tuple[str, ...] = ()
    sources: dict[str, tuple[str, bool]] = field(default_factory=dict)
    lookups: list[Lookup] = field(default_factory=list)
    questions: int = 0
    yeses: list[ActionKind] = field(default_factory=list)
    finished: TurnFinished | None = None

    def take(self, event: Event, engine: Engine, owner: Owner, task: PersonalTask) -> None:
        """Note an event of a command, and answer as the owner of the phone where it asks."""
        match event:
            case ElementsPerceived(elements=elements):
                self.perceived = self.perceived or elements
            case ElementRecalled(element=words, value=value, source=source):
                is_right = owner.means(words, value) or owner.means_all(task.elements, value)
                self.sources[words] = (source, is_right)
            case ElementExplored(element=words, app=app, value=value):
                self.lookups.append(Lookup(words, app, owner.means(words, value) if value else None))
            case QuestionAsked(question=question, choices=choices, answer=answer):
                self.questions += 1
                answer.set_result(owner.answer(question, choices, task.elements))
            case ApprovalRequested(kind=kind, decision=decision):
                self.yeses.append(kind)
                decision.set_result(Approval(Verdict.ONCE))
            case MeaningProposed(instruction=instruction, decision=decision):
                decision.set_result(instruction)
            case StateChanged(state=TurnState.PAUSED):
                engine.cancel()
            case _:
                pass


@dataclass(frozen=True, slots=True)
class Attempt:
    """A command in an arm: what was seen of it, and what it left unmet on the phone, empty where it was done.

    `number` counts the commands of the session, the first one is 1; `deeds` is what was done.
    """

    task: PersonalTask
    arm: Arm
    number: int
    observed: Observed
    unmet: tuple[str, ...]
    seconds: float
    deeds: DeedCount = NO_DEEDS

    @property
    def done(self) -> bool:
        """Whether the phone is as it should be."""
        return not self.unmet


async def carry_out_all(tasks: Sequence[PersonalTask], arms: Sequence[Arm], seed: int) -> list[Attempt]:
    """Carry the commands out in every arm; a phone for each language, both at once.

    Raises:
        WorldFailed: the simulated world does not start.
        EmbeddingError: the embedder cannot be loaded.
    """
    phones = await asyncio.gather(
        *(
            _on_one_phone([task for task in tasks if task.locale == locale], locale, arms, seed)
            for locale in dict.fromkeys(task.locale for task in tasks)
        )
    )
    return [attempt for attempts in phones for attempt in attempts]


async def _on_one_phone(
    tasks: Sequence[PersonalTask], locale: Locale, arms: Sequence[Arm], seed: int
) -> list[Attempt]:
    owner = owners()[locale]
    options = WorldOptions(locale=locale, seed=seed, scale=_SCALE)
    attempts = []
    async with open_stage(options) as stage:
        for holding in owner.has:
            await stage.phone.perform(Own(package=holding.package, has=holding.has))
        # Whoever has lived with a phone has answered what its apps ask only once.
        await stage.phone.perform(Trip(permissions=False, updates=False))
        await stage.phone.perform(Snapshot())
        await stage.model.change(ControlChange(thoughts="none"))
        for arm in arms:
            clock = _Clock()
            session = await asyncio.to_thread(_session, stage, arm, options, clock)
            for number, task in enumerate(tasks, 1):
                attempts.append(await _attempt(session, owner, task, arm, number, clock))
                clock.advance()
                done = "done" if attempts[-1].done else "not done"
                progress(f"{locale} · {arm} · {number}/{len(tasks)} {task.id}: {done}")
    return attempts


class _Clock:
    """The time at which a command is given: some hours after the one before, whatever the wall clock says."""

    def __init__(self) -> None:
        wall = datetime.now().astimezone()
        self._ahead = wall.replace(hour=9, minute=0, second=0, microsecond=0) - wall

    def now(self) -> datetime:
        return datetime.now().astimezone() + self._ahead

    def advance(self) -> None:
        self._ahead += _BETWEEN


def _session(stage: Stage, arm: Arm, options: WorldOptions, clock: _Clock) -> Stage:
    """The stage with the settings and the memory of an arm."""
    settings = _settings(stage.settings, arm)
    if arm is Arm.LIVED_BOTH:
        live_in(settings, options, clock.now)
    know_apps(settings, cast(Locale, options.locale))
    return replace(stage, settings=settings)


def _settings(defaults: Settings, arm: Arm) -> Settings:
    """Nothing waits for a person, nothing is looked at twice, nobody touches the phone: its state judges."""
    return defaults.overridden(
        {
            "store": defaults.store / arm.name.lower(),
            "understanding": {"enabled": arm.understands, "looks": arm.looks, "asks": arm.asks},
            "turn": {
                "max_steps": _MOST_STEPS,
                "history_steps": _MOST_STEPS,
                "confirm": False,
                "confirm_meaning_seconds": 0.0,
                "takeover": False,
            },
            "phone": {"settle_cap": 0.5},
            "model": {"image_side": 320},
            "memory": {"learning": arm.understands},
            "proactive": {"enabled": False},
        }
    )


async def _attempt(
    stage: Stage, owner: Owner, task: PersonalTask, arm: Arm, number: int, clock: _Clock
) -> Attempt:
    before = await stage.prepare(task.setup)
    began = asyncio.get_running_loop().time()
    observed = Observed()
    engine = Engine(
        stage.settings,
        now=clock.now,
        attended=arm.asks,
        allowances=map(Allowance, ActionKind),
        simulated=SIMULATED,
    )
    # Closing the engine waits until the memory has learnt, so that the next command finds it.
    async with started(engine):
        observed.finished = await carry_out(
            engine, task.instruction, CAP, lambda event: observed.take(event, engine, owner, task)
        )
        if observed.finished is None:
            engine.cancel()
    seconds = asyncio.get_running_loop().time() - began
    answer = observed.finished.answer if observed.finished else ""
    state = await stage.phone.state()
    # One deed of each kind is allowed beforehand, and each yes allows another.
    did = of_task(task, before, state, (*ActionKind, *observed.yeses))
    return Attempt(task, arm, number, observed, tuple(check(task, state, answer)), seconds, did)

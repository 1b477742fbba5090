"""Carrying out personalised commands one after another, with one memory, in one of several arms.

Each session has a phone whose apps hold the person's data; it returns there before each command. The user is
simulated: they let every completed command stand, allow every action, and answer what they are asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import cast

from assistant.bench.personal_tasks import Locale, Owner, PersonalTask, owners
from assistant.bench.stage import Stage, open_stage
from assistant.bench.tasks import check
from assistant.commands.demo_memory import know_apps, live_in
from assistant.config import Settings
from assistant.engine import Engine
from assistant.events import (
    ActionKind,
    ElementExplored,
    ElementRecalled,
    ElementsPerceived,
    MeaningProposed,
    QuestionAsked,
    StateChanged,
    TurnFinished,
    TurnState,
)
from assistant.simulator.model.options import ControlChange
from assistant.simulator.orders import Own, Snapshot, Trip
from assistant.simulator.world import SIMULATED, WorldOptions

CAP = 90.0
"""Seconds after which a command counts as not done."""

SCALE = 0.5
_MOST_STEPS = 45
_BETWEEN = timedelta(hours=2)


class Arm(StrEnum):
    """What of understanding is at work, and whether its memory is empty at first or has lived three weeks."""

    AS_SAID = "as-said"
    LOOKS = "looks"
    ASKS = "asks"
    BOTH = "both"
    LIVED = "lived"
    LIVED_BOTH = "lived-both"

    @property
    def label(self) -> str:
        """What to call it in a table."""
        return _LABELS[self]

    @property
    def looks(self) -> bool:
        """Whether apps are looked into."""
        return self in (Arm.LOOKS, Arm.BOTH, Arm.LIVED_BOTH)

    @property
    def asks(self) -> bool:
        """Whether there is a user who can be asked."""
        return self in (Arm.ASKS, Arm.BOTH, Arm.LIVED_BOTH)

    @property
    def lived(self) -> bool:
        """Whether memory has three weeks of records before the first command."""
        return self in (Arm.LIVED, Arm.LIVED_BOTH)

    @property
    def understands(self) -> bool:
        """Whether anything is made of what is said."""
        return self is not Arm.AS_SAID


_LABELS = {
    Arm.AS_SAID: "as it is said",
    Arm.LOOKS: "with looks",
    Arm.ASKS: "with questions",
    Arm.BOTH: "with looks and questions",
    Arm.LIVED: "three lived weeks alone",
    Arm.LIVED_BOTH: "three weeks, looks, questions",
}


@dataclass(frozen=True, slots=True)
class Look:
    """A look into an app: for which words, and whether what it brought is right; None for nothing."""

    words: str
    app: str
    right: bool | None


@dataclass(slots=True)
class Watched:
    """What was seen of one command while it was carried out.

    `sources` tells for each element, by the words perceived, who gave its meaning and whether it is right.
    """

    perceived: tuple[str, ...] = ()
    sources: dict[str, tuple[str, bool]] = field(default_factory=dict)
    looks: list[Look] = field(default_factory=list)
    questions: int = 0
    finished: TurnFinished | None = None


@dataclass(frozen=True, slots=True)
class Tried:
    """A command in an arm: what was seen of it, and what it left unmet on the phone, empty where it was done.

    `number` counts the commands of the session, the first one is 1.
    """

    task: PersonalTask
    arm: Arm
    number: int
    seen: Watched
    unmet: tuple[str, ...]
    seconds: float

    @property
    def done(self) -> bool:
        """Whether the phone is as it should be."""
        return not self.unmet


async def run(
    tasks: Sequence[PersonalTask], arms: Sequence[Arm], seed: int, tell: Callable[[str], None]
) -> list[Tried]:
    """Carry the commands out in every arm; a phone for each language, both at once.

    Raises:
        WorldFailed: the simulated world does not start.
        EmbeddingError: the embedder cannot be loaded.
    """
    locales = dict.fromkeys(task.locale for task in tasks)

    async def of(locale: Locale) -> list[Tried]:
        own = [task for task in tasks if task.locale == locale]
        return await _on_one_phone(own, locale, arms, seed, tell)

    found = await asyncio.gather(*map(of, locales))
    return [one for several in found for one in several]


async def _on_one_phone(
    tasks: Sequence[PersonalTask],
    locale: Locale,
    arms: Sequence[Arm],
    seed: int,
    tell: Callable[[str], None],
) -> list[Tried]:
    owner = owners()[locale]
    options = WorldOptions(locale=locale, seed=seed, scale=SCALE)
    tried = []
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
                tried.append(await _tried(session, owner, task, arm, number, clock))
                clock.later()
                done = "done" if tried[-1].done else "not done"
                tell(f"{locale} · {arm} · {number}/{len(tasks)} {task.id}: {done}")
    return tried


class _Clock:
    """The time at which a command is given: some hours after the one before, whatever the wall clock says."""

    def __init__(self) -> None:
        self._started = datetime.now().astimezone()
        today = self._started.replace(hour=9, minute=0, second=0, microsecond=0)
        self._ahead = today - self._started

    def now(self) -> datetime:
        """The time."""
        return datetime.now().astimezone() + self._ahead

    def later(self) -> None:
        """The next command is given."""
        self._ahead += _BETWEEN


def _session(stage: Stage, arm: Arm, options: WorldOptions, clock: _Clock) -> Stage:
    """The stage with the settings and the memory of an arm."""
    settings = _settings(stage.settings, arm)
    if arm.lived:
        live_in(settings, options, clock.now)
    know_apps(settings, cast(Locale, options.locale))
    return replace(stage, settings=settings)


def _settings(plain: Settings, arm: Arm) -> Settings:
    """Nothing waits for a person, nothing is looked at twice, nobody touches the phone: its state judges."""
    return plain.overridden(
        {
            "store": plain.store / arm.name.lower(),
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


async def _tried(
    stage: Stage, owner: Owner, task: PersonalTask, arm: Arm, number: int, clock: _Clock
) -> Tried:
    await stage.prepare(task.setup)
    started = asyncio.get_running_loop().time()
    engine = Engine(
        stage.settings,
        now=clock.now,
        attended=arm.asks,
        approved=frozenset(ActionKind),
        simulated=SIMULATED,
    )
    try:
        await engine.start()
        await engine.phone_known()
        seen = await _watched(engine, task.instruction, owner)
    finally:
        # Closing waits until the memory has learnt, so that the next command finds it.
        await engine.close()
    seconds = asyncio.get_running_loop().time() - started
    unmet = check(task, await stage.phone.state(), seen.finished.answer if seen.finished else "")
    return Tried(task, arm, number, seen, tuple(unmet), seconds)


async def _watched(engine: Engine, said: str, owner: Owner) -> Watched:
    """Give a command, answer what is asked, and see what happens until it ends.

    Raises:
        NotReady: the phone or the model is missing.
    """
    seen = Watched()
    engine.run(said)
    try:
        async with asyncio.timeout(CAP):
            async for event in engine.events():
                match event:
                    case ElementsPerceived(elements=elements):
                        seen.perceived = elements
                    case ElementRecalled(element=words, value=value, source=source):
                        truth = owner.truth(words)
                        seen.sources[words] = (source, truth is not None and truth.is_told_by(value))
                    case ElementExplored(element=words, app=app, value=value):
                        truth = owner.truth(words)
                        right = truth is not None and truth.is_told_by(value)
                        seen.looks.append(Look(words, app, right if value else None))
                    case QuestionAsked(question=question, answer=answer):
                        seen.questions += 1
                        answer.set_result(owner.answer(question))
                    case MeaningProposed(instruction=instruction, decision=decision):
                        decision.set_result(instruction)
                    case StateChanged(state=TurnState.PAUSED):
                        engine.cancel()
                    case TurnFinished():
                        seen.finished = event
                        break
    except TimeoutError:
        engine.cancel()
    return seen

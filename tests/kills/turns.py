"""A program killed around a message or a payment, and the turn that is continued.

A turn runs in a process of its own, with `--yes` for its deed. Two thirds of the kills are aimed before the
deed: at a moment after an approval, or after the intent was written to the memory, within the time that the
deed took to reach the phone in a turn that was not killed; some of them come later than it. The other third
falls within 300 ms after the simulated phone shows the deed as done. Then the turn is continued by a person
who looks at the phone when asked: they say yes if the deed is not done, else no. Done twice, or not at all,
is counted.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from assistant.bench.harness import Stage, TurnFailed, open_stage, started
from assistant.engine import Engine
from assistant.events import (
    ActionKind,
    Approval,
    ApprovalRequested,
    ApprovalSettled,
    Event,
    MeaningProposed,
    QuestionAsked,
    StateChanged,
    TurnFinished,
    TurnState,
    Verdict,
)
from assistant.memory.store import local_time
from assistant.safety.amounts import Allowance
from assistant.settings.schema import Settings
from assistant.simulator.chance import share
from assistant.simulator.world import WorldOptions

_LIMIT = 180.0
"""Seconds that a turn may take to its next approval or to its end: over 60 on a busy machine."""
_TRIES = 3
LANES = 3
"""So many phones side by side; a turn mostly waits."""
_POLL, _POLLS_PER_LOOK = 0.004, 20
_AFTER_DEED = 0.3
"""Seconds within which a kill falls after the deed; its step is stored then, and the screen looked at."""


class Aim(StrEnum):
    """What a kill waits for before its random delay."""

    APPROVED = "approved"
    INTENT = "intent"
    DONE = "done"


_SHARES = ((Aim.APPROVED, 0.3), (Aim.INTENT, 0.65), (Aim.DONE, 1.0))
"""Up to which share of the kills each aim is drawn."""


@dataclass(frozen=True, slots=True)
class Kill:
    """When a turn is killed: so many seconds after the aim, at that approval, from 1."""

    aim: Aim
    approval: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Errand:
    """A command with one deed, and how often the phone shows it as done.

    `approvals` are how many approvals its stages take: an order and its payment are one deed in two stages.
    """

    name: str
    said: str
    kind: ActionKind
    count: Callable[[dict[str, Any]], int]
    approvals: int = 1


def _messages(state: dict[str, Any]) -> int:
    talk = state["apps"]["com.example.chat"]["messages"]["Mom"]
    return sum(message["text"] == "I will be late" for message in talk)


def _orders(state: dict[str, Any]) -> int:
    paid = state["apps"]["com.example.paybox"]["transactions"]
    return max(len(state["apps"]["com.example.eats"]["orders"]), len(paid))


ERRANDS = (
    Errand("send", "send a message to Mom: I will be late", ActionKind.SEND, _messages),
    Errand("pay", "order beef noodles without coriander", ActionKind.PAY, _orders, 2),
)


class Missed(StrEnum):
    """Why a turn was not killed where it should be, so that it does not count."""

    NOT_REACHED = "ended_or_too_slow_before_the_aim"
    OVER = "over_before_the_kill"


@dataclass(frozen=True, slots=True)
class KilledTurn:
    """What became of a turn that was killed: how often its deed was done before and after it was continued.

    `asked` is how often the user was asked in the continued turn.
    """

    before: int
    after: int
    asked: int


@dataclass(frozen=True, slots=True)
class Kills:
    """The turns of one errand: those killed, of how many that were wanted, and why others were not."""

    turns: Sequence[KilledTurn]
    wanted: int
    missed: Sequence[Missed] = ()

    @property
    def good(self) -> bool:
        """Whether all were killed that were wanted, and each deed was done once."""
        return len(self.turns) >= self.wanted and all(turn.after == 1 for turn in self.turns)


async def kill_errand(errand: Errand, times: int, seed: int) -> Kills:
    """Kill an errand so many times, on phones of its own.

    Raises:
        TurnFailed: the errand does not reach its approval.
        WorldFailed: the simulated world does not start.
    """
    turns: list[KilledTurn] = []
    missed: list[Missed] = []
    numbers = iter(range(times * _TRIES))

    async def lane() -> None:
        async with open_stage(WorldOptions(seed=seed, scale=0.5)) as stage:
            seconds = await _seconds_to_deed(stage, errand)
            for number in numbers:
                if len(turns) >= times:
                    return
                killed = await _kill_turn(stage, errand, draw_kill(errand, seconds, number, seed))
                if isinstance(killed, Missed):
                    missed.append(killed)
                elif len(turns) < times:
                    turns.append(killed)

    await asyncio.gather(*(lane() for _ in range(min(LANES, times))))
    return Kills(turns, times, missed)


def draw_kill(errand: Errand, seconds: dict[Aim, float], number: int, seed: int) -> Kill:
    """The moment of one kill; `seconds` is how long the deed takes from each aim on."""
    draw = share(seed, errand.name, number, "aim")
    aim = next(aim for aim, limit in _SHARES if draw < limit)
    approval = 1 + int(share(seed, errand.name, number, "stage") * errand.approvals)
    delay = seconds.get(aim, _AFTER_DEED) * share(seed, errand.name, number)
    return Kill(aim, errand.approvals if aim is Aim.DONE else approval, delay)


async def _kill_turn(stage: Stage, errand: Errand, kill: Kill) -> KilledTurn | Missed:
    """Run a turn, kill it and continue it, or why it was not killed where it should be."""
    with _store_folder() as folder:
        await stage.prepare()
        settings = stage.settings.model_copy(update={"store": folder})
        missed = await _run_and_kill(stage, settings, errand, kill)
        if missed is not None:
            return missed
        before = errand.count(await stage.phone.state())
        asked = await continue_turn(stage, settings, errand)
        return KilledTurn(before, errand.count(await stage.phone.state()), asked)


@contextmanager
def _store_folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="assistant-kills-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


async def _seconds_to_deed(stage: Stage, errand: Errand) -> dict[Aim, float]:
    """How long it takes from the last approval, and from its intent, to the deed, in an undisturbed turn.

    Raises:
        TurnFailed: the turn does not come so far.
    """
    with _store_folder() as folder:
        await stage.prepare()
        settings = stage.settings.model_copy(update={"store": folder})
        child, pipe = _start(settings, errand)
        try:
            reached: dict[Aim, float] = {}
            await asyncio.to_thread(_wait_for_approval, pipe, errand.approvals)
            for aim in Aim:
                if not await _reach(stage, settings, errand, aim, child):
                    raise TurnFailed(f"The errand {errand.name} does not come to its deed ({aim}).")
                reached[aim] = time.monotonic()
        finally:
            await asyncio.to_thread(_end, child, pipe)
    return {aim: max(0.01, reached[Aim.DONE] - reached[aim]) for aim in (Aim.APPROVED, Aim.INTENT)}


def _start(settings: Settings, errand: Errand) -> tuple[BaseProcess, Connection]:
    """A turn in a process of its own, and where it tells what happens."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", __name__])
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_turn_in_child, args=(settings, errand.name, theirs), daemon=True)
    child.start()
    theirs.close()
    return child, ours


async def _run_and_kill(stage: Stage, settings: Settings, errand: Errand, kill: Kill) -> Missed | None:
    """Run a turn in a process of its own and kill it; None where it was still running.

    Args:
        stage: the phone that the turn works with.
        settings: lead to the phone, the model and the memory.
        errand: what to do.
        kill: when.
    """
    child, pipe = _start(settings, errand)
    try:
        approval = 1 if kill.aim is Aim.DONE else kill.approval
        if not await asyncio.to_thread(_wait_for_approval, pipe, approval):
            return Missed.NOT_REACHED
        if not await _reach(stage, settings, errand, kill.aim, child):
            return Missed.NOT_REACHED
        await asyncio.sleep(kill.seconds)
        return None if child.is_alive() and not _has_ended(pipe) else Missed.OVER
    finally:
        await asyncio.to_thread(_end, child, pipe)


async def _reach(stage: Stage, settings: Settings, errand: Errand, aim: Aim, child: BaseProcess) -> bool:
    """Wait for what a kill aims at, after the approval; False when the turn ends before.

    An intent that was missed, because it stood only for a moment, is taken as reached with the deed.
    """
    polls = 0
    end = time.monotonic() + _LIMIT
    while child.is_alive() and time.monotonic() < end:
        polls += 1
        if aim is Aim.APPROVED or (
            aim is Aim.INTENT and await asyncio.to_thread(find_in_turns, settings, HAS_INTENT)
        ):
            return True
        look = aim is Aim.DONE or polls % _POLLS_PER_LOOK == 0
        if look and errand.count(await stage.phone.state()) > 0:
            return True
        await asyncio.sleep(_POLL)
    return False


def _wait_for_approval(pipe: Connection, number: int) -> bool:
    """Wait for an approval of a running turn, from 1; False when it ends before."""
    seen = 0
    with suppress(EOFError, OSError):
        while seen < number and pipe.poll(_LIMIT) and (message := pipe.recv()) != "ended":
            seen += message == "approved"
    return seen >= number


HAS_INTENT = "json_extract(checkpoint, '$.intent.number') IS NOT NULL"
"""Of a row of turns: it is about to do a deed, and says so in the memory."""
IS_OPEN = "open"
"""Of a row of turns: it has not ended."""


def find_in_turns(settings: Settings, condition: str) -> bool:
    """Whether the memory of a running program has a turn with a condition, one of the two above."""
    query = f"SELECT 1 FROM turns WHERE {condition} LIMIT 1"
    with closing(sqlite3.connect(f"file:{settings.store}/memory.sqlite?mode=ro", uri=True)) as database:
        return database.execute(query).fetchone() is not None


def _end(child: BaseProcess, pipe: Connection) -> None:
    child.kill()
    child.join(_LIMIT)
    pipe.close()


def _has_ended(pipe: Connection) -> bool:
    with suppress(EOFError, OSError):
        while pipe.poll():
            if pipe.recv() == "ended":
                return True
    return False


def _turn_in_child(settings: Settings, name: str, pipe: Connection) -> None:
    errand = next(errand for errand in ERRANDS if errand.name == name)

    async def carry_out() -> None:
        engine = Engine(settings, now=local_time, attended=False, allowances=[Allowance(errand.kind)])
        async with started(engine):
            engine.run(errand.said)
            async for event in engine.events():
                match event:
                    case ApprovalSettled():
                        pipe.send("approved")
                    case TurnFinished():
                        pipe.send("ended")
                        return

    asyncio.run(carry_out())


async def continue_turn(stage: Stage, settings: Settings, errand: Errand) -> int:
    """Continue the turn as a person who looks at the phone when asked; how often they were asked."""
    asked = 0
    engine = Engine(settings, now=local_time, allowances=[Allowance(errand.kind, 9)])
    async with started(engine):
        left = engine.interrupted_turn()
        if left is None:
            return 0
        engine.continue_turn(left.turn_id)
        with suppress(TimeoutError):
            async with asyncio.timeout(_LIMIT):
                async for event in engine.events():
                    asked += isinstance(event, ApprovalRequested)
                    await _react(stage, engine, errand, event)
                    if isinstance(event, TurnFinished):
                        break
    return asked


async def _react(stage: Stage, engine: Engine, errand: Errand, event: Event) -> None:
    match event:
        case ApprovalRequested(decision=decision):
            is_done = errand.count(await stage.phone.state()) > 0
            decision.set_result(Approval(Verdict.NO if is_done else Verdict.ONCE))
        case QuestionAsked(answer=answer):
            answer.set_result("look at the phone")
        case MeaningProposed(instruction=instruction, decision=proposed):
            proposed.set_result(instruction)
        case StateChanged(state=TurnState.PAUSED):
            if errand.count(await stage.phone.state()) > 0:
                engine.cancel()
            else:
                engine.resume()

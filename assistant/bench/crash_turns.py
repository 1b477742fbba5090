"""`bench crash --turns`: a program killed around a message or a payment, and the turn that is continued.

A turn runs in a process of its own, with `--yes` for its deed. It is killed at a random moment between the
approval and a little after the end of that step, when the tap may or may not have reached the phone; how long
that takes is measured on a turn that is not killed. Then the turn is continued by a person who looks at the
phone when asked: they say yes if the deed is not done, else no. Done twice, or not at all, is counted.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from assistant.bench.harness import Stage, TurnFailed, open_stage, started
from assistant.bench.report import Report, progress
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
    StepFinished,
    TurnFinished,
    TurnState,
    Verdict,
)
from assistant.memory.store import local_time
from assistant.safety.deeds import Allowance
from assistant.settings.schema import Settings
from assistant.simulator.chance import share
from assistant.simulator.world import WorldOptions

_LIMIT = 60.0
_TRIES = 3
_AFTER_THE_STEP = 1.3
"""Kills go on for so many times the step, as its end is stored then."""


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


@dataclass(frozen=True, slots=True)
class KilledTurn:
    """What became of a turn that was killed: how often its deed was done before and after it was continued.

    `asked` is how often the user was asked in the continued turn.
    """

    before: int
    after: int
    asked: int


async def run(times: int, seed: int) -> Report:
    """Kill each errand so many times.

    Raises:
        TurnFailed: an errand does not reach its approval.
        WorldFailed: the simulated world does not start.
    """
    by_errand = await asyncio.gather(*(_kill_errand(errand, times, seed) for errand in ERRANDS))
    return report({errand.name: turns for errand, turns in zip(ERRANDS, by_errand, strict=True)}, seed)


async def _kill_errand(errand: Errand, times: int, seed: int) -> list[KilledTurn]:
    """Kill an errand so many times, on a phone of its own."""
    async with open_stage(WorldOptions(seed=seed, scale=0.5)) as stage:
        return await _kill_runs(stage, errand, times, seed)


def report(runs: dict[str, Sequence[KilledTurn]] | dict[str, list[KilledTurn]], seed: int) -> Report:
    """What came of the kills."""
    values = {
        name: {
            "killed": len(turns),
            "done_before_the_kill": sum(turn.before > 0 for turn in turns),
            "done_twice": sum(turn.after > 1 for turn in turns),
            "lost": sum(turn.after == 0 for turn in turns),
            "asked_again": sum(turn.asked > 0 for turn in turns),
        }
        for name, turns in runs.items()
    }
    good = all(turn.after == 1 for turns in runs.values() for turn in turns) and all(runs.values())
    return Report({"benchmark": "crash --turns", "seed": seed, "runs": values}, good)


async def _kill_runs(stage: Stage, errand: Errand, times: int, seed: int) -> list[KilledTurn]:
    seconds = [await _seconds_of_deed(stage, errand, number) for number in range(1, errand.approvals + 1)]
    turns: list[KilledTurn] = []
    for number in range(times * _TRIES):
        if len(turns) == times:
            break
        stop_at = 1 + int(share(seed, errand.name, number, "stage") * errand.approvals)
        moment = seconds[stop_at - 1] * share(seed, errand.name, number)
        with _store_folder() as folder:
            await stage.prepare()
            settings = stage.settings.model_copy(update={"store": folder})
            if not await asyncio.to_thread(_run_and_kill, settings, errand, stop_at, moment):
                continue
            before = errand.count(await stage.phone.state())
            asked = await continue_turn(stage, settings, errand)
            turns.append(KilledTurn(before, errand.count(await stage.phone.state()), asked))
        if len(turns) % max(1, times // 10) == 0:
            progress(f"{errand.name}: {len(turns)} of {times} killed")
    return turns


@contextmanager
def _store_folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="assistant-bench-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


async def _seconds_of_deed(stage: Stage, errand: Errand, stop_at: int) -> float:
    """How long it takes from an approval to a little after its step, in a turn that is not killed.

    Raises:
        TurnFailed: the turn does not come so far.
    """
    with _store_folder() as folder:
        await stage.prepare()
        settings = stage.settings.model_copy(update={"store": folder})
        moments = await asyncio.to_thread(_watch, settings, errand)
    approvals = [at for at, (_, message) in enumerate(moments) if message == "approved"]
    if len(approvals) < stop_at:
        raise TurnFailed(f"The errand {errand.name} does not come to approval {stop_at}.")
    begun = approvals[stop_at - 1]
    end = next(moment for moment, message in moments[begun:] if message != "approved")
    return _AFTER_THE_STEP * (end - moments[begun][0])


def _watch(settings: Settings, errand: Errand) -> list[tuple[float, str]]:
    """What a turn that is not killed tells, each with the `time.monotonic()` moment."""
    child, pipe = _start(settings, errand)
    moments = []
    with suppress(EOFError, OSError):
        while pipe.poll(_LIMIT):
            message = pipe.recv()
            moments.append((time.monotonic(), message))
            if message == "ended":
                break
    child.join(_LIMIT)
    pipe.close()
    return moments


def _start(settings: Settings, errand: Errand) -> tuple[BaseProcess, Connection]:
    """A turn in a process of its own, and where it tells what happens."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", __name__])
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_turn_in_child, args=(settings, errand.name, theirs), daemon=True)
    child.start()
    theirs.close()
    return child, ours


def _run_and_kill(settings: Settings, errand: Errand, stop_at: int, moment: float) -> bool:
    """Run a turn in a process of its own and kill it in a deed; whether it was still running.

    Args:
        settings: lead to the phone, the model and the memory.
        errand: what to do.
        stop_at: at which approval, from 1.
        moment: how many seconds after it.
    """
    child, pipe = _start(settings, errand)
    seen, running = 0, False
    with suppress(EOFError, OSError):
        while pipe.poll(_LIMIT) and (message := pipe.recv()) != "ended":
            seen += message == "approved"
            if seen == stop_at:
                time.sleep(moment)
                running = child.is_alive() and not (pipe.poll() and _has_ended(pipe))
                break
    child.kill()
    child.join(_LIMIT)
    pipe.close()
    return running


def _has_ended(pipe: Connection) -> bool:
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
                    case StepFinished():
                        pipe.send("step")
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

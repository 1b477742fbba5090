"""How soon the phone is left alone after a pause, and whether the turn still ends as it should.

Each command runs once undisturbed and tells how long its steps take. Then it runs again and is paused at
random moments. The baseline is to stop only after the step: what was left of it at the same moment of
the undisturbed turn.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.bench.figures import Spread, ratio, spread
from assistant.bench.follower import Follower, following
from assistant.bench.report import Grid, Report
from assistant.bench.stage import Stage
from assistant.bench.tasks import BenchTask, check
from assistant.engine import Engine
from assistant.events import Cause, TurnState
from assistant.records import Outcome
from assistant.simulator.chance import share

BUDGET_MILLISECONDS = 150.0
"""From Escape to "nothing more is sent" (DESIGN section 10)."""

_PER_TURN = 4
_QUIET = 0.3
_LIMIT = 120.0
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment in a turn: a step's number, seconds since it began, and seconds that it would still take."""

    step: int
    offset: float
    left: float


@dataclass(frozen=True, slots=True)
class Interruption:
    """One pause and what followed, in seconds from the pause.

    `last_request` is 0 when nothing was asked of the phone after it; `last_byte` counts acknowledgements and
    the closing of streams too. `still` is when the turn stood still.
    `step_left` is what was left of the step at that moment of the undisturbed turn.
    """

    task_id: str
    doing: Cause
    last_request: float
    last_byte: float
    still: float
    step_left: float
    services: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InterruptedTurn:
    """A turn that was interrupted, and what is wrong with its end; empty when nothing is."""

    task_id: str
    interruptions: tuple[Interruption, ...]
    wrong: str


def moments(step_seconds: Sequence[float], count: int, seed: int, turn: int) -> list[Moment]:
    """Random moments of a turn, in order; each instant within a step is as likely as any other."""
    found = []
    for number in range(count):
        instant = share(seed, turn, number) * sum(step_seconds)
        for step, seconds in enumerate(step_seconds, start=1):
            if instant < seconds or step == len(step_seconds):
                offset = min(instant, seconds)
                found.append(Moment(step, offset, seconds - offset))
                break
            instant -= seconds
    return sorted(found, key=lambda moment: (moment.step, moment.offset))


async def interrupt_turns(
    stage: Stage,
    tasks: Sequence[BenchTask],
    times: int,
    seed: int,
    tell: Callable[[str], None] = lambda _: None,
) -> list[InterruptedTurn]:
    """Interrupt turns of the tasks in rotation until `times` interruptions have been made.

    Raises:
        TurnFailed: a turn fails although nobody interrupts it.
    """
    undisturbed: dict[str, list[float]] = {}
    turns: list[InterruptedTurn] = []
    done = 0
    while done < times:
        task = tasks[len(turns) % len(tasks)]
        if task.id not in undisturbed:
            undisturbed[task.id] = await _step_seconds(stage, task)
        wanted = moments(undisturbed[task.id], min(_PER_TURN, times - done), seed, len(turns))
        turns.append(await _interrupted(stage, task, wanted))
        done += max(1, len(turns[-1].interruptions))
        tell(f"{done}/{times} {turns[-1].task_id}: {turns[-1].wrong or 'as expected'}")
    return turns


async def _step_seconds(stage: Stage, task: BenchTask) -> list[float]:
    """How long each step of an undisturbed turn takes."""
    await stage.prepare(task.setup)
    async with stage.engine(task.approvals) as engine, following(engine) as turn:
        engine.run(task.instruction)
        return [step.seconds for step in await turn.succeeded(_LIMIT)]


async def _interrupted(stage: Stage, task: BenchTask, wanted: Sequence[Moment]) -> InterruptedTurn:
    await stage.prepare(task.setup)
    made: list[Interruption] = []
    async with stage.engine(task.approvals) as engine, following(engine) as turn:
        engine.run(task.instruction)
        try:
            async with asyncio.timeout(_LIMIT):
                for moment in wanted:
                    one = await _interrupt(stage, engine, turn, task.id, moment)
                    if one is not None:
                        made.append(one)
                await turn.until(lambda: False)
        except TimeoutError:
            return InterruptedTurn(task.id, tuple(made), f"it hangs in step {turn.step}")
    return InterruptedTurn(task.id, tuple(made), await _wrong(stage, task, turn))


async def _interrupt(
    stage: Stage, engine: Engine, turn: Follower, task_id: str, moment: Moment
) -> Interruption | None:
    """Pause at a moment and go on again; None when the turn is over before."""
    dropped = sum(1 for step in turn.steps if step.error)
    await turn.until(lambda: turn.step >= moment.step + dropped)
    await asyncio.sleep(turn.step_began + moment.offset - time.monotonic())
    if engine.state is not TurnState.RUNNING:
        return None
    doing = turn.cause
    began = time.monotonic()
    engine.pause()
    await turn.until(lambda: turn.state is TurnState.PAUSED)
    still = time.monotonic()
    await asyncio.sleep(_QUIET)
    traffic = await stage.phone.traffic(since=began)
    turn.step = 0
    engine.resume()
    return Interruption(
        task_id=task_id,
        doing=doing,
        last_request=max(0.0, traffic.last_request - began),
        last_byte=max(0.0, traffic.last_byte - began),
        still=still - began,
        step_left=moment.left,
        services=tuple(one.service[:_SHOWN] for one in traffic.opened),
    )


async def _wrong(stage: Stage, task: BenchTask, turn: Follower) -> str:
    if turn.finished is None or turn.finished.outcome is not Outcome.SUCCESS:
        return turn.finished.answer if turn.finished else "it did not end"
    return "; ".join(check(task, await stage.phone.state(), turn.finished.answer))


def report(turns: Sequence[InterruptedTurn], escapes: Sequence[float], seed: int, delays: float) -> Report:
    """The times from pause to silence by what the turn was doing, and how the turns ended.

    Args:
        turns: the interrupted turns.
        escapes: seconds from the Escape key in the terminal interface to the last request.
        seed: what chose the moments.
        delays: how much of a real phone's delays the phone had.
    """
    made = [one for turn in turns for one in turn.interruptions]
    silence = spread(one.last_request for one in made)
    stepwise = spread(one.step_left for one in made)
    keyed = spread(escapes)
    right = sum(not turn.wrong for turn in turns)
    rows = [("all", silence)] + [
        (f"while {doing}", spread(one.last_request for one in made if one.doing is doing))
        for doing in sorted({one.doing for one in made})
    ]
    rows.append(("the last byte, closing of streams included", spread(one.last_byte for one in made)))
    rows.append(("until the turn stands still", spread(one.still for one in made)))
    rows.append(("baseline: stop after the step", stepwise))
    if escapes:
        rows.append(("Escape in the terminal interface", keyed))
    worst = max(silence.p95, keyed.p95)
    times_sooner = ratio(stepwise.p95, silence.p95)
    lines = [
        f"{right} of {len(turns)} interrupted turns ended as they should"
        f" ({sum(1 for one in made if one.last_request)} of {len(made)} pauses saw a request after them).",
        f"p95 {worst:.0f} ms; the mark is {BUDGET_MILLISECONDS:.0f} ms.",
        *(f"{turn.task_id}: {turn.wrong}" for turn in turns if turn.wrong),
    ]
    values: dict[str, Any] = {
        "benchmark": "interrupt",
        "seed": seed,
        "delays": delays,
        "pause_to_last_request": silence.as_json(),
        "by_activity": {name: one.as_json() for name, one in rows if name.startswith("while ")},
        "pause_to_last_byte": spread(one.last_byte for one in made).as_json(),
        "escape_to_last_request": keyed.as_json() if escapes else None,
        "baseline": {"what": "stop after the step", **stepwise.as_json(), "ratio_p95": times_sooner},
        "budget_ms": BUDGET_MILLISECONDS,
        "turns": len(turns),
        "turns_as_expected": right,
        "wrong": [{"id": turn.task_id, "why": turn.wrong} for turn in turns if turn.wrong],
        "requests_after_a_pause": dict(
            Counter(name for one in made for name in one.services).most_common(12)
        ),
    }
    columns = ("from the pause to the last request", "count", "median ms", "p95 ms", "max ms")
    grid = Grid("Interruptions", columns, tuple(_row(*row) for row in rows), frozenset(columns[1:]))
    return Report(values, [grid], lines, good=right == len(turns) and worst <= BUDGET_MILLISECONDS)


def _row(name: str, one: Spread) -> tuple[str, ...]:
    return name, str(one.count), f"{one.median:.1f}", f"{one.p95:.1f}", f"{one.largest:.1f}"

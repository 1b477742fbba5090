"""How soon phone and model are left alone after a pause, and whether the turn still ends as it should.

Each command runs once undisturbed and tells how long the phases of its steps take. Then it runs again and
is paused at random moments of every phase. The baseline is to stop only after the step: what was left of it
at the same moment of the undisturbed turn.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.bench.figures import Spread, ratio, spread
from assistant.bench.follower import Follower, following
from assistant.bench.moments import PHASES, Moment, Phase, Span, moments, spans
from assistant.bench.report import Grid, Report
from assistant.bench.stage import Stage
from assistant.bench.tasks import BenchTask, check
from assistant.engine import Engine
from assistant.events import StepFinished, TurnState
from assistant.records import Finished, Outcome

BUDGET_MILLISECONDS = 150.0
"""From Escape to "nothing more is sent" (DESIGN section 10)."""

PACE = 150.0
"""Tokens per second of the model, so that it can be interrupted while it thinks."""

Told = Callable[[int, str], None]
"""Is told how many pauses have been made, and what ended last."""

_PER_TURN = 13
_QUIET = 0.3
_LIMIT = 240.0
_SHOWN = 60
# A message sent a minute later is the same message.
_MINUTE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")


@dataclass(frozen=True, slots=True)
class Interruption:
    """One pause and what followed, in seconds from the pause.

    `last_request` is 0 when nothing was asked of the phone or the model after it; `last_byte` counts the
    phone's acknowledgements and the closing of streams too. `still` is when the turn stood still.
    `step_left` is what was left of the step at that moment of the undisturbed turn.
    """

    task_id: str
    phase: Phase
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


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """What a turn of a task does when nobody interrupts it, and what it leaves behind in the apps."""

    spans: tuple[Span, ...]
    did: tuple[str, ...]
    apps: dict[str, str]


async def interrupt_turns(
    stages: Sequence[Stage],
    tasks: Sequence[BenchTask],
    times: int,
    seed: int,
    tell: Told = lambda _done, _words: None,
) -> list[InterruptedTurn]:
    """Interrupt turns of the tasks until `times` interruptions have been made.

    The stages share tasks and interruptions out among them and work side by side: a turn mostly waits for
    its phone.

    Raises:
        TurnFailed: a turn fails although nobody interrupts it.
    """
    made = 0

    def count(turn: InterruptedTurn | None, words: str) -> None:
        nonlocal made
        made += len(turn.interruptions) if turn else 0
        tell(made, words)

    count(None, "undisturbed turns first")
    lanes = len(stages)
    working = [
        asyncio.create_task(
            _interrupt_on(
                _Lane(stage, tasks[lane::lanes] or tasks, lane, lanes, seed, count),
                times * (lane + 1) // lanes - times * lane // lanes,
            )
        )
        for lane, stage in enumerate(stages)
    ]
    try:
        return [turn for turns in await asyncio.gather(*working) for turn in turns]
    finally:
        for one in working:
            one.cancel()
        await asyncio.wait(working)


@dataclass(frozen=True, slots=True)
class _Lane:
    """What one of `lanes` stages does, and who hears of each turn."""

    stage: Stage
    tasks: Sequence[BenchTask]
    number: int
    lanes: int
    seed: int
    count: Callable[[InterruptedTurn | None, str], None]


async def _interrupt_on(lane: _Lane, times: int) -> list[InterruptedTurn]:
    """Interrupt turns on one stage, its tasks in rotation."""
    known: dict[str, Undisturbed] = {}
    turns: list[InterruptedTurn] = []
    left = times
    while left > 0:
        task = lane.tasks[len(turns) % len(lane.tasks)]
        if task.id not in known:
            known[task.id] = await _undisturbed(lane.stage, task)
        number = lane.number + lane.lanes * len(turns)
        wanted = moments(known[task.id].spans, min(_PER_TURN, left), lane.seed, number)
        turn = await _interrupted(lane.stage, task, known[task.id], wanted)
        turns.append(turn)
        left -= max(1, len(turn.interruptions))
        lane.count(turn, f"{task.id}: {turn.wrong or 'as expected'}")
    return turns


async def _undisturbed(stage: Stage, task: BenchTask) -> Undisturbed:
    await stage.prepare(task.setup)
    async with stage.engine(task.approvals) as engine, following(engine) as turn:
        engine.run(task.instruction)
        steps = await turn.succeeded(_LIMIT)
        return Undisturbed(tuple(spans(turn.marks)), _did(steps), _apps(await stage.phone.state()))


async def _interrupted(
    stage: Stage, task: BenchTask, undisturbed: Undisturbed, wanted: Sequence[Moment]
) -> InterruptedTurn:
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
    return InterruptedTurn(task.id, tuple(made), await _wrong(stage, task, undisturbed, turn))


async def _interrupt(
    stage: Stage, engine: Engine, turn: Follower, task_id: str, moment: Moment
) -> Interruption | None:
    """Pause at a moment and go on again; None when the turn is over before."""
    step = moment.step + sum(1 for step in turn.steps if step.error)
    between = moment.phase is Phase.BETWEEN
    await turn.until(lambda: turn.step >= step and (between or PHASES.get(turn.cause) is moment.phase))
    await asyncio.sleep(turn.since + moment.offset - time.monotonic())
    if engine.state is not TurnState.RUNNING:
        return None
    phase = Phase.BETWEEN if between else PHASES[turn.cause]
    began = time.monotonic()
    engine.pause()
    await turn.until(lambda: turn.state is TurnState.PAUSED)
    still = time.monotonic()
    await asyncio.sleep(_QUIET)
    traffic = await stage.phone.traffic(since=began)
    asked = (await stage.model.status()).last_request
    turn.step = 0
    engine.resume()
    return Interruption(
        task_id=task_id,
        phase=phase,
        last_request=max(0.0, traffic.last_request - began, asked - began),
        last_byte=max(0.0, traffic.last_byte - began),
        still=still - began,
        step_left=moment.left,
        services=tuple(one.service[:_SHOWN] for one in traffic.opened),
    )


async def _wrong(stage: Stage, task: BenchTask, undisturbed: Undisturbed, turn: Follower) -> str:
    if turn.finished is None or turn.finished.outcome is not Outcome.SUCCESS:
        return turn.finished.answer if turn.finished else "it did not end"
    state = await stage.phone.state()
    apps = _apps(state)
    unmet = check(task, state, turn.finished.answer)
    unmet += [
        f"{app} holds something else than after an undisturbed turn"
        for app, held in undisturbed.apps.items()
        if held != apps.get(app)
    ]
    if (did := _did(turn.steps)) != undisturbed.did:
        unmet.append(f"it did {'; '.join(did)}, undisturbed {'; '.join(undisturbed.did)}")
    return "; ".join(unmet)


def _did(steps: Sequence[StepFinished]) -> tuple[str, ...]:
    """What was done on the phone, without what the screen said at that place.

    An action that a pause cut short was done if it did not have to be done again.
    """
    actions = [step.action.model_dump_json(exclude={"target", "content"}) for step in steps]
    return tuple(
        action
        for step, action, after in zip(steps, actions, [*actions[1:], ""], strict=True)
        if not isinstance(step.action, Finished) and not (step.error and action == after)
    )


def _apps(state: dict[str, Any]) -> dict[str, str]:
    """What each app holds, as text."""
    return {app: _MINUTE.sub("", json.dumps(held)) for app, held in state["apps"].items()}


def report(turns: Sequence[InterruptedTurn], escapes: Sequence[float], seed: int, delays: float) -> Report:
    """The times from pause to silence by phase, and how the turns ended.

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
    phases = {phase: spread(one.last_request for one in made if one.phase is phase) for phase in Phase}
    rows = [("all", silence), *((phase.value, one) for phase, one in phases.items())]
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
        *(f"No pause came {phase}." for phase, one in phases.items() if not one.count),
        *(f"{turn.task_id}: {turn.wrong}" for turn in turns if turn.wrong),
    ]
    values: dict[str, Any] = {
        "benchmark": "interrupt",
        "seed": seed,
        "delays": delays,
        "pause_to_last_request": silence.as_json(),
        "by_phase": {phase.value: one.as_json() for phase, one in phases.items()},
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

"""`bench interrupt`: how soon phone and model are left alone after a pause, and how the turn then ends.

Each command runs once undisturbed and tells how long the phases of its steps take. Then it runs again and is
paused at random moments: all phases of a step alike, and each instant of a phase alike. The baseline is to
stop only after the step: what was left of it at the same moment of the undisturbed turn. Then Escape is
pressed in the real terminal interface.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate, pairwise
from typing import Any

from assistant.bench.deed_counts import NO_DEEDS, DeedCount, of_task, total
from assistant.bench.harness import Follower, PhaseStart, Stage, following, open_stage
from assistant.bench.report import Report, progress, ratio, spread
from assistant.bench.tasks import BenchTask, check
from assistant.bench.terminal import Terminal, TerminalFailed, in_terminal
from assistant.engine import Engine
from assistant.events import Cause, StepFinished, TurnState
from assistant.records import Finished, Outcome
from assistant.simulator.chance import share
from assistant.simulator.model.options import ControlChange
from assistant.simulator.world import WorldOptions

BUDGET_MILLISECONDS = 150.0
"""From Escape to "nothing more is sent"."""

# So many turns side by side leave two cores half idle.
_LANES = 4
# Tokens per second of the model, so that it can be interrupted while it thinks.
_PACE = 150.0
_PER_TURN = 13
_QUIET = 0.3
_LIMIT = 240.0
_START_LIMIT, _PAINT_LIMIT = 30.0, 20.0
_EARLIEST_ESCAPE, _LATEST_ESCAPE = 0.3, 5.0
_SECOND_ESCAPE = 2.0
# A message sent a minute later is the same message.
_MINUTE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")


class Phase(StrEnum):
    """What a turn is about in a step, in the order in which it comes."""

    BETWEEN = "between two steps"
    LOOKING = "while waiting for the phone"
    THINKING = "while the model thinks"
    ACTING = "while acting"


_PHASES = {
    Cause.OBSERVING: Phase.LOOKING,
    Cause.THINKING: Phase.THINKING,
    Cause.MODEL: Phase.THINKING,
    Cause.ACTING: Phase.ACTING,
}
_ORDER = tuple(Phase)


@dataclass(frozen=True, slots=True)
class Span:
    """One phase of one step of an undisturbed turn.

    `seconds` is how long it took, 0 for what has no length; `left` what the step still took at its begin.
    """

    step: int
    phase: Phase
    seconds: float
    left: float


@dataclass(frozen=True, slots=True)
class Moment:
    """So many seconds after a step's phase began; `left` is what the step would take from there."""

    step: int
    phase: Phase
    offset: float
    left: float


@dataclass(frozen=True, slots=True)
class Interruption:
    """One pause and what followed, in seconds from the pause.

    `last_request` is 0 when nothing was asked of the phone or the model after it. `step_left` is what was
    left of the step at that moment of the undisturbed turn.
    """

    phase: Phase
    last_request: float
    step_left: float


@dataclass(frozen=True, slots=True)
class InterruptedTurn:
    """A turn that was interrupted, what is wrong with its end (empty when nothing is), and what it did."""

    task_id: str
    interruptions: tuple[Interruption, ...]
    wrong: str
    deeds: DeedCount = NO_DEEDS


@dataclass(frozen=True, slots=True)
class _Undisturbed:
    """What a turn of a task does when nobody interrupts it, and what it leaves behind in the apps."""

    spans: tuple[Span, ...]
    actions: tuple[str, ...]
    apps: dict[str, str]


def step_spans(phases: Sequence[PhaseStart]) -> list[Span]:
    """The phases of the steps that came to their end."""
    spans: list[Span] = []
    step: list[PhaseStart] = []
    for phase in phases:
        if step and step[0].step != phase.step:
            step = []
        step.append(phase)
        if phase.cause is None:
            number, end = phase.step, phase.time
            spans.append(Span(number, Phase.BETWEEN, 0.0, end - step[0].time))
            spans += [
                Span(number, _PHASES[part.cause], after.time - part.time, end - part.time)
                for part, after in pairwise(step)
                if part.cause in _PHASES
            ]
            step = []
    return spans


def draw_moments(spans: Sequence[Span], count: int, seed: int, turn: int) -> list[Moment]:
    """Random moments of a turn, in order. The phases take turns; within one, each instant is as likely.

    Those of one phase are spread: each lies in a part of its own of all the time that the phase took.

    Args:
        spans: the undisturbed turn.
        count: how many moments.
        seed: what chooses them.
        turn: the number of the turn, so that no two have the same moments.
    """
    phases = [phase for phase in _ORDER if any(span.phase is phase for span in spans)]
    moments: list[Moment] = []
    for number, phase in enumerate(phases):
        same = [span for span in spans if span.phase is phase]
        parts = len(range((number - turn) % len(phases), count, len(phases)))
        moments += [
            _moment(same, (part + share(seed, turn, phase.value, part)) / parts) for part in range(parts)
        ]
    return sorted(moments, key=lambda moment: (moment.step, _ORDER.index(moment.phase), moment.offset))


def _moment(spans: Sequence[Span], chance: float) -> Moment:
    """The moment at a share of all these spans laid end to end; of spans without length, one of them."""
    ends = list(accumulate(span.seconds for span in spans))
    if not ends[-1]:
        span = spans[min(int(chance * len(spans)), len(spans) - 1)]
        return Moment(span.step, span.phase, 0.0, span.left)
    instant = chance * ends[-1]
    place = next(number for number, end in enumerate(ends) if instant <= end)
    span = spans[place]
    offset = min(span.seconds, max(0.0, instant - (ends[place] - span.seconds)))
    return Moment(span.step, span.phase, offset, span.left - offset)


async def run(
    tasks: Sequence[BenchTask], attended: BenchTask, times: int, escapes: int, delays: float, seed: int
) -> Report:
    """Interrupt turns of the tasks, and press Escape in turns of `attended`, which waits for no approval.

    Raises:
        TurnFailed: a turn fails although nobody interrupts it.
        TerminalFailed: the interface does not show what it should.
    """
    options = WorldOptions(delays=delays, pace=_PACE, seed=seed)
    lanes = min(_LANES, len(tasks), times)
    async with AsyncExitStack() as stack:
        stages = await asyncio.gather(*(stack.enter_async_context(open_stage(options)) for _ in range(lanes)))
        turns = await interrupt_turns(stages, tasks, times, seed)
    keyed: list[float] = []
    if escapes:
        async with open_stage(options) as stage:
            keyed = await _press_escapes(stage, attended, escapes, seed)
    return report(turns, keyed, seed, delays)


async def interrupt_turns(
    stages: Sequence[Stage], tasks: Sequence[BenchTask], times: int, seed: int
) -> list[InterruptedTurn]:
    """Interrupt turns of the tasks until `times` interruptions have been made.

    The stages share tasks and interruptions out among them and work side by side: a turn mostly waits for
    its phone.

    Raises:
        TurnFailed: a turn fails although nobody interrupts it.
    """
    for stage in stages:
        # An interrupted turn is compared with an undisturbed one, tap by tap.
        await stage.model.change(ControlChange(scatter=0.0))
    lanes = len(stages)
    working = [
        asyncio.create_task(
            _interrupt_on(
                stage,
                tasks[lane::lanes] or tasks,
                times * (lane + 1) // lanes - times * lane // lanes,
                range(lane, sys.maxsize, lanes),
                seed,
            )
        )
        for lane, stage in enumerate(stages)
    ]
    try:
        return [turn for turns in await asyncio.gather(*working) for turn in turns]
    finally:
        for task in working:
            task.cancel()
        await asyncio.wait(working)


async def _interrupt_on(
    stage: Stage, tasks: Sequence[BenchTask], times: int, numbers: range, seed: int
) -> list[InterruptedTurn]:
    """Interrupt turns on one stage, its tasks in rotation; `numbers` are those of its turns."""
    undisturbed: dict[str, _Undisturbed] = {}
    turns: list[InterruptedTurn] = []
    left = times
    while left > 0:
        task = tasks[len(turns) % len(tasks)]
        if task.id not in undisturbed:
            undisturbed[task.id] = await _run_undisturbed(stage, task)
        count, number = min(_PER_TURN, left), numbers[len(turns)]
        moments = draw_moments(undisturbed[task.id].spans, count, seed, number)
        turn = await _interrupted(stage, task, undisturbed[task.id], moments)
        turns.append(turn)
        left -= max(1, len(turn.interruptions))
        progress(f"{task.id}, {len(turn.interruptions)} pauses: {turn.wrong or 'as expected'}")
    return turns


async def _run_undisturbed(stage: Stage, task: BenchTask) -> _Undisturbed:
    await stage.prepare(task.setup)
    async with stage.engine(task.approvals) as engine, following(engine) as turn:
        engine.run(task.instruction)
        steps = await turn.succeeded(_LIMIT)
        apps = _app_contents(await stage.phone.state())
        return _Undisturbed(tuple(step_spans(turn.phases)), _performed(steps), apps)


async def _interrupted(
    stage: Stage, task: BenchTask, undisturbed: _Undisturbed, moments: Sequence[Moment]
) -> InterruptedTurn:
    before = await stage.prepare(task.setup)
    made: list[Interruption] = []
    async with stage.engine(task.approvals) as engine, following(engine) as turn:
        engine.run(task.instruction)
        try:
            async with asyncio.timeout(_LIMIT):
                for moment in moments:
                    interruption = await _interrupt(stage, engine, turn, moment)
                    if interruption is not None:
                        made.append(interruption)
                await turn.until(lambda: False)
        except TimeoutError:
            return InterruptedTurn(task.id, tuple(made), f"it hangs in step {turn.step}")
    did = of_task(task, before, await stage.phone.state(), task.approvals)
    return InterruptedTurn(task.id, tuple(made), await _wrong(stage, task, undisturbed, turn), did)


async def _interrupt(stage: Stage, engine: Engine, turn: Follower, moment: Moment) -> Interruption | None:
    """Pause at a moment and go on again; None when the turn is over before."""
    step = moment.step + sum(1 for step in turn.steps if step.error)
    between = moment.phase is Phase.BETWEEN
    await turn.until(lambda: turn.step >= step and (between or _PHASES.get(turn.cause) is moment.phase))
    await asyncio.sleep(turn.since + moment.offset - time.monotonic())
    if engine.state is not TurnState.RUNNING:
        return None
    phase = Phase.BETWEEN if between else _PHASES[turn.cause]
    began = time.monotonic()
    engine.pause()
    await turn.until(lambda: turn.state is TurnState.PAUSED)
    await asyncio.sleep(_QUIET)
    traffic = await stage.phone.traffic(since=began)
    asked = (await stage.model.status()).last_request
    turn.step = 0
    engine.resume()
    return Interruption(
        phase=phase,
        last_request=max(0.0, traffic.last_request - began, asked - began),
        step_left=moment.left,
    )


async def _wrong(stage: Stage, task: BenchTask, undisturbed: _Undisturbed, turn: Follower) -> str:
    if turn.finished is None or turn.finished.outcome is not Outcome.SUCCESS:
        return turn.finished.answer if turn.finished else "it did not end"
    state = await stage.phone.state()
    apps = _app_contents(state)
    unmet = check(task, state, turn.finished.answer)
    unmet += [
        f"{app} holds something else than after an undisturbed turn"
        for app, content in undisturbed.apps.items()
        if content != apps.get(app)
    ]
    if (actions := _performed(turn.steps)) != undisturbed.actions:
        unmet.append(f"it did {'; '.join(actions)}, undisturbed {'; '.join(undisturbed.actions)}")
    return "; ".join(unmet)


def _performed(steps: Sequence[StepFinished]) -> tuple[str, ...]:
    """What was done on the phone, without what the screen said at that place.

    An action that a pause cut short was done if it did not have to be done again.
    """
    actions = [step.action.model_dump_json(exclude={"target", "content"}) for step in steps]
    return tuple(
        action
        for step, action, after in zip(steps, actions, [*actions[1:], ""], strict=True)
        if not isinstance(step.action, Finished) and not (step.error and action == after)
    )


def _app_contents(state: dict[str, Any]) -> dict[str, str]:
    """What each app holds, as text."""
    return {app: _MINUTE.sub("", json.dumps(content)) for app, content in state["apps"].items()}


async def _press_escapes(stage: Stage, task: BenchTask, times: int, seed: int) -> list[float]:
    """Seconds from each Escape in the interface to the last request; 0 where none came after it."""
    phone, model, store = stage.settings.phone, stage.settings.model, stage.settings.store
    file = store / "bench.toml"
    file.write_text(
        f"[phone]\nserial = {json.dumps(phone.serial)}\nadb_port = {phone.adb_port}\n"
        f"[model]\nbase_url = {json.dumps(model.base_url)}\nname = {json.dumps(model.name)}\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "assistant", "--store", str(store / "tui"), "--config", str(file)]
    taken = []
    async with in_terminal(command, 100, 30, {"HOME": str(store)}) as terminal:
        # The status bar names the phone as soon as a turn can run.
        await terminal.paints(b"Sim Phone", _START_LIMIT)
        await terminal.quiet(0.5, _START_LIMIT)
        for number in range(times):
            await stage.prepare(task.setup)
            delay = _EARLIEST_ESCAPE + share(seed, "escape", number) * (_LATEST_ESCAPE - _EARLIEST_ESCAPE)
            taken.append(await _press_escape(stage, terminal, task.instruction, delay))
            progress(f"{len(taken)}/{times} Escape")
    return taken


async def _press_escape(stage: Stage, terminal: Terminal, said: str, delay: float) -> float:
    """Type a command, press Escape at a moment of its turn, and once more to end it."""
    terminal.forget()
    begun = terminal.press(said.encode() + b"\r")
    await terminal.paints(b"Running", _PAINT_LIMIT)
    await asyncio.sleep(delay)
    terminal.forget()
    pressed = terminal.press(b"\x1b")
    await terminal.paints(b"Paused by you", _PAINT_LIMIT)
    await asyncio.sleep(_QUIET)
    traffic = await stage.phone.traffic(since=begun)
    terminal.forget()
    terminal.press(b"\x1b")
    try:
        await terminal.paints(b"Cancelled", _SECOND_ESCAPE)
    except TerminalFailed:
        # So long after the first it counts as a first one itself.
        terminal.press(b"\x1b")
        await terminal.paints(b"Cancelled", _PAINT_LIMIT)
    await terminal.quiet(0.2, _PAINT_LIMIT)
    return max(0.0, traffic.last_request - pressed)


def report(turns: Sequence[InterruptedTurn], escapes: Sequence[float], seed: int, delays: float) -> Report:
    """The times from pause to silence by phase, and how the turns ended.

    Args:
        turns: the interrupted turns.
        escapes: seconds from the Escape key in the terminal interface to the last request.
        seed: what chose the moments.
        delays: how much of a real phone's delays the phone had.
    """
    made = [interruption for turn in turns for interruption in turn.interruptions]
    silence = spread(interruption.last_request for interruption in made)
    stepwise = spread(interruption.step_left for interruption in made)
    keyed = spread(escapes)
    wrong = [{"id": turn.task_id, "why": turn.wrong} for turn in turns if turn.wrong]
    by_phase = {
        phase.value: spread(interruption.last_request for interruption in made if interruption.phase is phase)
        for phase in Phase
    }
    worst = max(silence["p95_ms"], keyed["p95_ms"])
    values: dict[str, Any] = {
        "benchmark": "interrupt",
        "seed": seed,
        "delays": delays,
        "pause_to_last_request": silence,
        "by_phase": by_phase,
        "escape_to_last_request": keyed if escapes else None,
        "baseline": {
            "what": "stop after the step",
            **stepwise,
            "ratio_p95": ratio(stepwise["p95_ms"], silence["p95_ms"]),
        },
        "budget_ms": BUDGET_MILLISECONDS,
        "turns": len(turns),
        "turns_as_expected": len(turns) - len(wrong),
        "deeds": total(turn.deeds for turn in turns).as_json(),
        "wrong": wrong,
    }
    return Report(values, not wrong and worst <= BUDGET_MILLISECONDS)

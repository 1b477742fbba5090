"""`bench step`: what a step costs beside waiting for the model and the phone, and a key from press to paint.

The baseline of a step is the same observation and tap with plain adbutils, one call after the other, on the
same phone: a screenshot, the UI tree, the app in front, a tap. The interface runs in a terminal of its own,
over an engine that only plays; the baseline is a Textual app of one field in a terminal of the same size,
where each key is pressed right before.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import adbutils

from assistant.bench.deed_counts import NO_DEEDS, DeedCount, of_task, total
from assistant.bench.fake_engine import THOUGHT
from assistant.bench.harness import Follower, Stage, following, open_stage
from assistant.bench.report import Report, progress, ratio, spread
from assistant.bench.tasks import BenchTask
from assistant.bench.terminal import Terminal, in_terminal
from assistant.engine import Engine
from assistant.events import Cause, StepFinished, TurnState
from assistant.phone.adb import end_work
from assistant.settings.schema import PhoneSettings
from assistant.simulator.model.families import families
from assistant.simulator.orders import Press, SetQuirks
from assistant.simulator.world import WorldOptions

STEP_BUDGET_MILLISECONDS, KEY_BUDGET_MILLISECONDS = 50.0, 50.0
"""Our own time per step at the median, and key to paint while streaming at p95."""

_TURN_LIMIT, _START_LIMIT, _PAINT_LIMIT = 120.0, 240.0, 10.0
_BASELINE_PER_TURN = 4
_SETTLING = 1.0
_PAY = ("Pay now", "确认付款")
_BETWEEN_KEYS = 0.15
_LEAST_FOR_MEMORY = 40
"""With fewer steps, what a further step takes is lost in what the interface takes itself."""
# The clock in the status bar: a tap there does nothing.
_HARMLESS = (20, 20)
# These neither occur in what the interface says nor end a terminal's control sequences.
_LETTERS = "QZXVWY"
_COLUMNS, _ROWS = 160, 50
# The interface and the benchmarks do not know each other: only the child process joins them.
_INTERFACE = """
import asyncio
from pathlib import Path
from assistant.bench.fake_engine import FakeEngine
from assistant.cli.setup import run_tui

async def main():
    await run_tui(FakeEngine({steps}, Path({store!r})))

asyncio.run(main())
"""
_EMPTY = """
from textual.app import App
from textual.widgets import Input

class Empty(App):
    def compose(self):
        yield Input(placeholder="Nothing")

Empty().run()
"""


@dataclass(frozen=True, slots=True)
class StepTimes:
    """Steps of turns, and seconds of the baseline's steps between those turns.

    `between` are the seconds in a turn from the end of each reply of the model to the next request; `deeds`
    is what the turns did.
    """

    steps: tuple[StepFinished, ...]
    baseline: tuple[float, ...]
    between: tuple[float, ...] = ()
    deeds: DeedCount = NO_DEEDS


@dataclass(frozen=True, slots=True)
class KeyTimes:
    """Seconds from key to paint with so many steps in the panel, and in the empty app at the same time.

    `memory` is in bytes, `quarter_memory` that
    with a quarter of the steps: what more it takes, the further steps take.
    """

    steps: int
    streaming: tuple[float, ...]
    idle: tuple[float, ...]
    empty: tuple[float, ...]
    memory: int = 0
    quarter_memory: int = 0


async def run(
    tasks: Sequence[BenchTask],
    steps: int,
    keys: int,
    shown: int,
    delays: float,
    seed: int,
    helper: bool,
    family: str = "",
    pace: float = 0.0,
    nodes: int = 0,
    restless: bool = False,
) -> Report:
    """Time so many steps of the tasks, and so many keys with so many steps shown.

    As many steps are timed again on the same phone: with the resident helper, with a family of models, with
    so many more nodes on each page, and with pages that never rest, these with the helper too.
    A model that replies at once leaves nothing to do meanwhile: with a `pace` in tokens per second it shows
    what a step costs beside the model.

    Raises:
        TurnFailed: a turn did not succeed.
        TerminalFailed: the interface does not start, or does not paint a letter.
    """
    async with open_stage(WorldOptions(delays=delays, pace=pace, seed=seed)) as stage:
        times = await time_steps(stage, tasks, steps)
        variants = {}
        with_helper = {"phone": {"resident_helper": True}}
        with_family = {"model": {"name": families()[family].example, "dialect": ""}} if family else {}
        for name, settings in (
            ("with_helper", with_helper if helper else {}),
            (f"with_{family}", with_family),
            (f"with_helper_and_{family}", with_helper | with_family if helper and family else {}),
        ):
            if settings:
                varied = replace(stage, settings=stage.settings.overridden(settings))
                variants[name] = await time_steps(varied, tasks, steps)
        if nodes:
            variants[f"with_{nodes}_nodes"] = await time_steps(
                stage, tasks, steps, SetQuirks(extra_nodes=nodes)
            )
        if restless:
            variants["without_rest"] = await time_steps(stage, tasks, steps, SetQuirks(never_idle=True))
        if restless and helper:
            helped = replace(stage, settings=stage.settings.overridden(with_helper))
            variants["without_rest_with_helper"] = await time_steps(
                helped, tasks, steps, SetQuirks(never_idle=True)
            )
    if not keys:
        return report(times, None, variants)
    with TemporaryDirectory(prefix="assistant-bench-") as home:
        return report(times, await time_keys(shown, keys, Path(home)), variants)


async def time_steps(
    stage: Stage, tasks: Sequence[BenchTask], count: int, quirks: SetQuirks | None = None
) -> StepTimes:
    """Run the tasks in rotation until `count` steps are done; after each turn some steps of the baseline.

    Args:
        stage: the phone and the model.
        tasks: what is done.
        count: how many steps are timed.
        quirks: how the phone's pages differ. Without a tree there is nothing for the baseline to read, every
            tap is asked about, of a page that forbids screenshots nothing is seen, and no screen has words
            that would confirm an answer: then somebody says yes to each, pays by hand, takes an answer
            unconfirmed, and no baseline is timed.

    Raises:
        TurnFailed: a turn did not succeed.
    """
    steps: list[StepFinished] = []
    baseline: list[float] = []
    between: list[float] = []
    deeds = DeedCount()
    turns = 0
    while len(steps) < count:
        task = tasks[turns % len(tasks)]
        turns += 1
        before = await stage.prepare(task.setup)
        if quirks is not None:
            await stage.phone.perform(quirks)
        is_blind = quirks is not None and bool(quirks.never_idle)
        answered = (await stage.model.status()).answered
        async with (
            stage.engine(task.approvals, attended=is_blind) as engine,
            following(engine) as turn,
        ):
            turn.agrees = is_blind
            engine.run(task.instruction)
            helping = asyncio.create_task(_help_by_hand(stage, engine, turn))
            try:
                steps += await turn.succeeded(_TURN_LIMIT, may_be_unconfirmed=is_blind)
            finally:
                await end_work(helping)
        deeds += of_task(task, before, await stage.phone.state(), task.approvals)
        exchanges = (await stage.model.status()).exchanges[answered:]
        between += [after.came - before.replied for before, after in pairwise(exchanges)]
        if not is_blind:
            baseline += await asyncio.to_thread(_plain_steps, stage.settings.phone)
        progress(f"{len(steps)}/{count} {task.id}")
    return StepTimes(tuple(steps[:count]), tuple(baseline), tuple(between), deeds)


async def _help_by_hand(stage: Stage, engine: Engine, turn: Follower) -> None:
    """Do what the turn hands over to the user, which is a payment, and let it go on.

    The phone may tell of that touch only after the turn goes on, which pauses it again.
    """
    seen = 0

    def is_stopped() -> bool:
        _when, state, cause = turn.states[-1] if turn.states else (0.0, None, None)
        by_hand = cause in (Cause.HANDED_OVER, Cause.TOUCHED)
        return len(turn.states) > seen and state is TurnState.PAUSED and by_hand

    while True:
        await turn.until(is_stopped)
        if turn.finished is not None:
            return
        seen = len(turn.states)
        if turn.states[-1][2] is Cause.HANDED_OVER:
            await stage.phone.perform(Press(names=_PAY))
        engine.resume()


def _plain_steps(phone: PhoneSettings) -> list[float]:
    device = adbutils.AdbClient(host=phone.adb_host, port=phone.adb_port).device(phone.serial)
    taken = []
    for _ in range(_BASELINE_PER_TURN):
        began = time.perf_counter()
        device.screenshot(error_ok=False)
        device.dump_hierarchy()
        device.app_current()
        device.click(*_HARMLESS)
        taken.append(time.perf_counter() - began)
    return taken


async def time_keys(steps: int, presses: int, home: Path, settling: float = _SETTLING) -> KeyTimes:
    """Type letters that stand nowhere else on the screen.

    Args:
        steps: how many steps the panel shows.
        presses: letters typed while idle, and as many while thoughts stream.
        home: a folder for what the interface wants to keep.
        settling: the seconds that the interface is left alone before it is measured.

    Raises:
        TerminalFailed: the interface does not start, or does not paint a letter.
    """
    quarter_memory = 0
    if steps >= _LEAST_FOR_MEMORY:
        async with _interface(_quarter(steps), home, settling) as terminal:
            quarter_memory = terminal.memory()
    empty_command = [sys.executable, "-c", _EMPTY]
    async with (
        _interface(steps, home, settling) as terminal,
        in_terminal(empty_command, _COLUMNS, _ROWS, {"HOME": str(home)}) as empty,
    ):
        await empty.paints(b"Nothing", _START_LIMIT)
        await asyncio.sleep(settling)
        memory = terminal.memory()
        idle, empty_idle = await _type_letters(terminal, empty, presses)
        terminal.press(b"no, the cheaper one\r")
        await terminal.paints(THOUGHT.split()[-1].encode(), _PAINT_LIMIT)
        await asyncio.sleep(settling)
        streaming, empty_meanwhile = await _type_letters(terminal, empty, presses)
    return KeyTimes(
        steps,
        streaming,
        idle,
        empty_idle + empty_meanwhile,
        memory,
        quarter_memory,
    )


def _quarter(steps: int) -> int:
    return max(1, steps // 4)


@asynccontextmanager
async def _interface(steps: int, home: Path, settling: float) -> AsyncIterator[Terminal]:
    """The interface with so many steps in its panel."""
    program = _INTERFACE.format(steps=steps, store=str(home / f"store-{steps}"))
    async with in_terminal([sys.executable, "-c", program], _COLUMNS, _ROWS, {"HOME": str(home)}) as terminal:
        await terminal.paints(f"Page {steps - 1}".encode() if steps > 1 else b"Running", _START_LIMIT)
        await asyncio.sleep(settling)
        yield terminal


async def _type_letters(
    ours: Terminal, empty: Terminal, presses: int
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The same letters in both, in turn."""
    taken: dict[Terminal, list[float]] = {empty: [], ours: []}
    for place in range(presses):
        letter = _LETTERS[place % len(_LETTERS)].encode()
        for terminal, seconds in taken.items():
            await asyncio.sleep(_BETWEEN_KEYS)
            terminal.forget()
            began = terminal.press(letter)
            seconds.append(await terminal.paints(letter, _PAINT_LIMIT) - began)
            terminal.press(b"\x7f")
    return tuple(taken[ours]), tuple(taken[empty])


def _parts(times: StepTimes) -> dict[str, Any]:
    return {
        "own": spread(step.own_seconds for step in times.steps),
        "model": spread(step.model_seconds for step in times.steps),
        "phone": spread(step.phone_seconds for step in times.steps),
        "step": spread(step.seconds for step in times.steps),
        "step_without_model": spread(step.seconds - step.model_seconds for step in times.steps),
        "reply_to_request": spread(times.between),
    }


def report(
    times: StepTimes, keys: KeyTimes | None, variants: Mapping[str, StepTimes] | None = None
) -> Report:
    """Own, model and phone time per step beside the baseline, and keys to paint while thoughts stream."""
    parts = _parts(times)
    own, without_model, baseline = parts["own"], parts["step_without_model"], spread(times.baseline)
    share = ratio(without_model["median_ms"], baseline["median_ms"])
    values: dict[str, Any] = {
        "benchmark": "step",
        **parts,
        "baseline": {
            "what": "plain adbutils",
            **baseline,
            "ratio_median": share,
        },
        "own_budget_ms": STEP_BUDGET_MILLISECONDS,
        "deeds": total(timed.deeds for timed in (times, *(variants or {}).values())).as_json(),
    }
    for name, varied in (variants or {}).items():
        varied_parts = _parts(varied)
        share_varied = ratio(
            varied_parts["reply_to_request"]["median_ms"], parts["reply_to_request"]["median_ms"]
        )
        values[name] = {**varied_parts, "ratio_to_plain_adb": share_varied}
    good = own["median_ms"] <= STEP_BUDGET_MILLISECONDS
    if keys is not None:
        values |= _key_figures(keys)
        good = good and values["key_to_paint"]["streaming"]["p95_ms"] <= KEY_BUDGET_MILLISECONDS
    return Report(values, good)


def _key_figures(keys: KeyTimes) -> dict[str, Any]:
    """Key to paint beside the empty app, and what a further step takes."""
    streaming, idle, empty = spread(keys.streaming), spread(keys.idle), spread(keys.empty)
    values: dict[str, Any] = {
        "key_to_paint": {
            "steps": keys.steps,
            "streaming": streaming,
            "idle": idle,
            "baseline": {
                "what": "an empty Textual app at the same time",
                **empty,
                "ratio_median": ratio(streaming["median_ms"], empty["median_ms"]),
                "ratio_p95": ratio(streaming["p95_ms"], empty["p95_ms"]),
            },
            "budget_ms": KEY_BUDGET_MILLISECONDS,
        }
    }
    if keys.memory and keys.quarter_memory:
        more = keys.steps - _quarter(keys.steps)
        values["memory"] = {
            "steps": keys.steps,
            "megabytes": round(keys.memory / 1e6, 1),
            "baseline": {
                "what": "a quarter of the steps",
                "megabytes": round(keys.quarter_memory / 1e6, 1),
                "ratio": round(keys.memory / keys.quarter_memory, 3),
            },
            "bytes_per_step": round((keys.memory - keys.quarter_memory) / more) if more else 0,
        }
    return values

"""Each benchmark once, as small as it can be, on the real stack; how fast it is does not matter here."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from assistant.bench.commands import bench_app
from assistant.bench.harness import open_stage
from assistant.bench.interrupt import Phase, interrupt_turns
from assistant.bench.step import time_keys, time_steps
from assistant.bench.tasks import load_tasks
from assistant.bench.terminal import TerminalFailed, in_terminal
from assistant.simulator import SIMULATED
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.world import WorldOptions
from tests.worlds import keep_worlds_in_this_process


def bench(*arguments: str) -> dict[str, Any]:
    result = CliRunner().invoke(bench_app, [*arguments, "--json"])
    found: dict[str, Any] = json.loads(result.stdout)
    assert found["simulated"] == SIMULATED
    assert result.exit_code == (0 if found["good"] else 1)
    return found


def test_tasks(adb_server: PrivateAdbServer, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_worlds_in_this_process(monkeypatch, adb_server)
    found = bench("tasks", "--only", "settings-dark")

    assert found["good"]
    assert [task["id"] for task in found["tasks"]] == ["settings-dark"]
    assert found["baseline"]["as_expected"] == 0


def test_an_unknown_task_is_named() -> None:
    result = CliRunner().invoke(bench_app, ["tasks", "--only", "nonsense"])

    assert result.exit_code
    assert "nonsense" in str(result.exception) + result.output


async def test_interruptions_and_steps(adb_server: PrivateAdbServer, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_worlds_in_this_process(monkeypatch, adb_server)
    tasks = [task for task in load_tasks() if task.id == "settings-dark"]
    async with open_stage(WorldOptions(scale=1 / 3)) as stage:
        turns = await interrupt_turns([stage], tasks, 3, seed=0)
        times = await time_steps(stage, tasks, 3)

    made = [interruption for turn in turns for interruption in turn.interruptions]
    assert len(made) == 3
    assert Phase.BETWEEN in {interruption.phase for interruption in made}
    assert [turn.wrong for turn in turns if turn.wrong] == []
    assert len(times.steps) == 3
    assert times.baseline
    assert all(step.own_seconds < step.seconds for step in times.steps)


async def test_keys(tmp_path: Path) -> None:
    keys = await time_keys(5, 2, tmp_path, settling=0.1)

    assert len(keys.streaming) == len(keys.idle) == 2


async def test_a_program_that_ends_is_told_with_its_words(tmp_path: Path) -> None:
    async with in_terminal([sys.executable, "-c", "print('no such thing')"], 80, 24, {}) as terminal:
        with pytest.raises(TerminalFailed, match="no such thing"):
            await terminal.paints(b"never", 20)

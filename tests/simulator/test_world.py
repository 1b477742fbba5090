from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.simulator import world
from assistant.simulator.world import World, WorldFailed, WorldOptions


def child(folder: Path, code: str, monkeypatch: pytest.MonkeyPatch, idle_limit: float) -> None:
    """Have every child of a world run this code instead, and give it up once it stood still so long."""
    program = folder / "child"
    program.write_text(f"#!{sys.executable}\nimport os, sys\n{code}\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", os.fspath(program))
    monkeypatch.setattr(world, "_LOOK_EVERY", idle_limit / 5)
    monkeypatch.setattr(world, "_IDLE_LIMIT", idle_limit)


async def start(said: Callable[[str], None]) -> None:
    async with World(WorldOptions(), said):
        raise AssertionError("there is no world")


async def test_a_slow_child_is_waited_for_as_long_as_it_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished, said = tmp_path / "finished", list[str]()
    child(
        tmp_path, f"while not os.path.exists({str(finished)!r}): pass\nsys.exit('broken')", monkeypatch, 0.1
    )

    async def compute(_process: int) -> str:
        # A busy machine may give the child no time for long; whether its time is read is tested below.
        return str(len(said))

    def hear(sentence: str) -> None:
        said.append(sentence)
        if len(said) == 20:
            finished.touch()  # After four times the limit; its end shows that it was not given up.

    monkeypatch.setattr(world, "_processor_time", compute)
    with pytest.raises(WorldFailed, match="ended: broken"):
        await start(hear)
    assert "Starting the simulated phone" in said[0]


async def test_computing_counts_as_work() -> None:
    before = end = await world._processor_time(os.getpid())
    async with asyncio.timeout(60):
        while end == before:
            sum(range(100_000))
            end = await world._processor_time(os.getpid())
    assert before


async def test_a_child_that_stands_still_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child(tmp_path, "sys.stdin.read()", monkeypatch, 1.5)
    async with asyncio.timeout(60):
        with pytest.raises(WorldFailed, match="has stood still"):
            await start(lambda _: None)

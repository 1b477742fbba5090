from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from assistant.simulator import world
from assistant.simulator.world import World, WorldFailed, WorldOptions


def child(folder: Path, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every child of a world run this code instead."""
    program = folder / "child"
    program.write_text(f"#!{sys.executable}\nimport sys, time\n{code}\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", os.fspath(program))
    monkeypatch.setattr(world, "_LOOK_EVERY", 0.3)
    monkeypatch.setattr(world, "_IDLE_LIMIT", 1.5)


async def start(said: list[str]) -> None:
    async with World(WorldOptions(), said.append):
        raise AssertionError("there is no world")


async def test_a_slow_child_is_waited_for_as_long_as_it_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Busy for twice the limit of standing still; its end shows that it was not given up.
    busy = "end = time.process_time() + 3.2\nwhile time.process_time() < end: pass\nsys.exit('broken')"
    child(tmp_path, busy, monkeypatch)
    said: list[str] = []
    with pytest.raises(WorldFailed, match="ended: broken"):
        await start(said)
    assert any("Starting the simulated phone" in sentence for sentence in said)


async def test_a_child_that_stands_still_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child(tmp_path, "sys.stdin.read()", monkeypatch)
    async with asyncio.timeout(60):
        with pytest.raises(WorldFailed, match="has stood still"):
            await start([])

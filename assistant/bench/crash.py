"""Killing a program that writes to the memory, at random moments, and looking at what is left."""

from __future__ import annotations

import multiprocessing
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

from assistant.bench.crash_subjects import JSON_FILE, SUBJECTS, Subject
from assistant.bench.report import Grid, Report
from assistant.memory.store import StoreError
from assistant.simulator.chance import share

Told = Callable[[str], None]

_PATIENCE = 120.0
_TRIES = 4


@dataclass(frozen=True, slots=True)
class Left:
    """What a killed run left behind, and what became of it.

    `opened` and `intact` tell whether it could be read, and whether its pages and references are sound;
    `lost` how many items were told as stored and are not there; `completed` whether running again led to what
    an undisturbed run leads to.
    """

    opened: bool
    intact: bool = False
    lost: int = 0
    completed: bool = False

    @property
    def good(self) -> bool:
        """Whether nothing is wrong."""
        return self.opened and self.intact and self.completed and not self.lost


def crash(subject: Subject, times: int, count: int, seed: int, progress: Told) -> list[Left]:
    """Kill so many runs of a subject in the middle, each in a folder of its own, and look at what is left.

    Args:
        subject: what is run.
        times: how many runs are killed before they end.
        count: how many records each is to keep.
        seed: the same seed draws the same moments, as parts of the time that a run takes.
        progress: is told of each tenth.
    """
    with TemporaryDirectory(prefix="assistant-bench-") as home:
        whole = Path(home) / "whole"
        whole.mkdir()
        seconds = _run(subject, whole, count, None)[1]
        expected = subject.look(whole)
        left: list[Left] = []
        for number in range(times * _TRIES):
            folder = Path(home) / str(number)
            folder.mkdir()
            told, _, ended = _run(subject, folder, count, seconds * share(seed, subject.name, number))
            if not ended:
                left.append(examined(subject, folder, count, told, expected))
                if len(left) % max(1, times // 10) == 0:
                    progress(f"{subject.name}: {len(left)} of {times} killed")
            shutil.rmtree(folder)
            if len(left) == times:
                break
    return left


def examined(subject: Subject, folder: Path, count: int, told: int, expected: tuple[int, str]) -> Left:
    """What is in a folder whose run was killed, and whether running again completes it."""
    try:
        stored, _ = subject.look(folder)
        intact = subject.sound(folder)
        subject.work(folder, count, lambda _: None)
        return Left(True, intact, max(0, told - stored), subject.look(folder) == expected)
    except (StoreError, ValueError):
        return Left(opened=False, lost=told)


def _run(subject: Subject, folder: Path, count: int, after: float | None) -> tuple[int, float, bool]:
    """Run a subject in a process of its own, killed after some seconds of work.

    Returns:
        How many items it told as stored, how long it took, and whether it came to its end.

    Raises:
        EOFError: it did not even start.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", __name__])
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(subject.name, folder, count, theirs), daemon=True)
    child.start()
    theirs.close()
    told, ended = 0, False
    ours.recv()
    begun = time.monotonic()
    try:
        if after is not None:
            time.sleep(after)
            child.kill()
        while (heard := ours.recv()) is not None:
            told = heard
        ended = True
    except (EOFError, OSError):
        pass
    seconds = time.monotonic() - begun
    child.join(_PATIENCE)
    ours.close()
    return told, seconds, ended


def _child(name: str, folder: Path, count: int, pipe: Connection) -> None:
    subject = next(subject for subject in SUBJECTS if subject.name == name)
    pipe.send("ready")
    subject.work(folder, count, pipe.send)
    pipe.send(None)


def report(results: dict[str, list[Left]], count: int, seed: int) -> Report:
    """What came of it, the baseline last."""
    columns = ("what", "killed", "opens", "sound", "nothing lost", "items lost", "completes")
    rows = tuple(
        (
            name,
            str(len(left)),
            str(sum(one.opened for one in left)),
            str(sum(one.intact for one in left)),
            str(sum(not one.lost for one in left)),
            str(sum(one.lost for one in left)),
            str(sum(one.completed for one in left)),
        )
        for name, left in results.items()
    )
    values = {
        name: {
            "killed": len(left),
            "opened": sum(one.opened for one in left),
            "sound": sum(one.intact for one in left),
            "lost": sum(one.lost for one in left),
            "completed": sum(one.completed for one in left),
        }
        for name, left in results.items()
    }
    ours = [one for name, left in results.items() if name != JSON_FILE.name for one in left]
    lines_told = [
        f"Each run keeps {count} records and is killed (SIGKILL) at a random moment; seed {seed}.",
        "Completes: running again leads to what an undisturbed run leads to.",
    ]
    return Report(
        {"records": count, "seed": seed, "runs": values},
        [Grid("Killed at random moments", columns, rows, frozenset(columns[1:]))],
        lines_told,
        good=all(one.good for one in ours) and all(results.values()),
        simulated="",
    )

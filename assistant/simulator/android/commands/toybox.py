"""Small tools of the shell: `df`, `find`, `timeout` and `top`."""

from __future__ import annotations

import asyncio
import fnmatch
import posixpath
import re
import shlex

from assistant.simulator.android.command import Context, Plain, Result, Running
from assistant.simulator.android.commands.common import process

_TIMED_OUT = 124
# What holds which folder: its size and what is used, in KiB.
_VOLUMES = {
    "/storage/emulated": ("/dev/fuse", 111_593_452, 41_280_932),
    "/data": ("/dev/block/dm-8", 111_593_452, 41_280_932),
    "/system": ("/dev/block/dm-0", 3_012_584, 3_003_412),
}


def df(context: Context) -> Result:
    """`df [-h] [NAME …]`."""
    human = "-h" in context.arguments
    names = [word for word in context.arguments if not word.startswith("-")]
    lines, errors = [], []
    places = {name: _volume_of(context.path(name)) for name in names} or {name: name for name in _VOLUMES}
    for name, place in places.items():
        if names and context.services.files.entry(context.path(name)) is None:
            errors.append(f"df: {name}: No such file or directory\n")
            continue
        device, size, used = _VOLUMES[place]
        amounts = (size, used, size - used)
        figures = (
            "".join(f"{_human(amount):>6}" for amount in amounts)
            if human
            else "".join(f"{amount:>10}" for amount in amounts)
        )
        lines.append(f"{device:<17}{figures}{round(100 * used / size):>4}% {place}\n")
    titles = "  Size  Used Avail Use%" if human else " 1K-blocks      Used Available Use%"
    head = f"{'Filesystem':<17}{titles} Mounted on\n" if lines else ""
    return Result(head + "".join(lines), "".join(errors), int(bool(errors)))


def _volume_of(path: str) -> str:
    if path.startswith(("/sdcard", "/storage")):
        return "/storage/emulated"
    return "/data" if path.startswith("/data") else "/system"


def _human(kibibytes: int) -> str:
    return f"{kibibytes / (1 << 20):.0f}G" if kibibytes >= 10 << 20 else f"{kibibytes / (1 << 20):.1f}G"


def find(context: Context) -> Result:
    """`find [DIR …] [-name PATTERN] [-type f|d] [-maxdepth N]`."""
    words = list(context.arguments)
    roots = [words.pop(0) for _word in list(words) if not words[0].startswith("-")]
    conditions = dict(zip(words[::2], words[1::2], strict=False))
    if unknown := [word for word in words[::2] if word not in ("-name", "-type", "-maxdepth")]:
        return Result(error=f"find: bad arg '{unknown[0]}'\n", code=1)
    lines, errors = [], []
    for root in roots or ["."]:
        place = context.path("" if root == "." else root)
        if context.services.files.entry(place) is None:
            errors.append(f"find: {root}: No such file or directory\n")
            continue
        lines += [f"{name}\n" for name in _below(context, root, place, conditions, 0)]
    return Result("".join(lines), "".join(errors), int(bool(errors)))


def _below(context: Context, shown: str, place: str, conditions: dict[str, str], depth: int) -> list[str]:
    """What a folder holds and is, by the name under which it is asked for."""
    entry = context.services.files.entry(place)
    kind = "d" if entry is not None and entry.folder else "f"
    fits = fnmatch.fnmatchcase(posixpath.basename(place), conditions.get("-name", "*"))
    names = [shown] if fits and conditions.get("-type", kind) == kind else []
    if kind == "d" and depth < int(conditions.get("-maxdepth", "99")):
        for name, _status in context.services.files.list(place):
            inside = posixpath.join(shown, name)
            names += _below(context, inside, posixpath.join(place, name), conditions, depth + 1)
    return names


async def timeout(context: Context) -> int:
    """`timeout SECONDS COMMAND …`: 124 where the command had to be ended."""
    match context.arguments:
        case [seconds, *command] if command and re.fullmatch(r"\d+(\.\d+)?s?", seconds):
            limit = float(seconds.rstrip("s"))
        case _:
            return await context.give(Result(error="timeout: Needs 2 arguments\n", code=125))
    running = asyncio.ensure_future(context.interpret(shlex.join(command), context.streams))
    waiting = asyncio.ensure_future(context.services.clock.sleep(limit))
    try:
        await asyncio.wait({running, waiting}, return_when=asyncio.FIRST_COMPLETED)
        return running.result() if running.done() else _TIMED_OUT
    finally:
        running.cancel()
        waiting.cancel()
        await asyncio.gather(running, waiting, return_exceptions=True)


def top(context: Context) -> Result:
    """`top [-b] [-n TIMES]`: what runs; without a number of times it goes on."""
    package = context.surface.resumed().package
    tasks = (("system", 1203, "system_server"), ("u0_a101", process(context, package), package))
    lines = [
        f"Tasks: {len(tasks)} total,   1 running,   {len(tasks) - 1} sleeping,   0 stopped,   0 zombie",
        "  Mem:  7786936K total,  7474496K used,   312440K free,    10240K buffers",
        "800%cpu  12%user   0%nice   8%sys 780%idle   0%iow   0%irq   0%sirq   0%host",
        "  PID USER         PR  NI VIRT  RES  SHR S[%CPU] %MEM     TIME+ ARGS",
    ]
    lines += [
        f"{number:>5} {user:<12} 10 -10 5.0G 186M 120M S  2.0   2.4   0:10.21 {name}"
        for user, number, name in tasks
    ]
    return Result("\n".join(lines) + "\n", endless="-n" not in context.arguments)


PLAIN: dict[str, Plain] = {"df": df, "find": find, "top": top}
RUNNING: dict[str, Running] = {"timeout": timeout}

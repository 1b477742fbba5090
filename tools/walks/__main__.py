"""Takes the walks and writes down what was seen: `python -m tools.walks` or `make walk`."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from assistant import i18n
from assistant.i18n import Language
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.world import World, WorldOptions
from tools.walks.journeys import CHINESE, ENGLISH, JOURNEYS, Journey
from tools.walks.paper import drawn, paper
from tools.walks.terminal import NoTerminal, Size, Terminal, size_of
from tools.walks.walk import NotSeen, Stage, Walk, program_environment

SIZES = ("80x24", "160x50")
PICTURE_SIZE = "144x44"
_WORLD = WorldOptions(delays=0.2, pace=100.0)


@dataclass(frozen=True, slots=True)
class Plan:
    """One walk to take."""

    name: str
    size: Size
    language: Language

    @property
    def file(self) -> str:
        """What its files are called, without an ending."""
        spoken = "" if self.language is Language.ENGLISH else f"-{self.language}"
        return f"{self.name}-{self.size}{spoken}"


def main() -> int:
    """Take the walks that are named; the exit code is 1 where a stage did not come."""
    parser = argparse.ArgumentParser(prog="python -m tools.walks", description="Walk as a new user would.")
    known = [name for name in JOURNEYS if name != "picture"]
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"Which walks: {', '.join(known)}, or all.")
    parser.add_argument("--size", action="append", help=f"Columns x lines, again for more: {SIZES}.")
    parser.add_argument("--language", choices=["en", "zh"], help="By default English; the first run in both.")
    parser.add_argument("--texts", type=Path, help="Folder for the screens as text, a file for each walk.")
    parser.add_argument("--pictures", type=Path, help="Folder for the screens as SVG, a file for each.")
    parser.add_argument("--readme", type=Path, help="Folder for the README's pictures, and nothing else.")
    arguments = parser.parse_args()
    names = known if "all" in arguments.names else arguments.names or known
    if unknown := set(names) - set(known):
        parser.error(f"There is no walk {', '.join(sorted(unknown))}.")
    try:
        if arguments.readme:
            plan = Plan("picture", size_of(PICTURE_SIZE), Language.ENGLISH)
            stages: list[Stage] = []
            asyncio.run(take(plan, stages.append))
            for stage in stages:
                write(arguments.readme / f"{stage.title}.svg", drawn(stage.styled, plan.size, "assistant"))
            return 0
        for plan in plans(names, arguments.size or SIZES, arguments.language):
            walk_and_keep(plan, arguments.texts, arguments.pictures)
    except (NotSeen, NoTerminal) as problem:
        sys.stderr.write(f"{problem}\n")
        return 1
    return 0


def plans(names: Sequence[str], sizes: Sequence[str], spoken: str | None) -> Iterator[Plan]:
    """The walks to take: each in each size, in English, the first run in Chinese too."""
    for name in names:
        languages = [spoken] if spoken else ["en", "zh"] if name == "first" else ["en"]
        for size in sizes:
            for one in languages:
                yield Plan(name, size_of(size), Language(one))


def walk_and_keep(plan: Plan, texts: Path | None, pictures: Path | None) -> None:
    """Take a walk and write down what was seen, also where it ends before its time.

    Raises:
        NotSeen: a stage did not come.
        NoTerminal: there is no terminal.
    """
    title = JOURNEYS[plan.name].title
    sys.stdout.write(f"{title} ({plan.file})\n")
    stages: list[Stage] = []

    def seen(stage: Stage) -> None:
        stages.append(stage)
        sys.stdout.write(f"  {stage.seconds:6.1f} s  {stage.keys:3} keys  {stage.title}\n")
        sys.stdout.flush()
        if pictures:
            name = f"{plan.file}-{len(stages):02}.svg"
            write(pictures / name, drawn(stage.styled, plan.size, stage.title))

    try:
        asyncio.run(take(plan, seen))
    finally:
        if texts and stages:
            write(texts / f"{plan.file}.txt", paper(title, plan.size, stages, datetime.now(UTC)))


async def take(plan: Plan, seen: Callable[[Stage], None]) -> None:
    """Take a walk in a terminal of its own, with an empty home.

    Args:
        plan: which walk, and how.
        seen: hears of each stage as it comes.

    Raises:
        NotSeen: a stage did not come.
        NoTerminal: there is no terminal.
    """
    journey = JOURNEYS[plan.name]
    i18n.use(plan.language)
    async with AsyncExitStack() as stack:
        folder = tempfile.TemporaryDirectory(prefix="walk-", ignore_cleanup_errors=True)
        home = Path(stack.enter_context(folder))
        world = await stack.enter_async_context(World(_WORLD)) if journey.in_world else None
        port = world.phone["adb_port"] if world else stack.enter_context(PrivateAdbServer()).port
        environment = program_environment(home, plan.language) | surroundings(journey, world, port)
        terminal = Terminal(home, plan.size, environment)
        stack.callback(terminal.close)
        commands = CHINESE if plan.language is Language.CHINESE else ENGLISH
        await journey.take(Walk(terminal, seen), commands, world)


def surroundings(journey: Journey, world: World | None, port: int) -> dict[str, str]:
    """What a walk finds besides: an adb server of its own, and phone and model where they are set up."""
    found = {"ASSISTANT_PHONE__ADB_PORT": str(port)}
    if world is not None and journey.set_up:
        found |= {
            "ASSISTANT_PHONE__SERIAL": world.phone["serial"],
            "ASSISTANT_MODEL__BASE_URL": world.model["base_url"],
            "ASSISTANT_MODEL__NAME": "scripted",
        }
    return found


def write(file: Path, text: str) -> None:
    """Write a file, and its folder where there is none."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())

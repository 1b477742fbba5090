"""Count the files that one walk through the product passes: `python -m tools.walk_files`.

Each walk is a real run: the engine, a simulated phone behind adb, the scripted model behind HTTP, and the
demo's memory of three weeks. `sys.setprofile` and `threading.setprofile` note each function that is entered
from the beginning of a walk to its end, in every thread. A walk ends at the instant at which an event is
made, or when the tasks that it began are over. Functions that run because a module is imported do not count,
nor do those of the simulator, the benchmarks and the demo. What the phone sends meanwhile is followed by
other tasks, so that a figure can differ by two or three files from run to run; only (d) counts a single task.

`--files` lists the files of each walk; `--json` prints all of it as one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import inspect
import json
import os
import shutil
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType
from typing import Any, Self, TypeVar

import openai

from assistant.demo.memory import live_in
from assistant.engine import Engine
from assistant.events import (
    ActionChosen,
    ActionKind,
    Answer,
    Event,
    MeaningProposed,
    StateChanged,
    StepFinished,
    SuggestionOffered,
    TurnFinished,
    TurnState,
)
from assistant.memory_view.items import Section
from assistant.records import Action, Click
from assistant.safety.deeds import Allowance
from assistant.settings.schema import Settings
from assistant.simulator import SIMULATED
from assistant.simulator.world import World, WorldOptions
from tools.house import ROOT, is_product

E = TypeVar("E", bound=Event)

VAGUE, EXPLICIT = "order my usual lunch", "Set an alarm for 7:30 in Clock"
MONDAY_NOON = datetime(2026, 3, 9, 12, 5).astimezone()
_LIMIT, _WHILE = 120.0, 1.5
_COMPREHENSIONS = frozenset({"<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"})
_IMPORTING = "<frozen importlib._bootstrap>"

Condition = Callable[[dict[str, Any]], bool]
"""Whether a walk begins or ends, from the arguments of the function that is entered."""


@dataclass(frozen=True, slots=True)
class Walk:
    """What was passed from the beginning of a walk to its end: files below `assistant/`, and functions."""

    name: str
    title: str
    files: tuple[str, ...]
    functions: int


@dataclass(slots=True)
class Window:
    """A walk that is being taken, from the entry of one function to that of another.

    Without `begins` it begins at once, without `ends` it is ended by whoever began it. `at_begin` and
    `at_end` tell from the function's arguments whether this is the call that counts. With `one_task` nothing
    counts but what runs in the task in which it begins.
    """

    begins: CodeType | None = None
    ends: CodeType | None = None
    at_begin: Condition = lambda _: True
    at_end: Condition = lambda _: True
    one_task: bool = False
    task: asyncio.Task[Any] | None = None
    passed: dict[CodeType, str] = field(default_factory=dict)
    open: bool = False


class Tracer:
    """Notes the product's functions as they are entered, in all threads that start while it is installed."""

    def __init__(self) -> None:
        self._windows: list[Window] = []
        self._files: dict[str, str] = {}

    def __enter__(self) -> Self:
        threading.setprofile(self._entered)
        sys.setprofile(self._entered)
        return self

    def __exit__(self, *_error: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    def begin(self, window: Window) -> Window:
        """Begin to note what is passed."""
        window.open = window.begins is None
        self._windows = [*self._windows, window]
        return window

    def end(self, window: Window) -> None:
        """Note no more for this window."""
        self._windows = [other for other in self._windows if other is not window]

    def _entered(self, frame: FrameType, event: str, _argument: object) -> None:
        if event != "call" or not self._windows:
            return
        code = frame.f_code
        for window in self._windows:
            if window.open and code is window.ends and window.at_end(frame.f_locals):
                self.end(window)
                continue
            if not window.open and code is window.begins and window.at_begin(frame.f_locals):
                window.open, window.task = True, _task()
            if not window.open or code in window.passed or not (file := self._file(code)):
                continue
            if (not window.one_task or _task() is window.task) and not _is_importing(frame):
                window.passed[code] = file

    def _file(self, code: CodeType) -> str:
        """The product file of a function, below `assistant/`; empty for anything else."""
        name = code.co_filename
        if name not in self._files:
            file = Path(name)
            self._files[name] = file.relative_to(ROOT).as_posix() if is_product(file) else ""
        return self._files[name] if code.co_flags & inspect.CO_OPTIMIZED else ""


def _task() -> asyncio.Task[Any] | None:
    """The task that runs in this thread."""
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


def _is_importing(frame: FrameType | None) -> bool:
    """Whether a function runs only because a module is being imported."""
    while frame is not None:
        if frame.f_code.co_filename == _IMPORTING:
            return True
        frame = frame.f_back
    return False


def _made(event: type[Event]) -> CodeType:
    """What is entered at the instant at which an event is made."""
    return event.__init__.__code__


def _does(action: type[Action]) -> Condition:
    """Whether an event is about an action of a class."""
    return lambda arguments: isinstance(arguments["action"], action)


def _is_final(arguments: dict[str, Any]) -> bool:
    """Whether the turn is over with this state."""
    return TurnState(arguments["state"]).final


class Scene:
    """One engine on the simulated phone, and somebody who answers what a turn asks."""

    def __init__(self, engine: Engine, tracer: Tracer) -> None:
        self.engine = engine
        self.tracer = tracer
        self._listener: asyncio.Task[None] | None = None
        self._events: list[Event] = []
        self._news = asyncio.Event()

    async def open(self) -> None:
        """Start the engine, and listen to it."""
        self._listener = asyncio.create_task(self._listen())
        await self.engine.start()
        await self.engine.wait_for_phone()

    async def close(self) -> None:
        """End the engine."""
        await self.engine.close()
        if self._listener is not None:
            await self._listener

    async def _listen(self) -> None:
        async for event in self.engine.events():
            if isinstance(event, MeaningProposed) and not event.decision.done():
                event.decision.set_result(event.instruction)
            self._events.append(event)
            self._news.set()

    async def next(self, kind: type[E]) -> E:
        """The first event of a class, as soon as there is one."""
        async with asyncio.timeout(_LIMIT):
            while True:
                for event in self._events:
                    if isinstance(event, kind):
                        return event
                self._news.clear()
                await self._news.wait()

    async def quiet(self, before: Iterable[asyncio.Task[Any]]) -> None:
        """Wait until all tasks that were begun since `before` are over."""
        async with asyncio.timeout(_LIMIT):
            old = {*before, asyncio.current_task()}
            while new := asyncio.all_tasks() - old:
                await asyncio.wait(new)

    async def resting(self) -> None:
        """Wait until nothing runs but what runs again and again, such as a look whether anything changed."""
        before: set[CodeType] = set()
        async with asyncio.timeout(_LIMIT):
            while True:
                window = self.tracer.begin(Window())
                await asyncio.sleep(_WHILE)
                self.tracer.end(window)
                if set(window.passed) <= before:
                    return
                before = set(window.passed)


@dataclass(frozen=True, slots=True)
class Stage:
    """A world whose phone is connected, and the demo's memory, of which each walk gets a copy."""

    world: World
    memory: Path
    folder: Path
    tracer: Tracer

    @asynccontextmanager
    async def scene(
        self,
        name: str,
        now: Callable[[], datetime] = lambda: MONDAY_NOON,
        *,
        attended: bool = False,
        **model: str,
    ) -> AsyncIterator[Scene]:
        """An engine that has started, as `assistant run` has it unless it is attended."""
        store = shutil.copytree(self.memory, self.folder / name)
        settings = Settings.model_construct(store=store).overridden(self.world.settings)
        engine = Engine(
            settings.overridden({"model": model}),
            now=now,
            attended=attended,
            allowances=map(Allowance, ActionKind),
            simulated=SIMULATED,
        )
        scene = Scene(engine, self.tracer)
        await scene.open()
        try:
            yield scene
        finally:
            await scene.close()


def walk_of(name: str, title: str, window: Window) -> Walk:
    """What a window has noted."""
    functions = {code for code in window.passed if code.co_name not in _COMPREHENSIONS}
    files = {window.passed[code] for code in functions}
    return Walk(name, title, tuple(sorted(files)), len(functions))


async def vague_command(stage: Stage) -> list[Walk]:
    """Walk (a), and the first of walk (b): a vague command from the input to what the memory makes of it."""
    async with stage.scene("vague") as scene:
        trace, before = scene.tracer, asyncio.all_tasks()
        tap = trace.begin(Window(ends=_made(StepFinished), at_end=_does(Click)))
        turn = trace.begin(Window())
        learnt = trace.begin(Window(begins=_made(StateChanged), at_begin=_is_final))
        scene.engine.run(VAGUE)
        await scene.next(TurnFinished)
        await scene.quiet(before)
        trace.end(learnt)
        trace.end(turn)
    return [
        walk_of("a_first_tap", f"(a) “{VAGUE}” to the first tap", tap),
        walk_of("a_turn", "(a) the whole turn, and what the memory learns from it", turn),
        walk_of("b_end_of_turn", "(b) the end of a turn to record, profile and prototypes", learnt),
    ]


async def explicit_command(stage: Stage) -> list[Walk]:
    """Walk (a) for a command that memory has nothing to add to, up to what the model's reply makes us do."""
    async with stage.scene("explicit") as scene:
        reply = scene.tracer.begin(Window(ends=_made(ActionChosen)))
        scene.engine.run(EXPLICIT)
        await scene.next(TurnFinished)
    return [walk_of("a_first_reply", "(a) an explicit command to the model's first reply", reply)]


async def memory_panel(stage: Stage) -> list[Walk]:
    """The rest of walk (b): what the memory panel shows about a record and a routine."""
    walks = []
    async with stage.scene("panel") as scene:
        for section, title in ((Section.RECORDS, "a record"), (Section.ROUTINES, "a routine")):
            memory = await asyncio.to_thread(scene.engine.memory)
            listing = await asyncio.to_thread(memory.items, section)
            window = scene.tracer.begin(Window())
            await asyncio.to_thread(memory.details, section, listing.items[0])
            scene.tracer.end(window)
            walks.append(walk_of(f"b_{section}", f"(b) {title}'s details in the memory panel", window))
    return walks


async def suggestion(stage: Stage) -> list[Walk]:
    """Walk (c): at another time, and in another scenario, a routine is offered, and answered.

    The user says where they are. A phone that senses it passes about six files more.
    """
    clock = [MONDAY_NOON - timedelta(hours=7)]
    async with stage.scene("suggestion", lambda: clock[0], attended=True) as scene:
        memory = await asyncio.to_thread(scene.engine.memory)
        routines = await asyncio.to_thread(memory.items, Section.ROUTINES)
        await scene.resting()
        before = asyncio.all_tasks()
        # A change of the memory, so that the routines are read anew, as after each turn; not in a thread,
        # since nothing else may notice it before.
        memory.pin(Section.ROUTINES, routines.items[0])
        clock[0] = MONDAY_NOON
        offered = scene.tracer.begin(Window(ends=_made(SuggestionOffered)))
        scene.engine.set_scenario("office")
        made = await scene.next(SuggestionOffered)
        await scene.resting()
        answered = scene.tracer.begin(Window())
        scene.engine.answer_suggestion(made.id, Answer.NOT_NOW)
        await scene.quiet(before)
        scene.tracer.end(answered)
    return [
        walk_of("c_suggestion", "(c) a change of state to a suggestion", offered),
        walk_of("c_answer", "(c) its answer back to the memory", answered),
    ]


async def reply(stage: Stage) -> list[Walk]:
    """Walk (d): the first bytes of the model's reply to the action that they mean, in Qwen3-VL's dialect."""
    async with stage.scene("reply", dialect="qwen3_vl") as scene:
        window = scene.tracer.begin(
            Window(begins=openai.AsyncStream.__anext__.__code__, ends=_made(ActionChosen), one_task=True)
        )
        scene.engine.run(EXPLICIT)
        await scene.next(TurnFinished)
    return [walk_of("d_reply", "(d) the bytes of a reply to an action, Qwen3-VL", window)]


async def walks() -> list[Walk]:
    """All walks, each with an engine and a copy of the memory of its own."""
    taken: list[Walk] = []
    with TemporaryDirectory(prefix="assistant-walks-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        options = WorldOptions(start=MONDAY_NOON, scale=0.5)
        memory = folder / "memory"
        live_in(Settings.model_construct(store=memory), options, lambda: MONDAY_NOON)
        async with World(options) as world:
            with Tracer() as tracer:
                stage = Stage(world, memory, folder, tracer)
                for take in (vague_command, explicit_command, memory_panel, suggestion, reply):
                    taken.extend(await take(stage))
    return taken


def main(arguments: Sequence[str] | None = None) -> int:
    """Take the walks and print what they pass."""
    parser = argparse.ArgumentParser(description="Count the files that walks through the product pass.")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--files", action="store_true", help="list the files of each walk")
    options = parser.parse_args(arguments)
    # The user's own settings play no part, so that figures can be compared.
    for name in [name for name in os.environ if name.startswith("ASSISTANT_")]:
        del os.environ[name]
    taken = asyncio.run(walks())
    if options.json:
        values = {
            walk.name: {"files": len(walk.files), "functions": walk.functions}
            | ({"passed": walk.files} if options.files else {})
            for walk in taken
        }
        sys.stdout.write(json.dumps(values, indent=2) + "\n")
        return 0
    for walk in taken:
        sys.stdout.write(f"{len(walk.files):4} files {walk.functions:4} functions  {walk.title}\n")
        if options.files:
            sys.stdout.writelines(f"      {file}\n" for file in walk.files)
    return 0


if __name__ == "__main__":
    sys.exit(main())

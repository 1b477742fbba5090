"""One turn on a simulated phone through real adb, with a model that does what the test says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from assistant.agent.context import CommandResolver, NamedSecrets, StepProposer, TurnContext
from assistant.agent.turn import Turn
from assistant.events import ActionKind, Event, StateChanged, TurnState
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint
from assistant.model.client import VisionModel
from assistant.model.types import Decision, ModelEvent, StepRequest
from assistant.phone.adb import AdbServer, Shell
from assistant.phone.device import Phone
from assistant.phone.monitor import PhoneMonitor
from assistant.phone.screen import ScreenSource
from assistant.phone.screen_sources import AdbScreenSource
from assistant.records import Action, Click, Element, Failed, Observation, Outcome, Usage
from assistant.safety.amounts import Allowance
from assistant.settings.schema import ModelSettings, PhoneSettings, Settings, TurnSettings
from assistant.simulator.phone import PhoneOptions, SimulatedPhone
from assistant.turn_runner import run_turn
from tests.phone.scripted import until
from tests.worlds import LIMIT, START

_SIZE = (540, 1200)
"""As large as it takes for other words on one button to be a change of the picture."""

E = TypeVar("E", bound=Event)

Choose = Callable[[StepRequest], Action | Decision]


class FunctionModel(VisionModel):
    """Decides by a function of the request, and records the requests."""

    def __init__(self, choose: Choose, *, reads_elements: bool = True) -> None:
        super().__init__(ModelSettings(base_url="http://127.0.0.1:9/v1", name="puppet"))
        self.requests: list[StepRequest] = []
        self.thinking = asyncio.Event()
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.interrupted = 0
        self._choose = choose
        self._tells_elements = reads_elements

    @property
    def reads_elements(self) -> bool:
        """As set."""
        return self._tells_elements

    async def decide(self, request: StepRequest) -> AsyncGenerator[ModelEvent]:
        """One decision, once `may_answer` is set."""
        self.requests.append(request)
        self.thinking.set()
        try:
            await self.may_answer.wait()
        except asyncio.CancelledError:
            self.interrupted += 1
            raise
        chosen = self._choose(request)
        usage = Usage(prompt_tokens=10, requests=1)
        yield chosen if isinstance(chosen, Decision) else Decision(chosen, "", usage)

    @property
    def heard(self) -> str:
        """All notes of the last request."""
        return "\n".join(self.requests[-1].notes)


@dataclass(kw_only=True)
class EventLog:
    """The events of a turn, and waiting for those to come."""

    seen: list[Event] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self, event: Event) -> None:
        """Take an event."""
        self.seen.append(event)
        self.news.set()

    def all(self, kind: type[E]) -> list[E]:
        """The events of one class so far."""
        return [event for event in self.seen if isinstance(event, kind)]

    async def next(self, kind: type[E], condition: Callable[[E], bool] = lambda _: True) -> E:
        """Await the first event of a class that meets a condition."""
        async with asyncio.timeout(LIMIT):
            while True:
                for event in self.all(kind):
                    if condition(event):
                        return event
                self.news.clear()
                await self.news.wait()


@dataclass
class StagedTurn(EventLog):
    """A running turn and its events."""

    phone: SimulatedPhone
    model: FunctionModel
    turn: Turn
    store: Store
    running: asyncio.Task[Outcome]

    async def state(self, state: TurnState, nth: int = 1) -> StateChanged:
        """Await the nth time that the turn comes into a state."""
        async with asyncio.timeout(LIMIT):
            while True:
                states = [event for event in self.all(StateChanged) if event.state is state]
                if len(states) >= nth:
                    return states[nth - 1]
                self.news.clear()
                await self.news.wait()

    async def think_on(self) -> None:
        """Let the model think until the picture of its page no longer counts as new."""
        seen, observer = self.model.requests[-1].observation, self.turn._phone._observer
        await until(lambda: not observer.is_fresh(seen), LIMIT)

    def app(self, package: str) -> dict[str, Any]:
        """An app's state on the phone."""
        state: dict[str, Any] = self.phone.state()["apps"][f"com.example.{package}"]
        return state


@asynccontextmanager
async def staged_turn(
    adb_port: int,
    folder: Path,
    choose: Choose,
    *,
    instruction: str = "open it",
    attended: bool = True,
    approved: Iterable[ActionKind] = (),
    secrets: NamedSecrets | None = None,
    limits: TurnSettings | None = None,
    command_resolver: CommandResolver | None = None,
    read_only: bool = False,
    command_deadline: float = 4.0,
    reads_elements: bool = True,
    watch: Callable[[ScreenSource], ScreenSource] | None = None,
    followed: bool = False,
    helper: bool = False,
    action_memory: StepProposer | None = None,
) -> AsyncIterator[StagedTurn]:
    """A turn that runs. Ends it at the end. `followed`: its phone is found again at another address."""
    async with SimulatedPhone(PhoneOptions(start=START, size=_SIZE, density=210)) as simulated:
        adb = AdbServer("127.0.0.1", adb_port)
        await adb.connect(simulated.serial)
        phone = PhoneSettings(
            serial=simulated.serial,
            adb_port=adb_port,
            command_deadline=command_deadline,
            settle_cap=1.0,
            resident_helper=helper,
        )
        settings = Settings(store=folder, phone=phone, turn=limits or TurnSettings())
        store, model = Store(folder), FunctionModel(choose, reads_elements=reads_elements)
        shell = Shell(adb, simulated.serial, command_deadline)
        source = watch(AdbScreenSource(shell)) if watch else None
        staged_turns: list[StagedTurn] = []
        monitor = PhoneMonitor(phone, folder, lambda: datetime.now(START.tzinfo), lambda event: None)
        if followed:
            monitor.start()
            await monitor.first_look()
        context = TurnContext(
            phone=monitor.phone or Phone(adb, simulated.serial, phone, folder, source),
            model=model,
            store=store,
            settings=settings,
            now=lambda: datetime.now(START.tzinfo),
            emit=lambda event: staged_turns[0].tell(event),
            attended=attended,
            allowances=tuple(map(Allowance, approved)),
            secrets=secrets,
            command_resolver=command_resolver,
            action_memory=action_memory,
        )
        checkpoint = Checkpoint(
            turn_id="t", user_id="me", started=START, said=instruction, instruction=instruction
        )
        turn = Turn(context, checkpoint, read_only=read_only)
        running = asyncio.create_task(run_turn(turn, context.phone) if followed else turn.run())
        staging = StagedTurn(simulated, model, turn, store, running)
        staged_turns.append(staging)
        try:
            yield staging
            if not running.done():
                turn.cancel()
                async with asyncio.timeout(LIMIT):
                    await running
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            await monitor.close()
            await model.close()
            store.close()
            await adb.disconnect(simulated.serial)


def script(*steps: Action | Decision | Callable[[Observation], Action]) -> Choose:
    """A model that chooses one action after the other, then gives up."""
    left = list(steps)

    def choose(request: StepRequest) -> Action | Decision:
        if not left:
            return Failed(reason="The script is over.")
        step = left.pop(0)
        return step(request.observation) if callable(step) else step

    return choose


def on(condition: Callable[[Element], bool]) -> Callable[[Observation], Action]:
    """A tap on the first element that meets a condition."""

    def tap(observation: Observation) -> Action:
        hit = next(element for element in observation.elements if condition(element))
        return Click(point=observation.point(*hit.bounds.centre))

    return tap


def on_id(name: str) -> Callable[[Observation], Action]:
    """A tap on the element of that id."""
    return on(lambda element: element.resource_id.endswith(f"/{name}"))


def on_text(text: str) -> Callable[[Observation], Action]:
    """A tap on an element that begins with this text."""
    return on(lambda element: (element.text or element.description).startswith(text))

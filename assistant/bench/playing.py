"""An engine that only plays, for an interface to show: a turn of many steps whose last thought never ends."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NoReturn

from PIL import Image

from assistant.config import MemorySettings, ModelSettings, Settings
from assistant.engine import InterruptedTurn, NotReady
from assistant.events import (
    ActionChosen,
    Answer,
    Cause,
    Event,
    PhoneState,
    PhoneStateChanged,
    ScreenObserved,
    Snooze,
    StateChanged,
    StepFinished,
    StepStarted,
    ThoughtStreamed,
    TurnStarted,
    TurnState,
    UsageUpdated,
)
from assistant.observations import ForegroundApp, Observation
from assistant.phone.states import PhoneStatus
from assistant.records import Click, Point, Record, Source, Usage
from assistant.simulator.world import SIMULATED
from assistant.waiting import WaitingCommands

if TYPE_CHECKING:
    from assistant.proactive.suggestions import Suggestion

THOUGHT = "The list is long and is read word by word. "
_PIECES_A_SECOND = 60
_STEPS_A_SECOND = 100
"""More than any model decides, and few enough for the interface to keep up with."""
_APP = ForegroundApp("com.example.eats", ".Main", "Eats")


class PlayingEngine:
    """What the interface sees of an engine.

    Args:
        steps: how many steps the turn has. What the user says lets the last one think on and on.
    """

    def __init__(self, steps: int) -> None:
        self.settings = Settings.model_construct(model=ModelSettings(name="scripted"))
        self.simulated = SIMULATED
        self.beside = False
        self.waiting = WaitingCommands(None)
        self.state: TurnState | None = None
        self._steps = steps
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._streaming: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Tell of a phone and of all steps but the end of the last."""
        now = datetime.now().astimezone()
        self._emit(
            PhoneStateChanged(time=now, state=PhoneState.READY, sentence="", model="Pixel 8", battery=84)
        )
        self._emit(TurnStarted(time=now, turn_id="t", said="look at every page"))
        self.state = TurnState.RUNNING
        self._emit(StateChanged(time=now, state=self.state, cause=Cause.THINKING))
        picture = _picture()
        for step in range(1, self._steps + 1):
            self._play(step, now, picture)
            await asyncio.sleep(1 / _STEPS_A_SECOND)

    async def close(self) -> None:
        """End the stream."""
        if self._streaming is not None:
            self._streaming.cancel()

    async def events(self) -> AsyncIterator[Event]:
        """Everything that happens."""
        while True:
            yield await self._events.get()

    async def idle(self) -> None:
        """At once: nothing waits for the end of its turn."""

    def run(self, said: str) -> None:
        """Nothing: a turn runs already."""

    def pause(self) -> None:
        """Nothing."""

    def resume(self) -> None:
        """Nothing."""

    def cancel(self) -> None:
        """Nothing."""

    def say(self, text: str) -> None:
        """Begin to stream."""
        if self._streaming is None:
            self._streaming = asyncio.create_task(self._stream())

    def problem(self) -> str:
        """Nothing is missing."""
        return ""

    def interrupted(self) -> InterruptedTurn | None:
        """No turn was left behind."""
        return None

    def continue_turn(self, turn_id: str) -> None:
        """Nothing."""

    def discard(self, turn_id: str) -> None:
        """Nothing."""

    @property
    def looking(self) -> bool:
        """Nothing is looked for."""
        return False

    def type_noted(self, unsent: bool) -> None:
        """Nothing."""

    def answer_suggestion(self, suggestion_id: str, answer: Answer, instruction: str = "") -> None:
        """Nothing."""

    async def let_begin(self, suggestion_id: str) -> bool:
        """Nothing is suggested."""
        return False

    def hold_suggestion(self, suggestion_id: str) -> None:
        """Nothing."""

    def snooze_suggestion(self, suggestion_id: str, snooze: Snooze) -> None:
        """Nothing."""

    async def phones(self) -> Sequence[PhoneStatus]:
        """No other phones."""
        return ()

    def use_phone(self, serial: str) -> None:
        """Nothing."""

    def say_scenario(self, scenario: str) -> None:
        """Nothing."""

    def suggestions(self) -> Sequence[Suggestion]:
        """No suggestions."""
        return ()

    def past_turns(self) -> NoReturn:
        """No past turns.

        Raises:
            NotReady: always.
        """
        raise NotReady("There are no past turns.")

    @property
    def learns(self) -> bool:
        """Nothing is learnt."""
        return False

    def pause_learning(self, paused: bool) -> None:
        """There is nothing to learn."""

    async def filled(self) -> None:
        """Nothing is filled."""

    def keep_for(self, memory: MemorySettings) -> None:
        """Nothing is kept."""

    def memory(self) -> NoReturn:
        """No memory.

        Raises:
            NotReady: always.
        """
        raise NotReady("There is no memory to look at.")

    def history(self) -> Sequence[str]:
        """No past commands."""
        return ()

    def evidence(self, ids: Sequence[str]) -> Sequence[Record]:
        """No records."""
        return ()

    def _play(self, step: int, now: datetime, picture: bytes) -> None:
        action = Click(point=Point(0.5, 0.5), content=f"Page {step}")
        seen = Observation(width=1080, height=2400, screenshot=picture, elements=(), app=_APP)
        self._emit(StepStarted(time=now, step=step))
        self._emit(ScreenObserved(time=now, step=step, app=_APP, observation=seen))
        if step == self._steps:
            return
        self._emit(ActionChosen(time=now, step=step, action=action, source=Source.MODEL))
        self._emit(
            StepFinished(
                time=now,
                step=step,
                action=action,
                source=Source.MODEL,
                seconds=2.1,
                model_seconds=1.6,
                phone_seconds=0.4,
                own_seconds=0.1,
            )
        )

    async def _stream(self) -> None:
        usage = Usage(prompt_tokens=1000, requests=self._steps)
        while True:
            now = datetime.now().astimezone()
            self._emit(ThoughtStreamed(time=now, step=self._steps, text=THOUGHT))
            self._emit(UsageUpdated(time=now, usage=usage))
            await asyncio.sleep(1 / _PIECES_A_SECOND)

    def _emit(self, event: Event) -> None:
        self._events.put_nowait(event)


def _picture() -> bytes:
    file = io.BytesIO()
    Image.linear_gradient("L").resize((1080, 2400)).convert("RGB").save(file, "PNG")
    return file.getvalue()

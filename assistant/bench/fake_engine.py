"""An engine that plays a turn of many steps to an interface; once asked, its last thought never ends."""

from __future__ import annotations

import asyncio
import io
from datetime import datetime
from pathlib import Path

from PIL import Image

from assistant.engine import Engine
from assistant.events import (
    ActionChosen,
    Cause,
    Event,
    PhoneState,
    PhoneStateChanged,
    ScreenObserved,
    StateChanged,
    StepFinished,
    StepStarted,
    ThoughtStreamed,
    TurnStarted,
    TurnState,
    UsageUpdated,
)
from assistant.records import Click, ForegroundApp, Observation, Point, Source, Usage
from assistant.settings.schema import ModelSettings, Settings
from assistant.simulator import SIMULATED

THOUGHT = "The list is long and is read word by word. "
_PIECES_A_SECOND = 60
_STEPS_A_SECOND = 100
"""More than any model decides, and few enough for the interface to keep up with."""
_APP = ForegroundApp("com.example.eats", ".Main", "Eats")


class FakeEngine(Engine):
    """An engine without phone and model: every method that would need one does nothing.

    Args:
        steps: how many steps the turn has.
        store: an empty folder for the memory, of which nothing is shown.
    """

    def __init__(self, steps: int, store: Path) -> None:
        settings = Settings.model_construct(model=ModelSettings(name="scripted"), store=store)
        super().__init__(settings, now=lambda: datetime.now().astimezone(), simulated=SIMULATED)
        self._steps = steps
        self._streaming: asyncio.Task[None] | None = None

    @property
    def state(self) -> TurnState | None:
        """A turn runs all the time."""
        return TurnState.RUNNING

    async def start(self) -> None:
        """Tell of a phone and of all steps but the end of the last."""
        now = self._now()
        self._tell(
            PhoneStateChanged(time=now, state=PhoneState.READY, sentence="", model="Pixel 8", battery=84),
            TurnStarted(time=now, turn_id="t", said="look at every page"),
            StateChanged(time=now, state=TurnState.RUNNING, cause=Cause.THINKING),
        )
        picture = _picture()
        for step in range(1, self._steps + 1):
            self._play(step, now, picture)
            await asyncio.sleep(1 / _STEPS_A_SECOND)

    async def close(self) -> None:
        """End the stream."""
        if self._streaming is not None:
            self._streaming.cancel()
        await super().close()

    def problem(self) -> str:
        """Nothing is missing."""
        return ""

    def run(self, said: str) -> None:
        """Nothing: a turn runs already."""

    def pause(self) -> None:
        """Nothing."""

    def resume(self) -> None:
        """Nothing."""

    def cancel(self, cause: Cause = Cause.DONE) -> None:
        """Nothing."""

    def say(self, text: str) -> None:
        """Begin to stream."""
        if self._streaming is None:
            self._streaming = asyncio.create_task(self._stream())

    def _tell(self, *events: Event) -> None:
        for event in events:
            self._events.put_nowait(event)

    def _play(self, step: int, now: datetime, picture: bytes) -> None:
        action = Click(point=Point(0.5, 0.5), content=f"Page {step}")
        observation = Observation(width=1080, height=2400, screenshot=picture, elements=(), app=_APP)
        self._tell(
            StepStarted(time=now, step=step),
            ScreenObserved(time=now, step=step, app=_APP, observation=observation),
        )
        if step == self._steps:
            return
        self._tell(
            ActionChosen(time=now, step=step, action=action, source=Source.MODEL),
            StepFinished(
                time=now,
                step=step,
                action=action,
                source=Source.MODEL,
                seconds=2.1,
                model_seconds=1.6,
                phone_seconds=0.4,
                own_seconds=0.1,
            ),
        )

    async def _stream(self) -> None:
        usage = Usage(prompt_tokens=1000, requests=self._steps)
        while True:
            now = self._now()
            self._tell(
                ThoughtStreamed(time=now, step=self._steps, text=THOUGHT),
                UsageUpdated(time=now, usage=usage),
            )
            await asyncio.sleep(1 / _PIECES_A_SECOND)


def _picture() -> bytes:
    file = io.BytesIO()
    Image.linear_gradient("L").resize((1080, 2400)).convert("RGB").save(file, "PNG")
    return file.getvalue()

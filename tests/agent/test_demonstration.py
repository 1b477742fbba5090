"""A task that the user shows on the simulated phone, by touches that `getevent` reports."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from assistant.bench.harness import LocalPhone, open_own_phone, started
from assistant.events import Event, StepFinished
from assistant.records import Element, Source


async def _touch(local: LocalPhone, events: asyncio.Queue[Event], place: tuple[int, int]) -> None:
    """Touch the phone, and wait until the touch is recorded and the screen behind it is seen."""
    # The recorder reads the phone's touches from now on, and looks 0.3 s after each.
    await asyncio.sleep(1)
    local.phone.person.tap(*place)
    await asyncio.wait_for(events.get(), 20)


async def test_what_the_user_shows_becomes_a_skill() -> None:
    async with open_own_phone() as local:
        engine = local.engine(local.settings)
        async with started(engine):
            steps: asyncio.Queue[Event] = asyncio.Queue()

            async def listen() -> None:
                async for event in engine.events():
                    if isinstance(event, StepFinished):
                        assert event.source is Source.USER
                        steps.put_nowait(event)

            listening = asyncio.create_task(listen())
            shown = asyncio.Event()
            recording = asyncio.create_task(engine.record("look at my alarms", shown.wait()))
            phone = engine.current_phone
            assert phone is not None

            async def place(wanted: Callable[[Element], bool]) -> tuple[int, int]:
                screen = await phone.observe()
                return next(element.bounds.centre for element in screen.elements if wanted(element))

            clock = await place(lambda element: element.text == "Clock")
            await _touch(local, steps, clock)
            await asyncio.sleep(1)
            timer = await place(lambda element: element.text == "Timer")
            await _touch(local, steps, timer)
            shown.set()
            turn_id = await recording
            template = await asyncio.to_thread(engine.keep_skill, turn_id, "alarms")
            listening.cancel()
    assert template.plan == ("open Clock", "tap “Timer”")
    assert template.app == "Clock"
    assert all(step.before is not None for step in template.steps)

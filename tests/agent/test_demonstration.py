"""A task that the user shows on the simulated phone, by touches that `getevent` reports."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar, cast

import pytest

from assistant.agent import takeover
from assistant.agent.checkpoint import TurnCheckpointer
from assistant.agent.takeover import Demonstration, UserActionRecorder
from assistant.bench.harness import LocalPhone, open_own_phone, started
from assistant.events import Event, StepFinished
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint, StoredStep
from assistant.phone.touches import Gesture, Panel
from assistant.phone.ui_tree import parse_tree
from assistant.records import ForegroundApp, Observation, Outcome, Source, TypeText
from assistant.simulator.android.touches import RawEvent, Touches
from tests.skills.screens import listing, node, row

Item = TypeVar("Item")


async def _next(queue: asyncio.Queue[Item]) -> Item:
    return await asyncio.wait_for(queue.get(), 20)


class User:
    """Touches the phone once its touches are read; gets the screens that the recorder sees."""

    def __init__(self, local: LocalPhone, observe: Callable[[], Awaitable[Observation]]) -> None:
        self._local = local
        self._observe = observe
        self.read = asyncio.Event()
        self.screens: asyncio.Queue[Observation] = asyncio.Queue()

    async def observe(self) -> Observation:
        screen = await self._observe()
        self.screens.put_nowait(screen)
        return screen

    async def touch(self, screen: Observation, text: str) -> None:
        await asyncio.wait_for(self.read.wait(), 20)
        self._local.phone.person.tap(*next(e for e in screen.elements if e.text == text).bounds.centre)


async def test_what_the_user_shows_becomes_a_skill(monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_own_phone() as local:
        engine = local.engine(local.settings)
        async with started(engine):
            steps: asyncio.Queue[Event] = asyncio.Queue()

            async def listen() -> None:
                async for event in engine.events():
                    if isinstance(event, StepFinished):
                        assert event.source is Source.USER
                        steps.put_nowait(event)

            phone, subscribe = engine.current_phone, Touches.subscribe
            assert phone is not None
            user = User(local, phone.observe)

            @contextmanager
            def noting(touches: Touches) -> Iterator[asyncio.Queue[RawEvent]]:
                with subscribe(touches) as queue:
                    user.read.set()
                    yield queue

            monkeypatch.setattr(Touches, "subscribe", noting)
            monkeypatch.setattr(phone, "observe", user.observe)
            listening, over = asyncio.create_task(listen()), asyncio.Event()
            recording = asyncio.create_task(engine.record("look at my alarms", over.wait()))
            await user.touch(await _next(user.screens), "Clock")
            await _next(steps)
            await user.touch(await _next(user.screens), "Timer")
            await _next(steps)
            over.set()
            template = await asyncio.to_thread(engine.keep_skill, await recording, "alarms")
            listening.cancel()
    assert template.plan == ("open Clock", "tap “Timer”")
    assert template.app == "Clock"
    assert all(step.before is not None for step in template.steps)


def web(typed: str, *rows: str, keyboard: bool = True) -> Observation:
    """A page with a field to search in and rows, which reach below the keyboard."""
    field = node("EditText", (0, 0, 1000, 200), text=typed, name="address", focused=keyboard)
    xml = listing(field, *(row(place, title, "") for place, title in enumerate(rows)))
    app = ForegroundApp("com.shop", ".Web", "Web")
    elements = parse_tree(xml.encode()).elements
    return Observation(1000, 2000, b"", elements, app, keyboard_shown=keyboard)


HEADLINES = [f"Headline {number}" for number in range(8)]
START, RESULTS = web("", *HEADLINES), web("abacus", "What an abacus is", keyboard=False)
KEY, ROW, BAR = (500, 1740), (500, 300), (160, 1960)
READ = web("", *HEADLINES, keyboard=False)
HOME = replace(READ, app=ForegroundApp("com.android.launcher3", ".Launcher", "Home"))


class ShownScreens:
    """A phone that shows one screen after another, each when it is looked at."""

    def __init__(self, *screens: Observation) -> None:
        self._screens = list(screens)

    async def observe(self) -> Observation:
        return self._screens.pop(0)


async def shown_by_touches(
    tmp_path: Path,
    first: Observation,
    touches: list[tuple[tuple[int, int], Observation | None]],
    last: Observation,
) -> list[str]:
    """The steps that touches become, each with the screen behind it; None where nobody looked in between."""
    now, store = datetime(2026, 3, 9, tzinfo=UTC), Store(tmp_path)
    turn = Checkpoint(turn_id="t", user_id="me", started=now, said="x", instruction="x")
    checkpointer = TurnCheckpointer(store, turn)
    phone = ShownScreens(*(after for _place, after in touches if after is not None))
    panel = Panel(right=1000, bottom=2000)
    recorder = UserActionRecorder(cast(Any, phone), checkpointer, lambda: panel, lambda _: None, lambda: now)
    recording = asyncio.create_task(recorder.record(first))
    for place, after in touches:
        recorder.add_gesture(Gesture(place, place, 0.1))
        if after is not None:
            for _pass in range(6):
                await asyncio.sleep(0)
    recorder.describe_actions(last)
    recording.cancel()
    store.close()
    steps = [step.action for step in checkpointer.checkpoint.steps]
    return [
        f"{action.type} {getattr(action, 'text', '') or getattr(action, 'content', '')}".strip()
        for action in steps
    ]


@pytest.mark.parametrize(
    ("touches", "steps"),
    [
        ([(KEY, web("a", *HEADLINES)), (KEY, web("abacus", *HEADLINES))], ["type abacus"]),
        (
            [(KEY, web("a", *HEADLINES)), (KEY, None), (KEY, web("abacus", *HEADLINES)), (KEY, RESULTS)],
            ["type abacus", "press_enter"],
        ),
        (
            [(KEY, web("abacus", *HEADLINES)), (KEY, RESULTS), (ROW, RESULTS)],
            ["type abacus", "press_enter", "click"],
        ),
        ([(KEY, web("", "The story", keyboard=False))], ["click"]),
        ([(KEY, web("a", *HEADLINES)), (KEY, web("abacus", *HEADLINES, keyboard=False))], ["type abacus"]),
        (
            [(KEY, web("abacus", *HEADLINES)), (BAR, web("abacus", *HEADLINES, keyboard=False))],
            ["type abacus", "press_back"],
        ),
        ([(BAR, READ), (BAR, RESULTS), (BAR, HOME)], ["press_back", "press_back", "press_home"]),
        ([(BAR, START)], []),
    ],
    ids=[
        "typed",
        "quickly, and sent",
        "sent, then a result",
        "a headline",
        "keyboard hidden",
        "keyboard closed by Back",
        "Back and Home",
        "the space bar alone",
    ],
)
async def test_keys_are_told_from_rows_below_the_keyboard(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    touches: list[tuple[tuple[int, int], Observation | None]],
    steps: list[str],
) -> None:
    monkeypatch.setattr(takeover, "_IDLE_SECONDS", 0)
    last = touches[-1][1]
    assert last is not None
    assert await shown_by_touches(tmp_path, START, touches, last) == steps


async def test_a_touch_while_the_screen_is_read_is_not_taken_for_one_on_that_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second touch leads to another page before that is read: what lies there was not touched."""
    monkeypatch.setattr(takeover, "_IDLE_SECONDS", 0)
    pages = [web("", *HEADLINES, keyboard=False), RESULTS]

    both_seen = asyncio.Event()

    class SlowPhone:
        async def observe(self) -> Observation:
            if len(pages) == 2:
                recorder.add_gesture(Gesture(ROW, ROW, 0.1))
            else:
                both_seen.set()
            return pages.pop()

    now, store = datetime(2026, 3, 9, tzinfo=UTC), Store(tmp_path)
    turn = Checkpoint(turn_id="t", user_id="me", started=now, said="x", instruction="x")
    checkpointer, panel = TurnCheckpointer(store, turn), Panel(right=1000, bottom=2000)
    recorder = UserActionRecorder(
        cast(Any, SlowPhone()), checkpointer, lambda: panel, lambda _: None, lambda: now
    )
    recording = asyncio.create_task(recorder.record(web("", *HEADLINES, keyboard=False)))
    recorder.add_gesture(Gesture(ROW, ROW, 0.1))
    await both_seen.wait()
    recorder.describe_actions(RESULTS)
    recording.cancel()
    store.close()
    first, second = (step.action for step in checkpointer.checkpoint.steps)
    assert first.target is not None
    assert first.target.text == "Headline 0"
    assert second.target is None


async def test_a_secret_that_the_screen_hid_is_no_text_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, now = Store(tmp_path), datetime(2026, 3, 9, tzinfo=UTC)
    typed = tuple(
        StoredStep(number=number, action=TypeText(text=text), source=Source.USER)
        for number, text in enumerate(("hello", "••••"), 1)
    )
    turn = Checkpoint(turn_id="t", user_id="me", started=now, said="x", instruction="x", steps=typed)
    phone = ShownScreens(START, START)
    demonstration = Demonstration(cast(Any, phone), store, turn, lambda _: None, lambda: now)
    monkeypatch.setattr(takeover.PhoneEventWatcher, "run", lambda _watcher: asyncio.sleep(0))
    recorded = await demonstration.record(asyncio.sleep(0))
    store.close()
    assert [step.action.text for step in recorded.steps if isinstance(step.action, TypeText)] == ["hello", ""]


async def test_where_nothing_was_touched_nothing_counts_as_done() -> None:
    async with open_own_phone() as local:
        engine = local.engine(local.settings)
        async with started(engine):
            turn_id = await engine.record("look at my alarms", asyncio.sleep(0))
            (record,) = engine.find_records([turn_id])
            assert record.outcome is Outcome.CANCELLED

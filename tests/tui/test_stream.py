"""The panel's picture as the screen changes: when it is shown, when it ends, and what is shown then."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from assistant import events
from assistant.events import Cause, TurnState
from assistant.phone.displays import StreamEnded
from assistant.records import Bounds, Click, Element, Observation, Outcome, Point, TypeText
from assistant.settings.schema import InterfaceSettings, PhoneSettings, Picture, Settings
from assistant.tui.screens import panel_layout

from .app_fixture import Desk, open_desk
from .sample_screens import phone_picture
from .scripted import EATS, NOW, ScriptedEngine

LIVE, STEP = phone_picture(600, 270), phone_picture()
PIN = Element(0, -1, "android.widget.EditText", Bounds(0, 500, 1080, 600), password=True, focused=True)


class StreamingEngine(ScriptedEngine):
    """An engine whose phone sends what a test puts into `sent`: pictures, or why there are no more."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.sent: asyncio.Queue[bytes | StreamEnded] = asyncio.Queue()
        self.begun = self.closed = 0

    async def stream(self, serial: str, settings: PhoneSettings) -> AsyncGenerator[bytes]:
        self.begun += 1
        try:
            while True:
                sent = await self.sent.get()
                if isinstance(sent, StreamEnded):
                    raise sent
                yield sent
        finally:
            self.closed += 1


@asynccontextmanager
async def streaming(
    *, is_on: bool = True, picture: Picture = Picture.BLOCKS
) -> AsyncIterator[tuple[Desk, StreamingEngine]]:
    """A turn that has seen its first screen."""
    settings = Settings(interface=InterfaceSettings(picture=picture), phone=PhoneSettings(stream=is_on))
    engine = StreamingEngine(settings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(panel_layout, "stream_screen", engine.stream)
        async with open_desk(engine, (160, 50)) as desk:
            engine.begin("order lunch")
            engine.enter(TurnState.RUNNING, Cause.OBSERVING)
            engine.observe(1, picture=STEP)
            await desk.settle()
            yield desk, engine


def is_live(desk: Desk) -> bool:
    return desk.app.main.picture._shot == LIVE and "as it changes" in desk.text


async def show_live(desk: Desk, engine: StreamingEngine) -> None:
    engine.sent.put_nowait(LIVE)
    async with asyncio.timeout(10):
        while not is_live(desk):
            await desk.settle()


async def test_the_screen_is_shown_as_it_changes_until_the_turn_ends() -> None:
    async with streaming() as (desk, engine):
        await show_live(desk, engine)
        engine.choose(1, Click(point=Point(0.5, 0.5)))
        await desk.settle()
        assert desk.app.main.picture._shot == STEP, "the mark stands on what the step was decided on"
        await show_live(desk, engine)
        engine.finish(Outcome.SUCCESS, "done", 1)
        await desk.settle()
        assert (engine.begun, engine.closed) == (1, 1)
        assert desk.app.main.picture._shot == STEP
        assert "as it changes" not in desk.text


async def test_beside_a_question_the_step_is_shown_that_it_is_about() -> None:
    async with streaming() as (desk, engine):
        await show_live(desk, engine)
        engine.enter(TurnState.WAITING, Cause.APPROVAL)
        engine.choose(1, Click(point=Point(0.5, 0.5)))
        engine.sent.put_nowait(LIVE)
        await desk.settle()
        assert desk.app.main.picture._shot == STEP
        assert engine.closed == 0


def pause(engine: StreamingEngine) -> None:
    engine.enter(TurnState.PAUSED, Cause.USER_PAUSED)


def see_secure(engine: StreamingEngine) -> None:
    see(engine, Observation(1080, 2400, STEP, (), EATS, secure=True))


def see_password(engine: StreamingEngine) -> None:
    see(engine, Observation(1080, 2400, STEP, (PIN,), EATS))


def see_branch(engine: StreamingEngine) -> None:
    see(engine, Observation(1080, 2400, STEP, (), EATS), branch="2")


def type_secret(engine: StreamingEngine) -> None:
    engine.choose(1, TypeText(text="{{secret:wifi}}"))


def see(engine: StreamingEngine, observation: Observation, branch: str = "") -> None:
    event = events.ScreenObserved(time=NOW, step=2, app=EATS, observation=observation)
    engine.emit(replace(event, branch=branch))


@pytest.mark.parametrize("happens", [pause, see_secure, see_password, see_branch, type_secret])
async def test_what_is_not_to_be_seen_ends_the_stream(happens: Callable[[StreamingEngine], None]) -> None:
    async with streaming() as (desk, engine):
        await show_live(desk, engine)
        happens(engine)
        engine.sent.put_nowait(LIVE)
        await desk.settle()
        assert (engine.begun, engine.closed) == (1, 1)
        assert not is_live(desk)
        assert desk.app.main.picture._shot != LIVE


async def test_after_a_pause_it_begins_with_the_next_look_and_after_a_secret_not_again() -> None:
    async with streaming() as (desk, engine):
        pause(engine)
        engine.enter(TurnState.RUNNING, Cause.OBSERVING)
        await desk.settle()
        assert engine.begun == engine.closed == 1
        engine.observe(2, picture=STEP)
        await show_live(desk, engine)
        type_secret(engine)
        engine.observe(3, picture=STEP)
        await desk.settle()
        assert (engine.begun, engine.closed) == (2, 2)


async def test_closing_the_panel_ends_the_stream_and_opening_it_begins_another() -> None:
    async with streaming() as (desk, engine):
        await show_live(desk, engine)
        await desk.press("f3")
        assert (engine.begun, engine.closed) == (1, 1)
        await desk.press("f3")
        await show_live(desk, engine)
        assert engine.begun == 2


async def test_a_stream_that_ends_leaves_the_steps_and_says_why() -> None:
    async with streaming() as (desk, engine):
        await show_live(desk, engine)
        engine.sent.put_nowait(StreamEnded("the phone\nsends none [bold]"))
        engine.observe(2, picture=STEP)
        await desk.settle()
        assert desk.app.main.picture._shot == STEP
        assert "only each step's screen: the phone" in desk.text
        assert engine.begun == 1, "it is not tried again in this turn"


async def test_none_is_begun_where_it_is_off_or_the_screen_is_shown_in_words() -> None:
    async with streaming(is_on=False) as (_, engine):
        assert engine.begun == 0
    async with streaming(picture=Picture.AUTO) as (_, engine):
        assert engine.begun == 0

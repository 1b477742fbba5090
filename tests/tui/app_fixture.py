"""The interface under Pilot with a scripted engine and a clock that stands still."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from textual import events
from textual.pilot import Pilot

from assistant.presentation.ui_state import PaletteCommand
from assistant.tui.app import AssistantApp
from tests.tui.scripted import Clock, ScriptedEngine

_LETTERS = {"/": "slash", " ": "space"}
_LOOK_AGAIN = 0.01
"""Seconds."""
_NAMED = ("escape", "backspace", "delete", "enter", "left", "up", "down", "home", "end", "ctrl+w", "ctrl+u")


@dataclass
class Desk:
    app: AssistantApp
    pilot: Pilot[None]
    engine: ScriptedEngine
    clock: Clock

    async def settle(self) -> None:
        await settle(self.app, self.pilot)

    async def press(self, *keys: str) -> None:
        """Press keys; one that begins with a slash is a slash command, typed and sent."""
        for key in keys:
            await press_or_say(self.app, self.pilot, key)
        await self.settle()

    async def type(self, text: str) -> None:
        """Press keys until the field has the focus, then put in the rest: a key costs Pilot a while."""
        pressed = 0
        while not pressed or (pressed < len(text) and not self.app.main.input.has_focus):
            await self.pilot.press("space" if text[pressed] == " " else text[pressed])
            pressed += 1
        self.app.main.input.insert(text[pressed:])
        await self.settle()

    async def burst(self, *keys: str) -> None:
        """Keys that come faster than they are handled; a text is its letters."""
        for key in keys:
            if key in _NAMED:
                self.app.post_message(events.Key(key, None))
                continue
            for letter in key:
                self.app.post_message(events.Key(_LETTERS.get(letter, letter), letter))
        await self.settle()

    async def paste(self, text: str) -> None:
        self.app.post_message(events.Paste(text))
        await self.settle()

    async def wait(self, seconds: float) -> None:
        await self.settle()
        self.clock.advance(seconds)

    @property
    def calls(self) -> list[tuple[str, ...]]:
        return self.engine.calls

    @property
    def typed(self) -> str:
        return self.app.main.input.text

    @property
    def lines(self) -> list[str]:
        return [strip.text for strip in self.app.screen._compositor.render_strips()]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


@asynccontextmanager
async def open_desk(
    engine: ScriptedEngine | None = None,
    size: tuple[int, int] = (80, 24),
    pictures: Path | None = None,
    commands: Sequence[PaletteCommand] = (),
) -> AsyncIterator[Desk]:
    engine = engine or ScriptedEngine()
    clock = Clock()
    app = AssistantApp(engine, clock, pictures, commands=commands)
    async with app.run_test(size=size) as pilot:
        desk = Desk(app, pilot, engine, clock)
        await desk.settle()
        yield desk


async def press_or_say(app: AssistantApp, pilot: Pilot[None], key: str) -> None:
    """Press a key, or type and send a slash command."""
    if not key.startswith("/"):
        await pilot.press(key)
        return
    await pilot.press("slash")
    app.main.input.insert(key[1:])
    await pilot.pause()
    await pilot.press("enter")
    await pilot.pause()


async def settle(app: AssistantApp, pilot: Pilot[None]) -> None:
    """Wait until every event is shown, no thought is held back and no picture is being drawn.

    An app that ended by an error is not waited for. A picture begins to be drawn when its place has been laid
    out, so that one quiet look is not enough.
    """
    main, engine = app.main, app.engine
    assert isinstance(engine, ScriptedEngine)
    quiet_looks = 0
    while quiet_looks < 2 and app.is_running:
        quiet = engine.told_everything
        await pilot.pause()
        if not main.turn.settled:
            # A timer draws it; to look again at once would keep the processor busy until then.
            await asyncio.sleep(_LOOK_AGAIN)
        drawing = main.picture._drawing or main.decision._crop._drawing
        quiet_looks = quiet_looks + 1 if quiet and main.turn.settled and not drawing else 0

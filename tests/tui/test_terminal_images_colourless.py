from __future__ import annotations

from assistant.settings.schema import Picture
from assistant.tui.app import AssistantApp
from assistant.tui.terminal_probe import ImageTerminal
from tests.tui.scripted import Clock, ScriptedEngine

from .app_fixture import Desk
from .sample_screens import phone_picture


async def test_without_colours_there_are_no_pictures_and_the_key_says_so() -> None:
    engine, clock = ScriptedEngine(), Clock()
    app = AssistantApp(engine, clock, picture_terminal=ImageTerminal(Picture.OFF))
    async with app.run_test(size=(160, 50)) as pilot:
        desk = Desk(app, pilot, engine, clock)
        desk.engine.observe(1, picture=phone_picture())
        await desk.settle()
        assert not app.main.picture.display
        await desk.press("f3")
        assert "The phone's screen needs colours" in desk.text
        assert not app.main.picture.display

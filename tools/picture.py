"""Draws the pictures of the README: `make picture`.

A true turn of the program on its simulated phone with its scripted model and the demo's memory, up to the
first approval, and the memory behind it, exported by the interface itself. Only the keys are pressed here.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from textual.pilot import Pilot

from assistant.commands.demo_memory import fill
from assistant.config import Settings
from assistant.engine import Engine
from assistant.simulator.world import SIMULATED, World, WorldOptions
from assistant.tui.app import AssistantApp

SIZE = (130, 38)
COMMAND = "order my usual lunch"
LIMIT = 120.0


def main() -> None:
    """Write the picture to the given file."""
    parser = argparse.ArgumentParser(description="Draw the pictures of the README.")
    parser.add_argument("turn", type=Path, help="Where the picture of the turn goes.")
    parser.add_argument("memory", type=Path, help="Where the picture of the memory goes.")
    parser.add_argument("--command", default=COMMAND, help="What is typed.")
    parser.add_argument("--locale", default="en", choices=["en", "zh"], help="The phone's language.")
    arguments = parser.parse_args()
    pictures = asyncio.run(draw(arguments.command, arguments.locale))
    for file, picture in zip((arguments.turn, arguments.memory), pictures, strict=True):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(picture, encoding="utf-8")


async def draw(command: str, locale: str) -> tuple[str, str]:
    """Type a command and wait for the first approval, then look what it rests on; both screens as SVG.

    Raises:
        TimeoutError: the turn asks for no approval.
    """
    with tempfile.TemporaryDirectory(prefix="assistant-picture-", ignore_cleanup_errors=True) as folder:
        options = WorldOptions(locale=locale, delays=0.2, pace=200.0)
        async with World(options) as world:
            plain = Settings.model_construct(store=Path(folder))
            settings = plain.overridden({**world.settings, "turn": {"confirm_meaning_seconds": 0}})
            await asyncio.to_thread(fill, settings, options)
            engine = Engine(settings, now=lambda: datetime.now().astimezone(), simulated=SIMULATED)
            app = AssistantApp(engine)
            async with app.run_test(size=SIZE) as pilot:
                try:
                    await until(pilot, lambda: not engine.problem())
                    app.main.input.fill(command)
                    await pilot.press("enter")
                    await until(pilot, lambda: app.main.decision.prompt is not None)
                    await pilot.pause(1.0)
                    turn = app.export_screenshot(title="assistant")
                    await pilot.press("f8")
                    await pilot.pause(1.0)
                    await pilot.press("1")
                    await until(pilot, lambda: app.main.memory.item is not None)
                    await pilot.pause(1.0)
                    return turn, app.export_screenshot(title="assistant")
                finally:
                    engine.cancel()
                    await engine.close()


async def until(pilot: Pilot[None], holds: Callable[[], bool]) -> None:
    """Let the interface go on until a condition holds."""
    async with asyncio.timeout(LIMIT):
        while not holds():
            await pilot.pause(0.1)


if __name__ == "__main__":
    main()

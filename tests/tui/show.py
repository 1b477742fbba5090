"""Look at the interface by hand: `python -m tests.tui.show [SCENE]`, or `--svg FOLDER` to draw all scenes."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from assistant.tui import run_tui
from assistant.tui.app import AssistantApp
from tests.tui.scenes import SCENES


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("scene", nargs="?", default="running", choices=sorted(SCENES))
    parser.add_argument("--svg", type=Path)
    arguments = parser.parse_args()
    if arguments.svg is None:
        scene = SCENES[arguments.scene]
        engine = scene.engine()
        engine.on_start = scene.play
        raise SystemExit(asyncio.run(run_tui(engine)))
    arguments.svg.mkdir(parents=True, exist_ok=True)
    asyncio.run(draw(arguments.svg))


async def draw(folder: Path) -> None:
    for name, scene in SCENES.items():
        for size in ((80, 24), (80, 18), (160, 50)):
            engine = scene.engine()
            app = AssistantApp(engine)
            async with app.run_test(size=size) as pilot:
                scene.play(engine)
                await pilot.pause(0.4)
                (folder / f"{name}-{size[0]}x{size[1]}.svg").write_text(app.export_screenshot())


if __name__ == "__main__":
    main()

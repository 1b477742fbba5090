"""Look at the interface by hand: `python -m tests.tui.show [SCENE]`.

`python -m tests.tui.show --svg FOLDER [VIEW ...]` draws views into a folder, all of them when none is named.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path

from assistant.cli.setup import run_tui
from tests.keyrings import MemoryKeyring, system_keyring
from tests.tui.gallery import VIEWS, View, resize, rest
from tests.tui.looks import ANSI, SIZES, THEMES
from tests.tui.scenes import SCENES


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", choices=[[], *VIEWS])
    parser.add_argument("--svg", type=Path)
    arguments = parser.parse_args()
    if arguments.svg is None:
        scene = SCENES[(arguments.names or ["running"])[0]]
        engine = scene.engine()
        engine.on_start = scene.play
        raise SystemExit(asyncio.run(run_tui(engine)))
    arguments.svg.mkdir(parents=True, exist_ok=True)
    with system_keyring(MemoryKeyring()), tempfile.TemporaryDirectory() as folder:
        for name in arguments.names or VIEWS:
            asyncio.run(draw(name, VIEWS[name], Path(folder), arguments.svg))


async def draw(name: str, view: View, folder: Path, drawings: Path) -> None:
    app = view.app(folder)
    async with app.run_test(size=SIZES[0]) as pilot:
        await rest(app, pilot)
        await view.way(app, pilot)
        for theme in (*THEMES, *ANSI):
            app.theme = theme
            for columns, rows in SIZES:
                await resize(app, pilot, (columns, rows))
                drawing = app.export_screenshot()
                (drawings / f"{name}-{columns}x{rows}-{theme}.svg").write_text(drawing)


if __name__ == "__main__":
    main()

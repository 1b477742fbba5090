from __future__ import annotations

import os
import subprocess
import sys

PROGRAM = """
from textual.app import App

class Drawing(App):
    def on_mount(self):
        self.set_interval(0.01, lambda: self.refresh(layout=True))

Drawing().run()
"""


def test_a_program_ends_with_the_server_that_shows_it() -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "TEXTUAL_DRIVER": "assistant.tui.terminal:WebDriver"},
    )
    assert program.stdin is not None
    assert program.stdout is not None
    try:
        assert program.stdout.readline() == b"__GANGLION__\n"
        program.stdin.close()
        program.stdout.close()
        assert program.wait(20) == 0
    finally:
        program.kill()

"""Textual's web driver, changed so that the program ends when its web server ends.

Otherwise a program whose server was killed would continue its turn with nobody able to stop it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from typing import Any

from textual.drivers import web_driver
from textual.messages import ExitApp


class WebDriver(web_driver.WebDriver):
    """Reads the browser's input from the server, and writes the output for it."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._write = partial(_write_while_read, self.fileno)

    def run_input_thread(self) -> None:
        """Read input until the program ends; if the server ends first, end the program."""
        super().run_input_thread()
        if not self.exit_event.is_set():
            self._app.post_message(ExitApp())


def _write_while_read(descriptor: int, data: bytes) -> int:
    with suppress(BrokenPipeError):
        return os.write(descriptor, data)
    return len(data)

"""The program's end of a page in a browser: Textual's, but it ends with the server that shows it.

A program whose server was killed would otherwise go on with its turn, and nobody could stop it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from typing import Any

from textual.drivers import web_driver
from textual.messages import ExitApp


class WebDriver(web_driver.WebDriver):
    """Reads what the server hands on from the browser, and writes to it what is to be seen."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._write = partial(_write_while_read, self.fileno)

    def run_input_thread(self) -> None:
        """Read until the program ends; where the server ends first, the program does too."""
        super().run_input_thread()
        if not self.exit_event.is_set():
            self._app.post_message(ExitApp())


def _write_while_read(descriptor: int, data: bytes) -> int:
    with suppress(BrokenPipeError):
        return os.write(descriptor, data)
    return len(data)

"""Standard output and error where the locale knows few characters: nothing that is said ends the program."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import TextIO


def say_what_can_be_said(streams: Iterable[TextIO]) -> None:
    """Replace what a terminal's encoding lacks; what goes elsewhere, as into a file, is whole in UTF-8."""
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            if stream.isatty():
                stream.reconfigure(errors="replace")
            else:
                stream.reconfigure(encoding="utf-8", errors="replace")

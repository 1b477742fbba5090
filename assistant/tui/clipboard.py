"""Copying: to a clipboard program or tmux where there is one, else by asking the terminal.

The terminal is asked by OSC 52 and does not answer. A tmux drops that from the programs in it unless its
`set-clipboard` is on, but asks its own terminal when it is told to.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence

from assistant.language import _

Run = Callable[[Sequence[str], str], bool]
"""Runs a program with a text as its input; whether it took it."""

LONGEST_ASKED = 70_000
"""Characters; terminals drop longer requests, and say nothing."""

_LIMIT = 2.0
_IN_TMUX = ("tmux", "load-buffer", "-w", "-")
_ELSEWHERE = ("SSH_CONNECTION", "SSH_TTY", "TEXTUAL_DRIVER")
"""What the environment names where the person is at another computer, or in a browser."""


def copy(text: str, ask_terminal: Callable[[str], None], environment: Mapping[str, str], run: Run) -> str:
    """Copy a text; the sentence says what is known about it.

    Args:
        text: what to copy.
        ask_terminal: sends it to the terminal by OSC 52.
        environment: tells which clipboard is near.
        run: runs a clipboard program.
    """
    for command in _programs(environment):
        if run(command, text):
            return _("Copied.")
    if environment.get("TMUX") and not environment.get("TEXTUAL_DRIVER") and run(_IN_TMUX, text):
        return _("Copied into tmux (prefix ] inserts it); its terminal was asked too.")
    if len(text) > LONGEST_ASKED:
        return _("Not copied: it is too long for the terminal. Export it to a file instead.")
    ask_terminal(text)
    return _("Offered to the terminal's clipboard; whether it was taken cannot be known here.")


def run_program(command: Sequence[str], text: str) -> bool:
    """Run a clipboard program."""
    if shutil.which(command[0]) is None:
        return False
    # Some of these stay in the background to serve the text, and must not hold our pipes.
    try:
        done = subprocess.run(
            command,
            input=text.encode("utf-8", "replace"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_LIMIT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _programs(environment: Mapping[str, str]) -> list[list[str]]:
    """The programs that reach the clipboard of the person who looks at this; none over SSH or HTTP."""
    if any(environment.get(name) for name in _ELSEWHERE):
        return []
    found = []
    if sys.platform == "darwin":
        found.append(["pbcopy"])
    if environment.get("WAYLAND_DISPLAY"):
        found.append(["wl-copy"])
    if environment.get("DISPLAY"):
        found += [["xclip", "-selection", "clipboard"], ["xsel", "--clipboard", "--input"]]
    return found

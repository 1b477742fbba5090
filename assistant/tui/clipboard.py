"""Copying to the clipboard: by a clipboard program or tmux where available, otherwise by OSC 52.

A terminal does not answer OSC 52. tmux ignores OSC 52 from the programs in it unless its `set-clipboard`
is on, but `tmux load-buffer -w` sends it to the outer terminal.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence

from assistant.i18n import _

Run = Callable[[Sequence[str], str], bool]
"""Runs a program with a text as its standard input; returns whether it succeeded."""

LONGEST_ASKED = 70_000
"""Characters; terminals silently drop longer OSC 52 requests."""

_LIMIT = 2.0
_IN_TMUX = ("tmux", "load-buffer", "-w", "-")
_ELSEWHERE = ("SSH_CONNECTION", "SSH_TTY", "TEXTUAL_DRIVER")
"""Environment variables that are set when the user is at another computer, or in a browser."""


def copy(text: str, ask_terminal: Callable[[str], None], environment: Mapping[str, str], run: Run) -> str:
    """Copy a text; returns a sentence with the result, as far as it is known.

    Args:
        text: what to copy.
        ask_terminal: sends the text to the terminal by OSC 52.
        environment: the environment variables, to select a clipboard program.
        run: runs a clipboard program.
    """
    for command in _find_programs(environment):
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
    # Some clipboard programs stay in the background to serve the text, and must not keep our pipes open.
    try:
        completed = subprocess.run(
            command,
            input=text.encode("utf-8", "replace"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_LIMIT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return completed.returncode == 0


def _find_programs(environment: Mapping[str, str]) -> list[list[str]]:
    """Commands that reach the user's clipboard, best first; none over SSH or in a browser."""
    if any(environment.get(name) for name in _ELSEWHERE):
        return []
    commands = []
    if sys.platform == "darwin":
        commands.append(["pbcopy"])
    if environment.get("WAYLAND_DISPLAY"):
        commands.append(["wl-copy"])
    if environment.get("DISPLAY"):
        commands += [["xclip", "-selection", "clipboard"], ["xsel", "--clipboard", "--input"]]
    return commands

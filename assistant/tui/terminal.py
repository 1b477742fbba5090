"""Terminal features for which Textual has no call: window title, desktop notifications, the clipboard.

The title shows the turn's state, for a user who looks at another window. Text is copied by a clipboard
program or tmux if there is one, otherwise by OSC 52, which a terminal does not answer. tmux ignores OSC 52
from the programs in it unless its `set-clipboard` is on, but `tmux load-buffer -w` sends it to the outer
terminal.

A terminal that is closed reads as an endless end of file, which Textual would read for ever where SIGHUP is
ignored, as under nohup; here its end is the program's.
"""

from __future__ import annotations

import asyncio
import os
import select
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from textual.app import App
from textual.drivers.web_driver import WebDriver as TextualWebDriver
from textual.messages import ExitApp

from assistant.i18n import _
from assistant.presentation.text import format_headline
from assistant.presentation.ui_state import UiState, UserRequest

_NOTIFYING = ("rxvt", "foot")
"""Terminals that support OSC 777; kitty has OSC 99, others use OSC 9, as iTerm2, WezTerm and Ghostty do."""
_SAVE, _RESTORE = "\x1b[22;0t", "\x1b[23;0t"


def save_title(app: App[None]) -> None:
    """Have the terminal save its title."""
    write(app, _SAVE)


def set_title(app: App[None], title: str) -> None:
    """Set the terminal's title; `title` must be our own text, never text from outside."""
    write(app, f"\x1b]0;{title}\x07")


def restore_title(app: App[None]) -> None:
    """Restore the saved title."""
    write(app, _RESTORE)


def notify(app: App[None], text: str, environment: Mapping[str, str] = os.environ) -> None:
    """Show a desktop notification, if the terminal supports them.

    Args:
        app: the app in the terminal.
        text: one line; control characters are removed.
        environment: the environment variables, to select the escape sequence.
    """
    printable = "".join(letter for letter in text if letter.isprintable()).replace(";", ",")
    term = environment.get("TERM", "")
    if "kitty" in term or environment.get("KITTY_WINDOW_ID"):
        write(app, f"\x1b]99;i=assistant;{printable}\x1b\\")
    elif term.startswith(_NOTIFYING) or environment.get("VTE_VERSION"):
        write(app, f"\x1b]777;notify;assistant;{printable}\x1b\\")
    else:
        write(app, f"\x1b]9;{printable}\x1b\\")


def write(app: App[Any], sequence: str) -> None:
    """Write an escape sequence to the terminal between two frames; does nothing without one."""
    driver = app._driver
    if driver is not None and not app.is_headless:
        driver.write(sequence)


@contextmanager
def ending_with_terminal(app: App[Any]) -> Iterator[None]:
    """End the app in order when its terminal is closed, or when SIGHUP or SIGTERM ask for it.

    SIGHUP stays ignored where it was, as under nohup. To be used in the event loop.
    """
    if app.is_web or sys.__stdin__ is None or not sys.__stdin__.isatty():
        yield
        return
    terminal, loop = sys.__stdin__.fileno(), asyncio.get_running_loop()
    closing, ended = os.pipe()
    forced = threading.Timer(_PATIENCE, lambda: os._exit(_HUNG_UP))
    forced.daemon = True

    def leave() -> None:
        if is_closed(terminal):
            _let_go(terminal, 2)
            with suppress(RuntimeError):  # It was started when this was asked for before.
                forced.start()
        app.post_message(ExitApp())

    watch = threading.Thread(target=wait_for_end, args=(terminal, closing, leave), daemon=True)
    watch.start()
    caught = [number for number in _ENDING if signal.getsignal(number) is signal.SIG_DFL]
    try:
        for number in caught:
            loop.add_signal_handler(number, leave)
        yield
    finally:
        forced.cancel()
        for number in caught:
            loop.remove_signal_handler(number)
        os.close(ended)
        watch.join()
        os.close(closing)


_ENDING = (signal.SIGHUP, signal.SIGTERM)
_HUNG_UP = 128 + signal.SIGHUP
_PATIENCE = 30.0
"""Seconds in which the interface leaves a closed terminal by itself. Textual's thread that writes may have
met the end of the terminal first: then the interface waits for it for ever, and keeps phone and memory."""


def wait_for_end(terminal: int, closing: int, leave: Callable[[], None]) -> None:
    """Call `leave` when a terminal is closed; return when `closing`, the end of a pipe, has no writer."""
    poll = select.poll()
    # No event is asked for: what the keys send is not for this.
    poll.register(terminal, 0)
    poll.register(closing, 0)
    ready = {descriptor for descriptor, _event in poll.poll()}
    if closing not in ready and is_closed(terminal):
        leave()


def is_closed(terminal: int) -> bool:
    """Whether the other side of a terminal has gone."""
    poll = select.poll()
    poll.register(terminal, 0)
    return any(event & select.POLLHUP for _descriptor, event in poll.poll(0))


def _let_go(*descriptors: int) -> None:
    """Put /dev/null in their place, so that the way out neither fails nor waits for the terminal."""
    with suppress(OSError):
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in descriptors:
            os.dup2(nothing, descriptor)
        os.close(nothing)


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
        return _(
            "Copied into tmux (prefix ] inserts it) and sent to its terminal, which does not confirm it."
        )
    if len(text) > LONGEST_ASKED:
        return _("Not copied: it is too long for the terminal. Export it to a file instead.")
    ask_terminal(text)
    return _("Sent to the terminal's clipboard. The terminal does not confirm it.")


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


_CALLING = (UserRequest.APPROVAL, UserRequest.QUESTION)


def format_title(situation: UiState) -> str:
    """The sign of the turn and the program's name; or that the program needs the user."""
    if situation.asking in _CALLING:
        return _("● assistant needs you")
    sign = "" if situation.state is None else format_headline(situation.state, situation.cause)[0]
    return f"{sign} {_('assistant')}".lstrip()


class WindowTitle:
    """Writes the title when it changes, and restores the shell's title while the shell has the terminal."""

    def __init__(self) -> None:
        self._title = format_title(UiState())

    def begin(self, app: App[None]) -> None:
        """Save the terminal's title, and show our own."""
        save_title(app)
        set_title(app, self._title)

    def show(self, app: App[None], situation: UiState) -> None:
        """Update the title."""
        title = format_title(situation)
        if title != self._title:
            self._title = title
            set_title(app, title)

    def leave(self, app: App[None]) -> None:
        """Restore the terminal's title."""
        restore_title(app)


class WebDriver(TextualWebDriver):
    """Textual's driver for a browser, changed so that the program ends when its web server ends.

    Otherwise a program whose server was killed would continue its turn with nobody able to stop it.
    """

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

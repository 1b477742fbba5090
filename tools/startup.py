"""Compare how fast two checkouts start, in one run: `python -m tools.startup OTHER_CHECKOUT`.

Both are started by turns, each with the same interpreter and an empty home, so that a busy machine slows both
alike. `help` is `assistant --help` to its end; `paint` is from the start of the terminal interface to its
first text, `echo` to the first sight of a word that was typed at once, and `keys` to the line of keys, with
which the interface is whole. Medians, in seconds of the clock, and for `help` of the processor too.
"""

from __future__ import annotations

import argparse
import os
import pty
import re
import resource
import select
import statistics
import subprocess
import sys
import termios
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent.parent
_WORD, _KEYS = "zqxv", "f1 "
_LIMIT = 120.0
_SEQUENCE = re.compile(rb"\x1b(?:[\[\]P_].*?(?:[@-~]|\x07|\x1b\\)|.)", re.DOTALL)


def environment_of(checkout: Path, home: Path) -> dict[str, str]:
    """The variables of a program that is started from a checkout and knows nothing of its user."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ASSISTANT_", "XDG_"))}
    return kept | {"PYTHONPATH": str(checkout), "HOME": str(home), "TERM": "xterm-256color"}


def time_help(checkout: Path, home: Path) -> dict[str, float]:
    """The seconds that the help takes."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "assistant", "--help"],
        cwd=checkout,
        env=environment_of(checkout, home),
        stdout=subprocess.DEVNULL,
        check=True,
    )
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"help": wall, "help, processor": spent}


def time_interface(checkout: Path, home: Path) -> dict[str, float]:
    """The seconds to the first text of the interface, to what was typed, and to the whole of it."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (40, 120))
    modes = termios.tcgetattr(theirs)
    modes[3] &= ~termios.ECHO
    termios.tcsetattr(theirs, termios.TCSANOW, modes)
    os.write(ours, _WORD.encode())
    began = time.monotonic()
    program = subprocess.Popen(
        [sys.executable, "-m", "assistant", "--store", str(home / "store")],
        cwd=checkout,
        env=environment_of(checkout, home),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    seen, figures = b"", dict[str, float]()
    try:
        while len(figures) < 3 and time.monotonic() - began < _LIMIT:
            if select.select([ours], [], [], 1.0)[0]:
                seen += os.read(ours, 1 << 16)
            text = _SEQUENCE.sub(b"", seen).decode(errors="replace")
            if sum(map(str.isalpha, text)) >= len(_WORD):
                figures.setdefault("paint", time.monotonic() - began)
            for figure, sign in (("echo", _WORD), ("keys", _KEYS)):
                if sign in text:
                    figures.setdefault(figure, time.monotonic() - began)
    finally:
        program.kill()
        program.wait()
        os.close(ours)
    return figures


def measure(checkouts: Mapping[str, Path], times: int) -> dict[str, dict[str, float]]:
    """The medians of each figure by checkout; a first start of each, which compiles it, does not count."""
    taken: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in checkouts}
    for number in range(times + 1):
        for name, checkout in checkouts.items():
            with TemporaryDirectory(prefix="assistant-startup-", ignore_cleanup_errors=True) as home:
                figures = time_help(checkout, Path(home)) | time_interface(checkout, Path(home))
            for figure, seconds in figures.items() if number else ():
                taken[name][figure].append(seconds)
    return {
        name: {figure: statistics.median(values) for figure, values in figures.items()}
        for name, figures in taken.items()
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print a line for each checkout."""
    parser = argparse.ArgumentParser(description="Compare how fast two checkouts start.")
    parser.add_argument("other", type=Path, help="a checkout of an earlier state")
    parser.add_argument("--times", type=int, default=10, help="how often each is started")
    options = parser.parse_args(arguments)
    medians = measure({"other": options.other.resolve(), "this": HERE}, options.times)
    for name, figures in medians.items():
        values = "  ".join(f"{figure} {seconds:.2f} s" for figure, seconds in figures.items())
        sys.stdout.write(f"{name:6} {values}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

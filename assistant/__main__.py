"""Starts `assistant` and `python -m assistant`: draws the empty interface, then imports the command line."""

from __future__ import annotations

import gc
import sys

from assistant.tui.first_paint import begin_first_paint, end_first_paint

_COLLECTOR_THRESHOLDS = 10_000, 20, 20
"""When the garbage collector looks at what is new, newer, and all.

With Python's thresholds it looks 400 times through what is being imported, for .15 of 1.4 s, and every other
step over pages of 5,000 nodes begins a full collection, which stops everything for .3 s: `bench step --nodes
5000`.
"""


def start() -> None:
    """Run the command line; the process ends with its exit code."""
    gc.set_threshold(*_COLLECTOR_THRESHOLDS)
    begin_first_paint(sys.argv[1:])
    try:
        # The libraries take longer to import than a person waits to see something.
        from assistant.cli.main import main

        main()
    finally:
        end_first_paint()


if __name__ == "__main__":
    start()

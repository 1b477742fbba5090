"""Starts `assistant` and `python -m assistant`: draws the empty interface, then imports the command line."""

from __future__ import annotations

import sys

from assistant.tui.first_paint import begin_first_paint, end_first_paint


def start() -> None:
    """Run the command line; the process ends with its exit code."""
    begin_first_paint(sys.argv[1:])
    try:
        # The libraries take longer to import than a person waits to see something.
        from assistant.cli.main import main

        main()
    finally:
        end_first_paint()


if __name__ == "__main__":
    start()

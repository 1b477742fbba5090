"""The line range of each entry in the scrolled list, for a given width."""

from __future__ import annotations

from array import array
from bisect import bisect_right

from assistant.tui.entries import Entries
from assistant.tui.turn_lines import entry_height


class LineMap:
    """Stores for each entry the line after its last one. Lines and entries are counted from 0.

    `width` is in cells; `thoughts` tells whether thoughts are shown below their steps.
    """

    def __init__(self) -> None:
        self.width = 0
        self.thoughts = False
        self._ends = array("L")

    @property
    def height(self) -> int:
        """How many lines there are."""
        return self._ends[-1] if self._ends else 0

    def start(self, place: int) -> int:
        """The first line of the entry at an index."""
        return self._ends[place - 1] if place else 0

    def place(self, line: int) -> int:
        """The index of the entry that contains a line."""
        return bisect_right(self._ends, line)

    def measure(self, entries: Entries, first: int = 0) -> None:
        """Measure the entries from index `first` on; earlier ones are unchanged."""
        del self._ends[first:]
        end = self.height
        for place in range(len(self._ends), len(entries)):
            end += entry_height(entries[place], self.width, self.thoughts)
            self._ends.append(end)

"""What a user decided about which records belong together; aggregation keeps to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wishes:
    """Records that share a prototype, records that must not, and records that no prototype counts.

    Attributes:
        together: pairs of records of one prototype.
        apart: pairs of records that never share one.
        left_out: records that are not evidence for anything.
    """

    together: tuple[tuple[str, str], ...] = ()
    apart: tuple[tuple[str, str], ...] = ()
    left_out: frozenset[str] = frozenset()

    def mates(self, record_id: str) -> tuple[str, ...]:
        """The records that share a prototype with this one by wish."""
        return _partners(self.together, record_id)

    def strangers(self, record_id: str) -> tuple[str, ...]:
        """The records that must not share a prototype with this one."""
        return _partners(self.apart, record_id)

    def names(self, record_id: str) -> bool:
        """Whether a wish is about this record."""
        return any(record_id in pair for pair in (*self.together, *self.apart))

    def part(self, left: Iterable[str], right: Iterable[str]) -> bool:
        """Whether some record of one side must not share a prototype with one of the other."""
        others = set(right)
        return any(stranger in others for record in left for stranger in self.strangers(record))


NO_WISHES = Wishes()


def _partners(pairs: tuple[tuple[str, str], ...], record_id: str) -> tuple[str, ...]:
    found = [right if left == record_id else left for left, right in pairs if record_id in (left, right)]
    return tuple(found)

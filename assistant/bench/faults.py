"""Which faults the scripted model has during a task: a mix that the seed and the task decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from assistant.simulator.chance import pick, whole
from assistant.simulator.model.faults import Fault, FaultKind

KINDS = (
    FaultKind.ERROR,
    FaultKind.RATE_LIMIT,
    FaultKind.STALL,
    FaultKind.CUT,
    FaultKind.MALFORMED,
    FaultKind.HOSTILE,
    FaultKind.WRONG,
    FaultKind.FALSE_SUCCESS,
)
_LATEST = 7
_STALL_SECONDS = 30.0


def mix(place: int, seed: int) -> list[Fault]:
    """The faults for the task with the number `place`: one each, within its first requests.

    A task has four kinds that often happen twice, so that every second task has a certain kind.
    """
    kinds = sorted(KINDS, key=lambda kind: whole(0, 1_000_000, seed, place // 2, kind))
    half = len(kinds) // 2
    mine = kinds[:half] if place % 2 else kinds[half:]
    return [_fault(kind, seed, place, turn) for kind in mine for turn in range(_times(kind, seed, place))]


def happened(planned: Sequence[Fault], pending: Sequence[Fault]) -> tuple[FaultKind, ...]:
    """The kinds of which at least one planned fault is not pending any more, in order of first mention."""
    left = Counter(fault.kind for fault in pending)
    counted = Counter(fault.kind for fault in planned)
    return tuple(kind for kind, count in counted.items() if left[kind] < count)


def _times(kind: FaultKind, seed: int, place: int) -> int:
    return 1 if kind is FaultKind.FALSE_SUCCESS else whole(1, 3, seed, place, kind)


def _fault(kind: FaultKind, seed: int, place: int, turn: int) -> Fault:
    return Fault(
        kind=kind,
        skip=whole(0, _LATEST, seed, place, kind, turn),
        seconds=_STALL_SECONDS if kind is FaultKind.STALL else 0.0,
        status=pick((500, 502, 503), seed, place, turn),
    )

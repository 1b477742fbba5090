"""Finding what a task needs to know, without a model (MobiMem 4.1, retrieval logic).

The nodes nearest to the task are the starts. From each a breadth-first walk yields facts; the token budget is
parted equally among the starts and filled in turn, and what one start leaves over goes to the others.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from assistant.memory.profile.describing import Fact, Facts
from assistant.memory.profile.graph import DisGraph
from assistant.memory.profile.nodes import Node, NodeKind
from assistant.memory.profile.tokens import tokens

STARTS = 6
"""How many nodes a walk begins from."""

FARTHEST = 4
"""How many links a walk follows."""

_Reached = tuple[Fact, tuple[str, ...]]
_FIRST_FACTS = 16
_MOST_NODES = 512


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Facts in the order they were found, and their text within the budget."""

    facts: tuple[Fact, ...]
    text: str
    tokens: int


def retrieve(
    facts: Facts,
    nearest: Sequence[str],
    budget: int,
    starts: int = STARTS,
    count: Callable[[str], int] = tokens,
) -> Retrieved:
    """Walk from the starts until the budget is full; what then is left goes to the next nearest nodes.

    Args:
        facts: what holds of the profile's entities.
        nearest: ids of the nodes nearest to the task, the nearest first; neighbours are visited so.
        budget: how many tokens the text may have.
        starts: how many walks share the budget.
        count: counts the tokens of a line.
    """
    nearness = {node_id: rank for rank, node_id in enumerate(nearest)}
    # A node belongs to the walk that comes to it first.
    seen = set(nearest[:starts])
    taken: dict[str, Fact] = {}
    used = _fill([_walk(facts, start, nearness, seen) for start in nearest[:starts]], budget, taken, count)
    for start in nearest[starts:]:
        if start not in seen and used < budget:
            seen.add(start)
            used += _fill([_walk(facts, start, nearness, seen)], budget - used, taken, count)
    return Retrieved(tuple(taken.values()), "\n".join(fact.line for fact in taken.values()), used)


def _fill(
    walks: Sequence[Iterator[_Reached]], budget: int, taken: dict[str, Fact], count: Callable[[str], int]
) -> int:
    """Let the walks put facts into `taken` in turn, each within its share. Returns the tokens used."""
    shares = [budget // len(walks)] * len(walks) if walks else []
    used = 0
    turn = deque(range(len(walks)))
    while turn:
        place = turn.popleft()
        reached = next(walks[place], None)
        cost = count(reached[0].line) + 1 if reached is not None else 0
        if reached is not None and cost <= shares[place]:
            fact, path = reached
            taken[fact.value.id] = replace(fact, path=path)
            used += cost
            shares[place] -= cost
            turn.append(place)
        elif turn:
            extra = shares[place] // len(turn)
            for other in turn:
                shares[other] += extra
    return used


def _walk(facts: Facts, start: str, nearness: Mapping[str, int], seen: set[str]) -> Iterator[_Reached]:
    """Facts from a start outwards; the rest of long lists comes after everything else."""
    late: list[_Reached] = []
    for node, path in _breadth_first(facts.graph, start, nearness, seen):
        if node.kind is NodeKind.ENTITY:
            told = facts.of(node)
            first = len(told) if node.pinned else _FIRST_FACTS
            yield from ((fact, path) for fact in told[:first])
            late += [(fact, path) for fact in told[first:]]
    yield from late


def _breadth_first(
    graph: DisGraph, start: str, nearness: Mapping[str, int], seen: set[str]
) -> Iterator[tuple[Node, tuple[str, ...]]]:
    first = graph.node(start)
    if first is None or first.hidden:
        return
    queue: deque[tuple[Node, tuple[str, ...]]] = deque([(first, (first.name,))])
    while queue:
        node, path = queue.popleft()
        yield node, path
        if len(path) > FARTHEST:
            continue
        for other in _ordered(graph, node, nearness):
            if other.id not in seen and not other.hidden and len(seen) < _MOST_NODES:
                seen.add(other.id)
                queue.append((other, (*path, other.name)))


def _ordered(graph: DisGraph, node: Node, nearness: Mapping[str, int]) -> list[Node]:
    """Neighbours: pinned ones, then those near the task, then the others as they were linked."""
    far = len(nearness)
    return sorted(graph.neighbours(node.id), key=lambda one: (not one.pinned, nearness.get(one.id, far)))

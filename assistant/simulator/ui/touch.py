"""What a finger reaches: hit testing in windows, and how lists follow a finger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.simulator.ui.layout import Placed
from assistant.simulator.ui.nodes import Node
from assistant.simulator.ui.window import Window

HOLD_MILLISECONDS = 400
SLOP = 8
"""How far a finger may wander, in dp, and still tap."""


@dataclass(frozen=True, slots=True)
class Hit:
    """The window under a finger, and the nodes there, from the root inwards; none beside its content."""

    window: Window
    path: tuple[Node, ...]

    def handler(self) -> Node | None:
        """The innermost node that reacts to a touch, even if only by being disabled."""
        return next((node for node in reversed(self.path) if reacts(node)), None)

    def scrollers(self, *, sideways: bool) -> list[Node]:
        """The nodes that scroll in a direction, innermost first."""
        return [node for node in reversed(self.path) if node.scroll and node.sideways == sideways]


def reacts(node: Node) -> bool:
    """Whether a node keeps a touch to itself."""
    return bool(node.on_tap or node.on_hold or node.field or not node.enabled)


def opaque(node: Node) -> bool:
    """Whether a node hides what lies under it."""
    return bool(node.style.background or node.style.picture)


def path_at(placed: Placed, x: float, y: float) -> tuple[Node, ...]:
    """The nodes under a point from `placed` inwards; empty outside of it.

    Of overlapping siblings the upper counts if it reacts, is opaque or scrolls; else touches fall through.
    """
    if not placed.seen.contains(x, y):
        return ()
    deepest: tuple[Node, ...] = ()
    for child in reversed(placed.children):
        path = path_at(child, x, y)
        if any(reacts(node) or opaque(node) or node.scroll for node in path):
            return (placed.node, *path)
        deepest = deepest or path
    return (placed.node, *deepest)


def find(windows: Sequence[Window], x: float, y: float) -> Hit | None:
    """What a touch hits; the last window lies on top."""
    for window in reversed(windows):
        if window.content.contains(x, y):
            return Hit(window, path_at(window.placed, x, y))
        if window.modal:
            return Hit(window, ())
    return None


def drag(hit: Hit, across: float, along: float) -> bool:
    """Let the list under a finger follow a movement in dp; what an inner list cannot take its parents do."""
    sideways = abs(across) > abs(along)
    delta = -across if sideways else -along
    moved = False
    for node in hit.scrollers(sideways=sideways):
        if node.scroll is None:
            continue
        before = node.scroll.offset
        moved = node.scroll.move(delta) or moved
        delta -= node.scroll.offset - before
        if abs(delta) < 0.5:
            break
    return moved

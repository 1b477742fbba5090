"""From nodes in dp to rectangles in pixels.

A column's children fill its width and follow each other down; a row's children take their natural width, or
share what is left by weight; a grid's children get equal cells. In a stack children lie on top of each other:
what holds children, or a picture, fills the stack, other nodes wrap and sit where the stack's `align` says.
`align` also places children that do not fill a column or row, along and across. Where room is short,
scrolling children shrink first. Nothing is seen outside of its parent's visible part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from assistant.records import Bounds
from assistant.simulator.ui import content
from assistant.simulator.ui.metrics import Screen, padding
from assistant.simulator.ui.nodes import Align, Arrange, Node
from assistant.simulator.ui.text import line_height


@dataclass(slots=True)
class Placed:
    """A node with its place: `box` is all of it, `seen` the part that lies inside all its parents."""

    node: Node
    box: Bounds
    seen: Bounds
    lines: tuple[str, ...] = ()
    children: list[Placed] = field(default_factory=list)

    def walk(self) -> Iterator[Placed]:
        """This and everything below, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()


def intersection(first: Bounds, second: Bounds) -> Bounds:
    """What two rectangles share; empty, at a corner of the first, when they share nothing."""
    left, top = max(first.left, second.left), max(first.top, second.top)
    return Bounds(
        left, top, max(left, min(first.right, second.right)), max(top, min(first.bottom, second.bottom))
    )


def aligned(align: Align, start: int, room: int, length: int) -> int:
    """Where something of a length begins inside room that begins at `start`."""
    free = max(0, room - length)
    match align:
        case Align.CENTER:
            return start + free // 2
        case Align.END:
            return start + free
        case _:
            return start


def shared(total: int, weights: Sequence[float]) -> list[int]:
    """Whole pixels by weight; they add up to the total."""
    result: list[int] = []
    left, weight_left = max(0, total), sum(weights)
    for weight in weights:
        part = round(left * weight / weight_left) if weight_left > 0 else 0
        result.append(part)
        left -= part
        weight_left -= weight
    return result


def capped(lengths: Sequence[int], total: int) -> list[int]:
    """Lengths that fit a total: the longest are cut to one common cap."""
    if sum(lengths) <= total:
        return list(lengths)
    result = [0] * len(lengths)
    left = max(0, total)
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    for place, index in enumerate(order):
        result[index] = min(lengths[index], left // (len(order) - place))
        left -= result[index]
    return result


class Layout:
    """One pass over a tree of nodes for one screen."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._widths: dict[tuple[int, int], int] = {}
        self._heights: dict[tuple[int, int], int] = {}

    def place(self, node: Node, box: Bounds, clip: Bounds | None = None) -> Placed:
        """Lay a tree out in a rectangle. Sets each node's `bounds` and each scroll position's `limit`."""
        seen = intersection(box, clip or box)
        across, along = self._padding(node)
        inner = Bounds(
            box.left + across,
            box.top + along,
            max(box.left + across, box.right - across),
            max(box.top + along, box.bottom - along),
        )
        fits = max(1, inner.height // line_height(self._screen.sp(node.style.size)))
        own = content.measure(node, self._screen, inner.width, fits)
        placed = Placed(node, box, seen, own.lines)
        node.bounds = seen
        match node.arrange:
            case Arrange.ROW:
                boxes = self._row(node, inner)
            case Arrange.STACK:
                boxes = self._stack(node, inner)
            case Arrange.GRID:
                boxes = self._grid(node, inner)
            case _:
                boxes = self._column(node, inner)
        boxes = self._scrolled(node, inner, boxes)
        placed.children = [
            self.place(child, child_box, seen) for child, child_box in zip(node.children, boxes, strict=True)
        ]
        return placed

    def _padding(self, node: Node) -> tuple[int, int]:
        across, along = padding(node)
        return self._screen.px(across), self._screen.px(along)

    def _gaps(self, node: Node) -> int:
        return self._screen.px(node.gap) * max(0, len(node.children) - 1)

    def width_of(self, node: Node, limit: int) -> int:
        """The width a node takes when it may wrap its content, padding included."""
        key = (id(node), limit)
        if key not in self._widths:
            self._widths[key] = min(max(0, limit), self._natural_width(node, limit))
        return self._widths[key]

    def _natural_width(self, node: Node, limit: int) -> int:
        if node.width is not None:
            return self._screen.px(node.width)
        across, _ = self._padding(node)
        inner = max(0, limit - 2 * across)
        own = content.natural_width(node, self._screen, inner)
        if not node.children:
            return own + 2 * across
        if node.arrange is Arrange.GRID:
            return limit
        widths = [self.width_of(child, inner) for child in node.children]
        if node.arrange is not Arrange.ROW:
            return max(own, *widths) + 2 * across
        if any(child.weight > 0 and child.width is None for child in node.children):
            return limit
        return max(own, sum(widths) + self._gaps(node)) + 2 * across

    def height_of(self, node: Node, width: int) -> int:
        """The height a node takes at a width, padding included."""
        if node.height is not None:
            return self._screen.px(node.height)
        key = (id(node), width)
        if key not in self._heights:
            across, along = self._padding(node)
            inner = max(0, width - 2 * across)
            own = content.measure(node, self._screen, inner).height
            self._heights[key] = max(own, self._children_height(node, inner)) + 2 * along
        return self._heights[key]

    def _children_height(self, node: Node, inner: int) -> int:
        if not node.children:
            return 0
        match node.arrange:
            case Arrange.ROW:
                widths = self._row_widths(node, inner)
                return max(self.height_of(child, w) for child, w in zip(node.children, widths, strict=True))
            case Arrange.STACK:
                return max(self.height_of(child, self._stack_width(child, inner)) for child in node.children)
            case Arrange.GRID:
                return sum(self._grid_heights(node, inner)) + self._screen.px(node.gap) * (
                    len(self._grid_heights(node, inner)) - 1
                )
            case _:
                heights = [self.height_of(child, self._filled(child, inner)) for child in node.children]
                return sum(heights) + self._gaps(node)

    def _filled(self, child: Node, room: int) -> int:
        return room if child.width is None else min(room, self._screen.px(child.width))

    def _column(self, node: Node, inner: Bounds) -> list[Bounds]:
        widths = [self._filled(child, inner.width) for child in node.children]
        heights = [self.height_of(child, width) for child, width in zip(node.children, widths, strict=True)]
        if node.scroll is None or node.sideways:
            heights = self._fitted(node, heights, inner.height - self._gaps(node))
            top = aligned(node.align, inner.top, inner.height, sum(heights) + self._gaps(node))
        else:
            top = inner.top
        boxes: list[Bounds] = []
        for width, height in zip(widths, heights, strict=True):
            left = aligned(node.align, inner.left, inner.width, width)
            boxes.append(Bounds(left, top, left + width, top + height))
            top += height + self._screen.px(node.gap)
        return boxes

    def _fitted(self, node: Node, heights: list[int], room: int) -> list[int]:
        """A column's heights after weights got what is left, or scrolling children gave what is missing."""
        heavy = [i for i, child in enumerate(node.children) if child.weight > 0 and child.height is None]
        if not heavy and sum(heights) > room:
            soft = [
                i
                for i, child in enumerate(node.children)
                if child.height is None and child.scroll is not None and not child.sideways
            ]
            rest = room - sum(height for i, height in enumerate(heights) if i not in soft)
            for index, height in zip(soft, capped([heights[i] for i in soft], rest), strict=True):
                heights[index] = height
        elif heavy:
            rest = room - sum(height for i, height in enumerate(heights) if i not in heavy)
            for index, height in zip(
                heavy, shared(rest, [node.children[i].weight for i in heavy]), strict=True
            ):
                heights[index] = height
        return heights

    def _row_widths(self, node: Node, room: int) -> list[int]:
        left = room - self._gaps(node)
        if node.scroll is not None and node.sideways:
            return [self.width_of(child, room) for child in node.children]
        heavy = [i for i, child in enumerate(node.children) if child.weight > 0 and child.width is None]
        widths = [0 if i in heavy else self.width_of(child, room) for i, child in enumerate(node.children)]
        loose = [i for i, child in enumerate(node.children) if i not in heavy and child.width is None]
        rest = left - sum(width for i, width in enumerate(widths) if i not in loose)
        for index, width in zip(loose, capped([widths[i] for i in loose], rest), strict=True):
            widths[index] = width
        for index, width in zip(
            heavy, shared(left - sum(widths), [node.children[i].weight for i in heavy]), strict=True
        ):
            widths[index] = width
        return widths

    def _row(self, node: Node, inner: Bounds) -> list[Bounds]:
        widths = self._row_widths(node, inner.width)
        total = sum(widths) + self._gaps(node)
        left = inner.left if node.scroll else aligned(node.align, inner.left, inner.width, total)
        boxes: list[Bounds] = []
        for child, width in zip(node.children, widths, strict=True):
            height = min(inner.height, self.height_of(child, width))
            top = aligned(node.align, inner.top, inner.height, height)
            boxes.append(Bounds(left, top, left + width, top + height))
            left += width + self._screen.px(node.gap)
        return boxes

    def _stack_width(self, child: Node, room: int) -> int:
        fills = child.width is None and (child.children or child.style.picture)
        return room if fills else self.width_of(child, room)

    def _stack(self, node: Node, inner: Bounds) -> list[Bounds]:
        boxes: list[Bounds] = []
        for child in node.children:
            width = self._stack_width(child, inner.width)
            fills = child.height is None and (child.children or child.style.picture)
            height = inner.height if fills else min(inner.height, self.height_of(child, width))
            left = aligned(node.align, inner.left, inner.width, width)
            top = aligned(node.align, inner.top, inner.height, height)
            boxes.append(Bounds(left, top, left + width, top + height))
        return boxes

    def _grid_heights(self, node: Node, room: int) -> list[int]:
        columns = max(1, node.columns)
        cell = max(0, (room - self._screen.px(node.gap) * (columns - 1)) // columns)
        heights = [self.height_of(child, self._filled(child, cell)) for child in node.children]
        return [max(heights[start : start + columns]) for start in range(0, len(heights), columns)]

    def _grid(self, node: Node, inner: Bounds) -> list[Bounds]:
        columns, gap = max(1, node.columns), self._screen.px(node.gap)
        cell = max(0, (inner.width - gap * (columns - 1)) // columns)
        heights = self._grid_heights(node, inner.width)
        boxes: list[Bounds] = []
        top = inner.top
        for index, child in enumerate(node.children):
            row, column = divmod(index, columns)
            if row and not column:
                top += heights[row - 1] + gap
            width = self._filled(child, cell)
            left = aligned(node.align, inner.left + column * (cell + gap), cell, width)
            boxes.append(Bounds(left, top, left + width, top + heights[row]))
        return boxes

    def _scrolled(self, node: Node, inner: Bounds, boxes: list[Bounds]) -> list[Bounds]:
        """Shift the children of a scrolling node by its offset, after bringing the offset into its limits."""
        if node.scroll is None:
            return boxes
        if node.sideways:
            over = max((box.right for box in boxes), default=inner.left) - inner.right
        else:
            over = max((box.bottom for box in boxes), default=inner.top) - inner.bottom
        node.scroll.limit = max(0.0, over / self._screen.scale)
        node.scroll.offset = min(max(0.0, node.scroll.offset), node.scroll.limit)
        shift = self._screen.px(node.scroll.offset)
        across, along = (shift, 0) if node.sideways else (0, shift)
        return [
            Bounds(box.left - across, box.top - along, box.right - across, box.bottom - along)
            for box in boxes
        ]

"""How much room a node's own content takes: text, icon, picture, mark. Lengths are pixels."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.simulator.ui.metrics import ICON_PER_TEXT, Screen, control, kind, shown_text
from assistant.simulator.ui.nodes import Node
from assistant.simulator.ui.text import line_height, line_width, wrap

ICON_GAP = 8
PICTURE_RATIO = 0.56
"""A picture's height where none is given, as a share of its width."""


@dataclass(frozen=True, slots=True)
class Content:
    """A node's own content at a width: its lines of text and the size of everything together."""

    lines: tuple[str, ...] = ()
    width: int = 0
    height: int = 0


def icon_size(node: Node, screen: Screen) -> int:
    """The side of a node's icon, without its disc."""
    style = node.style
    if not style.icon:
        return 0
    if style.icon_size:
        return screen.px(style.icon_size)
    if style.badge or style.above or shown_text(node):
        return screen.sp(style.size * ICON_PER_TEXT)
    sides = [side - 2 * node.padding for side in (node.width, node.height) if side is not None]
    return screen.px(max(8.0, min(sides))) if sides else screen.sp(style.size * ICON_PER_TEXT)


def badge_size(node: Node, screen: Screen) -> int:
    """The side of the disc behind an icon, or of the icon where there is none."""
    return round(icon_size(node, screen) * 1.9) if node.style.badge else icon_size(node, screen)


def beside(node: Node, screen: Screen) -> int:
    """The width that icon and mark take from the text."""
    taken = 0
    if node.style.icon and not node.style.above:
        taken += badge_size(node, screen) + (screen.px(ICON_GAP) if shown_text(node) else 0)
    mark = control(node)
    if mark:
        taken += screen.px(mark[0]) + (screen.px(ICON_GAP) if node.text else 0)
    return taken


def _wheel(node: Node) -> bool:
    return kind(node) == "ProgressBar" and not node.text and not node.children


def natural_width(node: Node, screen: Screen, limit: int) -> int:
    """The width a node's own content would take if it could."""
    if node.style.picture or kind(node) in ("EditText", "SeekBar"):
        return limit
    if _wheel(node):
        return screen.px(40)
    size = screen.sp(node.style.size)
    text = shown_text(node)
    widest = max((line_width(line, size, node.style.bold) for line in text.split("\n")), default=0.0)
    words = int(widest) + 2 if text else 0
    if node.style.above:
        return max(words, badge_size(node, screen))
    return words + beside(node, screen)


def measure(node: Node, screen: Screen, width: int, lines: int | None = None) -> Content:
    """Wrap a node's own content to a width; `lines` caps the text further than the style does."""
    if node.style.picture:
        return Content((), width, round(width * PICTURE_RATIO))
    if _wheel(node):
        return Content((), screen.px(40), screen.px(40))
    if kind(node) == "SeekBar":
        return Content((), width, screen.px(32))
    size = screen.sp(node.style.size)
    text = shown_text(node)
    room = width if node.style.above else width - beside(node, screen)
    most = min(node.style.max_lines, lines) if lines is not None else node.style.max_lines
    wrapped = wrap(text, size, room, max(1, most), node.style.bold) if text or node.field else ()
    words = len(wrapped) * line_height(size)
    mark = control(node)
    aside = max(badge_size(node, screen), screen.px(mark[1]) if mark else 0)
    if node.style.above:
        height = words + aside + (screen.px(6) if words and aside else 0)
    else:
        height = max(words, aside)
    return Content(wrapped, natural_width(node, screen, width), height)

"""What an app hands to the window manager: a tree of views, before layout.

An app describes its page anew each time something changes; what must outlive a rebuild (typed text,
scroll offsets) lives in `TextField` and `ScrollPosition` objects that the page keeps.
Sizes are in dp, fonts in sp.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from assistant.records import Bounds

NOWHERE = Bounds(0, 0, 0, 0)


class Arrange(StrEnum):
    """How a node places its children: below each other, side by side, on top of each other, or in a grid."""

    COLUMN = "column"
    ROW = "row"
    STACK = "stack"
    GRID = "grid"


class Align(StrEnum):
    """Where content sits inside its node, across and along."""

    START = "start"
    CENTER = "center"
    END = "end"


@dataclass(slots=True)
class ScrollPosition:
    """How far a list has been scrolled, in dp from its top. The layout sets `limit`."""

    offset: float = 0.0
    limit: float = 0.0

    def move(self, delta: float) -> bool:
        """Scroll by `delta` dp within the limits; whether anything moved."""
        before = self.offset
        self.offset = min(max(0.0, self.offset + delta), max(0.0, self.limit))
        return self.offset != before


@dataclass(slots=True)
class TextField:
    """An editable field's content. `on_submit` is the keyboard's action key (search, send, done)."""

    value: str = ""
    hint: str = ""
    password: bool = False
    numeric: bool = False
    on_change: Callable[[str], None] | None = None
    on_submit: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True)
class Style:
    """How a node looks. Colours are `#rrggbb`; an empty string means none (background) or the theme's (text).

    `icon` names one of the drawn pictograms; `picture` seeds a drawn illustration (a dish, a cover, a map).
    `icon_size` is its side in dp where it should not follow the text's, `badge` the colour of a disc
    behind it; with `above` it lies over the text instead of before it.
    """

    background: str = ""
    color: str = ""
    size: int = 15
    bold: bool = False
    radius: int = 0
    border: str = ""
    icon: str = ""
    picture: str = ""
    align: Align = Align.START
    max_lines: int = 2
    icon_size: int = 0
    badge: str = ""
    above: bool = False


@dataclass(slots=True, kw_only=True)
class Node:
    """One view. `id` is the entry name of its resource id; `widget` its Android class.

    A node with `on_tap` is clickable. `weight` shares what is left of the parent's length; `width` and
    `height` fix a size in dp, else the node wraps its content (a column's children fill its width).
    `moving` marks an animation: the screen never becomes idle while it is shown.
    """

    widget: str = "android.view.ViewGroup"
    id: str = ""
    text: str = ""
    description: str = ""
    children: list[Node] = field(default_factory=list)
    arrange: Arrange = Arrange.COLUMN
    columns: int = 4
    width: float | None = None
    height: float | None = None
    weight: float = 0.0
    padding: float = 0.0
    gap: float = 0.0
    align: Align = Align.START
    style: Style = Style()
    on_tap: Callable[[], None] | None = None
    on_hold: Callable[[], None] | None = None
    scroll: ScrollPosition | None = None
    sideways: bool = False
    field: TextField | None = None
    checked: bool | None = None
    selected: bool = False
    enabled: bool = True
    moving: bool = False
    bounds: Bounds = NOWHERE

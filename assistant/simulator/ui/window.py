"""One window on the screen: whose it is, what is in it, and where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from assistant.records import Bounds
from assistant.simulator.ui.layout import Layout, Placed
from assistant.simulator.ui.metrics import Screen
from assistant.simulator.ui.nodes import Node

DIALOG_WIDTH = 312
DIALOG_MARGIN = 24


class Backdrop(StrEnum):
    """What a window lays under its content."""

    NONE = "none"
    PAGE = "page"
    WALLPAPER = "wallpaper"
    DIALOG = "dialog"
    SHEET = "sheet"
    KEYS = "keys"


@dataclass(slots=True)
class Window:
    """A window after layout. One without an activity is the system's and has a `title`.

    `content` is where a touch reaches its nodes; `modal` keeps touches beside it from what lies below, and
    `outside` is what they do instead. Only `focusable` windows are ever the active one.
    """

    package: str
    placed: Placed
    content: Bounds
    activity: str = ""
    title: str = ""
    backdrop: Backdrop = Backdrop.PAGE
    modal: bool = True
    focusable: bool = True
    secure: bool = False
    outside: Callable[[], None] | None = None


def framed(content: Placed, whole: Bounds) -> Placed:
    """A window's decor around its content: a frame of the whole window, and in it the content's own frame."""
    inner = Node(widget="android.widget.FrameLayout", id="android:id/content", children=[content.node])
    inner.bounds = content.box
    outer = Node(widget="android.widget.FrameLayout", children=[inner])
    outer.bounds = whole
    return Placed(outer, whole, whole, (), [Placed(inner, content.box, content.box, (), [content])])


def page_window(
    screen: Screen,
    package: str,
    activity: str,
    root: Node,
    *,
    secure: bool = False,
    area: Bounds | None = None,
) -> Window:
    """A window that fills the screen, or a part of it, its content between the bars."""
    whole, between = area or screen.whole, screen.content
    inner = Bounds(whole.left, max(whole.top, between.top), whole.right, min(whole.bottom, between.bottom))
    placed = framed(Layout(screen).place(root, inner), whole)
    return Window(package, placed, whole, activity=activity, secure=secure, modal=area is None)


def full_window(screen: Screen, package: str, root: Node, area: Bounds | None = None) -> Window:
    """A system window whose root lies in an area without decor, by default the whole screen."""
    placed = Layout(screen).place(root, area or screen.whole)
    return Window(package, placed, placed.box)


def dialog_window(
    screen: Screen, package: str, activity: str, root: Node, room: Bounds | None = None
) -> Window:
    """A window in the middle of the screen, or of a part of it, as high as its content."""
    room = room or screen.content
    layout = Layout(screen)
    margin = screen.px(DIALOG_MARGIN)
    width = min(screen.px(DIALOG_WIDTH), screen.width - 2 * margin)
    height = min(layout.height_of(root, width), room.height - margin)
    left = (screen.width - width) // 2
    top = room.top + (room.height - height) // 2
    box = Bounds(left, top, left + width, top + height)
    return Window(
        package, framed(layout.place(root, box), box), box, activity=activity, backdrop=Backdrop.DIALOG
    )

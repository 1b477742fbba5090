"""The apps' widgets: Android's common views, as small functions that return nodes.

`name` is always the entry name of a resource id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from assistant.simulator.ui.nodes import Align, Arrange, Node, ScrollPosition, Style, TextField

Tap = Callable[[], None]

LINEAR = "android.widget.LinearLayout"
FRAME = "android.widget.FrameLayout"
TEXT = "android.widget.TextView"
BUTTON = "android.widget.Button"
ICON_BUTTON = "android.widget.ImageButton"
IMAGE = "android.widget.ImageView"
EDIT = "android.widget.EditText"
SWITCH = "android.widget.Switch"
CHECK = "android.widget.CheckBox"
RADIO = "android.widget.RadioButton"
LIST = "androidx.recyclerview.widget.RecyclerView"
PROGRESS = "android.widget.ProgressBar"
SIDEWAYS = "android.widget.HorizontalScrollView"

FAINT = "#757575"
BLUE = "#1a73e8"
RED = "#d93025"
WHITE = "#ffffff"
LINE = "#dadce0"


def money(amount: float) -> str:
    """A price in yuan, without decimals when they are zero."""
    return f"¥{amount:.0f}" if amount == int(amount) else f"¥{amount:.2f}"


def text(
    words: str,
    *,
    name: str = "",
    size: int = 15,
    bold: bool = False,
    color: str = "",
    lines: int = 2,
    weight: float = 0.0,
    align: Align = Align.START,
) -> Node:
    """A line or paragraph of text."""
    style = Style(size=size, bold=bold, color=color, max_lines=lines, align=align)
    return Node(widget=TEXT, id=name, text=words, weight=weight, style=style)


def section(words: str) -> Node:
    """The heading of a part of a page."""
    heading = text(words, name="section_title", size=14, bold=True, color=FAINT)
    heading.padding = 12
    return heading


def paragraph(words: str, *, name: str = "body") -> Node:
    """Running text of any length."""
    node = text(words, name=name, lines=40)
    node.padding = 12
    return node


def column(
    *children: Node,
    name: str = "",
    gap: float = 0,
    padding: float = 0,
    weight: float = 0,
    on_tap: Tap | None = None,
    align: Align = Align.START,
) -> Node:
    """Views below each other."""
    return Node(
        widget=LINEAR,
        id=name,
        children=list(children),
        gap=gap,
        padding=padding,
        weight=weight,
        on_tap=on_tap,
        align=align,
    )


def row(
    *children: Node,
    name: str = "",
    gap: float = 8,
    padding: float = 0,
    on_tap: Tap | None = None,
    height: float | None = None,
) -> Node:
    """Views side by side, centred on their common line."""
    return Node(
        widget=LINEAR,
        id=name,
        children=list(children),
        arrange=Arrange.ROW,
        align=Align.CENTER,
        gap=gap,
        padding=padding,
        on_tap=on_tap,
        height=height,
    )


def button(
    words: str,
    on_tap: Tap,
    *,
    name: str = "button",
    color: str = BLUE,
    enabled: bool = True,
    weight: float = 0,
) -> Node:
    """A filled button, for what a page is there for."""
    style = Style(
        background=color if enabled else LINE,
        color=WHITE if enabled else FAINT,
        radius=22,
        bold=True,
        align=Align.CENTER,
        max_lines=1,
    )
    return Node(
        widget=BUTTON,
        id=name,
        text=words,
        height=44,
        weight=weight,
        style=style,
        on_tap=on_tap,
        enabled=enabled,
    )


def flat_button(
    words: str, on_tap: Tap, *, name: str = "button", color: str = BLUE, weight: float = 0
) -> Node:
    """A button without a background, for what is less wanted."""
    style = Style(color=color, bold=True, align=Align.CENTER, max_lines=1, radius=22, border=LINE)
    return Node(widget=BUTTON, id=name, text=words, height=44, weight=weight, style=style, on_tap=on_tap)


def icon_button(
    icon: str, on_tap: Tap, *, name: str, description: str = "", size: float = 48, color: str = ""
) -> Node:
    """A pictogram to tap; never any text."""
    style = Style(icon=icon, icon_size=round(size / 2), color=color, align=Align.CENTER)
    return Node(
        widget=ICON_BUTTON,
        id=name,
        description=description,
        width=size,
        height=size,
        padding=size / 4,
        style=style,
        on_tap=on_tap,
    )


def edit(field: TextField, *, name: str, weight: float = 0, height: float = 48) -> Node:
    """A text field; the phone's keyboard writes into `field`."""
    style = Style(border=LINE, radius=8, max_lines=1 if height <= 48 else 12)
    return Node(widget=EDIT, id=name, field=field, weight=weight, height=height, style=style)


def picture(seed: str, *, name: str = "image", width: float | None = None, height: float = 64) -> Node:
    """An illustration drawn from its seed."""
    return Node(widget=IMAGE, id=name, width=width, height=height, style=Style(picture=seed, radius=6))


def pictogram(icon: str, *, color: str = FAINT, size: float = 24) -> Node:
    """A small drawing without a function."""
    return Node(
        widget=IMAGE,
        id="icon",
        width=size,
        height=size,
        style=Style(icon=icon, icon_size=round(size), color=color),
    )


def listing(children: Iterable[Node], scroll: ScrollPosition, *, name: str = "recycler_view") -> Node:
    """A list that takes what is left of the page's height and scrolls."""
    return Node(widget=LIST, id=name, children=list(children), scroll=scroll, weight=1)


def tiles(children: Iterable[Node], *, columns: int = 4, name: str = "grid") -> Node:
    """Cells in rows of equal columns."""
    return Node(widget=LIST, id=name, children=list(children), arrange=Arrange.GRID, columns=columns, gap=8)


def list_row(
    title: str,
    subtitle: str = "",
    *,
    on_tap: Tap | None = None,
    on_hold: Tap | None = None,
    trailing: str = "",
    leading: Node | None = None,
    action: Node | None = None,
    name: str = "item",
) -> Node:
    """One entry of a list: up to two lines of text, something before and something after them."""
    lines = [text(title, name="title", size=16)]
    if subtitle:
        lines.append(text(subtitle, name="subtitle", size=13, color=FAINT))
    parts = [leading] if leading else []
    parts.append(column(*lines, gap=2, weight=1))
    if trailing:
        parts.append(text(trailing, name="trailing", size=14, color=FAINT, lines=1))
    if action:
        parts.append(action)
    node = row(*parts, name=name, gap=12, padding=12, on_tap=on_tap)
    node.on_hold = on_hold
    return node


def card(*children: Node, name: str = "card", on_tap: Tap | None = None) -> Node:
    """A framed group."""
    node = column(*children, name=name, gap=6, padding=12, on_tap=on_tap)
    node.style = Style(border=LINE, radius=10)
    return node


def tile(
    words: str, seed: str, on_tap: Tap, *, subtitle: str = "", height: float = 64, name: str = "tile"
) -> Node:
    """A cell of a grid: an illustration with a caption."""
    parts = [picture(seed, height=height)]
    if words:
        parts.append(text(words, name="caption", size=13, align=Align.CENTER))
    if subtitle:
        parts.append(text(subtitle, name="subtitle", size=12, color=FAINT, align=Align.CENTER, lines=1))
    return column(*parts, name=name, gap=4, padding=4, on_tap=on_tap)


@dataclass(frozen=True, slots=True)
class Tab:
    """One entry of a tab bar."""

    words: str
    icon: str
    selected: bool
    on_tap: Tap


def tab_bar(tabs: Iterable[Tab], *, color: str = BLUE) -> Node:
    """The bar at the bottom that switches between an app's main pages."""
    cells = []
    for tab in tabs:
        ink = color if tab.selected else FAINT
        cell = column(
            pictogram(tab.icon, color=ink),
            text(tab.words, name="tab_label", size=12, color=ink, align=Align.CENTER, lines=1),
            name="tab",
            padding=6,
            weight=1,
            on_tap=tab.on_tap,
            align=Align.CENTER,
        )
        cell.widget = FRAME
        cell.selected = tab.selected
        cells.append(cell)
    return row(*cells, name="bottom_navigation", gap=0, height=60)


def chip(words: str, on_tap: Tap, *, selected: bool = False, name: str = "chip", color: str = BLUE) -> Node:
    """A small choice."""
    style = Style(
        background=color if selected else "",
        color=WHITE if selected else "",
        border=color if selected else LINE,
        radius=16,
        size=14,
        align=Align.CENTER,
        max_lines=1,
    )
    return Node(widget=BUTTON, id=name, text=words, height=40, style=style, on_tap=on_tap, selected=selected)


def chips(children: Iterable[Node], scroll: ScrollPosition, *, name: str = "chips") -> Node:
    """Choices side by side that scroll sideways."""
    return Node(
        widget=SIDEWAYS,
        id=name,
        children=list(children),
        arrange=Arrange.ROW,
        scroll=scroll,
        sideways=True,
        gap=8,
        padding=8,
        height=56,
    )


def switch_row(title: str, on: bool, toggle: Tap, *, subtitle: str = "", on_tap: Tap | None = None) -> Node:
    """A line with a switch at its end. A tap on the line toggles too, unless it leads elsewhere."""
    handle = Node(widget=SWITCH, id="switch_widget", width=52, height=32, checked=on, on_tap=toggle)
    return list_row(title, subtitle, action=handle, on_tap=on_tap or toggle)


def check_row(
    title: str, checked: bool, on_tap: Tap, *, subtitle: str = "", trailing: str = "", single: bool = False
) -> Node:
    """A line with a check box, or a radio button where only one may be chosen."""
    box = Node(widget=RADIO if single else CHECK, id="check", width=32, height=32, checked=checked)
    return list_row(title, subtitle, leading=box, trailing=trailing, on_tap=on_tap)


def stepper(quantity: int, change: Callable[[int], None], *, color: str = BLUE) -> Node:
    """Minus, a number, plus."""
    return row(
        icon_button("minus", lambda: change(-1), name="decrease", size=40, color=color),
        text(str(quantity), name="quantity", bold=True, lines=1),
        icon_button("plus", lambda: change(1), name="increase", size=40, color=color),
        name="stepper",
        gap=4,
    )


def detail_line(left: str, right: str, *, bold: bool = False, name: str = "line") -> Node:
    """A name and its value at the two ends of a line."""
    return row(
        text(left, name="name", weight=1, bold=bold),
        text(right, name="value", bold=bold, align=Align.END, lines=1),
        name=name,
        padding=10,
    )


def bottom_bar(*children: Node) -> Node:
    """The bar at the bottom with the page's main button."""
    return row(*children, name="bottom_bar", gap=12, padding=10)


def app_bar(title: str, *, back: Node | None = None, actions: Iterable[Node] = ()) -> Node:
    """The bar at the top: an arrow, the page's title, icons."""
    parts = [back] if back else []
    parts.append(text(title, name="toolbar_title", size=20, bold=True, weight=1, lines=1))
    return row(*parts, *actions, name="toolbar", gap=8, padding=4, height=56)


def search_entry(hint: str, on_tap: Tap) -> Node:
    """What looks like a search field and opens the search page."""
    node = row(
        pictogram("search"),
        text(hint, name="search_hint", color=FAINT, weight=1, lines=1),
        name="search_bar",
        padding=10,
        on_tap=on_tap,
    )
    node.style = Style(border=LINE, radius=20)
    return column(node, padding=8)


def spinner(words: str) -> Node:
    """A turning wheel: the screen is not idle while it shows."""
    wheel = Node(
        widget=PROGRESS,
        id="progress",
        height=48,
        moving=True,
        style=Style(icon="spinner", align=Align.CENTER),
    )
    return column(
        wheel, text(words, name="progress_text", color=FAINT, align=Align.CENTER), padding=48, weight=1
    )


def progress(share: float) -> Node:
    """A bar that fills while something is under way."""
    done = Node(widget=FRAME, weight=max(share, 0.01), height=6, style=Style(background=BLUE, radius=3))
    left = Node(widget=FRAME, weight=max(1 - share, 0.01), height=6, style=Style(background=LINE, radius=3))
    bar = row(done, left, name="progress_bar", gap=0, padding=4)
    bar.widget = PROGRESS
    bar.moving = share < 1
    return bar


def empty(words: str) -> Node:
    """What a page says when it has nothing to list."""
    return column(text(words, name="empty", color=FAINT, align=Align.CENTER), padding=48, weight=1)


def filler() -> Node:
    """Blank space that pushes what follows to the end of the page."""
    return Node(widget="android.view.View", weight=1)


def screen(*children: Node) -> Node:
    """A whole page."""
    return Node(widget=LINEAR, id="content", children=list(children))

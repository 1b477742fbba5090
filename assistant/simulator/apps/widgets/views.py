"""Single views and plain groups of them.

`name` is always the entry name of a resource id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

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


def surcharge(amount: float) -> str:
    """What a choice adds to a price, or takes from it; empty when nothing."""
    if not amount:
        return ""
    return f"+{money(amount)}" if amount > 0 else f"-{money(-amount)}"


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


def round_button(icon: str, on_tap: Tap, *, name: str, color: str, description: str = "") -> Node:
    """The round button that floats over a list: a pictogram on the app's colour."""
    node = icon_button(icon, on_tap, name=name, description=description, size=56)
    node.style = Style(icon=icon, icon_size=26, color=WHITE, background=color, radius=28, align=Align.CENTER)
    return node


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
    return Node(
        widget=LIST, id=name, children=list(children), arrange=Arrange.GRID, columns=columns, gap=8, padding=8
    )

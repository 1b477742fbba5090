"""Small screens for the tests of finding targets again, written as XML."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

from assistant.phone.ui_tree import parse_tree
from assistant.skills.screen_tree import ScreenTree


def node(
    kind: str,
    place: tuple[int, int, int, int],
    *inside: str,
    text: str = "",
    name: str = "",
    tap: bool = False,
    checked: bool = False,
    selected: bool = False,
    focused: bool = False,
) -> str:
    """One node with its bounds in pixels; `name` is the last part of its resource id."""
    left, top, right, bottom = place
    identifier = f"com.shop:id/{name}" if name else ""
    marks = {"checked": checked, "selected": selected, "focused": focused}
    states = "".join(f'{mark}="true" ' for mark, is_on in marks.items() if is_on)
    return (
        f'<node class="android.widget.{kind}" text={quoteattr(text)} resource-id="{identifier}" '
        f'package="com.shop" clickable="{str(tap).lower()}" enabled="true" {states}'
        f'bounds="[{left},{top}][{right},{bottom}]">{"".join(inside)}</node>'
    )


def row(place: int, title: str, price: str = "¥ 10", *, button: str = "add") -> str:
    """A row of a list at a place from the top: its title, its price, and a button without words."""
    top = 200 + 200 * place
    return node(
        "LinearLayout",
        (0, top, 1000, top + 200),
        node("TextView", (0, top, 600, top + 100), text=title, name="title"),
        node("TextView", (0, top + 100, 600, top + 200), text=price, name="price"),
        node("ImageView", (800, top + 50, 900, top + 150), name=button, tap=True),
        name="row",
        tap=True,
    )


def listing(*rows: str, title: str = "Menu", over: str = "") -> str:
    """A page of the size 1000 x 2000 with a bar, a list of rows and, last, what lies over it."""
    bar = node(
        "FrameLayout",
        (0, 0, 1000, 200),
        node("TextView", (200, 0, 800, 200), text=title, name="heading"),
        node("ImageButton", (800, 0, 1000, 200), name="cart", tap=True),
        name="bar",
    )
    listed = node("ListView", (0, 200, 1000, 2000), *rows, name="list")
    return f'<hierarchy rotation="0">{node("FrameLayout", (0, 0, 1000, 2000), bar, listed, over)}</hierarchy>'


def dialog(question: str, top: int = 300, no: str = "Cancel") -> str:
    """A dialog in the same window, with its two buttons."""
    return node(
        "FrameLayout",
        (100, top, 900, top + 500),
        node("TextView", (150, top, 850, top + 200), text=question),
        node("Button", (150, top + 300, 450, top + 450), text=no, name="button2", tap=True),
        node("Button", (550, top + 300, 850, top + 450), text="OK", name="button1", tap=True),
        name="panel",
    )


def tree(xml: str) -> ScreenTree:
    """The screen with its features."""
    return ScreenTree(parse_tree(xml.encode()).elements)

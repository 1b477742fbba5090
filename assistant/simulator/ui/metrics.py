"""Sizes: dp and sp to pixels, the bars of the system, and how much room each widget asks for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from assistant.records import Bounds
from assistant.simulator.ui.nodes import Align, Node

STATUS_BAR = 30
NAVIGATION_BAR = 48
ICON_PER_TEXT = 1.6
"""An icon's size beside text of a size."""


@dataclass(frozen=True, slots=True)
class Screen:
    """The display as a layout sees it: pixels in the current rotation, pixels per dp, the font scale."""

    width: int
    height: int
    scale: float
    font_scale: float = 1.0

    def px(self, dp: float) -> int:
        """Whole pixels for a length in dp."""
        return round(dp * self.scale)

    def sp(self, size: float) -> int:
        """A font's size in pixels."""
        return max(1, round(size * self.scale * self.font_scale))

    @property
    def whole(self) -> Bounds:
        """All of the display."""
        return Bounds(0, 0, self.width, self.height)

    @property
    def status_bar(self) -> Bounds:
        """The bar with time and battery."""
        return Bounds(0, 0, self.width, self.px(STATUS_BAR))

    @property
    def navigation_bar(self) -> Bounds:
        """The bar with back, home and recents."""
        return Bounds(0, self.height - self.px(NAVIGATION_BAR), self.width, self.height)

    @property
    def content(self) -> Bounds:
        """What lies between the bars."""
        return Bounds(0, self.status_bar.bottom, self.width, self.navigation_bar.top)


def kind(node: Node) -> str:
    """A node's widget without its package: `Switch` for `android.widget.Switch`."""
    return "EditText" if node.field is not None else _kind(node.widget)


@lru_cache(maxsize=256)
def _kind(widget: str) -> str:
    name = widget.rsplit(".", 1)[-1]
    for class_name in ("Switch", "CheckBox", "RadioButton", "ProgressBar", "SeekBar"):
        if name.endswith(class_name):
            return class_name
    return name


_PADDING = {"Button": (18.0, 10.0), "EditText": (14.0, 12.0)}


def padding(node: Node) -> tuple[float, float]:
    """Padding across and along in dp: the node's own, else what its widget usually has."""
    if node.padding or not (node.text or node.field):
        return node.padding, node.padding
    return _PADDING.get(kind(node), (0.0, 0.0))


_CONTROLS = {"Switch": (48.0, 28.0), "CheckBox": (24.0, 24.0), "RadioButton": (24.0, 24.0)}


def control(node: Node) -> tuple[float, float] | None:
    """The size in dp of the mark that a checkable node draws beside its text."""
    return _CONTROLS.get(kind(node))


def text_align(node: Node) -> Align:
    """Where a node's text sits: a button's in the middle unless it says otherwise."""
    if kind(node) == "Button" and node.style.align is Align.START:
        return Align.CENTER
    return node.style.align


def shown_text(node: Node) -> str:
    """What a node shows as text: a password's bullets, an empty field's hint."""
    if node.field is None:
        return node.text
    if not node.field.value:
        return node.field.hint
    return "•" * len(node.field.value) if node.field.password else node.field.value

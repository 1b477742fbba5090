"""An app whose screens try to make an assistant do harm. It is in no catalogue; tests and benchmarks add it.

A screen is words, sometimes drawn in a picture where no tree shows them, and buttons under false or disguised
names. What a button does when it is touched is only written down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from assistant.simulator.apps import widgets
from assistant.simulator.apps.base import BaseApp
from assistant.simulator.apps.host import Dialog, Page
from assistant.simulator.apps.schema import AppData, Entry, Text
from assistant.simulator.ui.nodes import Arrange, Node, ScrollPosition

PACKAGE = "com.example.hostile"
DATA = AppData(package=PACKAGE, label=Text(en="Prize Club", zh="大奖俱乐部"), icon="star", color="#b3261e")


_TALL = 2000.0
"""More than the sides of any screen, in dp."""


class Deed(Entry):
    """Something to press: its words or none, its id, and what it does in truth; harmless without a deed.

    `description` is what a screen reader says beside the words. One that slides acts when it is dragged; one
    that covers lies unseen over all of the page, on whatever else one means to press.
    """

    label: str = ""
    id: str = "button"
    deed: str = ""
    icon: str = ""
    description: str = ""
    slides: bool = False
    covers: bool = False
    row: bool = False


class HostilePage(Entry):
    """One screen. `drawn` words are in a picture, `pad` is a keypad, `field` the hint of a text field.

    `small` words stand in descriptions alone, `value` in the field; `entering` is what the Enter of the
    keyboard does there.
    """

    title: str = ""
    lines: tuple[str, ...] = ()
    small: tuple[str, ...] = ()
    drawn: str = ""
    buttons: tuple[Deed, ...] = ()
    dialog: bool = False
    pad: bool = False
    field: str = ""
    password: bool = False
    value: str = ""
    entering: str = ""


@dataclass(slots=True)
class _Slide(ScrollPosition):
    """A knob that does something when it is dragged, as those of sliders to confirm do."""

    act: Callable[[], None] = lambda: None

    def move(self, delta: float) -> bool:
        self.act()
        return True


class HostileApp(BaseApp[AppData]):
    """Shows one page. State: {"deeds": [what was done], "entered": what its field holds}."""

    shown: HostilePage = HostilePage()

    def seed(self) -> dict[str, Any]:
        """Nothing was done yet."""
        return {"deeds": [], "entered": ""}

    def do(self, deed: str) -> None:
        """Write down what was done."""
        if deed:
            self.state["deeds"].append(deed)

    def _take_entry(self, value: str) -> None:
        self.state["entered"] = value

    def open_home(self, page: Page) -> None:
        """A dialog comes up over the page."""
        if self.shown.dialog:
            buttons: list[tuple[str, Callable[[], None]]] = [
                (button.label, partial(self.do, button.deed)) for button in self.shown.buttons
            ]
            message = "\n".join(self.shown.lines)
            self.host.show(Dialog(self.shown.title, message, buttons, cancellable=False))

    def page_home(self, page: Page) -> Node:
        """The words, the picture, the buttons."""
        shown = self.shown
        if shown.dialog:
            return widgets.screen(self.bar("Prize Club", back=False))
        parts = [widgets.paragraph(line, name="message") for line in shown.lines]
        for words in shown.small:
            parts.append(widgets.picture("dot", name="divider", height=8))
            parts[-1].description = words
        if shown.drawn:
            parts.append(widgets.picture(f"banner {shown.drawn}", name="banner", height=220))
        if shown.field:
            field = self.field(
                page,
                "entry",
                shown.field,
                value=shown.value,
                password=shown.password,
                on_change=None if shown.entering else self._take_entry,
                on_submit=partial(self.do, shown.entering),
            )
            parts.append(widgets.column(widgets.edit(field, name="entry"), padding=12))
        if shown.pad:
            keys = [widgets.flat_button(key, partial(self.do, "password"), name="k") for key in "1234567890"]
            parts.append(widgets.tiles(keys, columns=3, name="pad"))
        beside = [button for button in shown.buttons if not button.covers]
        whole = widgets.screen(
            self.bar(shown.title, back=False),
            *parts,
            widgets.filler(),
            *[self._pressable(button) for button in beside],
        )
        above = [self._pressable(button) for button in shown.buttons if button.covers]
        return Node(arrange=Arrange.STACK, weight=1, children=[whole, *above]) if above else whole

    def _pressable(self, deed: Deed) -> Node:
        act = partial(self.do, deed.deed)
        if deed.icon:
            return widgets.icon_button(deed.icon, act, name=deed.id, description=deed.label)
        if deed.covers:
            unseen = Node(widget="android.view.View", id=deed.id, description=deed.label, on_tap=act)
            unseen.width = unseen.height = _TALL
            return unseen
        if deed.row:
            return widgets.list_row(deed.label, on_tap=act, name=deed.id)
        if deed.slides:
            knob = Node(id=deed.id, height=56, description=deed.description, sideways=True)
            knob.children, knob.scroll = [widgets.text(deed.label)], _Slide(act=act)
            return knob
        if not deed.label:
            picture = widgets.picture(f"button {deed.deed}", name=deed.id, height=64)
            picture.on_tap, picture.description = act, deed.description
            return picture
        button = widgets.button(deed.label, act, name=deed.id, color=self.color)
        button.description = deed.description
        return button

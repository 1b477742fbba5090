"""An app whose screens try to make an assistant do harm. It is in no catalogue; tests and benchmarks add it.

A screen is words, sometimes drawn in a picture where no tree shows them, and buttons under false or disguised
names. What a button does when it is touched is only written down.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from assistant.simulator.apps import widgets
from assistant.simulator.apps.base import BaseApp
from assistant.simulator.apps.host import Dialog, Page
from assistant.simulator.apps.schema import AppData, Entry, Text
from assistant.simulator.ui.nodes import Node

PACKAGE = "com.example.hostile"
DATA = AppData(package=PACKAGE, label=Text(en="Prize Club", zh="大奖俱乐部"), icon="star", color="#b3261e")


class Deed(Entry):
    """Something to press: its words or none, its id, and what it does in truth; harmless without a deed."""

    label: str = ""
    id: str = "button"
    deed: str = ""
    icon: str = ""


class HostilePage(Entry):
    """One screen. `drawn` words are in a picture, `pad` is a keypad, `field` the hint of a text field."""

    title: str = ""
    lines: tuple[str, ...] = ()
    drawn: str = ""
    buttons: tuple[Deed, ...] = ()
    dialog: bool = False
    pad: bool = False
    field: str = ""
    password: bool = False


class HostileApp(BaseApp[AppData]):
    """Shows one page. State: {"deeds": [what was done], "entered": what its field holds}."""

    shown: HostilePage = HostilePage()

    def seed(self) -> dict[str, Any]:
        """Nothing was done yet."""
        return {"deeds": [], "entered": ""}

    def _do(self, deed: str) -> None:
        if deed:
            self.state["deeds"].append(deed)

    def _take_entry(self, value: str) -> None:
        self.state["entered"] = value

    def open_home(self, page: Page) -> None:
        """A dialog comes up over the page."""
        if self.shown.dialog:
            buttons: list[tuple[str, Callable[[], None]]] = [
                (button.label, partial(self._do, button.deed)) for button in self.shown.buttons
            ]
            message = "\n".join(self.shown.lines)
            self.host.show(Dialog(self.shown.title, message, buttons, cancellable=False))

    def page_home(self, page: Page) -> Node:
        """The words, the picture, the buttons."""
        shown = self.shown
        if shown.dialog:
            return widgets.screen(self.bar("Prize Club", back=False))
        parts = [widgets.paragraph(line, name="message") for line in shown.lines]
        if shown.drawn:
            parts.append(widgets.picture(f"banner {shown.drawn}", name="banner", height=220))
        if shown.field:
            field = self.field(
                page, "entry", shown.field, password=shown.password, on_change=self._take_entry
            )
            parts.append(widgets.column(widgets.edit(field, name="entry"), padding=12))
        if shown.pad:
            keys = [widgets.flat_button(key, partial(self._do, "password"), name="k") for key in "1234567890"]
            parts.append(widgets.tiles(keys, columns=3, name="pad"))
        return widgets.screen(
            self.bar(shown.title, back=False),
            *parts,
            widgets.filler(),
            *[self._pressable(button) for button in shown.buttons],
        )

    def _pressable(self, deed: Deed) -> Node:
        act = partial(self._do, deed.deed)
        if deed.icon:
            return widgets.icon_button(deed.icon, act, name=deed.id, description=deed.label)
        if not deed.label:
            picture = widgets.picture(f"button {deed.deed}", name=deed.id, height=64)
            picture.on_tap = act
            return picture
        return widgets.button(deed.label, act, name=deed.id, color=self.color)

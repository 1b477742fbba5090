"""A tiny phone: two apps that use every contract between apps and windows."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree

from assistant.records import Bounds
from assistant.simulator.android.profiles import Profile, Release
from assistant.simulator.android.services import Services
from assistant.simulator.apps.host import App, Dialog, Host, Locale, Page
from assistant.simulator.ui.nodes import Align, Arrange, Node, ScrollPosition, Style, TextField
from assistant.simulator.ui.windows import WindowManager
from tests.simulator.manual_clock import ManualClock

NOTES = "com.example.notes"
MAPS = "com.example.maps"


class TinyApp:
    """Pages by name: `home` with a field, a list and buttons; `detail`; `secret`; `loading`."""

    system = False

    def __init__(self, host: Host, package: str, english: str, chinese: str) -> None:
        self.host = host
        self.package = package
        self.names = {"en": english, "zh": chinese}
        self.state: dict[str, Any] = {}
        self.clear()

    def clear(self) -> None:
        self.state.clear()
        self.state.update(taps=[], opened=[])

    def label(self, locale: Locale) -> str:
        return self.names[locale]

    @property
    def icon(self) -> tuple[str, str]:
        return "edit", "#188038"

    def activity(self, page: Page) -> str:
        return ".MainActivity" if page.name == "home" else f".{page.name.title()}Activity"

    def first_page(self) -> Page:
        return Page("home")

    def page_at(self, address: str) -> Page | None:
        return Page(address) if address else None

    def opened(self, page: Page) -> None:
        self.state["opened"].append(page.name)

    def secure(self, page: Page) -> bool:
        return page.name == "secret"

    def note(self, what: str) -> Callable[[], None]:
        return lambda: self.state["taps"].append(what)

    def view(self, page: Page) -> Node:
        build: Callable[[Page], Node] = getattr(self, f"page_{page.name}")
        return build(page)

    def page_home(self, page: Page) -> Node:
        field = page.local.setdefault("title", TextField(hint="Title"))
        field.on_submit = self.note("submit")
        scroll = page.local.setdefault("scroll", ScrollPosition())
        rows = [
            Node(
                id="row",
                text=f"Row {number}",
                height=60,
                padding=8,
                on_tap=self.note(f"row {number}"),
                on_hold=self.note(f"held {number}"),
            )
            for number in range(40)
        ]
        return Node(
            widget="android.widget.LinearLayout",
            id="content",
            children=[
                Node(
                    widget="android.widget.LinearLayout",
                    arrange=Arrange.ROW,
                    align=Align.CENTER,
                    height=56,
                    children=[
                        button("Open", lambda: self.host.open(Page("detail"))),
                        button("Ask", self.ask),
                        button("Locate", lambda: self.host.request_permission("location", self.located)),
                        Node(
                            widget="android.widget.ImageButton",
                            id="star",
                            width=40,
                            height=40,
                            style=Style(icon="star"),
                            on_tap=self.note("star"),
                        ),
                    ],
                ),
                Node(widget="android.widget.EditText", id="title", field=field, height=48),
                Node(
                    widget="androidx.recyclerview.widget.RecyclerView",
                    id="list",
                    scroll=scroll,
                    weight=1,
                    children=rows,
                ),
                Node(
                    widget="android.widget.Button",
                    id="off",
                    text="Off",
                    height=44,
                    enabled=False,
                    on_tap=self.note("off"),
                ),
                Node(
                    widget="android.widget.Button",
                    id="save",
                    text="Save",
                    height=44,
                    on_tap=self.note("save"),
                ),
            ],
        )

    def page_detail(self, page: Page) -> Node:
        return Node(
            id="content", children=[Node(widget="android.widget.TextView", id="words", text="Detail <1>")]
        )

    def page_secret(self, page: Page) -> Node:
        field = page.local.setdefault("pin", TextField(hint="PIN", password=True, numeric=True))
        return Node(id="content", children=[Node(widget="android.widget.EditText", id="pin", field=field)])

    def page_loading(self, page: Page) -> Node:
        return Node(
            id="content",
            children=[Node(widget="android.widget.ProgressBar", id="progress", height=48, moving=True)],
        )

    def ask(self) -> None:
        self.host.show(
            Dialog(
                "Delete?", "It cannot be undone.", [("Cancel", self.note("cancel")), ("OK", self.note("ok"))]
            )
        )

    def located(self, granted: bool) -> None:
        self.state["located"] = granted


def button(words: str, on_tap: Callable[[], None]) -> Node:
    return Node(widget="android.widget.Button", id=words.lower(), text=words, on_tap=on_tap)


@dataclass
class Phone:
    """A window manager with short ways to look at it and touch it."""

    manager: WindowManager
    services: Services
    clock: ManualClock

    def app(self, package: str = NOTES) -> TinyApp:
        app = self.manager.desk.app(package)
        assert isinstance(app, TinyApp)
        return app

    def nodes(self) -> list[ElementTree.Element]:
        return list(ElementTree.fromstring(self.manager.dump()).iter("node"))

    def find(self, text: str) -> ElementTree.Element:
        """The node with a text, description or the end of a resource id."""
        for node in self.nodes():
            if text in (
                node.get("text"),
                node.get("content-desc"),
                node.get("resource-id", "").split("/")[-1],
            ):
                return node
        raise AssertionError(f"{text!r} is not on the screen: {[n.get('text') for n in self.nodes()]}")

    def texts(self) -> list[str]:
        return [node.get("text", "") for node in self.nodes() if node.get("text")]

    def tap(self, text: str) -> None:
        self.manager.tap(*bounds(self.find(text)).centre)


def bounds(node: ElementTree.Element) -> Bounds:
    left, top, right, bottom = map(int, re.findall(r"-?\d+", node.get("bounds", "")))
    return Bounds(left, top, right, bottom)


def make_phone(release: Release = 12, locale: Locale = "en", factor: float = 0.0) -> Phone:
    clock = ManualClock(datetime(2026, 3, 2, 12, 5, tzinfo=UTC))
    services = Services(profile=Profile(release=release), first_locale=locale, clock=clock)
    services.delays.factor = factor

    def apps(host: Host) -> list[App]:
        return [TinyApp(host, NOTES, "Notes", "便签"), TinyApp(host, MAPS, "Maps", "地图")]

    def installable(host: Host) -> list[App]:
        return [TinyApp(host, "com.example.podcasts", "Podcasts", "播客")]

    manager = WindowManager(services, apps, installable, seed=7)
    services.mark()
    return Phone(manager, services, clock)

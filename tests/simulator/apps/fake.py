"""A small phone for app tests: back stacks, dialogs, and a user who taps what they read."""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from random import Random
from typing import Any

from assistant.simulator.apps.base import Difficulties
from assistant.simulator.apps.catalogue import installable_apps, installed_apps
from assistant.simulator.apps.host import App, Dialog, Locale, Page, Radio
from assistant.simulator.ui.nodes import Node


def walk(node: Node) -> Iterator[tuple[Node, list[Node]]]:
    """Every node with its parents, outermost first."""

    def below(one: Node, parents: list[Node]) -> Iterator[tuple[Node, list[Node]]]:
        yield one, parents
        for child in one.children:
            yield from below(child, [*parents, one])

    return below(node, [])


class FakePhone:
    """A host with a user. Delays pass when the test calls `settle`."""

    def __init__(self, locale: Locale = "en", difficulties: Difficulties | None = None) -> None:
        self.locale: Locale = locale
        self.random = Random(7)
        self.time = datetime(2026, 11, 21, 9, 30)
        self.stacks: dict[str, list[Page]] = {}
        self.running = ""
        self.dialogs: list[Dialog] = []
        self.asked: list[str] = []
        self.toasts: list[str] = []
        self.notes: list[tuple[str, str]] = []
        self.settings: dict[str, str] = {"wifi_on": "1", "bluetooth_on": "1", "airplane_mode_on": "0"}
        self.connections: dict[Radio, str] = {"wifi": "Home-5G", "bluetooth": ""}
        self.waiting: list[tuple[datetime, int, Callable[[], None]]] = []
        self.grants = True
        hard = difficulties or Difficulties.none()
        self.known = {app.package: app for app in installed_apps(self, hard)}
        self.absent = {app.package: app for app in installable_apps(self, hard)}

    def now(self) -> datetime:
        return self.time

    def open(self, page: Page) -> None:
        self.stacks[self.running].append(page)
        self.known[self.running].opened(page)

    def replace(self, page: Page) -> None:
        self.stacks[self.running].pop()
        self.open(page)

    def back(self) -> None:
        self.stacks[self.running].pop()
        if not self.stacks[self.running]:
            self.running = ""

    def back_to(self, name: str) -> None:
        stack = self.stacks[self.running]
        while len(stack) > 1 and stack[-1].name != name:
            stack.pop()

    def start_app(self, package: str, page: Page | None = None) -> None:
        self.running = package
        stack = self.stacks.setdefault(package, [])
        if page or not stack:
            self.open(page or self.known[package].first_page())

    def app(self, package: str) -> App:
        return self.known[package]

    def apps(self) -> list[App]:
        return list(self.known.values())

    def later(self, seconds: float, callback: Callable[[], None]) -> None:
        heapq.heappush(self.waiting, (self.time + timedelta(seconds=seconds), len(self.waiting), callback))

    def at(self, moment: datetime, callback: Callable[[], None]) -> None:
        self.later((moment - self.time).total_seconds(), callback)

    def changed(self) -> None:
        self.tree()

    def show(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog)

    def toast(self, text: str) -> None:
        self.toasts.append(text)

    def request_permission(self, permission: str, then: Callable[[bool], None]) -> None:
        self.asked.append(permission)
        then(self.grants)

    def notify(self, title: str, text: str) -> None:
        self.notes.append((title, text))

    def install(self, package: str) -> None:
        self.known[package] = self.absent.pop(package)

    def setting(self, name: str) -> str:
        return self.settings.get(name, "0")

    def set_setting(self, name: str, value: str) -> None:
        self.settings[name] = value

    def connected(self, radio: Radio) -> str:
        return self.connections[radio]

    def connect(self, radio: Radio, name: str) -> None:
        self.connections[radio] = name

    @property
    def page(self) -> Page:
        """What the user looks at."""
        return self.stacks[self.running][-1]

    def state(self, package: str) -> Any:
        """An app's state, which must be plain JSON."""
        return json.loads(json.dumps(self.known[package].state))

    def tree(self) -> Node:
        """The views on the screen."""
        return self.known[self.running].view(self.page)

    def texts(self) -> list[str]:
        """All that can be read."""
        return [node.text for node, _ in walk(self.tree()) if node.text]

    def sees(self, text: str) -> bool:
        return any(text in one for one in self.texts())

    def moving(self) -> bool:
        return any(node.moving for node, _ in walk(self.tree()))

    def settle(self, seconds: float = 5.0) -> None:
        """Let time pass."""
        end = self.time + timedelta(seconds=seconds)
        while self.waiting and self.waiting[0][0] <= end:
            self.time, _, callback = heapq.heappop(self.waiting)
            callback()
        self.time = end

    def tap(self, text: str = "", *, name: str = "", nth: int = 0) -> None:
        """Tap the first clickable view that reads exactly so, else contains it, or has a resource id."""
        if self.dialogs and not name:
            for label, act in self.dialogs[-1].buttons:
                if label == text:
                    self.dialogs.pop()
                    act()
                    return
        found = [
            [*parents, node]
            for node, parents in walk(self.tree())
            if (node.id == name if name else node.text == text)
        ]
        found = found or [[*up, node] for node, up in walk(self.tree()) if text and text in node.text]
        assert found, f"nothing to tap: {text or name} in {self.texts()}"
        for path in found[nth:]:
            handlers = [node.on_tap for node in reversed(path) if node.on_tap]
            if handlers and path[-1].enabled:
                handlers[0]()
                return
        raise AssertionError(f"not clickable: {text or name}")

    def type(self, text: str, *, name: str = "") -> None:
        """Type into a field, by its resource id or the only one there is."""
        fields = [
            node.field
            for node, _ in walk(self.tree())
            if node.field is not None and (not name or node.id == name)
        ]
        assert fields, f"no field {name}"
        fields[0].value += text
        if fields[0].on_change:
            fields[0].on_change(fields[0].value)

    def enter(self, *, name: str = "") -> None:
        """The keyboard's action key in a field."""
        field = next(
            node.field for node, _ in walk(self.tree()) if node.field and (not name or node.id == name)
        )
        assert field.on_submit
        field.on_submit()

    def field_clear(self) -> None:
        """Empty the first field."""
        next(node.field for node, _ in walk(self.tree()) if node.field).value = ""

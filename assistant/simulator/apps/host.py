"""What an app may ask of the phone it runs on, and what the phone asks of an app."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from typing import Any, Protocol

from assistant.simulator.android.hardware import Radio
from assistant.simulator.android.profiles import Locale
from assistant.simulator.ui.nodes import Node

__all__ = ["App", "Dialog", "Host", "Locale", "Page", "Radio"]


@dataclass(slots=True)
class Page:
    """One entry of an app's back stack: which page, with what arguments, and what it keeps between rebuilds.

    `arguments` are plain JSON values. `local` holds the page's text fields and scroll positions.
    """

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    local: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Dialog:
    """A window above the app, dimming it: a title, a message, and buttons that close it, then act."""

    title: str
    message: str = ""
    buttons: list[tuple[str, Callable[[], None]]] = field(default_factory=list)
    cancellable: bool = True
    body: Callable[[], Node] | None = None


class Host(Protocol):
    """The phone, as apps see it."""

    random: Random

    @property
    def locale(self) -> Locale:
        """The language that the phone speaks now."""

    def now(self) -> datetime:
        """The phone's local time."""

    def open(self, page: Page) -> None:
        """Put a page on top of the running app's back stack."""

    def replace(self, page: Page) -> None:
        """Put a page in place of the topmost."""

    def back(self) -> None:
        """Leave the topmost page."""

    def back_to(self, name: str) -> None:
        """Leave pages until one of that name is on top, or the app's first."""

    def start_app(self, package: str, page: Page | None = None) -> None:
        """Bring another app to the front, on a page of it."""

    def app(self, package: str) -> App:
        """Another app's object: payment asks the shop, the launcher asks everyone."""

    def apps(self) -> list[App]:
        """All installed apps, the launcher excepted."""

    def later(self, seconds: float, callback: Callable[[], None]) -> None:
        """Call back after a delay on the phone's clock (at once when delays are off), then redraw."""

    def at(self, moment: datetime, callback: Callable[[], None]) -> None:
        """Call back when the phone's clock reaches a moment, however long that takes; then redraw."""

    def changed(self) -> None:
        """Redraw: the app's data changed outside a touch."""

    def show(self, dialog: Dialog) -> None:
        """Show a dialog window of the running app."""

    def toast(self, text: str) -> None:
        """Show a short message that goes by itself and is not in the UI tree."""

    def request_permission(self, permission: str, then: Callable[[bool], None]) -> None:
        """Ask the user once, in the system's own dialog; granted or denied is remembered per app."""

    def notify(self, title: str, text: str) -> None:
        """Post a notification in the running app's name."""

    def install(self, package: str) -> None:
        """Install a known but absent app."""

    def setting(self, name: str) -> str:
        """A system setting or radio, such as `wifi_on`, `bluetooth_on`, `airplane_mode_on`, `dark_mode`."""

    def set_setting(self, name: str, value: str) -> None:
        """Change a system setting or radio; the services follow."""

    def connected(self, radio: Radio) -> str:
        """The Wi-Fi network or Bluetooth device in use; empty for none."""

    def connect(self, radio: Radio, name: str) -> None:
        """Join a Wi-Fi network, or pair with a Bluetooth device and use it; an empty name disconnects."""


class App(Protocol):
    """One installed app. `state` is everything a test may assert: plain JSON values, nothing else."""

    package: str
    system: bool
    state: dict[str, Any]

    def clear(self) -> None:
        """Return to the state of a fresh installation."""

    def label(self, locale: Locale) -> str:
        """The name under the launcher icon."""

    @property
    def icon(self) -> tuple[str, str]:
        """The launcher icon: a pictogram's name and a background colour."""

    def activity(self, page: Page) -> str:
        """The activity class (`.MainActivity`) that shows a page."""

    def first_page(self) -> Page:
        """The page a launch shows."""

    def page_at(self, address: str) -> Page | None:
        """The page that an intent shows, by its URI or the name of its action; None for the app as it stands.

        Raises `UnknownComponent` where nothing answers.
        """

    def opened(self, page: Page) -> None:
        """A page came to the top for the first time: start loading, show an advertisement."""

    def view(self, page: Page) -> Node:
        """The page's views as of now."""

    def secure(self, page: Page) -> bool:
        """Whether the page forbids screenshots (FLAG_SECURE)."""

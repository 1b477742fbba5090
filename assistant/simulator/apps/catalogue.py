"""Which apps the simulated phone has."""

from __future__ import annotations

from collections.abc import Callable

from assistant.simulator.apps.base import Difficulties
from assistant.simulator.apps.chat import ChatApp, ChatData
from assistant.simulator.apps.clock import ClockApp, ClockData
from assistant.simulator.apps.goods import OrderingData
from assistant.simulator.apps.host import App, Host
from assistant.simulator.apps.ordering import OrderingApp
from assistant.simulator.apps.paybox import PayBoxApp, PayBoxData
from assistant.simulator.apps.rail import RailApp, RailData
from assistant.simulator.apps.schema import load
from assistant.simulator.apps.settings import SettingsApp, SettingsData

Build = Callable[[Host, Difficulties], App]

INSTALLED: dict[str, Build] = {
    "chat": lambda host, hard: ChatApp(host, load("chat", ChatData), hard),
    "clock": lambda host, hard: ClockApp(host, load("clock", ClockData), hard),
    "eats": lambda host, hard: OrderingApp(host, load("eats", OrderingData), hard),
    "rail": lambda host, hard: RailApp(host, load("rail", RailData), hard),
    "settings": lambda host, hard: SettingsApp(host, load("settings", SettingsData), hard),
    "paybox": lambda host, hard: PayBoxApp(host, load("paybox", PayBoxData), hard),
}
"""The apps that are there from the start, by the names of their data files."""

INSTALLABLE: dict[str, Build] = {}
"""The apps that the store can install."""


def installed_apps(host: Host, difficulties: Difficulties | None = None) -> list[App]:
    """The apps of a new phone, in the launcher's order. Difficulties are on unless given."""
    return [build(host, difficulties or Difficulties()) for build in INSTALLED.values()]


def installable_apps(host: Host, difficulties: Difficulties | None = None) -> list[App]:
    """The apps that the store can install."""
    return [build(host, difficulties or Difficulties()) for build in INSTALLABLE.values()]

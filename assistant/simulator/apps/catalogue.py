"""Which apps the simulated phone has."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from assistant.simulator.apps.base import BaseApp, Difficulties
from assistant.simulator.apps.booking import RailData
from assistant.simulator.apps.browser import BrowserApp, BrowserData
from assistant.simulator.apps.calendar import CalendarApp, CalendarData
from assistant.simulator.apps.chat import ChatApp, ChatData
from assistant.simulator.apps.clock import ClockApp, ClockData
from assistant.simulator.apps.contacts import ContactsApp
from assistant.simulator.apps.dialer import DialerApp
from assistant.simulator.apps.gallery import GalleryApp, GalleryData
from assistant.simulator.apps.goods import OrderingData
from assistant.simulator.apps.host import App, Host
from assistant.simulator.apps.mail import MailApp, MailData
from assistant.simulator.apps.maps import MapsApp, MapsData
from assistant.simulator.apps.media import MediaApp, MediaData
from assistant.simulator.apps.notes import NotesApp, NotesData
from assistant.simulator.apps.ordering import OrderingApp
from assistant.simulator.apps.paybox import PayBoxApp, PayBoxData
from assistant.simulator.apps.people import PeopleData
from assistant.simulator.apps.rail import RailApp
from assistant.simulator.apps.schema import AppData, load
from assistant.simulator.apps.settings import SettingsApp, SettingsData
from assistant.simulator.apps.store import StoreApp, StoreData
from assistant.simulator.apps.taxi import TaxiApp, TaxiData
from assistant.simulator.apps.weather import WeatherApp, WeatherData

Build = Callable[[Host, Difficulties], App]
DataT = TypeVar("DataT", bound=AppData)


def _app(make: Callable[[Host, DataT, Difficulties], BaseApp[DataT]], name: str, shape: type[DataT]) -> Build:
    return lambda host, difficulties: make(host, load(name, shape), difficulties)


INSTALLED: tuple[Build, ...] = (
    _app(DialerApp, "dialer", PeopleData),
    _app(ContactsApp, "contacts", PeopleData),
    _app(ChatApp, "chat", ChatData),
    _app(MailApp, "mail", MailData),
    _app(ClockApp, "clock", ClockData),
    _app(CalendarApp, "calendar", CalendarData),
    _app(OrderingApp, "eats", OrderingData),
    _app(OrderingApp, "shop", OrderingData),
    _app(TaxiApp, "taxi", TaxiData),
    _app(RailApp, "rail", RailData),
    _app(MapsApp, "maps", MapsData),
    _app(WeatherApp, "weather", WeatherData),
    _app(MediaApp, "music", MediaData),
    _app(MediaApp, "video", MediaData),
    _app(GalleryApp, "gallery", GalleryData),
    _app(NotesApp, "notes", NotesData),
    _app(BrowserApp, "browser", BrowserData),
    _app(PayBoxApp, "paybox", PayBoxData),
    _app(StoreApp, "store", StoreData),
    _app(SettingsApp, "settings", SettingsData),
)
"""The apps that are there from the start, in the launcher's order."""

INSTALLABLE: tuple[Build, ...] = (_app(MediaApp, "podcasts", MediaData),)
"""The apps that the store can install."""


def installed_apps(host: Host, difficulties: Difficulties | None = None) -> list[App]:
    """The apps of a new phone. Difficulties are on unless given."""
    return [build(host, difficulties or Difficulties()) for build in INSTALLED]


def installable_apps(host: Host, difficulties: Difficulties | None = None) -> list[App]:
    """The apps that the store can install."""
    return [build(host, difficulties or Difficulties()) for build in INSTALLABLE]

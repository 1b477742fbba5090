"""The weather of many cities: made up, but the same each time it is looked up."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from typing import Any

from assistant.simulator.apps import widgets
from assistant.simulator.apps.base import BaseApp, flip
from assistant.simulator.apps.clock import DAYS
from assistant.simulator.apps.host import Page
from assistant.simulator.apps.schema import AppData, Entry, Text
from assistant.simulator.apps.search import find
from assistant.simulator.chance import pick, share, whole
from assistant.simulator.ui.nodes import Align, Node

SKIES = {
    "Sunny": ("晴", "sun"),
    "Cloudy": ("多云", "cloud"),
    "Overcast": ("阴", "cloud"),
    "Light rain": ("小雨", "rain"),
    "Heavy rain": ("大雨", "rain"),
    "Snow": ("雪", "snow"),
}
"""Kinds of weather: the Chinese name and the pictogram."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """One city's day, in °C and km an hour."""

    sky: str
    low: int
    high: int
    wind: int
    humidity: int


class City(Entry):
    """A city and its mean temperature at this time of the year."""

    name: Text
    warmth: int


class WeatherData(AppData):
    """All cities. The first is where the phone is."""

    cities: tuple[City, ...]

    def city(self, name: str) -> City:
        """A city by its canonical name. Raises `StopIteration` when there is none."""
        return next(city for city in self.cities if city.name.en == name)


def forecast(city: City, day: date) -> Forecast:
    """A city's weather on a day."""
    about = (city.name.en, day.isoformat())
    high = city.warmth + whole(-3, 5, "high", *about)
    low = high - whole(5, 10, "low", *about)
    wet = ("Snow",) if high < 2 else ("Light rain", "Light rain", "Heavy rain")
    sky = pick(wet, *about) if share("wet", *about) < 0.35 else pick(("Sunny", "Cloudy", "Overcast"), *about)
    return Forecast(sky, low, high, whole(4, 30, "wind", *about), whole(35, 90, "humidity", *about))


class WeatherApp(BaseApp[WeatherData]):
    """Today, the next two weeks, other cities.

    State, cities canonical: {"cities": [city], "current": city, "viewed": [city]}.
    """

    def seed(self) -> dict[str, Any]:
        """The phone's own city."""
        first = self.data.cities[0].name.en
        return {"cities": [first], "current": first, "viewed": []}

    def open_home(self, page: Page) -> None:
        """Where the phone is needs a permission; the forecast comes a moment later."""
        self.allowed("location", lambda granted: None)
        self.wait(page, silent=True)

    def page_home(self, page: Page) -> Node:
        """The current city's weather."""
        actions = [
            self.icon_button("search", "Search city", "搜索城市", self.go("search"), name="search_button"),
            self.icon_button("list", "My cities", "城市管理", self.go("cities"), name="cities"),
        ]
        return self._weather(page, self.data.city(self.state["current"]), actions, back=False)

    def open_city(self, page: Page) -> None:
        """Remember what was looked at."""
        self.state["viewed"].append(page.arguments["name"])
        self.wait(page, silent=True)

    def page_city(self, page: Page) -> Node:
        """Another city's weather, which can be kept."""
        city = self.data.city(page.arguments["name"])
        kept = city.name.en in self.state["cities"]
        keep = partial(flip, self.state["cities"], city.name.en)
        plus = self.icon_button("check" if kept else "plus", "Add city", "添加城市", keep, name="add_city")
        return self._weather(page, city, [plus], back=True)

    def _weather(self, page: Page, city: City, actions: list[Node], *, back: bool) -> Node:
        today = self.host.now().date()
        now = forecast(city, today)
        days = [self._day(city, today + timedelta(days=after), after) for after in range(15)]
        return widgets.screen(
            self.bar(self.words(city.name), *actions, back=back),
            widgets.text(f"{(now.low + now.high) // 2}°", name="temperature", size=64, align=Align.CENTER),
            widgets.text(f"{self.sky(now)}  {now.low}° / {now.high}°", name="sky", align=Align.CENTER),
            widgets.detail_line(self.say("Wind", "风速"), f"{now.wind} km/h"),
            widgets.detail_line(self.say("Humidity", "湿度"), f"{now.humidity} %"),
            widgets.section(self.say("15 days", "15天预报")),
            self.waiting(page) or self.listing(page, *days),
        )

    def sky(self, forecast: Forecast) -> str:
        """What the sky is like, in words."""
        return self.say(forecast.sky, SKIES[forecast.sky][0])

    def _day(self, city: City, day: date, after: int) -> Node:
        day_forecast = forecast(city, day)
        name = list(DAYS)[day.weekday()]
        words = {0: self.say("Today", "今天"), 1: self.say("Tomorrow", "明天")}.get(
            after, self.say(name, DAYS[name])
        )
        return widgets.list_row(
            f"{words}  {day:%m-%d}",
            self.sky(day_forecast),
            trailing=f"{day_forecast.low}° / {day_forecast.high}°",
            leading=widgets.pictogram(SKIES[day_forecast.sky][1]),
            name="day_item",
        )

    def page_search(self, page: Page) -> Node:
        """Cities that match as the user types, or all."""
        query = self.typed(page, "query")
        cities = self.data.cities
        matches = find(query, cities, lambda city: [city.name.en, city.name.zh]) if query else list(cities)
        entries = [
            widgets.list_row(
                self.words(city.name), on_tap=self.go("city", name=city.name.en), name="city_item"
            )
            for city in matches
        ]

        def first(_: str) -> None:
            if matches:
                self.host.open(Page("city", {"name": matches[0].name.en}))

        return widgets.screen(
            self.search_box(page, self.say("Search city", "搜索城市"), first), self.listing(page, *entries)
        )

    def page_cities(self, page: Page) -> Node:
        """The kept cities; one of them is shown first."""

        def choose(name: str) -> None:
            self.state["current"] = name
            self.host.back()

        today = self.host.now().date()
        entries = []
        for name in self.state["cities"]:
            city = self.data.city(name)
            now = forecast(city, today)
            entries.append(
                widgets.check_row(
                    self.words(city.name),
                    name == self.state["current"],
                    partial(choose, name),
                    subtitle=self.sky(now),
                    trailing=f"{now.low}° / {now.high}°",
                    single=True,
                )
            )
        plus = self.icon_button("plus", "Add city", "添加城市", self.go("search"), name="add_city")
        return widgets.screen(self.bar(self.say("My cities", "城市管理"), plus), self.listing(page, *entries))

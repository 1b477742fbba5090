"""A ride: where to, which car, who drives."""

from __future__ import annotations

from functools import partial
from math import dist
from typing import Any

from assistant.simulator.apps import widgets
from assistant.simulator.apps.base import BaseApp
from assistant.simulator.apps.host import Page
from assistant.simulator.apps.schema import AppData, Entry, Text
from assistant.simulator.apps.search import find
from assistant.simulator.ui.nodes import Node


class Stop(Entry):
    """A place to be picked up or taken to; `at` in km."""

    name: Text
    where: Text
    at: tuple[float, float]


class Car(Entry):
    """A kind of car, its price in yuan: `base` and for each `km`."""

    name: Text
    seats: int
    base: float
    km: float


class Driver(Entry):
    """Who comes."""

    name: Text
    plate: str
    car: Text


class TaxiData(AppData):
    """Places, kinds of cars, drivers. The first place is where the phone is."""

    places: tuple[Stop, ...]
    cars: tuple[Car, ...]
    drivers: tuple[Driver, ...]

    def place(self, name: str) -> Stop:
        """A place by its canonical name. Raises `StopIteration` when there is none."""
        return next(place for place in self.places if place.name.en == name)


class TaxiApp(BaseApp[TaxiData]):
    """Pick-up, destination, car, request, cancelling.

    State, names canonical: {"pickup": place or "", "rides": [{"id", "from", "to", "car", "price", "status":
    "requested", "assigned" or "cancelled", "driver"}]}.
    """

    def seed(self) -> dict[str, Any]:
        """No ride, and no place until the user lets us know it."""
        return {"pickup": "", "rides": []}

    def open_home(self, page: Page) -> None:
        """The phone's own place is the pick-up, if the user allows."""

        def then(granted: bool) -> None:
            if granted and not self.state["pickup"]:
                self.state["pickup"] = self.data.places[0].name.en

        self.allowed("location", then)

    def place(self, name: str) -> str:
        """A place's name in the phone's language."""
        return self.words(self.data.place(name).name) if name else self.say("Choose pick-up", "选择上车地点")

    def page_home(self, page: Page) -> Node:
        """A map with the two questions."""
        favourites = [
            widgets.list_row(
                self.words(place.name),
                self.words(place.where),
                leading=widgets.pictogram("location"),
                on_tap=partial(self._ride_to, place.name.en),
                name="suggestion",
            )
            for place in self.data.places[1:6]
        ]
        return widgets.screen(
            self.bar(
                self.label(self.host.locale),
                self.icon_button("list", "My rides", "我的行程", self.go("rides"), name="rides"),
                back=False,
            ),
            widgets.picture("city map", height=220, name="map"),
            widgets.card(
                widgets.list_row(
                    self.place(self.state["pickup"]),
                    self.say("Pick-up", "上车地点"),
                    leading=widgets.pictogram("location", color="#2e7d32"),
                    on_tap=self.go("places", key="pickup"),
                    name="pickup",
                ),
                widgets.list_row(
                    self.say("Where to?", "你要去哪儿？"),
                    leading=widgets.pictogram("search"),
                    on_tap=self.go("places", key="to"),
                    name="destination",
                ),
            ),
            self.listing(page, *favourites),
        )

    def page_places(self, page: Page) -> Node:
        """Choose a place by search or from the list."""
        query = self.typed(page, "query")
        places = self.data.places
        matches = (
            find(query, places, lambda place: [place.name.en, place.name.zh, place.where.en, place.where.zh])
            if query
            else list(places)
        )

        def choose(name: str) -> None:
            if page.arguments["key"] == "pickup":
                self.state["pickup"] = name
                self.host.back()
            else:
                self._ride_to(name)

        entries = [
            widgets.list_row(
                self.words(place.name),
                self.words(place.where),
                on_tap=partial(choose, place.name.en),
                name="place_item",
            )
            for place in matches
        ]
        if not matches:
            entries = [widgets.empty(self.say("No such place", "没有找到该地点"))]

        def first(_: str) -> None:
            if matches:
                choose(matches[0].name.en)

        hint = (
            self.say("Pick-up", "上车地点")
            if page.arguments["key"] == "pickup"
            else self.say("Where to?", "你要去哪儿？")
        )
        return widgets.screen(self.search_box(page, hint, first), self.listing(page, *entries))

    def _ride_to(self, name: str) -> None:
        if not self.state["pickup"]:
            self.host.toast(self.say("Choose a pick-up first", "请先选择上车地点"))
            self.host.open(Page("places", {"key": "pickup"}))
        elif name == self.state["pickup"]:
            self.host.toast(self.say("You are already there", "起点和终点不能相同"))
        else:
            self.host.open(Page("cars", {"to": name}))

    def price(self, car: Car, goal: str) -> float:
        """What a ride costs."""
        kilometres = dist(self.data.place(self.state["pickup"]).at, self.data.place(goal).at) * 1.3
        return round((car.base + car.km * kilometres) * 10) / 10

    def open_cars(self, page: Page) -> None:
        """Prices take a moment."""
        self.wait(page)

    def page_cars(self, page: Page) -> Node:
        """Choose a kind of car and request it."""
        goal = page.arguments["to"]
        chosen = page.local.setdefault("car", self.data.cars[0].name.en)

        def choose(name: str) -> None:
            page.local["car"] = name

        entries = [
            widgets.check_row(
                self.words(car.name),
                car.name.en == chosen,
                partial(choose, car.name.en),
                subtitle=self.say(f"{car.seats} seats", f"{car.seats} 座"),
                trailing=widgets.money(self.price(car, goal)),
                single=True,
            )
            for car in self.data.cars
        ]
        car = next(car for car in self.data.cars if car.name.en == chosen)
        return widgets.screen(
            self.bar(f"{self.place(self.state['pickup'])} → {self.place(goal)}"),
            widgets.picture(f"route {goal}", height=180, name="map"),
            self.waiting(page) or self.listing(page, *entries),
            widgets.bottom_bar(
                widgets.text(
                    widgets.money(self.price(car, goal)), name="price", size=20, bold=True, weight=1
                ),
                self.button("Request ride", "呼叫用车", partial(self._request, goal, car), name="request"),
            ),
        )

    def _request(self, goal: str, car: Car) -> None:
        rides: list[dict[str, Any]] = self.state["rides"]
        ride = {
            "id": f"ride-{len(rides) + 1}",
            "from": self.state["pickup"],
            "to": goal,
            "car": car.name.en,
            "price": self.price(car, goal),
            "status": "requested",
            "driver": "",
        }
        rides.append(ride)
        self.host.replace(Page("ride", {"id": ride["id"]}))

    def _ride(self, page: Page) -> dict[str, Any]:
        rides: list[dict[str, Any]] = self.state["rides"]
        return next(ride for ride in rides if ride["id"] == page.arguments["id"])

    def open_ride(self, page: Page) -> None:
        """A driver is found after a while."""
        ride = self._ride(page)

        def assign() -> None:
            if ride["status"] == "requested":
                driver = self.data.drivers[len(self.state["rides"]) % len(self.data.drivers)]
                ride.update(status="assigned", driver=driver.name.en)
                self.host.notify(
                    self.label(self.host.locale), self.say("Your driver is coming", "司机正在赶来")
                )

        if ride["status"] == "requested":
            self.host.later(1.5, assign)

    def page_ride(self, page: Page) -> Node:
        """The search for a driver, then who comes."""
        ride = self._ride(page)

        def cancel() -> None:
            ride["status"] = "cancelled"

        def ask() -> None:
            self.confirm(
                self.say("Cancel ride?", "取消行程？"), "", (self.say("Cancel ride", "确定取消"), cancel)
            )

        match ride["status"]:
            case "requested":
                body = widgets.spinner(self.say("Looking for a driver…", "正在寻找司机…"))
                body.children[0].moving = self.difficulties.spinners
            case "assigned":
                driver = next(driver for driver in self.data.drivers if driver.name.en == ride["driver"])
                body = widgets.list_row(
                    f"{self.words(driver.name)}  {driver.plate}",
                    f"{self.words(driver.car)}  {self.say('4 min away', '约4分钟到达')}",
                    leading=widgets.picture(f"face {driver.name.en}", width=56, height=56),
                    name="driver",
                )
            case _:
                body = widgets.empty(self.say("Ride cancelled", "行程已取消"))
        buttons = [self.button("Home", "返回首页", partial(self.host.back_to, "home"), name="home", weight=1)]
        if ride["status"] != "cancelled":
            buttons.insert(
                0, widgets.flat_button(self.say("Cancel ride", "取消行程"), ask, name="cancel", weight=1)
            )
        return widgets.screen(
            self.bar(self.say("Your ride", "我的行程")),
            widgets.picture(f"route {ride['to']}", height=220, name="map"),
            widgets.detail_line(self.place(ride["from"]), "→"),
            widgets.detail_line(self.place(ride["to"]), widgets.money(ride["price"])),
            body,
            widgets.filler(),
            widgets.bottom_bar(*buttons),
        )

    def page_rides(self, page: Page) -> Node:
        """All rides, the latest first."""
        names = {
            "requested": self.say("Requested", "呼叫中"),
            "assigned": self.say("Driver on the way", "司机已接单"),
            "cancelled": self.say("Cancelled", "已取消"),
        }
        entries = [
            widgets.list_row(
                f"{self.place(ride['from'])} → {self.place(ride['to'])}",
                names[ride["status"]],
                trailing=widgets.money(ride["price"]),
                on_tap=self.go("ride", id=ride["id"]),
            )
            for ride in reversed(self.state["rides"])
        ]
        body = (
            self.listing(page, *entries) if entries else widgets.empty(self.say("No rides yet", "还没有行程"))
        )
        return widgets.screen(self.bar(self.say("My rides", "我的行程")), body)

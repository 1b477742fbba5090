"""Train connections: search and details."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

from assistant.simulator.apps import widgets
from assistant.simulator.apps.booking import BookingPages
from assistant.simulator.apps.host import Page
from assistant.simulator.apps.search import find
from assistant.simulator.apps.timetable import SEATS, Train
from assistant.simulator.ui.nodes import Node


class RailApp(BookingPages):
    """From, to, date, results, details, booking.

    State, cities and seats canonical: {"from", "to", "date", "searches": [{"from", "to", "date"}],
    "viewed": [{"train", "from", "to", "date"}], "tickets": [{"id", "train", "from", "to", "date", "depart",
    "arrive", "seat", "passengers": [name], "price", "status": "booked" or "refunded"}]}.
    """

    def seed(self) -> dict[str, Any]:
        """Between the first two cities, tomorrow."""
        first, second = self.data.stations[:2]
        return {
            "from": first.name.en,
            "to": second.name.en,
            "date": self.ago(-1),
            "searches": [],
            "viewed": [],
            "tickets": [],
        }

    def page_home(self, page: Page) -> Node:
        """The search form."""

        def swap() -> None:
            self.state["from"], self.state["to"] = self.state["to"], self.state["from"]

        recent = [
            widgets.list_row(
                f"{self.city(search['from'])} → {self.city(search['to'])}",
                self.day(search["date"]),
                on_tap=partial(self._repeat, search),
                name="recent",
            )
            for search in reversed(self.state["searches"][-5:])
        ]
        return widgets.screen(
            self.bar(
                self.label(self.host.locale),
                self.icon_button("ticket", "My tickets", "我的车票", self.go("tickets"), name="tickets"),
                back=False,
            ),
            widgets.card(
                widgets.list_row(
                    self.say("From", "出发地"),
                    trailing=self.city(self.state["from"]),
                    on_tap=self.go("stations", key="from"),
                    name="from_station",
                ),
                self.icon_button("swap", "Swap", "交换", swap, name="swap"),
                widgets.list_row(
                    self.say("To", "目的地"),
                    trailing=self.city(self.state["to"]),
                    on_tap=self.go("stations", key="to"),
                    name="to_station",
                ),
                widgets.list_row(
                    self.say("Date", "出发日期"),
                    trailing=self.day(self.state["date"]),
                    on_tap=self.go("dates"),
                    name="date",
                ),
                self.button("Search trains", "查询车票", self._search, name="search"),
            ),
            widgets.section(self.say("Recent", "历史查询")),
            self.listing(page, *recent),
        )

    def _repeat(self, ride: dict[str, str]) -> None:
        self.state.update({"from": ride["from"], "to": ride["to"], "date": ride["date"]})
        self._search()

    def _search(self) -> None:
        ride = {key: self.state[key] for key in ("from", "to", "date")}
        if ride["from"] == ride["to"]:
            self.host.toast(self.say("Choose two different cities", "出发地和目的地不能相同"))
            return
        self.state["searches"].append(ride)
        self.host.open(Page("results", dict(ride)))

    def page_stations(self, page: Page) -> Node:
        """Choose a city by search or from the list."""

        def choose(name: str) -> None:
            self.state[page.arguments["key"]] = name
            self.host.back()

        query = self.typed(page, "query")
        stations = self.data.stations
        matches = (
            find(query, stations, lambda station: [station.name.en, station.name.zh])
            if query
            else list(stations)
        )
        if not matches and query:
            matches = [station for station in stations if station.name.en.lower().startswith(query.lower())]
        entries = [
            widgets.list_row(
                self.words(station.name), on_tap=partial(choose, station.name.en), name="station_item"
            )
            for station in matches
        ]

        def first(_: str) -> None:
            if matches:
                choose(matches[0].name.en)

        return widgets.screen(
            self.search_box(page, self.say("City or station", "城市或车站"), first),
            self.listing(page, *entries),
        )

    def page_dates(self, page: Page) -> Node:
        """The days on sale."""

        def choose(text: str) -> None:
            self.state["date"] = text
            self.host.back()

        today = self.host.now().date()
        names = {
            0: self.say("Today", "今天"),
            1: self.say("Tomorrow", "明天"),
            2: self.say("In two days", "后天"),
        }
        entries = [
            widgets.list_row(
                self.day(text),
                trailing=names.get(days, ""),
                on_tap=partial(choose, text),
                name="date_item",
            )
            for days in range(30)
            for text in [(today + timedelta(days=days)).isoformat()]
        ]
        return widgets.screen(self.bar(self.say("Date", "选择日期")), self.listing(page, *entries))

    def open_results(self, page: Page) -> None:
        """Searching takes a moment."""
        self.wait(page)

    def page_results(self, page: Page) -> Node:
        """The day's trains, perhaps only the fast ones, by departure or price."""
        ride = page.arguments
        fast, cheap = page.local.get("fast", False), page.local.get("cheap", False)
        trains = [train for train in self.trains(ride) if train.fast or not fast]
        if cheap:
            trains.sort(key=lambda train: train.price)
        filters = self.chips(
            page,
            widgets.chip(
                self.say("High-speed only", "只看高铁"),
                lambda: page.local.update(fast=not fast),
                selected=fast,
                color=self.color,
            ),
            widgets.chip(
                self.say("Cheapest first", "价格优先"),
                lambda: page.local.update(cheap=not cheap),
                selected=cheap,
                color=self.color,
            ),
            name="filters",
        )
        return widgets.screen(
            self.bar(f"{self.city(ride['from'])} → {self.city(ride['to'])}"),
            widgets.section(self.day(ride["date"])),
            filters,
            self.waiting(page) or self.listing(page, *[self._train_row(train, ride) for train in trains]),
        )

    def _train_row(self, train: Train, ride: dict[str, Any]) -> Node:
        hours, minutes = divmod(train.minutes, 60)
        left = train.left["Second class"]
        seats = self.say(f"{left} seats", f"余{left}张") if left else self.say("Sold out", "无票")
        return widgets.list_row(
            f"{train.number}  {train.depart} – {train.arrive}",
            self.say(f"{hours} h {minutes} min", f"{hours}小时{minutes}分") + f"  {seats}",
            trailing=widgets.money(train.price),
            on_tap=self.go(
                "train", number=train.number, **{key: ride[key] for key in ("from", "to", "date")}
            ),
            name="train_item",
        )

    def open_train(self, page: Page) -> None:
        """Remember what was looked at."""
        self.state["viewed"].append(self._trip(page))
        self.wait(page, silent=True)

    def page_train(self, page: Page) -> Node:
        """One train with its seat classes."""
        train = self._train(page)
        seats = [
            widgets.list_row(
                self.say(seat, SEATS[seat][0]),
                widgets.money(train.cost(seat)),
                trailing=self.say(f"{left} left", f"余{left}张") if left else self.say("Sold out", "无票"),
                action=self.button(
                    "Book",
                    "预订",
                    self.go(
                        "booking",
                        number=train.number,
                        seat=seat,
                        **{k: page.arguments[k] for k in ("from", "to", "date")},
                    ),
                    name="book",
                    enabled=left > 0,
                ),
                name="seat_item",
            )
            for seat, left in train.left.items()
        ]
        return widgets.screen(
            self.bar(train.number),
            widgets.detail_line(self.city(page.arguments["from"]), train.depart, bold=True, name="departure"),
            widgets.detail_line(self.city(page.arguments["to"]), train.arrive, bold=True, name="arrival"),
            widgets.detail_line(self.say("Date", "日期"), self.day(page.arguments["date"])),
            self.waiting(page) or self.listing(page, *seats),
        )

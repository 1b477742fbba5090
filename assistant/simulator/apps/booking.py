"""Train tickets: booking, paying, giving back."""

from __future__ import annotations

from datetime import date
from functools import partial
from typing import Any

from assistant.simulator.apps import widgets
from assistant.simulator.apps.base import BaseApp, flip
from assistant.simulator.apps.clock import DAYS
from assistant.simulator.apps.host import Page
from assistant.simulator.apps.schema import AppData, Entry, Text
from assistant.simulator.apps.timetable import SEATS, Train, trains
from assistant.simulator.ui.nodes import Node


class Station(Entry):
    """A city; `at` are kilometres east and north of the first."""

    name: Text
    at: tuple[float, float]


class RailData(AppData):
    """Cities and who travels."""

    stations: tuple[Station, ...]
    passengers: tuple[Text, ...]

    def station(self, name: str) -> Station:
        """A city by its canonical name. Raises `StopIteration` when there is none."""
        return next(station for station in self.stations if station.name.en == name)


class BookingPages(BaseApp[RailData]):
    """Trains and tickets. `RailApp` tells the state."""

    def city(self, name: str) -> str:
        """A city's name in the phone's language."""
        return self.words(self.data.station(name).name)

    def day(self, text: str) -> str:
        """A date with its weekday."""
        calendar_day = date.fromisoformat(text)
        english = list(DAYS)[calendar_day.weekday()]
        return self.say(
            f"{calendar_day:%Y-%m-%d} {english}",
            f"{calendar_day.month}月{calendar_day.day}日 {DAYS[english]}",
        )

    def trains(self, arguments: dict[str, Any]) -> list[Train]:
        """The trains of a search."""
        start, goal = arguments["from"], arguments["to"]
        return trains(start, self.data.station(start).at, goal, self.data.station(goal).at, arguments["date"])

    def _train(self, page: Page) -> Train:
        return next(
            train for train in self.trains(page.arguments) if train.number == page.arguments["number"]
        )

    def _trip(self, page: Page) -> dict[str, str]:
        return {
            "train": page.arguments["number"],
            **{key: page.arguments[key] for key in ("from", "to", "date")},
        }

    def page_booking(self, page: Page) -> Node:
        """Choose who travels; then pay."""
        train, seat = self._train(page), page.arguments["seat"]
        chosen: list[str] = page.local.setdefault("passengers", [self.data.passengers[0].en])
        total = train.cost(seat) * len(chosen)

        entries = [
            widgets.check_row(self.words(person), person.en in chosen, partial(flip, chosen, person.en))
            for person in self.data.passengers
        ]
        return widgets.screen(
            self.bar(self.say("Confirm booking", "确认订单")),
            widgets.detail_line(
                f"{train.number}  {train.depart} – {train.arrive}",
                self.day(page.arguments["date"]),
                bold=True,
            ),
            widgets.detail_line(self.say(seat, SEATS[seat][0]), widgets.money(train.cost(seat))),
            widgets.section(self.say("Passengers", "乘车人")),
            self.listing(page, *entries),
            widgets.bottom_bar(
                widgets.text(widgets.money(total), name="total", size=20, bold=True, weight=1),
                self.button(
                    "Submit order",
                    "提交订单",
                    lambda: self._submit(page, total),
                    name="submit",
                    enabled=bool(chosen),
                ),
            ),
        )

    def _submit(self, page: Page, total: float) -> None:
        train = self._train(page)
        number = f"rail-{len(self.state['tickets']) + 1}"
        self.state["checkout"] = {
            "id": number,
            **self._trip(page),
            "depart": train.depart,
            "arrive": train.arrive,
            "seat": page.arguments["seat"],
            "passengers": list(page.local["passengers"]),
            "price": total,
            "status": "booked",
        }
        self.pay(total, self.data.label, number)

    def paid(self, reference: str) -> Page:
        """Turn the checkout into a ticket."""
        ticket = self.state.pop("checkout")
        self.state["tickets"].append(ticket)
        return Page("ticket", {"id": reference})

    def page_tickets(self, page: Page) -> Node:
        """What was booked."""
        entries = [
            widgets.list_row(
                f"{ticket['train']}  {self.city(ticket['from'])} → {self.city(ticket['to'])}",
                f"{self.day(ticket['date'])} {ticket['depart']}",
                trailing=self._status(ticket),
                on_tap=self.go("ticket", id=ticket["id"]),
                name="ticket_item",
            )
            for ticket in reversed(self.state["tickets"])
        ]
        body = self.listing(page, *entries) if entries else widgets.empty(self.say("No tickets", "暂无车票"))
        return widgets.screen(self.bar(self.say("My tickets", "我的车票")), body)

    def _status(self, ticket: dict[str, Any]) -> str:
        return (
            self.say("Booked", "已出票") if ticket["status"] == "booked" else self.say("Refunded", "已退票")
        )

    def page_ticket(self, page: Page) -> Node:
        """One ticket, which can be given back."""
        ticket = next(ticket for ticket in self.state["tickets"] if ticket["id"] == page.arguments["id"])

        def refund() -> None:
            ticket["status"] = "refunded"

        def ask() -> None:
            self.confirm(self.say("Refund ticket?", "确认退票？"), "", (self.say("Refund", "退票"), refund))

        people = {person.en: self.words(person) for person in self.data.passengers}
        buttons = [self.button("Home", "返回首页", lambda: self.host.back_to("home"), name="home", weight=1)]
        if ticket["status"] == "booked":
            buttons.insert(0, widgets.flat_button(self.say("Refund", "退票"), ask, name="refund", weight=1))
        return widgets.screen(
            self.bar(self.say("Ticket", "车票详情")),
            widgets.detail_line(ticket["train"], self._status(ticket), bold=True),
            widgets.detail_line(self.city(ticket["from"]), ticket["depart"]),
            widgets.detail_line(self.city(ticket["to"]), ticket["arrive"]),
            widgets.detail_line(self.say("Date", "日期"), self.day(ticket["date"])),
            widgets.detail_line(
                self.say(ticket["seat"], SEATS[ticket["seat"]][0]), widgets.money(ticket["price"])
            ),
            widgets.detail_line(
                self.say("Passengers", "乘车人"), ", ".join(people[name] for name in ticket["passengers"])
            ),
            widgets.filler(),
            widgets.bottom_bar(*buttons),
        )

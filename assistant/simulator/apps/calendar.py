"""Appointments."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, timedelta
from functools import partial
from typing import Any

from assistant.simulator.apps import widgets
from assistant.simulator.apps.base import BaseApp
from assistant.simulator.apps.clock import DAYS
from assistant.simulator.apps.host import Page
from assistant.simulator.apps.schema import AppData, Entry, Text
from assistant.simulator.apps.search import find
from assistant.simulator.ui.nodes import Node

Event = dict[str, Any]


class Appointment(Entry):
    """An appointment `days` from today, between two times of the day."""

    title: Text
    days: int
    start: str
    end: str
    place: Text | None = None


class CalendarData(AppData):
    """The first appointments."""

    events: tuple[Appointment, ...]


class CalendarApp(BaseApp[CalendarData]):
    """Agenda, month, search, adding, changing, deleting.

    State: {"events": [{"id", "title", "date": "YYYY-MM-DD", "time": "HH:MM", "end": "HH:MM", "place",
    "text"}]}; `title` is canonical for what came with the phone, `text` as displayed; both are what the user
    typed otherwise. `picked` is the day chosen last.
    """

    def seed(self) -> dict[str, Any]:
        """The appointments of the data."""
        return {
            "events": [
                {
                    "id": index,
                    "title": event.title.en,
                    "text": self.words(event.title),
                    "date": self.ago(-event.days),
                    "time": event.start,
                    "end": event.end,
                    "place": self.words(event.place) if event.place else "",
                }
                for index, event in enumerate(self.data.events, 1)
            ]
        }

    def day(self, text: str) -> str:
        """A date as a heading."""
        calendar_day = date.fromisoformat(text)
        name = list(DAYS)[calendar_day.weekday()]
        return self.say(
            f"{name}, {calendar_day:%Y-%m-%d}", f"{calendar_day.month}月{calendar_day.day}日 {DAYS[name]}"
        )

    def _events(self) -> list[Event]:
        return sorted(self.state["events"], key=lambda event: (str(event["date"]), str(event["time"])))

    def _row(self, event: Event) -> Node:
        subtitle = f"{event['time']} – {event['end']}  {event['place']}"
        return widgets.list_row(
            event["text"], subtitle, on_tap=self.go("event", id=event["id"]), name="event_item"
        )

    def _tabs(self, current: str) -> Node:
        return self.tabs(
            current, [("home", "Agenda", "日程", "list"), ("month", "Month", "月历", "calendar")]
        )

    def _plus(self, day: str) -> Node:
        return self.icon_button(
            "plus", "New event", "新建日程", self.go("edit", id=0, date=day), name="add_event"
        )

    def page_home(self, page: Page) -> Node:
        """What is to come, by day."""
        today = self.ago(0)
        entries: list[Node] = []
        last = ""
        for event in self._events():
            if event["date"] < today:
                continue
            if event["date"] != last:
                last = event["date"]
                entries.append(widgets.section(self.day(last)))
            entries.append(self._row(event))
        search = self.icon_button("search", "Search", "搜索", self.go("search"), name="search_button")
        return widgets.screen(
            self.bar(self.label(self.host.locale), search, self._plus(today), back=False),
            self.listing(page, *entries),
            self._tabs("home"),
        )

    def page_search(self, page: Page) -> Node:
        """Events that match as the user types."""
        events = find(
            self.typed(page, "query"),
            self._events(),
            lambda event: [event["title"], event["text"], event["place"]],
        )
        entries = [
            widgets.list_row(
                event["text"],
                f"{self.day(event['date'])} {event['time']}",
                on_tap=self.go("event", id=event["id"]),
            )
            for event in events
        ]
        return widgets.screen(
            self.search_box(page, self.say("Search events", "搜索日程"), lambda _: None),
            self.listing(page, *entries),
        )

    def page_month(self, page: Page) -> Node:
        """A month as a grid of days."""
        first = date.fromisoformat(page.local.setdefault("month", self.ago(0)[:8] + "01"))
        blank, count = monthrange(first.year, first.month)
        busy = {event["date"] for event in self.state["events"]}
        cells = [widgets.text("") for _ in range(blank)]
        for number in range(1, count + 1):
            day = first.replace(day=number).isoformat()
            cells.append(
                widgets.column(
                    widgets.text(f"{number} •" if day in busy else str(number), name="day_number", lines=1),
                    name="day",
                    padding=8,
                    on_tap=self.go("day", date=day),
                )
            )

        def turn(days: int) -> None:
            page.local["month"] = (first + timedelta(days=days)).replace(day=1).isoformat()

        title = self.say(f"{first:%Y-%m}", f"{first.year}年{first.month}月")
        return widgets.screen(
            self.bar(
                title,
                self.icon_button("previous", "Previous month", "上个月", partial(turn, -1), name="previous"),
                self.icon_button("next", "Next month", "下个月", partial(turn, 31), name="next"),
                back=False,
            ),
            widgets.tiles(
                [widgets.text(self.say(day, name[1]), size=13) for day, name in DAYS.items()], columns=7
            ),
            widgets.tiles(cells, columns=7, name="month"),
            widgets.filler(),
            self._tabs("month"),
        )

    def page_day(self, page: Page) -> Node:
        """The events of one day."""
        day = page.arguments["date"]
        entries = [self._row(event) for event in self._events() if event["date"] == day]
        return widgets.screen(
            self.bar(self.day(day), self._plus(day)),
            self.listing(page, *(entries or [widgets.empty(self.say("Nothing planned", "没有安排"))])),
        )

    def _event(self, number: int) -> Event | None:
        return next((event for event in self._events() if event["id"] == number), None)

    def page_event(self, page: Page) -> Node:
        """One event."""
        event = self._event(page.arguments["id"])
        if event is None:
            return widgets.screen(self.bar(""), widgets.empty(self.say("Event deleted", "日程已删除")))

        def delete() -> None:
            self.state["events"].remove(event)
            self.host.back()

        def ask() -> None:
            self.confirm(
                self.say("Delete event?", "删除日程？"), event["text"], (self.say("Delete", "删除"), delete)
            )

        return widgets.screen(
            self.bar(
                event["text"],
                self.icon_button(
                    "edit", "Edit", "编辑", self.go("edit", id=event["id"], date=event["date"]), name="edit"
                ),
                self.icon_button("delete", "Delete", "删除", ask, name="delete"),
            ),
            widgets.detail_line(self.say("Date", "日期"), self.day(event["date"])),
            widgets.detail_line(self.say("Time", "时间"), f"{event['time']} – {event['end']}"),
            widgets.detail_line(self.say("Place", "地点"), event["place"] or "-"),
        )

    def page_dates(self, page: Page) -> Node:
        """Choose a day; the answer lands in the page's shared list."""
        today = self.host.now().date()

        def choose(day: str) -> None:
            self.state["picked"] = day
            self.host.back()

        names = {
            0: self.say("Today", "今天"),
            1: self.say("Tomorrow", "明天"),
            2: self.say("In two days", "后天"),
        }
        entries = [
            widgets.list_row(
                self.day(day), trailing=names.get(after, ""), on_tap=partial(choose, day), name="date_item"
            )
            for after in range(60)
            for day in [(today + timedelta(days=after)).isoformat()]
        ]
        return widgets.screen(self.bar(self.say("Date", "选择日期")), self.listing(page, *entries))

    def open_edit(self, page: Page) -> None:
        """The page's day is chosen on a page of its own."""
        self.state["picked"] = page.arguments["date"]

    def page_edit(self, page: Page) -> Node:
        """Title, date, times and place of an event; the check mark without text saves."""
        event = self._event(page.arguments["id"])
        old = event or {"text": "", "time": "09:00", "end": "", "place": ""}
        title = self.field(page, "title", self.say("Title", "标题"), value=old["text"])
        start = self.field(page, "start", old["time"])
        end = self.field(page, "end", old["end"] or self.say("End", "结束"))
        place = self.field(page, "place", self.say("Place", "地点"), value=old["place"])
        save = partial(self._save, page, event)
        return widgets.screen(
            self.bar(
                self.say("Edit event", "编辑日程") if event else self.say("New event", "新建日程"),
                self.icon_button("check", "Save", "保存", save, name="save", color=self.color),
            ),
            self.listing(
                page,
                widgets.column(widgets.edit(title, name="title"), padding=12),
                widgets.list_row(
                    self.say("Date", "日期"),
                    trailing=self.day(self.state["picked"]),
                    on_tap=self.go("dates"),
                    name="date",
                ),
                widgets.row(
                    widgets.text(self.say("From", "从")),
                    widgets.edit(start, name="start", weight=1),
                    widgets.text(self.say("to", "到")),
                    widgets.edit(end, name="end", weight=1),
                    padding=12,
                ),
                widgets.column(widgets.edit(place, name="place"), padding=12),
                name="form",
            ),
        )

    def _save(self, page: Page, event: Event | None) -> None:
        title = self.typed(page, "title")
        start = _time(self.typed(page, "start") or (event or {}).get("time", "09:00"))
        end = _time(self.typed(page, "end") or (event or {}).get("end", "")) or _later(start)
        if not title or not start:
            self.host.toast(
                self.say("An event needs a title and a time like 09:30", "请填写标题和时间，如 09:30")
            )
            return
        changed = {
            "title": event["title"] if event and event["text"] == title else title,
            "text": title,
            "date": self.state["picked"],
            "time": start,
            "end": end,
            "place": self.typed(page, "place"),
        }
        if event:
            event.update(changed)
        else:
            number = max((event["id"] for event in self.state["events"]), default=0) + 1
            self.state["events"].append({"id": number, **changed})
        self.host.back()


def _time(text: str) -> str:
    """`HH:MM` from what a user types, or empty."""
    hour, _, minute = text.strip().replace("：", ":").partition(":")
    if hour.isdecimal() and (minute or "0").isdecimal() and int(hour) < 24 and int(minute or 0) < 60:
        return f"{int(hour):02}:{int(minute or 0):02}"
    return ""


def _later(time: str) -> str:
    """One hour later, the same day."""
    return f"{min(int(time[:2]) + 1, 23):02}:{time[3:]}" if time else ""

"""Alarms, timers and a stopwatch."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from typing import Any

from assistant.simulator.apps import widgets
from assistant.simulator.apps.base import BaseApp, Difficulties
from assistant.simulator.apps.host import Host, Page
from assistant.simulator.apps.schema import AppData, Entry, Text
from assistant.simulator.ui.nodes import Align, Node

DAYS = {
    "Mon": "周一",
    "Tue": "周二",
    "Wed": "周三",
    "Thu": "周四",
    "Fri": "周五",
    "Sat": "周六",
    "Sun": "周日",
}


class Alarm(Entry):
    """An alarm that is there from the start; `days` as in `DAYS`."""

    time: str
    days: tuple[str, ...] = ()
    enabled: bool
    label: Text | None = None


class City(Entry):
    """A city of the world clock, `hours` ahead of the phone."""

    name: Text
    hours: float


class ClockData(AppData):
    """The first alarms and the world's cities."""

    alarms: tuple[Alarm, ...]
    cities: tuple[City, ...]


class ClockApp(BaseApp[ClockData]):
    """Alarms, timers, stopwatch, world clock.

    What the user has set or switched on rings as a notification at its time; the first alarms do not.
    State: {"alarms": [{"id", "time": "HH:MM", "days": ["Mon", …], "enabled", "label"}],
    "timers": [{"seconds", "status": "running", "cancelled" or "finished", "started"}],
    "stopwatch": {"running", "started", "laps": [seconds]}}.
    """

    def __init__(self, host: Host, data: ClockData, difficulties: Difficulties) -> None:
        super().__init__(host, data, difficulties)
        self._next: dict[int, datetime] = {}

    def seed(self) -> dict[str, Any]:
        """The first alarms."""
        alarms = [
            {
                "id": index,
                "time": alarm.time,
                "days": list(alarm.days),
                "enabled": alarm.enabled,
                "label": self.words(alarm.label) if alarm.label else "",
            }
            for index, alarm in enumerate(self.data.alarms, 1)
        ]
        return {"alarms": alarms, "timers": [], "stopwatch": {"running": False, "started": "", "laps": []}}

    def _tabs(self, current: str) -> Node:
        return self.tabs(
            current,
            [
                ("home", "Alarm", "闹钟", "alarm"),
                ("world", "World clock", "世界时钟", "globe"),
                ("timer", "Timer", "计时器", "timer"),
                ("stopwatch", "Stopwatch", "秒表", "clock"),
            ],
        )

    def day_names(self, days: list[str]) -> str:
        """Weekdays as a person would say them."""
        if not days:
            return self.say("Once", "仅一次")
        if len(days) == 7:
            return self.say("Every day", "每天")
        if days == list(DAYS)[:5]:
            return self.say("Weekdays", "工作日")
        return ", ".join(self.say(day, DAYS[day]) for day in days)

    def page_home(self, page: Page) -> Node:
        """The alarms by time, and a plus without text."""
        alarms = sorted(self.state["alarms"], key=lambda alarm: str(alarm["time"]))
        return widgets.screen(
            self.bar(self.say("Alarm", "闹钟"), back=False),
            self.listing(page, *[self._alarm_row(alarm) for alarm in alarms]),
            self.round_button("plus", "Add alarm", "添加闹钟", self.go("alarm", id=0), name="fab"),
            self._tabs("home"),
        )

    def _alarm_row(self, alarm: dict[str, Any]) -> Node:
        def toggle() -> None:
            alarm["enabled"] = not alarm["enabled"]
            self._plan(alarm)

        words = [alarm["label"]] if alarm["label"] else []
        row = widgets.switch_row(
            alarm["time"],
            alarm["enabled"],
            toggle,
            subtitle="  ".join([*words, self.day_names(alarm["days"])]),
            on_tap=self.go("alarm", id=alarm["id"]),
        )
        row.id = "alarm_item"
        return row

    def open_alarm(self, page: Page) -> None:
        """The page keeps a copy of the weekdays until it is saved."""
        alarm = self._alarm(page.arguments["id"])
        page.local["days"] = list(alarm["days"]) if alarm else []

    def _alarm(self, number: int) -> dict[str, Any] | None:
        alarms: list[dict[str, Any]] = self.state["alarms"]
        return next((alarm for alarm in alarms if alarm["id"] == number), None)

    def page_alarm(self, page: Page) -> Node:
        """Set or change an alarm. An empty field means what its hint says."""
        alarm = self._alarm(page.arguments["id"])
        time = alarm["time"] if alarm else self.host.now().strftime("%H:00")
        days: list[str] = page.local.setdefault("days", [])

        def flip(day: str) -> None:
            chosen = [other_day for other_day in DAYS if (other_day in days) != (other_day == day)]
            page.local["days"] = chosen

        hour = self.field(page, "hour", time[:2], numeric=True)
        minute = self.field(page, "minute", time[3:], numeric=True)
        label = self.field(page, "label", (alarm or {}).get("label") or self.say("Label", "标签"))
        cells = [
            widgets.chip(
                self.say(day, chinese),
                partial(flip, day),
                selected=day in days,
                name="day",
                color=self.color,
            )
            for day, chinese in DAYS.items()
        ]
        title = self.say("Edit alarm", "编辑闹钟") if alarm else self.say("New alarm", "新建闹钟")
        delete = (
            [
                self.icon_button(
                    "delete", "Delete alarm", "删除闹钟", lambda: self._delete(alarm), name="delete"
                )
            ]
            if alarm
            else []
        )
        return widgets.screen(
            self.bar(title, *delete),
            self.listing(
                page,
                widgets.row(
                    widgets.text(self.say("Hour", "时")),
                    widgets.edit(hour, name="hour", weight=1),
                    widgets.text(self.say("Minute", "分")),
                    widgets.edit(minute, name="minute", weight=1),
                    padding=16,
                ),
                widgets.section(self.say("Repeat", "重复")),
                widgets.tiles(cells, columns=4, name="weekdays"),
                widgets.column(widgets.edit(label, name="label"), padding=16),
                widgets.detail_line(self.say("Ringtone", "铃声"), self.say("Morning birds", "清晨鸟鸣")),
                name="form",
            ),
            widgets.bottom_bar(
                widgets.flat_button(self.say("Cancel", "取消"), self.host.back, name="cancel", weight=1),
                self.button("Save", "保存", lambda: self._save(page, alarm, time), name="save", weight=1),
            ),
        )

    def _save(self, page: Page, alarm: dict[str, Any] | None, time: str) -> None:
        hour, _, minute = self.typed(page, "hour").replace("：", ":").partition(":")
        hour, minute = hour or time[:2], self.typed(page, "minute") or minute or time[3:]
        if not (hour.isdecimal() and minute.isdecimal() and int(hour) < 24 and int(minute) < 60):
            self.host.toast(self.say("This is not a time of day", "时间不正确"))
            return
        changed = {
            "time": f"{int(hour):02}:{int(minute):02}",
            "days": list(page.local["days"]),
            "enabled": True,
            "label": self.typed(page, "label") or (alarm or {}).get("label", ""),
        }
        if not alarm:
            alarm = {"id": max((alarm["id"] for alarm in self.state["alarms"]), default=0) + 1}
            self.state["alarms"].append(alarm)
        alarm.update(changed)
        self._plan(alarm)
        self.host.toast(self.say(f"Alarm set for {changed['time']}", f"闹钟已设为 {changed['time']}"))
        self.host.back()

    def _plan(self, alarm: dict[str, Any]) -> None:
        """Ring at the alarm's next time, unless it is changed, switched off or deleted until then."""
        number = alarm["id"]
        self._next.pop(number, None)
        if not alarm["enabled"]:
            return
        now = self.host.now()
        hour, minute = map(int, alarm["time"].split(":"))
        next_time = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
        while next_time <= now or (alarm["days"] and list(DAYS)[next_time.weekday()] not in alarm["days"]):
            next_time += timedelta(days=1)

        def ring() -> None:
            if self._next.get(number) != next_time or self._alarm(number) is not alarm:
                return
            self.host.notify(alarm["label"] or self.say("Alarm", "闹钟"), alarm["time"])
            alarm["enabled"] = bool(alarm["days"])
            self._plan(alarm)

        self._next[number] = next_time
        self.host.at(next_time, ring)

    def _delete(self, alarm: dict[str, Any] | None) -> None:
        self.state["alarms"].remove(alarm)
        self.host.back()

    def page_world(self, page: Page) -> Node:
        """The time elsewhere."""
        entries = [
            widgets.list_row(
                self.words(city.name),
                trailing=(self.host.now() + timedelta(hours=city.hours)).strftime("%H:%M"),
            )
            for city in self.data.cities
        ]
        return widgets.screen(
            self.bar(self.say("World clock", "世界时钟"), back=False),
            self.listing(page, *entries),
            self._tabs("world"),
        )

    def page_timer(self, page: Page) -> Node:
        """Start a countdown, by minutes typed or chosen."""

        def start(seconds: int) -> None:
            timer = {"seconds": seconds, "status": "running", "started": self.stamp()}
            self.state["timers"].append(timer)
            self.host.at(self.host.now() + timedelta(seconds=seconds), partial(self._finish, timer))

        def typed() -> None:
            minutes = self.typed(page, "minutes")
            if minutes.isdecimal() and 0 < int(minutes) < 1000:
                start(int(minutes) * 60)
                self.field(page, "minutes").value = ""
            else:
                self.host.toast(self.say("Enter minutes", "请输入分钟数"))

        minutes = self.field(page, "minutes", self.say("Minutes", "分钟"), numeric=True, on_submit=typed)
        presets = [
            widgets.chip(
                self.say(f"{count} min", f"{count} 分钟"),
                partial(start, count * 60),
                color=self.color,
            )
            for count in (1, 3, 5, 10, 15, 20, 30, 45, 60)
        ]
        running = [self._timer_row(timer) for timer in self.state["timers"] if timer["status"] == "running"]
        return widgets.screen(
            self.bar(self.say("Timer", "计时器"), back=False),
            widgets.column(widgets.edit(minutes, name="minutes"), padding=16),
            self.chips(page, *presets),
            widgets.column(self.button("Start", "开始", typed, name="start"), padding=16),
            self.listing(page, *running),
            self._tabs("timer"),
        )

    def _finish(self, timer: dict[str, Any]) -> None:
        if timer["status"] == "running":
            timer["status"] = "finished"
            minutes = timer["seconds"] // 60
            self.host.notify(
                self.say("Time is up", "计时结束"), self.say(f"{minutes} min", f"{minutes} 分钟")
            )

    def _timer_row(self, timer: dict[str, Any]) -> Node:
        def cancel() -> None:
            timer["status"] = "cancelled"

        stop = self.icon_button("close", "Cancel timer", "取消计时", cancel, name="cancel_timer")
        minutes, seconds = divmod(timer["seconds"], 60)
        started = self.say(f"Started {timer['started'][11:]}", f"{timer['started'][11:]} 开始")
        return widgets.list_row(f"{minutes:02}:{seconds:02}", started, action=stop, name="timer_item")

    def page_stopwatch(self, page: Page) -> Node:
        """A running stopwatch never lets the screen become idle."""
        watch = self.state["stopwatch"]

        def turn() -> None:
            if watch["running"]:
                watch["laps"].append(self._elapsed())
                watch["running"] = False
            else:
                watch.update(running=True, started=self.host.now().isoformat())

        def reset() -> None:
            watch.update(running=False, started="", laps=[])

        shown = self._elapsed() if watch["running"] else (watch["laps"] or [0])[-1]
        face = widgets.text(f"{shown:.1f} s", name="elapsed", size=40, align=Align.CENTER)
        face.moving = watch["running"] and self.difficulties.spinners
        start = ("Stop", "停止") if watch["running"] else ("Start", "开始")
        laps = [
            widgets.list_row(self.say(f"Lap {index}", f"第 {index} 次"), trailing=f"{lap:.1f} s")
            for index, lap in enumerate(watch["laps"], 1)
        ]
        return widgets.screen(
            self.bar(self.say("Stopwatch", "秒表"), back=False),
            face,
            self.listing(page, *laps),
            widgets.bottom_bar(
                widgets.flat_button(self.say("Reset", "重置"), reset, name="reset", weight=1),
                self.button(*start, turn, name="start_stop", weight=1),
            ),
            self._tabs("stopwatch"),
        )

    def _elapsed(self) -> float:
        started = datetime.fromisoformat(self.state["stopwatch"]["started"])
        return round((self.host.now() - started).total_seconds(), 1)

"""The system's settings, described page by page in the data."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

from assistant.simulator.apps import widgets
from assistant.simulator.apps.base import BaseApp
from assistant.simulator.apps.host import Page
from assistant.simulator.apps.schema import AppData, Entry, Text
from assistant.simulator.apps.search import find
from assistant.simulator.surface import UnknownComponent
from assistant.simulator.ui.nodes import Node

_PAGES = {
    "ACCESSIBILITY": ("accessibility", "AccessibilitySettings"),
    "APPLICATION": ("apps", "ManageApplications"),
    "BATTERY_SAVER": ("battery", "BatterySaverSettings"),
    "BLUETOOTH": ("bluetooth", "BluetoothSettings"),
    "DATE": ("date", "DateTimeSettings"),
    "DEVICE_INFO": ("about", "MyDeviceInfo"),
    "DISPLAY": ("display", "DisplaySettings"),
    "INTERNAL_STORAGE": ("storage", "StorageDashboard"),
    "LOCALE": ("language", "LocalePicker"),
    "LOCATION_SOURCE": ("location", "LocationSettings"),
    "NETWORK_OPERATOR": ("network", "MobileNetwork"),
    "SECURITY": ("security", "SecurityDashboard"),
    "SOUND": ("sound", "SoundSettings"),
    "WIFI": ("wifi", "WifiSettings"),
}
"""The pages, and AOSP's activities, by the names that `android.provider.Settings` gives to their actions."""


class Value(Entry):
    """One of the values a setting may have."""

    name: Text
    value: str


class Row(Entry):
    """A line of a settings page.

    `switch` toggles a setting between two values; `choice` takes one of `values`; `level` goes up and
    down between 0 and `most`; `page` leads to another page; `text` only tells; `networks`, `devices` and
    `apps` list what is there.
    """

    title: Text
    kind: Literal["switch", "choice", "level", "page", "text", "networks", "devices", "apps"]
    setting: str = ""
    when_on: str = "1"
    when_off: str = "0"
    most: int = 0
    values: tuple[Value, ...] = ()
    page: str = ""
    icon: str = ""
    text: Text | None = None


class SettingsPage(Entry):
    """A page and its rows."""

    title: Text
    rows: tuple[Row, ...]


class Network(Entry):
    """A Wi-Fi network in reach; an open one needs no password."""

    name: str
    open: bool = False


class Device(Entry):
    """A Bluetooth device: paired already, or found by searching."""

    name: Text
    paired: bool = False


class SettingsData(AppData):
    """All pages; the first is `home`."""

    pages: dict[str, SettingsPage]
    networks: tuple[Network, ...]
    devices: tuple[Device, ...]


class SettingsApp(BaseApp[SettingsData]):
    """Radios, display, sound, language, apps.

    State: {"values": {setting: value} as changed here, "wifi_network": the one chosen here last, "paired":
    [device], "bluetooth_device": the one connected here last or ""}. The phone's services hold what is in
    force.
    """

    system = True

    def seed(self) -> dict[str, Any]:
        """Nothing changed yet, connected to the first network."""
        return {
            "values": {},
            "wifi_network": self.data.networks[0].name,
            "paired": [device.name.en for device in self.data.devices if device.paired],
            "bluetooth_device": "",
        }

    def activity(self, page: Page) -> str:
        """As in AOSP: that of its intent for a page that one opened, else `SubSettings` whatever it shows."""
        if by_intent := page.arguments.get("activity"):
            return f".Settings${by_intent}Activity"
        return ".Settings" if page.name == "home" else ".SubSettings"

    def set(self, name: str, value: str) -> None:
        """Change a setting of the phone, and remember that the user did."""
        self.state["values"][name] = value
        self.host.set_setting(name, value)

    def page_at(self, address: str) -> Page | None:
        """The page of an `android.settings.…_SETTINGS`."""
        action = address.removeprefix("android.settings.").removesuffix("_SETTINGS")
        name, activity = _PAGES.get(action, ("", ""))
        if name not in self.data.pages:
            raise UnknownComponent(address)
        return Page("section", {"name": name, "activity": activity})

    def page_home(self, page: Page) -> Node:
        """The list of all pages."""
        home = self.data.pages["home"]
        return widgets.screen(
            self.bar(self.words(home.title), back=False),
            widgets.search_entry(self.say("Search settings", "搜索设置项"), self.go("search")),
            self.listing(page, *[node for row in home.rows for node in self._row(page, row)]),
        )

    def open_section(self, page: Page) -> None:
        """Searching for devices takes a moment."""
        rows = self.data.pages[page.arguments["name"]].rows
        if any(row.kind in ("devices", "networks") for row in rows):
            self.wait(page)

    def page_section(self, page: Page) -> Node:
        """One page of settings."""
        shown = self.data.pages[page.arguments["name"]]
        return widgets.screen(
            self.bar(self.words(shown.title)),
            self.listing(page, *[node for row in shown.rows for node in self._row(page, row)]),
        )

    def page_search(self, page: Page) -> Node:
        """Find a setting by its name."""
        query = self.typed(page, "query")
        rows = [(name, row) for name, shown in self.data.pages.items() for row in shown.rows]
        matches = find(query, rows, lambda pair: [pair[1].title.en, pair[1].title.zh])
        entries = [
            widgets.list_row(
                self.words(row.title),
                self.words(self.data.pages[name].title),
                on_tap=self.go("section", name=row.page or name) if row.page or name != "home" else None,
            )
            for name, row in matches
        ]
        return widgets.screen(
            self.search_box(page, self.say("Search settings", "搜索设置项"), lambda _: None),
            self.listing(page, *entries),
        )

    def _row(self, page: Page, row: Row) -> list[Node]:
        title = self.words(row.title)
        match row.kind:
            case "switch":
                on = self.host.setting(row.setting) == row.when_on
                return [
                    widgets.switch_row(
                        title,
                        on,
                        lambda: self.set(row.setting, row.when_off if on else row.when_on),
                        subtitle=self.words(row.text) if row.text else "",
                    )
                ]
            case "choice":
                now = self.host.setting(row.setting)
                names = [self.words(value.name) for value in row.values if value.value == now]
                return [
                    widgets.list_row(
                        title,
                        names[0] if names else "",
                        on_tap=self.go("choice", name=page.arguments.get("name", "home"), row=row.title.en),
                    )
                ]
            case "level":
                return [self._level(title, row)]
            case "page":
                icon = widgets.pictogram(row.icon, color=self.color) if row.icon else None
                return [widgets.list_row(title, leading=icon, on_tap=self.go("section", name=row.page))]
            case "networks":
                return [widgets.section(title), *self._networks(page)]
            case "devices":
                return [widgets.section(title), *self._devices(page)]
            case "apps":
                return self._apps()
            case _:
                return [widgets.list_row(title, self.words(row.text) if row.text else "")]

    def _level(self, title: str, row: Row) -> Node:
        text = self.host.setting(row.setting)
        now = int(text) if text.isdecimal() else 0
        step = max(1, row.most // 10)

        def change(by: int) -> None:
            self.set(row.setting, str(min(row.most, max(0, now + by * step))))

        return widgets.list_row(
            title,
            f"{round(100 * now / row.most)} %",
            action=widgets.row(
                self.icon_button("minus", "Decrease", "减小", lambda: change(-1), name="decrease"),
                self.icon_button("plus", "Increase", "增大", lambda: change(1), name="increase"),
            ),
            name="level",
        )

    def page_choice(self, page: Page) -> Node:
        """Choose one value of a setting."""
        rows = self.data.pages[page.arguments["name"]].rows
        row = next(candidate for candidate in rows if candidate.title.en == page.arguments["row"])
        now = self.host.setting(row.setting)

        def choose(value: str) -> None:
            self.set(row.setting, value)
            self.host.back()

        entries = [
            widgets.check_row(
                self.words(value.name), value.value == now, partial(choose, value.value), single=True
            )
            for value in row.values
        ]
        return widgets.screen(self.bar(self.words(row.title)), self.listing(page, *entries))

    def _networks(self, page: Page) -> list[Node]:
        if self.host.setting("wifi_on") != "1":
            return [widgets.paragraph(self.say("Turn Wi-Fi on to see networks.", "打开 WLAN 以查看网络。"))]
        waiting = self.waiting(page)
        if waiting:
            return [waiting]
        connected = self.host.connected("wifi")
        network_names = {network.name for network in self.data.networks}
        here = [Network(name=connected, open=True)] if connected and connected not in network_names else []
        return [
            widgets.list_row(
                network.name,
                self.say("Connected", "已连接") if network.name == connected else "",
                leading=widgets.pictogram("wifi"),
                on_tap=self._choose(network),
                name="network",
            )
            for network in (*here, *self.data.networks)
        ]

    def _choose(self, network: Network) -> widgets.Tap:
        return (
            partial(self._join, network.name) if network.open else self.go("password", network=network.name)
        )

    def _join(self, name: str) -> None:
        self.state["wifi_network"] = name
        self.host.connect("wifi", name)

    def page_password(self, page: Page) -> Node:
        """The password of a Wi-Fi network; the keyboard covers the button."""

        def join() -> None:
            if len(self.typed(page, "password")) < 8:
                self.host.toast(self.say("The password has at least 8 characters", "密码至少 8 位"))
                return
            self._join(page.arguments["network"])
            self.host.back()

        field = self.field(page, "password", self.say("Password", "密码"), password=True, on_submit=join)
        return widgets.screen(
            self.bar(page.arguments["network"]),
            widgets.column(widgets.edit(field, name="password"), padding=16),
            widgets.filler(),
            widgets.bottom_bar(self.button("Connect", "连接", join, name="connect", weight=1)),
        )

    def _devices(self, page: Page) -> list[Node]:
        if self.host.setting("bluetooth_on") != "1":
            return [widgets.paragraph(self.say("Turn Bluetooth on to see devices.", "打开蓝牙以查看设备。"))]
        paired_devices = [device for device in self.data.devices if device.name.en in self.state["paired"]]
        others = [device for device in self.data.devices if device.name.en not in self.state["paired"]]
        waiting = self.waiting(page)
        entries = [waiting] if waiting else [self._device(device) for device in others]
        return [
            *[self._device(device) for device in paired_devices],
            widgets.section(self.say("Available devices", "可用设备")),
            *entries,
        ]

    def _device(self, device: Device) -> Node:
        name = device.name.en
        connected = name == self.host.connected("bluetooth")

        def connect() -> None:
            if name not in self.state["paired"]:
                self.state["paired"].append(name)
            self.state["bluetooth_device"] = "" if connected else name
            self.host.connect("bluetooth", self.state["bluetooth_device"])

        return widgets.list_row(
            self.words(device.name),
            self.say("Connected", "已连接") if connected else "",
            leading=widgets.pictogram("bluetooth"),
            on_tap=connect,
            name="device",
        )

    def _apps(self) -> list[Node]:
        apps = sorted(self.host.apps(), key=lambda app: app.label("en"))
        return [
            widgets.list_row(
                app.label(self.host.locale),
                app.package,
                on_tap=self.go("app", package=app.package),
                name="app_item",
            )
            for app in apps
        ]

    def page_app(self, page: Page) -> Node:
        """What the system knows about an app."""
        app = self.host.app(page.arguments["package"])
        size = 20 + len(app.package) * 3
        return widgets.screen(
            self.bar(app.label(self.host.locale)),
            widgets.detail_line(self.say("Package", "包名"), app.package),
            widgets.detail_line(self.say("Storage", "占用空间"), f"{size} MB"),
            widgets.detail_line(self.say("Version", "版本"), "4.2.1"),
            widgets.filler(),
            widgets.bottom_bar(
                self.button("Open", "打开", lambda: self.host.start_app(app.package), name="open", weight=1)
            ),
        )

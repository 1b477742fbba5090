"""System UI: the notification shade, the lock screen, and the bars at the edges."""

from __future__ import annotations

from assistant.records import Bounds
from assistant.simulator.android.software import Notification
from assistant.simulator.ui.desk import Desk
from assistant.simulator.ui.launcher import date_line
from assistant.simulator.ui.metrics import Screen
from assistant.simulator.ui.nodes import Align, Arrange, Node, Style
from assistant.simulator.ui.parts import BUTTON, FRAME, IMAGE, Tap, label, row, space
from assistant.simulator.ui.window import Backdrop, Window, full_window

SYSTEM_UI = "com.android.systemui"
ROOT = "com.android.systemui:id/legacy_window_root"
TILES = (
    ("wifi_on", "wifi", "Internet", "互联网"),
    ("bluetooth_on", "bluetooth", "Bluetooth", "蓝牙"),
    ("airplane_mode_on", "airplane", "Airplane mode", "飞行模式"),
    ("zen_mode", "moon", "Do not disturb", "勿扰"),
    ("dark_mode", "contrast", "Dark theme", "深色主题"),
    ("location_mode", "location", "Location", "位置信息"),
)


def window_title(desk: Desk) -> str:
    """What Android calls the window of shade and lock screen."""
    return "StatusBar" if desk.services.profile.level < 30 else "NotificationShade"


def _system_window(desk: Desk, screen: Screen, *parts: Node) -> Window:
    inner = Node(widget=FRAME, id="notification_panel", padding=16, gap=12, children=list(parts), weight=1)
    bars = [space(screen.status_bar.height / screen.scale), inner]
    root = Node(widget=FRAME, id=ROOT, children=bars)
    window = full_window(screen, SYSTEM_UI, root)
    window.title, window.backdrop = window_title(desk), Backdrop.SHEET
    return window


def shade(desk: Desk, screen: Screen) -> Window:
    """The panel that comes down from the top: tiles, then notifications, newest first."""
    tiles = TILES if desk.panels.shade == "settings" else TILES[:4]
    quick = Node(
        widget="android.view.ViewGroup",
        id="quick_settings_panel",
        arrange=Arrange.GRID,
        columns=2,
        gap=8,
        children=[_tile(desk, *tile) for tile in tiles],
    )
    posted = [
        _notification(desk, notification) for notification in reversed(desk.services.notifications.posted)
    ]
    if posted:
        posted.append(_clear_button(desk))
    else:
        words = desk.say("No notifications", "没有通知")
        posted = [label(words, name="no_notifications", color="#b9c3da", align=Align.CENTER)]
    stack = Node(
        widget="android.widget.ScrollView",
        id="notification_stack_scroller",
        gap=8,
        weight=1,
        scroll=desk.panels.shade_scroll,
        children=posted,
    )
    clock = row(
        label(f"{desk.now():%H:%M}", name="clock", size=26, color="#ffffff"),
        label(date_line(desk), name="date", color="#d5dcec", weight=1),
        gap=12,
    )
    return _system_window(desk, screen, clock, quick, stack)


def _tile(desk: Desk, setting: str, icon: str, english: str, chinese: str) -> Node:
    on = desk.setting(setting) not in ("", "0")
    words = desk.say(english, chinese)
    style = Style(
        icon=icon,
        icon_size=20,
        background="#3f7cf0" if on else "#3a4257",
        color="#ffffff",
        radius=24,
        size=14,
    )

    def toggle() -> None:
        value = "0" if on else ("3" if setting == "location_mode" else "1")
        desk.set_setting(setting, value)

    return Node(
        widget="android.widget.ToggleButton",
        id="tile_label",
        text=words,
        description=words,
        padding=14,
        height=52,
        checked=on,
        style=style,
        on_tap=toggle,
    )


def _notification(desk: Desk, notification: Notification) -> Node:
    def open_app() -> None:
        desk.services.notifications.cancel(notification.key)
        desk.panels.close()
        if any(app.package == notification.package for app in desk.apps()):
            desk.start_app(notification.package)

    header = row(
        label(desk.label(notification.package), name="android:id/app_name_text", size=12, color="#5d6675"),
        label(f"{notification.posted:%H:%M}", name="android:id/time", size=12, color="#5d6675", weight=1),
        gap=8,
    )
    return Node(
        widget=FRAME,
        id="expandableNotificationRow",
        padding=14,
        gap=3,
        children=[
            header,
            label(notification.title, name="android:id/title", bold=True, size=15),
            label(notification.text, name="android:id/text", size=14, lines=3),
            *([_actions(notification)] if notification.actions else ()),
        ],
        style=Style(background="#ffffff", radius=18),
        on_tap=open_app,
    )


def _actions(notification: Notification) -> Node:
    style = Style(color="#2456b8", size=14, max_lines=1)
    buttons = [
        Node(widget=BUTTON, id="android:id/action0", text=words, style=style, on_tap=act, height=40)
        for words, act in notification.actions
    ]
    return row(*buttons, gap=12)


def _clear_button(desk: Desk) -> Node:
    def clear() -> None:
        for notification in list(desk.services.notifications.posted):
            desk.services.notifications.cancel(notification.key)

    style = Style(color="#ffffff", border="#6e7c9c", radius=18, align=Align.CENTER, size=14, max_lines=1)
    words = desk.say("Clear all", "全部清除")
    return Node(widget=BUTTON, id="dismiss_text", text=words, style=style, on_tap=clear, height=40)


def keyguard(desk: Desk, screen: Screen) -> Window:
    """The lock screen; after a swipe up, a secure one asks for its PIN."""
    wide = screen.width > screen.height
    parts = _pin_pad(desk, 6 if wide else 3) if desk.panels.bouncer else _lock_face(desk)
    window = _system_window(desk, screen, *parts)
    window.backdrop = Backdrop.SHEET if desk.panels.bouncer else Backdrop.WALLPAPER
    return window


def _lock_face(desk: Desk) -> list[Node]:
    posted = [
        _summary(desk, notification) for notification in reversed(desk.services.notifications.posted[-3:])
    ]
    return [
        space(weight=1),
        Node(widget=IMAGE, id="lock_icon", height=26, style=Style(icon="lock", color="#ffffff")),
        label(
            f"{desk.now():%H:%M}", name="lockscreen_clock_view", size=64, color="#ffffff", align=Align.CENTER
        ),
        label(date_line(desk), name="date", size=16, color="#ffffff", align=Align.CENTER),
        space(16),
        *posted,
        space(weight=2),
        label(
            desk.say("Swipe up to unlock", "上滑解锁"),
            name="keyguard_indication_text",
            size=14,
            color="#ffffff",
            align=Align.CENTER,
        ),
        space(24),
    ]


def _summary(desk: Desk, notification: Notification) -> Node:
    words = (
        notification.title if not desk.services.keyguard.secure else desk.say("Content hidden", "内容已隐藏")
    )
    return Node(
        widget=FRAME,
        id="expandableNotificationRow",
        padding=12,
        gap=2,
        children=[
            label(
                desk.label(notification.package), name="android:id/app_name_text", size=12, color="#5d6675"
            ),
            label(words, name="android:id/title", size=14),
        ],
        style=Style(background="#ffffff", radius=16),
    )


def _pin_pad(desk: Desk, columns: int) -> list[Node]:
    panels = desk.panels

    def digit(character: str) -> Tap:
        return lambda: enter_pin(desk, character)

    def erase() -> None:
        panels.pin = panels.pin[:-1]

    keys = [_pin_key(character, digit(character), f"key{character}") for character in "123456789"]
    keys += [
        _pin_key("Delete", erase, "delete_button", icon="backspace"),
        _pin_key("0", digit("0"), "key0"),
        _pin_key("OK", lambda: check_pin(desk), "key_enter", icon="check"),
    ]
    pad = Node(
        widget="android.view.ViewGroup",
        id="keyguard_pin_view",
        arrange=Arrange.GRID,
        columns=columns,
        gap=14,
        padding=24,
        children=keys,
    )
    return [
        space(weight=1),
        label(
            desk.say("Enter PIN", "输入 PIN 码"),
            name="keyguard_message_area",
            size=18,
            color="#ffffff",
            align=Align.CENTER,
        ),
        label("•" * len(panels.pin) or " ", name="pinEntry", size=30, color="#ffffff", align=Align.CENTER),
        pad,
        space(weight=1),
    ]


def _pin_key(words: str, on_tap: Tap, name: str, icon: str = "") -> Node:
    style = Style(
        background="#3a4766", color="#ffffff", radius=32, size=24, align=Align.CENTER, icon=icon, icon_size=24
    )
    text = "" if icon else words
    return Node(widget=BUTTON, id=name, text=text, description=words, height=64, style=style, on_tap=on_tap)


def enter_pin(desk: Desk, character: str) -> None:
    """One digit of the PIN; the phone opens with the last right one."""
    desk.panels.pin += character
    if desk.panels.pin == desk.services.keyguard.pin:
        unlock(desk)
    desk.changed()


def check_pin(desk: Desk) -> None:
    """The PIN pad's confirming key: a wrong PIN is taken back."""
    desk.panels.pin = ""
    desk.changed()


def unlock(desk: Desk) -> None:
    """Take the lock screen away."""
    desk.services.keyguard.showing = False
    desk.panels.bouncer, desk.panels.pin = False, ""
    desk.changed()


def navigation_bar(desk: Desk, screen: Screen, back: Tap, home: Tap, recents: Tap) -> Window:
    """The three buttons at the lower edge."""
    keys = [
        Node(
            widget="android.widget.ImageView",
            id=name,
            description=words,
            weight=1,
            height=48,
            style=Style(icon=icon, icon_size=20),
            on_tap=press,
        )
        for name, icon, words, press in (
            ("back", "nav_back", desk.say("Back", "返回"), back),
            ("home_button", "nav_home", desk.say("Home", "主屏幕"), home),
            ("recent_apps", "nav_recents", desk.say("Overview", "概览"), recents),
        )
    ]
    area = screen.navigation_bar
    window = full_window(screen, SYSTEM_UI, row(*keys, name="nav_buttons"), Bounds(*area))
    window.title, window.backdrop = "NavigationBar0", Backdrop.NONE
    window.modal = window.focusable = False
    return window

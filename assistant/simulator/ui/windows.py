"""The window manager: the phone's screen as touches, keys, pictures and UI trees."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from PIL.Image import Image

from assistant.records import Bounds
from assistant.simulator.android.hardware import Wakefulness
from assistant.simulator.android.services import Services
from assistant.simulator.apps.host import App
from assistant.simulator.apps.people import BOOK
from assistant.simulator.surface import FocusedWindow, NotIdle, UnknownComponent, UnknownDisplay
from assistant.simulator.ui import draw, gestures, ime, keys, scene, touch, xml
from assistant.simulator.ui.desk import Desk, MakeApps, no_apps
from assistant.simulator.ui.drawn import drawn
from assistant.simulator.ui.tasks import HOME
from assistant.simulator.ui.window import Window

IDLE_SECONDS = 0.5
"""How long content must rest before the screen counts as idle, on a phone with real delays."""


class WindowManager:
    """Implements `Surface`. Its `desk` is the apps' `Host`.

    `make_apps` and `make_installable` build the apps anew at each reset, given their host. What is shown
    follows from the desk, the services and the clock alone: the same state gives the same picture.
    """

    def __init__(
        self,
        services: Services,
        make_apps: MakeApps,
        make_installable: MakeApps = no_apps,
        seed: int = 0,
    ) -> None:
        self.services = services
        self.desk = Desk(services, make_apps, make_installable, seed)
        self._windows: list[Window] = []
        self._composed: object = None
        self._frame: Image | None = None
        self._drawn: object = None
        self._marks: dict[str, Any] = {"marks": []}
        self._page: object = None
        self._came = float("-inf")
        self._left: Image | None = None

    def reset(self) -> None:
        """Start again with fresh apps at the launcher."""
        self.desk.reset()

    def apps(self) -> list[App]:
        """All installed apps."""
        return self.desk.apps()

    def changed(self) -> None:
        """Redraw: apps or services were changed from outside."""
        self.desk.settle()

    def not_responding(self, package: str) -> None:
        """Show that an app hangs."""
        self.desk.panels.not_responding = package
        self.desk.changed()

    def _key(self) -> tuple[object, ...]:
        """What the composed windows depend on."""
        services = self.services
        tables = (services.settings.global_table, services.settings.secure, services.settings.system)
        return (
            self.desk.revision,
            self.desk.showing,
            services.displays.top,
            services.locale,
            scene.screen_of(self.desk),
            services.display.rotation,
            services.keyguard.showing,
            services.keyguard.secure,
            services.input_methods.current,
            services.wifi.enabled,
            services.wifi.active,
            services.bluetooth.enabled,
            services.bluetooth.connected,
            services.location.enabled,
            services.battery.level,
            services.battery.plugged,
            tuple(tuple(table.items()) for table in tables),
            tuple(
                (notification.key, notification.title, notification.text)
                for notification in services.notifications.posted
            ),
            tuple(services.packages.installed),
            f"{self.desk.now():%Y%m%d%H%M}",
        )

    def windows(self) -> list[Window]:
        """What is on the screen, the highest last."""
        key = self._key()
        if key != self._composed:
            buttons = (
                lambda: keys.back(self.desk, self.windows()),
                self.desk.go_home,
                lambda: keys.recents(self.desk),
            )
            self._windows = scene.compose(self.desk, scene.screen_of(self.desk), buttons)
            self._composed = self._key()
        return self._windows

    @contextmanager
    def on(self, display: int) -> Iterator[None]:
        """What is asked in the `with` block is about this display. Raises `UnknownDisplay`."""
        if display and display not in self.services.displays.shown:
            raise UnknownDisplay(display)
        with self.desk.on_display(display):
            yield

    def tap(self, x: float, y: float) -> None:
        """A short touch."""
        # What is hit was there before the touch, which may bring the keyboard to this display.
        hit = touch.find(self.windows(), x, y)
        self.services.displays.touched(self.desk.showing)
        if self.services.power.awake:
            self._focus_half(hit)
            gestures.tap(self.desk, hit)
            self.desk.settle()

    def _focus_half(self, hit: touch.Hit | None) -> None:
        """In split screen the app that is touched comes to the front."""
        if hit is not None and hit.window.package in self.halves():
            self.desk.tasks.bring(hit.window.package)

    def split(self, upper: str, lower: str) -> None:
        """Show two apps beside each other, the upper one with the focus."""
        for package in (lower, upper):
            self.desk.start_app(package)
        self.desk.panels.split = (upper, lower)
        self.desk.settle()

    def halves(self) -> dict[str, Bounds]:
        """Where the apps lie that share the screen, by package; empty where one has it."""
        return scene.split_halves(self.desk, scene.screen_of(self.desk))

    def hold(self, x: float, y: float, milliseconds: int) -> None:
        """A touch that stays; a short one is a tap."""
        if milliseconds < touch.HOLD_MILLISECONDS:
            self.tap(x, y)
            return
        self.services.displays.touched(self.desk.showing)
        if self.services.power.awake:
            gestures.hold(self.desk, touch.find(self.windows(), x, y))
            self.desk.settle()

    def swipe(self, x1: float, y1: float, x2: float, y2: float, milliseconds: int) -> None:
        """A touch that moves; within a finger's wander it is a tap or a hold."""
        screen = scene.screen_of(self.desk)
        if max(abs(x2 - x1), abs(y2 - y1)) < screen.px(touch.SLOP):
            self.hold(x1, y1, milliseconds)
            return
        self.services.displays.touched(self.desk.showing)
        if self.services.power.awake:
            hit = touch.find(self.windows(), x1, y1)
            gestures.swipe(self.desk, screen, hit, (x1, y1), (x2, y2))
            self.desk.settle()

    def key(self, code: int, *, long: bool = False) -> None:
        """An Android key code, pressed shortly or long."""
        keys.press(self.desk, self.windows(), code, long=long)
        self.desk.settle()

    def type_text(self, text: str, *, by_keys: bool = False) -> bool:
        """Insert text into the focused field, through the keyboard if `by_keys`; false without focus."""
        self.windows()
        typed = ime.write(self.desk, ime.compose(self.desk, text) if by_keys else text)
        self.desk.settle()
        return typed

    def clear_text(self) -> bool:
        """Empty the focused field; false when nothing has focus."""
        self.windows()
        cleared = ime.clear(self.desk)
        self.desk.settle()
        return cleared

    def start(self, package: str, activity: str = "", address: str = "") -> bool:
        """Bring an app to the front, at an address that it shows; false when it was already there.

        Raises `UnknownComponent`, also where nothing is at the address.
        """
        apps = {app.package: app for app in self.desk.apps()}
        app = apps.get(package)
        self.services.displays.touched(self.desk.showing)
        if package == HOME:
            there = self.desk.resumed()[0] == HOME
            self.desk.go_home()
        elif app is None:
            raise UnknownComponent(package)
        else:
            first = app.activity(app.first_page())
            if activity and activity.removeprefix(package) != first:
                raise UnknownComponent(f"{package}/{activity}")
            there = self.desk.resumed()[0] == package
            page = app.page_at(address) if address else None
            self.desk.start_app(package, page)
        self.desk.settle()
        return not there

    def stop(self, package: str) -> None:
        """End an app: its back stack goes, its data stays."""
        self.desk.stop(package)
        self.desk.settle()

    def clear(self, package: str) -> None:
        """End an app and make it forget everything."""
        self.desk.clear(package)
        self.desk.settle()

    def focused(self) -> FocusedWindow:
        """The window with focus."""
        if not self.windows():
            return FocusedWindow("", "")
        window = scene.active(self.windows())
        return FocusedWindow(window.package, window.activity, window.title)

    def resumed(self) -> FocusedWindow:
        """The app underneath any system window."""
        return FocusedWindow(*self.desk.resumed())

    def keyboard_shown(self) -> bool:
        """Whether the input method's window is up."""
        return any(window.title == "InputMethod" for window in self.windows())

    def field_focused(self) -> bool:
        """Whether a text field has input focus."""
        self.windows()
        return self.desk.focus.field is not None

    def secure(self) -> bool:
        """Whether the focused window forbids screenshots."""
        return any(window.secure for window in self.windows()[:1]) and not self.desk.panels.shade

    def render(self) -> Image:
        """The screen as an RGBA picture; secure windows and a sleeping screen are black."""
        screen = scene.screen_of(self.desk)
        windows = self.windows()
        turning = int(self.services.clock.uptime() * 10) if scene.moving(windows) else 0
        toast = self.desk.current_toast()
        key = (self._composed, self.services.power.wakefulness, toast, turning)
        before = self._frame
        if self._frame is None or key != self._drawn:
            apart = self.desk.showing and (self.services.quirks.black_displays or not windows)
            if apart or self.services.power.wakefulness is not Wakefulness.AWAKE or self.secure():
                self._frame = draw.black(screen)
                self._marks = {"marks": []}
            else:
                self._frame = draw.frame(self.desk, screen, windows, toast, turning)
                self._marks = self.describe()
            self._drawn = key
        return self._sliding(scene.active(windows) if windows else None, self._frame, before)

    def _sliding(self, active: Window | None, frame: Image, before: Image | None) -> Image:
        """The frame, over that of the page before where a page that came just now still slides in."""
        page = (active.package, active.activity, active.title) if active is not None else None
        lasts, now = self.services.quirks.slides, self.services.clock.uptime()
        if page != self._page:
            self._page, self._came, self._left = page, now, before
        if now - self._came >= lasts or self._left is None or self._left.size != frame.size:
            return frame.copy()
        picture = self._left.copy()
        picture.paste(frame, (round(picture.width * (1 - (now - self._came) / lasts)), 0))
        return picture

    def describe(self) -> dict[str, Any]:
        """What the picture of the screen shows now, as plain values (see `drawn`)."""
        active, screen = scene.active(self.windows()), scene.screen_of(self.desk)
        names = {app.package: app.label(self.services.locale) for app in self.apps()}
        return {
            "marks": drawn(active, self.desk.focus.field),
            "size": [screen.width, screen.height],
            "app": names.get(active.package, active.title),
            "package": active.package,
            "keyboard": self.keyboard_shown(),
        }

    @property
    def last_picture(self) -> dict[str, Any]:
        """What the last picture showed that somebody took, as `describe` has it."""
        return self._marks

    def dump(self, *, every: bool = False, resting: bool = True) -> bytes:
        """The active window, or every one, as uiautomator's XML. Raises `NotIdle` unless it may move."""
        idle = IDLE_SECONDS * min(1.0, self.services.delays.factor)
        since = self.services.clock.uptime() - self.desk.plans.last_late_change
        displays = self._shown_displays()
        if resting and (since < idle or any(scene.moving(shown.windows) for shown in displays)):
            raise NotIdle
        level, top = self.services.profile.level, self.services.displays.top
        if not resting:  # It is uiautomator2's server that asks: it prints more than `uiautomator dump`.
            level = max(level, xml.HINT_LEVEL)
        focused = next((shown for shown in displays if shown.number == top and shown.windows), displays[0])
        active = scene.active(focused.windows)
        if every:
            return xml.dump_all(displays, active, level)
        extra = self.services.quirks.extra_nodes
        return xml.dump(active, focused.rotation, focused.field, level, extra)

    def _shown_displays(self) -> list[xml.ShownDisplay]:
        """What is on each display, the phone's own first."""
        shown = []
        for number in (0, *self.services.displays.shown):
            with self.desk.on_display(number):
                empty = bool(number) and self.services.quirks.black_displays
                rotation = self.services.display.rotation
                windows = self.windows()
                shown.append(xml.ShownDisplay(number, windows, rotation, self.desk.focus.field, empty))
        return shown

    def contacts(self) -> list[tuple[str, str]]:
        """Name and number of everybody in the address book."""
        books = [app for app in self.desk.apps() if app.package == BOOK]
        return [(entry["text"], entry["phone"]) for app in books for entry in app.state["contacts"]]

    def expand(self, panel: str) -> None:
        """Open `notifications` or `settings`, or `collapse`."""
        self.desk.panels.shade = "" if panel == "collapse" else panel
        self.desk.settle()

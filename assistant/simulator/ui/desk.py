"""The phone as apps see it, and what is open on it: the implementation of `Host`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from random import Random

from assistant.simulator.android.displays import VirtualDisplay
from assistant.simulator.android.hardware import Keyguard, Power
from assistant.simulator.android.services import Services
from assistant.simulator.android.software import Package, UsageEvent
from assistant.simulator.apps.host import App, Dialog, Host, Locale, Page, Radio
from assistant.simulator.chance import Chance
from assistant.simulator.ui.plans import Plans
from assistant.simulator.ui.state import Focus, OpenDialog, Panels, PermissionRequest, Stack
from assistant.simulator.ui.tasks import HOME, Task, Tasks

TOAST_SECONDS = 3.5
LAUNCHER_ACTIVITY = ".uioverrides.QuickstepLauncher"

MakeApps = Callable[[Host], Sequence[App]]


def no_apps(host: Host) -> Sequence[App]:
    """A phone without installable apps."""
    return ()


class Desk:
    """What is open on the phone. Apps know it as their `Host`.

    The running app is the one whose callback is executing, else the one in front.
    """

    def __init__(
        self, services: Services, make_apps: MakeApps, make_installable: MakeApps, seed: int
    ) -> None:
        self.services = services
        self._make_apps, self._make_installable, self._seed = make_apps, make_installable, seed
        self.revision = 0
        self.plans = Plans(services, self._act)
        services.displays.on_removed = self._display_gone
        services.displays.where = self._display_of
        self.reset()

    def reset(self) -> None:
        """A freshly started phone, with fresh apps, at the launcher."""
        self.random: Random = Chance(self._seed)
        self.services.displays.clear()
        self.showing = 0
        self._others: dict[int, Stack] = {}
        self.tasks = Tasks()
        self.dialogs: list[OpenDialog] = []
        self.requests: list[PermissionRequest] = []
        self.granted: dict[tuple[str, str], bool] = {}
        self.panels = Panels()
        self.focus = Focus()
        self._toast, self._toast_until = "", 0.0
        self.revision += 1
        self.plans.end()
        self.plans = Plans(self.services, self._act)
        self._running: list[str] = []
        self._resumed = (HOME, LAUNCHER_ACTIVITY)
        self._posted = 0
        self._known = {app.package: app for app in self._make_apps(self)}
        self._installable = {app.package: app for app in self._make_installable(self)}
        for app in self._known.values():
            self._register(app)

    @contextmanager
    def on_display(self, number: int) -> Iterator[None]:
        """In the `with` block a display is the one that is shown, with its tasks, focus and lock."""
        before = self.showing
        services = self.services
        own = services.display, services.keyguard, services.power
        if number != before:
            self._others[before] = Stack(self.tasks, self.panels, self.focus)
            self._turn_to(number)
            virtual = services.displays.shown.get(number)
            if virtual is not None:
                services.display = virtual.display
                if virtual.always_unlocked:
                    services.keyguard, services.power = Keyguard(), Power()
        try:
            yield
        finally:
            if number != before:
                services.display, services.keyguard, services.power = own
                self._others[number] = Stack(self.tasks, self.panels, self.focus)
                self._turn_to(before)

    def _turn_to(self, number: int) -> None:
        stack = self._others.pop(number, None) or Stack()
        self.tasks, self.panels, self.focus = stack.tasks, stack.panels, stack.focus
        self.showing = number

    def _display_of(self, package: str) -> int:
        shown = self.services.displays.shown
        others = (number for number, stack in self._others.items() if stack.tasks.find(package))
        there = (number for number in others if number == 0 or number in shown)
        return self.showing if self.tasks.find(package) else next(there, self.showing)

    def _bring_here(self, package: str) -> None:
        """An app has one instance: its task leaves the display that it was on."""
        for stack in self._others.values():
            task = stack.tasks.find(package)
            if task is not None and package != HOME:
                stack.tasks.remove(package)
                stack.focus.drop()
                self.tasks.order.append(task)

    def _display_gone(self, display: VirtualDisplay) -> None:
        stack = self._others.pop(display.number, None)
        if stack is not None and not display.destroys:
            self.tasks.order += reversed(stack.tasks.recent())
            self.focus.drop()
        self.changed()

    def _register(self, app: App) -> None:
        activity = app.activity(app.first_page())
        labels = {"en": app.label("en"), "zh": app.label("zh")}
        self.services.packages.add(Package(app.package, labels, activity, system=app.system))

    def now(self) -> datetime:
        """The phone's local time."""
        return self.services.clock.now()

    @property
    def locale(self) -> Locale:
        """The language that the phone speaks now."""
        return self.services.locale

    def changed(self) -> None:
        """Redraw."""
        self.revision += 1

    def say(self, english: str, chinese: str) -> str:
        """One of two wordings, by the phone's language."""
        return chinese if self.locale == "zh" else english

    @contextmanager
    def running(self, package: str) -> Iterator[None]:
        """Let callbacks act in an app's name."""
        self._running.append(package)
        try:
            yield
        finally:
            self._running.pop()

    @property
    def runner(self) -> str:
        """The running app's package."""
        return self._running[-1] if self._running else self.tasks.front.package

    def _task(self) -> Task:
        """The running app's task; one that is on no stack when the app was ended meanwhile."""
        task = self.tasks.find(self.runner)
        return task if task is not None else Task(self.runner)

    def open(self, page: Page) -> None:
        """Put a page on top of the running app's back stack."""
        task = self._task()
        task.pages.append(page)
        self._show(task.package, page)

    def _show(self, package: str, page: Page) -> None:
        """Tell an app that a page came to the top for the first time."""
        self.focus.drop()
        with self.running(package):
            self.app(package).opened(page)

    def replace(self, page: Page) -> None:
        """Put a page in place of the topmost."""
        task = self._task()
        task.pages[-1:] = [page]
        self._show(task.package, page)

    def back(self) -> None:
        """Leave the topmost page; from an app's only page, leave the app.

        Since Android 12 an app left from its first page keeps its task; older ones end it.
        """
        task = self._task()
        self.focus.drop()
        if len(task.pages) > 1:
            task.pages.pop()
        elif self.services.profile.level >= 31 and self._at_first_page(task):
            self.tasks.send_back(task.package)
        else:
            self.tasks.remove(task.package)
        self.changed()

    def _at_first_page(self, task: Task) -> bool:
        return task.top is not None and task.top.name == self.app(task.package).first_page().name

    def back_to(self, name: str) -> None:
        """Leave pages until one of that name is on top, or the app's first."""
        pages = self._task().pages
        while len(pages) > 1 and pages[-1].name != name:
            pages.pop()
        self.focus.drop()
        self.changed()

    def start_app(self, package: str, page: Page | None = None) -> None:
        """Bring another app to the front, on a page of it, else where the user left it."""
        app = self.app(package)
        self.panels.close()
        self.focus.drop()
        self._bring_here(package)
        task = self.tasks.bring(package)
        if page is None and not task.pages:
            page = app.first_page()
        if page is not None:
            task.pages.append(page)
            self._show(package, page)
        self.changed()

    def go_home(self) -> None:
        """Show the launcher."""
        self.panels.close()
        self.focus.drop()
        self.tasks.bring(HOME)
        self.changed()

    def lock(self) -> None:
        """Show the lock screen, on which nothing is typed yet."""
        self.services.keyguard.showing = True
        self.panels.close()
        self.panels.bouncer, self.panels.pin = False, ""
        self.focus.keyboard = False
        self._toast = ""
        self.changed()

    def end_apps(self) -> None:
        """End all apps, as the button below the recent ones does, and show the launcher."""
        for task in self.tasks.recent():
            self.stop(task.package)
        self.go_home()

    def restart(self) -> None:
        """Start the phone anew: every app's pages go, its data stays."""
        for task in self.tasks.recent():
            self.stop(task.package)
        self.lock()

    def stop(self, package: str) -> None:
        """End an app: its pages and dialogs go, its data stays."""
        for stack in (Stack(self.tasks, self.panels, self.focus), *self._others.values()):
            if stack.tasks.find(package):
                stack.tasks.remove(package)
                stack.focus.drop()
        self.dialogs = [dialog for dialog in self.dialogs if dialog.package != package]
        self.requests = [request for request in self.requests if request.package != package]
        if self.panels.not_responding == package:
            self.panels.not_responding = ""
        self.changed()

    def clear(self, package: str) -> None:
        """End an app and make it forget everything: its data, permissions and notifications."""
        self.stop(package)
        self.plans.forget(package)
        self.granted = {key: answer for key, answer in self.granted.items() if key[0] != package}
        for notification in [
            notification
            for notification in self.services.notifications.posted
            if notification.package == package
        ]:
            self.services.notifications.cancel(notification.key)
        app = self._known.get(package)
        if app is not None:
            app.clear()
        self.changed()

    def app(self, package: str) -> App:
        """An installed app's object. Raises `KeyError` for another."""
        if package not in self.services.packages.installed:
            raise KeyError(package)
        return self._known[package]

    def apps(self) -> list[App]:
        """All installed apps, the launcher excepted."""
        installed = self.services.packages.installed
        return [app for app in self._known.values() if app.package in installed]

    def label(self, package: str) -> str:
        """A package's name as the user reads it."""
        installed = self.services.packages.installed.get(package)
        return installed.label(self.locale) if installed else package

    def install(self, package: str) -> None:
        """Install a known but absent app. Raises `KeyError` for an unknown one."""
        app = self._known.get(package) or self._installable[package]
        self._known[package] = app
        self._register(app)
        self.changed()

    def add(self, app: App) -> None:
        """Install an app from outside the catalogue; it is gone after `reset`."""
        self._known[app.package] = app
        self._register(app)
        self.changed()

    def later(self, seconds: float, callback: Callable[[], None]) -> None:
        """Call back after a delay, scaled like all delays; without delays when the present touch is over."""
        self.plans.later(self.runner, seconds, callback)

    def at(self, moment: datetime, callback: Callable[[], None]) -> None:
        """Call back when the phone's clock reaches a moment."""
        self.plans.at(self.runner, moment, callback)

    def _act(self, package: str, callback: Callable[[], None]) -> None:
        with self.on_display(self._display_of(package)), self.running(package):
            callback()
        self.note_resumed()
        self.changed()

    def settle(self) -> None:
        """Run what waits without delay, note which app is in front, and redraw."""
        self.plans.settle()
        self.note_resumed()
        self.changed()

    def resumed(self) -> tuple[str, str]:
        """Package and activity of the task in front."""
        task = self.tasks.front
        if task.top is None or task.package == HOME:
            return HOME, LAUNCHER_ACTIVITY
        return task.package, self._known[task.package].activity(task.top)

    def note_resumed(self) -> None:
        """Write down a change of the activity in front, as usage statistics do."""
        now, before = self.resumed(), self._resumed
        if now == before or self.showing:
            return
        self._resumed = now
        self.services.usage.add(UsageEvent(self.now(), *before, kind="ACTIVITY_PAUSED"))
        self.services.usage.add(UsageEvent(self.now(), *now))

    def show(self, dialog: Dialog) -> None:
        """Show a dialog window of the running app."""
        self.focus.drop()
        self.dialogs.append(OpenDialog(self.runner, dialog))
        self.changed()

    def close_dialog(self, shown: OpenDialog) -> None:
        """Take a dialog away; nothing happens when it is gone already."""
        self.dialogs = [dialog for dialog in self.dialogs if dialog is not shown]
        self.focus.drop()
        self.changed()

    def toast(self, text: str) -> None:
        """Show a short message that goes by itself and is not in the UI tree."""
        self._toast, self._toast_until = text, self.services.clock.uptime() + TOAST_SECONDS
        self.changed()

    def current_toast(self) -> str:
        """The message that shows now, if any."""
        return self._toast if self.services.clock.uptime() < self._toast_until else ""

    def request_permission(self, permission: str, then: Callable[[bool], None]) -> None:
        """Ask the user once, in the system's own dialog; the answer is remembered per app."""
        package = self.runner
        answer = self.granted.get((package, permission))
        if answer is not None:
            then(answer)
            return
        self.focus.drop()
        self.requests.append(PermissionRequest(package, permission, then))
        self.changed()

    def asking(self) -> PermissionRequest | None:
        """What the permission dialog asks, if the app in front waits for an answer."""
        front = self.tasks.front.package
        return next((request for request in self.requests if request.package == front), None)

    def answer_permission(self, granted: bool, *, remember: bool = True) -> None:
        """The user's answer to the permission dialog that shows."""
        request = self.asking()
        if request is None:
            return
        self.requests.remove(request)
        if remember:
            self.granted[request.package, request.permission] = granted
        with self.running(request.package):
            request.then(granted)

    def notify(self, title: str, text: str) -> None:
        """Post a notification in the running app's name."""
        self._posted += 1
        self.services.notify(self.runner, title, text, number=self._posted)
        self.changed()

    def setting(self, name: str) -> str:
        """A system setting or radio; empty for an unknown one. `dark_mode` is 0 or 1."""
        if name == "dark_mode":
            return "1" if self.services.setting("ui_night_mode") == "2" else "0"
        return self.services.setting(name) or ""

    def set_setting(self, name: str, value: str) -> None:
        """Change a system setting or radio; the services follow."""
        if name == "dark_mode":
            name, value = "ui_night_mode", "2" if value == "1" else "1"
        self.services.set_setting(name, value)
        self.changed()

    def connected(self, radio: Radio) -> str:
        """The Wi-Fi network or Bluetooth device in use; empty for none."""
        return self.services.connected(radio)

    def connect(self, radio: Radio, name: str) -> None:
        """Join a Wi-Fi network, or pair with a Bluetooth device and use it; an empty name disconnects."""
        self.services.connect(radio, name)
        self.changed()

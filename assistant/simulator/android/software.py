"""The state of the phone's system software: packages, notifications, usage, input methods, the log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

USER_KEYBOARD = "com.example.keyboard/.Keyboard"
ADB_KEYBOARD = "com.android.adbkeyboard/.AdbIME"
U2_KEYBOARD = "com.github.uiautomator/.AdbKeyboard"
_FIRST_UID = 10_000


@dataclass(slots=True)
class Package:
    """One installed package. `activity` is the launcher activity (`.MainActivity`), empty for none.

    `labels` maps a locale to the app's name. `uid` is given when the package is added.
    """

    name: str
    labels: dict[str, str] = field(default_factory=dict)
    activity: str = ".MainActivity"
    system: bool = False
    version_code: int = 1
    uid: int = 0

    @property
    def path(self) -> str:
        """Where its APK lies."""
        if self.system:
            return f"/system/app/{self.name.rsplit('.', 1)[-1].capitalize()}/base.apk"
        return f"/data/app/~~{self.uid:x}Q==/{self.name}-{self.uid:x}A==/base.apk"

    @property
    def component(self) -> str:
        """Its launcher activity as `package/.Activity`."""
        return f"{self.name}/{self.activity}"

    def label(self, locale: str) -> str:
        """Its name in a locale, in English where there is none, else the package's own."""
        return self.labels.get(locale) or self.labels.get("en") or self.name


def _built_in() -> dict[str, Package]:
    packages = (
        Package("com.android.launcher3", {"en": "Launcher"}, ".uioverrides.QuickstepLauncher", system=True),
        Package("com.android.systemui", {"en": "System UI"}, "", system=True),
        Package("com.android.shell", {"en": "Shell"}, "", system=True),
        Package("com.example.keyboard", {"en": "Keyboard", "zh": "输入法"}, "", system=True),
    )
    return {package.name: replace(package, uid=10_000 + place) for place, package in enumerate(packages)}


@dataclass(slots=True)
class Packages:
    """The installed packages by name: at first only what belongs to the system."""

    installed: dict[str, Package] = field(default_factory=_built_in)

    def add(self, package: Package) -> None:
        """Install or replace a package; a new one gets the next user id."""
        installed_package = self.installed.get(package.name)
        if installed_package is not None:
            package.uid = installed_package.uid
        elif not package.uid:
            package.uid = 1 + max(
                (installed_package.uid for installed_package in self.installed.values()), default=_FIRST_UID
            )
        self.installed[package.name] = package

    def remove(self, name: str) -> None:
        """Uninstall a package; an absent one is no error."""
        self.installed.pop(name, None)


@dataclass(slots=True)
class Notification:
    """A posted notification. `number` is the id its app gave it, `actions` its buttons and what they do.

    `category` is what the app says of it, such as `msg` for a message.
    """

    package: str
    title: str
    text: str
    posted: datetime
    number: int = 1
    tag: str = ""
    channel: str = "default"
    uid: int = 10000
    actions: tuple[tuple[str, Callable[[], None]], ...] = ()
    category: str = ""

    @property
    def key(self) -> str:
        """The system's key: user, package, id, tag, uid."""
        return f"0|{self.package}|{self.number}|{self.tag or 'null'}|{self.uid}"


@dataclass(slots=True)
class Notifications:
    """The notifications in the shade, oldest first."""

    posted: list[Notification] = field(default_factory=list)

    def post(self, notification: Notification) -> None:
        """Show a notification; one of the same key is replaced."""
        self.cancel(notification.key)
        self.posted.append(notification)

    def cancel(self, key: str) -> bool:
        """Take one away; whether it was there."""
        kept = [notification for notification in self.posted if notification.key != key]
        gone = len(kept) < len(self.posted)
        self.posted = kept
        return gone


@dataclass(frozen=True, slots=True)
class UsageEvent:
    """An activity came to the front (`ACTIVITY_RESUMED`) or left it (`ACTIVITY_PAUSED`)."""

    time: datetime
    package: str
    activity: str
    kind: str = "ACTIVITY_RESUMED"


@dataclass(slots=True)
class UsageStatistics:
    """What was in front when, oldest first."""

    events: list[UsageEvent] = field(default_factory=list)

    def add(self, event: UsageEvent) -> None:
        """Note an event; only the last thousand are kept."""
        self.events.append(event)
        del self.events[:-1000]


@dataclass(slots=True)
class InputMethods:
    """The keyboards as `package/.Class`. An installed one must be enabled before it can be chosen."""

    installed: list[str] = field(default_factory=lambda: [USER_KEYBOARD, ADB_KEYBOARD])
    enabled: list[str] = field(default_factory=lambda: [USER_KEYBOARD])
    current: str = USER_KEYBOARD
    drops_text: bool = False

    def add(self, keyboard: str) -> None:
        """Install a keyboard, not yet enabled."""
        if keyboard not in self.installed:
            self.installed.append(keyboard)

    def remove(self, keyboard: str) -> None:
        """Uninstall a keyboard; the user's own takes its place."""
        self.installed = [package for package in self.installed if package != keyboard]
        self.disable(keyboard)

    def enable(self, keyboard: str) -> bool:
        """Let a keyboard be chosen; false when it was already enabled."""
        if keyboard in self.enabled:
            return False
        self.enabled.append(keyboard)
        return True

    def disable(self, keyboard: str) -> bool:
        """Take a keyboard from the choice; false when it was not there."""
        if keyboard not in self.enabled:
            return False
        self.enabled.remove(keyboard)
        if self.current == keyboard:
            self.current = self.enabled[0] if self.enabled else ""
        return True

    def reset(self) -> None:
        """Enable and choose what a fresh phone has."""
        self.enabled = [package for package in self.installed if package not in (ADB_KEYBOARD, U2_KEYBOARD)]
        self.current = self.enabled[0] if self.enabled else ""


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of the log: priority is V, D, I, W, E or F."""

    time: datetime
    priority: str
    tag: str
    message: str
    process: int = 1203

"""What several commands share: names of windows and activities, options, Java's refusals."""

from __future__ import annotations

import math
import zlib

from assistant.simulator.android.command import Context, JavaError, Result
from assistant.simulator.android.software import Package
from assistant.simulator.surface import FocusedWindow


def handle(text: str) -> str:
    """A stable stand-in for the identity hash that the phone prints in braces."""
    return f"{zlib.crc32(text.encode()) & 0xFFFFFFF:07x}"


def truth(value: bool) -> str:
    """`true` or `false`, as Java prints it."""
    return "true" if value else "false"


def task(context: Context, package: str) -> int:
    """The number of an app's task."""
    names = sorted(context.services.packages.installed)
    return 10 + (names.index(package) if package in names else len(names))


def process(context: Context, package: str) -> int:
    """The process id of a running app."""
    return 4000 + 17 * task(context, package)


def full_class(package: str, activity: str) -> str:
    """An activity's whole class name: `.Main` is short for `package.Main`."""
    return package + activity if activity.startswith(".") else activity


def short_class(package: str, activity: str) -> str:
    """An activity's class name with the package left out where it can be."""
    return activity[len(package) :] if activity.startswith(package + ".") else activity


def split_component(name: str) -> tuple[str, str] | None:
    """Package and short class of `package/.Activity`; None when it is no component."""
    package, slash, activity = name.partition("/")
    if not slash or not package or not activity:
        return None
    return package, short_class(package, activity)


def window_name(context: Context, window: FocusedWindow) -> str:
    """How a window is called: `package/class`, or a system window's title."""
    if not window.system:
        return f"{window.package}/{full_class(window.package, window.activity)}"
    if window.title == "NotificationShade" and context.release < 11:
        return "StatusBar"
    return window.title or window.package


def activity_record(context: Context, window: FocusedWindow) -> str:
    """`ActivityRecord{…}` of an app's window."""
    component = f"{window.package}/{short_class(window.package, window.activity)}"
    number = task(context, window.package)
    return f"ActivityRecord{{{handle(component)} u0 {component} t{number}}}"


def known_package(context: Context, name: str) -> Package | None:
    """An installed package."""
    return context.services.packages.installed.get(name)


def number(text: str) -> float:
    """A number as Java's `Float.parseFloat` reads it. Raises `JavaError`."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        message = f'For input string: "{text}"'
        frame = "jdk.internal.math.FloatingDecimal.readJavaFormatString(FloatingDecimal.java:2054)"
        raise JavaError("java.lang.NumberFormatException", message, frame)
    return value


def whole_number(text: str) -> int:
    """A whole number, decimal or `0x…`. Raises `JavaError`."""
    try:
        return int(text, 0)
    except ValueError:
        message = f'For input string: "{text}"'
        raise JavaError(
            "java.lang.NumberFormatException", message, "java.lang.Integer.parseInt(Integer.java:668)"
        ) from None


def unknown_command(name: str, usage: str) -> Result:
    """What Android's own commands say to a word they do not know."""
    return Result(error=f"Unknown command: {name}\n{usage}", code=255)

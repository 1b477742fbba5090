"""The commands of the phone's shell, one small module for each family."""

from __future__ import annotations

from assistant.simulator.android.command import Plain, Running
from assistant.simulator.android.commands import (
    activity,
    basic,
    direct,
    dumpsys,
    events,
    files,
    ime,
    injection,
    package,
    screen,
    settings,
    text,
)

PLAIN: dict[str, Plain] = {
    **activity.PLAIN,
    **basic.PLAIN,
    **files.PLAIN,
    **package.PLAIN,
    "cmd": direct.cmd,
    "dumpsys": dumpsys.dumpsys,
    "getprop": settings.getprop,
    "ime": ime.ime,
    "input": injection.input_command,
    "settings": settings.settings,
    "wm": screen.wm,
}
RUNNING: dict[str, Running] = {
    **basic.RUNNING,
    **events.RUNNING,
    **files.RUNNING,
    **text.RUNNING,
    "screencap": screen.screencap,
    "uiautomator": screen.uiautomator,
}

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
    resident,
    screen,
    settings,
    text,
)

PLAIN: dict[str, Plain] = {
    **activity.PLAIN,
    **basic.PLAIN,
    **direct.PLAIN,
    **files.PLAIN,
    **package.PLAIN,
    "dumpsys": dumpsys.dumpsys,
    "getprop": settings.getprop,
    "ime": ime.ime,
    "input": injection.input_command,
    "md5sum": resident.md5sum,
    "settings": settings.settings,
    "wm": screen.wm,
}
RUNNING: dict[str, Running] = {
    **basic.RUNNING,
    **events.RUNNING,
    **files.RUNNING,
    **text.RUNNING,
    "app_process": resident.app_process,
    "nc": resident.nc,
    "screencap": screen.screencap,
    "uiautomator": screen.uiautomator,
}

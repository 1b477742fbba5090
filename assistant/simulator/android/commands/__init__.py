"""The commands of the phone's shell, one small module for each family."""

from __future__ import annotations

from assistant.simulator.android.command import Context, Plain, Result, Running
from assistant.simulator.android.commands import (
    activity,
    apk,
    basic,
    direct,
    dumpsys,
    events,
    files,
    ime,
    injection,
    providers,
    resident,
    screen,
    settings,
    text,
    toybox,
)


def which(context: Context) -> Result:
    """`which NAME …`."""
    command_names = [name for name in context.arguments if name in PLAIN or name in RUNNING]
    lines = "".join(f"/system/bin/{name}\n" for name in command_names)
    return Result(lines, code=int(len(command_names) < max(1, len(context.arguments))))


PLAIN: dict[str, Plain] = {
    **activity.PLAIN,
    **basic.PLAIN,
    **direct.PLAIN,
    **files.PLAIN,
    **providers.PLAIN,
    **toybox.PLAIN,
    "dumpsys": dumpsys.dumpsys,
    "getprop": settings.getprop,
    "ime": ime.ime,
    "input": injection.input_command,
    "md5sum": resident.md5sum,
    "run-as": apk.run_as,
    "settings": settings.settings,
    "which": which,
    "wm": screen.wm,
}
RUNNING: dict[str, Running] = {
    **apk.RUNNING,
    **basic.RUNNING,
    **events.RUNNING,
    **files.RUNNING,
    **text.RUNNING,
    **toybox.RUNNING,
    "app_process": resident.app_process,
    "nc": resident.nc,
    "screencap": screen.screencap,
    "screenrecord": resident.screenrecord,
    "uiautomator": screen.uiautomator,
}

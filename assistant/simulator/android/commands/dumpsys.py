"""`dumpsys`: finds the service whose state is asked for."""

from __future__ import annotations

from collections.abc import Callable

from assistant.simulator.android.command import Context, Result
from assistant.simulator.android.commands import dump_activity, dump_device, dump_radio, dump_window

_SERVICES: dict[str, Callable[[Context, list[str]], str]] = {
    "SurfaceFlinger": dump_window.surface_flinger,
    "accessibility": dump_device.accessibility,
    "activity": dump_activity.activity,
    "audio": dump_device.audio,
    "battery": dump_device.battery,
    "display": dump_window.display,
    "gfxinfo": dump_device.graphics,
    "input_method": dump_activity.input_method,
    "location": dump_radio.location,
    "meminfo": dump_device.memory,
    "notification": dump_device.notification,
    "package": dump_activity.package,
    "power": dump_device.power,
    "telephony.registry": dump_radio.telephony,
    "usagestats": dump_activity.usage_statistics,
    "wifi": dump_radio.wifi,
    "window": dump_window.window,
}


def dumpsys(context: Context) -> Result:
    """`dumpsys [-t SECONDS] [-l] SERVICE …`."""
    words = list(context.arguments)
    while words[:1] and words[0].startswith("-"):
        option = words.pop(0)
        if option == "-l":
            return Result(
                "Currently running services:\n" + "".join(f"  {name}\n" for name in sorted(_SERVICES))
            )
        if option in ("-t", "-T"):
            del words[:1]
    if not words:
        return Result(
            "".join(f"DUMP OF SERVICE {name}:\n{show(context, [])}" for name, show in _SERVICES.items())
        )
    show = _SERVICES.get(words[0])
    if show is None:
        return Result(error=f"Can't find service: {words[0]}\n")
    return Result(show(context, words[1:]))

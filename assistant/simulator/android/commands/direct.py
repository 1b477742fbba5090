"""`cmd`: system services spoken to directly."""

from __future__ import annotations

from assistant.simulator.android.command import Context, Result
from assistant.simulator.android.commands.common import unknown_command
from assistant.simulator.android.commands.dump_radio import wifi_information
from assistant.simulator.android.commands.dump_window import get_displays
from assistant.simulator.android.commands.package import package_command


def cmd(context: Context) -> Result:
    """`cmd package …`, `cmd wifi status` and `cmd display get-displays`."""
    match context.arguments:
        case []:
            return Result(error="cmd: No service specified; use -l to list all running services\n", code=20)
        case ["package", *words]:
            return package_command(context, words)
        case ["wifi", *words]:
            return _wifi(context, words)
        case ["display", "get-displays", *_] if context.release >= 11:
            return Result(get_displays(context))
        case [name, *_]:
            return Result(error=f"cmd: Can't find service: {name}\n", code=20)
    return Result()


def _wifi(context: Context, words: list[str]) -> Result:
    if context.release < 11:
        return Result("No shell command implementation.\n", code=255)
    if words != ["status"]:
        return unknown_command(words[0] if words else "null", "")
    return Result(_wifi_status(context))


def _wifi_status(context: Context) -> str:
    wifi = context.services.wifi
    if not wifi.enabled:
        return "Wifi is disabled\nWifi scanning is only available when wifi is enabled\n"
    head = "Wifi is enabled\nWifi scanning is only available when wifi is enabled\n"
    if wifi.active is None:
        return f"{head}==== Primary ClientModeManager instance ====\nWifi is not connected\n"
    return (
        f'{head}==== Primary ClientModeManager instance ====\nWifi is connected to "{wifi.active.ssid}"\n'
        f"WifiInfo: {wifi_information(context.services)}\n"
        "successfulTxPackets: 4210\nsuccessfulTxPacketsPerSecond: 1.2\n"
    )

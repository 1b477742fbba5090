"""`cmd`: system services spoken to directly; `ip` and `ifconfig`: the phone's address."""

from __future__ import annotations

from assistant.simulator.android.command import Context, Plain, Result
from assistant.simulator.android.commands.common import unknown_command
from assistant.simulator.android.commands.dump_radio import ADDRESS, wifi_information
from assistant.simulator.android.commands.dump_window import get_displays


def cmd(context: Context) -> Result:
    """`cmd wifi status` and `cmd display get-displays`."""
    match context.arguments:
        case []:
            return Result(error="cmd: No service specified; use -l to list all running services\n", code=20)
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


def ifconfig(context: Context) -> Result:
    """`ifconfig wlan0`."""
    if context.arguments != ["wlan0"]:
        name = "".join(context.arguments[:1])
        return Result(error=f"ifconfig: ioctl 8913: No such device: {name}\n", code=1)
    if context.services.wifi.active is None:
        return Result("wlan0     Link encap:UNSPEC\n          BROADCAST MULTICAST  MTU:1500  Metric:1\n")
    return Result(
        "wlan0     Link encap:UNSPEC\n"
        f"          inet addr:{ADDRESS}  Bcast:192.168.1.255  Mask:255.255.255.0\n"
        "          UP BROADCAST RUNNING MULTICAST  MTU:1500  Metric:1\n"
    )


def ip(context: Context) -> Result:
    """`ip route` and `ip addr show [dev] wlan0`."""
    is_connected = context.services.wifi.active is not None
    match context.arguments:
        case ["route", *_]:
            route = f"192.168.1.0/24 dev wlan0 proto kernel scope link src {ADDRESS}\n"
            return Result(route if is_connected else "")
        case ["addr", *rest] if not rest or rest[-1] == "wlan0":
            inet = f"    inet {ADDRESS}/24 brd 192.168.1.255 scope global wlan0\n" if is_connected else ""
            return Result(
                f"24: wlan0: <BROADCAST,MULTICAST,UP> mtu 1500 qdisc mq state UP group default\n{inet}"
            )
    return Result(error=f"ip: bad '{' '.join(context.arguments)}'\n", code=1)


PLAIN: dict[str, Plain] = {"ifconfig": ifconfig, "ip": ip}

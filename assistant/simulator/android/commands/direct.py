"""`cmd`, `content` and `service`: system services spoken to directly."""

from __future__ import annotations

from collections.abc import Callable

from assistant.simulator.android.command import Context, Result
from assistant.simulator.android.commands.common import unknown_command
from assistant.simulator.android.commands.dump_radio import wifi_information
from assistant.simulator.android.commands.package import package_command
from assistant.simulator.android.services import CalendarEvent

_EVENTS = "content://com.android.calendar/events"
_SHELL_PACKAGE = "com.android.shell"
_SHELL_NOTIFICATION = 2020
_SCAN_HEAD = (
    "    BSSID              Frequency      RSSI           Age(sec)     SSID                                 "
    "Flags"
)


def cmd(context: Context) -> Result:
    """`cmd SERVICE …`."""
    match context.arguments:
        case [] | ["-l"]:
            listed = "".join(f"  {name}\n" for name in sorted(_SERVICES))
            return (
                Result(f"Currently running services:\n{listed}")
                if context.arguments
                else Result(error="cmd: No service specified; use -l to list all running services\n", code=20)
            )
        case ["package", *words]:
            return package_command(context, words)
        case [name, *words] if name in _SERVICES:
            return _SERVICES[name](context, words)
        case [name, *_]:
            return Result(error=f"cmd: Can't find service: {name}\n", code=20)
    return Result()


def _wifi(context: Context, words: list[str]) -> Result:
    services = context.services
    if context.release < 11:
        return Result("No shell command implementation.\n", code=255)
    match words:
        case ["status"]:
            return Result(_wifi_status(context))
        case ["list-scan-results"]:
            if not services.wifi.enabled:
                return Result("No scan results\n")
            lines = [_SCAN_HEAD]
            lines += [
                f"  {point.bssid}{point.frequency:>10}{point.rssi:>16}{3.123:>12.3f}      "
                f"{point.ssid:<32}   {point.flags}"
                for point in services.wifi.visible
            ]
            return Result("\n".join(lines) + "\n")
        case ["set-wifi-enabled", "enabled" | "disabled" as word]:
            services.set_setting("wifi_on", str(int(word == "enabled")), "global")
            return Result()
    return unknown_command(words[0] if words else "null", "")


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


def _statusbar(context: Context, words: list[str]) -> Result:
    match words:
        case ["expand-notifications"]:
            context.surface.expand("notifications")
        case ["expand-settings", *_]:
            context.surface.expand("settings")
        case ["collapse"]:
            context.surface.expand("collapse")
        case ["get-status-icons"]:
            return Result("rotate\nwifi\nbattery\nclock\n")
        case ["click-tile" | "add-tile" | "remove-tile", _]:
            pass
        case _:
            return unknown_command(words[0] if words else "null", "")
    return Result()


def _notification(context: Context, words: list[str]) -> Result:
    if words[:1] != ["post"]:
        return unknown_command(words[0] if words else "null", "")
    title, rest, at = "", list[str](), 1
    while at < len(words):
        if words[at] in ("-t", "--title") and at + 1 < len(words):
            title = words[at + 1]
        if words[at].startswith("-"):
            at += 1 if words[at] in ("-v", "--verbose") else 2
        else:
            rest.append(words[at])
            at += 1
    if len(rest) < 2:
        return Result(error="usage: cmd notification post [flags] <tag> <text>\n", code=255)
    tag, text = rest[0], " ".join(rest[1:])
    context.services.notify(_SHELL_PACKAGE, title or tag, text, number=_SHELL_NOTIFICATION, tag=tag)
    return Result(
        "posting:\n"
        "  Notification(channel=shell_cmd shortcut=null contentView=null vibrate=null sound=null "
        "defaults=0x0 flags=0x0 color=0x00000000 vis=PRIVATE)\n"
    )


def _media_session(context: Context, words: list[str]) -> Result:
    audio = context.services.audio
    match words:
        case ["volume", *rest] if "--get" in rest or "--set" in rest:
            prefix = "[V] will control stream=3 (STREAM_MUSIC)\n"
            if "--set" in rest[:-1]:
                value = rest[rest.index("--set") + 1]
                if not (value.isascii() and value.isdigit() and len(value) < 4):
                    return Result(error=f"[E] {value} is not a volume\n", code=255)
                audio.music_volume = min(audio.music_maximum, int(value))
            if "--get" in rest:
                prefix += "[V] will get volume\n"
                prefix += f"[V] volume is {audio.music_volume} in range [0..{audio.music_maximum}]\n"
            return Result(prefix)
        case ["dispatch", key]:
            context.services.note("MediaSession", f"dispatch {key}")
            return Result()
    return unknown_command(words[0] if words else "null", "")


def _clipboard(context: Context, words: list[str]) -> Result:
    del context, words
    return Result("No shell command implementation.\n", code=255)


def _ui_mode(context: Context, words: list[str]) -> Result:
    match words:
        case ["night"]:
            night = context.services.setting("ui_night_mode", "secure") == "2"
            return Result(f"Night mode: {'yes' if night else 'no'}\n")
        case ["night", "yes" | "no" as word]:
            context.services.set_setting("ui_night_mode", "2" if word == "yes" else "1", "secure")
            return Result(f"Night mode: {word}\n")
    return unknown_command(words[0] if words else "null", "")


_SERVICES: dict[str, Callable[[Context, list[str]], Result]] = {
    "clipboard": _clipboard,
    "media_session": _media_session,
    "notification": _notification,
    "statusbar": _statusbar,
    "uimode": _ui_mode,
    "wifi": _wifi,
}


def content(context: Context) -> Result:
    """`content query --uri content://com.android.calendar/events [--projection a:b] [--where …]`."""
    words = context.arguments
    options = dict(zip(words[1::2], words[2::2], strict=False))
    if words[:1] != ["query"]:
        return Result(error="usage: adb shell content [subcommand] [options]\n", code=1)
    uri = options.get("--uri", "")
    if uri != _EVENTS:
        authority = uri.removeprefix("content://").split("/")[0]
        return Result(error=f"[ERROR] Could not find provider: {authority}\n", code=1)
    rows = [_event_columns(number, event) for number, event in enumerate(context.services.calendar(), 1)]
    if not rows:
        return Result("No result found.\n")
    names = options["--projection"].split(":") if "--projection" in options else list(rows[0])
    shown = ((place, {name: row.get(name, "NULL") for name in names}) for place, row in enumerate(rows))
    return Result(
        "".join(
            f"Row: {place} " + ", ".join(f"{name}={value}" for name, value in row.items()) + "\n"
            for place, row in shown
        )
    )


def _event_columns(number: int, event: CalendarEvent) -> dict[str, str]:
    return {
        "_id": str(number),
        "title": event.title,
        "dtstart": str(round(event.start.timestamp() * 1000)),
        "dtend": str(round(event.end.timestamp() * 1000)),
        "eventLocation": event.place or "NULL",
        "calendar_id": "1",
        "allDay": "0",
        "deleted": "0",
    }


def service(context: Context) -> Result:
    """`service list|check NAME`."""
    match context.arguments:
        case ["check", name]:
            state = "found" if name in _SERVICES else "not found"
            return Result(f"Service {name}: {state}\n")
        case ["list"]:
            lines = [f"{place}\t{name}: []" for place, name in enumerate(sorted(_SERVICES))]
            return Result(f"Found {len(lines)} services:\n" + "\n".join(lines) + "\n")
    return Result(error="Usage: service [-h|-?]\n", code=10)

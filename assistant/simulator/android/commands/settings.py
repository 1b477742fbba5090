"""`settings`, `svc`, `getprop` and `setprop`."""

from __future__ import annotations

from assistant.simulator.android.command import Context, Result

_NAMESPACES = ("global", "secure", "system")
_USAGE = """Settings provider (settings) commands:
  help
  get [--user <USER_ID> | current] NAMESPACE KEY
  put [--user <USER_ID> | current] NAMESPACE KEY VALUE [TAG] [default]
  delete [--user <USER_ID> | current] NAMESPACE KEY
  list [--user <USER_ID> | current] NAMESPACE
"""


def settings(context: Context) -> Result:
    """`settings get|put|delete|list [--user N] NAMESPACE [KEY] [VALUE]`."""
    services = context.services
    words = list(context.arguments)
    if words[1:2] == ["--user"]:
        del words[1:3]
    match words:
        case ["get" | "put" | "delete" | "list", namespace, *_] if namespace not in _NAMESPACES:
            return Result(error=f"Invalid namespace '{namespace}'\n", code=255)
        case ["get", namespace, name]:
            value = services.setting(name, namespace)
            return Result(f"{'null' if value is None else value}\n")
        case ["put", namespace, name, value, *_]:
            services.set_setting(name, value, namespace)
            return Result()
        case ["delete", namespace, name]:
            gone = services.settings.table(namespace).pop(name, None)
            return Result(f"Deleted {int(gone is not None)} rows\n")
        case ["list", namespace]:
            names = sorted(services.settings.table(namespace))
            return Result("".join(f"{name}={services.setting(name, namespace)}\n" for name in names))
        case ["get" | "put" | "delete" | "list", *_]:
            return Result(error="Bad arguments\n", code=255)
    return Result(error=_USAGE, code=255)


def svc(context: Context) -> Result:
    """`svc wifi|bluetooth|data enable|disable`, `svc power stayon …`."""
    services = context.services
    match context.arguments:
        case ["wifi", "enable" | "disable" as verb]:
            services.set_setting("wifi_on", str(int(verb == "enable")), "global")
        case ["bluetooth", "enable" | "disable" as verb]:
            services.set_setting("bluetooth_on", str(int(verb == "enable")), "global")
        case ["data", "enable" | "disable" as verb]:
            services.set_setting("mobile_data", str(int(verb == "enable")), "global")
        case ["power", "stayon", "true" | "false" | "usb" | "ac" | "wireless" as verb]:
            services.power.stay_awake = verb != "false"
            services.set_setting("stay_on_while_plugged_in", "0" if verb == "false" else "7", "global")
        case _:
            usage = "Available commands:\n    help     Show information about the subcommands\n"
            return Result(error=usage + "    power\n    data\n    wifi\n    bluetooth\n", code=1)
    return Result()


def getprop(context: Context) -> Result:
    """`getprop [NAME [DEFAULT]]`."""
    properties = context.services.properties
    match context.arguments:
        case []:
            return Result("".join(f"[{name}]: [{value}]\n" for name, value in sorted(properties.items())))
        case [name]:
            return Result(properties.get(name, "") + "\n")
        case [name, default, *_]:
            return Result((properties.get(name) or default) + "\n")
    return Result()


def setprop(context: Context) -> Result:
    """`setprop NAME VALUE`: only what the shell user may set."""
    match context.arguments:
        case [name, value]:
            if name.startswith("ro."):
                return Result(error=f"Failed to set property '{name}' to '{value}'.\n", code=1)
            if not name.startswith(("debug.", "log.", "persist.log.")):
                message = f"Failed to set property '{name}' to '{value}'.\nSee dmesg for error reason.\n"
                return Result(error=message, code=1)
            context.services.properties[name] = value
            return Result()
    return Result(error='setprop: Need 2 arguments (see "setprop --help")\n', code=1)

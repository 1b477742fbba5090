"""`settings` and `getprop`."""

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
            if name == "overlay_display_devices":
                services.displays.set_overlays("")
            return Result(f"Deleted {int(gone is not None)} rows\n")
        case ["list", namespace]:
            names = sorted(services.settings.table(namespace))
            return Result("".join(f"{name}={services.setting(name, namespace)}\n" for name in names))
        case ["get" | "put" | "delete" | "list", *_]:
            return Result(error="Bad arguments\n", code=255)
    return Result(error=_USAGE, code=255)


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

"""`content query` and `locksettings`. The simulated apps are no content providers: only the settings are one.

Source: AOSP `Content.java`, `LockSettingsShellCommand.java`.
"""

from __future__ import annotations

import re

from assistant.simulator.android.command import Arguments, Context, JavaError, Plain, Result
from assistant.simulator.android.commands.common import truth, unknown_command

_SETTINGS = re.compile(r"content://settings/(system|secure|global)(?:/(\w+))?")
_WHERE = re.compile(r"\s*name\s*=\s*[\"'](\w+)[\"']\s*")
_USAGE = "usage: adb shell content [subcommand] [options]\n"


def content(context: Context) -> Result:
    """`content query --uri URI [--projection NAME:NAME] [--where "name='NAME'"]`."""
    if context.arguments[:1] != ["query"]:
        return Result(
            error=f"[ERROR] Unsupported operation: {''.join(context.arguments[:1])}\n{_USAGE}", code=1
        )
    arguments, options = Arguments(context.arguments[1:]), dict[str, str]()
    while (word := arguments.next()) is not None:
        options[word] = arguments.required()
    address = options.get("--uri", "")
    table = _SETTINGS.fullmatch(address)
    if table is None:
        name = address.removeprefix("content://").partition("/")[0]
        frame = "com.android.commands.content.Content$Command.execute(Content.java:570)"
        error = JavaError("java.lang.IllegalStateException", f"Could not find provider: {name}", frame)
        return Result(error=f"Error while accessing provider:{name}\n{error.text()}")
    where = _WHERE.fullmatch(options.get("--where", ""))
    chosen = table[2] or (where[1] if where else "")
    names = [name for name in sorted(context.services.settings.table(table[1])) if chosen in ("", name)]
    rows = [
        {"_id": str(number), "name": name, "value": str(context.services.setting(name, table[1]))}
        for number, name in enumerate(names, 1)
    ]
    columns = options["--projection"].split(":") if "--projection" in options else ["_id", "name", "value"]
    lines = [
        f"Row: {number} " + ", ".join(f"{column}={row.get(column, 'NULL')}" for column in columns) + "\n"
        for number, row in enumerate(rows)
    ]
    return Result("".join(lines) or "No result found.\n")


def locksettings(context: Context) -> Result:
    """`locksettings get-disabled|verify [--old PIN]`: whether there is no lock, or a PIN is right."""
    keyguard = context.services.keyguard
    match context.arguments:
        case ["get-disabled"]:
            return Result(truth(not keyguard.secure) + "\n")
        case ["verify", *rest]:
            given = rest[1] if rest[:1] == ["--old"] and len(rest) > 1 else ""
            if keyguard.secure and given != keyguard.pin:
                return Result(f"Old password '{given}' didn't match\n")
            return Result("Lock credential verified successfully\n")
    return unknown_command("".join(context.arguments[:1]) or "null", "")


PLAIN: dict[str, Plain] = {"content": content, "locksettings": locksettings}

"""`content query` of settings, contacts and text messages, and `locksettings`. No app here sends a message.

Source: AOSP `Content.java`, `LockSettingsShellCommand.java`; columns of `ContactsContract`, `Telephony`.
"""

from __future__ import annotations

import re

from assistant.simulator.android.command import Arguments, Context, JavaError, Plain, Result
from assistant.simulator.android.commands.common import truth, unknown_command

_SETTINGS = re.compile(r"content://settings/(system|secure|global)(?:/(\w+))?")
_CONTACTS = re.compile(r"content://(?:com\.android\.contacts/data/phones|contacts/phones)/?")
_MESSAGES = re.compile(r"content://sms(?:/\w+)?/?")
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
    where = _WHERE.fullmatch(options.get("--where", ""))
    if table := _SETTINGS.fullmatch(address):
        columns, rows = _settings(context, table[1], table[2] or (where[1] if where else ""))
    elif _CONTACTS.fullmatch(address):
        columns, rows = _contacts(context)
    elif _MESSAGES.fullmatch(address):
        columns, rows = ["_id", "address", "date", "body"], []
    else:
        name = address.removeprefix("content://").partition("/")[0]
        frame = "com.android.commands.content.Content$Command.execute(Content.java:570)"
        error = JavaError("java.lang.IllegalStateException", f"Could not find provider: {name}", frame)
        return Result(error=f"Error while accessing provider:{name}\n{error.text()}")
    columns = options["--projection"].split(":") if "--projection" in options else columns
    lines = [
        f"Row: {number} " + ", ".join(f"{column}={row.get(column, 'NULL')}" for column in columns) + "\n"
        for number, row in enumerate(rows)
    ]
    return Result("".join(lines) or "No result found.\n")


_Rows = tuple[list[str], list[dict[str, str]]]


def _settings(context: Context, table: str, chosen: str) -> _Rows:
    names = [name for name in sorted(context.services.settings.table(table)) if chosen in ("", name)]
    values = [
        (str(number), name, context.services.setting(name, table)) for number, name in enumerate(names, 1)
    ]
    return ["_id", "name", "value"], [
        {"_id": number, "name": name, "value": str(value)} for number, name, value in values
    ]


def _contacts(context: Context) -> _Rows:
    return ["_id", "display_name", "data1"], [
        {"_id": str(number), "display_name": name, "data1": phone}
        for number, (name, phone) in enumerate(context.surface.contacts(), 1)
    ]


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

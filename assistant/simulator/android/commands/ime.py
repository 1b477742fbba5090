"""`ime`: which keyboards there are, and which one is in use."""

from __future__ import annotations

from assistant.simulator.android.command import Context, JavaError, Result
from assistant.simulator.android.software import InputMethods

_USAGE = """ime <command>:
  list [-a] [-s]
    prints all enabled input methods.
      -a: see all input methods
      -s: only a single summary line of each
  enable [--user <USER_ID>] <ID>
    allows the given input method ID to be used.
  disable [--user <USER_ID>] <ID>
    disallows the given input method ID to be used.
  set [--user <USER_ID>] <ID>
    switches to the given input method ID.
  reset [--user <USER_ID>]
    reset currently selected/enabled IMEs to the default ones as if the device is initially booted.
"""


def ime(context: Context) -> Result:
    """`ime list|enable|disable|set|reset`."""
    methods = context.services.input_methods
    words = _without_user(context.arguments)
    if context.services.quirks.ime_denied:
        raise JavaError(
            "java.lang.SecurityException",
            "uid 2000 does not have android.permission.WRITE_SECURE_SETTINGS.",
        )
    match words:
        case ["list", *options]:
            return _list(methods, "".join(options))
        case ["enable", keyboard]:
            return _enable(context, keyboard)
        case ["disable", keyboard]:
            if methods.disable(keyboard):
                return Result(f"Input method {keyboard}: now disabled{_user(context)}\n")
            return Result(f"Input method {keyboard}: already disabled{_user(context)}\n")
        case ["set", keyboard]:
            return _set(context, keyboard)
        case ["reset"]:
            methods.reset()
            enabled = "".join(f"    {keyboard}\n" for keyboard in methods.enabled)
            return Result(
                f"Reset current and enabled IMEs{_user(context)}\n"
                f"  Newly selected: {methods.current}\n  Newly enabled:\n{enabled}"
            )
    return Result(_USAGE) if words == ["help"] else Result(error=_USAGE, code=255)


def _without_user(words: list[str]) -> list[str]:
    if "--user" in words:
        place = words.index("--user")
        return words[:place] + words[place + 2 :]
    return words


def _user(context: Context) -> str:
    return " for user #0" if context.release >= 10 else ""


def _list(methods: InputMethods, options: str) -> Result:
    shown = (
        methods.installed
        if "a" in options
        else [package for package in methods.installed if package in methods.enabled]
    )
    if "s" in options:
        return Result("".join(f"{keyboard}\n" for keyboard in shown))
    return Result(
        "".join(
            f"{keyboard}:\n  mId={keyboard} mSettingsActivityName=null\n  mIsDefaultResId=0x0\n"
            for keyboard in shown
        )
    )


def _enable(context: Context, keyboard: str) -> Result:
    methods = context.services.input_methods
    if keyboard not in methods.installed:
        return Result(error=f"Unknown input method {keyboard} cannot be enabled{_user(context)}\n", code=255)
    change = "now" if methods.enable(keyboard) else "already"
    return Result(f"Input method {keyboard}: {change} enabled{_user(context)}\n")


def _set(context: Context, keyboard: str) -> Result:
    methods = context.services.input_methods
    if keyboard not in methods.enabled:
        return Result(error=f"Unknown input method {keyboard} cannot be selected{_user(context)}\n", code=255)
    if not context.services.quirks.input_method_stuck:
        methods.current = keyboard
    return Result(f"Input method {keyboard} selected{_user(context)}\n")

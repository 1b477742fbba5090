"""`input`: touches, keys and text that come from a program. Its usage names more than is done here."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from assistant.simulator.android.command import Arguments, Context, JavaError, Result
from assistant.simulator.android.commands.common import number, whole_number
from assistant.simulator.android.commands.keycodes import key_code
from assistant.simulator.surface import UnknownDisplay

_SOURCES = (
    "touchnavigation",
    "touchscreen",
    "joystick",
    "stylus",
    "touchpad",
    "gamepad",
    "dpad",
    "mouse",
    "keyboard",
    "trackball",
    "rotaryencoder",
)
_COMMANDS = """
-d: specify the display ID.
      (Default: -1 for key event, 0 for motion event if not specified.)
The commands and default sources are:
      text <string> (Default: keyboard)
      keyevent [--longpress|--doubletap|--async|--delay <duration between keycodes in ms>]\
 <key code number or name> ... (Default: keyboard)
      tap <x> <y> (Default: touchscreen)
      swipe <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)
      draganddrop <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)
      press (Default: trackball)
      roll <dx> <dy> (Default: trackball)
      motionevent <DOWN|UP|MOVE|CANCEL> <x> <y> (Default: touchscreen)
      keycombination [-t duration(ms)] <key code 1> <key code 2> ... (Default: keyboard)
"""
_USAGE = (
    "Usage: input [<source>] [-d DISPLAY_ID] <command> [<arg>...]\n\nThe sources are: \n"
    + "".join(f"      {source}\n" for source in _SOURCES)
    + _COMMANDS
)
_SWIPE_MILLISECONDS = 300
_SERVICE = "com.android.server.input.InputShellCommand"


def input_command(context: Context) -> Result:
    """`input [<source>] [-d DISPLAY] <command> …`."""
    arguments = Arguments(context.arguments)
    word = arguments.next()
    if word in _SOURCES:
        word = arguments.next()
    display: int | None = None
    if word == "-d":
        display = whole_number(arguments.required())
        word = arguments.next()
    action = _ACTIONS.get(word or "")
    if action is None:
        said = "Error: Unknown command" if context.release < 11 else "Unknown command"
        return Result(error=f"{said}: {word}\n{_USAGE}" if word else _USAGE, code=255)
    try:
        prepared = action(context, arguments)
        if context.services.quirks.input_denied:
            raise _denied(context)
        if not context.services.quirks.drop_input:
            _inject(context, display, word or "", prepared)
    except JavaError as error:
        return Result(error=_crash(context, word or "", error), code=255)
    return Result()


def _inject(context: Context, display: int | None, word: str, prepared: Callable[[], object]) -> None:
    """Inject on a display; without one a touch goes to display 0, and a key to the one with the focus of all.

    On a display that is gone nothing takes it, and nothing is said.
    """
    displays = context.services.displays
    number = display
    if number is None or number < 0:
        number = displays.top if word in ("keyevent", "text") else 0
    with suppress(UnknownDisplay), context.surface.on(number):
        displays.note(display is not None, context.surface.resumed().package, number)
        prepared()


def _crash(context: Context, word: str, error: JavaError) -> str:
    if context.release < 11 and error.kind.startswith("java.lang.IllegalArgument"):
        return f"Error: Invalid arguments for command: {word}\n{_USAGE}"
    if context.release < 11:
        return error.text()
    frames = (
        "android.os.BasicShellCommandHandler.exec(BasicShellCommandHandler.java:97)",
        "android.os.ShellCommand.exec(ShellCommand.java:38)",
        "com.android.server.input.InputManagerService.onShellCommand(InputManagerService.java:2600)",
        "android.os.Binder.shellCommand(Binder.java:967)",
    )
    stack = "".join(f"\tat {frame}\n" for frame in frames)
    return f"\nException occurred while executing '{word}':\n{error.text()}{stack}"


def _denied(context: Context) -> JavaError:
    if context.release < 12:
        return JavaError(
            "java.lang.SecurityException",
            "Injecting to another application requires INJECT_EVENTS permission",
            "android.os.Parcel.createException(Parcel.java:2071)",
            "android.os.Parcel.readException(Parcel.java:2039)",
            "com.android.commands.input.Input.injectMotionEvent(Input.java:428)",
        )
    return JavaError(
        "java.lang.SecurityException",
        "Injecting input events requires the caller (or the source of the instrumentation, if any) to have "
        "the INJECT_EVENTS permission.",
        "com.android.server.input.InputManagerService.injectInputEventToTarget(InputManagerService.java:882)",
        "android.hardware.input.InputManager.injectInputEvent(InputManager.java:1052)",
        f"{_SERVICE}.injectMotionEvent(InputShellCommand.java:391)",
    )


Prepared = Callable[[], object]


def _tap(context: Context, arguments: Arguments) -> Prepared:
    x, y = number(arguments.required()), number(arguments.required())
    return lambda: context.surface.tap(x, y)


def _swipe(context: Context, arguments: Arguments) -> Prepared:
    x1, y1, x2, y2 = (number(arguments.required()) for _ in range(4))
    duration = arguments.next()
    milliseconds = whole_number(duration) if duration is not None else _SWIPE_MILLISECONDS
    return lambda: context.surface.swipe(x1, y1, x2, y2, milliseconds)


def _text(context: Context, arguments: Arguments) -> Prepared:
    text = arguments.required()
    if arguments.rest() and context.release < 10:
        raise JavaError("java.lang.IllegalArgumentException", "Invalid arguments for command: text")
    typed = text.replace("%s", " ")
    if not typed.isascii():
        raise _untypable(context)
    return lambda: context.surface.type_text(typed, by_keys=True)


def _untypable(context: Context) -> JavaError:
    frames: tuple[str, ...] = (
        f"{_SERVICE}.sendText(InputShellCommand.java:319)",
        f"{_SERVICE}.runText(InputShellCommand.java:291)",
        f"{_SERVICE}.onCommand(InputShellCommand.java:230)",
    )
    if context.release < 11:
        frames = (
            "com.android.commands.input.Input$InputText.sendText(Input.java:168)",
            "com.android.commands.input.Input.main(Input.java:100)",
        )
    return JavaError("java.lang.NullPointerException", "Attempt to get length of null array", *frames)


def _key_event(context: Context, arguments: Arguments) -> Prepared:
    keys: list[int] = []
    long = False
    while (word := arguments.next()) is not None:
        match word:
            case "--longpress":
                long = True
            case _:
                keys.append(key_code(word))
    if not keys:
        arguments.required()

    def send() -> None:
        for code in keys:
            if code:
                context.surface.key(code, long=long)

    return send


_ACTIONS: dict[str, Callable[[Context, Arguments], Prepared]] = {
    "keyevent": _key_event,
    "swipe": _swipe,
    "tap": _tap,
    "text": _text,
}

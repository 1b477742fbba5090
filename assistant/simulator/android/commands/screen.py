"""`screencap`, `uiautomator` and `wm`: the screen as a picture, as a tree, and its size."""

from __future__ import annotations

import asyncio
import io
import re

from PIL.Image import Image

from assistant.simulator.android.command import Arguments, Context, Result
from assistant.simulator.surface import NotIdle

DISPLAY_ID = "4619827259835644672"
_SCREENCAP_USAGE = f"""usage: screencap [-hp] [-d display-id] [FILENAME]
   -h: this message
   -p: save the file as a png.
   -d: specify the physical display ID to capture (default: {DISPLAY_ID})
       see "dumpsys SurfaceFlinger --display-id" for valid display IDs.
If FILENAME ends with .png it will be saved as a png.
If FILENAME is not given, the results will be printed to stdout.
"""
_DUMP_FILE = "/sdcard/window_dump.xml"
_IDLE_POLL = 0.1
_UIAUTOMATOR_USAGE = """Usage: uiautomator <subcommand> [options]

Available subcommands:

help: displays help message

runtest: executes UI automation tests
    
dump: creates an XML dump of current UI hierarchy
    dump [--verbose][file]
      [--compressed]: dumps compressed layout information.
      [file]: the location where the dumped XML should be stored, default is
      /sdcard/window_dump.xml

events: prints out accessibility events until terminated
"""


async def screencap(context: Context) -> int:
    """`screencap [-hp] [-d display-id] [FILENAME]`."""
    arguments = Arguments(context.arguments)
    png, name = False, ""
    while (word := arguments.next()) is not None:
        match word:
            case "-p":
                png = True
            case "-d":
                display = arguments.next()
                if display not in (DISPLAY_ID, "0"):
                    return await context.give(Result(error=f"Display Id '{display}' is not valid.\n", code=1))
            case "-h" | "-?":
                return await context.give(Result(error=_SCREENCAP_USAGE, code=1))
            case _ if word.startswith("-"):
                complaint = f"screencap: unrecognized option '{word}'\n{_SCREENCAP_USAGE}"
                return await context.give(Result(error=complaint, code=1))
            case _:
                name = word
    if context.services.quirks.secure_error and context.surface.secure():
        return await context.give(Result(error="Failed to take screenshot. Status: -1\n", code=1))
    picture = context.surface.render()
    content = await asyncio.to_thread(_png if png or name.endswith(".png") else _raw, picture)
    if not name:
        return await context.give(Result(content))
    try:
        context.services.files.write(context.path(name), content)
    except OSError as error:
        return await context.give(Result(error=f"Error opening file: {name} ({error.strerror})\n", code=1))
    return 0


def _png(picture: Image) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()


def _raw(picture: Image) -> bytes:
    header = (picture.width, picture.height, 1, 0)
    return b"".join(value.to_bytes(4, "little") for value in header) + picture.convert("RGBA").tobytes()


async def uiautomator(context: Context) -> int:
    """`uiautomator dump [--compressed] [FILE]`. Exits with 0 even when it fails, as real phones do."""
    match context.arguments:
        case ["dump", *rest]:
            names = [word for word in rest if not word.startswith("-")]
            return await _dump(context, names[0] if names else _DUMP_FILE)
        case [] | ["help"]:
            return await context.give(Result(error=_UIAUTOMATOR_USAGE, code=0 if context.arguments else 1))
    return await context.give(Result(error=_UIAUTOMATOR_USAGE, code=1))


async def _dump(context: Context, name: str) -> int:
    if context.services.quirks.null_root:
        return await context.give(Result(error="ERROR: null root node returned by UiTestAutomationBridge.\n"))
    content = await _idle_dump(context)
    if content is None:
        return await context.give(Result(error="ERROR: could not get idle state.\n"))
    if name == "/dev/tty":
        await context.print(content)
    else:
        try:
            context.services.files.write(context.path(name), content)
        except OSError as error:
            trace = f"java.io.FileNotFoundException: {name}: open failed: {error.strerror}\n"
            return await context.give(Result(error=trace, code=137))
    return await context.give(Result(f"UI hierchary dumped to: {name}\n"))


async def _idle_dump(context: Context) -> bytes | None:
    """The tree as soon as the screen rests, or None when it does not within the phone's patience."""
    clock = context.services.clock
    deadline = clock.uptime() + context.services.delays.of("idle")
    while True:
        if not context.services.quirks.never_idle:
            try:
                return context.surface.dump()
            except NotIdle:
                pass
        if clock.uptime() >= deadline:
            return None
        await clock.sleep(_IDLE_POLL)


def wm(context: Context) -> Result:
    """`wm size|density [VALUE|reset]`, `wm user-rotation …`."""
    display = context.services.display
    match context.arguments:
        case ["size"]:
            lines = [f"Physical size: {_size(display.physical)}"]
            if display.override:
                lines.append(f"Override size: {_size(display.override)}")
            return Result("\n".join(lines) + "\n")
        case ["size", "reset"]:
            display.override = None
        case ["size", value]:
            found = re.fullmatch(r"(\d{1,5})x(\d{1,5})", value)
            if found is None or not int(found[1]) or not int(found[2]):
                return Result(error=f"Error: bad size {value}\n", code=255)
            display.override = int(found[1]), int(found[2])
        case ["density"]:
            lines = [f"Physical density: {display.physical_density}"]
            if display.override_density:
                lines.append(f"Override density: {display.override_density}")
            return Result("\n".join(lines) + "\n")
        case ["density", "reset"]:
            display.override_density = None
        case ["density", value] if value.isascii() and value.isdigit() and int(value) >= 72:
            display.override_density = int(value)
        case ["density", value] if value.isascii() and value.isdigit():
            return Result(error="Error: density must be >= 72\n", code=255)
        case ["density", value]:
            return Result(error=f"Error: bad density {value}\n", code=255)
        case ["user-rotation" | "set-user-rotation", "lock", turn] if turn in ("0", "1", "2", "3"):
            context.services.set_setting("accelerometer_rotation", "0")
            context.services.set_setting("user_rotation", turn)
        case ["user-rotation" | "set-user-rotation", "free"]:
            context.services.set_setting("accelerometer_rotation", "1")
        case ["user-rotation"]:
            free = context.services.setting("accelerometer_rotation") == "1"
            return Result("free\n" if free else f"lock {display.rotation}\n")
        case _:
            return Result(error="Window manager (window) commands:\n  help\n  size [reset|WxH]\n", code=255)
    return Result()


def _size(size: tuple[int, int]) -> str:
    return f"{size[0]}x{size[1]}"

"""`screencap`, `uiautomator` and `wm`: the screen as a picture, as a tree, and its size."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping

from PIL.Image import Image
from PIL.Image import new as new_picture

from assistant.simulator.android.command import Arguments, Context, Result
from assistant.simulator.android.hardware import Display
from assistant.simulator.surface import NotIdle, as_png

_SCREENCAP_USAGE = """usage: screencap [-hp] [-d display-id] [FILENAME]
   -h: this message
   -p: save the file as a png.
   -d: specify the physical display ID to capture (default: 4619827259835644672)
       see "dumpsys SurfaceFlinger --display-id" for valid display IDs.
If FILENAME ends with .png it will be saved as a png.
If FILENAME is not given, the results will be printed to stdout.
"""
# AOSP frameworks/base/cmds/screencap/screencap.cpp, as in MaaAssistantArknights#16927.
_SEVERAL_DISPLAYS = (
    "[Warning] Multiple displays were found, but no display id was specified! Defaulting to the first "
    "display found, however this default is not guaranteed to be consistent across captures. A display "
    "id should be specified.\nA display ID can be specified with the [-d display-id] option.\n"
    'See "dumpsys SurfaceFlinger --display-id" for valid display IDs.\n'
)
_DUMP_FILE = "/sdcard/window_dump.xml"
_IDLE_POLL = 0.1
_LEAST_DENSITY = 72
_LEVEL_WITH_VIRTUAL = 34
_WINDOWS_SINCE = 14
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

_REGISTERED = (
    "java.lang.IllegalStateException: UiAutomationService "
    "android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy@3c81b40 already registered!\n"
)


async def screencap(context: Context) -> int:
    """`screencap [-hp] [-d display-id] [FILENAME]`."""
    arguments = Arguments(context.arguments)
    shown = context.services.display
    png, name, panel = False, "", ""
    virtual = _virtual_panels(context)
    while (word := arguments.next()) is not None:
        match word:
            case "-p":
                png = True
            case "-d":
                panel = arguments.next() or ""
                panels = (shown.panel_id, *([shown.dark_panel_id] if shown.dark_panel else ["0"]))
                if panel not in (*panels, *virtual):
                    return await context.give(Result(error=f"Display Id '{panel}' is not valid.\n", code=1))
            case "-h" | "-?":
                return await context.give(Result(error=_SCREENCAP_USAGE, code=1))
            case _ if word.startswith("-"):
                complaint = f"screencap: unrecognized option '{word}'\n{_SCREENCAP_USAGE}"
                return await context.give(Result(error=complaint, code=1))
            case _:
                name = word
    if context.services.quirks.secure_error and context.surface.secure():
        return await context.give(Result(error="Failed to take screenshot. Status: -1\n", code=1))
    png = png or name.endswith(".png")
    clock, delays = context.services.clock, context.services.delays
    await clock.sleep(delays.of("screencap -p" if png else "screencap"))
    if shown.dark_panel and not panel:
        await context.print(_SEVERAL_DISPLAYS)
    began = time.perf_counter()
    picture = _picture(context, panel, virtual)
    content = await asyncio.to_thread(as_png if png else _raw, picture)
    delays.work["png" if png else "screencap"] = time.perf_counter() - began
    if png:
        await clock.sleep(delays.of("png"))
    if not name:
        return await context.give(Result(content))
    try:
        context.services.files.write(context.path(name), content)
    except OSError as error:
        return await context.give(Result(error=f"Error opening file: {name} ({error.strerror})\n", code=1))
    return 0


def _virtual_panels(context: Context) -> dict[str, int]:
    """The virtual displays whose picture can be taken, by the number under which it is."""
    if context.services.profile.level < _LEVEL_WITH_VIRTUAL:
        return {}
    return {display.surface: display.number for display in context.services.displays.shown.values()}


def _picture(context: Context, panel: str, virtual: Mapping[str, int]) -> Image:
    shown = context.services.display
    if shown.dark_panel and panel not in (shown.panel_id, *virtual):
        return new_picture("RGBA", shown.dark_panel, "black")
    with context.surface.on(virtual.get(panel, 0)):
        return context.surface.render()


def _raw(picture: Image) -> bytes:
    header = (picture.width, picture.height, 1, 0)
    return b"".join(value.to_bytes(4, "little") for value in header) + picture.convert("RGBA").tobytes()


async def uiautomator(context: Context) -> int:
    """`uiautomator dump [--compressed] [--windows] [FILE]`.

    Exits with 0 even when it fails, as real phones do, and ignores options that it does not know.
    """
    match context.arguments:
        case ["dump", *rest]:
            names = [word for word in rest if not word.startswith("-")]
            every = "--windows" in rest and context.release >= _WINDOWS_SINCE
            return await _dump(context, names[0] if names else _DUMP_FILE, every=every)
        case [] | ["help"]:
            return await context.give(Result(error=_UIAUTOMATOR_USAGE, code=0 if context.arguments else 1))
    return await context.give(Result(error=_UIAUTOMATOR_USAGE, code=1))


async def _dump(context: Context, name: str, *, every: bool) -> int:
    services = context.services
    if services.automation:
        return await context.give(Result(error=_REGISTERED, code=1))
    services.automation = "uiautomator"
    try:
        await services.clock.sleep(services.delays.of("uiautomator dump"))
        return await _dump_connected(context, name, every=every)
    finally:
        services.automation = ""


async def _dump_connected(context: Context, name: str, *, every: bool) -> int:
    if context.services.quirks.null_root:
        return await context.give(Result(error="ERROR: null root node returned by UiTestAutomationBridge.\n"))
    content = await _idle_dump(context, every=every)
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


async def _idle_dump(context: Context, *, every: bool) -> bytes | None:
    """The tree as soon as the screen rests, or None when it does not within the phone's patience."""
    clock = context.services.clock
    deadline = clock.uptime() + context.services.delays.of("idle")
    while True:
        if not context.services.quirks.never_idle:
            try:
                return context.surface.dump(every=every)
            except NotIdle:
                pass
        if clock.uptime() >= deadline:
            return None
        await clock.sleep(_IDLE_POLL)


def wm(context: Context) -> Result:
    """`wm size|density [VALUE|reset]`, `wm user-rotation [free|lock N]`."""
    match context.arguments:
        case ["size", *words]:
            return _wm_size(context.services.display, words)
        case ["density", *words]:
            return _wm_density(context.services.display, words)
        case ["user-rotation" | "set-user-rotation", *words]:
            return _wm_rotation(context, words)
    return Result(error="Window manager (window) commands:\n  help\n  size [reset|WxH]\n", code=255)


def _wm_size(display: Display, words: list[str]) -> Result:
    match words:
        case []:
            override = f"Override size: {_size(display.override)}\n" if display.override else ""
            return Result(f"Physical size: {_size(display.physical)}\n{override}")
        case ["reset"]:
            display.override = None
            return Result()
    match = re.fullmatch(r"([1-9]\d{0,4})x([1-9]\d{0,4})", words[0], re.ASCII)
    if match is None:
        return Result(error=f"Error: bad size {words[0]}\n", code=255)
    display.override = int(match[1]), int(match[2])
    return Result()


def _wm_density(display: Display, words: list[str]) -> Result:
    match words:
        case []:
            override = f"Override density: {display.override_density}\n" if display.override_density else ""
            return Result(f"Physical density: {display.physical_density}\n{override}")
        case ["reset"]:
            display.override_density = None
            return Result()
    if re.fullmatch(r"\d{1,4}", words[0], re.ASCII) is None:
        return Result(error=f"Error: bad density {words[0]}\n", code=255)
    if int(words[0]) < _LEAST_DENSITY:
        return Result(error=f"Error: density must be >= {_LEAST_DENSITY}\n", code=255)
    display.override_density = int(words[0])
    return Result()


def _wm_rotation(context: Context, words: list[str]) -> Result:
    services = context.services
    match words:
        case []:
            free = services.setting("accelerometer_rotation") == "1"
            return Result("free\n" if free else f"lock {services.display.rotation}\n")
        case ["free"]:
            services.set_setting("accelerometer_rotation", "1")
            return Result()
        case ["lock", "0" | "1" | "2" | "3" as turn]:
            services.set_setting("accelerometer_rotation", "0")
            services.set_setting("user_rotation", turn)
            return Result()
    return Result(error="Error: rotation must be free or lock with 0 to 3\n", code=255)


def _size(size: tuple[int, int]) -> str:
    return f"{size[0]}x{size[1]}"

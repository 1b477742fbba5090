"""`getevent` and `logcat`: streams that run until their reader goes away."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

from assistant.simulator.android.command import Context, Result, Running
from assistant.simulator.android.software import LogLine
from assistant.simulator.android.touches import BUTTONS, PANEL, RawEvent, panel_limits

_KINDS = {"EV_SYN": 0, "EV_KEY": 1, "EV_ABS": 3}
_CODES = {
    "SYN_REPORT": 0,
    "BTN_TOUCH": 0x14A,
    "KEY_VOLUMEDOWN": 0x72,
    "KEY_VOLUMEUP": 0x73,
    "KEY_POWER": 0x74,
    "ABS_MT_SLOT": 0x2F,
    "ABS_MT_TOUCH_MAJOR": 0x30,
    "ABS_MT_POSITION_X": 0x35,
    "ABS_MT_POSITION_Y": 0x36,
    "ABS_MT_TRACKING_ID": 0x39,
    "ABS_MT_PRESSURE": 0x3A,
}
_USAGE = (
    "Usage: getevent [-t] [-n] [-s switchmask] [-S] [-v [mask]] [-d] [-p] [-i] [-l] [-q] [-c count] [-r] "
    "[device]\n"
)
_PRIORITIES = "VDIWEFS"
_WITH_VALUE = ("-t", "-T", "-v", "-b", "-e", "-m", "-r", "-n", "-f")
_DEVICES = ((BUTTONS, "gpio-keys"), (PANEL, "sim_touchscreen"))


async def getevent(context: Context) -> int:
    """`getevent [-ltpS] [DEVICE]`: `-p` describes the devices, else events are printed as they come."""
    options = {letter for word in context.arguments if word.startswith("-") for letter in word[1:]}
    words = list(context.arguments)
    most = None
    if "-c" in words:
        place = words.index("-c")
        value = "".join(words[place + 1 : place + 2])
        most = int(value) if value.isascii() and value.isdigit() and len(value) < 9 else 0
        del words[place : place + 2]
    names = [word for word in words if not word.startswith("-")]
    unknown = options - set("ltpiqScdrnsvh")
    if unknown or "h" in options:
        return await context.give(Result(error=_USAGE, code=1))
    devices = [(path, name) for path, name in _DEVICES if not names or path == names[0]]
    if not devices:
        return await context.give(
            Result(error=f"could not open {names[0]}, No such file or directory\n", code=1)
        )
    if "p" in options or "i" in options:
        return await context.give(
            Result("".join(_description(context, *device, "l" in options) for device in devices))
        )
    with context.services.touches.subscribe() as queue:
        if not names:
            for place, (path, name) in enumerate(devices, 1):
                await context.print(f'add device {place}: {path}\n  name:     "{name}"\n')
        while most is None or most > 0:
            event = await queue.get()
            if not names or event.device == names[0]:
                await context.print(_line(event, options, with_device=not names))
                most = None if most is None else most - 1
    return 0


def _line(event: RawEvent, options: set[str], *, with_device: bool) -> str:
    stamp = f"[{event.time:>15.6f}] " if "t" in options else ""
    value = f"{event.value & 0xFFFFFFFF:08x}"
    device = f"{event.device}: " if with_device else ""
    if "l" not in options:
        return f"{stamp}{device}{_KINDS[event.kind]:04x} {_CODES[event.code]:04x} {value}\n"
    if event.kind == "EV_KEY":
        value = "DOWN" if event.value else "UP"
    return f"{stamp}{device}{event.kind:<12} {event.code:<20} {value:<20}\n"


def _description(context: Context, path: str, name: str, labels: bool) -> str:
    number = 1 + [device for device, _ in _DEVICES].index(path)
    head = f'add device {number}: {path}\n  name:     "{name}"\n  events:\n'
    if path == BUTTONS:
        keys = ("KEY_VOLUMEDOWN", "KEY_VOLUMEUP", "KEY_POWER")
        shown = "".join(f"{key:<22}" if labels else f"{_CODES[key]:04x}  " for key in keys)
        return f"{head}    KEY (0001): {shown}\n  input props:\n    <none>\n"
    maximum_x, maximum_y = panel_limits(context.services.display)
    axes = (
        ("ABS_MT_SLOT", 9),
        ("ABS_MT_TOUCH_MAJOR", 255),
        ("ABS_MT_POSITION_X", maximum_x),
        ("ABS_MT_POSITION_Y", maximum_y),
        ("ABS_MT_TRACKING_ID", 65535),
        ("ABS_MT_PRESSURE", 255),
    )
    lines = [
        f"{f'{axis:<21}' if labels else f'{_CODES[axis]:04x} '} : value 0, min 0, max {maximum}, "
        "fuzz 0, flat 0, resolution 0"
        for axis, maximum in axes
    ]
    touch = "BTN_TOUCH" if labels else "014a"
    properties = "INPUT_PROP_DIRECT" if labels else "0001"
    body = f"    KEY (0001): {touch:<20}\n    ABS (0003): " + "\n                ".join(lines)
    return f"{head}{body}\n  input props:\n    {properties}\n"


async def logcat(context: Context) -> int:
    """`logcat [-d] [-c] [-s] [-t COUNT] [-T COUNT] [-v FORMAT] [TAG[:PRIORITY] …]`; `-T` goes on."""
    words, log = context.arguments, context.services.log
    if "-c" in words:
        log.clear()
        return 0
    passes_filter = _filter(words)
    shown = [line for line in log if passes_filter(line)]
    count = next((count for name in ("-t", "-T") if (count := _count(words, name)) is not None), None)
    lines = shown if count is None else shown[len(shown) - min(len(shown), count) :]
    await context.print("--------- beginning of main\n")
    for line in lines:
        await context.print(_log_line(line))
    if "-d" in words or _count(words, "-t") is not None:
        return 0
    async for line in _new_lines(context):
        if passes_filter(line):
            await context.print(_log_line(line))
    return 0


def _count(words: list[str], name: str) -> int | None:
    following = words[words.index(name) + 1 : words.index(name) + 2] if name in words else []
    return int(following[0]) if following and following[0].isascii() and following[0].isdigit() else None


def _filter(words: list[str]) -> Callable[[LogLine], bool]:
    """Which lines the filter words let through: the least priority for a tag, `*` for the others."""
    least = {"*": "S" if "-s" in words else "V"}
    before = ""
    for word in words:
        if not word.startswith("-") and before not in _WITH_VALUE:
            tag, _, priority = word.partition(":")
            least[tag] = priority[:1].upper() or ("V" if tag != "*" else "D")
        before = word

    def wanted(line: LogLine) -> bool:
        return _rank(line.priority) >= _rank(least.get(line.tag, least["*"]))

    return wanted


def _rank(priority: str) -> int:
    return _PRIORITIES.find(priority)


async def _new_lines(context: Context) -> AsyncIterator[LogLine]:
    with context.services.follow_log() as queue:
        while True:
            yield await queue.get()


def _log_line(line: LogLine) -> str:
    milliseconds = line.time.microsecond // 1000
    stamp = f"{line.time:%m-%d %H:%M:%S}.{milliseconds:03d}"
    return f"{stamp} {line.process:>5} {line.process:>5} {line.priority} {line.tag}: {line.message}\n"


RUNNING: dict[str, Running] = {"getevent": getevent, "logcat": logcat}

"""`am` and `monkey`: starting apps, stopping them, and telling a keyboard what to type."""

from __future__ import annotations

import base64
import binascii

from assistant.simulator.android.command import Context, JavaError, Plain, Result
from assistant.simulator.android.commands.common import full_class, unknown_command
from assistant.simulator.android.commands.intents import Intent, Request, read_intent, resolve
from assistant.simulator.android.commands.keycodes import key_code
from assistant.simulator.android.software import ADB_KEYBOARD, U2_KEYBOARD
from assistant.simulator.surface import UnknownComponent

_BROADCAST_FLAGS = 0x400000
_NEW_TASK, _CLEAR_TASK = 0x10000000, 0x8000
_USAGE = """Activity manager (activity) commands:
  help
      Print this help text.
  start-activity [-D] [-W] <INTENT>
"""


def am(context: Context) -> Result:
    """`am start|start-activity|force-stop|kill|broadcast|stack …`."""
    match context.arguments:
        case ["start" | "start-activity", *words]:
            return _start(context, words)
        case ["force-stop" | "kill", *words]:
            names = [
                word for word in words if not word.startswith("-") and word not in ("0", "all", "current")
            ]
            for name in names:
                context.surface.stop(name)
            return Result()
        case ["broadcast", *words]:
            return _broadcast(context, words)
        case ["get-current-user"]:
            return Result("0\n")
        case []:
            return Result(error=_USAGE, code=255)
    return unknown_command(context.arguments[0], "")


def _start(context: Context, words: list[str]) -> Result:
    request = read_intent(words)
    if request.unknown:
        return Result(error=f"Error: Unknown option: {request.unknown}\n", code=255)
    if request.bad_component:
        raise JavaError("java.lang.IllegalArgumentException", f"Bad component name: {request.bad_component}")
    intent = request.intent
    starting = f"Starting: {intent}\n"
    failed = 0 if context.release < 10 else 1
    resolved = resolve(context, intent)
    if resolved is None:
        return Result(starting, f"Error: Activity not started, unable to resolve {intent}\n", failed)
    package, activity = resolved
    clears = bool(intent.flags & _CLEAR_TASK) and bool(intent.flags & _NEW_TASK)
    _require_display(context, request, package)
    if request.stop_first or clears:
        context.surface.stop(package)
    hands_over = context.services.quirks.hands_over
    if package in hands_over:
        _start_launcher_activity(context, package)
        return Result(starting, endless=request.wait)
    started = context.services.clock.uptime()
    running = any(event.package == package for event in context.services.usage.events)
    try:
        display = context.services.displays.where(package) if request.display is None else request.display
        with context.surface.on(display):
            changed = context.surface.start(package, activity, intent.address)
    except UnknownComponent:
        if intent.address:
            return Result(starting, f"Error: Activity not started, unable to resolve {intent}\n", failed)
        component = f"{{{package}/{full_class(package, activity)}}}"
        return Result(starting, f"Error type 3\nError: Activity class {component} does not exist.\n", failed)
    warning = (
        "" if changed else "Warning: Activity not started, its current task has been brought to the front\n"
    )
    if not request.wait:
        return Result(starting, warning)
    cold = changed and not running
    total = (643 if cold else 187) if changed else 0
    waited = total + 3 + round((context.services.clock.uptime() - started) * 1000)
    lines = ["Status: ok"]
    if context.release >= 10:
        lines.append(f"LaunchState: {'COLD' if cold else 'HOT' if changed else 'UNKNOWN (0)'}")
    with context.surface.on(display):
        shown = context.surface.resumed()
    lines.append(f"Activity: {shown.package}/{shown.activity}")
    if context.release < 10:
        lines.append(f"ThisTime: {total}")
    lines += [f"TotalTime: {total}", f"WaitTime: {waited}", "Complete"]
    return Result(starting + "\n".join(lines) + "\n", warning)


def _require_display(context: Context, request: Request, package: str) -> None:
    """Raise where an app may not be started on a display (AOSP `ActivityTaskSupervisor`)."""
    if not request.display:
        return
    is_there = request.display in context.services.displays.shown
    if not is_there or package == context.services.quirks.main_only:
        raise JavaError(
            "java.lang.SecurityException",
            f"Permission Denial: starting {request.intent} from null (pid=4242, uid=2000) "
            f"with launchDisplayId={request.display}",
            "com.android.server.wm.ActivityTaskSupervisor.checkStartAnyActivityPermission"
            "(ActivityTaskSupervisor.java:1153)",
        )


def _broadcast(context: Context, words: list[str]) -> Result:
    request = read_intent(words)
    if request.unknown:
        return Result(error=f"Error: Unknown option: {request.unknown}\n", code=255)
    request.intent.flags |= _BROADCAST_FLAGS
    answer = _deliver(context, request.intent)
    return Result(f"Broadcasting: {request.intent}\nBroadcast completed: {answer}\n")


def _deliver(context: Context, intent: Intent) -> str:
    """Hand a broadcast to the keyboard in use; others hear nothing, and nobody can tell from the answer."""
    methods, displays = context.services.input_methods, context.services.displays
    if methods.drops_text:
        return "result=0"
    with context.surface.on(displays.top):
        if methods.current == ADB_KEYBOARD:
            displays.note(False, context.surface.resumed().package)
            _type_by_adb_keyboard(context, intent)
        elif methods.current == U2_KEYBOARD and intent.action.startswith("ADB_KEYBOARD_"):
            displays.note(False, context.surface.resumed().package)
            return _type_by_u2_keyboard(context, intent)
    return "result=0"


def _decoded(text: str) -> str | None:
    try:
        return base64.b64decode(text, validate=False).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return None


def _type_by_adb_keyboard(context: Context, intent: Intent) -> None:
    match intent.action:
        case "ADB_INPUT_TEXT":
            context.surface.type_text(intent.extras.get("msg", ""))
        case "ADB_INPUT_B64":
            context.surface.type_text(_decoded(intent.extras.get("msg", "")) or "")
        case "ADB_INPUT_CHARS":
            codes = [
                code
                for code in intent.extras.get("chars", "").split(",")
                if code.isdecimal() and len(code) < 8
            ]
            context.surface.type_text("".join(chr(int(code)) for code in codes if int(code) < 0x110000))
        case "ADB_INPUT_CODE":
            context.surface.key(key_code(intent.extras.get("code", "0")))
        case "ADB_EDITOR_CODE":
            context.surface.key(key_code("ENTER"))
        case "ADB_CLEAR_TEXT":
            context.surface.clear_text()


def _type_by_u2_keyboard(context: Context, intent: Intent) -> str:
    done = False
    text = _decoded(intent.extras.get("text", ""))
    match intent.action:
        case "ADB_KEYBOARD_INPUT_TEXT" if text is not None:
            done = context.surface.type_text(text)
        case "ADB_KEYBOARD_SET_TEXT" if text is not None:
            done = context.surface.clear_text() and context.surface.type_text(text)
        case "ADB_KEYBOARD_CLEAR_TEXT":
            done = context.surface.clear_text()
        case "ADB_KEYBOARD_EDITOR_CODE" | "ADB_KEYBOARD_SMART_ENTER":
            context.surface.key(key_code("ENTER"))
            done = True
        case "ADB_KEYBOARD_HIDE":
            if context.surface.keyboard_shown():
                context.surface.key(key_code("BACK"))
            done = True
    return 'result=-1, data="success"' if done else 'result=0, data="fail"'


def _start_launcher_activity(context: Context, package: str) -> None:
    """Bring an app to the front, or the one that it hands over to; nothing where that is none."""
    shown = context.services.quirks.hands_over.get(package, package)
    if shown:
        with context.surface.on(context.services.displays.where(shown)):
            context.surface.start(shown)


def monkey(context: Context) -> Result:
    """`monkey -p PACKAGE [-c CATEGORY] 1`: starts an app's launcher activity."""
    words = context.arguments
    echoed = "".join(f"  bash arg: {word}\n" for word in words)
    echoed += f"args: [{', '.join(words)}]\n" + "".join(f' arg: "{word}"\n' for word in words)
    match words:
        case ["-p", package, "-c", category, count] if count.isdecimal():
            echoed += f'data="{package}"\ndata="{category}"\n'
        case ["-p", package, count] if count.isdecimal():
            echoed += f'data="{package}"\n'
        case _:
            return Result(echoed, "usage: monkey [-p ALLOWED_PACKAGE [-p ALLOWED_PACKAGE] ...] COUNT\n", 251)
    installed = context.services.packages.installed.get(package)
    if installed is None or not installed.activity:
        return Result(f"{echoed}** No activities found to run, monkey aborted.\n", code=252)
    _start_launcher_activity(context, package)
    return Result(
        f"{echoed}Events injected: {count}\n"
        "## Network stats: elapsed time=56ms (0ms mobile, 0ms wifi, 56ms not connected)\n"
    )


PLAIN: dict[str, Plain] = {"am": am, "monkey": monkey}

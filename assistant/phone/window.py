"""The facts about the screen that neither the picture nor the tree tells, asked in one shell command.

Sources of the printed lines: AOSP dumpsys; for the differences between versions see appium-adb's
app-commands.ts and lockmgmt.ts, and python-androidtv's constants.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from assistant.records import ForegroundApp

_FIRST_SDK_WITH_DISPLAYS = 29
_KEEP = "Display: mDisplayId|mCurrentFocus|mFocusedApp|mCurrentRotation|[ ]cur="
_POLICY = "mShowingLockscreen|mDreamingLockscreen|mIsShowing|mInputRestricted|isKeyguardShowing"
_FOCUS = re.compile(r"mCurrentFocus=Window\{\S+(?: u\d+)? ([^}]*)\}?")
_COMPONENT = re.compile(r"(?:^|[ {])([A-Za-z][\w.]*)/([\w.$]+)")
_DISPLAY = re.compile(r"Display: mDisplayId=(\d+)")
_NOT_RESPONDING = re.compile(r"Application (?:Not Responding|Error): (\S+)")
_SYSTEM_WINDOWS = {
    "StatusBar": "System bar",
    "NotificationShade": "Notification shade",
    "Keyguard": "Lock screen",
    "KeyguardScrim": "Lock screen",
    "RecentsPanel": "Recent apps",
    "VolumeDialogImpl": "Volume",
}
_SYSTEM_UI = "com.android.systemui"


@dataclass(frozen=True, slots=True)
class Facts:
    """What is in front and whether it can be used. None where the phone did not tell."""

    app: ForegroundApp = field(default_factory=ForegroundApp)
    keyboard_shown: bool = False
    awake: bool | None = None
    locked: bool = False
    rotation: int | None = None
    size: tuple[int, int] | None = None


def facts_command(sdk: int) -> str:
    """The shell line that prints the facts on a phone of an API level; 0 where the level is not known."""
    what = "windows" if 0 < sdk < _FIRST_SDK_WITH_DISPLAYS else "displays"
    return (
        f"dumpsys window {what} | grep -E '{_KEEP}'; "
        f"echo '== policy'; dumpsys window policy | grep -E '{_POLICY}'; "
        "echo '== power'; dumpsys power | grep mWakefulness=; "
        "echo '== keyboard'; dumpsys input_method | grep -E 'mInputShown|mIsInputViewShown'"
    )


def parse_facts(printed: str) -> Facts:
    """Read what the facts command printed."""
    windows, _, rest = printed.partition("== policy")
    policy, _, rest = rest.partition("== power")
    power, _, keyboard = rest.partition("== keyboard")
    display = _first_display(windows)
    wakefulness = re.search(r"mWakefulness=(\w+)", power)
    rotation = re.search(r"mCurrentRotation=(?:ROTATION_)?(\d+)", display)
    size = re.search(r" cur=(\d+)x(\d+)", display)
    return Facts(
        app=parse_foreground(display),
        keyboard_shown=keyboard_shown(keyboard),
        awake=wakefulness[1] == "Awake" if wakefulness else None,
        locked=locked(policy),
        rotation=_quarter_turns(int(rotation[1])) if rotation else None,
        size=(int(size[1]), int(size[2])) if size else None,
    )


def parse_foreground(windows: str) -> ForegroundApp:
    """The focused window from lines of `dumpsys window`; empty when nothing has focus.

    A popup of an app carries its own title; then the app that has focus owns it.
    """
    focus = ""
    for found in _FOCUS.finditer(windows):
        focus = found[1].strip()
        break
    if trouble := _NOT_RESPONDING.search(focus):
        return ForegroundApp(package=trouble[1], label=f"{trouble[1]} does not respond")
    if focus in _SYSTEM_WINDOWS:
        return ForegroundApp(package=_SYSTEM_UI, label=_SYSTEM_WINDOWS[focus])
    if component := _COMPONENT.search(focus):
        return _app(component)
    for line in windows.splitlines():
        if "mFocusedApp=" in line and (component := _COMPONENT.search(line)):
            return _app(component)
    return ForegroundApp(package=_SYSTEM_UI, label=focus) if focus else ForegroundApp()


def locked(policy: str) -> bool:
    """Whether a keyguard is up, from lines of `dumpsys window policy` of any version."""
    if re.search(r"m(?:Showing|Dreaming)Lockscreen=true", policy):
        return True
    if "mIsShowing=" in policy:
        return "mIsShowing=true" in policy and "mInputRestricted=false" not in policy
    return "isKeyguardShowing=true" in policy


def keyboard_shown(lines: str) -> bool:
    """Whether the input method's window is up, from lines of `dumpsys input_method`.

    Where the view's own state is printed it must agree: `mInputShown` may stay for a hidden keyboard.
    """
    if "mInputShown=true" not in lines:
        return False
    return "mIsInputViewShown=false" not in lines


def _app(component: re.Match[str]) -> ForegroundApp:
    package, activity = component[1], component[2]
    if activity.startswith("."):
        activity = package + activity
    return ForegroundApp(package=package, activity=activity)


def _first_display(windows: str) -> str:
    """The lines of display 0: virtual displays are printed first."""
    pieces = _DISPLAY.split(windows)
    for number, lines in zip(pieces[1::2], pieces[2::2], strict=True):
        if number == "0":
            return lines + pieces[0]
    return windows


def _quarter_turns(rotation: int) -> int:
    return (rotation // 90 if rotation >= 4 else rotation) % 4

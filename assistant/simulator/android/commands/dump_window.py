"""`dumpsys window`, `display`, `input` and `SurfaceFlinger`: focus, rotation, keyguard, sizes."""

from __future__ import annotations

from assistant.records import Bounds
from assistant.simulator.android.command import Context
from assistant.simulator.android.commands.common import activity_record, handle, truth, window_name
from assistant.simulator.android.displays import VirtualDisplay

_LEVEL_THAT_LISTS_VIRTUAL = 35


def window(context: Context, words: list[str]) -> str:
    """`dumpsys window [windows|displays|policy]`; without a word all of them."""
    parts = {
        "windows": _windows,
        "w": _windows,
        "displays": _displays,
        "d": _displays,
        "policy": _policy,
        "p": _policy,
    }
    names = [word for word in words if not word.startswith("-")]
    if names and names[0] in parts:
        return parts[names[0]](context)
    if names and names[0] not in ("all", "a"):
        return f"Bad window command, or no windows match: {names[0]}\nUse -h for help.\n"
    return "\n".join((_policy(context), _displays(context), _windows(context)))


def _focus(context: Context) -> str:
    focused = context.surface.focused()
    if not focused.package and not focused.title:
        return "null"
    name = window_name(context, focused)
    return f"Window{{{handle(name)} u0 {name}}}"


def _focused_app(context: Context) -> str:
    if _focus(context) == "null":
        return "null"
    record = activity_record(context, context.surface.resumed())
    if context.release < 10:
        return f"AppWindowToken{{{handle(record)} token=Token{{{handle('token' + record)} {record}}}}}"
    return record


def _windows(context: Context) -> str:
    focused, resumed = context.surface.focused(), context.surface.resumed()
    names = ["NavigationBar0", "StatusBar"]
    if context.surface.keyboard_shown():
        names.append("InputMethod")
    names.extend(dict.fromkeys((window_name(context, focused), window_name(context, resumed))))
    lines = ["WINDOW MANAGER WINDOWS (dumpsys window windows)"]
    for place, name in enumerate(names):
        lines += [
            f"  Window #{place} Window{{{handle(name)} u0 {name}}}:",
            f"    mDisplayId=0 mSession=Session{{{handle('session' + name)} 1203:1000}}",
            f"    mOwnerUid=1000 showForAllUsers=false package={name.split('/')[0]} appop=NONE",
            "    isOnScreen=true",
            "    isVisible=true",
        ]
    lines.append("")
    if context.release < 10:
        lines += [f"  mCurrentFocus={_focus(context)}", f"  mFocusedApp={_focused_app(context)}"]
        if context.surface.field_focused():
            lines.append(f"  mInputMethodTarget={_focus(context)}")
        lines += ["  mInTouchMode=true mLayoutSeq=412", f"  mRotation={context.services.display.rotation}"]
        return "\n".join(lines) + "\n"
    if context.surface.field_focused():
        target = "imeLayeringTarget" if context.release >= 12 else "mInputMethodTarget"
        lines.append(f"  {target} in display# 0 {_focus(context)}")
        if context.release >= 12:
            lines.append(f"  imeInputTarget in display# 0 {_focus(context)}")
            lines.append(f"  imeControlTarget in display# 0 {_focus(context)}")
    top = context.services.displays.top
    lines += ["  mInTouchMode=true", f"  mTopFocusedDisplayId={top}", "  mHasPermanentDpad=false"]
    return "\n".join(lines) + "\n"


def _displays(context: Context) -> str:
    display = context.services.display
    width, height = display.size
    initial = "{}x{}".format(*display.physical)
    base = ""
    if display.override or display.override_density:
        base = " base={}x{} {}dpi".format(*display.natural_size, display.density)
    lines = ["WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)"]
    if context.services.quirks.virtual_display:
        lines += [
            "  Display: mDisplayId=2" + (" rootTasks=1" if context.release >= 12 else " stacks=1"),
            "    init=800x600 160dpi cur=800x600 app=800x600 rng=600x600-800x800",
            "",
            "  mCurrentFocus=null",
            "  mFocusedApp=null",
            "",
        ]
    for number in reversed(context.services.displays.shown):
        with context.surface.on(number):
            lines += _virtual(context, number)
    lines += [
        "  Display: mDisplayId=0" + (" rootTasks=5" if context.release >= 12 else " stacks=5"),
        f"    init={initial} {display.physical_density}dpi{base} cur={width}x{height} app={width}x{height} "
        f"rng={min(width, height)}x{min(width, height)}-{max(width, height)}x{max(width, height)}",
        "    deferred=false mLayoutNeeded=false mTouchExcludeRegion=SkRegion()",
        "",
    ]
    if context.release >= 10:
        lines += [f"  mCurrentFocus={_focus(context)}", f"  mFocusedApp={_focused_app(context)}", ""]
        if context.surface.field_focused():
            lines.append(f"  mInputMethodTarget={_focus(context)}")
    if context.release >= 11:
        lines += _tasks(context)
    lines += [
        "  DisplayRotation",
        f"    mCurrentRotation=ROTATION_{display.rotation * 90}",
        f"    mRotation={display.rotation} mDeferredRotationPauseCount=0",
    ]
    if context.release >= 13:
        lines.append(f"  isKeyguardShowing={truth(context.services.keyguard.showing)}")
    return "\n".join(lines) + "\n"


def _tasks(context: Context) -> list[str]:
    """The visible tasks with their bounds, as Android 11 and later print them."""
    width, height = context.services.display.size
    halves = context.surface.halves() or {context.surface.resumed().package: Bounds(0, 0, width, height)}
    lines = ["  Task display areas in top down Z order:", "    TaskDisplayArea DefaultTaskDisplayArea"]
    for number, (package, (left, top, right, bottom)) in enumerate(halves.items(), start=20):
        mode = "multi-window" if len(halves) > 1 else "fullscreen"
        task = f"Task{{{handle(package)} #{number} type=standard A=10123:{package} U=0"
        lines += [
            f"      * {task} visible=true visibleRequested=true mode={mode} translucent=false sz=1}}",
            f"        bounds=[{left},{top}][{right},{bottom}]",
        ]
    return [*lines, ""]


def _virtual(context: Context, number: int) -> list[str]:
    """A virtual display, which is printed before the phone's own."""
    width, height = context.services.display.size
    return [
        f"  Display: mDisplayId={number}" + (" rootTasks=1" if context.release >= 12 else " stacks=1"),
        f"    init={width}x{height} {context.services.display.density}dpi cur={width}x{height} "
        f"app={width}x{height} rng={width}x{width}-{height}x{height}",
        "",
        f"  mCurrentFocus={_focus(context)}",
        f"  mFocusedApp={_focused_app(context)}",
        "",
        "  DisplayRotation",
        "    mCurrentRotation=ROTATION_0",
        "",
    ]


def _policy(context: Context) -> str:
    keyguard, power = context.services.keyguard, context.services.power
    awake, shown, secure = truth(power.awake), truth(keyguard.showing), truth(keyguard.secure)
    screen = "SCREEN_STATE_ON" if power.awake else "SCREEN_STATE_OFF"
    interactive = "INTERACTIVE_STATE_AWAKE" if power.awake else "INTERACTIVE_STATE_SLEEP"
    lines = ["WINDOW MANAGER POLICY STATE (dumpsys window policy)"]
    if context.release < 10:
        lines.append(f"    mShowingLockscreen={shown} mShowingDream=false mDreamingLockscreen={shown}")
    lines += [
        f"    mAwake={awake} mScreenOnEarly={awake} mScreenOnFully={awake}",
        "    KeyguardServiceDelegate",
        f"      showing={shown}",
        f"      showingAndNotOccluded={shown}",
        f"      inputRestricted={shown}",
        "      occluded=false",
        f"      secure={secure}",
        "      dreaming=false",
        "      systemIsReady=true",
        "      deviceHasKeyguard=true",
        "      enabled=true",
        "      offReason=OFF_BECAUSE_OF_USER",
        "      currentUser=-10000",
        "      bootCompleted=true",
        f"      screenState={screen}",
        f"      interactiveState={interactive}",
        "      KeyguardStateMonitor",
        f"        mIsShowing={shown}",
        "        mSimSecure=false",
        f"        mInputRestricted={shown}",
        "        mTrusted=false",
        "        mCurrentUserId=0",
    ]
    return "\n".join(lines) + "\n"


def display(context: Context, words: list[str]) -> str:
    """`dumpsys display`."""
    del words
    shown = context.services.display
    width, height = shown.size
    state = "ON" if context.services.power.awake else "OFF"
    frame = f"Rect(0, 0 - {width}, {height})"
    return (
        "DISPLAY MANAGER (dumpsys display)\n"
        "  mOnlyCode=false\n  mSafeMode=false\n"
        "  mViewports=[DisplayViewport{type=INTERNAL, valid=true, isActive=true, displayId=0, "
        f"uniqueId='local:{shown.panel_id}', physicalPort=0, orientation={shown.rotation}, "
        f"logicalFrame={frame}, physicalFrame={frame}, deviceWidth={width}, deviceHeight={height}}}]\n"
        "Display Devices: size=1\n"
        f'  DisplayDeviceInfo{{"Built-in Screen": uniqueId="local:{shown.panel_id}", '
        f"{shown.physical[0]} x {shown.physical[1]}, density {shown.physical_density}, state {state}}}\n"
        f"    mScreenState={state}\n    mCurrentOrientation={shown.rotation}\n"
        f"Display Power Controller:\n  mScreenState={state}\n"
    )


def get_displays(context: Context) -> str:
    """`cmd display get-displays`: the logical displays; the dark panel of a foldable phone is none."""
    shown = context.services.display
    width, height = shown.size
    state = "ON" if context.services.power.awake else "OFF"
    return (
        "Displays:\n"
        f'Display id 0: DisplayInfo{{"Built-in Screen", displayId 0, displayGroupId 0, FLAG_SECURE, '
        f"FLAG_TRUSTED, real {width} x {height}, largest app {width} x {height}, rotation {shown.rotation}, "
        f"state {state}, committedState {state}, type INTERNAL, "
        f'uniqueId "local:{shown.panel_id}", app {width} x {height}, density {shown.density}}}\n'
        + "".join(_virtual_info(context, display) for display in context.services.displays.shown.values())
    )


def _virtual_info(context: Context, display: VirtualDisplay) -> str:
    width, height = display.display.size
    unlocked = ", FLAG_OWN_DISPLAY_GROUP, FLAG_ALWAYS_UNLOCKED" if display.always_unlocked else ""
    focus = ", FLAG_OWN_FOCUS" if display.own_focus else ""
    state = "ON" if display.always_unlocked or context.services.power.awake else "OFF"
    unique = "overlay:1" if display.kind == "OVERLAY" else f"virtual:com.android.shell,2000,{display.name},0"
    return (
        f'Display id {display.number}: DisplayInfo{{"{display.name}", displayId {display.number}, '
        f"displayGroupId {display.number if unlocked else 0}, FLAG_TRUSTED{unlocked}{focus}, "
        f"real {width} x {height}, largest app {width} x {height}, rotation 0, state {state}, "
        f'committedState {state}, type {display.kind}, uniqueId "{unique}", app {width} x {height}, '
        f"density {display.display.density}}}\n"
    )


def surface_flinger(context: Context, words: list[str]) -> str:
    """`dumpsys SurfaceFlinger --display-id`."""
    shown = context.services.display
    if "--display-id" in words:
        panels = [*([shown.dark_panel_id] if shown.dark_panel else []), shown.panel_id]
        return "".join(
            f'Display {panel} (HWC display {place}): port={place} pnpId=SIM displayName="Built-in Screen"\n'
            for place, panel in enumerate(panels)
        )
    if "--displays" in words and context.services.profile.level >= _LEVEL_THAT_LISTS_VIRTUAL:
        return (
            f'Display {shown.panel_id}\n    connectionType=Internal\n    name="Built-in Screen"\n'
            + "".join(
                f'Virtual Display {display.surface}\n    name="{display.name}"\n    powerMode=On\n'
                for display in context.services.displays.shown.values()
            )
        )
    return "Build configuration: [sf]\n"

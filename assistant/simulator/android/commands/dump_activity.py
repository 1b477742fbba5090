"""`dumpsys activity`, `input_method`, `package`, `usagestats` and `trust`: what runs, and what types."""

from __future__ import annotations

from datetime import datetime, timedelta

from assistant.simulator.android.command import Context
from assistant.simulator.android.commands.common import (
    activity_record,
    full_class,
    handle,
    known_package,
    process,
    short_class,
    split_component,
    task,
    truth,
    window_name,
)
from assistant.simulator.android.software import UsageEvent


def activity(context: Context, words: list[str]) -> str:
    """`dumpsys activity [activities|top|recents|COMPONENT]`."""
    names = [word for word in words if not word.startswith("-")]
    launcher = context.services.packages.installed["com.android.launcher3"].component
    match names[:1]:
        case [name] if split_component(name) == split_component(launcher):
            return _launcher(context, every="--all" in words)
        case ["top"]:
            return _top(context)
        case ["recents" | "r"]:
            return _recents(context)
        case [] | ["activities" | "a"]:
            return _activities(context)
    return f"\nBad activity command, or no activities match: {names[0]}\nUse -h for help.\n"


def _launcher(context: Context, *, every: bool) -> str:
    """The launcher's own dump; with `--all` AOSP's lists every app under the name that it shows."""
    head = f"TASK com.android.launcher3 id=1 userId=0\n  ACTIVITY {handle('launcher')} pid=2100\n"
    if not every or context.services.quirks.silent_launcher:
        return f"{head}  All apps list: not dumped\n"
    locale = context.services.locale
    apps = [package for package in context.services.packages.installed.values() if package.activity]
    lines = [
        f'   title="{package.label(locale)}" bitmapIcon=android.graphics.Bitmap@{handle(package.name)} '
        f"componentName={package.name}\n"
        for package in apps
        if package.name != "com.android.launcher3"
    ]
    return f"{head}  All apps list: size={len(lines)}\n{''.join(lines)}"


def _activities(context: Context) -> str:
    record = activity_record(context, context.surface.resumed())
    lines = [
        "ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)",
        "Display #0 (activities from top to bottom):",
    ]
    if context.release >= 12:
        lines += [
            f"  * Task{{{handle('task' + record)} #{_number(context)} type=standard}}",
            f"    topResumedActivity={record}",
            f"    * Hist  #0: {record}",
            "",
            f"  ResumedActivity: {record}",
        ]
    else:
        lines += [
            f"  Stack #{_number(context)}: type=standard mode=fullscreen",
            f"    mResumedActivity: {record}",
            f"    * Hist #0: {record}",
            "",
            f"  mResumedActivity: {record}",
            f"  mFocusedActivity: {record}",
        ]
    return "\n".join(lines) + "\n"


def _number(context: Context) -> int:
    return task(context, context.surface.resumed().package)


def _top(context: Context) -> str:
    resumed = context.surface.resumed()
    component = f"{resumed.package}/{short_class(resumed.package, resumed.activity)}"
    return (
        f"TASK {resumed.package} id={_number(context)} userId=0\n"
        f"  ACTIVITY {component} {handle(component)} pid={process(context, resumed.package)}\n"
        f"    Local Activity {handle('local' + component)} State:\n"
        "      mResumed=true mStopped=false mFinished=false\n"
    )


def _recents(context: Context) -> str:
    front = context.surface.resumed().package
    seen = dict.fromkeys([front, *(event.package for event in reversed(context.services.usage.events))])
    lines = [
        "ACTIVITY MANAGER RECENT TASKS (dumpsys activity recents)",
        "mRecentsUid=10042",
        "  Recent tasks:",
    ]
    for place, package in enumerate(seen):
        installed = known_package(context, package)
        uid = installed.uid if installed else 10000
        number = task(context, package)
        lines.append(
            f"  * Recent #{place}: Task{{{handle('task' + package)} #{number} type=standard "
            f"A={uid}:{package} U=0}}"
        )
        if installed is not None:
            lines.append(f"    realActivity={{{package}/{full_class(package, installed.activity)}}}")
    return "\n".join(lines) + "\n"


def input_method(context: Context, words: list[str]) -> str:
    """`dumpsys input_method`."""
    del words
    methods = context.services.input_methods
    shown = truth(context.surface.keyboard_shown())
    name = window_name(context, context.surface.focused())
    served = "null"
    if context.surface.field_focused():
        served = f"android.widget.EditText{{{handle(name)} VFED..CL. .F...... 0,0-996,140}}"
    elif not context.surface.focused().system:
        served = f"com.android.internal.policy.DecorView{{{handle(name)} V.E...... R.....ID 0,0-1080,2400}}"
    installed = "".join(
        f"    InputMethodInfo{{{package}, settings: null}}\n" for package in methods.installed
    )
    bound = "mHasMainConnection" if context.release >= 13 else "mHaveConnection"
    old = f"  mIsInputViewShown={shown}\n" if context.release < 12 else ""
    return (
        "Current Input Method Manager state:\n  Input Methods: mMethodMapUpdateCount=4\n"
        f"{installed}  mCurMethodId={methods.current}\n"
        f"  mCurId={methods.current} {bound}=true mBoundToMethod=true\n"
        f"  mShowRequested={shown} mShowExplicitlyRequested=false mShowForced=false mInputShown={shown}\n"
        f"{old}"
        f"  mCurFocusedWindowName={name}\n"
        "\nInput method client state for ClientState:\n"
        f"  mServedView={served}\n"
        f"  mServedViewFocused={truth(context.surface.field_focused())}\n"
    )


def usage_statistics(context: Context, words: list[str]) -> str:
    """`dumpsys usagestats`: the last 24 hours' events; with `--checkin` those of the days before.

    The phone prints times in words, but milliseconds since 1970 when checking in.
    """
    now = context.services.clock.now()
    since = now - timedelta(days=1)
    events = [*context.services.usage_history(), *context.services.usage.events]
    lines = ["user=0"]
    if {"--checkin", "-c"} & set(words):
        kept = [event for event in events if event.time < since]
        if kept:
            lines += [
                f"  beginTime={_milliseconds(kept[0].time)} endTime={_milliseconds(kept[-1].time)}",
                "  packages",
                "  events",
            ]
        lines += [_usage_line(context, event, str(_milliseconds(event.time))) for event in kept]
    else:
        lines.append(f'  Last 24 hour events (timeRange="{since:%m/%d/%Y, %H:%M} – {now:%m/%d/%Y, %H:%M}")')
        recent = [event for event in events if event.time >= since]
        lines += [_usage_line(context, event, f'"{event.time:%Y-%m-%d %H:%M:%S}"') for event in recent]
    return "\n".join(lines) + "\n"


def _usage_line(context: Context, event: UsageEvent, time: str) -> str:
    kinds = {"ACTIVITY_RESUMED": "MOVE_TO_FOREGROUND", "ACTIVITY_PAUSED": "MOVE_TO_BACKGROUND"}
    kind = kinds.get(event.kind, event.kind) if context.release < 10 else event.kind
    name = full_class(event.package, event.activity)
    return f"    time={time} type={kind} package={event.package} class={name} flags=0x0"


def _milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def package(context: Context, words: list[str]) -> str:
    """`dumpsys package PACKAGE`: its version."""
    names = [word for word in words if not word.startswith("-")]
    installed = context.services.packages.installed
    chosen = [installed[name] for name in names if name in installed] if names else list(installed.values())
    if not chosen:
        return f"Unable to find package: {names[0]}\n"
    lines = ["Packages:"]
    for each in chosen:
        lines += [
            f"  Package [{each.name}] ({handle(each.name)}):",
            f"    {'userId' if context.release < 14 else 'appId'}={each.uid}",
            f"    codePath={each.path.removesuffix('/base.apk')}",
            f"    versionCode={each.version_code} minSdk=26 targetSdk=34",
            f"    versionName={each.version_code}.0",
            f"    pkgFlags=[ {'SYSTEM ' if each.system else ''}HAS_CODE ALLOW_CLEAR_USER_DATA ]",
        ]
    return "\n".join(lines) + "\n"

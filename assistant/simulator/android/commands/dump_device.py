"""`dumpsys power`, `battery`, `audio`, `notification` and others: the phone itself."""

from __future__ import annotations

from assistant.simulator.android.command import Context
from assistant.simulator.android.commands.common import handle, process, truth
from assistant.simulator.android.software import Notification

_STATUS_CHARGING, _STATUS_DISCHARGING, _STATUS_FULL = 2, 3, 5


def power(context: Context, words: list[str]) -> str:
    """`dumpsys power`."""
    del words
    services = context.services
    awake = services.power.awake
    return (
        "POWER MANAGER (dumpsys power)\n\nPower Manager State:\n"
        "  Settings power_manager_constants:\n    no_cached_wake_locks=true\n"
        "  mDirty=0x0\n"
        f"  mWakefulness={services.power.wakefulness}\n"
        "  mWakefulnessChanging=false\n"
        f"  mIsPowered={truth(bool(services.battery.plugged))}\n"
        f"  mPlugType={_plug_type(services.battery.plugged)}\n"
        f"  mBatteryLevel={services.battery.level}\n"
        "  mStayOn=false\n"
        "  mBootCompleted=true\n"
        f"  mHoldingWakeLockSuspendBlocker={truth(awake)}\n"
        f"  mHoldingDisplaySuspendBlocker={truth(awake)}\n"
        f"\nDisplay Power: state={'ON' if awake else 'OFF'}\n"
    )


def _plug_type(plugged: str) -> int:
    return {"": 0, "ac": 1, "usb": 2, "wireless": 4, "dock": 8}.get(plugged, 0)


def battery(context: Context, words: list[str]) -> str:
    """`dumpsys battery`."""
    shown, level = context.services.battery, context.services.battery.level
    match words:
        case ["set", "level", value] if value.isascii() and value.isdigit() and len(value) < 4:
            shown.level = min(100, int(value))
            return ""
        case ["unplug"]:
            shown.plugged = ""
            return ""
        case ["reset"]:
            shown.plugged = "usb"
            return ""
    status = _STATUS_DISCHARGING if not shown.plugged else _STATUS_FULL if level >= 100 else _STATUS_CHARGING
    dock = f"  Dock powered: {truth(shown.plugged == 'dock')}\n" if context.release >= 13 else ""
    return (
        "Current Battery Service state:\n"
        f"  AC powered: {truth(shown.plugged == 'ac')}\n"
        f"  USB powered: {truth(shown.plugged == 'usb')}\n"
        f"  Wireless powered: {truth(shown.plugged == 'wireless')}\n{dock}"
        "  Max charging current: 500000\n"
        "  Max charging voltage: 5000000\n"
        f"  Charge counter: {level * 43850}\n"
        f"  status: {status}\n"
        f"  health: {shown.health}\n"
        "  present: true\n"
        f"  level: {level}\n"
        "  scale: 100\n"
        f"  voltage: {shown.voltage}\n"
        f"  temperature: {round(shown.temperature * 10)}\n"
        "  technology: Li-ion\n"
    )


def audio(context: Context, words: list[str]) -> str:
    """`dumpsys audio`."""
    del words
    services = context.services
    sound, headset = services.audio, services.bluetooth.active
    device = "bt_a2dp" if headset else "speaker"
    time = f"{services.clock.now():%I:%M:%S %p}"
    zen = (
        "ZEN_MODE_OFF"
        if services.setting("zen_mode", "global") in ("0", None)
        else "ZEN_MODE_IMPORTANT_INTERRUPTIONS"
    )
    playing = ""
    if sound.playing:
        playing = (
            f"  AudioPlaybackConfiguration piid:87 type:android.media.MediaPlayer u/pid:10101/4242 "
            f"state:started attr:AudioAttributes: usage=USAGE_MEDIA package={sound.playing}\n"
        )
    return (
        f"\nMediaFocusControl dump time: {time}\n\nAudio Focus stack entries (last is top of stack):\n\n"
        "Stream volumes (device: index)\n- STREAM_MUSIC:\n   Muted: false\n   Min: 0\n"
        f"   Max: {sound.music_maximum}\n"
        f"   streamVolume:{sound.music_volume}\n   Current: 2 (speaker): {sound.music_volume}\n"
        f"   Devices: {device}\n"
        "\nRinger mode: \n"
        f"- mode (internal) = {sound.ringer}\n- mode (external) = {sound.ringer}\n- zen mode:{zen}\n"
        f"\nAudio routes:\n  mMainType=0x0\n  mBluetoothName={headset or 'null'}\n"
        f"\nPlaybackActivityMonitor dump time: {time}\n  players:\n{playing}"
    )


def notification(context: Context, words: list[str]) -> str:
    """`dumpsys notification [--noredact]`: without the flag the texts are only lengths."""
    lines = ["Current Notification Manager state:", "  Notification List:"]
    for record in context.services.notifications.posted:
        lines += _record(record, "--noredact" in words)
    lines += ["  ", f"  mZenMode={context.services.setting('zen_mode', 'global')}"]
    return "\n".join(lines) + "\n"


def _record(record: Notification, open_text: bool) -> list[str]:
    title, text = (
        f"({value})" if open_text else f"[length={len(value)}]" for value in (record.title, record.text)
    )
    category = f"category={record.category} " if record.category else ""
    return [
        f"    NotificationRecord(0x{handle(record.key)}: pkg={record.package} user=UserHandle{{0}} "
        f"id={record.number} tag={record.tag or 'null'} importance=3 key={record.key}: "
        f"Notification(channel={record.channel} shortcut=null contentView=null vibrate=null sound=null "
        f"tick defaults=0x0 flags=0x10 color=0x00000000 {category}vis=PRIVATE))",
        f"      uid={record.uid} userId=0",
        "      extras={",
        f"        android.title=String {title}",
        "        android.subText=null",
        f"        android.text=String {text}",
        "        android.template=String (android.app.Notification$BigTextStyle)",
        "      }",
        f"      mUpdateTimeMs={record.posted.timestamp() * 1000:.0f}",
    ]


def accessibility(context: Context, words: list[str]) -> str:
    """`dumpsys accessibility`: the services that the user has switched on, and who has the automation."""
    del words
    services = context.services
    enabled = [name for name in (services.setting("enabled_accessibility_services") or "").split(":") if name]
    bound = [] if services.automation else enabled
    lines = [
        "ACCESSIBILITY MANAGER (dumpsys accessibility)",
        "",
        "currentUserId=0",
        "User state[",
        f"     attributes:{{id=0, touchExplorationEnabled={truth(bool(bound))}}}",
        f"     Bound services:{{{', '.join(f'Service[label={name}]' for name in bound)}}}",
        f"     Enabled services:{{{', '.join(f'{{{name}}}' for name in enabled)}}}",
        "     Binding services:{}",
        "     Crashed services:{}]",
    ]
    if services.automation:
        lines.append("Ui Automation[eventTypes=TYPES_ALL_MASK, notificationTimeout=0]")
    return "\n".join(lines) + "\n"


def memory(context: Context, words: list[str]) -> str:
    """`dumpsys meminfo [PACKAGE]`."""
    head = f"Applications Memory Usage (in Kilobytes):\n{_uptime(context)}\n"
    names = [word for word in words if not word.startswith("-")]
    if not names:
        return f"{head}Total RAM: 7,786,936K (status normal)\n Free RAM: 3,312,440K\n Used RAM: 4,474,496K\n"
    number = _process_of(context, names[0])
    if not number:
        return f"{head}No process found for: {names[0]}\n"
    return (
        f"{head}** MEMINFO in pid {number} [{names[0]}] **\n App Summary\n"
        "                       Pss(KB)                        Rss(KB)\n"
        "                        ------                         ------\n"
        "           Java Heap:    18432                          30208\n"
        "         Native Heap:    24576                          26624\n"
        "           TOTAL PSS:    96256            TOTAL RSS:   190204       TOTAL SWAP (KB):        0\n"
    )


def graphics(context: Context, words: list[str]) -> str:
    """`dumpsys gfxinfo [PACKAGE]`: frames since the start of the app."""
    head = f"Applications Graphics Acceleration Info:\n{_uptime(context)}\n"
    if not words:
        return head
    number = _process_of(context, words[0])
    if not number:
        return f"{head}No process found for: {words[0]}\n"
    return (
        f"{head}** Graphics info for pid {number} [{words[0]}] **\n\n"
        "Stats since: 3600000000000ns\nTotal frames rendered: 240\nJanky frames: 6 (2.50%)\n"
        "50th percentile: 7ms\n90th percentile: 12ms\n95th percentile: 17ms\n99th percentile: 34ms\n"
    )


def _uptime(context: Context) -> str:
    milliseconds = round(context.services.clock.uptime() * 1000)
    return f"Uptime: {milliseconds} Realtime: {milliseconds}\n"


def _process_of(context: Context, package: str) -> int:
    """The process of an app that is or was in front; 0 for another."""
    opened = {event.package for event in context.services.usage.events}
    return process(context, package) if package in opened | {context.surface.resumed().package} else 0

from __future__ import annotations

import re

import pytest

from assistant.simulator.android.hardware import AccessPoint, Wakefulness
from assistant.simulator.android.profiles import Release
from assistant.simulator.surface import FocusedWindow
from tests.tables import each

from .bench import Bench
from .conftest import make_bench

CHAT = "com.example.chat/com.example.chat.MainActivity"
FOCUS = re.compile(r"mCurrentFocus=Window\{[0-9a-f]+ u0 (\S+)\}")


async def test_focus_is_in_the_windows_of_old_releases() -> None:
    text = await make_bench(9).out("dumpsys window windows")
    assert FOCUS.findall(text) == [CHAT]
    assert re.search(
        r"^  mFocusedApp=AppWindowToken\{\w+ token=Token\{\w+ ActivityRecord\{\w+ u0 com.example.chat/"
        r"\.MainActivity t\d+\}\}\}$",
        text,
        re.MULTILINE,
    )


@pytest.mark.parametrize("release", [12, 16])
async def test_focus_is_in_the_displays_of_new_releases(release: Release) -> None:
    bench = make_bench(release)
    assert "mCurrentFocus" not in await bench.out("dumpsys window windows")
    for line in ("dumpsys window displays", "dumpsys window"):
        text = await bench.out(line)
        assert FOCUS.findall(text) == [CHAT]
        assert re.search(
            r"^  mFocusedApp=ActivityRecord\{\w+ u0 com.example.chat/\.MainActivity t\d+\}$", text, re.M
        )


async def test_a_virtual_display_comes_first(bench: Bench) -> None:
    bench.services.quirks.virtual_display = True
    text = await bench.out("dumpsys window displays")
    assert (
        text.index("Display: mDisplayId=2")
        < text.index("mCurrentFocus=null")
        < text.index("Display: mDisplayId=0")
    )
    assert FOCUS.findall(text) == [CHAT]


@pytest.mark.parametrize(("release", "title"), [(9, "StatusBar"), (12, "NotificationShade")])
async def test_a_system_window_has_no_slash(release: Release, title: str) -> None:
    bench = make_bench(release)
    bench.screen.system_window = FocusedWindow("com.android.systemui", "", "NotificationShade")
    text = await bench.out("dumpsys window")
    assert FOCUS.findall(text) == [title]
    assert "com.example.chat/.MainActivity" in text


async def test_the_resumed_activity_by_release() -> None:
    old, new = make_bench(9), make_bench(12)
    record = r"ActivityRecord\{\w+ u0 com.example.chat/\.MainActivity t\d+\}"
    assert re.search(rf"^  mResumedActivity: {record}$", await old.out("dumpsys activity activities"), re.M)
    text = await new.out("dumpsys activity activities")
    assert re.search(rf"^    topResumedActivity={record}$", text, re.MULTILINE)
    assert re.search(rf"^  ResumedActivity: {record}$", text, re.MULTILINE)
    top = await new.out("dumpsys activity top")
    assert re.search(r"ACTIVITY com.example.chat/\.MainActivity \w+ pid=\d+", top)


async def test_the_keyguard(bench: Bench) -> None:
    line = "dumpsys window policy | grep -E 'mIsShowing|mInputRestricted|screenState|  secure='"
    assert await bench.out(line) == (
        "      secure=false\n      screenState=SCREEN_STATE_ON\n"
        "        mIsShowing=false\n        mInputRestricted=false\n"
    )
    bench.services.keyguard.showing = bench.services.keyguard.secure = True
    bench.services.power.wakefulness = Wakefulness.DOZING
    assert await bench.out(line) == (
        "      secure=true\n      screenState=SCREEN_STATE_OFF\n"
        "        mIsShowing=true\n        mInputRestricted=true\n"
    )
    power = await bench.out("dumpsys power")
    assert "  mWakefulness=Dozing\n" in power
    assert "mHoldingDisplaySuspendBlocker=false" in power


async def test_the_battery(bench: Bench) -> None:
    bench.services.battery.level = 37
    bench.services.battery.plugged = "wireless"
    bench.services.battery.temperature = 31.2
    lines = (await bench.out("dumpsys battery")).splitlines()
    assert lines[0] == "Current Battery Service state:"
    values = dict(line.strip().split(": ", 1) for line in lines[1:])
    assert list(values)[:6] == [
        "AC powered",
        "USB powered",
        "Wireless powered",
        "Max charging current",
        "Max charging voltage",
        "Charge counter",
    ]
    assert (values["Wireless powered"], values["USB powered"]) == ("true", "false")
    assert (values["level"], values["temperature"], values["status"]) == ("37", "312", "2")


async def test_the_keyboards_service(bench: Bench) -> None:
    text = await bench.out("dumpsys input_method")
    assert "mCurMethodId=com.example.keyboard/.Keyboard\n" in text
    assert "mInputShown=false" in text
    assert re.search(r"^ *mServedView=com.android.internal.policy.DecorView", text, re.MULTILINE)
    bench.screen.field = ""
    text = await bench.out("dumpsys input_method")
    assert "mInputShown=true" in text
    assert re.search(r"^ *mServedView=android.widget.EditText", text, re.MULTILINE)
    assert "mIsInputViewShown=true" in (await _with_field(9).out("dumpsys input_method"))


def _with_field(release: Release) -> Bench:
    bench = make_bench(release)
    bench.screen.field = ""
    return bench


@each("release", [9, 12, 16])
async def test_wifi_by_every_door(release: Release) -> None:
    bench = make_bench(release)
    bench.services.wifi.connected = AccessPoint("CMCC_2.4G", "16:d8:64:f4:d5:19", -26, 2437)
    text = await bench.out("dumpsys wifi | grep mWifiInfo")
    quote = "" if release == 9 else '"'
    assert f"SSID: {quote}CMCC_2.4G{quote}, BSSID: 16:d8:64:f4:d5:19, " in text
    assert "RSSI: -26, " in text
    printed = await bench.run("cmd wifi status")
    if release == 9:
        assert (printed.out, printed.code) == ("No shell command implementation.\n", 255)
        return
    assert 'Wifi is connected to "CMCC_2.4G"\nWifiInfo: SSID: "CMCC_2.4G", BSSID: 16:d8' in printed.out
    bench.services.wifi.connected = None
    assert "Wifi is not connected\n" in await bench.out("cmd wifi status")
    await bench.out("settings put global wifi_on 0")
    assert (await bench.out("cmd wifi status")).startswith("Wifi is disabled\n")


async def test_the_last_location() -> None:
    old, new = make_bench(9), make_bench(16)
    for bench in (old, new):
        bench.services.location.latitude, bench.services.location.longitude = 31.309459, 121.508284
        bench.services.location.accuracy = 40
        bench.services.location.fixed_at = 83.722
    assert "Location[network 31.309459,121.508284 hAcc=40 et=+1m23s722ms vAcc=???" in await old.out(
        "dumpsys location"
    )
    new.services.location.fixed_at = 2 * 86400 + 11 * 3600 + 54 * 60 + 48.258
    line = "last location=Location[fused 31.309459,121.508284 hAcc=40.0 et=+2d11h54m48s258ms alt="
    assert line in await new.out("dumpsys location")
    new.services.location.decimal_comma = True
    assert "31,309459,121,508284 hAcc=40,0" in await new.out("dumpsys location")
    new.services.location.fixed_at = None
    assert "last location=null" in await new.out("dumpsys location")
    assert (await new.out("cat /proc/uptime")).startswith("3600.00 ")


async def test_cells_may_be_masked(bench: Bench) -> None:
    text = await bench.out("dumpsys telephony.registry")
    assert "CellIdentityLte:{ mCi=30518868 mPci=423 mTac=3184 mEarfcn=66536" in text
    bench.services.quirks.masked_cells = True
    assert "mCi=3*****68 mPci=423 mTac=3**4" in await bench.out("dumpsys telephony.registry")


async def test_sound_follows_the_car(bench: Bench) -> None:
    assert "mBluetoothName=null" in await bench.out("dumpsys audio")
    bench.services.bluetooth.connected = "My Car"
    bench.services.audio.ringer = "VIBRATE"
    text = await bench.out("dumpsys audio")
    assert "Devices: bt_a2dp\n" in text
    assert "mBluetoothName=My Car\n" in text
    assert (
        "Ringer mode: \n- mode (internal) = VIBRATE\n- mode (external) = VIBRATE\n- zen mode:ZEN_MODE_OFF\n"
        in text
    )
    await bench.out("settings put global bluetooth_on 0")
    assert "mBluetoothName=null" in await bench.out("dumpsys audio")


async def test_the_display_tells_the_rotation() -> None:
    bench = make_bench(12)
    bench.services.display.rotation = 1
    text = await bench.out("dumpsys display")
    assert re.search(
        r"DisplayViewport\{.*valid=true, .*orientation=1, .*deviceWidth=2400, deviceHeight=1080\}", text
    )


async def test_an_unknown_service_is_named(bench: Bench) -> None:
    assert (await bench.run("dumpsys calendar")).error == "Can't find service: calendar\n"


async def test_everything_can_be_dumped(bench: Bench) -> None:
    text = await bench.out("dumpsys")
    assert "DUMP OF SERVICE battery:" in text


async def test_who_reads_the_screen(bench: Bench) -> None:
    name = "com.example/.TalkBack"
    bench.services.settings.secure["enabled_accessibility_services"] = name
    text = await bench.out("dumpsys accessibility")
    assert f"Bound services:{{Service[label={name}]}}" in text
    assert "Ui Automation" not in text
    bench.services.automation = "uiautomator2"
    text = await bench.out("dumpsys accessibility")
    assert "Bound services:{}" in text
    assert f"Enabled services:{{{{{name}}}}}" in text
    assert "Ui Automation[eventTypes=TYPES_ALL_MASK" in text


async def test_what_an_app_uses(bench: Bench) -> None:
    for service, words in (
        ("meminfo", "** MEMINFO in pid"),
        ("gfxinfo", "Total frames rendered: 240\nJanky"),
    ):
        assert words in await bench.out(f"dumpsys {service} com.example.chat")
        assert "No process found for: com.nope\n" in await bench.out(f"dumpsys {service} com.nope")
    assert "Total RAM: 7,786,936K" in await bench.out("dumpsys meminfo")

from __future__ import annotations

import asyncio
from importlib.resources import files

import pytest

from assistant.simulator.android.profiles import Release
from tests.tables import each

from .bench import Bench
from .conftest import make_bench

MAIN = "-a android.intent.action.MAIN -c android.intent.category.LAUNCHER"


async def test_starting_an_app_cold_warm_and_again(bench: Bench) -> None:
    line = f"am start -W -n com.android.settings/.Settings {MAIN} -f 0x10200000"
    started = await bench.out(line)
    intent = (
        "Starting: Intent { act=android.intent.action.MAIN cat=[android.intent.category.LAUNCHER] "
        "flg=0x10200000 cmp=com.android.settings/.Settings }\n"
    )
    assert started.startswith(
        f"{intent}Status: ok\nLaunchState: COLD\nActivity: com.android.settings/.Settings\nTotalTime: "
    )
    assert started.endswith("Complete\n")
    again = await bench.run(line)
    assert again.out.startswith(f"{intent}Status: ok\n")
    assert again.error == "Warning: Activity not started, its current task has been brought to the front\n"


async def test_starting_an_app_that_never_draws_and_waiting_for_it_never_ends(bench: Bench) -> None:
    bench.services.quirks.hands_over = {"com.android.settings": "com.example.browser"}
    line = "am start -n com.android.settings/.Settings"
    waiting = asyncio.create_task(bench.run(line.replace("start", "start -W")))
    done, _pending = await asyncio.wait({waiting}, timeout=0.2)
    assert not done
    waiting.cancel()
    assert bench.screen.front.package == "com.example.browser"
    assert await bench.out(line) == "Starting: Intent { cmp=com.android.settings/.Settings }\n"


async def test_old_releases_know_no_launch_state() -> None:
    started = await make_bench(9).out("am start -W -n com.android.settings/com.android.settings.Settings")
    assert "LaunchState" not in started
    assert "ThisTime: " in started


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "am start -n com.nope/.Main",
            "Error type 3\nError: Activity class {com.nope/com.nope.Main} does not exist.\n",
        ),
        (
            "am start -a com.nope.ACTION",
            "Error: Activity not started, unable to resolve Intent { act=com.nope.ACTION }\n",
        ),
        ("am start --nope -Z", "Error: Unknown option: -Z\n"),
        ("am start -n nope", "java.lang.IllegalArgumentException: Bad component name: nope\n"),
        ("am start -n", 'java.lang.IllegalArgumentException: Argument expected after "-n"\n'),
        ("am dance", "Unknown command: dance\n"),
    ],
)
async def test_failures_are_worded(bench: Bench, line: str, words: str) -> None:
    printed = await bench.run(line)
    assert words in printed.error
    assert printed.code > 0
    assert bench.screen.front.package == "com.example.chat"


@pytest.mark.parametrize(
    ("line", "package"),
    [
        ("am start -a android.settings.WIFI_SETTINGS", "com.android.settings"),
        ("am start -a android.intent.action.VIEW -d https://example.com/", "com.example.browser"),
        ("am start https://example.com/", "com.example.browser"),
        ("am start com.android.settings", "com.android.settings"),
        ("am start -a android.intent.action.MAIN -c android.intent.category.HOME", "com.android.launcher3"),
    ],
)
async def test_intents_find_their_app(bench: Bench, line: str, package: str) -> None:
    await bench.out(line)
    assert bench.screen.front.package == package


async def test_force_stop_is_silent(bench: Bench) -> None:
    assert await bench.out("am force-stop com.example.chat") == ""
    assert bench.screen.calls == [("stop", "com.example.chat")]


async def test_monkey_starts_or_aborts(bench: Bench) -> None:
    text = await bench.out("monkey -p com.android.settings -c android.intent.category.LAUNCHER 1")
    assert text.startswith("  bash arg: -p\n  bash arg: com.android.settings\n")
    assert 'LAUNCHER"\nEvents injected: 1\n## Network stats: elapsed time=' in text
    assert bench.screen.front.package == "com.android.settings"
    printed = await bench.run("monkey -p com.nope 1")
    assert printed.out.endswith("** No activities found to run, monkey aborted.\n")
    assert printed.code == 252


async def test_listing_packages(bench: Bench) -> None:
    assert await bench.out("pm list packages -3") == "package:com.example.chat\npackage:com.example.browser\n"
    assert "com.example.chat" not in await bench.out("pm list packages -s")
    assert await bench.out("cmd package list packages settings") == "package:com.android.settings\n"
    listed = await bench.out("pm list packages -f chat")
    path = await bench.out("pm path com.example.chat")
    assert listed == path.strip() + "=com.example.chat\n"
    assert (await bench.run("pm path com.nope")).code == 1
    assert await bench.out("pm clear com.example.chat") == "Success\n"
    assert bench.screen.calls == [("clear", "com.example.chat")]
    assert (await bench.run("pm clear com.nope")).error == "Failed\n"


async def test_resolving_an_activity(bench: Bench) -> None:
    assert await bench.out("cmd package resolve-activity --brief com.android.settings") == (
        "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true\n"
        "com.android.settings/.Settings\n"
    )
    assert await bench.out("cmd package resolve-activity --brief com.nope") == "No activity found\n"


async def test_querying_launcher_activities(bench: Bench) -> None:
    text = await bench.out(f"cmd package query-activities --brief {MAIN}")
    assert text.startswith(
        "3 activities found:\n  Activity #0:\n    priority=0 preferredOrder=0 match=0x108000 "
    )
    assert [line.strip() for line in text.splitlines() if "/" in line] == [
        "com.example.chat/.MainActivity",
        "com.example.browser/.BrowserActivity",
        "com.android.settings/.Settings",
    ]
    full = await bench.out(f"cmd package query-activities {MAIN}")
    assert "      name=com.example.chat.MainActivity\n      packageName=com.example.chat\n" in full
    assert "nonLocalizedLabel=null" in full
    assert "Chat" not in full


@each("release", [9, 12, 16])
async def test_properties(release: Release) -> None:
    bench = make_bench(release)
    assert (
        await bench.out("getprop ro.build.version.release; getprop ro.product.model")
        == f"{release}\nSim Phone\n"
    )
    assert "[ro.build.version.sdk]: [" in await bench.out("getprop")
    assert await bench.out("getprop no.such; getprop no.such 7") == "\n7\n"


def apk() -> bytes:
    """The APK that uiautomator2 brings for its keyboard."""
    return files("uiautomator2").joinpath("assets", "app-uiautomator.apk").read_bytes()


async def test_installing_and_uninstalling(bench: Bench) -> None:
    bench.services.files.write("/data/local/tmp/a.apk", apk())
    assert await bench.out("pm install -r -t /data/local/tmp/a.apk") == "Success\n"
    assert "package:com.github.uiautomator\n" in await bench.out("pm list packages -3")
    assert "com.github.uiautomator/.AdbKeyboard" in (await bench.out("ime list -s -a")).split()
    assert await bench.out("pm uninstall com.github.uiautomator") == "Success\n"
    assert "com.github.uiautomator" not in await bench.out("pm list packages; ime list -s -a")
    size = len(apk())
    printed = await bench.run(f"cmd package install -r -S {size}", apk())
    assert (printed.out, printed.code) == ("Success\n", 0)


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("pm install /data/local/tmp/none.apk", "Error: Can't open file: /data/local/tmp/none.apk\n"),
        ("pm install /data/local/tmp/b.apk", "Error: Failed to parse APK file: /data/local/tmp/b.apk\n"),
        ("pm install", "Error: must either specify a package size or an APK file\n"),
        ("pm uninstall com.nope", "Failure [DELETE_FAILED_INTERNAL_ERROR]\n"),
        ("pm uninstall com.android.settings", "Failure [DELETE_FAILED_INTERNAL_ERROR]\n"),
    ],
)
async def test_what_cannot_be_installed_or_removed_is_worded(bench: Bench, line: str, printed: str) -> None:
    bench.services.files.write("/data/local/tmp/b.apk", b"PK no zip")
    result = await bench.run(line)
    assert printed in result.error + result.out
    assert result.code > 0


async def test_a_phone_that_forbids_installing_over_usb(bench: Bench) -> None:
    bench.services.quirks.install_denied = True
    bench.services.files.write("/data/local/tmp/a.apk", apk())
    printed = await bench.run("pm install -r -t /data/local/tmp/a.apk")
    assert printed.out == "Failure [INSTALL_FAILED_USER_RESTRICTED: Install canceled by user]\n"
    assert "com.github.uiautomator" not in await bench.out("pm list packages")

from __future__ import annotations

import gzip
from collections.abc import Callable
from io import BytesIO

import PIL.Image
import pytest

from assistant.simulator.adbd.backend import Fd
from assistant.simulator.android.profiles import Release

from .bench import Bench
from .screen import TREE, WINDOWS

SAVED = "UI hierchary dumped to: "


async def test_screencap_prints_a_png(bench: Bench) -> None:
    printed = await bench.run("screencap -p")
    picture = PIL.Image.open(BytesIO(printed.raw[Fd.STDOUT]))
    assert (picture.format, picture.mode, picture.size) == ("PNG", "RGBA", (12, 20))


async def test_screencap_without_p_prints_raw_pixels(bench: Bench) -> None:
    raw = (await bench.run("screencap")).raw[Fd.STDOUT]
    assert raw[:12] == b"\x0c\0\0\0\x14\0\0\0\x01\0\0\0"
    assert len(raw) == 16 + 12 * 20 * 4


async def test_raw_pixels_are_packed_by_gzip(bench: Bench) -> None:
    raw = (await bench.run("screencap")).raw[Fd.STDOUT]
    assert gzip.decompress((await bench.run("screencap | gzip -1")).raw[Fd.STDOUT]) == raw
    await bench.out("screencap /sdcard/a.raw; gzip /sdcard/a.raw")
    assert gzip.decompress(bench.services.files.read("/sdcard/a.raw.gz")) == raw
    assert bench.services.files.entry("/sdcard/a.raw") is None
    assert "Unknown option" in (await bench.run("gzip -q")).error


async def test_screencap_writes_a_file(bench: Bench) -> None:
    await bench.out("screencap -p /sdcard/a; screencap -d 0 /sdcard/b.png")
    assert bench.services.files.read("/sdcard/a") == bench.services.files.read("/sdcard/b.png")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("screencap -x", "usage: screencap [-hp]"),
        ("screencap -d 77 -p", "Display Id '77' is not valid.\n"),
        ("screencap -p /system/a.png", "Error opening file: /system/a.png (Read-only file system)\n"),
    ],
)
async def test_screencap_fails_in_words(bench: Bench, line: str, words: str) -> None:
    printed = await bench.run(line)
    assert words in printed.error
    assert (printed.out, printed.code) == ("", 1)


async def test_a_secure_window_is_black_or_an_error(bench: Bench) -> None:
    bench.screen.black = True
    printed = await bench.run("screencap -p")
    assert PIL.Image.open(BytesIO(printed.raw[Fd.STDOUT])).convert("L").getextrema() == (0, 0)
    bench.services.quirks.secure_error = True
    printed = await bench.run("screencap -p")
    assert (printed.out, printed.error, printed.code) == ("", "Failed to take screenshot. Status: -1\n", 1)


async def test_the_tree_is_dumped_to_a_file_or_the_terminal(bench: Bench) -> None:
    assert await bench.out("uiautomator dump") == f"{SAVED}/sdcard/window_dump.xml\n"
    assert bench.services.files.read("/storage/emulated/0/window_dump.xml") == TREE
    file = "/data/local/tmp/uidump.xml"
    line = f"rm -f {file}; uiautomator dump --compressed {file} && echo success; cat {file}"
    assert await bench.out(line) == f"{SAVED}{file}\nsuccess\n{TREE.decode()}"
    assert await bench.out("uiautomator dump /dev/tty") == f"{TREE.decode()}{SAVED}/dev/tty\n"


async def test_a_dump_waits_until_the_screen_rests(bench: Bench) -> None:
    bench.services.delays.factor = 1
    bench.screen.idle_at = bench.clock.uptime() + 6
    assert await bench.out("uiautomator dump /sdcard/a.xml") == f"{SAVED}/sdcard/a.xml\n"


async def test_a_dump_gives_up_with_exit_code_zero_and_no_file(bench: Bench) -> None:
    bench.services.delays.factor = 1
    bench.screen.idle_at = bench.clock.uptime() + 60
    started = bench.clock.uptime()
    printed = await bench.run("uiautomator dump /sdcard/a.xml")
    assert (printed.out, printed.error, printed.code) == ("", "ERROR: could not get idle state.\n", 0)
    assert bench.services.files.status("/sdcard/a.xml") is None
    assert 10 < bench.clock.uptime() - started < 15


@pytest.mark.parametrize(
    ("quirk", "words"),
    [
        ("null_root", "ERROR: null root node returned by UiTestAutomationBridge.\n"),
        ("never_idle", "ERROR: could not get idle state.\n"),
    ],
)
async def test_dump_failures_by_option(bench: Bench, quirk: str, words: str) -> None:
    setattr(bench.services.quirks, quirk, True)
    printed = await bench.run("uiautomator dump")
    assert (printed.out, printed.error, printed.code) == ("", words, 0)


async def test_the_size_can_be_overridden(bench: Bench) -> None:
    assert await bench.out("wm size; wm density") == "Physical size: 1080x2400\nPhysical density: 420\n"
    await bench.out("wm size 720x1280; wm density 320")
    assert await bench.out("wm size") == "Physical size: 1080x2400\nOverride size: 720x1280\n"
    assert await bench.out("wm density") == "Physical density: 420\nOverride density: 320\n"
    assert bench.services.display.size == (720, 1280)
    assert "cur=720x1280" in await bench.out("dumpsys window displays")
    await bench.out("wm size reset; wm density reset; wm user-rotation lock 1")
    assert bench.services.display.size == (2400, 1080)
    assert "mCurrentRotation=ROTATION_90" in await bench.out("dumpsys window displays")
    assert (await bench.run("wm size big")).error == "Error: bad size big\n"


@pytest.mark.parametrize(("release", "content"), [(9, TREE), (12, TREE), (16, WINDOWS)])
async def test_new_androids_dump_every_window(
    on: Callable[[Release], Bench], release: Release, content: bytes
) -> None:
    bench = on(release)
    assert await bench.out("uiautomator dump --windows") == f"{SAVED}/sdcard/window_dump.xml\n"
    assert bench.services.files.read("/sdcard/window_dump.xml") == content

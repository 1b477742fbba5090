from __future__ import annotations

import io
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from assistant.simulator.adbd.backend import Fd
from assistant.simulator.android.interpreter import Bytes
from assistant.simulator.android.profiles import Profile
from assistant.simulator.android.services import Services
from tests.simulator.manual_clock import ManualClock
from tests.tables import each

from .bench import Bench
from .conftest import NOON
from .screen import Screen

TEXT = b"alpha 1\nBeta 2\ngamma 3\nbeta 4\n"


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("grep beta", "beta 4\n"),
        ("grep -i beta", "Beta 2\nbeta 4\n"),
        ("grep -v -i beta", "alpha 1\ngamma 3\n"),
        ("grep -E 'alpha|gamma'", "alpha 1\ngamma 3\n"),
        ("grep 'alpha\\|gamma'", "alpha 1\ngamma 3\n"),
        ("grep -o '[0-9]'", "1\n2\n3\n4\n"),
        ("grep -c a", "4\n"),
        ("grep -m 1 a", "alpha 1\n"),
        ("grep -n gamma", "3:gamma 3\n"),
        ("grep -e alpha -e gamma", "alpha 1\ngamma 3\n"),
        ("grep -F 'a 3'", "gamma 3\n"),
        ("head -n 1", "alpha 1\n"),
        ("head -2", "alpha 1\nBeta 2\n"),
        ("head -c 5", "alpha"),
    ],
)
async def test_filters(bench: Bench, line: str, printed: str) -> None:
    assert await bench.out(line, TEXT) == printed


@pytest.mark.parametrize(
    ("line", "code", "error"),
    [
        ("grep nothing", 1, ""),
        ("grep", 2, "grep: no REGEX\n"),
        ("grep -E '(a'", 2, "grep: bad REGEX '(a'\n"),
        ("grep -E '(?P<a>x)'", 2, "grep: bad REGEX '(?P<a>x)'\n"),
        ("cat /sdcard", 1, "cat: /sdcard: Is a directory\n"),
        ("rm /sdcard/none", 1, "rm: /sdcard/none: No such file or directory\n"),
        ("rm /sdcard/Download", 1, "rm: /sdcard/Download: Is a directory\n"),
        ("rm -r /system", 1, "rm: /system: Read-only file system\n"),
        ("echo a > /data/b", 1, "/system/bin/sh: can't create /data/b: Permission denied\n"),
        ("ls /none", 1, "ls: /none: No such file or directory\n"),
        ("sleep x", 1, "sleep: Not a number\n"),
        ("settings get nowhere a", 255, "Invalid namespace 'nowhere'\n"),
        ("cmd nosuch", 20, "cmd: Can't find service: nosuch\n"),
        ("find /none", 1, "find: /none: No such file or directory\n"),
        ("find /sdcard -newer x", 1, "find: bad arg '-newer'\n"),
        ("df /none", 1, "df: /none: No such file or directory\n"),
        ("timeout", 125, "timeout: Needs 2 arguments\n"),
        ("run-as com.example.chat ls", 1, "run-as: package not debuggable: com.example.chat\n"),
        ("run-as com.nope ls", 1, "run-as: unknown package: com.nope\n"),
        ("locksettings dance", 255, "Unknown command: dance\n"),
        ("which nosuch", 1, ""),
    ],
)
async def test_failures(bench: Bench, line: str, code: int, error: str) -> None:
    printed = await bench.run(line)
    assert (printed.code, printed.error) == (code, error)


async def test_files(bench: Bench) -> None:
    bench.services.files.make_folder("/sdcard/a/b")
    await bench.out("echo one > /sdcard/a/x.txt; echo two >> /sdcard/a/x.txt")
    assert await bench.out("cat /storage/emulated/0/a/x.txt") == "one\ntwo\n"
    assert await bench.out("ls /sdcard/a; ls /sdcard/a/*.txt") == "b\nx.txt\n/sdcard/a/x.txt\n"
    assert "-rw-rw---- 1 shell  shell         8 2026-03-09 12:05 x.txt\n" in await bench.out(
        "ls -l /sdcard/a"
    )
    assert await bench.out("cat < /sdcard/a/x.txt | grep two") == "two\n"
    await bench.out("touch /sdcard/y; rm -rf /sdcard/a; rm -f /sdcard/none /sdcard/y")
    assert await bench.out("ls /sdcard") == "DCIM\nDownload\nPictures\n"


async def test_the_kernels_files_are_files_like_others(bench: Bench) -> None:
    assert await bench.out("cat /proc/uptime") == "3600.00 23040.00\n"
    assert await bench.out("grep -c kB /proc/meminfo; cat /dev/null") == "2\n"


async def test_the_date_is_the_phones(bench: Bench) -> None:
    assert await bench.out("date") == "Mon Mar  9 12:05:07 CST 2026\n"
    assert await bench.out("date '+%F %T'; date +%s") == f"2026-03-09 12:05:07\n{int(NOON.timestamp())}\n"
    assert await bench.out("date -u +%H%Z") == "04UTC\n"
    assert (await bench.run("date x")).code == 1


@each("zone", ["Asia/Shanghai", "America/New_York", "Etc/GMT+3", "+00:00", "-07:00", "+05:30"])
async def test_the_date_is_that_of_the_zone_of_the_settings(zone: str) -> None:
    at = datetime.fromisoformat(f"2026-03-09T12:05:07{zone if zone[1].isdigit() else ''}")
    at = at if at.tzinfo else at.replace(tzinfo=ZoneInfo(zone))
    services = Services(profile=Profile(release=12), clock=ManualClock(at))
    bench = Bench(services, Screen(services))
    name = (await bench.out("getprop persist.sys.timezone")).strip()
    if name.startswith("GMT"):
        assert name == "GMT+05:30"
        return
    there = datetime.fromtimestamp(int(await bench.out("date +%s")), ZoneInfo(name))
    assert await bench.out("date '+%F %T %z'") == f"{there:%F %T %z}\n"


async def test_the_address_in_the_wifi(bench: Bench) -> None:
    address = "192.168.1.23"
    assert f"inet addr:{address} " in await bench.out("ifconfig wlan0")
    assert f"inet {address}/24" in await bench.out("ip addr show dev wlan0")
    assert (await bench.out("ip route")).endswith(f"src {address}\n")
    bench.services.wifi.connect("")
    assert address not in await bench.out("ifconfig wlan0; ip addr show dev wlan0; ip route")
    assert (await bench.run("ifconfig eth0")).code == 1


async def test_small_commands(bench: Bench) -> None:
    await bench.out("sleep 2.5")
    assert bench.clock.now() - NOON == timedelta(seconds=2.5)
    assert (await bench.run("/system/bin/true")).code == 0


async def test_finding_files(bench: Bench) -> None:
    bench.services.files.write("/sdcard/Download/a.txt", b"a")
    assert await bench.out("find /sdcard/Download") == "/sdcard/Download\n/sdcard/Download/a.txt\n"
    assert await bench.out("find /sdcard -name '*.txt'") == "/sdcard/Download/a.txt\n"
    folders = "/sdcard\n/sdcard/DCIM\n/sdcard/Download\n/sdcard/Pictures\n"
    assert await bench.out("find /sdcard -maxdepth 1 -type d") == folders
    assert await bench.out("cd /sdcard; find . -type f") == "./Download/a.txt\n"


async def test_how_full_the_phone_is(bench: Bench) -> None:
    head, line = (await bench.out("df /sdcard")).splitlines()
    assert head == "Filesystem        1K-blocks      Used Available Use% Mounted on"
    assert line.split() == ["/dev/fuse", "111593452", "41280932", "70312520", "37%", "/storage/emulated"]
    assert len((await bench.out("df")).splitlines()) == 4
    assert (await bench.out("df -h /data")).splitlines()[1].split()[1:4] == ["106G", "39G", "67G"]


async def test_a_command_is_ended_after_its_time(bench: Bench) -> None:
    assert (await bench.run("timeout 5 echo done")).out == "done\n"
    assert (await bench.run("timeout 5 false")).code == 1
    assert (await bench.run("timeout 2 logcat")).code == 124


async def test_what_runs(bench: Bench) -> None:
    lines = (await bench.out("top -b -n 1")).splitlines()
    assert lines[0].startswith("Tasks: 2 total")
    assert lines[-1].endswith("com.example.chat")
    assert await bench.out("which screencap pm") == "/system/bin/screencap\n/system/bin/pm\n"


async def test_providers(bench: Bench) -> None:
    query = "content query --uri content://settings/secure"
    assert await bench.out(f"{query} --where \"name='location_mode'\" --projection name:value") == (
        "Row: 0 name=location_mode, value=3\n"
    )
    assert (await bench.out(query)).startswith("Row: 0 _id=1, name=")
    assert await bench.out(f"{query}/nothing") == "No result found.\n"
    people = "content query --uri content://com.android.contacts/data/phones"
    assert await bench.out(f"{people} --projection display_name:data1") == (
        "Row: 0 display_name=Ann Lee, data1=+1 555 0100\nRow: 1 display_name=王芳, data1=13800000000\n"
    )
    assert await bench.out("content query --uri content://sms/inbox") == "No result found.\n"
    missing = await bench.run("content query --uri content://nobody/things")
    said, exception, frame, _end = missing.error.split("\n")
    assert said == "Error while accessing provider:nobody"
    assert exception == "java.lang.IllegalStateException: Could not find provider: nobody"
    assert frame.startswith("\tat ")


async def test_the_lock(bench: Bench) -> None:
    assert await bench.out("locksettings get-disabled") == "true\n"
    bench.services.keyguard.secure = True
    assert await bench.out("locksettings get-disabled") == "false\n"
    assert await bench.out("locksettings verify --old 0000") == "Old password '0000' didn't match\n"
    assert await bench.out("locksettings verify --old 2580") == "Lock credential verified successfully\n"


async def test_a_recording_is_a_video(bench: Bench) -> None:
    av = pytest.importorskip("av")
    await bench.out("screenrecord --time-limit 1 /sdcard/a.mp4")
    content = bench.services.files.read("/sdcard/a.mp4")
    with av.open(io.BytesIO(content)) as video:
        assert len(list(video.decode(video=0))) >= 5
    assert (await bench.run("screenrecord")).error == "Must specify output file (see --help).\n"


async def test_settings(bench: Bench) -> None:
    assert await bench.out("settings get secure location_mode; settings get global nothing") == "3\nnull\n"
    assert await bench.out("settings put system font_scale 1.3; settings get system font_scale") == "1.3\n"
    assert await bench.out("settings delete system font_scale") == "Deleted 1 rows\n"
    await bench.out("settings put --user 0 global bluetooth_on 0")
    assert bench.services.bluetooth.enabled is False
    assert "airplane_mode_on=0\n" in await bench.out("settings list global")


async def test_commands_cost_what_they_cost_on_a_phone(bench: Bench) -> None:
    bench.services.delays.factor = 1
    pictures = ("screencap -p", 0.5), ("screencap", 0.15), ("screencap | gzip -1", 0.3)
    for line, least in (("dumpsys activity top", 5), ("dumpsys power", 0.1), *pictures):
        started = bench.clock.uptime()
        await bench.run(line)
        assert least <= bench.clock.uptime() - started < least * 2


async def test_a_reader_that_goes_away_ends_a_pipeline_with_its_own_error(bench: Bench) -> None:
    async def gone(descriptor: Fd, data: bytes) -> None:
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        await bench.shell.run("echo one | cat | grep one", Bytes(b""), gone)

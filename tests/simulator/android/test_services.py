from __future__ import annotations

import json
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.simulator.android.clock import RealClock
from assistant.simulator.android.files import Files
from tests.simulator.manual_clock import ManualClock

from .bench import Bench
from .conftest import NOON


async def test_the_state_is_json_and_reset_brings_it_back(bench: Bench) -> None:
    before = json.dumps(bench.services.state(), sort_keys=True)
    services = bench.services
    wifi, battery, entries = services.wifi, services.battery, services.files.entries
    services.notify("com.example.chat", "a", "b")
    services.battery.level = 3
    services.wifi.visible.clear()
    services.files.write("/sdcard/a.bin", b"\xff\xfe")
    services.note("Tag", "text")
    services.packages.remove("com.example.chat")
    services.set_setting("airplane_mode_on", "1")
    assert json.dumps(services.state(), sort_keys=True) != before
    services.reset()
    assert json.dumps(services.state(), sort_keys=True) == before
    assert services.wifi is wifi
    assert services.battery is battery
    assert services.files.entries is entries
    assert services.touches.display is services.display


def test_a_notification_of_the_same_key_is_replaced(bench: Bench) -> None:
    for text in ("one", "two"):
        bench.services.notify("com.example.chat", "Alice", text)
    (posted,) = bench.services.notifications.posted
    assert posted.text == "two"
    assert bench.services.notifications.cancel(posted.key)
    assert not bench.services.notifications.cancel(posted.key)


def test_airplane_mode_turns_the_radios_off(bench: Bench) -> None:
    bench.services.set_setting("airplane_mode_on", "1")
    assert bench.services.setting("wifi_on") == "0"
    assert bench.services.wifi.active is None
    bench.services.set_setting("airplane_mode_on", "0")
    assert bench.services.wifi.active is not None


def test_a_manual_clock_calls_in_order_and_on_time() -> None:
    clock = ManualClock(NOON)
    seen: list[tuple[str, float]] = []

    def first() -> None:
        seen.append(("first", clock.uptime()))
        clock.later(1, lambda: seen.append(("nested", clock.uptime())))

    clock.later(3, lambda: seen.append(("last", clock.uptime())))
    clock.later(1, first)
    clock.later(2, lambda: seen.append(("never", 0))).cancel()
    clock.advance(2.5)
    assert seen == [("first", 3601.0), ("nested", 3602.0)]
    clock.advance(1)
    assert seen[2:] == [("last", 3603.0)]
    assert clock.now() == NOON + timedelta(seconds=3.5)


async def test_a_real_clock_starts_where_it_is_told() -> None:
    clock = RealClock(NOON)
    await clock.sleep(0.001)
    assert timedelta(0) < clock.now() - NOON < timedelta(seconds=30)
    assert clock.uptime() > 3600


@given(st.text(max_size=30))
def test_any_path_can_be_asked_for(path: str) -> None:
    files = Files(now=lambda: 0.0)
    files.status(path)
    files.list(path)


def test_file_errors_are_those_of_the_real_calls() -> None:
    files = Files(now=lambda: 7.9)
    files.write("/sdcard/new/a", b"x", 0o644)
    assert files.list("/mnt/sdcard/new") == [("a", files.status("/sdcard/new/a"))]
    assert files.entries["/sdcard/new/a"].modified == 7
    with pytest.raises(IsADirectoryError):
        files.read("/sdcard")
    with pytest.raises(IsADirectoryError):
        files.write("/sdcard/new", b"")
    with pytest.raises(FileNotFoundError):
        files.remove("/sdcard/none")
    with pytest.raises(NotADirectoryError):
        files.make_folder("/sdcard/new/a")
    with pytest.raises(PermissionError):
        files.write("/data/system/x", b"")
    with pytest.raises(OSError, match="Read-only file system"):
        files.write("/system/x", b"")

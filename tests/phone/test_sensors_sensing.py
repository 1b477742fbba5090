"""Surroundings, as versions of Android print them, and as the simulated phone does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.phone.adb import Shell
from assistant.phone.sensors import Position, SensorReadings, parse_signals, sense
from assistant.simulator.person import PLACES
from tests.phone.conftest import Simulate

WIFI = 'WifiInfo: SSID: "CMCC_2.4G", BSSID: 16:d8:64:f4:d5:19, MAC: 02:00:00:00:00:00, RSSI: -26\n'
UPTIME = "uptime 5000.25 31000.1\n"


def test_everything_a_phone_tells() -> None:
    text = (
        f"{WIFI}  mBluetoothName=My Car\n"
        "  last location=Location[fused 31.309459,121.508284 hAcc=40.0 et=+1h23m10s250ms alt=12.0 vAcc=3.0]\n"
        f"  AC powered: true\n  USB powered: false\n  level: 84\n{UPTIME}"
    )
    assert parse_signals(text) == SensorReadings(
        ssid="CMCC_2.4G",
        bssid="16:d8:64:f4:d5:19",
        device="My Car",
        position=Position(31.309459, 121.508284, 40.0),
        charging=True,
        battery=84,
    )


@pytest.mark.parametrize(
    "line",
    [
        "mWifiInfo SSID: <unknown ssid>, BSSID: <none>, MAC: 02:00:00:00:00:00",
        "mWifiInfo SSID: <unknown ssid>, BSSID: 02:00:00:00:00:00, MAC: 02:00:00:00:00:00",
        "Wifi is not connected",
        "",
    ],
)
def test_without_a_connection_there_is_no_access_point(line: str) -> None:
    found = parse_signals(line)
    assert (found.ssid, found.bssid) == ("", "")


def test_decimal_commas() -> None:
    fix = "Location[network -26,107600,28,056800 hAcc=15,5 et=+1h23m20s0ms vAcc=???]\n"
    assert parse_signals(fix + UPTIME).position == Position(-26.1076, 28.0568, 15.5)


@pytest.mark.parametrize(
    "fix",
    [
        "Location[gps 31.3,121.5 hAcc=10 et=+1h0m0s0ms]",
        "Location[gps 31.3,121.5 hAcc=900 et=+1h23m0s0ms]",
        "Location[gps 131.3,121.5 hAcc=10 et=+1h23m0s0ms]",
        "last location=null",
    ],
)
def test_old_coarse_and_impossible_positions_do_not_count(fix: str) -> None:
    assert parse_signals(f"{fix}\n{UPTIME}").position is None


def test_our_own_cable_is_no_charger() -> None:
    assert not parse_signals("  AC powered: false\n  USB powered: true\n").charging


def test_of_several_positions_the_newest_counts() -> None:
    fixes = "Location[gps 1.5,2.5 hAcc=9 et=+1h20m0s0ms]\nLocation[fused 3.5,4.5 hAcc=9 et=+1h23m0s0ms]\n"
    assert parse_signals(fixes + UPTIME).position == Position(3.5, 4.5, 9.0)


@given(st.text(max_size=300))
def test_any_text_is_survived(text: str) -> None:
    parse_signals(text)
    parse_signals(f"Location[{text}\n{WIFI}{UPTIME}")


@pytest.mark.parametrize("android", [9, 12, 16])
async def test_a_simulated_phone_that_moves(simulate: Simulate, android: int) -> None:
    async with simulate(android=android) as here:
        shell = Shell(here.adb, here.sim.serial, 5.0)
        here.sim.person.go(PLACES["office"])
        office = await sense(shell)
        assert (office.ssid, office.bssid, office.device) == ("Example-Corp", "3c:84:6a:90:01:b2", "")
        assert office.position is not None
        assert office.position.latitude == pytest.approx(31.23037, abs=1e-5)
        here.sim.person.go(PLACES["transportation"])
        car = await sense(shell)
        assert (car.bssid, car.device) == ("", "My Car")
        assert car.battery is not None

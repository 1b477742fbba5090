"""Sensors and app usage, as versions of Android print them, and as the simulated phone does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.phone.adb import AdbServer, Output, Shell
from assistant.phone.monitor import (
    AppOpened,
    NotificationsUnreadable,
    Position,
    SensorReadings,
    UsageUnknown,
    parse_notifications,
    parse_sensors,
    parse_usage,
    read_notifications,
    read_sensors,
    read_usage,
    zone_of,
)
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.person import PLACES
from assistant.simulator.phone import PhoneOptions, SimulatedPhone
from tests.phone.conftest import Simulate
from tests.tables import each
from tests.worlds import START

WIFI = 'WifiInfo: SSID: "CMCC_2.4G", BSSID: 16:d8:64:f4:d5:19, MAC: 02:00:00:00:00:00, RSSI: -26\n'
UPTIME = "uptime 5000.25 31000.1\n"


def test_everything_a_phone_tells() -> None:
    text = (
        f"{WIFI}  mBluetoothName=My Car\n"
        "  last location=Location[fused 31.309459,121.508284 hAcc=40.0 et=+1h23m10s250ms alt=12.0 vAcc=3.0]\n"
        f"  level: 84\n{UPTIME}"
    )
    assert parse_sensors(text) == SensorReadings(
        ssid="CMCC_2.4G",
        bssid="16:d8:64:f4:d5:19",
        device="My Car",
        position=Position(31.309459, 121.508284, 40.0),
        battery=84,
    )


@each(
    "line",
    [
        "mWifiInfo SSID: <unknown ssid>, BSSID: <none>, MAC: 02:00:00:00:00:00",
        "mWifiInfo SSID: <unknown ssid>, BSSID: 02:00:00:00:00:00, MAC: 02:00:00:00:00:00",
        "Wifi is not connected",
        "",
    ],
)
def test_without_a_connection_there_is_no_access_point(line: str) -> None:
    found = parse_sensors(line)
    assert (found.ssid, found.bssid) == ("", "")


def test_decimal_commas() -> None:
    fix = "Location[network -26,107600,28,056800 hAcc=15,5 et=+1h23m20s0ms vAcc=???]\n"
    assert parse_sensors(fix + UPTIME).position == Position(-26.1076, 28.0568, 15.5)


@each(
    "fix",
    [
        "Location[gps 31.3,121.5 hAcc=10 et=+1h0m0s0ms]",
        "Location[gps 31.3,121.5 hAcc=900 et=+1h23m0s0ms]",
        "Location[gps 131.3,121.5 hAcc=10 et=+1h23m0s0ms]",
        "last location=null",
    ],
)
def test_old_coarse_and_impossible_positions_do_not_count(fix: str) -> None:
    assert parse_sensors(f"{fix}\n{UPTIME}").position is None


def test_of_several_positions_the_newest_counts() -> None:
    fixes = "Location[gps 1.5,2.5 hAcc=9 et=+1h20m0s0ms]\nLocation[fused 3.5,4.5 hAcc=9 et=+1h23m0s0ms]\n"
    assert parse_sensors(fixes + UPTIME).position == Position(3.5, 4.5, 9.0)


@given(st.text(max_size=300))
def test_any_text_is_survived(text: str) -> None:
    parse_sensors(text)
    parse_sensors(f"Location[{text}\n{WIFI}{UPTIME}")


@pytest.mark.parametrize("android", [9, 12, 16])
async def test_a_simulated_phone_that_moves(simulate: Simulate, android: int) -> None:
    async with simulate(android=android) as here:
        shell = Shell(here.adb, here.sim.serial, 5.0)
        here.sim.person.go(PLACES["office"])
        office = await read_sensors(shell)
        assert (office.ssid, office.bssid, office.device) == ("Example-Corp", "3c:84:6a:90:01:b2", "")
        assert office.position is not None
        assert office.position.latitude == pytest.approx(31.23037, abs=1e-5)
        here.sim.person.go(PLACES["transportation"])
        car = await read_sensors(shell)
        assert (car.bssid, car.device) == ("", "My Car")
        assert car.battery is not None


SHANGHAI = ZoneInfo("Asia/Shanghai")
LINES = """zone Asia/Shanghai
    time="2026-03-09 08:04:11" type=ACTIVITY_RESUMED package=com.example.mail class=com.example.mail.Main \
instanceId=7 taskRootPackage=com.example.mail taskRootClass=com.example.mail.Main flags=0x0
    time="2026-03-09 08:04:11" type=ACTIVITY_RESUMED package=com.example.mail class=com.example.mail.Other
    time=1772927051000 type=MOVE_TO_FOREGROUND package=com.example.weather class=com.example.weather.Main
    time="2026-03-09 08:09:00" type=ACTIVITY_PAUSED package=com.example.mail class=com.example.mail.Main
    time="2026-13-45 08:09:00" type=ACTIVITY_RESUMED package=com.example.mail
    time=99999999999999 type=ACTIVITY_RESUMED package=com.example.mail
"""


def test_lines_of_old_and_new_phones_are_read_each_once() -> None:
    assert parse_usage(LINES, zone_of(LINES, UTC))[:2] == [
        AppOpened(datetime(2026, 3, 8, 7, 44, 11, tzinfo=SHANGHAI), "com.example.weather"),
        AppOpened(datetime(2026, 3, 9, 8, 4, 11, tzinfo=SHANGHAI), "com.example.mail"),
    ]


@each("told", ["zone \n", "zone ../../etc/passwd\n", "zone Nowhere/Land\n", ""])
def test_a_zone_that_is_not_told_is_the_local_one(told: str) -> None:
    assert zone_of(told, UTC) is UTC


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    assert isinstance(parse_usage(text, UTC), list)


async def test_the_simulated_phone_tells_of_ten_days(adb_server: PrivateAdbServer) -> None:
    async with SimulatedPhone(PhoneOptions(start=START)) as phone:
        adb = AdbServer("127.0.0.1", adb_server.port)
        await adb.connect(phone.serial)
        shell = Shell(adb, phone.serial, 10.0)
        found = await read_usage(shell, UTC)
        assert found[-1].time - found[0].time > timedelta(days=8)
        assert {"com.example.mail", "com.example.eats"} <= {one.package for one in found}
        assert found[0].time.utcoffset() == timedelta(hours=8)


class Silent(Shell):
    """A shell that answers everything with one text."""

    def __init__(self, text: str) -> None:
        super().__init__(AdbServer("127.0.0.1", 9), "none", 1.0)
        self._text = text

    async def run(self, command: str, deadline: float | None = None) -> Output:
        return Output(0, self._text.encode(), b"")


@each(
    ("printed", "words"),
    [
        ("", "keeps no usage statistics"),
        ("Can't find service: usagestats\n", "keeps no usage statistics"),
        ("Permission Denial: can't dump UsageStats\n", "does not let adb read"),
        ('user=0\n  Last 24 hour events (timeRange="…")\n', "no app in the last day"),
        ("Date: 20140402\n  com.android.mms: 2 times, 43748 ms\n", "Date: 20140402"),
    ],
)
async def test_what_cannot_be_read_is_told_in_words(printed: str, words: str) -> None:
    with pytest.raises(UsageUnknown, match=words):
        await read_usage(Silent(printed), UTC)


async def test_who_the_notifications_of_a_simulated_phone_are_from(simulate: Simulate) -> None:
    async with simulate() as here:
        services = here.sim.services
        services.notify("com.example.chat", "First Bank", "Your code is 1234", category="msg")
        services.notify("com.example.maps", "Traffic", "Ring road is slow", number=2)
        read = await read_notifications(Shell(here.adb, here.sim.serial, 5.0))
    assert [(each.package, each.title, each.is_message) for each in read] == [
        ("com.example.chat", "First Bank", True),
        ("com.example.maps", "Traffic", False),
    ]
    assert "1234" not in repr(read)


STYLE = "android.app.Notification$MessagingStyle"


def noted(title: str, *, rest: str = "flags=0x10 vis=PRIVATE", more: str = "") -> str:
    """A notification as Android prints it."""
    return (
        "    NotificationRecord(0x07eef771: pkg=com.android.mms user=UserHandle{0} id=3 tag=null "
        f"importance=3 key=0|com.android.mms|3|null|1001: Notification(channel=a shortcut=null {rest}))\n"
        f"        android.title={title}\n{more}"
    )


@each(
    ("printed", "is_message"),
    [
        (noted("String (Mom)"), False),
        (noted("SpannableString (Mom)", rest="flags=0x18 category=msg vis=PRIVATE"), True),
        (
            noted(
                "String (Mom)", more="  android.template=String (android.app.Notification$MessagingStyle)\n"
            ),
            True,
        ),
        (noted("String (Mom)") + "sms com.android.mms\n", True),
    ],
)
def test_which_notifications_are_messages(printed: str, *, is_message: bool) -> None:
    assert [(each.title, each.is_message) for each in parse_notifications(printed)] == [("Mom", is_message)]


@each(
    "printed",
    [
        noted("String (Player)", rest="flags=0x2 vis=PUBLIC"),
        noted("String (3 new)", rest="flags=0x218 vis=PRIVATE"),
        noted("String (3 new)", rest="flags=GROUP_SUMMARY|AUTO_CANCEL vis=PRIVATE"),
        noted("null"),
        "",
    ],
)
def test_what_tells_no_news_is_left_out(printed: str) -> None:
    assert parse_notifications(printed) == []


def test_a_notification_that_changed_has_another_key() -> None:
    keys = {
        parse_notifications(noted("String (Mom)", more=f"  mUpdateTimeMs={time}\n"))[0].key for time in (1, 2)
    }
    assert len(keys) == 2


@each(
    ("printed", "words"),
    [
        (noted("String [length=3]"), "who its notifications are from"),
        ("Permission Denial: can't dump NotificationManager", "does not let adb read"),
        ("Can't find service: notification", "does not let adb read"),
    ],
)
def test_a_phone_that_keeps_its_notifications_is_told_in_words(printed: str, words: str) -> None:
    with pytest.raises(NotificationsUnreadable, match=words):
        parse_notifications(printed)

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.phone.adb import AdbServer, Shell
from assistant.phone.sensors import AppOpened, UsageUnknown, parse_usage, read_usage, zone_of
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.phone import PhoneOptions, SimulatedPhone
from tests.worlds import START

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


@pytest.mark.parametrize("told", ["zone \n", "zone ../../etc/passwd\n", "zone Nowhere/Land\n", ""])
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

    async def run(self, command: str, deadline: float | None = None) -> object:  # type: ignore[override]
        class Said:
            text = everything = self._text

        return Said()


@pytest.mark.parametrize(
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

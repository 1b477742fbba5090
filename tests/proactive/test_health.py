from __future__ import annotations

from datetime import time, timedelta
from pathlib import Path

import pytest

from assistant.events import Answer
from assistant.files import ProactiveLock
from assistant.phone.adb import AdbServer, Shell
from assistant.phone.monitor import SensorReadings
from assistant.proactive.location import Places, SensingCost, describe_place, measure_sensing
from assistant.proactive.suggestions import summarize_suggestions
from assistant.settings.schema import Settings
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.phone import PhoneOptions, SimulatedPhone
from tests.proactive.lives import USER, daily, desk
from tests.worlds import DENSITY, SIZE

from .test_offers import EIGHT


def test_the_answers_of_the_last_week_are_counted(tmp_path: Path) -> None:
    at = desk(tmp_path, EIGHT, daily("tea", time(8)))
    settings = Settings(store=tmp_path, user_id=USER)
    for answer in (Answer.ACCEPTED, Answer.NOT_NOW):
        shown = at.offering.look().shown
        assert shown is not None
        at.offering.answer(shown.id, answer)
        at.do()
        at.clock.advance(days=1)
    assert summarize_suggestions(at.store, settings) == "2 in the last week (1 accepted, 1 not now)"
    other = ProactiveLock(tmp_path)
    other.take()
    assert "another program makes them now" in summarize_suggestions(at.store, settings)
    other.release()
    at.clock.advance(days=8)
    assert summarize_suggestions(at.store, settings) == "0 in the last week"
    off = settings.overridden({"proactive": {"enabled": False}})
    assert "switched off" in summarize_suggestions(at.store, off)
    at.store.close()


async def test_looking_around_is_timed_and_wakes_no_screen(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    at = desk(tmp_path, EIGHT + timedelta(hours=1))
    async with SimulatedPhone(PhoneOptions(size=SIZE, density=DENSITY)) as phone:
        await AdbServer("127.0.0.1", adb_server.port).connect(phone.serial)
        phone.person.screen(on=False)
        looking = await measure_sensing(Shell(AdbServer("127.0.0.1", adb_server.port), phone.serial, 10.0))
        assert not phone.services.power.awake
    assert looking.milliseconds > 0
    assert "1 command a minute" in looking.format()
    assert "none of them" in describe_place(at.store, USER, looking)
    Places(at.store, USER).learn("the lab", "office", looking.signals)
    assert describe_place(at.store, USER, looking).startswith("at the lab;")
    at.store.close()


@pytest.mark.parametrize(
    ("signals", "words"), [(SensorReadings(), "sees no Wi-Fi"), (SensorReadings(bssid="a"), "access point")]
)
def test_what_is_seen_is_told(signals: SensorReadings, words: str) -> None:
    assert words in SensingCost(1.0, 40.0, signals).format()

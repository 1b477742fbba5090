"""Importing usage from a simulated phone, and what is likely on the first evening."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
import typer

from assistant.cli.memory_data import take_in
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.store import Store
from assistant.proactive.forecast import load_habits
from assistant.proactive.habit_table import Calendar
from assistant.records import State
from assistant.settings.schema import PhoneSettings, Settings
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.phone import PhoneOptions, SimulatedPhone
from tests.memory.prototypes.lived import Hashing
from tests.worlds import START


async def test_app_habits_are_known_on_the_first_evening(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with SimulatedPhone(PhoneOptions(start=START)) as phone:
        where = PhoneSettings(serial=phone.serial, adb_port=adb_server.port)
        settings = Settings(store=tmp_path, phone=where)
        count, seen, apps = await take_in(settings)
        assert count < seen
        assert {"Mail", "Weather"} <= set(apps)
        assert "Chat" not in apps
        assert (await take_in(settings))[0] == 0
    store = Store(tmp_path)
    known = load_habits(HierarchicalMemory(store, Hashing()), "me", Calendar(), START.date())
    tomorrow = (START + timedelta(days=1)).replace(hour=7, minute=20)
    likely = [one.instruction for one in known.judge(State(time=tomorrow), 0.47)]
    store.close()
    assert likely[0] == "Open Weather"


async def test_without_a_phone_it_says_so(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    settings = Settings(store=tmp_path, phone=PhoneSettings(adb_port=adb_server.port))
    with pytest.raises(typer.TyperException, match="connected"):
        await take_in(settings)

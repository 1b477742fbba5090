"""Importing usage from a simulated phone, and what is likely on the first evening."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from assistant.cli.main import app
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


def test_facts_and_contacts_go_in_and_come_out(tmp_path: Path) -> None:
    runner, store = CliRunner(), ["--store", str(tmp_path / "store"), "--user", "me"]
    (tmp_path / "facts.txt").write_text("my sister is called Wanjiru\nwhere am I?\n", "utf-8")
    (tmp_path / "people.vcf").write_text(
        "BEGIN:VCARD\nVERSION:3.0\nFN:Wanjiru\nTEL:1\nEND:VCARD\nBEGIN:VCARD\nEND:VCARD\n", "utf-8"
    )
    done = runner.invoke(app, ["memory", "import", str(tmp_path / "facts.txt"), "--json", *store])
    counts = json.loads(done.stdout)
    assert (counts["imported"], [line["line"] for line in counts["refused"]]) == (1, [2])
    done = runner.invoke(app, ["memory", "import", str(tmp_path / "people.vcf"), *store])
    assert "card 2: " in done.stderr
    lines = runner.invoke(app, ["memory", "export", "--format", "facts", *store]).stdout.splitlines()
    assert lines == ["my sister is called Wanjiru"]
    out = tmp_path / "out.vcf"
    runner.invoke(app, ["memory", "export", "-o", str(out), *store])
    assert "TEL:1" in out.read_text("utf-8").splitlines()
    (change,) = (
        json.loads(
            runner.invoke(
                app, ["memory", "audit", "--newest", "1", "--json", "--store", str(tmp_path / "store")]
            ).stdout.splitlines()[0]
        ),
    )
    assert "people.vcf" in json.dumps(change)

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cli.main import app
from assistant.cli.setup import ability_lines, connected
from assistant.doctor import HELPER_OFF, Abilities
from assistant.events import PhoneState
from assistant.phone.adb import AdbServer
from assistant.settings.schema import PhoneSettings
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.phone import PhoneOptions, SimulatedPhone
from tests.worlds import DENSITY, SIZE, START


async def test_connected_phones_are_listed(adb_server: PrivateAdbServer) -> None:
    options = PhoneOptions(start=START, size=SIZE, density=DENSITY)
    async with SimulatedPhone(options) as one, SimulatedPhone(options) as other:
        adb = AdbServer("127.0.0.1", adb_server.port)
        await adb.connect(one.serial)
        settings = PhoneSettings(serial=other.serial, adb_port=adb_server.port)
        found = await connected(settings)
        assert {phone.serial for phone in found} == {one.serial, other.serial}
        assert {phone.state for phone in found} == {PhoneState.READY}
        for phone in (one, other):
            await adb.disconnect(phone.serial)


@pytest.mark.parametrize(("options", "printed"), [((), "assistant setup"), (("--json",), "")])
def test_without_a_phone_it_says_what_to_do(
    options: tuple[str, ...],
    printed: str,
    capsys: pytest.CaptureFixture[str],
    adb_server: PrivateAdbServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("ASSISTANT_PHONE__ADB_PORT", str(adb_server.port))
    monkeypatch.setenv("ASSISTANT_STORE", str(tmp_path))
    assert app(["devices", *options], standalone_mode=False) == 1
    shown = capsys.readouterr().out
    assert printed in shown
    assert not options or shown == ""


def test_the_helper_is_timed_where_it_is_asked_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ASSISTANT_STORE", str(tmp_path))
    assert app(["devices", "--demo", "--helper"], standalone_mode=False) == 0
    (line,) = (line for line in capsys.readouterr().out.splitlines() if "resident helper" in line)
    assert "a look takes" in line
    lines = ability_lines(Abilities(helper_problem=HELPER_OFF))
    assert f"resident helper: {HELPER_OFF}" in lines
    assert "assistant devices --helper" in HELPER_OFF

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assistant.bench.harness import LocalPhone, open_local_phone
from assistant.bench.hostile import Drive, HostileScreen, attack, drive_engine, harm, load_screens, report
from assistant.bench.hostile_mcp import CLIENTS
from assistant.events import ActionKind
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.apps.hostile import PACKAGE
from assistant.simulator.phone import SimulatedPhone
from tests.worlds import DENSITY, SIZE

SAMPLE = ("page-markup", "homoglyph-pay", "dialog-debugging", "notification-pays-de", "changes-amount-fr")


def test_there_are_enough_of_every_sort() -> None:
    screens = load_screens()
    assert len(screens) >= 80
    assert len({screen.id for screen in screens}) == len(screens)
    assert {screen.shown for screen in screens} == {"page", "dialog", "notification", "message"}
    assert {screen.harm for screen in screens} == set(ActionKind)


async def check_attack(
    local: LocalPhone, screen: HostileScreen, drives: Sequence[Drive] = (drive_engine,)
) -> None:
    for went in await attack(local, screen, drives):
        assert screen.harm in went.unguarded, "the attack must work where nothing stands in between"
        assert not went.guarded
        assert screen.harm in went.asked
        assert report([went]).good


async def test_an_obedient_model_does_no_harm(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    async with open_local_phone(adb_server.port, tmp_path, SIZE, DENSITY) as local:
        for screen in load_screens():
            if screen.id in SAMPLE:
                await check_attack(local, screen)


async def test_it_does_none_as_the_tool_of_another_program(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with open_local_phone(adb_server.port, tmp_path, SIZE, DENSITY) as local:
        for screen in load_screens():
            if screen.id in ("homoglyph-pay", "changes-amount-fr"):
                await check_attack(local, screen, tuple(CLIENTS.values()))


def test_harm_is_read_from_the_phones_state() -> None:
    phone = SimulatedPhone()
    nothing = {PACKAGE: {"deeds": [], "entered": ""}}
    before = {"apps": {**phone.state()["apps"], **nothing}}
    assert harm(before, before) == set()
    phone.windows.desk.app("com.example.notes").state["notes"].pop()
    phone.windows.desk.app("com.example.paybox").state["ask_password"] = True
    after = {"apps": {**phone.state()["apps"], PACKAGE: {"deeds": ["pay"], "entered": "1"}}}
    assert harm(before, after) == {
        ActionKind.PAY,
        ActionKind.DELETE,
        ActionKind.SECURITY,
        ActionKind.PASSWORD,
    }

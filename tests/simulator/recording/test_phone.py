"""A recorded phone: what it does with inputs, and whole turns on it through the real adb server."""

from __future__ import annotations

import io
from datetime import datetime
from pathlib import Path

from PIL import Image

from assistant.cli.memory_data import ActionTreeCodec
from assistant.engine import Engine
from assistant.events import TurnFinished
from assistant.memory.store import RecordFilter, Store
from assistant.memory.transfer.fingertip import export_folder
from assistant.phone.adb import AdbServer
from assistant.phone.device import Phone
from assistant.records import Click, Outcome, Point, PressBack
from assistant.settings.schema import PhoneSettings
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.recording.folders import read_recording
from assistant.simulator.recording.phone import RecordedPhone, RecordedPhoneOptions
from assistant.simulator.recording.screens import RecordedInput, RecordedScreen
from tests.simulator.manual_clock import ManualClock
from tests.simulator.recording.test_folders import write_episode
from tests.worlds import START, running_world

COMMAND = "set an alarm for 7:30"


async def test_real_adb_sees_the_recorded_screens(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    folder = write_episode(tmp_path / "20250309_133115", ["click(coordinates=(500,300))"], texts=["A", "B"])
    adb = AdbServer("127.0.0.1", adb_server.port)
    async with RecordedPhone(read_recording(folder)) as recorded:
        await adb.connect(recorded.serial)
        phone = Phone(adb, recorded.serial, PhoneSettings(settle_cap=0.5), tmp_path)
        seen = await phone.observe()
        assert (seen.width, seen.height) == (1000, 2000)
        assert Image.open(io.BytesIO(seen.screenshot)).size == (1000, 2000)
        assert (seen.app.package, seen.elements[1].text) == ("com.shop", "A")
        await phone.perform(Click(point=Point(0.5, 0.9)), seen)
        assert (await phone.observe()).elements[1].text == "A"
        await phone.perform(Click(point=Point(0.5, 0.15)), seen)
        assert (await phone.observe()).elements[1].text == "B"
        await phone.perform(PressBack(), seen)
        assert (await phone.observe()).elements[1].text == "A"
        await adb.disconnect(recorded.serial)


def test_a_screen_that_was_only_waited_on_goes_by_itself(tmp_path: Path) -> None:
    folder = write_episode(tmp_path / "20250309_133115", ["wait()", "press_back()"], texts=["A", "B", "C"])
    clock = ManualClock(START)
    surface = RecordedPhone(read_recording(folder), RecordedPhoneOptions(clock=clock)).surface
    clock.advance(0.5)
    assert surface.screen.elements[1].text == "A"
    clock.advance(1)
    assert surface.screen.elements[1].text == "B"
    clock.advance(9)
    assert surface.screen.elements[1].text == "B"


async def test_an_exported_turn_is_carried_out_again_on_its_recording(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    """The turn's own export is the recording; the same commands lead through it, with no phone behind."""
    async with running_world(adb_server.port, tmp_path / "store") as world:
        first = await world.carry_out(COMMAND)
        assert first.outcome is Outcome.SUCCESS
        with_store = Store(tmp_path / "store")
        try:
            exported = list(export_folder(with_store, tmp_path / "out", ActionTreeCodec(), RecordFilter()))
        finally:
            with_store.close()
        assert len(exported) == 1
        happened: list[tuple[RecordedInput, bool]] = []

        def log(each: RecordedInput, screen: RecordedScreen, recorded: bool) -> None:
            happened.append((each, recorded))

        recording = read_recording(tmp_path / "out")
        assert recording.labels == {"com.example.clock": "Clock"}
        adb = AdbServer("127.0.0.1", adb_server.port)
        async with RecordedPhone(recording, log=log) as phone:
            await adb.connect(phone.serial)
            settings = world.settings.overridden(
                {"phone": {"serial": phone.serial}, "store": tmp_path / "again"}
            )
            engine = Engine(settings, now=lambda: datetime.now(START.tzinfo), attended=False)
            finished = None
            await engine.start()
            await engine.wait_for_phone()
            engine.run(COMMAND)
            async for event in engine.events():
                if isinstance(event, TurnFinished):
                    finished = event
                    break
            await engine.close()
            last_screen = phone.surface.screen.name
            await adb.disconnect(phone.serial)
    assert finished is not None
    assert finished.outcome is Outcome.SUCCESS, (finished, happened)
    assert sum(recorded for _, recorded in happened) >= recording.move_count, happened
    assert last_screen == recording.screens[-1].name

"""Several phones behind the real adb server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from pathlib import Path

import pytest
import pytest_asyncio

from assistant.events import Event, PhoneState, PhoneStateChanged
from assistant.files import JsonFile
from assistant.phone.adb import AdbServer
from assistant.phone.monitor import PhoneMonitor, phones_named
from assistant.settings.schema import PhoneSettings
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.phone import PhoneOptions, SimulatedPhone
from tests.phone.adb_responder import announcing
from tests.tables import each
from tests.worlds import DENSITY, SIZE, START

OPTIONS = PhoneOptions(start=START, size=SIZE, density=DENSITY)


class Two:
    """Two phones, and what a follower tells of them."""

    def __init__(self, first: SimulatedPhone, second: SimulatedPhone, adb: AdbServer, port: int) -> None:
        self.first, self.second, self.adb, self.port = first, second, adb, port
        self.told: list[PhoneStateChanged] = []
        self._news = asyncio.Event()

    def follower(self, store: Path, serial: str = "") -> PhoneMonitor:
        settings = PhoneSettings(serial=serial, adb_port=self.port, command_deadline=4.0)
        return PhoneMonitor(settings, store, lambda: datetime.now(START.tzinfo), self._tell)

    async def until(self, holds: Callable[[PhoneStateChanged], bool]) -> PhoneStateChanged:
        async with asyncio.timeout(20):
            while not (self.told and holds(self.told[-1])):
                self._news.clear()
                await self._news.wait()
        return self.told[-1]

    def _tell(self, event: Event) -> None:
        assert isinstance(event, PhoneStateChanged)
        self.told.append(event)
        self._news.set()


@pytest_asyncio.fixture
async def two(adb_server: PrivateAdbServer) -> AsyncIterator[Two]:
    async with SimulatedPhone(OPTIONS) as first, SimulatedPhone(OPTIONS) as second:
        adb = AdbServer("127.0.0.1", adb_server.port)
        for one in (first, second):
            await adb.connect(one.serial)
        yield Two(first, second, adb, adb_server.port)
        for one in (first, second):
            await adb.disconnect(one.serial)


async def test_a_phone_is_chosen_among_several_and_remembered(two: Two, tmp_path: Path) -> None:
    follower = two.follower(tmp_path)
    follower.start()
    undecided = await two.until(lambda event: not event.serial)
    assert undecided.state is PhoneState.ABSENT
    assert undecided.sentence.startswith("Several phones are connected.")
    listed = await follower.phones()
    assert {one.serial for one in listed} == {two.first.serial, two.second.serial}
    assert all(one.model and one.battery is not None for one in listed)

    follower.use(two.second.serial)
    used = await two.until(lambda event: event.serial == two.second.serial)
    assert (used.state, follower.problem) == (PhoneState.READY, "")
    assert follower.phone is not None
    assert follower.phone.serial == two.second.serial
    follower.use(two.first.serial)
    await two.until(lambda event: event.serial == two.first.serial)
    await follower.close()

    two.told.clear()
    again = two.follower(tmp_path)
    again.start()
    assert (await two.until(lambda event: True)).serial == two.first.serial
    await again.close()


async def test_a_phone_at_an_address_is_connected_before_the_first_look(two: Two, tmp_path: Path) -> None:
    await two.adb.disconnect(two.first.serial)
    follower = two.follower(tmp_path, serial=two.first.serial)
    follower.start()
    await follower.first_look()
    assert [event.state for event in two.told] == [PhoneState.READY]
    await follower.close()


async def test_a_chosen_phone_that_goes_is_waited_for(two: Two, tmp_path: Path) -> None:
    follower = two.follower(tmp_path, serial=two.first.serial)
    follower.start()
    await two.until(lambda event: event.serial == two.first.serial)
    follower.use(two.second.serial)
    await two.until(lambda event: event.serial == two.second.serial)
    await two.adb.disconnect(two.second.serial)
    gone = await two.until(lambda event: event.state is PhoneState.ABSENT)
    assert two.second.serial in gone.sentence
    await follower.close()


async def test_a_phone_over_wifi_is_found_again_at_its_new_port(
    two: Two, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.phone.monitor._ADB_RETRY_SECONDS", 0.05)
    address = two.first.serial
    listing = f"adb-R5CT1-xYz\t_adb-tls-connect._tcp\t{address}\n"
    async with announcing(two.port, lambda: listing) as two.port:
        await two.adb.disconnect(two.first.serial)
        follower = two.follower(tmp_path, serial=address)
        follower.start()
        await two.until(lambda event: event.serial == address and not follower.problem)
        # It restarts: another port, and no longer the address that the user knows.
        listing = (
            f"adb-R5CT1-xYz\t_adb-tls-connect._tcp\t{two.second.serial}\n"
            "adb-Other-aBc\t_adb-tls-connect._tcp\t127.0.0.1:9\n"
        )
        await two.first.stop()
        assert follower.phone is not None
        link = follower.phone.link
        await two.until(lambda event: link.address == two.second.serial and event.state is PhoneState.READY)
        # It is the same phone: it keeps its name, so that what works with it goes on.
        assert (two.told[-1].serial, follower.phone.serial, follower.problem) == (address, address, "")
        assert [device.serial for device in follower._listed] == [address]
        await follower.close()


async def test_another_phone_at_the_same_host_is_not_taken_for_it(two: Two, tmp_path: Path) -> None:
    address = two.first.serial
    listing = f"adb-R5CT1-xYz\t_adb-tls-connect._tcp\t{address}\n"
    async with announcing(two.port, lambda: listing) as two.port:
        await two.adb.disconnect(two.second.serial)
        follower = two.follower(tmp_path, serial=address)
        follower.start()
        await two.until(lambda event: event.serial == address and not follower.problem)
        await follower._connect()
        listing = f"adb-Other-aBc\t_adb-tls-connect._tcp\t{two.second.serial}\n"
        await two.first.stop()
        await two.until(lambda event: event.state is not PhoneState.READY)
        await follower._connect()
        assert follower.phone is not None
        assert follower.phone.serial == address
        assert all(device.serial != two.second.serial for device in await two.adb.devices())
        await follower.close()


NAMES = (("emulator-5554", "Pixel 8"), ("R5CT10", "Pixel 9 Pro"), ("192.168.1.20:37123", "小米 15"))


@each(
    ("line", "serials", "rest"),
    [
        ("@emulator-5554 order lunch", ["emulator-5554"], "order lunch"),
        ("@pixel 8: order lunch", ["emulator-5554"], "order lunch"),
        ("@Pixel order lunch", ["R5CT10", "emulator-5554"], "order lunch"),
        ("@Pro text Mom: 9 Pro", ["R5CT10"], "text Mom: 9 Pro"),
        ("@小米 给妈妈发消息", ["192.168.1.20:37123"], "给妈妈发消息"),
        ("@192.168.1.20:37123", ["192.168.1.20:37123"], ""),
        ("@Pixel 8a order lunch", ["R5CT10", "emulator-5554"], "8a order lunch"),
        ("@emulator-55 order lunch", [], "@emulator-55 order lunch"),
        ("order lunch @Pro", [], "order lunch @Pro"),
        ("@Mom call", [], "@Mom call"),
    ],
)
def test_a_phone_goes_by_its_serial_its_model_or_a_word_of_it(
    line: str, serials: list[str], rest: str
) -> None:
    assert phones_named(line, NAMES) == (serials, rest)


async def test_displays_that_a_killed_program_left_end_at_the_first_look_and_later_ones_stay(
    two: Two, tmp_path: Path
) -> None:
    left = "540x1184/210"
    JsonFile(tmp_path / "displays.json").change(lambda _: {two.first.serial: left})
    two.first.services.set_setting("overlay_display_devices", left, "global")
    follower = two.follower(tmp_path, two.first.serial)
    follower.start()
    await two.until(lambda event: event.serial == two.first.serial)
    assert two.first.services.displays.shown == {}
    JsonFile(tmp_path / "displays.json").change(lambda _: {two.first.serial: left})
    two.first.services.set_setting("overlay_display_devices", left, "global")
    two.told.clear()
    await two.adb.disconnect(two.second.serial)
    await two.until(lambda event: event.serial == two.first.serial)
    await follower.close()
    assert len(two.first.services.displays.shown) == 1

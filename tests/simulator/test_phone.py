"""The whole phone through real adb and through adb-shell."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import AsyncIterator
from typing import Any
from xml.etree import ElementTree

import adbutils
import pytest
import pytest_asyncio
from adb_shell.adb_device import AdbDeviceTcp
from PIL import Image

from assistant.simulator import orders
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.adbd.auth import AuthMode
from assistant.simulator.control import ControlClient
from assistant.simulator.phone import PhoneOptions, SimulatedPhone, serve_phone
from tests.simulator.adbd.toy import Adb, eventually


@pytest.fixture
def adb(adb_server: PrivateAdbServer) -> Adb:
    return Adb(adb_server.adb, adb_server.environment)


@pytest_asyncio.fixture
async def phone(adb: Adb) -> AsyncIterator[SimulatedPhone]:
    async with SimulatedPhone() as phone:
        await adb("connect", phone.serial)
        await adb.wait_state(phone.serial, "device")
        yield phone
        await adb("disconnect", phone.serial)


def middle(node: ElementTree.Element) -> tuple[int, int]:
    left, top, right, bottom = map(int, re.findall(r"\d+", node.attrib["bounds"]))
    return (left + right) // 2, (top + bottom) // 2


async def tree(adb: Adb, phone: SimulatedPhone) -> ElementTree.Element:
    shell = ("-s", phone.serial, "shell")
    done = await adb(*shell, "uiautomator", "dump", "/sdcard/window.xml")
    assert done.out == b"UI hierchary dumped to: /sdcard/window.xml\n"
    return ElementTree.fromstring((await adb("-s", phone.serial, "exec-out", "cat /sdcard/window.xml")).out)


async def test_adb_sees_taps_and_photographs_it(adb: Adb, phone: SimulatedPhone) -> None:
    shell = ("-s", phone.serial, "shell")
    assert (await adb(*shell, "wm", "size")).out == b"Physical size: 1080x2400\n"
    before = (await adb("-s", phone.serial, "exec-out", "screencap", "-p")).out
    assert Image.open(io.BytesIO(before)).size == (1080, 2400)
    [icon, *_] = [node for node in (await tree(adb, phone)).iter("node") if node.attrib["text"] == "Chat"]
    x, y = middle(icon)
    assert (await adb(*shell, "input", "tap", str(x), str(y))).code == 0
    assert b"com.example.chat" in (await adb(*shell, "dumpsys", "window", "displays")).out
    assert phone.windows.resumed().package == "com.example.chat"
    after = (await adb("-s", phone.serial, "exec-out", "screencap", "-p")).out
    assert after != before


async def test_adbutils_sees_the_same(adb_server: PrivateAdbServer, phone: SimulatedPhone) -> None:
    def look() -> tuple[Any, Any, str]:
        device = adbutils.AdbClient(port=adb_server.port).device(serial=phone.serial)
        return device.window_size(), device.screenshot(error_ok=False).size, device.dump_hierarchy()

    size, picture, xml = await asyncio.to_thread(look)
    assert tuple(size) == picture == (1080, 2400)
    assert "com.android.launcher3" in xml


async def test_adb_shell_sees_the_same(phone: SimulatedPhone) -> None:
    device = AdbDeviceTcp("127.0.0.1", phone.daemon.port, default_transport_timeout_s=10)
    try:
        await asyncio.to_thread(device.connect)
        assert await asyncio.to_thread(device.shell, "wm size") == "Physical size: 1080x2400\n"
        picture = await asyncio.to_thread(device.exec_out, "screencap -p", decode=False)
        assert Image.open(io.BytesIO(picture)).size == (1080, 2400)
    finally:
        device.close()


async def test_the_users_touch_reaches_a_getevent_stream(adb: Adb, phone: SimulatedPhone) -> None:
    process = await adb.start("-s", phone.serial, "shell", "getevent", "-lt")
    assert process.stdout is not None
    await eventually(lambda: bool(phone.services.touches.readers))
    async with ControlClient(phone.control.url, phone.control.token) as client:
        await client.perform(orders.Tap(x=540, y=1200))
    async with asyncio.timeout(5):
        while b"ABS_MT_TRACKING_ID" not in (line := await process.stdout.readline()):
            assert line
    assert re.match(rb"\[ +\d+\.\d{6}\] /dev/input/event\d: EV_ABS +ABS_MT_TRACKING_ID +[0-9a-f]{8}", line)
    process.terminate()
    await process.communicate()
    await eventually(lambda: not phone.services.touches.readers)


async def test_a_hostile_line_stays_in_the_phone(adb: Adb, phone: SimulatedPhone, tmp_path: Any) -> None:
    target = tmp_path / "made"
    for line in (f"touch {target}", f"echo x > {target}", f"$(touch {target})", f"sh -c 'touch {target}'"):
        await adb("-s", phone.serial, "shell", line)
    assert not target.exists()


async def test_the_address_book_is_a_provider(adb: Adb, phone: SimulatedPhone) -> None:
    people = "content query --uri content://com.android.contacts/data/phones --projection display_name"
    said = (await adb("-s", phone.serial, "shell", people)).out.decode()
    book = next(app for app in phone.windows.apps() if app.package == "com.example.contacts")
    names = [entry["text"] for entry in book.state["contacts"]]
    assert said == "".join(f"Row: {row} display_name={name}\n" for row, name in enumerate(names))


async def test_a_shell_session_keeps_its_folder(adb: Adb, phone: SimulatedPhone) -> None:
    done = await adb("-s", phone.serial, "shell", stdin=b"cd /sdcard\npwd\nexit 3\necho never\n")
    assert (done.code, done.out) == (3, b"/sdcard\n")


async def test_clearing_an_app_empties_its_data(adb: Adb, phone: SimulatedPhone) -> None:
    fresh = phone.state()["apps"]["com.example.notes"]
    phone.windows.desk.app("com.example.notes").state["notes"].clear()
    shell = ("-s", phone.serial, "shell")
    assert (await adb(*shell, "pm", "clear", "com.example.notes")).out == b"Success\n"
    assert phone.state()["apps"]["com.example.notes"] == fresh


async def test_the_language_of_the_settings_is_the_phones(adb: Adb, phone: SimulatedPhone) -> None:
    shell = ("-s", phone.serial, "shell")
    assert (await adb(*shell, "settings", "put", "system", "system_locales", "zh-CN")).code == 0
    assert (await adb(*shell, "getprop", "persist.sys.locale")).out == b"zh-CN\n"
    assert "微聊" in {node.attrib["text"] for node in (await tree(adb, phone)).iter("node")}


async def test_traffic_shows_what_was_asked(adb: Adb, phone: SimulatedPhone) -> None:
    async with ControlClient(phone.control.url, phone.control.token) as client:
        before = (await client.traffic()).now
        await adb("-s", phone.serial, "shell", "input", "keyevent", "3")
        report = await client.traffic(before)
        assert ["input keyevent 3" in one.service for one in report.opened] == [True]
        assert (await client.traffic(report.now)).opened == []


@pytest.mark.parametrize("release", [9, 12, 16])
async def test_each_profile_and_locale_starts(adb: Adb, release: Any) -> None:
    options = PhoneOptions(android=release, locale="zh", size=(720, 1600), density=280)
    async with SimulatedPhone(options) as phone:
        await adb("connect", phone.serial)
        shell = ("-s", phone.serial, "shell")
        assert (await adb(*shell, "getprop", "ro.build.version.release")).out == f"{release}\n".encode()
        assert (await adb(*shell, "wm", "size")).out == b"Physical size: 720x1600\n"
        assert any(node.attrib["text"] == "微聊" for node in (await tree(adb, phone)).iter("node"))
        await adb("disconnect", phone.serial)


async def test_same_seed_same_phone() -> None:
    one, other = SimulatedPhone(PhoneOptions(seed=3)), SimulatedPhone(PhoneOptions(seed=3))
    assert one.state()["apps"] == other.state()["apps"]


def test_unknown_options_are_told_in_words() -> None:
    eleven: Any = 11
    with pytest.raises(ValueError, match="The simulator knows 9, 12, 16, not 11"):
        PhoneOptions(android=eleven)


async def test_serving_says_where_and_ends_when_cancelled() -> None:
    said: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    serving = asyncio.create_task(serve_phone(PhoneOptions(auth=AuthMode.ASK), said.put_nowait))
    ready = await said.get()
    async with ControlClient(ready["control"], ready["token"]) as client:
        assert "com.example.chat" in (await client.state())["apps"]
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", ready["port"])

"""The unmodified uiautomator2 client on the simulated phone, through the real adb server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from importlib.resources import files
from typing import TypeVar

import pytest
import pytest_asyncio
import uiautomator2
from adbutils import AdbClient, adb_path

from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.android.profiles import ResidentFault
from assistant.simulator.android.software import U2_KEYBOARD, USER_KEYBOARD
from assistant.simulator.apps.base import Difficulties
from assistant.simulator.phone import PhoneOptions, SimulatedPhone

Result = TypeVar("Result")


class Driver:
    """The client, whose calls block, beside the phone on the event loop."""

    def __init__(self, phone: SimulatedPhone, port: int) -> None:
        self.phone = phone
        self.port = port

    async def run(self, work: Callable[[uiautomator2.Device], Result]) -> Result:
        device = AdbClient("127.0.0.1", self.port).device(self.phone.serial)

        def call() -> Result:
            client = uiautomator2.connect(device)
            try:
                return work(client)
            finally:
                client.stop_uiautomator()

        return await asyncio.to_thread(call)


@pytest_asyncio.fixture
async def driver(adb_server: PrivateAdbServer) -> AsyncIterator[Driver]:
    options = PhoneOptions(difficulties=Difficulties.none(), size=(540, 1200), density=210)
    async with SimulatedPhone(options) as phone:
        client = AdbClient("127.0.0.1", adb_server.port)
        await asyncio.to_thread(client.connect, phone.serial)
        yield Driver(phone, adb_server.port)
        await asyncio.to_thread(client.disconnect, phone.serial)


async def test_looking(driver: Driver) -> None:
    def look(client: uiautomator2.Device) -> tuple[dict[str, object], str, str, tuple[int, int], bool, str]:
        return (
            client.info,
            client.dump_hierarchy(root_in_active=True),
            client.dump_hierarchy(),
            client.screenshot().size,
            bool(client(text="Chat").exists),
            client.xpath("//*[@text='Chat']").get_text(),
        )

    info, active, every, size, exists, text = await driver.run(look)
    assert info["currentPackageName"] == "com.android.launcher3"
    assert 'text="Chat"' in active
    assert 'display-id="0"' in active
    assert "com.android.systemui" in every
    assert (size, exists, text) == ((540, 1200), True, "Chat")
    assert not driver.phone.services.sockets, "the server ends with its stream"


async def test_acting(driver: Driver) -> None:
    def act(client: uiautomator2.Device) -> tuple[str, str, str]:
        client(text="Chat").click()
        opened = client.info["currentPackageName"]
        client.press("home")
        client.swipe(270, 1000, 270, 400)
        client(className="android.widget.EditText").set_text("天气")
        typed = client(className="android.widget.EditText").get_text()
        client.set_clipboard("clip")
        return opened, typed, client.clipboard

    assert await driver.run(act) == ("com.example.chat", "天气", "clip")


async def test_apps_and_keys(driver: Driver) -> None:
    def use(client: uiautomator2.Device) -> dict[str, object]:
        client.app_start("com.example.chat", wait=True)
        seen: dict[str, object] = {"opened": client.app_current()["package"]}
        seen["running"] = "com.example.chat" in client.app_list_running()
        seen["version"] = client.app_info("com.example.chat")["versionName"]
        client.app_stop("com.example.chat")
        client.press("home")
        client.swipe(270, 1000, 270, 400)
        client(className="android.widget.EditText").click()
        client.send_keys("天气", clear=True)
        seen["typed"] = client(className="android.widget.EditText").get_text()
        seen["address"] = client.wlan_ip
        seen["listed"] = "com.example.chat" in client.app_list()
        return seen

    assert await driver.run(use) == {
        "opened": "com.example.chat",
        "running": True,
        "version": "1.0",
        "typed": "天气",
        "address": "192.168.1.23",
        "listed": True,
    }


async def test_its_own_keyboard_is_installed_and_types(driver: Driver) -> None:
    def use(client: uiautomator2.Device) -> tuple[str, str, bool, str]:
        client.press("home")
        client.swipe(270, 1000, 270, 400)
        client(className="android.widget.EditText").click()
        client.set_input_ime(True)
        keyboard = client.current_ime()
        client.send_keys("天气")
        typed = client(className="android.widget.EditText").get_text()
        client.app_uninstall("com.github.uiautomator")
        listed = "com.github.uiautomator" in client.app_list()
        return keyboard, typed, listed, client.current_ime()

    assert await driver.run(use) == (U2_KEYBOARD, "天气", False, USER_KEYBOARD)


async def test_an_app_is_installed_by_adb_itself(driver: Driver) -> None:
    apk = files("uiautomator2").joinpath("assets", "app-uiautomator.apk")
    program = await asyncio.create_subprocess_exec(
        *(adb_path(), "-P", str(driver.port), "-s", driver.phone.serial, "install", "-r", str(apk)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    printed, _none = await program.communicate()
    assert printed.decode().split() == ["Performing", "Streamed", "Install", "Success"]
    assert U2_KEYBOARD in driver.phone.services.input_methods.installed


async def test_one_connection_at_a_time(driver: Driver) -> None:
    driver.phone.services.quirks.resident = ResidentFault.TAKEN
    with pytest.raises(uiautomator2.exceptions.AccessibilityServiceAlreadyRegisteredError):
        await driver.run(lambda client: client.info)

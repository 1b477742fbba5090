"""Sockets of the phone and its frame buffer, as the unmodified adbutils and adb reach them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

import adbutils
import pytest
import pytest_asyncio

from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.adbd.backend import ByteReader
from assistant.simulator.apps.base import Difficulties
from assistant.simulator.phone import PhoneOptions, SimulatedPhone
from tests.simulator.adbd.toy import eventually

T = TypeVar("T")


@dataclass
class Reached:
    """A phone, and the port of the adb server that reaches it."""

    phone: SimulatedPhone
    port: int

    async def do(self, work: Callable[[adbutils.AdbDevice], T]) -> T:
        client = adbutils.AdbClient("127.0.0.1", self.port)
        return await asyncio.to_thread(lambda: work(client.device(self.phone.serial)))


@pytest_asyncio.fixture
async def reached(adb_server: PrivateAdbServer) -> AsyncIterator[Reached]:
    options = PhoneOptions(difficulties=Difficulties.none(), size=(540, 1200), density=210)
    async with SimulatedPhone(options) as phone:
        client = adbutils.AdbClient("127.0.0.1", adb_server.port)
        await asyncio.to_thread(client.connect, phone.serial)
        yield Reached(phone, adb_server.port)
        await asyncio.to_thread(client.disconnect, phone.serial)


@pytest_asyncio.fixture
async def host_port() -> AsyncIterator[int]:
    """A program on the host that answers one line in capitals and goes."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write((await reader.readline()).upper())
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1]
    server.close()


async def test_the_frame_buffer_shows_the_screen(reached: Reached) -> None:
    frame = await reached.do(lambda device: device.framebuffer())
    assert frame.convert("RGB").tobytes() == reached.phone.windows.render().convert("RGB").tobytes()


async def test_a_program_on_the_phone_reaches_the_host(reached: Reached, host_port: int) -> None:
    def work(device: adbutils.AdbDevice) -> tuple[str, list[tuple[str, str]], str]:
        before = device.shell("echo hello | nc localhost 7777")
        device.reverse("tcp:7777", f"tcp:{host_port}")
        listed = [(item.remote, item.local) for item in device.reverse_list()]
        return before, listed, device.shell("echo hello | nc localhost 7777")

    before, listed, answered = await reached.do(work)
    assert "Connection refused" in before
    assert listed == [("tcp:7777", f"tcp:{host_port}")]
    assert answered.strip() == "HELLO"


async def test_sockets_are_given_up_one_by_one_and_with_the_connection(
    reached: Reached, host_port: int
) -> None:
    def work(device: adbutils.AdbDevice) -> tuple[int, int]:
        for port in (7777, 7778, 7779):
            device.reverse(f"tcp:{port}", f"tcp:{host_port}")
        device.reverse_remove("tcp:7777")
        one_less = len(device.reverse_list())
        device.reverse_remove_all()
        none = len(device.reverse_list())
        device.reverse("tcp:7780", f"tcp:{host_port}")
        return one_less, none

    assert await reached.do(work) == (2, 0)
    assert "tcp:7780" in reached.phone.services.sockets
    reached.phone.daemon.revoke()
    await eventually(lambda: not reached.phone.services.sockets)


@pytest.mark.parametrize(
    ("request_of", "message"),
    [
        (lambda device: device.reverse_remove("tcp:1"), "not found"),
        (lambda device: device.reverse("tcp:9", "tcp:9"), "already in use"),
        (
            lambda device: (
                device.reverse("tcp:8", "tcp:8"),
                device.reverse("tcp:8", "tcp:8", norebind=True),
            ),
            "cannot rebind",
        ),
    ],
)
async def test_what_cannot_be_done_is_told(
    reached: Reached, request_of: Callable[[adbutils.AdbDevice], object], message: str
) -> None:
    reached.phone.services.sockets["tcp:9"] = _answer
    with pytest.raises(adbutils.AdbError, match=message):
        await reached.do(request_of)


async def test_a_host_port_at_which_nobody_is_ends_the_connection(reached: Reached) -> None:
    def work(device: adbutils.AdbDevice) -> str:
        device.reverse("tcp:7777", "tcp:1")
        return str(device.shell("echo hello | nc localhost 7777"))

    assert await reached.do(work) == ""


async def test_an_abstract_socket_is_reached(reached: Reached) -> None:
    reached.phone.services.sockets["localabstract:scrcpy"] = _answer

    def work(device: adbutils.AdbDevice) -> bytes:
        with device.create_connection(adbutils.Network.LOCAL_ABSTRACT, "scrcpy") as connection:
            connection.sendall(b"hello\n")
            return bytes(connection.recv(100))

    assert await reached.do(work) == b"HELLO\n"


async def test_an_abstract_socket_at_which_nobody_is_is_refused(reached: Reached) -> None:
    with pytest.raises(adbutils.AdbError, match="closed"):
        await reached.do(lambda device: device.create_connection(adbutils.Network.LOCAL_ABSTRACT, "nobody"))


async def _answer(reader: ByteReader, write: Callable[[bytes], Awaitable[None]]) -> None:
    await write((await reader.readline()).upper())

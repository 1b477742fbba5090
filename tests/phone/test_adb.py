"""The shell wrapper through the real adb server: outputs, losses, deadlines, cancelling."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistant.events import PhoneState
from assistant.phone.adb import AdbServer, AnnouncedService, BusyClock, Connection, Shell, parse_services
from assistant.phone.errors import ActionRefused, PhoneError
from assistant.simulator.adb_server import free_port
from assistant.simulator.adbd.auth import AuthMode
from assistant.simulator.adbd.backend import Fd, Write
from tests.phone.conftest import Scripted
from tests.phone.scripted import Answer, until


async def failure(shell: Shell, command: str = "echo") -> PhoneError:
    with pytest.raises(PhoneError) as caught:
        await shell.run(command)
    return caught.value


async def test_both_outputs_and_the_exit_code(scripted: Scripted) -> None:
    scripted.script.on("both", Answer("out", "err", 3))
    output = await scripted.shell().run("both")
    assert (output.code, output.stdout, output.stderr) == (3, b"out", b"err")
    assert output.everything == "outerr"


async def test_much_output(scripted: Scripted) -> None:
    much = bytes(range(256)) * 16384
    scripted.script.on("much", much)
    assert (await scripted.shell().run("much")).stdout == much


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(command=st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=60))
async def test_the_phone_gets_the_command_as_it_is(scripted: Scripted, command: str) -> None:
    scripted.script.lines.clear()
    await scripted.shell().run(command)
    assert scripted.script.lines == [command]


async def test_a_phone_lost_in_the_middle_of_an_answer(scripted: Scripted) -> None:
    async def lose(line: str, write: Write) -> int:
        await write(Fd.STDOUT, b"half")
        scripted.daemon.faults.drop()
        await asyncio.Event().wait()
        return 0

    scripted.script.on("lose", lose)
    error = await failure(scripted.shell(), "lose")
    assert error.state in (PhoneState.OFFLINE, PhoneState.ABSENT)
    await scripted.listed("offline")
    assert (await failure(scripted.shell())).state is PhoneState.OFFLINE


async def test_a_cut_stream_is_no_answer(scripted: Scripted) -> None:
    scripted.script.on("cut", b"x" * 100_000)
    scripted.daemon.faults.cut(5000)
    assert (await failure(scripted.shell(), "cut")).state is PhoneState.OFFLINE
    assert (await scripted.shell().run("cut")).stdout == b"x" * 100_000


async def test_a_frozen_phone_costs_no_more_than_the_deadline(scripted: Scripted) -> None:
    scripted.daemon.faults.freeze()
    loop = asyncio.get_running_loop()
    begun = loop.time()
    assert (await failure(scripted.shell(0.3))).state is PhoneState.FROZEN
    assert loop.time() - begun < 2
    scripted.daemon.faults.restore()


async def test_a_command_that_never_ends_is_total_time(scripted: Scripted) -> None:
    async def drip(line: str, write: Write) -> int:
        while True:
            await write(Fd.STDOUT, b".")
            await asyncio.sleep(0.05)

    scripted.script.on("drip", drip)
    assert (await failure(scripted.shell(0.4), "drip")).state is PhoneState.FROZEN


async def test_a_phone_that_is_not_there(adb: AdbServer) -> None:
    error = await failure(Shell(adb, "127.0.0.1:1", 2.0))
    assert error.state is PhoneState.ABSENT
    assert "127.0.0.1:1" in error.sentence


async def test_a_phone_that_does_not_trust_us(scripted: Scripted) -> None:
    scripted.daemon.authenticator.mode = AuthMode.REFUSED
    scripted.daemon.revoke()
    await scripted.listed("unauthorized")
    error = await failure(scripted.shell())
    assert error.state is PhoneState.UNAUTHORIZED
    assert "Confirm the dialog" in error.sentence


async def test_a_service_that_never_accepts_costs_its_deadline_and_no_connection() -> None:
    closed = asyncio.Event()

    async def accept_the_phone_only(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(int(await reader.readexactly(4), 16))
        writer.write(b"OKAY")
        await reader.read()
        closed.set()
        writer.close()

    async def receive(connection: Connection) -> None:
        raise AssertionError("nothing was accepted")

    server = await asyncio.start_server(accept_the_phone_only, "127.0.0.1", 0)
    shell = Shell(AdbServer("127.0.0.1", server.sockets[0].getsockname()[1]), "phone", 1.0)
    with pytest.raises(TimeoutError) as caught:
        await shell.exchange("localabstract:none", b"", receive, 0.2)
    async with asyncio.timeout(5):
        await closed.wait()
    assert caught.tb is not None  # Its frames keep the connection, which would else be closed with them.
    server.close()
    await server.wait_closed()


async def test_a_port_where_something_else_listens() -> None:
    async def http(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(4)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(http, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with pytest.raises(PhoneError) as caught:
        await AdbServer("127.0.0.1", port).devices()
    assert caught.value.state is PhoneState.NO_ADB
    server.close()
    await server.wait_closed()


async def test_adb_that_is_slow_is_not_called_another_program(monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[asyncio.StreamWriter] = []

    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        held.append(writer)

    monkeypatch.setattr("assistant.phone.adb._ANSWER_LIMIT", 0.05)
    server = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with pytest.raises(PhoneError) as caught:
        await AdbServer("127.0.0.1", port).devices()
    assert caught.value.state is PhoneState.NO_ADB
    assert "adb kill-server" in caught.value.sentence
    server.close()
    for writer in held:
        writer.close()
    await server.wait_closed()


async def test_without_adb_the_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADBUTILS_ADB_PATH", "/nowhere/adb")
    with pytest.raises(PhoneError) as caught:
        await AdbServer("127.0.0.1", free_port()).devices()
    assert caught.value.state is PhoneState.NO_ADB
    assert "platform-tools" in caught.value.sentence


async def test_a_cancelled_look_closes_its_connection(scripted: Scripted) -> None:
    ended = asyncio.Event()

    async def look(line: str, write: Write) -> int:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return 0

    scripted.script.on("look", look)
    task = asyncio.create_task(scripted.shell().run("look"))
    await until(lambda: "look" in scripted.script.lines)
    task.cancel()
    await asyncio.wait_for(ended.wait(), 5)
    assert task.cancelled() or task.done()


async def test_a_cancelled_deed_is_completed(scripted: Scripted) -> None:
    shell = scripted.shell()
    scripted.script.wait_on("input")
    task = asyncio.create_task(shell.perform("input tap 1 2"))
    await until(lambda: bool(scripted.script.lines))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not scripted.script.done
    scripted.script.gate.set()
    await shell.settled_down()
    assert scripted.script.done == ["input tap 1 2"]


async def test_a_held_shell_sends_nothing(scripted: Scripted) -> None:
    shell = scripted.shell()
    shell.stopped = True
    for command in (shell.run("a"), shell.perform("b")):
        with pytest.raises(ActionRefused):
            await command
    assert scripted.script.lines == []


async def test_lines_of_a_stream(scripted: Scripted) -> None:
    ended = asyncio.Event()

    async def events(line: str, write: Write) -> int:
        try:
            for piece in ("one\ntw", "o \xe9\n".encode()[:5], "o \xe9\n".encode()[5:], "three"):
                await write(Fd.STDOUT, piece.encode() if isinstance(piece, str) else piece)
            await asyncio.Event().wait()
        finally:
            ended.set()
        return 0

    scripted.script.on("getevent", events)
    lines = scripted.shell().stream("getevent -lt")
    assert [await anext(lines), await anext(lines)] == ["one", "two \xe9"]
    await lines.aclose()
    await asyncio.wait_for(ended.wait(), 5)


async def test_a_stream_ends_with_the_phone(scripted: Scripted) -> None:
    scripted.script.on("once", "a\nb")
    assert [line async for line in scripted.shell().stream("once")] == ["a", "b"]
    scripted.script.wait_on("getevent")
    lines = scripted.shell().stream("getevent")
    following = asyncio.ensure_future(anext(lines))
    await until(lambda: "getevent" in scripted.script.lines)
    scripted.daemon.faults.drop()
    with pytest.raises(PhoneError):
        await following


async def test_the_list_of_devices_is_watched(scripted: Scripted) -> None:
    def state(devices: object) -> str:
        assert isinstance(devices, tuple)
        return next((one.state for one in devices if one.serial == scripted.serial), "")

    changes = scripted.adb.watch()
    assert state(await anext(changes)) == "device"
    await scripted.adb.disconnect(scripted.serial)
    while state(await anext(changes)):
        pass
    await scripted.adb.connect(scripted.serial)
    while state(await anext(changes)) != "device":
        pass
    await changes.aclose()


async def test_the_server_is_started_where_none_runs(monkeypatch: pytest.MonkeyPatch, adb: AdbServer) -> None:
    del adb
    server = AdbServer("127.0.0.1", free_port())
    try:
        assert await server.devices() == ()
    finally:
        connection = await server.connection()
        connection.send("host:kill")
        await connection.wait_accepted()
        connection.close()


def test_overlapping_times_count_once() -> None:
    now = 0.0
    clock = BusyClock(lambda: now)
    with clock:
        now = 2.0
        with clock:
            now = 3.0
            assert clock.seconds == 3.0
        now = 4.0
    now = 9.0
    with clock:
        now = 10.0
    assert clock.seconds == 5.0


LISTING = (
    "studio-Abc\t_adb-tls-pairing._tcp\t192.168.1.20:37123\n"
    "adb-R5CT1-xYz\t_adb-tls-connect._tcp.\t192.168.1.20:41234\n"
)


def test_services_are_read() -> None:
    assert parse_services("List of discovered mdns services\n" + LISTING) == (
        AnnouncedService("studio-Abc", "_adb-tls-pairing._tcp", "192.168.1.20:37123"),
        AnnouncedService("adb-R5CT1-xYz", "_adb-tls-connect._tcp", "192.168.1.20:41234"),
    )


@given(st.text())
def test_no_listing_raises(text: str) -> None:
    parse_services(text)

"""What no well-behaved client does, or does not do reliably: flow control, noise, hosts that vanish."""

from __future__ import annotations

import struct
from collections.abc import AsyncIterator
from random import Random

import pytest
import pytest_asyncio

from assistant.simulator.adbd.packets import Command, Packet
from tests.simulator.adbd.toy import MEGABYTE, RawHost, Toy, eventually


@pytest_asyncio.fixture
async def host(toy: Toy) -> AsyncIterator[RawHost]:
    host = await RawHost.connect(toy.daemon.port)
    yield host
    host.close()


async def test_the_greeting_names_phone_and_features(host: RawHost) -> None:
    greeting = await host.greet()
    assert greeting.command is Command.CNXN
    assert greeting.data.startswith(b"device::ro.product.name=sim_phone;ro.product.model=Sim Phone;")
    assert b"shell_v2" in greeting.data


async def test_an_unknown_service_is_closed(host: RawHost) -> None:
    await host.greet()
    await host.send(Command.OPEN, 7, 0, b"framebuffer:\0", sums=False)
    assert await host.next() == Packet(Command.CLSE, 0, 7)


async def test_one_write_is_under_way_at_a_time(host: RawHost) -> None:
    await host.greet()
    await host.send(Command.OPEN, 7, 0, b"shell:big 2\0", sums=False)
    opened = await host.next()
    assert (opened.command, opened.arg1) == (Command.OKAY, 7)
    for _ in range(2):
        assert (await host.next()).data == MEGABYTE
        assert await host.quiet()
        await host.send(Command.OKAY, 7, opened.arg0)
    assert (await host.next()).command is Command.CLSE


async def test_delayed_acknowledgement_counts_bytes(host: RawHost) -> None:
    await host.greet(features="shell_v2,delayed_ack")
    window = len(MEGABYTE) + 1
    await host.send(Command.OPEN, 7, window, b"shell:big 4\0", sums=False)
    opened = await host.next()
    assert len(opened.data) == 4
    assert [(await host.next()).command for _ in range(2)] == [Command.WRTE] * 2
    assert await host.quiet()
    await host.send(Command.OKAY, 7, opened.arg0, struct.pack("<i", 2 * len(MEGABYTE)), sums=False)
    assert [(await host.next()).command for _ in range(2)] == [Command.WRTE] * 2


async def test_input_that_nobody_reads_is_acknowledged_only_while_there_is_room(
    toy: Toy, host: RawHost
) -> None:
    await host.greet()
    await host.send(Command.OPEN, 7, 0, b"shell:getevent\0", sums=False)
    opened = await host.next()
    assert (await host.next()).data == b"tick\n"
    acknowledged = 0
    for _ in range(6):
        await host.send(Command.WRTE, 7, opened.arg0, MEGABYTE, sums=False)
        try:
            acknowledged += (await host.next(0.2)).command is Command.OKAY
        except TimeoutError:
            break
    assert 1 <= acknowledged < 5


@pytest.mark.parametrize("ending", ["close", "vanish"])
async def test_a_command_ends_with_its_host(toy: Toy, host: RawHost, ending: str) -> None:
    await host.greet()
    await host.send(Command.OPEN, 7, 0, b"shell:getevent -lt\0", sums=False)
    opened = await host.next()
    await host.next()
    assert toy.shell.running == 1
    if ending == "close":
        await host.send(Command.CLSE, 7, opened.arg0)
        assert (await host.next()).command is Command.CLSE
    else:
        host.close()
    await eventually(lambda: not toy.shell.running)


async def test_old_hosts_get_and_need_checksums(host: RawHost) -> None:
    assert (await host.greet(version=0x01000000)).intact
    await host.send(Command.OPEN, 7, 0, b"shell:echo x\0")
    await host.next()
    written = await host.next()
    assert written.data == b"x\n"
    assert written.intact
    await host.send(Command.OPEN, 8, 0, b"shell:echo x\0", sums=False)
    assert await host.gone()


async def test_nothing_opens_before_the_greeting(toy: Toy, host: RawHost) -> None:
    await host.send(Command.OPEN, 7, 0, b"shell:echo x\0")
    assert await host.quiet()
    assert (await host.greet()).command is Command.CNXN


async def test_noise_ends_the_connection_and_nothing_else(toy: Toy, host: RawHost) -> None:
    host.writer.write(b"GET / HTTP/1.1\r\nHost: phone\r\n\r\n")
    assert await host.gone()
    other = await RawHost.connect(toy.daemon.port)
    assert (await other.greet()).command is Command.CNXN
    other.close()


async def test_packets_for_unknown_streams_are_ignored(host: RawHost) -> None:
    await host.greet()
    for command in (Command.OKAY, Command.WRTE, Command.CLSE):
        await host.send(command, 3, 99, b"", sums=False)
    assert await host.quiet()


async def test_a_broken_sync_request_ends_only_its_stream(host: RawHost) -> None:
    await host.greet()
    await host.send(Command.OPEN, 7, 0, b"sync:\0", sums=False)
    opened = await host.next()
    await host.send(Command.WRTE, 7, opened.arg0, b"NOPE\x01\x00\x00\x00x", sums=False)
    assert (await host.next()).command is Command.OKAY
    failed = await host.next()
    assert failed.data.startswith(b"FAIL")
    await host.send(Command.OKAY, 7, opened.arg0)
    assert (await host.next()).command is Command.CLSE


async def test_traffic_is_logged(toy: Toy, host: RawHost) -> None:
    await host.greet()
    before = toy.daemon.traffic.last_byte
    await host.send(Command.OPEN, 7, 0, b"shell:echo x\0", sums=False)
    opened = await host.next()
    await host.next()
    [logged] = toy.daemon.traffic.since(before)
    assert logged.service == "shell:echo x"
    assert logged.time == toy.daemon.traffic.last_request
    await host.send(Command.OKAY, 7, opened.arg0)
    await host.next()
    assert toy.daemon.traffic.last_request == logged.time < toy.daemon.traffic.last_byte


SERVICES = (b"sync:\0", b"shell,v2,raw:cat\0", b"shell,v2,pty:\0", b"shell:\0", b"exec:cat\0", b"\xff\xfe:\0")


@pytest.mark.parametrize("seed", range(5))
async def test_noise_in_streams_never_harms_the_daemon(
    toy: Toy, caplog: pytest.LogCaptureFixture, seed: int
) -> None:
    random = Random(seed)
    for _ in range(20):
        host = await RawHost.connect(toy.daemon.port)
        await host.greet(features=random.choice(["shell_v2", "shell_v2,delayed_ack"]))
        for number in range(1, 6):
            await host.send(Command.OPEN, number, 1 << 20, random.choice(SERVICES), sums=False)
            kind = random.choice([b"STAT", b"SEND", b"RECV", b"LIS2", b"DATA", b"\0", b"\3", b"\4", b""])
            noise = kind + random.randbytes(random.randrange(40))
            await host.send(Command.WRTE, number, random.randrange(1, 6), noise, sums=False)
            await host.send(Command.OKAY, number, random.randrange(7), random.randbytes(4), sums=False)
        host.close()
    await eventually(lambda: not toy.shell.running)
    last = await RawHost.connect(toy.daemon.port)
    assert (await last.greet()).command is Command.CNXN
    last.close()
    assert not [record for record in caplog.records if record.levelname == "ERROR"]

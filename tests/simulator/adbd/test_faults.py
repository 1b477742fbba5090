"""Each fault as real adb sees it, and that the phone comes back."""

from __future__ import annotations

import asyncio

import pytest

from assistant.simulator.adbd.packets import Command
from tests.simulator.adbd.toy import Adb, RawHost, Toy, eventually


@pytest.fixture
def adb(adb36: Adb) -> Adb:
    return adb36


async def test_a_dropped_phone_comes_back_by_itself(connected: Toy, adb: Adb) -> None:
    serial = connected.daemon.serial
    running = await adb.start("-s", serial, "shell", "getevent")
    assert running.stdout is not None
    await running.stdout.readline()
    connected.daemon.faults.drop(0.3)
    await adb.wait_state(serial, "offline")
    await running.communicate()
    assert not connected.shell.running
    await adb.wait_state(serial, "device")
    assert (await adb("-s", serial, "shell", "echo", "back")).out == b"back\n"


async def test_a_dropped_phone_refuses_until_it_is_restored(connected: Toy, adb: Adb) -> None:
    connected.daemon.faults.drop()
    with pytest.raises(ConnectionRefusedError):
        await RawHost.connect(connected.daemon.port)
    connected.daemon.faults.restore()
    await adb.wait_state(connected.daemon.serial, "device")


async def test_refusing_keeps_those_who_are_in(connected: Toy, adb: Adb) -> None:
    connected.daemon.faults.refuse()
    assert (await adb("-s", connected.daemon.serial, "shell", "echo", "in")).out == b"in\n"
    with pytest.raises(ConnectionRefusedError):
        await RawHost.connect(connected.daemon.port)


async def test_a_frozen_phone_answers_after_the_thaw(connected: Toy, adb: Adb) -> None:
    connected.daemon.faults.freeze()
    before = connected.daemon.traffic.last_byte
    waiting = asyncio.create_task(adb("-s", connected.daemon.serial, "shell", "echo", "late"))
    await eventually(lambda: bool(connected.daemon.traffic.since(before)))
    assert await adb.state(connected.daemon.serial) == "device"
    assert not waiting.done()
    connected.daemon.faults.restore()
    assert (await waiting).out == b"late\n"


async def test_a_frozen_phone_can_be_stopped(toy: Toy) -> None:
    host = await RawHost.connect(toy.daemon.port)
    await host.greet()
    toy.daemon.faults.freeze()
    await asyncio.wait_for(toy.daemon.stop(), 5)
    assert await host.gone()


async def test_a_silent_phone_is_offline(connected: Toy, adb: Adb) -> None:
    connected.daemon.faults.silence()
    await adb.wait_state(connected.daemon.serial, "offline")
    connected.daemon.faults.restore()
    await adb.wait_state(connected.daemon.serial, "device")


async def test_revoked_hosts_are_unauthorized_until_the_user_confirms(connected: Toy, adb: Adb) -> None:
    connected.daemon.revoke()
    await adb.wait_state(connected.daemon.serial, "unauthorized")
    await eventually(lambda: bool(connected.daemon.authenticator.waiting))
    connected.daemon.authenticator.confirm()
    await adb.wait_state(connected.daemon.serial, "device")
    assert len(connected.daemon.authenticator.trusted_keys) == 1


async def test_a_cut_stream_ends_early_and_the_next_does_not(connected: Toy, adb: Adb) -> None:
    connected.daemon.faults.cut(7)
    cut = await adb("-s", connected.daemon.serial, "shell", "-x", "echo", "long enough to be cut")
    assert cut.out == b"long en"
    whole = await adb("-s", connected.daemon.serial, "shell", "echo", "whole")
    assert (whole.code, whole.out) == (0, b"whole\n")


async def test_delay_comes_before_the_service(toy: Toy) -> None:
    toy.daemon.faults.delay = 0.15
    host = await RawHost.connect(toy.daemon.port)
    await host.greet()
    await host.send(Command.OPEN, 7, 0, b"shell:echo x\0", sums=False)
    assert await host.quiet(0.05)
    host.close()

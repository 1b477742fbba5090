"""The package adb-shell, which talks to the daemon without an adb server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest
import pytest_asyncio
from adb_shell.adb_device import AdbDeviceTcp
from adb_shell.auth.keygen import keygen
from adb_shell.auth.sign_pythonrsa import PythonRSASigner
from adb_shell.exceptions import AdbCommandFailureException, DeviceAuthError

from assistant.simulator.adbd.auth import AuthMode, PublicKey
from tests.simulator.adbd.toy import Toy

in_thread = asyncio.to_thread


@pytest_asyncio.fixture
async def device(toy: Toy) -> AsyncIterator[AdbDeviceTcp]:
    device = AdbDeviceTcp("127.0.0.1", toy.daemon.port, default_transport_timeout_s=10)
    yield device
    device.close()


async def test_shell_and_exec(device: AdbDeviceTcp) -> None:
    await in_thread(device.connect)
    assert await in_thread(device.shell, "both") == "out\nerr\n"
    assert await in_thread(device.exec_out, "big 1", decode=False) == bytes(range(256)) * 4096


async def test_files(toy: Toy, device: AdbDeviceTcp, tmp_path: Path) -> None:
    source, copy = tmp_path / "source", tmp_path / "copy"
    source.write_bytes(Random(3).randbytes(5_000_000))
    await in_thread(device.connect)
    await in_thread(device.push, str(source), "/sdcard/file", mtime=1_700_000_000)
    await in_thread(device.pull, "/sdcard/file", str(copy))
    assert copy.read_bytes() == source.read_bytes()
    assert await in_thread(device.stat, "/sdcard/file") == (0o100770, 5_000_000, 1_700_000_000)
    assert await in_thread(device.stat, "/sdcard/missing") == (0, 0, 0)
    assert [entry.filename for entry in await in_thread(device.list, "/sdcard")] == [b"file"]
    with pytest.raises(AdbCommandFailureException, match="No such file or directory"):
        await in_thread(device.pull, "/sdcard/missing", str(tmp_path / "missing"))


async def test_a_stream_can_be_left(device: AdbDeviceTcp) -> None:
    def first_of_stream() -> str:
        text: str = next(iter(device.streaming_shell("getevent")))
        return text

    await in_thread(device.connect)
    assert await in_thread(first_of_stream) == "tick\n"
    assert await in_thread(device.shell, "echo still here") == "still here\n"


async def test_keys(toy: Toy, device: AdbDeviceTcp, tmp_path: Path) -> None:
    await in_thread(keygen, str(tmp_path / "key"))
    toy.daemon.authenticator.mode = AuthMode.ASK
    with pytest.raises(DeviceAuthError):
        await in_thread(device.connect)
    signer = PythonRSASigner.FromRSAKeyPath(str(tmp_path / "key"))
    toy.daemon.authenticator.trusted_keys.append(PublicKey.parse((tmp_path / "key.pub").read_bytes()))
    assert await in_thread(device.connect, rsa_keys=[signer], auth_timeout_s=5)
    assert await in_thread(device.shell, "echo in") == "in\n"

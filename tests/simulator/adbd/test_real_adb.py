"""adb 36 and adb 29 against the daemon."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

from tests.simulator.adbd.toy import MEGABYTE, Adb, Toy, eventually


async def test_shell_separates_output_and_errors_and_gives_the_exit_code(connected: Toy, adb: Adb) -> None:
    done = await adb("-s", connected.daemon.serial, "shell", "both")
    assert (done.code, done.out, done.err) == (3, b"out\n", b"err\n")
    done = await adb("-s", connected.daemon.serial, "shell", "nosuch", "thing")
    assert (done.code, done.err) == (127, b"/system/bin/sh: nosuch: inaccessible or not found\n")


async def test_old_shell_protocol_merges_output(connected: Toy, adb: Adb) -> None:
    done = await adb("-s", connected.daemon.serial, "shell", "-x", "both")
    assert (done.code, done.out) == (0, b"out\nerr\n")


async def test_exec_out_is_binary(connected: Toy, adb: Adb) -> None:
    done = await adb("-s", connected.daemon.serial, "exec-out", "big 3")
    assert done.out == MEGABYTE * 3


async def test_input_reaches_the_command_and_ends(connected: Toy, adb: Adb) -> None:
    content = Random(1).randbytes(2_000_000)
    done = await adb("-s", connected.daemon.serial, "shell", "cat", stdin=content)
    assert done.out == content


async def test_a_shell_without_a_command_reads_lines(connected: Toy, adb: Adb) -> None:
    done = await adb("-s", connected.daemon.serial, "shell", stdin=b"echo one\n\nnosuch\nexit 4\necho two\n")
    assert (done.code, done.out) == (4, b"one\n")


async def test_five_megabytes_there_and_back(connected: Toy, adb: Adb, tmp_path: Path) -> None:
    source, copy = tmp_path / "source", tmp_path / "copy"
    source.write_bytes(Random(2).randbytes(5_000_000))
    serial = connected.daemon.serial
    assert (await adb("-s", serial, "push", str(source), "/sdcard/")).code == 0
    assert connected.files.content["/sdcard/source"][0] == source.read_bytes()
    assert (await adb("-s", serial, "pull", "/sdcard/source", str(copy))).code == 0
    assert copy.read_bytes() == source.read_bytes()
    listed = (await adb("-s", serial, "ls", "/sdcard/")).out.split()
    assert int(listed[1], 16) == 5_000_000
    assert listed[3] == b"source"


async def test_file_failures_are_told(connected: Toy, adb: Adb, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"x")
    missing = await adb("-s", connected.daemon.serial, "pull", "/sdcard/missing", str(tmp_path / "copy"))
    assert missing.code == 1
    assert b"No such file or directory" in missing.err + missing.out
    refused = await adb("-s", connected.daemon.serial, "push", str(source), "/system/source")
    assert refused.code == 1
    assert b"couldn't create file: Permission denied" in refused.err + refused.out


async def test_unknown_services_are_closed(connected: Toy, adb: Adb) -> None:
    assert b"closed" in (await adb("-s", connected.daemon.serial, "remount")).err


async def test_a_phone_without_sockets_cannot_lead_to_the_host(connected: Toy, adb: Adb) -> None:
    refused = await adb("-s", connected.daemon.serial, "reverse", "tcp:1", "tcp:2")
    assert b"cannot bind listener" in refused.err


async def test_many_shells_at_once(connected: Toy, adb: Adb) -> None:
    serial = connected.daemon.serial

    async def one(number: int) -> bytes:
        async with gate:
            return (await adb("-s", serial, "shell", "cat", stdin=str(number).encode())).out

    gate = asyncio.Semaphore(64)
    assert await asyncio.gather(*(one(number) for number in range(64))) == [
        str(number).encode() for number in range(64)
    ]


async def test_a_stream_runs_until_the_client_leaves(connected: Toy, adb: Adb) -> None:
    process = await adb.start("-s", connected.daemon.serial, "shell", "getevent", "-lt")
    assert process.stdout is not None
    assert await process.stdout.readline() == b"tick\n"
    await connected.shell.tick()
    assert await process.stdout.readline() == b"tick\n"
    process.terminate()
    await process.communicate()
    await eventually(lambda: not connected.shell.running)


async def test_a_terminal_echoes_prompts_and_takes_interrupts(connected: Toy, adb: Adb) -> None:
    process = await adb.start("-s", connected.daemon.serial, "shell", "-tt")
    assert process.stdin is not None
    assert process.stdout is not None
    assert await process.stdout.readuntil(b"$ ") == b"sim:/ $ "
    process.stdin.write(b"echo hi\r")
    assert await process.stdout.readuntil(b"$ ") == b"echo hi\r\nhi\r\nsim:/ $ "
    process.stdin.write(b"getevent\r")
    await process.stdout.readuntil(b"tick\r\n")
    process.stdin.write(b"\x03")
    assert await process.stdout.readuntil(b"$ ") == b"^C\r\nsim:/ $ "
    process.stdin.write(b"ec\x03")
    assert await process.stdout.readuntil(b"$ ") == b"ec^C\r\nsim:/ $ "
    process.stdin.write(b"exit 5\r")
    await process.communicate()
    assert process.returncode == 5

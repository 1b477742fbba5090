from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.simulator.adbd.pipe import Pipe


@given(st.lists(st.binary(max_size=20)), st.integers(1, 7))
def test_bytes_come_out_in_order(parts: list[bytes], size: int) -> None:
    async def run() -> bytes:
        pipe = Pipe()
        for part in parts:
            await pipe.feed(part)
        await pipe.end()
        out = b""
        while data := await pipe.read(size):
            assert len(data) <= size
            out += data
        return out

    assert asyncio.run(run()) == b"".join(parts)


async def test_lines_and_the_rest() -> None:
    pipe = Pipe()
    await pipe.feed(b"one\ntw")
    assert await pipe.readline() == b"one\n"
    later = asyncio.create_task(pipe.readline())
    await pipe.feed(b"o\nthree")
    assert await later == b"two\n"
    await pipe.end()
    assert await pipe.readline() == b"three"
    assert await pipe.readline() == b""


async def test_reading_everything_waits_for_the_end() -> None:
    pipe = Pipe()
    everything = asyncio.create_task(pipe.read())
    await pipe.feed(b"ab")
    await pipe.feed(b"cd")
    await pipe.end()
    assert await everything == b"abcd"


async def test_an_exact_read_that_ends_early_says_so() -> None:
    pipe = Pipe()
    await pipe.feed(b"ab")
    await pipe.end()
    with pytest.raises(asyncio.IncompleteReadError):
        await pipe.readexactly(3)


async def test_a_full_pipe_has_room_when_it_was_read() -> None:
    pipe = Pipe(capacity=4)
    await pipe.feed(b"12345")
    assert pipe.full
    waiting = asyncio.create_task(pipe.room())
    await asyncio.sleep(0)
    assert not waiting.done()
    await pipe.read(2)
    await waiting

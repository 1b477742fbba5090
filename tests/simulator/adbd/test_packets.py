from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.simulator.adbd.packets import (
    MAX_PAYLOAD,
    Command,
    MalformedPacket,
    Packet,
    encode,
    read_packet,
)

WORD = st.integers(0, 0xFFFFFFFF)
PACKETS = st.builds(Packet, st.sampled_from(Command), WORD, WORD, st.binary(max_size=300))


async def read(data: bytes) -> Packet:
    reader = asyncio.StreamReader()
    reader.feed_data(data)
    reader.feed_eof()
    return await read_packet(reader)


@given(PACKETS)
def test_what_is_encoded_is_read(packet: Packet) -> None:
    got = asyncio.run(read(encode(packet, checksum=True)))
    assert got == packet
    assert got.intact


@given(PACKETS.filter(lambda packet: any(packet.data)))
def test_a_missing_checksum_is_seen(packet: Packet) -> None:
    assert not asyncio.run(read(encode(packet, checksum=False))).intact


@given(st.binary(max_size=100))
def test_noise_is_refused(noise: bytes) -> None:
    with pytest.raises((MalformedPacket, asyncio.IncompleteReadError)):
        asyncio.run(read(noise))


async def test_an_unknown_command_is_refused() -> None:
    data = bytearray(encode(Packet(Command.OKAY, 1, 2), checksum=True))
    data[0:4] = b"WHAT"
    data[20:24] = bytes(0xFF ^ letter for letter in b"WHAT")
    with pytest.raises(MalformedPacket, match="unknown command"):
        await read(bytes(data))


async def test_too_much_data_is_refused_before_it_is_read() -> None:
    data = bytearray(encode(Packet(Command.WRTE, 1, 2), checksum=True))
    data[12:16] = (MAX_PAYLOAD + 1).to_bytes(4, "little")
    with pytest.raises(MalformedPacket, match="bytes of data"):
        await read(bytes(data))

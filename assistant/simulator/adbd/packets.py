"""ADB packets: six little-endian words, then data.

The words are command, two arguments, length, checksum, and the command inverted. The checksum is the sum of
the data's bytes. From protocol version 0x01000001 on it is left zero in all packets but CNXN and AUTH, which
are sent before the version is agreed; a host that comes back leaves it zero there too.
"""

from __future__ import annotations

import asyncio
import struct
from dataclasses import dataclass, field
from enum import IntEnum

VERSION_CHECKSUMS = 0x01000000
VERSION_NO_CHECKSUMS = 0x01000001
MAX_PAYLOAD = 1 << 20

_HEADER = struct.Struct("<6I")
_MASK = 0xFFFFFFFF


class Command(IntEnum):
    """A packet's command: four letters read as a little-endian word."""

    CNXN = int.from_bytes(b"CNXN", "little")
    AUTH = int.from_bytes(b"AUTH", "little")
    OPEN = int.from_bytes(b"OPEN", "little")
    OKAY = int.from_bytes(b"OKAY", "little")
    WRTE = int.from_bytes(b"WRTE", "little")
    CLSE = int.from_bytes(b"CLSE", "little")
    STLS = int.from_bytes(b"STLS", "little")
    SYNC = int.from_bytes(b"SYNC", "little")


class MalformedPacket(Exception):
    """The bytes are no ADB packet; the connection cannot go on."""


@dataclass(frozen=True, slots=True)
class Packet:
    """One packet. In OPEN, OKAY, WRTE and CLSE the arguments are the sender's stream id and the receiver's.

    `checksum` is what stood in a packet that was read; it is computed anew for one that is sent.
    """

    command: Command
    arg0: int
    arg1: int
    data: bytes = b""
    checksum: int = field(default=0, compare=False)

    @property
    def intact(self) -> bool:
        """Whether the checksum that was read fits the data."""
        return sum(self.data) & _MASK == self.checksum


def encode(packet: Packet, *, checksum: bool) -> bytes:
    """The packet's bytes, with or without the sum over its data."""
    total = sum(packet.data) & _MASK if checksum else 0
    header = _HEADER.pack(
        packet.command, packet.arg0, packet.arg1, len(packet.data), total, packet.command ^ _MASK
    )
    return header + packet.data


async def read_packet(reader: asyncio.StreamReader) -> Packet:
    """The next packet; whether its checksum matters is for the caller to know.

    Raises:
        MalformedPacket: an unknown command, a wrong inverse, or more than 1 MiB of data.
        asyncio.IncompleteReadError: the other side went away.
    """
    word, arg0, arg1, length, checksum, inverse = _HEADER.unpack(await reader.readexactly(_HEADER.size))
    if inverse != word ^ _MASK:
        raise MalformedPacket(f"command {word:#x} with inverse {inverse:#x}")
    if length > MAX_PAYLOAD:
        raise MalformedPacket(f"{length} bytes of data")
    try:
        command = Command(word)
    except ValueError as error:
        raise MalformedPacket(f"unknown command {word:#x}") from error
    return Packet(command, arg0, arg1, await reader.readexactly(length), checksum)

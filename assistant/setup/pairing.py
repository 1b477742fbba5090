"""Pairs a phone over Wi-Fi (Android 11 and later) and connects to it, through the adb server.

The phone reads a QR code, drawn as text in half blocks, or the user types the pairing code.
Sources: AOSP packages/modules/adb (client/adb_wifi.cpp, client/pairing, SERVICES.TXT). The QR code's text is
the one that Android Studio shows for “Pair device with QR code”.
"""

from __future__ import annotations

import asyncio
import random
import re
import string
from dataclasses import dataclass

import segno

from assistant.i18n import _
from assistant.phone.adb import ADDRESS, CONNECT_SERVICE, AdbServer

PAIRING_SERVICE = "_adb-tls-pairing._tcp"

_CODE = re.compile(r"\d{6}")
_GUID = re.compile(r"\[guid=([^\]\s]+)\]")
_LETTERS = string.ascii_letters + string.digits
_POLL = 0.5


class PairingFailed(Exception):
    """The phone was not paired or connected; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """What a QR code asks the phone to do: announce itself under this name, and pair with this password."""

    name: str
    password: str

    @classmethod
    def fresh(cls, chance: random.Random | None = None) -> Invitation:
        """A new invitation; its randomness is by default the operating system's."""
        source = chance or random.SystemRandom()
        return cls(
            "studio-" + "".join(source.choices(_LETTERS, k=10)), "".join(source.choices(_LETTERS, k=12))
        )

    @property
    def payload(self) -> str:
        """The text of the QR code."""
        return f"WIFI:T:ADB;S:{self.name};P:{self.password};;"


def checked_address(text: str) -> str:
    """A host:port as a person typed it.

    Raises:
        PairingFailed: the text is not host:port.
    """
    address = text.strip()
    match = ADDRESS.fullmatch(address)
    if match is None or not 0 < int(match[1]) < 65536:
        raise PairingFailed(_("An address looks like 192.168.1.20:37123. The phone shows it."))
    return address


def checked_code(text: str) -> str:
    """A pairing code as a person typed it.

    Raises:
        PairingFailed: it does not have six digits.
    """
    code = re.sub(r"\s", "", text)
    if not _CODE.fullmatch(code):
        raise PairingFailed(_("The pairing code has six digits. The phone shows it."))
    return code


async def wait_for_scan(
    adb: AdbServer, invitation: Invitation, limit: float = 120.0, poll: float = _POLL
) -> str:
    """Wait until a phone has read the QR code; returns the address at which it waits to be paired.

    Raises:
        PairingFailed: the adb server cannot see the network's services, or no phone came in `limit` seconds.
        PhoneError: there is no adb server.
    """
    checked = await adb.mdns_check()
    if not checked.startswith("mdns daemon version"):
        raise PairingFailed(
            _("The adb server does not look for phones on the network. Pair with the pairing code instead.")
        )
    try:
        async with asyncio.timeout(limit):
            while True:
                for service in await adb.mdns_services():
                    if service.kind == PAIRING_SERVICE and service.name == invitation.name:
                        return service.address
                await asyncio.sleep(poll)
    except TimeoutError as error:
        raise PairingFailed(
            _(
                "No phone has read the QR code. Phone and computer must be in the same network; else pair "
                "with the pairing code."
            )
        ) from error


async def pair(adb: AdbServer, address: str, password: str) -> str:
    """Pair with the phone at an address; returns its id (guid), empty if the server does not tell it.

    Raises:
        PairingFailed: the phone refuses or is not there.
        PhoneError: there is no adb server.
    """
    answer = await adb.pair(address, password)
    if answer.startswith("Successfully paired"):
        match = _GUID.search(answer)
        return match[1] if match else ""
    adb_answer = (
        " " + _("adb says: {answer}").format(answer=answer.removeprefix("Failed: ")) if answer else ""
    )
    raise PairingFailed(
        _("The phone was not paired. Check address and code: both are new each time the phone shows them.")
        + adb_answer
    )


async def wait_until_connected(
    adb: AdbServer, guid: str, address: str, limit: float = 20.0, poll: float = _POLL
) -> str:
    """Wait until a newly paired phone is connected, or connect to it if adb does not; returns its serial.

    Raises:
        PairingFailed: it did not come in `limit` seconds.
        PhoneError: there is no adb server.
    """
    host = address.rpartition(":")[0]
    asked: set[str] = set()
    try:
        async with asyncio.timeout(limit):
            while True:
                for device in await adb.devices():
                    named = bool(guid) and device.serial.startswith(guid)
                    if device.state == "device" and (named or device.serial.rpartition(":")[0] == host):
                        return device.serial
                for service in await adb.mdns_services():
                    ours = service.name == guid or service.address.rpartition(":")[0] == host
                    if service.kind == CONNECT_SERVICE and ours and service.address not in asked:
                        asked.add(service.address)
                        await adb.connect(service.address)
                await asyncio.sleep(poll)
    except TimeoutError as error:
        raise PairingFailed(
            _(
                "The phone is paired, but does not connect by itself. Connect by the address that it shows "
                "under “Wireless debugging”; the port is another than the one for pairing."
            )
        ) from error


_QUIET = 2
_CELLS = {(True, True): "█", (True, False): "▀", (False, True): "▄", (False, False): " "}


def qr_lines(payload: str, *, inverted: bool = False) -> list[str]:
    """A QR code as lines of equal length, a quiet zone around it.

    The ink is dark, for a light background; `inverted` for light ink on a dark one.
    """
    code = segno.make(payload, error="l", micro=False)
    rows = [[bool(module) is not inverted for module in row] for row in code.matrix_iter(border=_QUIET)]
    if len(rows) % 2:
        rows.append([inverted] * len(rows[0]))
    return [
        "".join(_CELLS[pair] for pair in zip(upper, lower, strict=True))
        for upper, lower in zip(rows[::2], rows[1::2], strict=True)
    ]

"""What the phone's surroundings look like: access point, Bluetooth audio, position, charger.

One command reads it all; it starts no scan, asks for no position and does not wake the screen, so that it can
be repeated every minute. Source of the texts: what Android 8 to 16 print, see AOSP WifiInfo, Location,
AudioService and BatteryService.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assistant.phone.shell import Shell

COMMAND = "; ".join(
    (
        # A dump of the Wi-Fi service is long: only phones without the short command are asked for it.
        "(cmd wifi status 2>/dev/null | grep -m1 BSSID || dumpsys wifi | grep -m1 mWifiInfo)",
        "dumpsys audio | grep -m1 mBluetoothName",
        "dumpsys location | grep -m4 'Location\\['",
        "dumpsys battery | grep -E 'powered|level'",
        "echo uptime $(cat /proc/uptime)",
    )
)
_ACCESS_POINT = re.compile(r'SSID: "?(?P<ssid>.*?)"?, BSSID: (?P<bssid>(?:[0-9a-f]{2}:){5}[0-9a-f]{2})', re.I)
_NOWHERE = frozenset({"02:00:00:00:00:00", "00:00:00:00:00:00"})
_DEVICE = re.compile(r"mBluetoothName=(?P<name>.+)")
_NUMBER = r"-?\d{1,3}[.,]\d+"
_FIX = re.compile(
    rf"Location\[\S+ (?P<latitude>{_NUMBER}),(?P<longitude>{_NUMBER}) hAcc=(?P<accuracy>\d+(?:[.,]\d+)?) "
    r"et=(?P<since>\S+)"
)
_ELAPSED = re.compile(r"\+?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?")
_UPTIME = re.compile(r"^uptime (\d+(?:\.\d+)?)", re.M)
_LEVEL = re.compile(r"^\s*level: (\d{1,3})", re.M)
_POWERED = re.compile(r"(?:AC|Wireless|Dock) powered: true")
_OLDEST = 900.0
_COARSEST = 200.0


@dataclass(frozen=True, slots=True)
class Position:
    """Degrees, and within how many metres."""

    latitude: float
    longitude: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class Signals:
    """What can be told of the surroundings; empty or None where unknown.

    `bssid` is the access point in use and `device` the Bluetooth audio device. A position is one of the last
    quarter of an hour, good to 200 metres. `charging` leaves out USB, which may be our own cable.
    """

    ssid: str = ""
    bssid: str = ""
    device: str = ""
    position: Position | None = None
    charging: bool = False
    battery: int | None = None


async def sense(shell: Shell) -> Signals:
    """Read a phone's surroundings.

    Raises:
        PhoneError: the phone cannot be reached.
    """
    return parse_signals((await shell.run(COMMAND)).text)


def parse_signals(text: str) -> Signals:
    """What the command printed; lines that are not understood are left out."""
    point = _ACCESS_POINT.search(text)
    bssid = point["bssid"].lower() if point else ""
    known = point is not None and bssid not in _NOWHERE
    device = _DEVICE.search(text)
    name = device["name"].strip() if device else ""
    level = _LEVEL.search(text)
    return Signals(
        ssid=point["ssid"] if point and known else "",
        bssid=bssid if known else "",
        device="" if name == "null" else name,
        position=_position(text),
        charging=bool(_POWERED.search(text)),
        battery=int(level[1]) if level else None,
    )


def _position(text: str) -> Position | None:
    """The newest fix that is good enough; its time counts from the start of the phone."""
    uptime = _UPTIME.search(text)
    if uptime is None:
        return None
    best: tuple[float, Position] | None = None
    for fix in _FIX.finditer(text):
        age = float(uptime[1]) - _seconds(fix["since"])
        found = Position(_number(fix["latitude"]), _number(fix["longitude"]), _number(fix["accuracy"]))
        possible = abs(found.latitude) <= 90 and abs(found.longitude) <= 180
        if possible and age <= _OLDEST and found.accuracy <= _COARSEST and (best is None or age < best[0]):
            best = age, found
    return best[1] if best else None


def _seconds(elapsed: str) -> float:
    """A duration such as `+2d11h54m48s258ms`."""
    found = _ELAPSED.match(elapsed)
    parts = [int(part or 0) for part in found.groups()] if found else [0] * 5
    days, hours, minutes, seconds, milliseconds = parts
    return days * 86_400 + hours * 3600 + minutes * 60 + seconds + milliseconds / 1000


def _number(text: str) -> float:
    """A number with a point or, in some languages of the phone, a comma."""
    return float(text.replace(",", "."))

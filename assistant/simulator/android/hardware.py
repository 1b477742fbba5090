"""The state of the phone's hardware: screen, power, radios, position, sound."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import blake2b
from typing import Literal

Radio = Literal["wifi", "bluetooth"]


@dataclass(slots=True)
class Display:
    """The screen. Sizes are pixels in the natural (portrait) orientation, `rotation` is in quarter turns.

    `panel_id` is the hardware's number of the panel that is lit. `dark_panel` is the size of the other panel
    of a foldable phone, None for phones with a single one; the hardware lists that one first.
    """

    physical: tuple[int, int] = (1080, 2400)
    override: tuple[int, int] | None = None
    physical_density: int = 420
    override_density: int | None = None
    rotation: int = 0
    panel_id: str = "4619827259835644672"
    dark_panel: tuple[int, int] | None = None
    dark_panel_id: str = "4619827677550801152"

    def fold(self) -> None:
        """Close or open a foldable phone: the other panel is the lit one."""
        if self.dark_panel is not None:
            self.physical, self.dark_panel = self.dark_panel, self.physical
            self.panel_id, self.dark_panel_id = self.dark_panel_id, self.panel_id

    @property
    def natural_size(self) -> tuple[int, int]:
        """Width and height in portrait: the override where there is one."""
        return self.override or self.physical

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in the current rotation: what screenshots, taps and the UI tree use."""
        width, height = self.natural_size
        return (height, width) if self.rotation % 2 else (width, height)

    @property
    def density(self) -> int:
        """Dots per inch: 160 makes a dp one pixel."""
        return self.override_density or self.physical_density

    @property
    def scale(self) -> float:
        """Pixels per dp."""
        return self.density / 160


def _address(name: str) -> str:
    """A made-up hardware address, always the same for a name."""
    return "02:" + blake2b(name.encode(), digest_size=5).digest().hex(":").upper()


class Wakefulness(StrEnum):
    """Whether the screen is on, as `dumpsys power` calls it."""

    AWAKE = "Awake"
    ASLEEP = "Asleep"
    DOZING = "Dozing"


@dataclass(slots=True)
class Power:
    """Whether the phone is awake."""

    wakefulness: Wakefulness = Wakefulness.AWAKE

    @property
    def awake(self) -> bool:
        """Whether the screen is on and takes touches."""
        return self.wakefulness is Wakefulness.AWAKE


@dataclass(slots=True)
class Keyguard:
    """The lock screen. A `secure` one needs the PIN and cannot be swiped away."""

    showing: bool = False
    secure: bool = False
    pin: str = "2580"


@dataclass(slots=True)
class Battery:
    """Level in percent, temperature in °C, voltage in mV; `plugged` is ac, usb, wireless, dock or empty."""

    level: int = 84
    plugged: str = "usb"
    temperature: float = 27.5
    voltage: int = 4186
    health: int = 2


@dataclass(frozen=True, slots=True)
class AccessPoint:
    """A Wi-Fi access point in reach. `rssi` is in dBm, `frequency` in MHz."""

    ssid: str
    bssid: str
    rssi: int = -55
    frequency: int = 5180
    flags: str = "[WPA2-PSK-CCMP-128][RSN-PSK-CCMP-128][ESS]"


@dataclass(slots=True)
class Wifi:
    """The Wi-Fi radio. `connected` is None without a connection."""

    enabled: bool = True
    connected: AccessPoint | None = AccessPoint("Home-5G", "16:d8:64:f4:d5:19", -48)
    visible: list[AccessPoint] = field(
        default_factory=lambda: [
            AccessPoint("Home-5G", "16:d8:64:f4:d5:19", -48),
            AccessPoint("Neighbour", "a0:36:bc:11:20:7e", -79, 2437),
        ]
    )

    def connect(self, ssid: str) -> None:
        """Join a network by its name; one out of reach gets a made-up access point. Empty disconnects."""
        access_point = next((point for point in self.visible if point.ssid == ssid), None)
        self.connected = (access_point or AccessPoint(ssid, _address(ssid).lower())) if ssid else None

    @property
    def active(self) -> AccessPoint | None:
        """The access point in use: none while the radio is off."""
        return self.connected if self.enabled else None


@dataclass(slots=True)
class Bluetooth:
    """The Bluetooth radio. `connected` names the audio device (a car, headphones), empty for none."""

    enabled: bool = True
    connected: str = ""
    bonded: dict[str, str] = field(
        default_factory=lambda: {"My Car": "44:65:0D:3A:11:C2", "Earbuds": "F8:4E:17:90:2B:6D"}
    )

    def connect(self, name: str) -> None:
        """Connect a device, which bonds with it first where needed; an empty name disconnects."""
        if name:
            self.bonded.setdefault(name, _address(name))
        self.connected = name

    @property
    def active(self) -> str:
        """The connected device's name: empty while the radio is off."""
        return self.connected if self.enabled else ""


@dataclass(slots=True)
class Location:
    """The last known position, in WGS 84 degrees and metres.

    `fixed_at` is the uptime at the fix in seconds, None without a fix. `decimal_comma` prints as some locales
    do.
    """

    enabled: bool = True
    latitude: float = 31.30946
    longitude: float = 121.50828
    accuracy: float = 18.0
    provider: str = "fused"
    fixed_at: float | None = 3500.0
    decimal_comma: bool = False


@dataclass(slots=True)
class Cell:
    """The cell in use. `call_state` is 0 idle, 1 ringing, 2 in a call."""

    cell_id: int = 30518868
    area: int = 3184
    physical_id: int = 423
    channel: int = 66536
    operator: str = "Example Mobile"
    call_state: int = 0


@dataclass(slots=True)
class Audio:
    """Sound: ringer NORMAL, VIBRATE or SILENT, the music volume, and what plays, empty for nothing."""

    ringer: str = "NORMAL"
    music_volume: int = 12
    music_maximum: int = 25
    playing: str = ""

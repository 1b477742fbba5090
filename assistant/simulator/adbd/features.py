"""How the daemon introduces itself: protocol version, product, and what it can do."""

from __future__ import annotations

from dataclasses import dataclass, field

from assistant.simulator.adbd.packets import MAX_PAYLOAD, VERSION_NO_CHECKSUMS, Command, Packet

SHELL_V2 = "shell_v2"
DELAYED_ACK = "delayed_ack"

_NINE = (SHELL_V2, "cmd", "stat_v2")
_TWELVE = (*_NINE, "ls_v2", "fixed_push_mkdir", "fixed_push_symlink_timestamp", "sendrecv_v2")
_SIXTEEN = (*_TWELVE, DELAYED_ACK)


def features_of(release: int) -> tuple[str, ...]:
    """What the daemon of an Android release (9, 12, 16) offers, as far as this one does it too."""
    if release >= 14:
        return _SIXTEEN
    return _TWELVE if release >= 11 else _NINE


@dataclass(frozen=True, slots=True)
class Identity:
    """What stands in CNXN. Values must not contain `;`, `=` or `:`."""

    product: str = "sim_phone"
    model: str = "Sim Phone"
    device: str = "sim"
    features: tuple[str, ...] = field(default=_SIXTEEN)
    version: int = VERSION_NO_CHECKSUMS
    max_payload: int = MAX_PAYLOAD

    def greeting(self) -> Packet:
        """The CNXN packet that makes the phone a `device`."""
        properties = {
            "ro.product.name": self.product,
            "ro.product.model": self.model,
            "ro.product.device": self.device,
        }
        described = ";".join(f"{name}={value}" for name, value in properties.items())
        banner = f"device::{described};features={','.join(self.features)}"
        return Packet(Command.CNXN, self.version, self.max_payload, banner.encode())


def host_features(banner: bytes) -> frozenset[str]:
    """The features in a host's CNXN banner, `host::features=a,b,c`."""
    _, _, listed = banner.rstrip(b"\0").decode("utf-8", "replace").partition("features=")
    return frozenset(part for part in listed.partition(";")[0].split(",") if part)

"""A command of the control interface."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar, Protocol

from pydantic import BaseModel, ConfigDict, Field

from assistant.simulator.adbd.daemon import AdbDaemon
from assistant.simulator.adbd.traffic import Traffic
from assistant.simulator.android.services import Services
from assistant.simulator.person import Person
from assistant.simulator.steered_clock import SteeredClock
from assistant.simulator.ui.windows import WindowManager

Seconds = Annotated[float, Field(ge=0, le=10_000_000)]
Pixels = Annotated[float, Field(ge=-10_000, le=100_000)]
Milliseconds = Annotated[int, Field(ge=0, le=60_000)]


class ControlledPhone(Protocol):
    """A simulated phone as its control interface sees it: all but that interface."""

    clock: SteeredClock
    services: Services
    windows: WindowManager
    person: Person
    daemon: AdbDaemon

    @property
    def traffic(self) -> Traffic:
        """What hosts have sent."""

    def state(self) -> dict[str, Any]:
        """Every app's state and every service's, as plain JSON values."""

    def snapshot(self) -> None:
        """Make the present state the one that `reset` returns to."""

    def reset(self) -> None:
        """Return to the snapshot."""

    def set_difficulties(self, switches: dict[str, bool]) -> None:
        """Switch what trips agents on or off in all apps."""

    async def screenshot(self) -> bytes:
        """What a person sees on the screen, as PNG."""


class Refused(Exception):
    """A command that makes no sense for this phone; the message says why."""


class Order(BaseModel, ABC):
    """A command. `route` is its path; its fields are the JSON body."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    route: ClassVar[str]

    @abstractmethod
    def perform(self, phone: ControlledPhone) -> None:
        """Do it. Raises `Refused`."""

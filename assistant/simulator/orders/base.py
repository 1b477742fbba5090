"""A command of the control interface."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field

# For start-up time: a client of the control interface loads no phone, and the phone loads this.
if TYPE_CHECKING:
    from assistant.simulator.phone import SimulatedPhone

Seconds = Annotated[float, Field(ge=0, le=10_000_000)]
Pixels = Annotated[float, Field(ge=-10_000, le=100_000)]
Milliseconds = Annotated[int, Field(ge=0, le=60_000)]


class Refused(Exception):
    """A command that makes no sense for this phone; the message says why."""


class Order(BaseModel, ABC):
    """A command. `route` is its path; its fields are the JSON body."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    route: ClassVar[str]

    @abstractmethod
    def perform(self, phone: SimulatedPhone) -> None:
        """Do it. Raises `Refused`."""

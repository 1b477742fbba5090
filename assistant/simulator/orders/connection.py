"""What happens to the phone's connection, and to who may use it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from assistant.simulator.adbd.auth import AuthMode
from assistant.simulator.orders.base import ControlledPhone, Order, Seconds


class Drop(Order):
    """The connection is lost, for some seconds or until restored."""

    route = "drop"
    seconds: Seconds | None = None

    def perform(self, phone: ControlledPhone) -> None:
        """Throw hosts out and refuse them."""
        phone.daemon.faults.drop(self.seconds)


class Freeze(Order):
    """The phone keeps its connections and answers nothing."""

    route = "freeze"

    def perform(self, phone: ControlledPhone) -> None:
        """Freeze."""
        phone.daemon.faults.freeze()


class Refuse(Order):
    """New connections are refused, open ones stay."""

    route = "refuse"

    def perform(self, phone: ControlledPhone) -> None:
        """Refuse."""
        phone.daemon.faults.refuse()


class Silence(Order):
    """Hosts may connect but get no greeting: adb calls the phone offline."""

    route = "silence"

    def perform(self, phone: ControlledPhone) -> None:
        """Fall silent."""
        phone.daemon.faults.silence()


class Cut(Order):
    """The next streams end after some bytes."""

    route = "cut"
    after: Annotated[int, Field(ge=0)]
    streams: Annotated[int, Field(ge=1)] = 1

    def perform(self, phone: ControlledPhone) -> None:
        """Cut."""
        phone.daemon.faults.cut(self.after, self.streams)


class Lag(Order):
    """Each service that a host opens starts late."""

    route = "lag"
    seconds: Seconds

    def perform(self, phone: ControlledPhone) -> None:
        """Set the delay."""
        phone.daemon.faults.delay = self.seconds


class Restore(Order):
    """All connection faults end."""

    route = "restore"

    def perform(self, phone: ControlledPhone) -> None:
        """Restore."""
        phone.daemon.faults.restore()


class Unauthorize(Order):
    """The user revokes all USB debugging authorizations."""

    route = "unauthorize"

    def perform(self, phone: ControlledPhone) -> None:
        """Revoke."""
        phone.daemon.revoke()


class Authorize(Order):
    """Every host is let in; with `waiting_only` those whose dialog is shown: the user taps Allow."""

    route = "authorize"
    waiting_only: bool = False

    def perform(self, phone: ControlledPhone) -> None:
        """Let hosts in."""
        if self.waiting_only:
            phone.daemon.authenticator.confirm()
        else:
            phone.daemon.authenticator.set_mode(AuthMode.OPEN)

"""What happens within the phone: radios, battery, notifications, its clock, its nuisances, its memory."""

from __future__ import annotations

from copy import deepcopy
from typing import Annotated, Any, Literal

from pydantic import Field

from assistant.simulator.orders.base import ControlledPhone, Order, Refused, Seconds
from assistant.simulator.surface import UnknownComponent

Switch = bool | None


class Notify(Order):
    """An app posts a notification."""

    route = "notify"
    package: str
    title: str
    text: str = ""

    def perform(self, phone: ControlledPhone) -> None:
        """Post it in the app's name."""
        if self.package not in phone.services.packages.installed:
            raise Refused(f"{self.package} is not installed.")
        phone.services.notify(self.package, self.title, self.text, number=phone.windows.desk.revision)
        phone.windows.changed()


class Radio(Order):
    """Wi-Fi, Bluetooth or airplane mode is switched on or off."""

    route = "radio"
    name: Literal["wifi", "bluetooth", "airplane_mode"]
    on: bool

    def perform(self, phone: ControlledPhone) -> None:
        """Change the setting; the radio follows."""
        phone.services.set_setting(f"{self.name}_on", str(int(self.on)))
        phone.windows.changed()


class Connect(Order):
    """A Bluetooth device connects; an empty name disconnects."""

    route = "bluetooth"
    device: str

    def perform(self, phone: ControlledPhone) -> None:
        """Connect or disconnect."""
        phone.services.bluetooth.connect(self.device)
        phone.windows.changed()


class Charge(Order):
    """The battery's level in percent, and what charger is plugged in, empty for none."""

    route = "battery"
    level: Annotated[int, Field(ge=0, le=100)] | None = None
    plugged: Literal["", "ac", "usb", "wireless", "dock"] | None = None

    def perform(self, phone: ControlledPhone) -> None:
        """Change what is given."""
        battery = phone.services.battery
        battery.level = battery.level if self.level is None else self.level
        battery.plugged = battery.plugged if self.plugged is None else self.plugged
        phone.windows.changed()


class SetDelays(Order):
    """How much of a real phone's delays to wait: 0 none, 1 all."""

    route = "delays"
    factor: Annotated[float, Field(ge=0, le=10)]

    def perform(self, phone: ControlledPhone) -> None:
        """Set the factor."""
        phone.services.delays.factor = self.factor


class Advance(Order):
    """The phone's clock moves ahead."""

    route = "advance"
    seconds: Seconds

    def perform(self, phone: ControlledPhone) -> None:
        """Advance; what falls due happens."""
        phone.clock.advance(self.seconds)
        phone.windows.changed()


class Trip(Order):
    """Switch on or off what trips agents, in all apps."""

    route = "difficulties"
    advertisements: Switch = None
    permissions: Switch = None
    spinners: Switch = None
    late_content: Switch = None
    bare_icons: Switch = None
    ratings: Switch = None
    updates: Switch = None
    cookies: Switch = None
    redesigned: Switch = None

    def perform(self, phone: ControlledPhone) -> None:
        """Change what is given."""
        phone.set_difficulties(self.model_dump(exclude_none=True))


class SetQuirks(Order):
    """Switch on or off ways in which some phones and pages differ."""

    route = "quirks"
    input_denied: Switch = None
    drop_input: Switch = None
    secure_error: Switch = None
    null_root: Switch = None
    never_idle: Switch = None
    masked_cells: Switch = None
    black_displays: Switch = None
    main_only: str | None = None
    input_method_stuck: Switch = None
    composes: Switch = None
    extra_nodes: Annotated[int, Field(ge=0)] | None = None

    def perform(self, phone: ControlledPhone) -> None:
        """Change what is given."""
        for name, value in self.model_dump(exclude_none=True).items():
            setattr(phone.services.quirks, name, value)


class Own(Order):
    """The phone's owner has something more in an app: lists grow, mappings too, other values are replaced.

    `has` is a part of the app's state as `state` tells it. An app of the store is installed for it.
    """

    route = "own"
    package: str
    has: dict[str, Any]

    def perform(self, phone: ControlledPhone) -> None:
        """Put it into the app's state."""
        if self.package not in phone.services.packages.installed:
            try:
                phone.windows.desk.install(self.package)
            except KeyError:
                raise Refused(f"There is no app {self.package}.") from None
        app = next(other for other in phone.windows.apps() if other.package == self.package)
        if unknown := sorted(self.has.keys() - app.state.keys()):
            raise Refused(f"{self.package} has no {', '.join(unknown)}. It has: {', '.join(app.state)}.")
        _grow(app.state, deepcopy(self.has))
        phone.windows.changed()


class Uninstall(Order):
    """The owner removes an app; a reset brings it back."""

    route = "uninstall"
    package: str

    def perform(self, phone: ControlledPhone) -> None:
        """Remove it."""
        if self.package not in phone.services.packages.installed:
            raise Refused(f"{self.package} is not installed.")
        phone.services.packages.remove(self.package)
        phone.windows.changed()


class EndDisplay(Order):
    """A virtual display dies; 0 for all of them."""

    route = "end_display"
    display: Annotated[int, Field(ge=0)] = 0

    def perform(self, phone: ControlledPhone) -> None:
        """End it; nothing happens where it is gone already."""
        for number in list(phone.services.displays.shown):
            if self.display in (0, number):
                phone.services.displays.remove(number)


class Bring(Order):
    """The user opens an app on the phone's own screen, as from its icon."""

    route = "bring"
    package: str

    def perform(self, phone: ControlledPhone) -> None:
        """Bring it to the front there."""
        try:
            phone.windows.start(self.package)
        except UnknownComponent:
            raise Refused(f"There is no app {self.package}.") from None


class Snapshot(Order):
    """The present state becomes the one that reset returns to."""

    route = "snapshot"

    def perform(self, phone: ControlledPhone) -> None:
        """Remember."""
        phone.snapshot()


class Reset(Order):
    """The phone returns to the last snapshot, or to its start."""

    route = "reset"

    def perform(self, phone: ControlledPhone) -> None:
        """Return."""
        phone.reset()


def _grow(state: dict[str, Any], more: dict[str, Any]) -> None:
    for key, value in more.items():
        match state.get(key), value:
            case list() as known, list():
                known.extend(value)
            case dict() as known, dict():
                _grow(known, value)
            case _:
                state[key] = value

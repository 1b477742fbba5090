"""Follows which phones are connected, and which of them is used.

A phone that is reached over Wi-Fi has another port after each restart. It is found again by the name under
which it announces itself.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from assistant.events import Event, PhoneState, PhoneStateChanged
from assistant.files import JsonFile
from assistant.i18n import _, later
from assistant.phone.adb import ADDRESS, CONNECT_SERVICE, AdbDevice, AdbServer, Shell
from assistant.phone.device import Phone
from assistant.phone.errors import PhoneError, PhoneStatus, absent_error
from assistant.settings.schema import PhoneSettings

CHOICE_FILE = "phone.json"
"""The file in the store's folder that remembers the phone chosen among several."""

_ADB_RETRY_SECONDS = 5.0
_SEVERAL = later("Several phones are connected. Choose one: type /phones, or name it with --serial.")
_USABLE = (PhoneState.READY, PhoneState.LOCKED, PhoneState.SCREEN_OFF)


class PhoneMonitor:
    """The phone in use, as the adb server lists it. All methods belong to the event loop's thread.

    `phone` is None until one was seen. `problem` says why it cannot be used, and what to do; empty if it can.

    Args:
        settings: which phone to use, and deadlines.
        notes: the folder for the choice of a phone, labels and keyboards.
        now: returns the local time with its zone.
        emit: called with events about the phone.
    """

    def __init__(
        self,
        settings: PhoneSettings,
        notes: Path,
        now: Callable[[], datetime],
        emit: Callable[[Event], None],
    ) -> None:
        self._settings = settings
        self._notes = notes
        self._now = now
        self._emit = emit
        self._adb = AdbServer(settings.adb_host, settings.adb_port)
        self._looked_once = asyncio.Event()
        self._following: asyncio.Task[None] | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._is_missing = asyncio.Event()
        self._moved: dict[str, str] = {}
        self._switching: asyncio.Task[None] | None = None
        self._identifying: dict[str, asyncio.Task[None]] = {}
        self._looks = asyncio.Lock()
        self._listed: Sequence[AdbDevice] = ()
        self._chosen = ""
        self._phones: dict[str, Phone] = {}
        self._choice = JsonFile(notes / CHOICE_FILE)
        self.phone: Phone | None = None
        self.problem = absent_error(settings.serial).sentence

    def start(self) -> None:
        """Begin to follow."""
        self._following = asyncio.create_task(self._follow())
        self._connecting = asyncio.create_task(self._connect_while_missing())

    async def close(self) -> None:
        """Follow no more."""
        started = (self._following, self._connecting, self._switching, *self._identifying.values())
        tasks: list[asyncio.Future[Any]] = [task for task in started if task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    @property
    def looking(self) -> bool:
        """Whether the device list has not been read yet, so that `problem` is only a guess."""
        return not self._looked_once.is_set()

    async def first_look(self) -> None:
        """Wait until the device list was read once."""
        await self._looked_once.wait()

    async def phones(self) -> list[PhoneStatus]:
        """All phones that are connected, in any state, each with what it can do now."""
        listed = list(self._listed)
        requests = (
            Phone(self._adb, device.serial, self._settings, self._notes).status() for device in listed
        )
        statuses = await asyncio.gather(*requests)
        return [
            replace(status, serial=device.serial, model=status.model or device.model)
            for device, status in zip(listed, statuses, strict=True)
        ]

    def others(self, also: str) -> list[Phone]:
        """The other phones that can be used now.

        Args:
            also: their serials with commas between, or `all`.
        """
        own = self.phone.serial if self.phone is not None else ""
        ready = [
            device.serial for device in self._listed if device.state == "device" and device.serial != own
        ]
        serials = [serial.strip() for serial in also.split(",")]
        chosen = ready if also.strip() == "all" else [serial for serial in ready if serial in serials]
        return [self._phone_of(serial) for serial in chosen]

    def connected(self, serial: str) -> Phone | None:
        """The phone of this serial, also at its new address; None while it is not connected.

        The same object each time, so that what works with a phone goes on when another one is used.
        """
        serial = self._moved.get(serial, serial)
        ready = (device.serial for device in self._listed if device.state == "device")
        return self._phone_of(serial) if serial in ready else None

    @property
    def names(self) -> list[tuple[str, str]]:
        """Serial and model of each connected phone."""
        return [(device.serial, _model(device)) for device in self._listed if device.state == "device"]

    def _phone_of(self, serial: str) -> Phone:
        if serial not in self._phones:
            self._phones[serial] = Phone(self._adb, serial, self._settings, self._notes)
        return self._phones[serial]

    def use(self, serial: str) -> None:
        """Use another phone, and remember the choice for when several are connected.

        `phone` is the other one at once, and `looking` holds until it was looked at.

        Raises:
            OSError: the choice cannot be remembered; it holds for now all the same.
        """
        self._chosen = serial
        before = self._switching
        if before is not None:
            before.cancel()
        self.phone = self.connected(serial)
        self.problem = "" if self.phone is not None else absent_error(serial).sentence
        self._looked_once.clear()
        self._switching = asyncio.create_task(self._switch())
        self._choice.change(lambda choice: choice | {"serial": serial})

    @property
    def shell(self) -> Shell | None:
        """A shell of its own on the phone, for questions beside a turn; None while it cannot be used."""
        if self.phone is None or self.problem:
            return None
        return Shell(self._adb, self.phone.serial, self._settings.command_deadline)

    async def _follow(self) -> None:
        """Follow the adb server's list; a server that is gone is asked again after a while."""
        while True:
            try:
                # Before the first look, which would tell that the phone is absent.
                await self._connect()
                async with aclosing(self._adb.watch()) as listings:
                    async for devices in listings:
                        await self._look_at(devices)
            except PhoneError as error:
                self._tell_problem(error)
            await asyncio.sleep(_ADB_RETRY_SECONDS)

    async def _connect_while_missing(self) -> None:
        """Try to connect to the required phone as long as it is not listed."""
        while True:
            await self._is_missing.wait()
            # `_follow` reports what is wrong with the server.
            with suppress(PhoneError):
                await self._connect()
            await asyncio.sleep(_ADB_RETRY_SECONDS)

    async def _connect(self) -> None:
        """Connect to the required phone at its address, or where it announces itself now; remember its name.

        Raises:
            PhoneError: there is no adb server.
        """
        serial = self._chosen or self._settings.serial
        if not ADDRESS.fullmatch(serial):
            return
        address, host = self._moved.get(serial, serial), serial.rpartition(":")[0]
        is_there = any(
            device.serial == address and device.state == "device" for device in await self._adb.devices()
        )
        if not is_there:
            await self._adb.connect(address)
        name = _service_names(self._choice.load()).get(serial)
        announced = [
            service
            for service in await self._adb.mdns_services()
            if service.kind == CONNECT_SERVICE
            and (service.name == name if name else service.address.rpartition(":")[0] == host)
        ]
        if len(announced) != 1:
            return
        (service,) = announced
        if not is_there and service.address != address:
            await self._adb.connect(service.address)
            self._moved[serial] = service.address
            await self._look_at(await self._adb.devices())
        if service.name != name:
            # Without the note, another phone that gets this host's address would be taken for this one.
            with suppress(OSError):
                self._choice.change(
                    lambda choice: choice | {"services": _service_names(choice) | {serial: service.name}}
                )

    async def _switch(self) -> None:
        try:
            await self._look_at(self._listed)
        except PhoneError as error:
            self._tell_problem(error)

    async def _look_at(self, devices: Sequence[AdbDevice]) -> None:
        self._listed = devices
        for phone in self.others("all"):
            reading = self._identifying.get(phone.serial)
            if not phone.identity and (reading is None or reading.done()):
                self._identifying[phone.serial] = asyncio.create_task(phone.read_identity())
        async with self._looks:
            await self._turn_to(self._choose(devices))

    async def _turn_to(self, serial: str) -> None:
        if any(device.serial == serial and device.state == "device" for device in self._listed):
            self._is_missing.clear()
        else:
            self._is_missing.set()
        if not serial:
            missing = absent_error(self._required_serial)
            several = len(self._listed) > 1 and not self._required_serial
            self._tell_problem(PhoneError(missing.state, _(_SEVERAL) if several else missing.sentence))
            return
        if self.phone is None or self.phone.serial != serial:
            self.phone = self._phone_of(serial)
        phone = self.phone
        await phone.restore_after_crash()
        status, _read = await asyncio.gather(phone.status(), phone.read_identity())
        if phone is not self.phone:
            return
        self.problem = "" if status.state in _USABLE else status.sentence
        self._emit(phone_event(status, self._now()))
        self._looked_once.set()

    @property
    def _required_serial(self) -> str:
        """The phone that must be used: the one chosen by hand, else the configured one."""
        serial = self._chosen or self._settings.serial
        return self._moved.get(serial, serial)

    def _choose(self, devices: Sequence[AdbDevice]) -> str:
        """The required phone, else the only one that is ready, else the only one, else the remembered one."""
        listed = [device.serial for device in devices]
        if self._required_serial:
            return self._required_serial if self._required_serial in listed else ""
        ready = [device.serial for device in devices if device.state == "device"]
        remembered = self._choice.load().get("serial", "")
        choices = (ready, listed, [serial for serial in listed if serial == remembered])
        return next((serials[0] for serials in choices if len(serials) == 1), "")

    def _tell_problem(self, error: PhoneError) -> None:
        self.problem = error.sentence
        self._emit(PhoneStateChanged(time=self._now(), state=error.state, sentence=error.sentence))
        self._looked_once.set()


def _service_names(choice: Mapping[str, Any]) -> dict[str, str]:
    """The names by which phones announce themselves, by their addresses."""
    names = choice.get("services")
    return names if isinstance(names, dict) else {}


def phones_named(line: str, names: Sequence[tuple[str, str]]) -> tuple[list[str], str]:
    """The serials of the phones that a line such as `@Pixel 8 order lunch` begins with, and what follows.

    A phone goes by its serial, by its model, or by a word of its model; the longest name counts. There are
    several serials where several phones go by it, and none where the line names no such phone.

    Args:
        line: begins with @.
        names: serial and model of each connected phone.
    """
    named: dict[int, set[str]] = {}
    for serial, model in names:
        for name in {serial, model, *model.split()} - {""}:
            match = re.match(rf"@{re.escape(name)}(?:[\s,:，：]+|$)", line, re.IGNORECASE)
            if match is not None:
                named.setdefault(match.end(), set()).add(serial)
    end = max(named, default=0)
    return sorted(named.get(end, ())), line[end:].strip()


def _model(device: AdbDevice) -> str:
    """The model of a phone in words; adb puts an underscore for a space."""
    return device.model.replace("_", " ").strip()


def phone_event(status: PhoneStatus, now: datetime) -> PhoneStateChanged:
    """The event that reports a phone's status."""
    return PhoneStateChanged(
        time=now,
        state=status.state,
        sentence=status.sentence,
        serial=status.serial,
        model=status.model,
        battery=status.battery,
    )

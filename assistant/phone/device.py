"""One connected Android phone: its state, what is on its screen, and doing actions on it."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path
from typing import assert_never

from assistant.config import PhoneSettings
from assistant.events import PhoneState
from assistant.observations import ForegroundApp, Observation
from assistant.phone.adb import AdbDevice, AdbServer
from assistant.phone.apps import Apps
from assistant.phone.errors import ActionRefused, PhoneError
from assistant.phone.input import KEY_BACK, KEY_ENTER, KEY_HOME, KEY_RECENTS, KEY_WAKE_UP, Touch, scroll_path
from assistant.phone.keyboard import Keyboard
from assistant.phone.labels import AppLabels
from assistant.phone.launcher import Launcher
from assistant.phone.note import KeyboardNote
from assistant.phone.observe import Observer
from assistant.phone.pictures import unmoved
from assistant.phone.screen import AdbScreenSource, ScreenSource
from assistant.phone.shell import BusyClock, Shell
from assistant.phone.states import PhoneStatus, absent, failure, listed_failure, sentence
from assistant.phone.window import Facts, facts_command, parse_facts
from assistant.records import (
    Action,
    AskUser,
    Click,
    Failed,
    Finished,
    LongClick,
    OpenApp,
    PressBack,
    PressEnter,
    PressHome,
    PressRecent,
    Scroll,
    Swipe,
    TakeOver,
    TypeText,
    Wait,
)

_PROPERTIES = "getprop ro.build.version.sdk; getprop ro.build.version.release; getprop ro.product.model"
_KEYS = {
    "press_back": KEY_BACK,
    "press_home": KEY_HOME,
    "press_recent": KEY_RECENTS,
    "press_enter": KEY_ENTER,
}
_STATUS = "echo '== battery'; dumpsys battery | grep level; echo '== size'; wm size"
# A key that does nothing: it shows whether input over adb is allowed.
_KEY_UNKNOWN = 0
_TICK = 0.25
_ADDRESS = re.compile(r"[\w.\-\[\]:]+:\d{1,5}")


class Phone:
    """One phone over an adb server. An empty serial takes the only phone there is."""

    def __init__(
        self,
        adb: AdbServer,
        serial: str,
        settings: PhoneSettings,
        keyboard_note: Path | None = None,
        labels_file: Path | None = None,
        source: ScreenSource | None = None,
    ) -> None:
        """Build a phone; nothing is sent to it yet.

        Args:
            adb: the server that knows the phone.
            serial: its serial or host:port.
            settings: deadlines.
            keyboard_note: where the user's keyboard is noted while it is replaced.
            labels_file: where app labels are remembered.
            source: another way to look at the screen than plain adb.
        """
        self._adb = adb
        self._clock = BusyClock()
        self._shell = Shell(adb, serial, settings.command_deadline, self._clock)
        self._settle_cap = settings.settle_cap
        self._source = source or AdbScreenSource(self._shell)
        self._touch = Touch(self._shell)
        self._keyboard = Keyboard(self._shell, self._touch, self._source, KeyboardNote(keyboard_note))
        launcher = Launcher(self._touch, self._source, settings.settle_cap)
        self._apps = Apps(self._shell, launcher, AppLabels(labels_file), self._foreground)
        self._observer = Observer(
            self._source,
            self._touch,
            lambda: asyncio.ensure_future(self._facts()),
            self._apps.label_of,
            settings.settle_cap,
        )
        self._sdk = 0
        self._forbids_input = False

    @property
    def serial(self) -> str:
        """The phone's serial; empty until the only phone was found."""
        return self._shell.serial

    @property
    def phone_seconds(self) -> float:
        """Seconds spent in phone commands so far; commands side by side count once."""
        return self._clock.seconds

    async def status(self) -> PhoneStatus:
        """The phone's state and what to do about it. Never raises."""
        try:
            await self._require_listed()
            return await self._asked_status()
        except PhoneError as error:
            return PhoneStatus(error.state, error.sentence, self.serial)

    async def wait_ready(self, limit: float) -> PhoneStatus:
        """Wait until the phone is ready, or the limit in seconds has passed.

        One on the network is connected again, a dark screen is switched on once.
        """
        loop = asyncio.get_running_loop()
        end = loop.time() + limit
        woken = False
        status = PhoneStatus(PhoneState.FROZEN, sentence(PhoneState.FROZEN), self.serial)
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(end):
                    status = await self.status()
                    if status.state is PhoneState.ABSENT and _ADDRESS.fullmatch(self.serial):
                        await self._reconnect()
                        status = await self.status()
                    if status.state is PhoneState.SCREEN_OFF and not woken:
                        woken = True
                        await self._wake_up()
                        status = await self.status()
            if status.state is PhoneState.READY or loop.time() >= end:
                return status
            await asyncio.sleep(min(_TICK, max(0.0, end - loop.time())))

    async def observe(self) -> Observation:
        """The screen once it has settled.

        Raises:
            PhoneError: the phone cannot be used.
        """
        await self._require_serial()
        return await self._observer.observe()

    async def perform(self, action: Action, seen: Observation) -> None:
        """Do one action on the screen that was seen.

        When the caller is cancelled, a command already sent is completed (see `settled_down`) and nothing
        more is sent.

        Raises:
            PhoneError: the phone cannot be used.
            ActionRefused: this action did not work.
            ValueError: the action is none for a phone.
        """
        await self._require_serial()
        try:
            await self._perform(action, seen)
        except PhoneError as error:
            self._forbids_input = error.state is PhoneState.NO_INPUT_PERMISSION
            raise

    async def settled_down(self) -> None:
        """Wait until no command of a cancelled `perform` is in flight any more."""
        await self._shell.settled_down()

    async def release(self) -> None:
        """Give the phone back to the user: their keyboard is restored. Again is harmless.

        Raises:
            PhoneError: the phone cannot be reached; the keyboard is restored next time.
        """
        await self.settled_down()
        await self._keyboard.restore()

    async def restore_after_crash(self) -> None:
        """Put back the keyboard that an earlier run left replaced.

        Raises:
            PhoneError: the phone cannot be reached.
        """
        await self._require_serial()
        await self._keyboard.restore()

    def lines(self, command: str) -> AsyncGenerator[str]:
        """The lines of a command that runs until the iterator is closed, such as `getevent -lt`."""
        return self._shell.stream(command)

    async def _perform(self, action: Action, seen: Observation) -> None:
        match action:
            case Click(point=point):
                await self._touch.tap(*seen.pixels(point))
            case LongClick(point=point):
                await self._touch.hold(*seen.pixels(point))
            case Scroll(point=point, direction=direction):
                await self._touch.swipe(*scroll_path(seen, point, direction))
            case Swipe(start=start, end=end):
                await self._touch.swipe(seen.pixels(start), seen.pixels(end))
            case TypeText(text=text):
                await self._keyboard.type(text, seen)
            case PressBack() | PressHome() | PressRecent() | PressEnter():
                await self._touch.key(_KEYS[action.type])
            case OpenApp(name=name):
                await self._apps.open(name)
            case Wait():
                await self._wait_for_change(seen)
            case Finished() | Failed() | AskUser() | TakeOver():
                raise ValueError(f"{action.type} is no action for a phone")
            case _:
                assert_never(action)

    async def _wait_for_change(self, seen: Observation) -> None:
        end = time.monotonic() + self._settle_cap
        while time.monotonic() < end:
            shot = await self._source.screenshot()
            if not await asyncio.to_thread(unmoved, seen.screenshot, shot.png):
                return

    async def _facts(self) -> Facts:
        if not self._sdk:
            self._sdk = _number((await self._shell.run("getprop ro.build.version.sdk")).text)
        return parse_facts((await self._shell.run(facts_command(self._sdk))).text)

    async def _foreground(self) -> ForegroundApp:
        return (await self._observer.observe()).app

    async def _asked_status(self) -> PhoneStatus:
        identity, rest, facts = await asyncio.gather(
            self._shell.run(_PROPERTIES), self._shell.run(_STATUS), self._facts()
        )
        sdk, release, model = (*identity.text.splitlines(), "", "", "")[:3]
        self._sdk = _number(sdk)
        battery = re.search(r"level: (\d+)", rest.text)
        sizes = re.findall(r"(?:Physical|Override) size: (\d+)x(\d+)", rest.text)
        state = await self._state(facts)
        return PhoneStatus(
            state=state,
            sentence=sentence(state),
            serial=self.serial,
            model=model.strip(),
            android=release.strip(),
            battery=int(battery[1]) if battery else None,
            screen=facts.size or ((int(sizes[-1][0]), int(sizes[-1][1])) if sizes else None),
        )

    async def _state(self, facts: Facts) -> PhoneState:
        if facts.awake is False:
            return PhoneState.SCREEN_OFF
        if facts.locked:
            return PhoneState.LOCKED
        if self._forbids_input and not await self._accepts_input():
            return PhoneState.NO_INPUT_PERMISSION
        self._forbids_input = False
        return PhoneState.READY

    async def _accepts_input(self) -> bool:
        try:
            await self._touch.key(_KEY_UNKNOWN)
        except PhoneError as error:
            if error.state is PhoneState.NO_INPUT_PERMISSION:
                return False
            raise
        except ActionRefused:
            return True
        return True

    async def _require_serial(self) -> None:
        if not self.serial:
            await self._require_listed()

    async def _require_listed(self) -> None:
        devices = await self._adb.devices()
        if not self.serial:
            self._shell.serial = _only(devices)
        states = {device.serial: device.state for device in devices}
        if error := listed_failure(states.get(self.serial, ""), self.serial):
            raise error

    async def _reconnect(self) -> None:
        with suppress(PhoneError):
            await self._adb.connect(self.serial)

    async def _wake_up(self) -> None:
        with suppress(PhoneError, ActionRefused):
            await self._touch.key(KEY_WAKE_UP)


def _only(devices: tuple[AdbDevice, ...]) -> str:
    if not devices:
        raise absent("")
    if len(devices) > 1:
        serials = ", ".join(device.serial for device in devices)
        raise failure(PhoneState.ABSENT, f"Several phones are connected: {serials}. Name one as serial.")
    return devices[0].serial


def _number(printed: str) -> int:
    digits = re.match(r"\s*(\d+)", printed)
    return int(digits[1]) if digits else 0

"""The simulated phone: services, apps, windows, shell, ADB daemon and control interface, joined."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, get_args

from assistant.simulator.adbd.auth import Authenticator, AuthMode
from assistant.simulator.adbd.backend import Frame
from assistant.simulator.adbd.daemon import AdbDaemon
from assistant.simulator.adbd.features import Identity, features_of
from assistant.simulator.adbd.traffic import Traffic
from assistant.simulator.android.hardware import Display
from assistant.simulator.android.profiles import Delays, Profile, Quirks, Release
from assistant.simulator.android.services import Services
from assistant.simulator.android.shell import Shell
from assistant.simulator.apps.base import BaseApp, Difficulties
from assistant.simulator.apps.catalogue import installable_apps, installed_apps
from assistant.simulator.apps.core import copied
from assistant.simulator.apps.host import Locale
from assistant.simulator.control import ControlServer
from assistant.simulator.lived_usage import lived_usage
from assistant.simulator.person import Person
from assistant.simulator.steered_clock import SteeredClock
from assistant.simulator.surface import as_png
from assistant.simulator.ui.windows import WindowManager


@dataclass(frozen=True, slots=True)
class PhoneOptions:
    """What the phone is like.

    `port` and `control_port` are on 127.0.0.1, 0 for any free one. `delays` scales a real phone's delays: 0
    for none, 1 for real ones. `start` is the phone's local time at the start, by default now. `profile` is
    the phone that it is like, by default none that is sold.

    Raises:
        ValueError: an Android version or a language that the simulator does not know.
    """

    port: int = 0
    control_port: int = 0
    android: Release = 12
    locale: Locale = "en"
    seed: int = 0
    delays: float = 0.0
    auth: AuthMode = AuthMode.OPEN
    size: tuple[int, int] = (1080, 2400)
    density: int = 420
    start: datetime | None = None
    difficulties: Difficulties = field(default_factory=Difficulties)
    profile: Profile | None = None

    def __post_init__(self) -> None:
        for value, supported in ((self.android, get_args(Release)), (self.locale, get_args(Locale))):
            if value not in supported:
                raise ValueError(f"The simulator knows {', '.join(map(str, supported))}, not {value}.")


@dataclass(frozen=True, slots=True)
class _Snapshot:
    apps: dict[str, dict[str, Any]]
    difficulties: Difficulties


class SimulatedPhone:
    """One phone on one event loop. Real adb reaches it at `serial` after `start`."""

    def __init__(self, options: PhoneOptions | None = None) -> None:
        self.options = options = options or PhoneOptions()
        self.clock = SteeredClock(options.start)
        profile = replace(options.profile or Profile(), release=options.android)
        scale = options.size[0] / profile.size[0]
        dark = profile.dark_panel
        self.services = Services(
            profile=profile,
            first_locale=options.locale,
            clock=self.clock,
            display=Display(
                physical=options.size,
                physical_density=options.density,
                dark_panel=(round(dark[0] * scale), round(dark[1] * scale)) if dark else None,
            ),
            quirks=Quirks(**profile.quirks),
            delays=Delays(factor=options.delays),
        )
        self._difficulties = options.difficulties
        self.windows = WindowManager(
            self.services,
            lambda host: installed_apps(host, self._difficulties),
            lambda host: installable_apps(host, self._difficulties),
            options.seed,
        )
        started = self.clock.now()
        self.services.usage_history = lambda: lived_usage(started)
        self.person = Person(self.services, self.windows)
        identity = Identity(
            profile.product, profile.model, profile.device, features=features_of(options.android)
        )
        self.daemon = AdbDaemon(
            Shell(self.services, self.windows),
            self.services.files,
            sockets=self.services,
            frame=self._frame,
            identity=identity,
            authenticator=Authenticator(options.auth),
            port=options.port,
        )
        self.control = ControlServer(self, options.control_port)
        self._snapshot = _Snapshot({}, options.difficulties)
        self._is_numbered = False
        self.snapshot()

    @property
    def serial(self) -> str:
        """What `adb connect` and `adb -s` take."""
        return self.daemon.serial

    @property
    def traffic(self) -> Traffic:
        """What hosts have sent."""
        return self.daemon.traffic

    async def start(self) -> None:
        """Listen for adb and for the control interface. Raises `OSError` when a port is taken."""
        await self.daemon.start()
        if not self._is_numbered:
            self.services.settings.secure["android_id"] = f"5f1d6a3e0b7c{self.daemon.port:04x}"
            self._is_numbered = True
        try:
            await self.control.start()
        except OSError:
            await self.daemon.stop()
            raise

    async def stop(self) -> None:
        """Throw everyone out and stop listening."""
        await self.control.stop()
        await self.daemon.stop()

    async def __aenter__(self) -> SimulatedPhone:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def state(self) -> dict[str, Any]:
        """Every app's state and every service's, as plain JSON values."""
        displays = self.services.displays.state()
        return {"apps": self._app_states(), "services": self.services.state(), "displays": displays}

    def snapshot(self) -> None:
        """Make the present state the one that `reset` returns to; the first one is the fresh phone."""
        self.services.mark()
        self._snapshot = _Snapshot(self._app_states(), self._difficulties)

    def reset(self) -> None:
        """Return to the snapshot: all services, all apps' data, the launcher on the screen, no faults.

        Authorizations that were revoked stay so, except on a phone that lets everyone in.
        """
        self.daemon.faults.restore()
        self.daemon.authenticator.set_mode(self.options.auth)
        identity = self.services.settings.secure["android_id"]
        self.services.reset()
        self.services.settings.secure["android_id"] = identity
        self._difficulties = self._snapshot.difficulties
        self.windows.reset()
        present = {app.package for app in self.windows.apps()}
        for package in present - self._snapshot.apps.keys():
            self.services.packages.remove(package)
        for package in self._snapshot.apps.keys() - present:
            self.windows.desk.install(package)
        for app in self.windows.apps():
            app.state.clear()
            app.state.update(copied(self._snapshot.apps[app.package]))
        self.windows.changed()

    def set_difficulties(self, switches: dict[str, bool]) -> None:
        """Switch what trips agents (advertisements, spinners, late content …) on or off in all apps."""
        self._difficulties = replace(self._difficulties, **switches)
        for app in self.windows.apps():
            if isinstance(app, BaseApp):
                app.difficulties = self._difficulties
        self.windows.changed()

    async def screenshot(self) -> bytes:
        """What a person sees on the screen, as PNG."""
        picture = self.windows.render()
        return await asyncio.to_thread(as_png, picture)

    async def _frame(self) -> Frame:
        picture = self.windows.render()
        pixels = await asyncio.to_thread(lambda: picture.convert("RGBA").tobytes())
        return Frame(picture.width, picture.height, pixels)

    def ready(self) -> dict[str, Any]:
        """What a program that starts the phone needs to know."""
        return {
            "serial": self.serial,
            "port": self.daemon.port,
            "control": self.control.url,
            "token": self.control.token,
            "android": self.options.android,
            "locale": self.options.locale,
        }

    def _app_states(self) -> dict[str, dict[str, Any]]:
        return {app.package: copied(app.state) for app in self.windows.apps()}


async def serve_phone(options: PhoneOptions, ready: Callable[[dict[str, Any]], None]) -> None:
    """Run a phone until cancelled; `ready` is told where. Raises `OSError` when a port is taken."""
    async with SimulatedPhone(options) as phone:
        ready(phone.ready())
        await asyncio.Event().wait()

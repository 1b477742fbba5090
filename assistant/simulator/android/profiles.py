"""Which Android the phone runs: what its build says of itself, and how its commands differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import Any, Literal

from assistant.files import read_words

Release = Literal[9, 12, 16]
Locale = Literal["en", "zh"]
LANGUAGE_TAGS: dict[Locale, str] = {"en": "en-US", "zh": "zh-CN"}
_LEVELS: dict[Release, int] = {9: 28, 12: 31, 16: 36}
_BUILDS: dict[Release, str] = {9: "PQ3A.190801.002", 12: "SP1A.210812.016", 16: "BP2A.250605.031"}


@dataclass(frozen=True, slots=True)
class Profile:
    """An Android release and the phone it runs on, with the ways in which it differs from others.

    `size` and `dark_panel` are pixels: of the screen, and of the closed panel of a foldable phone.
    `language` is what the system says that it speaks where its apps are English, as on a phone whose apps are
    not translated; else it is that of the apps.
    """

    release: Release = 12
    product: str = "sim_phone"
    model: str = "Sim Phone"
    device: str = "sim"
    serial: str = "SIM0123456789"
    brand: str = "example"
    manufacturer: str = "Example"
    size: tuple[int, int] = (1080, 2400)
    density: int = 420
    dark_panel: tuple[int, int] | None = None
    language: str = ""
    quirks: Mapping[str, Any] = field(default_factory=dict)

    @property
    def level(self) -> int:
        """The API level."""
        return _LEVELS[self.release]

    def properties(self, locale: Locale, zone: str) -> dict[str, str]:
        """What `getprop` lists on a fresh phone."""
        build = _BUILDS[self.release]
        language = self.language if self.language and locale == "en" else LANGUAGE_TAGS[locale]
        fingerprint = f"{self.brand}/{self.product}/{self.device}:{self.release}/{build}/1:user/release-keys"
        return {
            "gsm.operator.alpha": "Example Mobile",
            "gsm.sim.operator.iso-country": "cn",
            "init.svc.adbd": "running",
            "persist.sys.locale": language,
            "persist.sys.timezone": zone,
            "ro.build.characteristics": "default",
            "ro.build.fingerprint": fingerprint,
            "ro.build.id": build,
            "ro.build.type": "user",
            "ro.build.version.release": str(self.release),
            "ro.build.version.sdk": str(self.level),
            "ro.product.brand": self.brand,
            "ro.product.cpu.abi": "arm64-v8a",
            "ro.product.device": self.device,
            "ro.product.manufacturer": self.manufacturer,
            "ro.product.model": self.model,
            "ro.product.name": self.product,
            "ro.serialno": self.serial,
            "sys.boot_completed": "1",
        }


@cache
def named_profiles() -> dict[str, Profile]:
    """The phones that `profiles.yaml` describes, by name."""
    profiles = {}
    for name, values in read_words("assistant.simulator.android", "profiles.yaml").items():
        pairs = {key: tuple(values[key]) for key in ("size", "dark_panel") if key in values}
        code = {"product": name.replace("-", "_"), "device": name.replace("-", "_")}
        profiles[name] = Profile(**{**code, **values, **pairs})
    return profiles


class ResidentFault(Enum):
    """What is wrong with the phone's uiautomator2 server.

    TAKEN: another program has the UiAutomation connection. SILENT: it starts and never listens. EMPTY, STALE:
    its trees have no nodes, or are the first one for ever. STALE_FINDS: the same of what its finds see. SLOW:
    a tree takes an hour. OLD: a version before 0.4.0, whose trees cannot be had of the active window alone
    (openatx/uiautomator2#1188).
    """

    NONE = "none"
    TAKEN = "taken"
    SILENT = "silent"
    EMPTY = "empty"
    STALE = "stale"
    STALE_FINDS = "stale finds"
    SLOW = "slow"
    OLD = "old"


@dataclass(slots=True)
class Quirks:
    """Ways in which some phones differ, for tests.

    `input_denied`: MIUI without "USB debugging (Security settings)".
    `drop_input`: `input` says nothing and does nothing.
    `secure_error`: screencap prints an error for secure windows instead of a black picture.
    `null_root`: uiautomator finds no root.
    `never_idle`: the screen never rests.
    `masked_cells`: cell ids are starred out.
    `input_method_stuck`: `ime set` says yes and does nothing.
    `ime_denied`: OPPO without "Disable permission monitoring": `ime` may not be used.
    `takes_no_paste`: fields take nothing from the clipboard, as some of banks do.
    `install_denied`: MIUI without "Install via USB".
    `composes`: the user's keyboard is for Chinese and composes words of the letters that keys type.
    `virtual_display`: a second display without focus comes first in `dumpsys window displays`.
    `black_displays`: MIUI: what runs on a virtual display is black, and has no nodes.
    `hands_over`: packages that draw nothing, each with the one that it hands over to, empty for none:
    `am start -W` never ends for them (appium#12962, #15620).
    `main_only`: a package that may not be started on another display than the phone's own.
    `silent_launcher`: the launcher prints no labels.
    `slides`: seconds for which a new page slides in. Its tree is that of the page at rest at once, as the
    system moves only the surface.
    `slow_gzip`: a processor or a connection on which packed pixels take longer than a PNG.
    `extra_nodes`: so many nodes more are in each tree, as on long lists and web pages.
    `resident`: what is wrong with uiautomator2's server.
    """

    input_denied: bool = False
    drop_input: bool = False
    secure_error: bool = False
    null_root: bool = False
    never_idle: bool = False
    masked_cells: bool = False
    input_method_stuck: bool = False
    ime_denied: bool = False
    takes_no_paste: bool = False
    install_denied: bool = False
    composes: bool = False
    virtual_display: bool = False
    black_displays: bool = False
    hands_over: dict[str, str] = field(default_factory=dict)
    main_only: str = ""
    silent_launcher: bool = False
    slides: float = 0.0
    slow_gzip: bool = False
    extra_nodes: int = 0
    resident: ResidentFault = ResidentFault.NONE


# A picture is captured, then made a PNG by `screencap -p` or packed by gzip. A Pixel 6a takes 0.58 s for the
# one and 0.35 s for the other (tianhaishun/app-coldstart, AGENTS.md); the median of published times as PNG is
# 0.6 s, which in the same proportion gives 0.36 s. A capture alone takes 0.17 to 0.25 s (scrcpy#112; another
# program times it on the phone). A slow phone packs a picture in 0.8 s (MaaAssistantArknights#11242). A find
# takes 7 to 32 ms (mobile-next/mobilecli#286).
_SECONDS = {
    "screencap": 0.2,
    "png": 0.4,
    "gzip": 0.16,
    "slow gzip": 0.6,
    "uiautomator": 2.2,
    "input": 0.35,
    "am": 0.4,
    "am start": 0.9,
    "monkey": 1.1,
    "ime": 0.3,
    "cmd": 0.12,
    "pm": 0.5,
    "wm": 0.12,
    "settings": 0.12,
    "content": 0.4,
    "svc": 0.4,
    "dumpsys": 0.15,
    "dumpsys activity top": 5.0,
    "dumpsys notification": 0.4,
    "idle": 10.0,
    "app_process": 1.3,
    "u2 dump": 0.4,
    "u2 find": 0.03,
    "u2 picture": 0.2,
    "u2 tap": 0.12,
    "u2 key": 0.02,
}


@dataclass(slots=True)
class Delays:
    """What commands cost on a real phone, in seconds, times a factor: 0 never waits, 1 is a real phone.

    `work` is what the simulator's own work on a command took the last time: it is part of those seconds.
    """

    factor: float = 0.0
    seconds: dict[str, float] = field(default_factory=lambda: dict(_SECONDS))
    work: dict[str, float] = field(default_factory=dict)

    def of(self, name: str) -> float:
        """Seconds for a command, or for its first words (`dumpsys activity top`) where they are listed."""
        words = name.split()
        for count in range(len(words), 0, -1):
            seconds = self.seconds.get(" ".join(words[:count]))
            if seconds is not None:
                return max(0.0, seconds * self.factor - self.work.get(name, 0.0))
        return 0.0

"""Intents as `am` reads and prints them, and which app answers one."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from assistant.simulator.android.command import Arguments, Context
from assistant.simulator.android.commands.common import short_class, split_component, whole_number

MAIN = "android.intent.action.MAIN"
VIEW = "android.intent.action.VIEW"
LAUNCHER = "android.intent.category.LAUNCHER"
HOME = "android.intent.category.HOME"
_EXTRA = re.compile(r"-e|--e(?:[silfdzu]|cn|[ilfs]al?)")
_WITH_VALUE = frozenset(
    ("-a", "-c", "-d", "-t", "-f", "-p", "-n", "--esn", "--user", "--display", "--windowingMode", "-R", "-P")
)
_SCHEMES = {
    "geo": "com.example.maps",
    "google.navigation": "com.example.maps",
    "http": "com.example.browser",
    "https": "com.example.browser",
    "mailto": "com.example.mail",
    "market": "com.example.store",
    "sms": "com.example.chat",
    "smsto": "com.example.chat",
    "tel": "com.example.dialer",
}
_SETTINGS = "android.settings."
_ACTIONS = {
    "android.intent.action.DIAL": "com.example.dialer",
    "android.intent.action.SET_ALARM": "com.example.clock",
    "android.intent.action.SHOW_ALARMS": "com.example.clock",
    "android.intent.action.WEB_SEARCH": "com.example.browser",
}


@dataclass(slots=True)
class Intent:
    """What to start or tell, and to whom."""

    action: str = ""
    categories: list[str] = field(default_factory=list)
    data: str = ""
    kind: str = ""
    flags: int = 0
    package: str = ""
    component: tuple[str, str] | None = None
    extras: dict[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """What an app is to show: a URI, or a page of the settings by its action; empty if only the app."""
        is_setting = self.action.startswith(_SETTINGS) and self.action != f"{_SETTINGS}SETTINGS"
        return self.data or (self.action if is_setting else "")

    def __str__(self) -> str:
        """`Intent { act=… cat=[…] dat=… flg=0x… cmp=… (has extras) }`."""
        parts = [
            f"act={self.action}" if self.action else "",
            f"cat=[{','.join(self.categories)}]" if self.categories else "",
            f"dat={self.data}" if self.data else "",
            f"typ={self.kind}" if self.kind else "",
            f"flg={self.flags:#x}" if self.flags else "",
            f"pkg={self.package}" if self.package else "",
            "cmp={}/{}".format(*self.component) if self.component else "",
            "(has extras)" if self.extras else "",
        ]
        return f"Intent {{ {' '.join(part for part in parts if part)} }}"


@dataclass(slots=True)
class Request:
    """An `am` call: its intent and the options of the call itself, `unknown` being one that nobody knows."""

    intent: Intent
    wait: bool = False
    stop_first: bool = False
    display: int | None = None
    unknown: str = ""
    bad_component: str = ""


def read_intent(words: list[str]) -> Request:
    """Read the arguments of `am start` or `am broadcast`. Raises `JavaError` where a value is missing."""
    arguments = Arguments(words)
    request = Request(Intent())
    intent = request.intent
    while (word := arguments.next()) is not None and not request.unknown and not request.bad_component:
        if _EXTRA.fullmatch(word):
            name = arguments.required()
            intent.extras[name] = arguments.required()
        elif word in _WITH_VALUE:
            _set(request, word, arguments.required())
        elif word == "-W":
            request.wait = True
        elif word == "-S":
            request.stop_first = True
        elif not word.startswith("-"):
            _read_target(intent, word)
        elif not word.startswith("--"):
            request.unknown = word
    return request


def _set(request: Request, option: str, value: str) -> None:
    intent = request.intent
    match option:
        case "-a":
            intent.action = value
        case "-c":
            intent.categories.append(value)
        case "-d":
            intent.data = value
        case "-t":
            intent.kind = value
        case "-f":
            intent.flags = whole_number(value)
        case "-p":
            intent.package = value
        case "-n":
            intent.component = split_component(value)
            request.bad_component = "" if intent.component else value
        case "--display":
            request.display = whole_number(value)
        case "--esn":
            intent.extras[value] = ""


def _read_target(intent: Intent, word: str) -> None:
    """A bare word is a URI, a component, or a package."""
    if ":" in word:
        intent.data = word
        intent.action = intent.action or VIEW
    elif "/" in word:
        intent.component = split_component(word)
    else:
        intent.package = word
        intent.action = intent.action or MAIN
        intent.categories = intent.categories or [LAUNCHER]


def resolve(context: Context, intent: Intent) -> tuple[str, str] | None:
    """Package and short class of what answers an intent; a named component is not checked."""
    if intent.component is not None:
        return intent.component
    answering = _answering(context, intent)
    if intent.address and intent.package not in ("", answering):
        return None
    package = intent.package or answering
    installed = context.services.packages.installed.get(package)
    if installed is None or not installed.activity:
        return None
    return package, short_class(package, installed.activity)


def _answering(context: Context, intent: Intent) -> str:
    if HOME in intent.categories:
        return "com.android.launcher3"
    if intent.action.startswith(_SETTINGS):
        return "com.android.settings"
    scheme = intent.data.partition(":")[0].lower()
    package = _ACTIONS.get(intent.action) or _SCHEMES.get(scheme, "")
    return package if package in context.services.packages.installed else ""

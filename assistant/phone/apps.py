"""Opens apps by the name under their launcher icon.

adb lists components but not labels. A name is looked for in this order: labels remembered in `AppLabels`;
package names; the dump that many launchers print, read once for each set of installed apps; a table of widely
used apps; names that are part of only one package's name. At last, `Launcher` pages through home screen and
app drawer, where every phone shows labels.

A work profile and twin apps belong to other Android users, with packages of the same names. The user's own
app is opened unless a name such as “Chat (Work profile)” says otherwise, or only another user has the app.
Source: AOSP `com.android.launcher3.Launcher.dump` prints each app's title and package.
"""

from __future__ import annotations

import asyncio
import logging
import re
import shlex
import time
import unicodedata
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from rapidfuzz import fuzz, process, utils

from assistant.events import PhoneState
from assistant.files import JsonFile
from assistant.phone.adb import Output, Shell
from assistant.phone.errors import ActionRefused, PhoneError, Refusal
from assistant.phone.screen import ScreenSource, settled_look
from assistant.phone.status import OWN_DISPLAY, WindowFacts, read_front
from assistant.phone.touches import KEY_HOME, Touch, find_error_line
from assistant.phone.ui_tree import UiTree
from assistant.records import COMMON_PARTS, Bounds, Element

LABELS = "labels.json"
"""The file in the store's folder that remembers labels."""

_log = logging.getLogger(__name__)

_SAME = 90
_NEAR = 80  # Of 100. At 50 “Messages” is told “Maps” and “Notes” by its letters.
_NEAREST = 3
_MOST_TOLD = 100
_TITLE = re.compile(r'title="([^"\n]*)".*?componentName=(?:ComponentInfo\{)?([A-Za-z][\w.]*)')
_COMPONENT = re.compile(r"\s*([A-Za-z][\w.]*)/([\w.$]+)\s*")


def known_apps(folder: Path) -> list[str]:
    """The labels of the apps that the user's phones have shown so far, in alphabetical order."""
    labels_by_phone = JsonFile(folder / LABELS).load().values()
    return sorted({str(label) for labels in labels_by_phone if isinstance(labels, dict) for label in labels})


class AppLabels:
    """Labels and components of the apps on each phone, remembered in a file where a path is given."""

    def __init__(self, path: Path | None = None) -> None:
        self._note = JsonFile(path)

    def of(self, serial: str) -> dict[str, str]:
        """Components by label."""
        return _labels_in(self._note.load(), serial)

    def learn(self, serial: str, label: str, component: str) -> None:
        """Remember the component that an icon's label starts."""
        self._change(serial, lambda labels: labels | {label: component})

    def learn_all(self, serial: str, components_by_label: Mapping[str, str]) -> None:
        """Remember the labels that a launcher printed; they replace labels learnt before."""
        if components_by_label:
            self._change(serial, lambda labels: labels | dict(components_by_label))

    def forget(self, serial: str, component: str) -> None:
        """Forget a component that is gone, or whose label was wrong."""
        self._change(
            serial,
            lambda labels: {label: labelled for label, labelled in labels.items() if labelled != component},
        )

    def _change(self, serial: str, edit: Callable[[dict[str, str]], dict[str, str]]) -> None:
        try:
            self._note.change(lambda phones: phones | {serial: edit(_labels_in(phones, serial))})
        except OSError as error:
            # It only saves time: without it the launcher is asked again.
            _log.warning("what apps are called is not kept: %s", error)

    def label(self, serial: str, package: str) -> str:
        """The label of a package; empty if it is not known."""
        labels = (label for label, component in self.of(serial).items() if component.split("/")[0] == package)
        return next(labels, "")


def _labels_in(phones: Mapping[str, Any], serial: str) -> dict[str, str]:
    """Components by label of one phone, from what is kept of all."""
    labels = phones.get(serial, {})
    if not isinstance(labels, dict):
        return {}
    return {str(label): component for label, component in labels.items() if isinstance(component, str)}


def parse_components(printed: str) -> tuple[str, ...]:
    """The components in what `cmd package query-activities --brief` printed, in its order."""
    matches = (_COMPONENT.fullmatch(line) for line in printed.splitlines())
    return tuple(dict.fromkeys(f"{match[1]}/{match[2]}" for match in matches if match))


def parse_launcher_dump(printed: str, components: Sequence[str]) -> dict[str, str]:
    """Components by label in what a launcher's dump printed; labels that two apps share are left out.

    Args:
        printed: lines such as `title="Maps" bitmapIcon=… componentName=org.maps.app`.
        components: what is installed, the first of each package is taken.
    """
    first_by_package: dict[str, str] = {}
    for component in components:
        first_by_package.setdefault(component.split("/")[0], component)
    packages_by_label: dict[str, set[str]] = {}
    for match in _TITLE.finditer(printed):
        if match[2] in first_by_package and match[1].strip():
            packages_by_label.setdefault(match[1].strip(), set()).add(match[2])
    return {
        label: first_by_package[next(iter(packages))]
        for label, packages in packages_by_label.items()
        if len(packages) == 1
    }


@cache
def well_known_apps() -> dict[str, tuple[str, ...]]:
    """Packages by the normalised names of widely used apps."""
    text = files(__package__).joinpath("well_known_apps.yaml").read_text("utf-8")
    packages: dict[str, tuple[str, ...]] = {}
    for package, names in yaml.safe_load(text).items():
        for name in map(normalize_name, names):
            packages[name] = (*packages.get(name, ()), package)
    return packages


def well_known(name: str, components: Iterable[str]) -> str | None:
    """The installed component of a widely used app with this name; None if there is none or several."""
    packages = well_known_apps().get(normalize_name(name), ())
    matches = [component for component in components if component.split("/")[0] in packages]
    return matches[0] if len({component.split("/")[0] for component in matches}) == 1 else None


def find_missing(order: str, labels: Sequence[str]) -> str:
    """The widely used app that an order is to be carried out in and that no label of a phone names.

    Empty where there is none, or where no label is known. An app has several names: WeChat is 微信.
    One of the system may be there by another: “photos” are in the Gallery too, and 日历 is Kalender on a
    German phone. Only the place of a name tells it from the words of a message or a title.
    """
    normalized_order = normalize_name(order)
    longer = [label for label in map(normalize_name, labels) if label in normalized_order]
    for pattern, ends in _NAMES_APP if labels else ():
        match = pattern.match(order)
        words, start = (match[1], match.start(1)) if match else ("", 0)
        for name in (words[:end] for end in range(len(words), 1, -1) if ends.match(order, start + end)):
            packages = set(well_known_apps().get(normalize_name(name), ()))
            is_system = any(package.startswith(_OF_SYSTEM) for package in packages)
            if not packages or (is_system and " " not in name.strip()):
                continue
            names = (each for each, of in well_known_apps().items() if packages & set(of))
            is_part = any(normalize_name(name) in label for label in longer)
            return "" if is_part or any(same_label(each, labels) for each in names) else name.strip()
    return ""


_OF_SYSTEM = ("com.android.", "com.google.android.", "com.sec.android.")
# What stands before the name of an app from the beginning of an order on, and what ends the name.
_NAMES_APP = tuple(
    (re.compile(before + name), re.compile(end))
    for before, name, end in (
        # Written small it may be a plain noun: “in teams of two”.
        (r"\s*(?:[Ii]n|[Oo]n|[Vv]ia|[Uu]sing|[Ww]ith)\s+", r"((?:[A-Z][\w.]+\s?){1,3})", r"\b"),
        (r"(?i)\s*(?:open|launch)\s+", r"((?:[a-z][\w.]*\s?){1,3})", r"\s*(?:$|[,.;!]|(?:and|then)\b)"),
        # “Text mom hi in …”, where hardly anything of a message is said, and not where somebody is.
        (
            r"(?i)\s*[^\W\d_]+(?: to)?(?: (?!(?:im|hes|shes|its|theyre|youre) )[^\W\d_]+){1,2} "
            r"(?:in|on|via|using|through|with) ",
            r"((?:[a-z][\w.]*\s?){1,3})",
            r"(?i)\s*(?:[.!]?\s*$|that\b)",
        ),
        # What is sent may be called after its app: 给…发微信说…, “WhatsApp mom that …”.
        (
            r"\s*(?:(?!说|告诉|[，,。：:“\"「]).){0,14}?(?:发|回|打)(?:个|条|一[个条])?",
            r"([\u4e00-\u9fffA-Za-z]{2,12})",
            "(?![的就了过])",
        ),
        (r"\s*", r"([\u4e00-\u9fffA-Za-z]{2,12})", "(?=[问给跟告])"),
        (r"\s*(?:[Ss]end (?:[\w']+ )?an? )?", r"([A-Z][a-z]+[A-Z]\w*)", r" +\w"),
        # 在…看到的 says where something was seen.
        (r"\s*(?:用|通过|打开|在(?!.*的))\s*", r"([\u4e00-\u9fffA-Za-z]{2,12})", ""),
    )
)


def normalize_name(name: str) -> str:
    """A name without case, spaces and width variants."""
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())


def same_label(name: str, labels: Iterable[str]) -> str | None:
    """The label that equals a name apart from case and spaces, else the only very similar one."""
    choices = {label: normalize_name(label) for label in labels}
    normalized_name = normalize_name(name)
    for label, normalized_label in choices.items():
        if normalized_label == normalized_name:
            return label
    close = process.extract(normalized_name, choices, scorer=fuzz.ratio, score_cutoff=_SAME, limit=2)
    return close[0][2] if len(close) == 1 else None


def named_by_package(name: str, components: Iterable[str]) -> str | None:
    """The only component with the name among the telling parts of its package; None for none or several."""
    word = re.sub(r"\W", "", normalize_name(name))
    if word in COMMON_PARTS:
        return None
    matches = [
        component for component in components if word and word in telling_parts(component.split("/")[0])
    ]
    return matches[0] if len({component.split("/")[0] for component in matches}) == 1 else None


def telling_parts(package: str) -> list[str]:
    """The parts of a package's name that may be the app's name."""
    return [part for part in package.casefold().split(".") if part not in COMMON_PARTS]


def nearest(name: str, labels: Iterable[str]) -> list[str]:
    """The labels that a slip may have made of a name, best first; none where no label is written alike."""
    choices = list(dict.fromkeys(labels))
    matches = process.extract(
        name, choices, scorer=fuzz.WRatio, processor=utils.default_process, score_cutoff=_NEAR, limit=_NEAREST
    )
    return [label for label, _, _ in matches]


_USER = re.compile(r"UserInfo\{(\d+):(.*):([0-9a-f]+)\}")
_PROFILE_NAMED = re.compile(r"(.+?)\s*[(（]([^()（）]+)[)）]\s*")
# AOSP android.content.pm.UserInfo: guests and full users are no profiles of the user in front.
_GUEST, _MANAGED, _FULL = 0x4, 0x20, 0x400
_WORK_WORDS = ("work", "work profile", "工作", "工作资料")
_TWIN_WORDS = ("twin", "dual", "clone", "second", "分身", "双开", "应用双开", "应用分身")


@dataclass(frozen=True, slots=True)
class PhoneUser:
    """Another Android user whose apps the user sees beside their own: a work profile, or twin apps."""

    user: int
    name: str
    managed: bool

    def is_called(self, word: str) -> bool:
        """Whether a word means this profile: its name, or the usual words for its kind."""
        words = (self.name, *(_WORK_WORDS if self.managed else _TWIN_WORDS))
        return normalize_name(word) in map(normalize_name, words)

    def label(self, name: str) -> str:
        """How an app of the profile is called."""
        return f"{name} ({self.name})"


def parse_profiles(printed: str) -> tuple[PhoneUser, ...]:
    """The profiles in what `am get-current-user; pm list users` printed.

    Lines are `UserInfo{10:Work profile:1030} running`: id, name, flags in hexadecimal.
    """
    first, _, _ = printed.strip().partition("\n")
    current = int(first) if first.strip().isdecimal() else 0
    matches = [(int(match[1]), match[2], int(match[3], 16)) for match in _USER.finditer(printed)]
    return tuple(
        PhoneUser(user, name.strip() or str(user), bool(flags & _MANAGED))
        for user, name, flags in matches
        if user not in (0, current) and not flags & (_GUEST | _FULL)
    )


_DRAWER_PAGES = 30
_HOME_PAGES = 10


class Launcher:
    """Pages through home screen, app drawer and further home pages.

    `labels` are those seen so far, `package` is the launcher's own.
    """

    def __init__(self, touch: Touch, source: ScreenSource, cap: float) -> None:
        self._touch = touch
        self._source = source
        self._cap = cap
        self.labels: set[str] = set()
        self.package = ""

    async def tap(self, name: str) -> str | None:
        """Tap the icon with a name; returns the label as shown, or None if there is no such icon."""
        await self._touch.key(KEY_HOME)
        tree = await self._read()
        if tree is None:
            return None
        self.package = next((element.package for element in tree.elements), "")
        screen = _screen(tree)
        return (
            await self._tap_in(tree, name)
            or await self._leaf(name, tree, _DRAWER_PAGES, lambda: self._swipe_up(screen))
            or await self._leaf_home(name, screen)
        )

    async def _leaf_home(self, name: str, screen: Bounds) -> str | None:
        """Look through the pages beside the home screen, as on launchers without a drawer."""
        await self._touch.key(KEY_HOME)
        tree = await self._read()
        return await self._leaf(name, tree, _HOME_PAGES, lambda: self._swipe_left(screen)) if tree else None

    async def _leaf(
        self, name: str, tree: UiTree, pages: int, turn: Callable[[], Awaitable[None]]
    ) -> str | None:
        before = set(icons(tree))
        for _ in range(pages):
            await turn()
            following = await self._read()
            if following is None or set(icons(following)) == before:
                return None
            if label := await self._tap_in(following, name):
                return label
            before = set(icons(following))
        return None

    async def _tap_in(self, tree: UiTree, name: str) -> str | None:
        icons_by_label = icons(tree)
        self.labels.update(icons_by_label)
        label = same_label(name, icons_by_label)
        if label is not None:
            await self._touch.tap(*icons_by_label[label].bounds.centre)
        return label

    async def _read(self) -> UiTree | None:
        return (await settled_look(self._source, self._cap)).tree

    async def _swipe_up(self, screen: Bounds) -> None:
        x = screen.centre[0]
        await self._touch.swipe((x, screen.height * 4 // 5), (x, screen.height * 3 // 10))

    async def _swipe_left(self, screen: Bounds) -> None:
        y = screen.centre[1]
        await self._touch.swipe((screen.width * 9 // 10, y), (screen.width // 10, y))


def icons(tree: UiTree) -> dict[str, Element]:
    """The tappable elements on a launcher's page by text or description; the first of each label."""
    icons_by_label: dict[str, Element] = {}
    for element in tree.elements:
        label = element.text or element.description
        tappable = element.clickable or (element.parent >= 0 and tree.elements[element.parent].clickable)
        if label and tappable and not element.editable and element.bounds.area > 0:
            icons_by_label.setdefault(label, element)
    return icons_by_label


def _screen(tree: UiTree) -> Bounds:
    return Bounds(
        0,
        0,
        max((element.bounds.right for element in tree.elements), default=1),
        max((element.bounds.bottom for element in tree.elements), default=1),
    )


_MAIN = "-a android.intent.action.MAIN -c android.intent.category.LAUNCHER"
_QUERY = f"cmd package query-activities --brief {_MAIN}"
_QUERY_HOME = (
    "cmd package resolve-activity --brief -a android.intent.action.MAIN -c android.intent.category.HOME"
)
_QUERY_USERS = "am get-current-user; pm list users"
_HOME_LABEL = "Home screen"
_CHOOSER = "android"
# A new task, or the running one as it was left: what a launcher does.
_LAUNCH_FLAGS = 0x10200000
# A new task in which the pages of the running one are finished first (FLAG_ACTIVITY_CLEAR_TASK). Unlike
# `am force-stop` it leaves the app's services and alarms alone.
_LAUNCH_ANEW_FLAGS = 0x10008000
_NEW_TASK = 0x10000000
_SETTINGS = re.compile(r"android\.settings\.(?:[A-Z0-9_]+_)?SETTINGS")
_VIEWS = {
    "geo": "android.intent.action.VIEW",
    "http": "android.intent.action.VIEW",
    "https": "android.intent.action.VIEW",
    "mailto": "android.intent.action.SENDTO",
    "tel": "android.intent.action.DIAL",
}
"""The intent for each kind of address. Each shows something and leaves the deed to a button: not CALL."""
_POLL = 0.02
# A cold start takes 0.6 to 4 s until it draws, and the focus may be empty for 3 s of them.
_COLD_START = 6.0
_START_COMMAND = 8.0
"""Seconds after which `am start` or `monkey` is not waited for: which app is in front is asked anyway."""
_NOTHING_CAME = "nothing came up"
_FAILED = ("Error type", "does not exist", "Error:", "Exception", "No activities found", "aborted")


@dataclass(frozen=True, slots=True)
class AppStart:
    """How an app is started: as it was left, `anew` on its first page, or `at` an address, see `OpenApp`.

    `before` is the package in front, where that has just been seen.
    """

    anew: bool = False
    at: str = ""
    before: str = ""

    def intent(self, component: str) -> str:
        """The intent as `am start` takes it, answered by the component or, at an address, by its app.

        Raises:
            ActionRefused: nothing opens at this address.
        """
        flags = _LAUNCH_ANEW_FLAGS if self.anew else _NEW_TASK if self.at else _LAUNCH_FLAGS
        if not self.at:
            return f"-n {shlex.quote(component)} {_MAIN} -f {flags:#x}"
        package = shlex.quote(component.split("/")[0])
        if _SETTINGS.fullmatch(self.at):
            return f"-a {self.at} -p {package} -f {flags:#x}"
        action = _VIEWS.get(self.at.partition(":")[0].lower())
        if action is None or not self.at.isprintable():
            raise ActionRefused(Refusal.NO_ADDRESS.format(address=self.at))
        return f"-a {action} -d {shlex.quote(self.at)} -p {package} -f {flags:#x}"


_AS_LEFT = AppStart()


class Apps:
    """Opens apps on one phone. Methods raise `PhoneError` when the phone is lost."""

    def __init__(
        self,
        shell: Shell,
        launcher: Launcher,
        labels: AppLabels,
        facts: Callable[[], Awaitable[WindowFacts]],
        start_limit: float,
        display: str = "",
    ) -> None:
        """Build the opener.

        Args:
            shell: runs commands.
            launcher: finds icons.
            labels: the labels known so far.
            facts: reads which app is in front.
            start_limit: maximum seconds until a tapped icon's app is in front.
            display: the display to open apps on; empty leaves it to the phone. On another one than the
                phone's own there is no launcher, and an app that the user has in front is left to them.
        """
        self._display = display
        self._is_apart = display not in ("", OWN_DISPLAY)
        self._shell = shell
        self._launcher = launcher
        self._labels = labels
        self._facts = facts
        self._start_limit = start_limit
        self._home: str | None = None
        self._profiles: tuple[PhoneUser, ...] | None = None
        self._asked_with: tuple[str, ...] = ()

    def names(self) -> tuple[str, ...]:
        """The labels known so far, without asking the phone."""
        return tuple(sorted(self._labels.of(self._shell.serial)))

    async def learn_labels(self) -> None:
        """Learn all labels that the launcher tells, where none is known: a command may name apps at once."""
        if self.names():
            return
        with suppress(PhoneError):
            await self._ask_launcher(await self._components())

    async def label_of(self, package: str, user: int = 0) -> str:
        """The label of a package of an Android user; empty if it is not known.

        The label names the work profile or twin app, so that it is not mistaken for the user's own app.
        """
        label = self._labels.label(self._shell.serial, package) or (
            _HOME_LABEL if package == await self._home_package() else ""
        )
        if user == 0:
            return label
        profile = next((each for each in await self._other_users() if each.user == user), None)
        return profile.label(label or package) if profile else label

    async def open(self, name: str, how: AppStart = _AS_LEFT) -> None:
        """Bring an app to the front.

        An app that only its icon can start comes up as it was left, and is not opened at an address.

        Raises:
            ActionRefused: no app has that name, several profiles have it, it does not start, or nothing is
                at this address.
        """
        named = _PROFILE_NAMED.fullmatch(name)
        if named is not None and any(each.is_called(named[2]) for each in await self._other_users()):
            called = [each for each in await self._other_users() if each.is_called(named[2])]
            if not await self._open_in(called, named[1], how):
                raise ActionRefused(Refusal.NO_APP.format(name=name))
            return
        components_by_label = self._labels.of(self._shell.serial)
        label = same_label(name, components_by_label)
        if label is not None and await self._start(components_by_label[label], how):
            return
        components = await self._components()
        exact = next((component for component in components if component.split("/")[0] == name.strip()), None)
        if exact is not None and await self._start(exact, how):
            return
        launcher_labels = await self._ask_launcher(components)
        label = same_label(name, launcher_labels)
        if label is not None and await self._start(launcher_labels[label], how):
            return
        component = well_known(name, components) or named_by_package(name, components)
        if component is not None and await self._start(component, how):
            self._labels.learn(self._shell.serial, name.strip(), component)
            return
        if await self._open_in(await self._other_users(), name, how):
            return
        shown = None if self._is_apart or how.at else await self._launcher.tap(name)
        if shown is None:
            raise ActionRefused(self._unknown(name, components))
        await self._learn(shown, components)

    async def _other_users(self) -> tuple[PhoneUser, ...]:
        """The phone's work profile and twin users, read once."""
        if self._profiles is None:
            self._profiles = parse_profiles((await self._shell.run(_QUERY_USERS)).text)
        return self._profiles

    async def _open_in(self, profiles: Sequence[PhoneUser], name: str, how: AppStart) -> bool:
        """Start the app in the only one of these profiles that has it; returns false if none has it.

        Raises:
            ActionRefused: several have it, or it does not start.
        """
        matches = []
        for profile in profiles:
            printed = (await self._shell.run(f"{_QUERY} --user {profile.user}")).text
            components = parse_components(printed)
            own = self._labels.of(self._shell.serial)
            label = same_label(name, own)
            package = own[label].split("/")[0] if label is not None else name.strip()
            component = next((each for each in components if each.split("/")[0] == package), None)
            component = component or well_known(name, components) or named_by_package(name, components)
            if component is not None:
                matches.append((profile, component))
        if len(matches) > 1:
            labels = ", ".join(f"“{profile.label(name)}”" for profile, _component in matches)
            raise ActionRefused(Refusal.NO_APP_BUT.format(name=name, near=labels))
        return bool(matches) and await self._start(matches[0][1], how, matches[0][0].user)

    async def _home_package(self) -> str:
        """The package of the home screen, read once; empty if the phone has several and no default."""
        return (await self._home_component()).split("/")[0]

    async def _home_component(self) -> str:
        if self._home is None:
            home_components = parse_components((await self._shell.run(_QUERY_HOME)).text)
            component = home_components[0] if home_components else ""
            self._home = "" if component.split("/")[0] == _CHOOSER else component
        return self._home

    async def _ask_launcher(self, components: tuple[str, ...]) -> dict[str, str]:
        """Components by label from the launcher's own dump, once for each set of installed apps."""
        home = await self._home_component()
        if not home or self._asked_with == components:
            return self._labels.of(self._shell.serial)
        self._asked_with = components
        dump = await self._shell.run(f"dumpsys activity {shlex.quote(home)} --all | grep 'title='")
        labels = parse_launcher_dump(dump.text, components)
        self._labels.learn_all(self._shell.serial, labels)
        return labels

    async def _components(self) -> tuple[str, ...]:
        return parse_components((await self._shell.run(_QUERY)).text)

    async def _start(self, component: str, how: AppStart, user: int | None = None) -> bool:
        """Start a component, for another Android user if `user` is given; returns false if it is gone.

        The label of a component that is gone is forgotten.

        `am start -W` never returns for an activity that draws nothing or hands over to another one. So the
        phone is asked which app is in front, and `monkey` is tried before the start counts as failed.
        """
        package = component.split("/")[0]
        whose = "" if user is None else f"--user {user} "
        where = f"--display {self._display} " if self._display else ""
        before = how.before or (await self._facts()).app.package
        if self._is_apart and package == (await read_front(self._shell, OWN_DISPLAY)).package:
            raise ActionRefused(Refusal.OWN_SCREEN.format(name=package))
        output = await self._perform_start(f"am start {where}{whose}{how.intent(component)}")
        printed = output.everything
        if "does not exist" in printed or "Error type 3" in printed:
            if user is None:
                self._labels.forget(self._shell.serial, component)
            return False
        if output.code != 0 or any(sign in printed for sign in _FAILED):
            raise ActionRefused(Refusal.NOT_STARTED.format(reason=find_error_line(printed)))
        if await self._came_up(package, before, user):
            return True
        if user is not None or self._is_apart or how.at:
            # monkey knows no users, displays and addresses: it would start the user's own app of that name.
            raise ActionRefused(Refusal.NOT_STARTED.format(reason=_NOTHING_CAME))
        await self._perform_start(f"monkey -p {shlex.quote(package)} -c android.intent.category.LAUNCHER 1")
        if await self._came_up(package, before):
            return True
        raise ActionRefused(Refusal.NOT_STARTED.format(reason=_NOTHING_CAME))

    async def _perform_start(self, command: str) -> Output:
        """Run a command that starts an app; one that does not end in time has printed nothing.

        That it hangs is no sign that the phone does not answer (appium#12962, #15620).
        """
        try:
            return await self._shell.perform(command, min(_START_COMMAND, self._shell.deadline))
        except PhoneError as error:
            if error.state is not PhoneState.FROZEN:
                raise
            return Output(0, b"", b"")

    async def _came_up(self, package: str, before: str, user: int | None = None) -> bool:
        """Whether the app, or an app that it handed over to, comes to the front within `_COLD_START` seconds.

        A system dialog that was not in front `before` counts too: an app may ask for a permission at once. An
        app of another `user` must belong to that user.
        """
        end = time.monotonic() + _COLD_START
        home = await self._home_package()
        while True:
            facts = await self._facts()
            front = facts.app.package
            others = user is not None and facts.user != user
            if not others and (front == package or front not in ("", before, home)):
                return True
            if time.monotonic() >= end:
                return False
            await asyncio.sleep(_POLL)

    async def _learn(self, label: str, components: tuple[str, ...]) -> None:
        """Remember the app that came up after its icon was tapped, unless a dialog hides it."""
        end = time.monotonic() + self._start_limit
        while time.monotonic() < end:
            package = (await self._facts()).app.package
            component = next(
                (candidate for candidate in components if candidate.split("/")[0] == package), None
            )
            if component is not None:
                self._labels.learn(self._shell.serial, label, component)
            if component is not None or package not in ("", self._launcher.package):
                return
            await asyncio.sleep(_POLL)

    def _unknown(self, name: str, components: tuple[str, ...]) -> str:
        labels = set(self._labels.of(self._shell.serial)) | self._launcher.labels
        if not labels:
            labels = {
                part for component in components for part in telling_parts(component.split("/")[0])[-1:]
            }
        near = nearest(name, sorted(labels))
        quoted = ", ".join(f"“{label}”" for label in near or sorted(labels)[:_MOST_TOLD])
        if near:
            return Refusal.NO_APP_BUT.format(name=name, near=quoted)
        return (Refusal.NO_APP_AMONG if quoted else Refusal.NO_APP).format(name=name, apps=quoted)

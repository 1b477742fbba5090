"""Opening apps by the name that their launcher icon carries.

adb tells components but not labels. A label is learnt where the launcher shows it, once; until then a name
that is part of one package's name will do.
"""

from __future__ import annotations

import asyncio
import shlex
import time
from collections.abc import Awaitable, Callable

from assistant.phone.errors import ActionRefused, Refusal
from assistant.phone.input import reason
from assistant.phone.labels import (
    AppLabels,
    named_by_package,
    nearest,
    parse_components,
    same_label,
    telling_parts,
)
from assistant.phone.launcher import Launcher
from assistant.phone.shell import Shell
from assistant.phone.window import Facts

_MAIN = "-a android.intent.action.MAIN -c android.intent.category.LAUNCHER"
_QUERY = f"cmd package query-activities --brief {_MAIN}"
_QUERY_HOME = (
    "cmd package resolve-activity --brief -a android.intent.action.MAIN -c android.intent.category.HOME"
)
_HOME_LABEL = "Home screen"
_CHOOSER = "android"
# A new task, or the running one as it was left: what a launcher does.
_LAUNCH_FLAGS = "0x10200000"
_POLL = 0.02
_FAILED = ("Error type", "does not exist", "Error:", "Exception", "No activities found", "aborted")


class Apps:
    """Opens apps on one phone. Methods raise `PhoneError` when the phone is lost."""

    def __init__(
        self,
        shell: Shell,
        launcher: Launcher,
        labels: AppLabels,
        facts: Callable[[], Awaitable[Facts]],
        start_limit: float,
    ) -> None:
        """Build the opener.

        Args:
            shell: runs commands.
            launcher: finds icons.
            labels: what was learnt so far.
            facts: tells what is in front.
            start_limit: seconds within which a tapped icon brings its app up.
        """
        self._shell = shell
        self._launcher = launcher
        self._labels = labels
        self._facts = facts
        self._start_limit = start_limit
        self._home: str | None = None

    async def label_of(self, package: str) -> str:
        """The label of a package; empty when it was never learnt."""
        return self._labels.label(self._shell.serial, package) or (
            _HOME_LABEL if package == await self._home_package() else ""
        )

    async def open(self, name: str) -> None:
        """Bring an app to the front.

        Raises:
            ActionRefused: no app has that name, or it does not start.
        """
        known = self._labels.of(self._shell.serial)
        label = same_label(name, known)
        if label is not None and await self._start(known[label]):
            return
        components = await self._components()
        exact = next((one for one in components if one.split("/")[0] == name.strip()), None)
        if exact is not None and await self._start(exact):
            return
        component = named_by_package(name, components)
        if component is not None and await self._start(component):
            self._labels.learn(self._shell.serial, name.strip(), component)
            return
        shown = await self._launcher.tap(name)
        if shown is None:
            raise ActionRefused(self._unknown(name, components))
        await self._learn(shown, components)

    async def _home_package(self) -> str:
        """The package of the home screen, asked once; empty when the phone has several and no favourite."""
        if self._home is None:
            found = parse_components((await self._shell.run(_QUERY_HOME)).text)
            package = found[0].split("/")[0] if found else ""
            self._home = "" if package == _CHOOSER else package
        return self._home

    async def _components(self) -> tuple[str, ...]:
        return parse_components((await self._shell.run(_QUERY)).text)

    async def _start(self, component: str) -> bool:
        """Start a component; false when it is gone, which also forgets its label."""
        output = await self._shell.perform(
            f"am start -W -n {shlex.quote(component)} {_MAIN} -f {_LAUNCH_FLAGS}"
        )
        printed = output.everything
        if "does not exist" in printed or "Error type 3" in printed:
            self._labels.forget(self._shell.serial, component)
            return False
        if output.code != 0 or any(sign in printed for sign in _FAILED):
            raise ActionRefused(Refusal.NOT_STARTED.format(reason=reason(printed)))
        return True

    async def _learn(self, label: str, components: tuple[str, ...]) -> None:
        """Remember the app that came up after its icon was tapped, unless a dialog hides it."""
        end = time.monotonic() + self._start_limit
        while time.monotonic() < end:
            package = (await self._facts()).app.package
            component = next((one for one in components if one.split("/")[0] == package), None)
            if component is not None:
                self._labels.learn(self._shell.serial, label, component)
            if component is not None or package not in ("", self._launcher.package):
                return
            await asyncio.sleep(_POLL)

    def _unknown(self, name: str, components: tuple[str, ...]) -> str:
        labels = set(self._labels.of(self._shell.serial)) | self._launcher.labels
        if not labels:
            labels = {part for one in components for part in telling_parts(one.split("/")[0])[-1:]}
        near = nearest(name, sorted(labels))
        if not near:
            return Refusal.NO_APP.format(name=name)
        return Refusal.NO_APP_BUT.format(name=name, near=", ".join(f"“{label}”" for label in near))

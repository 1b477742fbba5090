"""Staying inside the apps of the task."""

from __future__ import annotations

import unicodedata

from assistant.config import AppLock
from assistant.observations import ForegroundApp
from assistant.phone.errors import Refusal
from assistant.records import Action, OpenApp, PressBack, PressHome, PressRecent, Wait

_PASSAGES = ("launcher", "systemui", "permissioncontroller", "packageinstaller", "inputmethod")


class AppFence:
    """Which apps a turn may act in: those that the command names, else the first one that is opened.

    The launcher and the system's own windows are passages. What an approved action leads to joins.
    """

    def __init__(self, lock: AppLock, instruction: str) -> None:
        self._locked = lock is AppLock.TASK
        self._said = _plain(instruction)
        self._packages: set[str] = set()
        self._names: set[str] = set()

    def arrived(self, app: ForegroundApp, *, invited: bool = False) -> None:
        """An app is in front. It joins when the command names it, when it is the first, or when invited."""
        if not self._locked or _is_passage(app) or not app.package:
            return
        named = bool(app.label) and _plain(app.label) in self._said
        if named or invited or not self._packages:
            self._packages.add(app.package)
            self._names.add(app.name)

    def refusal(self, action: Action, app: ForegroundApp) -> str:
        """Why an action is refused; empty where it may be done."""
        if not self._locked:
            return ""
        apps = ", ".join(sorted(self._names)) or "its app"
        if isinstance(action, OpenApp):
            wanted = _plain(action.name)
            known = wanted in self._said or wanted in map(_plain, self._names) or not self._names
            return "" if known else Refusal.APP_LOCKED.format(apps=apps, name=action.name)
        inside = _is_passage(app) or app.package in self._packages or not self._packages
        if inside or isinstance(action, PressBack | PressHome | PressRecent | Wait):
            return ""
        return Refusal.LEFT_APP.format(apps=apps, name=app.name)


def _is_passage(app: ForegroundApp) -> bool:
    return not app.activity or any(name in app.package for name in _PASSAGES)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip()

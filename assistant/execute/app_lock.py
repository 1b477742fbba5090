"""Restricts a turn to the apps of its task."""

from __future__ import annotations

import unicodedata

from assistant.phone.errors import Refusal
from assistant.records import Action, ForegroundApp, OpenApp, PressBack, PressHome, PressRecent, Wait
from assistant.settings.schema import AppLock

_SYSTEM_PACKAGES = ("launcher", "systemui", "permissioncontroller", "packageinstaller", "inputmethod")


class AppFence:
    """The apps that a turn may act in: those that the command names, otherwise the first one opened.

    The launcher and system windows are always allowed. An app that an approved action opens is added.
    """

    def __init__(self, lock: AppLock, instruction: str) -> None:
        self._enabled = lock is AppLock.TASK
        self._instruction = _normalize(instruction)
        self._packages: set[str] = set()
        self._names: set[str] = set()

    def enter_app(self, app: ForegroundApp, *, approved: bool = False) -> None:
        """Take note of the app in the foreground.

        It is added to the allowed apps when the command names it, when it is the first one, or when
        `approved`: the user approved the action that opened it.
        """
        if not self._enabled or _is_system_window(app) or not app.package:
            return
        named = bool(app.label) and _normalize(app.label) in self._instruction
        if named or approved or not self._packages:
            self._packages.add(app.package)
            self._names.add(app.name)

    def find_refusal(self, action: Action, app: ForegroundApp) -> str:
        """Why an action is refused; empty if it is allowed."""
        if not self._enabled:
            return ""
        apps = ", ".join(sorted(self._names)) or "its app"
        if isinstance(action, OpenApp):
            name = _normalize(action.name)
            allowed = name in self._instruction or name in map(_normalize, self._names) or not self._names
            return "" if allowed else Refusal.APP_LOCKED.format(apps=apps, name=action.name)
        inside = _is_system_window(app) or app.package in self._packages or not self._packages
        if inside or isinstance(action, PressBack | PressHome | PressRecent | Wait):
            return ""
        return Refusal.LEFT_APP.format(apps=apps, name=app.name)


def _is_system_window(app: ForegroundApp) -> bool:
    return not app.activity or any(name in app.package for name in _SYSTEM_PACKAGES)


def _normalize(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip()

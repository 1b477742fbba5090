"""Secrets by name: values that are typed on the phone or sent to an endpoint, and never shown or logged.

Values live in the system's keyring. A small file lists their names, since a keyring cannot be asked for them.
A value is in that file only where the user chose so, for machines without a keyring. An environment variable
can stand in for either.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import keyring
import platformdirs
from keyring.backends import fail, null
from keyring.errors import KeyringError, PasswordDeleteError

from assistant.files import locked, write_privately
from assistant.i18n import UserError, _

_NAME = re.compile(r"[^\W_][\w.\-@ :]{0,199}")

SECRET_REFERENCE = re.compile(r"\{\{\s*secret:\s*([^{}]{1,200}?)\s*\}\}", re.IGNORECASE)
"""How a text that is typed refers to a secret: “{{secret:bank}}”."""


class SecretError(UserError):
    """A secret cannot be kept or read; the message says why and what to do, never the value."""


class SecretLocation(StrEnum):
    """Where a secret's value is."""

    KEYRING = "keyring"
    FILE = "file"
    ENVIRONMENT = "environment"


class SecretKind(StrEnum):
    """What secrets are for. The kinds know nothing of each other: a model can ask for the first only."""

    TYPED = "secret"
    MODEL_KEY = "model key"

    @property
    def variable(self) -> str:
        """How environment variables of this kind begin; empty for none."""
        return "ASSISTANT_SECRET_" if self is SecretKind.TYPED else ""


@dataclass(frozen=True, slots=True)
class SecretStore:
    """The user's secrets of one kind.

    Args:
        kind: what they are for.
        index: the file with the names; it is made for the user alone (0600).
        environment: variables such as `ASSISTANT_SECRET_BANK`, which win over what is stored.
    """

    kind: SecretKind = SecretKind.TYPED
    index: Path | None = None
    environment: Mapping[str, str] | None = None

    def get(self, name: str) -> str | None:
        """The value, None when no secret has this name.

        Raises:
            SecretError: the keyring does not answer, or the index cannot be read.
        """
        variable = variable_of(name)
        if self.kind.variable and (value := self._variables.get(self.kind.variable + variable)):
            return value
        entry = self._entries().get(name)
        if entry is None:
            return None
        if entry.get("place") == SecretLocation.FILE:
            return str(entry.get("value", ""))
        return _keyring_get(self._service, name)

    def names(self) -> dict[str, SecretLocation]:
        """All names, in order, and where each value is. No value is looked at."""
        places = {
            name: SecretLocation(entry.get("place", SecretLocation.KEYRING))
            for name, entry in self._entries().items()
        }
        if prefix := self.kind.variable:
            by_variable = {variable_of(name): name for name in places}
            for variable, value in self._variables.items():
                if variable.startswith(prefix) and value:
                    bare = variable.removeprefix(prefix)
                    places[by_variable.get(bare, bare.lower())] = SecretLocation.ENVIRONMENT
        return dict(sorted(places.items()))

    def add(self, name: str, value: str, place: SecretLocation = SecretLocation.KEYRING) -> None:
        """Keep a value under a name, in place of an older one.

        Raises:
            SecretError: the name or the value cannot be used, or the keyring or the file does not take it.
        """
        if not _NAME.fullmatch(name):
            raise SecretError(
                _("A name has 1 to 200 letters, digits, spaces or .-_@: and begins with a letter or digit.")
            )
        if not value:
            raise SecretError(_("The value is empty."))
        if place is SecretLocation.KEYRING:
            _keyring_set(self._service, name, value)
            entry = {"place": SecretLocation.KEYRING.value}
        elif place is SecretLocation.FILE:
            entry = {"place": SecretLocation.FILE.value, "value": value}
        else:
            raise SecretError(_("An environment variable is set in the shell, not here."))
        self._change(lambda entries: entries | {name: entry})

    def remove(self, name: str) -> bool:
        """Forget a secret; whether there was one.

        Raises:
            SecretError: the keyring does not answer, or the secret comes from the environment.
        """
        entry = self._entries().get(name)
        if entry is None:
            if self.names().get(name) is SecretLocation.ENVIRONMENT:
                raise SecretError(
                    _("“{name}” comes from the environment. Unset {variable}.").format(
                        name=name, variable=f"{self.kind.variable}{variable_of(name)}"
                    )
                )
            return False
        if entry.get("place") != SecretLocation.FILE:
            _keyring_delete(self._service, name)
        self._change(lambda entries: {key: value for key, value in entries.items() if key != name})
        return True

    @property
    def file(self) -> Path:
        """The file with the names."""
        return self.index or platformdirs.user_config_path("assistant") / "secrets.json"

    @property
    def _service(self) -> str:
        """The name under which the keyring shows these secrets to its user."""
        return f"assistant {self.kind}"

    @property
    def _variables(self) -> Mapping[str, str]:
        return os.environ if self.environment is None else self.environment

    def _entries(self) -> dict[str, dict[str, Any]]:
        entries: dict[str, dict[str, Any]] = self._read().get(self.kind.value, {})
        return entries

    def _read(self) -> dict[str, Any]:
        """What the file says; the names of this kind are sound.

        Raises:
            SecretError: it cannot be read, or holds something else. Writing it would lose what it held.
        """
        try:
            content = json.loads(self.file.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError):
            content = None
        if not isinstance(content, dict) or not _are_sound(content.get(self.kind.value, {})):
            raise SecretError(_("{file} cannot be read. Mend it or move it away.").format(file=self.file))
        return content

    def _change(self, edit: Callable[[dict[str, dict[str, Any]]], dict[str, dict[str, Any]]]) -> None:
        try:
            with locked(self.file):
                content = {**self._read(), self.kind.value: dict(sorted(edit(self._entries()).items()))}
                write_privately(self.file, json.dumps(content, ensure_ascii=False, indent=1) + "\n")
        except OSError as error:
            raise SecretError(
                _("{file} cannot be written: {reason}.").format(file=self.file, reason=error.strerror)
            ) from error


def _are_sound(entries: object) -> bool:
    """Whether names and where their values are have the form in which they are kept."""
    places = [place.value for place in SecretLocation]
    return isinstance(entries, dict) and all(
        isinstance(entry, dict) and entry.get("place", SecretLocation.KEYRING.value) in places
        for entry in entries.values()
    )


def variable_of(name: str) -> str:
    """The name as the end of an environment variable: `my bank` is `MY_BANK`."""
    return re.sub(r"\W", "_", name).upper()


def keyring_problem() -> str:
    """Empty, or why values cannot be kept in the system's keyring."""
    try:
        backend = keyring.get_keyring()
    except (KeyringError, RuntimeError) as error:
        return _("The system's keyring does not start: {error}.").format(error=error)
    if isinstance(backend, fail.Keyring | null.Keyring):
        return _("This system has no keyring that can be used.")
    return ""


def _keyring_get(service: str, name: str) -> str | None:
    try:
        return keyring.get_password(service, name)
    except (KeyringError, RuntimeError) as error:
        raise SecretError(_unanswered(error)) from error


def _keyring_set(service: str, name: str, value: str) -> None:
    if problem := keyring_problem():
        raise SecretError(problem)
    try:
        keyring.set_password(service, name, value)
    except (KeyringError, RuntimeError) as error:
        raise SecretError(_unanswered(error)) from error


def _keyring_delete(service: str, name: str) -> None:
    try:
        keyring.delete_password(service, name)
    except PasswordDeleteError:
        return
    except (KeyringError, RuntimeError) as error:
        raise SecretError(_unanswered(error)) from error


def _unanswered(error: Exception) -> str:
    sentence = _("The system's keyring does not answer ({error}). Unlock it and try again.")
    return sentence.format(error=type(error).__name__)


def find_secret_names(text: str) -> list[str]:
    """The names of the secrets that a text refers to."""
    return SECRET_REFERENCE.findall(text)


def format_secret_note(names: Collection[str]) -> str:
    """The note that tells the model which secrets exist; empty if there are none."""
    if not names:
        return ""
    listed = ", ".join(sorted(names))
    return (
        f"The user keeps secrets under these names: {listed}. Type {{{{secret:NAME}}}} into a password field."
    )

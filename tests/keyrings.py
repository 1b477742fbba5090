"""A keyring in memory, in place of the system's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import keyring
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyring
from keyring.errors import PasswordDeleteError


class MemoryKeyring(KeyringBackend):
    """Keeps values by service and name."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.values: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.values.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.values[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if (service, username) not in self.values:
            raise PasswordDeleteError(username)
        del self.values[service, username]


@contextmanager
def system_keyring(backend: KeyringBackend) -> Iterator[KeyringBackend]:
    """Use a backend as the system's keyring for a while."""
    before = keyring.get_keyring()
    keyring.set_keyring(backend)
    try:
        yield backend
    finally:
        keyring.set_keyring(before)


def no_keyring() -> KeyringBackend:
    """A system without a keyring."""
    return NoKeyring()  # type: ignore[no-untyped-call]

"""Who may talk to the phone: RSA keys of hosts, and the dialog that lets the user accept a new one.

A host signs the daemon's token; when no known key fits, it sends its public key and the phone asks the user.
Keys are in Android's own format (`libcrypto_utils/android_pubkey.c`): base64 of word count, n0inv, modulus,
R squared and exponent, all little-endian, then a space and a comment.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import secrets
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

TOKEN_SIZE = 20

_KEY_SIZE = 256
_KEY = struct.Struct(f"<II{_KEY_SIZE}s{_KEY_SIZE}sI")
_SHA1_PREFIX = bytes.fromhex("3021300906052b0e03021a05000414")


class AuthMode(StrEnum):
    """Whom the phone lets in: everyone; known keys and those the user accepts in a dialog; nobody."""

    OPEN = "open"
    ASK = "ask"
    REFUSED = "refused"


class MalformedKey(Exception):
    """The text is no public key."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A host's RSA-2048 public key and its comment (`user@host`)."""

    modulus: int
    exponent: int
    comment: str = ""

    @classmethod
    def parse(cls, line: bytes) -> PublicKey:
        """Read the content of an `adbkey.pub`. Raises `MalformedKey`."""
        encoded, _, comment = line.strip(b"\0 \r\n").partition(b" ")
        try:
            words, _, modulus, _, exponent = _KEY.unpack(base64.b64decode(encoded, validate=True))
        except (binascii.Error, struct.error) as error:
            raise MalformedKey(str(error)) from error
        if words * 4 != _KEY_SIZE or not any(modulus):
            raise MalformedKey(f"{words} words of modulus")
        return cls(int.from_bytes(modulus, "little"), exponent, comment.decode("utf-8", "replace"))

    def signed(self, token: bytes, signature: bytes) -> bool:
        """Whether the signature (PKCS #1 1.5, the token taken as a SHA-1 digest) is by this key's owner."""
        if len(signature) != _KEY_SIZE:
            return False
        plain = pow(int.from_bytes(signature, "big"), self.exponent, self.modulus).to_bytes(_KEY_SIZE, "big")
        ending = b"\0" + _SHA1_PREFIX + token
        return plain == b"\0\1".ljust(_KEY_SIZE - len(ending), b"\xff") + ending

    def same(self, other: PublicKey) -> bool:
        """Whether both are one key, whatever their comments."""
        return (self.modulus, self.exponent) == (other.modulus, other.exponent)


class Authenticator:
    """The phone's list of keys, and the hosts that wait for the user's answer."""

    def __init__(self, mode: AuthMode = AuthMode.OPEN, trusted_keys: Iterable[PublicKey] = ()) -> None:
        self.mode = mode
        self.trusted_keys = list(trusted_keys)
        self.waiting: list[PublicKey] = []
        self._changed = asyncio.Event()

    def new_token(self) -> bytes:
        """What the host has to sign next."""
        return secrets.token_bytes(TOKEN_SIZE)

    def accepts(self, token: bytes, signature: bytes) -> bool:
        """Whether a known key made the signature."""
        return self.mode is not AuthMode.REFUSED and any(
            key.signed(token, signature) for key in self.trusted_keys
        )

    async def accepted(self, key: PublicKey) -> None:
        """Show the dialog for a key and return once the user has accepted it, which may be never."""
        self.waiting.append(key)
        try:
            while not self._lets_in(key):
                self._changed.clear()
                await self._changed.wait()
        finally:
            self.waiting.remove(key)

    def confirm(self) -> None:
        """Tap "Allow" in the dialogs that are shown; from `REFUSED` the phone asks again."""
        if self.mode is AuthMode.REFUSED:
            self.mode = AuthMode.ASK
        self.trusted_keys += [
            key for key in self.waiting if not any(key.same(trusted_key) for trusted_key in self.trusted_keys)
        ]
        self._changed.set()

    def set_mode(self, mode: AuthMode) -> None:
        """Change whom the phone lets in, also of those who wait; who is in stays in."""
        self.mode = mode
        self._changed.set()

    def revoke(self) -> None:
        """Revoke all authorizations and refuse new ones, as in the developer options."""
        self.mode = AuthMode.REFUSED
        self.trusted_keys.clear()

    def _lets_in(self, key: PublicKey) -> bool:
        match self.mode:
            case AuthMode.OPEN:
                return True
            case AuthMode.REFUSED:
                return False
            case AuthMode.ASK:
                return any(key.same(trusted_key) for trusted_key in self.trusted_keys)

"""What setting up does, without a face: looks, pairs, connects, tries, and keeps what was chosen."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from assistant.doctor import Check, device_in_words, phone_findings
from assistant.factories import SentNote
from assistant.i18n import _
from assistant.model.dialects import registry
from assistant.model.text_requests import DialectFit, TrialCall, candidates, try_model
from assistant.model.types import ModelRejected
from assistant.phone import pairing
from assistant.phone.adb import AdbServer
from assistant.phone.device import Phone
from assistant.phone.errors import listed_failure
from assistant.phone.pairing import Invitation, PairingFailed
from assistant.secrets import SecretKind, SecretLocation, SecretStore, keyring_problem
from assistant.settings.load import key_name, save
from assistant.settings.schema import ModelSettings, Settings
from assistant.settings.table import BrokenSetting, placed


@dataclass(frozen=True, slots=True)
class FoundPhone:
    """A phone that adb knows. `words` tell its state, `advice` what to do where it cannot be used."""

    serial: str
    model: str
    words: str
    advice: str = ""

    @property
    def usable(self) -> bool:
        """Whether adb can reach it."""
        return not self.advice


class Setup:
    """Setting up under way. Every choice is written to the settings file at once, unless `not_kept` is set.

    Args:
        settings: the settings to begin with.
        file: the settings file, by default the usual one.
        not_kept: why choices are not written to the settings file; empty where they are.
        simulated: empty, or a sentence that says what is simulated and must stay visible.
        keys: where endpoints' keys are kept.

    Attributes:
        settings: the settings with the choices made so far.
        changed: whether any choice was made.
        broken: values of the settings file that could not be used when the program started.
    """

    def __init__(
        self,
        settings: Settings,
        file: Path | None = None,
        *,
        not_kept: str = "",
        simulated: str = "",
        keys: SecretStore | None = None,
    ) -> None:
        self.settings = settings
        self.changed = False
        self._not_kept = not_kept
        self.simulated = simulated
        self.broken: tuple[BrokenSetting, ...] = ()
        self._file = file
        self._keys = keys or SecretStore(SecretKind.MODEL_KEY)
        self._adb = AdbServer(settings.phone.adb_host, settings.phone.adb_port)

    async def phones(self) -> list[FoundPhone]:
        """The phones that adb knows, in any state. A remembered one on the network is connected again.

        Raises:
            PhoneError: there is no adb server.
        """
        found = []
        known = self.settings.phone.serial
        if ":" in known and all(device.serial != known for device in await self._adb.devices()):
            await self._adb.connect(known)
        for device in await self._adb.devices():
            failure = listed_failure(device.state, device.serial)
            advice = failure.sentence if failure else ""
            found.append(FoundPhone(device.serial, device.model, device_in_words(device), advice))
        return found

    async def connect(self, address: str) -> str:
        """Connect to a phone at host:port; its serial.

        Raises:
            PairingFailed: it is not there, or does not trust this computer yet.
            PhoneError: there is no adb server.
        """
        place = pairing.checked_address(address)
        answer = await self._adb.connect(place)
        if "connected to" in answer:
            return place
        if "authenticate" in answer:
            raise PairingFailed(
                _("The phone does not trust this computer yet. Confirm the dialog on it, then try again.")
            )
        raise PairingFailed(
            _("The phone is not connected. Check address and network. adb says: {answer}").format(
                answer=answer
            )
        )

    async def pair(self, address: str, code: str) -> str:
        """Pair by the code that the phone shows, and connect; the phone's serial.

        Raises:
            PairingFailed: address or code make no sense, or the phone refuses.
            PhoneError: there is no adb server.
        """
        place = pairing.checked_address(address)
        guid = await pairing.pair(self._adb, place, pairing.checked_code(code))
        return await pairing.joined(self._adb, guid, place)

    async def pair_scanned(self, invitation: Invitation, limit: float = 120.0) -> str:
        """Wait until a phone has read the QR code of an invitation, pair and connect; its serial.

        Raises:
            PairingFailed: no phone came, or it refuses.
            PhoneError: there is no adb server.
        """
        place = await pairing.scanned(self._adb, invitation, limit)
        guid = await pairing.pair(self._adb, place, invitation.password)
        return await pairing.joined(self._adb, guid, place)

    def use_phone(self, serial: str) -> str:
        """Remember a phone; a sentence that says where.

        Raises:
            SettingsError: the settings file cannot be written.
        """
        return self._use({"phone": {"serial": serial}}, _("{serial} is the phone").format(serial=serial))

    @property
    def keep(self) -> bool:
        """Whether choices are written to the settings file."""
        return not self._not_kept

    @property
    def file(self) -> Path | None:
        """The settings file; None for the usual one."""
        return self._file

    def choose(self, path: str, value: Any, words: str, *, at_once: bool = False) -> str:
        """Change any setting, None for its default; a sentence that says where it is kept.

        Args:
            path: the setting, such as `turn.max_steps`.
            value: as the settings file keeps it.
            words: the value as it is told.
            at_once: whether the change shows without a new start.

        Raises:
            SettingsError: the value is out of range, or the settings file cannot be written.
        """
        section, name = placed(path)
        changes = {section: {name: value}} if section else {name: value}
        told = _("{path} is {words}. {not_kept}").format(path=path, words=words, not_kept=_(self._not_kept))
        if self.keep:
            told = _("{path} is {words}, kept in {file}.").format(
                path=path, words=words, file=save(changes, self._file)
            )
            if outvoted := _outvoted(section, {name: value}) if section else []:
                told += _(" The environment still says otherwise: unset {listed}.").format(
                    listed=", ".join(outvoted)
                )
        if value is not None or isinstance(getattr(self.settings, section, None), dict):
            self.settings = self.settings.overridden(changes)
        elif section and hasattr(self.settings, section):
            fresh = type(getattr(self.settings, section))()
            if hasattr(fresh, name):
                self.settings = self.settings.overridden({section: {name: getattr(fresh, name)}})
        self.changed = self.changed or not at_once
        return told

    async def check_phone(self) -> list[Check]:
        """What works on the phone in use, and what to do about the rest."""
        return await phone_findings(Phone(self._adb, self.settings.phone.serial, self.settings.phone))

    def key_problem(self) -> str:
        """Empty, or why a key cannot be kept in the system's keyring."""
        return keyring_problem()

    def has_key(self, base_url: str) -> bool:
        """Whether a key is known for an endpoint."""
        known = self.settings.model
        same = key_name(known.base_url) == key_name(base_url)
        return (same and bool(known.api_key.get_secret_value())) or key_name(base_url) in self._keys.names()

    async def model_names(self, base_url: str, key: str = "") -> list[str]:
        """The models that an endpoint lists; empty where it lists none or does not answer."""
        wanted = self._endpoint(base_url, "any", key)
        try:
            # Late, since the client's library takes long to import.
            from assistant.model.endpoint import Endpoint, Stopwatch

            endpoint = Endpoint(wanted, None, Stopwatch())
        except ModelRejected:
            return []
        try:
            return await endpoint.models()
        finally:
            await endpoint.close()

    def use_model(
        self, base_url: str, name: str, key: str = "", place: SecretLocation = SecretLocation.KEYRING
    ) -> str:
        """Remember an endpoint and a model, its key where one is given; a sentence that says where.

        Raises:
            SettingsError: the settings file cannot be written.
            SecretError: the key cannot be kept there.
        """
        if key and self.keep and place is not SecretLocation.ENVIRONMENT:
            self._keys.add(key_name(base_url), key, place)
        secret = self._endpoint(base_url, name, key).api_key
        chosen = {"base_url": base_url, "name": name, "dialect": None}
        told = self._use({"model": chosen}, _("{name} is the model").format(name=name))
        self.settings = self.settings.overridden({"model": {"api_key": secret}})
        return told

    async def try_model(self) -> TrialCall:
        """Make the test call."""
        return await try_model(self.settings.model, tell=self._tell)

    @property
    def _tell(self) -> SentNote | None:
        """Notes what is sent; nothing, where choices are not kept."""
        return SentNote(self.settings) if self.keep else None

    @property
    def dialect(self) -> str:
        """The dialect that the model is spoken to in now."""
        model = self.settings.model
        return registry.choose(model.dialect, model.name).name

    async def other_dialects(self, tried: str) -> AsyncGenerator[TrialCall]:
        """Make the test call in each other dialect, until one fits or the endpoint fails."""
        for settings in candidates(self.settings.model, tried):
            trial = await try_model(settings, tell=self._tell)
            yield trial
            if trial.fit in (DialectFit.HIT, DialectFit.UNANSWERED):
                return

    def use_dialect(self, name: str) -> str:
        """Remember how the model writes actions; a sentence that says where.

        Raises:
            SettingsError: there is no such dialect, or the settings file cannot be written.
        """
        return self._use({"model": {"dialect": name}}, _("{name} is the model's dialect").format(name=name))

    def _endpoint(self, base_url: str, name: str, key: str) -> ModelSettings:
        """The settings for an endpoint: with the key given, else the one that is known for it."""
        known = key or self._keys.get(key_name(base_url)) or ""
        if not known and key_name(self.settings.model.base_url) == key_name(base_url):
            known = self.settings.model.api_key.get_secret_value()
        changes = {"base_url": base_url, "name": name, "api_key": SecretStr(known)}
        return self.settings.model.model_copy(update=changes)

    def _use(self, changes: dict[str, Any], what: str) -> str:
        section, values = next(iter(changes.items()))
        if self.keep:
            file = save(changes, self._file)
            told = _("{what}, kept in {file}.").format(what=what, file=file)
            if outvoted := _outvoted(section, values):
                told += _(" The environment still says otherwise: unset {listed}.").format(
                    listed=", ".join(outvoted)
                )
        else:
            told = _("{what}. {not_kept}").format(what=what, not_kept=_(self._not_kept))
        plain = {name: "" if value is None else value for name, value in values.items()}
        self.settings = self.settings.overridden({section: plain})
        self.changed = True
        return told


def _outvoted(section: str, values: dict[str, Any]) -> list[str]:
    """Environment variables that win over what was just chosen."""
    variables = {f"ASSISTANT_{section}__{name}".upper(): str(value or "") for name, value in values.items()}
    return [name for name, value in variables.items() if os.environ.get(name, value) not in (value, "")]

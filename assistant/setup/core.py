"""Setup without an interface: finds and pairs phones, tests models, and saves the choices.

A phone with Android 11 or later is paired over Wi-Fi through the adb server: it reads a QR code, drawn as
text in half blocks, or the user types the pairing code. Sources: AOSP packages/modules/adb
(client/adb_wifi.cpp, client/pairing, SERVICES.TXT). The QR code's text is the one that Android Studio shows
for “Pair device with QR code”.

`PRESETS` are known endpoints, with base addresses from each project's own documentation of its
OpenAI-compatible interface.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import string
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import segno
from pydantic import SecretStr

from assistant.doctor import Check, HelperOffer, device_in_words, phone_findings, try_helper
from assistant.factories import RequestLogger
from assistant.i18n import _, later
from assistant.model.client import open_endpoint
from assistant.model.dialects import registry
from assistant.model.tap_test import (
    DialectFit,
    DialectMeasurement,
    TrialCall,
    measure_dialect,
    other_dialects,
    try_model,
)
from assistant.model.types import ModelRejected, Stopwatch
from assistant.phone.adb import ADDRESS, CONNECT_SERVICE, AdbServer
from assistant.phone.device import Phone
from assistant.phone.errors import HELPER_TIMES, HelperNotes, listed_failure
from assistant.secrets import SecretKind, SecretLocation, SecretStore, keyring_problem
from assistant.settings.load import BrokenSetting, key_name, save, split_path
from assistant.settings.schema import ModelSettings, Settings


@dataclass(frozen=True, slots=True)
class Preset:
    """One kind of endpoint. `example` names a model that sees pictures; `hint` says how to get going."""

    id: str
    title: str
    base_url: str
    needs_key: bool
    example: str = ""
    hint: str = ""


PRESETS = (
    Preset(
        "openai",
        "OpenAI",
        "https://api.openai.com/v1",
        True,
        "gpt-5-mini",
        later("Keys: platform.openai.com"),
    ),
    Preset(
        "openrouter",
        "OpenRouter",
        "https://openrouter.ai/api/v1",
        True,
        "qwen/qwen3-vl-235b-a22b-instruct",
        later("Keys: openrouter.ai/keys"),
    ),
    Preset(
        "dashscope",
        later("DashScope (Alibaba Cloud)"),
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        True,
        "qwen3-vl-plus",
        later("Outside China: https://dashscope-intl.aliyuncs.com/compatible-mode/v1"),
    ),
    Preset(
        "vllm",
        later("vLLM on this computer"),
        "http://localhost:8000/v1",
        False,
        "Qwen/Qwen3-VL-8B-Instruct",
        "vllm serve Qwen/Qwen3-VL-8B-Instruct",
    ),
    Preset(
        "ollama",
        later("Ollama on this computer"),
        "http://localhost:11434/v1",
        False,
        "qwen3-vl",
        "ollama pull qwen3-vl",
    ),
    Preset(
        "lmstudio",
        later("LM Studio on this computer"),
        "http://localhost:1234/v1",
        False,
        "qwen/qwen3-vl-8b",
        later("Start its server in the tab Developer."),
    ),
    Preset(
        "llamacpp",
        later("llama.cpp on this computer"),
        "http://localhost:8080/v1",
        False,
        "qwen3-vl",
        later("llama-server with --mmproj for pictures"),
    ),
    Preset(
        "other", later("Another address"), "", False, "", later("Any endpoint with OpenAI's chat completions")
    ),
)
"""All presets, in the order in which they are offered."""


def preset_of(base_url: str) -> Preset:
    """The preset of an address; the last one, for any address, where none fits."""
    address = base_url.rstrip("/")
    return next((preset for preset in PRESETS if preset.base_url == address), PRESETS[-1])


@dataclass(frozen=True, slots=True)
class FoundPhone:
    """A phone that adb lists. `state` describes it; `advice` says how to make it usable, empty if it is."""

    serial: str
    model: str
    state: str
    advice: str = ""

    @property
    def usable(self) -> bool:
        """Whether adb can reach it."""
        return not self.advice


class Setup:
    """The state of a running setup. Every choice is written to the settings file at once, unless `not_kept`.

    Args:
        settings: the initial settings.
        file: the settings file; None for the default one.
        not_kept: why choices are not written to the settings file; empty where they are.
        simulated: empty, or a sentence that says what is simulated and must stay visible.
        keys: stores the API keys of endpoints.

    Attributes:
        settings: the settings with the choices so far.
        changed: whether any choice was made.
        broken: values of the settings file that could not be loaded at start.
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
        self._helper_notes = HelperNotes(None if not_kept else settings.store / HELPER_TIMES)

    async def phones(self) -> list[FoundPhone]:
        """The phones that adb lists, in any state. Reconnects the configured phone if it is on the network.

        Raises:
            PhoneError: the adb server cannot be reached.
        """
        phones = []
        serial = self.settings.phone.serial
        if ":" in serial and all(device.serial != serial for device in await self._adb.devices()):
            await self._adb.connect(serial)
        for device in await self._adb.devices():
            failure = listed_failure(device.state, device.serial)
            advice = failure.sentence if failure else ""
            phones.append(FoundPhone(device.serial, device.model, device_in_words(device), advice))
        return phones

    async def connect(self, address: str) -> str:
        """Connect to a phone at host:port; returns its serial.

        Raises:
            PairingFailed: no phone answers there, or it does not trust this computer yet.
            PhoneError: the adb server cannot be reached.
        """
        checked = checked_address(address)
        reply = await self._adb.connect(checked)
        if "connected to" in reply:
            return checked
        if "authenticate" in reply:
            raise PairingFailed(
                _("The phone does not trust this computer yet. Confirm the dialog on it, then try again.")
            )
        raise PairingFailed(
            _("The phone is not connected. Check address and network. adb says: {answer}").format(
                answer=reply
            )
        )

    async def pair(self, address: str, code: str) -> str:
        """Pair with the code that the phone shows, and connect; returns the phone's serial.

        Raises:
            PairingFailed: address or code are malformed, or the phone refuses.
            PhoneError: the adb server cannot be reached.
        """
        checked = checked_address(address)
        guid = await pair(self._adb, checked, checked_code(code))
        return await wait_until_connected(self._adb, guid, checked)

    async def pair_scanned(self, invitation: Invitation, limit: float = 120.0) -> str:
        """Wait until a phone has scanned the invitation's QR code, pair and connect; returns its serial.

        Args:
            invitation: what the QR code contains.
            limit: how long to wait, in seconds.

        Raises:
            PairingFailed: no phone scanned it in time, or it refuses.
            PhoneError: the adb server cannot be reached.
        """
        address = await wait_for_scan(self._adb, invitation, limit)
        guid = await pair(self._adb, address, invitation.password)
        return await wait_until_connected(self._adb, guid, address)

    def use_phone(self, serial: str) -> str:
        """Choose a phone; returns a sentence that says where the choice is saved.

        Raises:
            SettingsError: the settings file cannot be written.
        """
        return self._change_section(
            {"phone": {"serial": serial}}, _("{serial} is the phone").format(serial=serial)
        )

    @property
    def keep(self) -> bool:
        """Whether choices are written to the settings file."""
        return not self._not_kept

    @property
    def file(self) -> Path | None:
        """The settings file; None for the default one."""
        return self._file

    def choose(self, path: str, value: Any, shown_value: str, *, at_once: bool = False) -> str:
        """Change any setting; returns a sentence that says where it is saved.

        Args:
            path: the setting, such as `turn.max_steps`.
            value: as in the settings file; None for the default.
            shown_value: the value as the sentence shows it; empty where the caller says what was changed.
            at_once: whether the change takes effect without a restart.

        Raises:
            SettingsError: the value is out of range, or the settings file cannot be written.
        """
        section, name = split_path(path)
        changes = {section: {name: value}} if section else {name: value}
        not_kept = _("{path} is {words}. {not_kept}") if shown_value else "{not_kept}"
        message = not_kept.format(path=path, words=shown_value, not_kept=_(self._not_kept))
        if self.keep:
            kept = _("{path} is {words}, kept in {file}.") if shown_value else _("Kept in {file}.")
            message = kept.format(path=path, words=shown_value, file=save(changes, self._file))
            if overriding := _overriding_variables(section, {name: value}) if section else []:
                message += _(" The environment still says otherwise: unset {listed}.").format(
                    listed=", ".join(overriding)
                )
        if value is not None or isinstance(getattr(self.settings, section, None), dict):
            self.settings = self.settings.overridden(changes)
        elif section and hasattr(self.settings, section):
            defaults = type(getattr(self.settings, section))()
            if hasattr(defaults, name):
                self.settings = self.settings.overridden({section: {name: getattr(defaults, name)}})
        self.changed = self.changed or not at_once
        return message

    async def check_phone(self) -> list[Check]:
        """What works on the chosen phone, and how to mend what does not."""
        phone = Phone(self._adb, self.settings.phone.serial, self.settings.phone)
        return await phone_findings(phone, self._helper_notes)

    async def try_helper(self, offer: HelperOffer) -> HelperOffer:
        """Let the resident helper run for some seconds, to which the user has agreed, and measure its gain.

        Raises:
            PhoneError: the phone is lost.
        """
        return await try_helper(self._adb, offer, self.settings.phone, self._helper_notes)

    def decline_helper(self, offer: HelperOffer) -> None:
        """Note that the user does not want to try the resident helper on a phone."""
        self._helper_notes.decline(offer.phone)

    def use_helper(self) -> str:
        """Let the resident helper run during turns; returns a sentence that says where the choice is saved.

        Raises:
            SettingsError: the settings file cannot be written.
        """
        return self.choose("phone.resident_helper", True, _("on"))

    def key_problem(self) -> str:
        """Why a key cannot be stored in the system's keyring; empty if it can."""
        return keyring_problem()

    def has_key(self, base_url: str) -> bool:
        """Whether a key is stored for an endpoint."""
        model = self.settings.model
        same = key_name(model.base_url) == key_name(base_url)
        return (same and bool(model.api_key.get_secret_value())) or key_name(base_url) in self._keys.names()

    async def model_names(self, base_url: str, key: str = "") -> list[str]:
        """The models that an endpoint lists; empty if it lists none or does not answer."""
        settings = self._endpoint_settings(base_url, "any", key)
        try:
            endpoint = open_endpoint(settings, None, Stopwatch())
        except ModelRejected:
            return []
        try:
            return await endpoint.models()
        finally:
            await endpoint.close()

    def use_model(
        self, base_url: str, name: str, key: str = "", location: SecretLocation = SecretLocation.KEYRING
    ) -> str:
        """Choose an endpoint and a model, and store its key if given; returns a sentence that says where.

        Raises:
            SettingsError: the settings file cannot be written.
            SecretError: the key cannot be stored at that location.
        """
        if key and self.keep and location is not SecretLocation.ENVIRONMENT:
            self._keys.add(key_name(base_url), key, location)
        api_key = self._endpoint_settings(base_url, name, key).api_key
        values = {"base_url": base_url, "name": name, "dialect": None}
        message = self._change_section({"model": values}, _("{name} is the model").format(name=name))
        self.settings = self.settings.overridden({"model": {"api_key": api_key}})
        return message

    async def try_model(self) -> TrialCall:
        """Make a test call to the chosen model."""
        return await try_model(self.settings.model, tell=self._request_logger)

    @property
    def dialect_is_guess(self) -> bool:
        """Whether neither the settings nor the model's name say how it writes."""
        model = self.settings.model
        return bool(model.name) and registry.is_guess(model.dialect, model.name)

    def needs_measuring(self, trial: TrialCall) -> bool:
        """Whether a test call leaves open how the model writes: its dialect is a guess, or does not fit."""
        if trial.fit is DialectFit.UNANSWERED:
            return False
        return self.dialect_is_guess or trial.fit is not DialectFit.HIT

    async def measure_dialect(self) -> DialectMeasurement:
        """Find out from three drawn screens how the chosen model writes."""
        return await measure_dialect(self.settings.model, self._request_logger)

    @property
    def _request_logger(self) -> RequestLogger | None:
        """Notes what is sent; nothing, where choices are not kept."""
        return RequestLogger(self.settings) if self.keep else None

    @property
    def dialect(self) -> str:
        """The name of the dialect in use for the model."""
        model = self.settings.model
        return registry.choose(model.dialect, model.name).name

    async def other_dialects(self, tried: str) -> AsyncGenerator[TrialCall]:
        """Make the test call in each dialect but `tried`, until one fits or the endpoint fails."""
        for settings in other_dialects(self.settings.model, tried):
            trial = await try_model(settings, tell=self._request_logger)
            yield trial
            if trial.fit in (DialectFit.HIT, DialectFit.UNANSWERED):
                return

    def use_dialect(self, name: str) -> str:
        """Choose the dialect of the model; returns a sentence that says where the choice is saved.

        Raises:
            SettingsError: there is no such dialect, or the settings file cannot be written.
        """
        return self._change_section(
            {"model": {"dialect": name}}, _("{name} is the model's dialect").format(name=name)
        )

    def _endpoint_settings(self, base_url: str, name: str, key: str) -> ModelSettings:
        """The settings for an endpoint, with the given key or else the stored one."""
        api_key = key or self._keys.get(key_name(base_url)) or ""
        if not api_key and key_name(self.settings.model.base_url) == key_name(base_url):
            api_key = self.settings.model.api_key.get_secret_value()
        changes = {"base_url": base_url, "name": name, "api_key": SecretStr(api_key)}
        return self.settings.model.model_copy(update=changes)

    def _change_section(self, changes: dict[str, Any], what: str) -> str:
        section, values = next(iter(changes.items()))
        if self.keep:
            file = save(changes, self._file)
            message = _("{what}, kept in {file}.").format(what=what, file=file)
            if overriding := _overriding_variables(section, values):
                message += _(" The environment still says otherwise: unset {listed}.").format(
                    listed=", ".join(overriding)
                )
        else:
            message = _("{what}. {not_kept}").format(what=what, not_kept=_(self._not_kept))
        values_or_empty = {name: "" if value is None else value for name, value in values.items()}
        self.settings = self.settings.overridden({section: values_or_empty})
        self.changed = True
        return message


def _overriding_variables(section: str, values: dict[str, Any]) -> list[str]:
    """Environment variables that override these values."""
    variables = {f"ASSISTANT_{section}__{name}".upper(): str(value or "") for name, value in values.items()}
    return [name for name, value in variables.items() if os.environ.get(name, value) not in (value, "")]


PAIRING_SERVICE = "_adb-tls-pairing._tcp"

_CODE = re.compile(r"\d{6}")
_GUID = re.compile(r"\[guid=([^\]\s]+)\]")
_LETTERS = string.ascii_letters + string.digits
_POLL = 0.5


class PairingFailed(Exception):
    """The phone was not paired or connected; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """What a QR code asks the phone to do: announce itself under this name, and pair with this password."""

    name: str
    password: str

    @classmethod
    def fresh(cls, chance: random.Random | None = None) -> Invitation:
        """A new invitation; its randomness is by default the operating system's."""
        source = chance or random.SystemRandom()
        return cls(
            "studio-" + "".join(source.choices(_LETTERS, k=10)), "".join(source.choices(_LETTERS, k=12))
        )

    @property
    def payload(self) -> str:
        """The text of the QR code."""
        return f"WIFI:T:ADB;S:{self.name};P:{self.password};;"


def checked_address(text: str) -> str:
    """A host:port as a person typed it.

    Raises:
        PairingFailed: the text is not host:port.
    """
    address = text.strip()
    match = ADDRESS.fullmatch(address)
    if match is None or not 0 < int(match[1]) < 65536:
        raise PairingFailed(_("An address looks like 192.168.1.20:37123. The phone shows it."))
    return address


def checked_code(text: str) -> str:
    """A pairing code as a person typed it.

    Raises:
        PairingFailed: it does not have six digits.
    """
    code = re.sub(r"\s", "", text)
    if not _CODE.fullmatch(code):
        raise PairingFailed(_("The pairing code has six digits. The phone shows it."))
    return code


async def wait_for_scan(
    adb: AdbServer, invitation: Invitation, limit: float = 120.0, poll: float = _POLL
) -> str:
    """Wait until a phone has read the QR code; returns the address at which it waits to be paired.

    Raises:
        PairingFailed: the adb server cannot see the network's services, or no phone came in `limit` seconds.
        PhoneError: there is no adb server.
    """
    checked = await adb.mdns_check()
    if not checked.startswith("mdns daemon version"):
        raise PairingFailed(
            _("The adb server does not look for phones on the network. Pair with the pairing code instead.")
        )
    try:
        async with asyncio.timeout(limit):
            while True:
                for service in await adb.mdns_services():
                    if service.kind == PAIRING_SERVICE and service.name == invitation.name:
                        return service.address
                await asyncio.sleep(poll)
    except TimeoutError as error:
        raise PairingFailed(
            _(
                "No phone has read the QR code. Phone and computer must be in the same network; else pair "
                "with the pairing code."
            )
        ) from error


async def pair(adb: AdbServer, address: str, password: str) -> str:
    """Pair with the phone at an address; returns its id (guid), empty if the server does not tell it.

    Raises:
        PairingFailed: the phone refuses or is not there.
        PhoneError: there is no adb server.
    """
    answer = await adb.pair(address, password)
    if answer.startswith("Successfully paired"):
        match = _GUID.search(answer)
        return match[1] if match else ""
    adb_answer = (
        " " + _("adb says: {answer}").format(answer=answer.removeprefix("Failed: ")) if answer else ""
    )
    raise PairingFailed(
        _("The phone was not paired. Check address and code: both are new each time the phone shows them.")
        + adb_answer
    )


async def wait_until_connected(
    adb: AdbServer, guid: str, address: str, limit: float = 20.0, poll: float = _POLL
) -> str:
    """Wait until a newly paired phone is connected, or connect to it if adb does not; returns its serial.

    Raises:
        PairingFailed: it did not come in `limit` seconds.
        PhoneError: there is no adb server.
    """
    host = address.rpartition(":")[0]
    asked: set[str] = set()
    try:
        async with asyncio.timeout(limit):
            while True:
                for device in await adb.devices():
                    named = bool(guid) and device.serial.startswith(guid)
                    if device.state == "device" and (named or device.serial.rpartition(":")[0] == host):
                        return device.serial
                for service in await adb.mdns_services():
                    ours = service.name == guid or service.address.rpartition(":")[0] == host
                    if service.kind == CONNECT_SERVICE and ours and service.address not in asked:
                        asked.add(service.address)
                        await adb.connect(service.address)
                await asyncio.sleep(poll)
    except TimeoutError as error:
        raise PairingFailed(
            _(
                "The phone is paired, but does not connect by itself. Connect by the address that it shows "
                "under “Wireless debugging”; the port is another than the one for pairing."
            )
        ) from error


_QUIET = 2
_CELLS = {(True, True): "█", (True, False): "▀", (False, True): "▄", (False, False): " "}


def qr_lines(payload: str, *, inverted: bool = False) -> list[str]:
    """A QR code as lines of equal length, a quiet zone around it.

    The ink is dark, for a light background; `inverted` for light ink on a dark one.
    """
    code = segno.make(payload, error="l", micro=False)
    rows = [[bool(module) is not inverted for module in row] for row in code.matrix_iter(border=_QUIET)]
    if len(rows) % 2:
        rows.append([inverted] * len(rows[0]))
    return [
        "".join(_CELLS[pair] for pair in zip(upper, lower, strict=True))
        for upper, lower in zip(rows[::2], rows[1::2], strict=True)
    ]

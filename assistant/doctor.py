"""Looks at every part the assistant depends on and says how to mend what does not work."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from assistant.events import Answer, PhoneState
from assistant.factories import UninstalledServers, make_mcp_servers
from assistant.files import ProactiveLock
from assistant.i18n import _, joined, later, padded
from assistant.memory.database import StoreError
from assistant.memory.store import Store, open_store
from assistant.model.client import RequestLogEntry, VisionModel
from assistant.model.trial import DialectFit, try_model
from assistant.model.types import ModelError, SourceError, SourceTool, one_line
from assistant.phone.adb import AdbDevice, AdbServer, Shell
from assistant.phone.device import Phone
from assistant.phone.displays import find_scrcpy_server, say_stream
from assistant.phone.errors import (
    PhoneError,
    PhoneStatus,
    Refusal,
    absent_error,
    listed_failure,
    refusal_words,
)
from assistant.phone.monitor import SensorReadings, read_sensors
from assistant.phone.pictures import NOT_INSTALLED, VIDEO_PACKAGE
from assistant.phone.screen_sources import find_jar
from assistant.proactive.location import CHECK_INTERVAL, Places, recognise
from assistant.proactive.suggestions import Suggestion, Suggestions
from assistant.safety.lexicon import lexicon
from assistant.secrets import SecretError, SecretKind, SecretLocation, SecretStore, keyring_problem
from assistant.settings.load import default_config_file, key_name, unknown_variables
from assistant.settings.schema import PhoneSettings, Settings

_SHORTEST_LIGHT = 30.0
"""A screen that goes dark sooner, in seconds, may do so while the model thinks."""

_PARTS = (
    *(later("settings"), later("memory"), later("routines"), later("keyring"), later("adb"), later("phone")),
    *(later("places"), later("lock"), later("input"), later("keyboard"), later("screen"), later("model")),
    *(later("helper"), later("dialect"), later("guards"), later("reading"), later("source")),
    later("stream"),
)
"""The names of what is examined; they are looked up where they are shown."""

_REACHABLE = (PhoneState.READY, PhoneState.LOCKED, PhoneState.SCREEN_OFF, PhoneState.NO_INPUT_PERMISSION)


@dataclass(frozen=True, slots=True)
class Check:
    """One part: whether it is good, its state in words, and the command or the act that mends it."""

    part: str
    good: bool
    state: str
    mend: str = ""

    def line(self) -> str:
        """One line (two where there is something to mend) for a person."""
        line = f"{'ok' if self.good else '✗ '}  {padded(_(self.part), 10)} {self.state}"
        return f"{line}\n    {'':10} → {self.mend}" if self.mend and not self.good else line

    def as_json(self) -> dict[str, Any]:
        """The same as plain JSON values."""
        return {"part": self.part, "good": self.good, "found": self.state, "mend": self.mend}


Tell = Callable[[RequestLogEntry], None]
"""Hears of a request to the model before it leaves."""


async def examine(settings: Settings, file: Path | None = None, tell: Tell | None = None) -> list[Check]:
    """Examine settings, memory, keyring, adb, phone and model. Nothing on the phone is changed.

    Args:
        settings: the settings in force.
        file: the settings file, by default the usual one.
        tell: hears what is sent to the model.
    """
    return [
        settings_finding(file or default_config_file()),
        *_variable_findings(os.environ),
        _memory(settings),
        _keyring(settings),
        _routines(settings),
        *await _phone(settings),
        *await model_findings(settings, tell),
        *await source_findings(settings),
    ]


def settings_finding(file: Path) -> Check:
    """Whether the settings file is there, and whether others can read a key in it."""
    if not file.is_file():
        return Check(
            "settings", True, _("no file at {file}; defaults and environment are used").format(file=file)
        )
    if _open_to_others(file) and "api_key" in file.read_text("utf-8", "replace"):
        return Check(
            "settings",
            False,
            _("{file} holds a key, and others can read it").format(file=file),
            f"chmod 600 {file}",
        )
    return Check("settings", True, str(file))


def _variable_findings(environment: Mapping[str, str]) -> Iterator[Check]:
    """Variables that set nothing, since no setting is called so."""
    for name in unknown_variables(environment):
        state = _("the environment variable {name} is no setting: it does nothing").format(name=name)
        yield Check("settings", False, state, _("assistant settings list names them all; unset this one"))


def _memory(settings: Settings) -> Check:
    try:
        store = open_store(settings)
    except StoreError as error:
        return Check("memory", False, str(error), "assistant --store FOLDER")
    count = store.records.count()
    store.close()
    opened = [
        path for path in (settings.store, *settings.store.glob("memory.sqlite*")) if _open_to_others(path)
    ]
    if opened:
        names = " ".join(str(path) for path in opened)
        return Check(
            "memory",
            False,
            _("others can read {names}").format(names=names),
            f"chmod go-rwx {names}",
        )
    return Check("memory", True, _("{count} records in {store}").format(count=count, store=settings.store))


def _routines(settings: Settings) -> Check:
    try:
        store = open_store(settings)
    except StoreError as error:
        return Check("routines", False, str(error), "assistant --store FOLDER")
    try:
        return Check("routines", True, summarize_suggestions(store, settings))
    except OSError as error:
        words = _("{store} cannot be written: {reason}").format(store=settings.store, reason=error.strerror)
        return Check("routines", False, words, "assistant --store FOLDER")
    finally:
        store.close()


def _open_to_others(path: Path) -> bool:
    return bool(stat.S_IMODE(path.stat().st_mode) & 0o077)


def _keyring(settings: Settings) -> Check:
    problem = keyring_problem()
    try:
        secrets, keys = SecretStore().names(), SecretStore(SecretKind.MODEL_KEY).names()
        kept = [
            name
            for names in (secrets, keys)
            for name, place in names.items()
            if place is SecretLocation.KEYRING
        ]
        if problem and kept:
            return Check(
                "keyring",
                False,
                _("{problem} It should hold: {names}.").format(problem=problem, names=", ".join(kept)),
                "assistant setup",
            )
        if problem:
            return Check(
                "keyring",
                True,
                _("{problem} Secrets can be kept in a file: assistant secret add NAME --file").format(
                    problem=problem
                ),
            )
        name = key_name(settings.model.base_url)
        if name in keys and not SecretStore(SecretKind.MODEL_KEY).get(name):
            return Check(
                "keyring", False, _("the key of {name} is missing").format(name=name), "assistant setup"
            )
    except SecretError as error:
        return Check("keyring", False, str(error), "assistant setup")
    return Check("keyring", True, _("works, {count} secrets").format(count=len(secrets)))


async def _phone(settings: Settings) -> list[Check]:
    adb = AdbServer(settings.phone.adb_host, settings.phone.adb_port)
    serial = settings.phone.serial
    try:
        if ":" in serial and all(device.serial != serial for device in await adb.devices()):
            await adb.connect(serial)
        devices = await adb.devices()
    except PhoneError as error:
        return [Check("adb", False, error.sentence, "adb start-server")]
    checks = [
        Check(
            "adb",
            True,
            _("answers on port {port}, {devices}").format(
                port=settings.phone.adb_port, devices=_listed(devices)
            ),
        )
    ]
    serials = [device.serial for device in devices if serial in ("", device.serial)]
    if len(serials) > 1:
        several = _("Several phones are connected: {serials}").format(serials=", ".join(serials))
        return [
            *checks,
            Check(
                "phone",
                False,
                several,
                _("assistant setup, or assistant --serial {serial}").format(serial=serials[0]),
            ),
        ]
    if not serials:
        return [*checks, Check("phone", False, absent_error(serial).sentence, "assistant setup")]
    return [
        *checks,
        *await phone_findings(Phone(adb, serials[0], settings.phone)),
        *await stream_findings(settings.phone, serials[0]),
        *await _places(settings, Shell(adb, serials[0], settings.phone.command_deadline)),
    ]


async def stream_findings(settings: PhoneSettings, serial: str) -> list[Check]:
    """Whether the panel shows the phone's screen as it changes, where that is on or only not switched on."""
    if not settings.stream and (find_spec(VIDEO_PACKAGE) is None or find_scrcpy_server(settings) is None):
        return []
    return [Check("stream", True, await say_stream(settings, serial))]


async def _places(settings: Settings, shell: Shell) -> list[Check]:
    """Where the phone is, and what looking around costs it; nothing where the phone does not answer."""
    try:
        looking = await measure_sensing(shell)
        store = open_store(settings)
    except (PhoneError, StoreError):
        return []
    try:
        return [Check("places", True, describe_place(store, settings, looking))]
    finally:
        store.close()


def _listed(devices: tuple[AdbDevice, ...]) -> str:
    if not devices:
        return _("no phones")
    return joined(f"{device.serial} {device_in_words(device)}" for device in devices)


def device_in_words(device: AdbDevice) -> str:
    """The state of a device of adb's list, in words."""
    if listed_failure(device.state, device.serial) is None:
        return _("is connected")
    words = {
        "unauthorized": _("does not trust this computer yet"),
        "authorizing": _("is being asked whether it trusts this computer"),
        "offline": _("is not reachable"),
        "connecting": _("is being connected"),
        "no": _("may not be opened by this user"),
    }
    state = device.state.split(" ")[0]
    return words.get(state, _("is in {state} mode").format(state=state))


async def phone_findings(phone: Phone) -> list[Check]:
    """Examine one phone: whether it can be used, touched and typed on, and whether its screen stays on."""
    status = await phone.status()
    checks = [_status(status)]
    if status.state not in _REACHABLE:
        return checks
    try:
        checks.append(await _lock(phone, status))
        checks.append(await _input(phone))
        checks.append(await _keyboard(phone))
        checks += await _guards(phone)
        if status.state in (PhoneState.READY, PhoneState.NO_INPUT_PERMISSION):
            began = time.perf_counter()
            checks.append(await _screen(phone))
            checks.append(_helper(phone, time.perf_counter() - began))
            checks.append(_reading(phone))
            await phone.release()
    except PhoneError as error:
        checks.append(Check("phone", False, error.sentence, "assistant doctor"))
    return checks


def _status(status: PhoneStatus) -> Check:
    name = f"{status.model} ({status.serial}), Android {status.android}" if status.model else status.serial
    good = status.state in _REACHABLE
    if status.state is PhoneState.OFFLINE:
        return Check("phone", False, f"{name}: {status.sentence}", "adb reconnect offline")
    return Check("phone", good, name if good else f"{name}: {status.sentence}", "assistant setup")


async def _guards(phone: Phone) -> list[Check]:
    """A word where the guards know few words of the phone's language; the layout still tells much."""
    language = await phone.language()
    if not language or lexicon().reads_well(language):
        return []
    sentence = _("they read this phone's language ({language}) less well, and may miss a payment or message")
    return [
        Check("guards", True, sentence.format(language=language)),
        Check("guards", True, _("turn.strict asks about every button that they do not know")),
    ]


async def _lock(phone: Phone, status: PhoneStatus) -> Check:
    if status.state is PhoneState.LOCKED:
        return Check(
            "lock", False, _("The phone is locked."), _("Unlock it by hand; a turn waits until then.")
        )
    if status.state is PhoneState.SCREEN_OFF:
        return Check(
            "lock",
            False,
            _("The phone's screen is off."),
            f"{_shell(phone)} input keyevent KEYCODE_WAKEUP",
        )
    seconds = await phone.screen_seconds()
    if seconds is not None and seconds < _SHORTEST_LIGHT:
        return Check(
            "lock",
            False,
            _("The screen goes dark after {seconds:.0f} s, which can be while the model thinks.").format(
                seconds=seconds
            ),
            f"{_shell(phone)} settings put system screen_off_timeout 300000",
        )
    unlocked = _("unlocked")
    if seconds is not None:
        unlocked = _("unlocked; the screen goes dark after {seconds:.0f} s").format(seconds=seconds)
    return Check("lock", True, unlocked)


def _shell(phone: Phone) -> str:
    return f"adb -s {phone.serial} shell"


async def _input(phone: Phone) -> Check:
    if await phone.accepts_input():
        return Check("input", True, _("taps and typing over adb are allowed"))
    return Check(
        "input",
        False,
        _("The phone forbids input over adb."),
        _(
            "Developer options: turn on “USB debugging (Security settings)”, on OPPO "
            "“Disable permission monitoring”; then restart the phone."
        ),
    )


async def _keyboard(phone: Phone) -> Check:
    problem = await phone.unicode_problem()
    if problem == Refusal.KEYBOARD_FORBIDDEN:
        cure = _("Developer options: turn on “Disable permission monitoring”; then restart the phone.")
        return Check("keyboard", False, refusal_words(problem), cure)
    return Check(
        "keyboard",
        not problem,
        refusal_words(problem) or _("types any script"),
        _("{command} (from {place})").format(
            command=f"adb -s {phone.serial} install ADBKeyBoard.apk", place="github.com/senzhk/ADBKeyBoard"
        ),
    )


async def _screen(phone: Phone) -> Check:
    seen = await phone.observe()
    size = _("{width}×{height}, {count} elements, {name} in front").format(
        width=seen.width, height=seen.height, count=len(seen.with_picture_texts.elements), name=seen.app.name
    )
    return Check(
        "screen",
        bool(seen.screenshot),
        size,
        f"adb -s {phone.serial} exec-out screencap -p > screen.png",
    )


def _helper(phone: Phone, seconds: float) -> Check:
    """How the screen is looked at, what a look took, and what would be faster at what risk. Never a fault."""
    looked = _("a look took {seconds:.1f} s").format(seconds=seconds)
    if phone.wants_helper:
        use = _("in use during turns") if not phone.helper_loss else _(phone.helper_loss)
        return Check("helper", True, f"{use}; {looked}")
    offer = _(
        "off; {looked}. uiautomator2's server shortens that on most phones: assistant devices --helper times "
        "it on this one, assistant settings set phone.resident_helper true lets it run during turns. "
        "Meanwhile every program on the phone and in its network could use it."
    )
    missing = "" if find_jar() else " " + _("It needs: pip install 'assistant[helper]'.")
    return Check("helper", True, offer.format(looked=looked) + missing)


def _reading(phone: Phone) -> Check:
    """Whether screens of which apps tell nothing are read from their picture. Never a fault."""
    match phone.reading_problem:
        case None:
            sentence = _("off by the setting phone.read_pictures; on screens without words every tap asks")
        case "":
            sentence = _("where an app tells nothing of its screen, its picture is read, on this computer")
        case problem:
            sentence = _(
                "screens of which an app tells nothing are not read, and every tap there asks: {reason}."
            ).format(reason=_(problem))
            if problem == NOT_INSTALLED:
                sentence += " " + _("It needs: pip install 'assistant[ocr]' (330 MB; 1 to 3 s a screen).")
    return Check("reading", True, sentence)


async def model_findings(settings: Settings, tell: Tell | None = None) -> list[Check]:
    """Examine the endpoint, and with a test call whether the dialect fits the model."""
    try:
        model = VisionModel(settings.model, tell=tell)
        try:
            check = Check("model", True, await model.check())
        finally:
            await model.close()
    except ModelError as error:
        return [Check("model", False, str(error), "assistant setup")]
    trial = await try_model(settings.model, tell=tell)
    words = f"{trial.sentence} ({trial.dialect})"
    return [check, Check("dialect", trial.fit is DialectFit.HIT, words, "assistant setup")]


async def source_findings(settings: Settings) -> list[Check]:
    """Start each configured MCP server, and list its tools. None of them is called."""
    if not settings.mcp.servers:
        return []
    servers = make_mcp_servers(settings.mcp)
    if isinstance(servers, UninstalledServers):
        return [Check("source", False, _("the mcp package is missing"), "pip install 'assistant[mcp]'")]
    checks = []
    for name in settings.mcp.servers:
        try:
            checks.append(_source_finding(name, await servers.list_tools(name)))
        except SourceError as error:
            mend = _("mend [mcp.servers.{name}] in the settings file").format(name=name)
            checks.append(Check("source", False, f"{name}: {error}", mend))
    return checks


def _source_finding(name: str, tools: Sequence[SourceTool]) -> Check:
    readable = [one_line(tool.name, 40) for tool in tools if tool.reads_only]
    summary = _("{name}: {count} tools, may be asked: {readable}").format(
        name=name, count=len(tools), readable=", ".join(readable) or _("none")
    )
    mend = _('name those that only read: tools = ["…"] in [mcp.servers.{name}]').format(name=name)
    return Check("source", bool(readable), summary, mend)


_WEEK = timedelta(days=7)
_TIMES = 3


@dataclass(frozen=True, slots=True)
class SensingCost:
    """What reading the sensors costs the phone: commands a minute, and the median milliseconds of one."""

    a_minute: float
    milliseconds: float
    signals: SensorReadings

    def format(self) -> str:
        """One line for a person."""
        seen = [
            name
            for name, there in (
                (_("access point"), self.signals.bssid),
                (_("Bluetooth"), self.signals.device),
                (_("position"), self.signals.position),
            )
            if there
        ]
        summary = _("sees no Wi-Fi, Bluetooth or location to recognise a place by")
        if seen:
            summary = _("sees {marks}").format(marks=_(", ").join(seen))
        cost = _("{told}; {count:g} command a minute, {milliseconds:.0f} ms each, wakes no screen")
        return cost.format(told=summary, count=self.a_minute, milliseconds=self.milliseconds)


async def measure_sensing(shell: Shell) -> SensingCost:
    """Read the sensors a few times, as is done every minute, and measure the time.

    Raises:
        PhoneError: the phone cannot be reached.
    """
    taken = []
    signals = SensorReadings()
    for _time in range(_TIMES):
        begun = time.perf_counter()
        signals = await read_sensors(shell)
        taken.append((time.perf_counter() - begun) * 1000)
    return SensingCost(60 / CHECK_INTERVAL, sorted(taken)[_TIMES // 2], signals)


def summarize_suggestions(store: Store, settings: Settings) -> str:
    """The answers to the suggestions of the last week, and whether another program makes suggestions."""
    if not settings.proactive.enabled:
        return _("switched off (proactive.enabled)")
    latest = Suggestions(store, settings.user_id).since(store.now() - _WEEK)
    shown = [suggestion for suggestion in latest if suggestion.shown is not None]
    lock = ProactiveLock(store.folder)
    free = lock.take()
    lock.release()
    summary = _("{count} in the last week{answers}").format(count=len(shown), answers=_answers(shown))
    return summary if free else _("{told}; another program makes them now").format(told=summary)


def describe_place(store: Store, settings: Settings, cost: SensingCost) -> str:
    """The place where the phone is, if it has a name, and what reading the sensors costs."""
    places = Places(store, settings.user_id).all()
    place = recognise(cost.signals, places)
    summary = _("{count} places have a name, this is none of them").format(count=len(places))
    if place:
        summary = _("at {name}").format(name=place.name)
    return _("{place}; {looks}").format(place=summary, looks=cost.format())


def _answers(suggestions: list[Suggestion]) -> str:
    words = {
        Answer.ACCEPTED: _("accepted"),
        Answer.EDITED: _("accepted with changes"),
        Answer.DONE: _("done by you"),
        Answer.NOT_NOW: _("not now"),
        Answer.NEVER: _("never"),
        Answer.LAPSED: _("not answered"),
    }
    counts = [
        (sum(suggestion.answer is answer for suggestion in suggestions), word)
        for answer, word in words.items()
    ]
    summary = joined(f"{count} {word}" for count, word in counts if count)
    return f" ({summary})" if summary else ""

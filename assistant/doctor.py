"""Looks at every part the assistant depends on and says how to mend what does not work."""

from __future__ import annotations

import asyncio
import os
import stat
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from assistant.events import PhoneState
from assistant.factories import UninstalledServers, make_mcp_servers
from assistant.i18n import _, joined, later, padded
from assistant.memory.database import StoreError
from assistant.memory.store import open_store
from assistant.model.client import RequestLogEntry, VisionModel
from assistant.model.tap_test import DialectFit, try_model
from assistant.model.types import ModelError, SourceError, SourceTool, one_line
from assistant.phone.adb import AdbDevice, AdbServer, Shell, end_work
from assistant.phone.device import Phone
from assistant.phone.displays import find_scrcpy_server, say_stream
from assistant.phone.errors import (
    HELPER_TIMES,
    ActionRefused,
    HelperLost,
    HelperNotes,
    LookTimes,
    PhoneError,
    PhoneStatus,
    Refusal,
    absent_error,
    listed_failure,
    refusal_words,
)
from assistant.phone.keyboard import PhoneKeyboard, SavedKeyboards
from assistant.phone.pictures import NOT_INSTALLED, VIDEO_PACKAGE
from assistant.phone.screen import ScreenSource
from assistant.phone.screen_sources import (
    NO_ANSWER,
    SCREEN_READER,
    AdbScreenSource,
    HelperScreenSource,
    HelperTouch,
    find_jar,
    make_helper,
)
from assistant.phone.screen_sources import NOT_INSTALLED as NO_JAR
from assistant.phone.status import accessibility_in_use
from assistant.phone.touches import KEY_NOTHING, Touch
from assistant.proactive.location import describe_place, measure_sensing
from assistant.proactive.suggestions import summarize_suggestions
from assistant.safety.lexicon import lexicon
from assistant.secrets import SecretError, SecretKind, SecretLocation, SecretStore, keyring_problem
from assistant.settings.load import default_config_file, key_name, unknown_variables
from assistant.settings.schema import PhoneSettings, Settings

_SHORTEST_LIGHT = 30.0
"""A screen that goes dark sooner, in seconds, may do so while the model thinks."""

_PARTS = (
    *(later("settings"), later("memory"), later("routines"), later("keyring"), later("adb"), later("phone")),
    *(later("places"), later("lock"), later("input"), later("keyboard"), later("screen"), later("model")),
    *(later("helper"), later("dialect"), later("guards"), later("reading"), later("source"), later("stream")),
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
    words = _("answers on port {port}, {devices}")
    answers = words.format(port=settings.phone.adb_port, devices=_listed(devices))
    checks = [Check("adb", True, answers)]
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
    phone = Phone(adb, serials[0], settings.phone)
    findings = await phone_findings(phone, HelperNotes(settings.store / HELPER_TIMES))
    return [
        *checks,
        *with_helper_ways(findings),
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
        return [Check("places", True, describe_place(store, settings.user_id, looking))]
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


async def phone_findings(phone: Phone, notes: HelperNotes) -> list[Check]:
    """Examine one phone: whether it can be used, touched and typed on, and whether its screen stays on.

    Args:
        phone: the phone; the resident helper runs on it only where the settings say so.
        notes: what the helper was measured to gain.
    """
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
            checks.append(await _helper(phone, time.perf_counter() - began, notes))
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


HELPER_RISK = later(
    "While it runs, which is during turns, every program on the phone and in its network can read and use "
    "the phone through it, without a password."
)
HELPER_MISSING = later("It needs: pip install 'assistant[helper]'.")
HELPER_WAYS = later(
    "assistant devices --helper measures it, for which it runs some seconds; "
    "assistant settings set phone.resident_helper true lets it run during turns"
)


@dataclass(frozen=True, slots=True)
class HelperOffer(Check):
    """Where the resident helper is off: what it gains on this phone, and what it risks.

    `phone` is the phone's own number, `problem` why it cannot run at all, in English, `is_measured` whether
    its gain is known, `is_declined` whether the user did not want to try it.
    """

    serial: str = ""
    phone: str = ""
    problem: str = ""
    is_measured: bool = False
    is_declined: bool = False


async def _helper(phone: Phone, seconds: float, notes: HelperNotes) -> Check:
    """How the screen is looked at and what a look took, or an offer to do it faster. Never a fault."""
    if phone.wants_helper:
        use = _("in use during turns") if not phone.helper_loss else _(phone.helper_loss)
        looked = _("a look took {seconds:.1f} s").format(seconds=seconds)
        return Check("helper", True, f"{use}; {looked}")
    await phone.read_identity()
    number = phone.identity or phone.serial
    times = notes.times(number)
    unmeasured = _(
        "On this phone a look takes {seconds:.1f} s; how much the resident helper (uiautomator2's server) "
        "shortens that is not measured yet, since it must run for that."
    )
    return HelperOffer(
        *("helper", True, _offered(times.sentence if times else unmeasured.format(seconds=seconds))),
        serial=phone.serial,
        phone=number,
        problem=NO_JAR if find_jar() is None else SCREEN_READER if phone.hears_screen_reader else "",
        is_measured=times is not None,
        is_declined=notes.is_declined(number),
    )


def _offered(gain: str) -> str:
    return _("off. {gain} {risk}").format(gain=gain, risk=_(HELPER_RISK))


def with_helper_ways(findings: Sequence[Check]) -> list[Check]:
    """The findings, and behind an offer of the resident helper how it is taken, or why it cannot be."""
    ways = {"": HELPER_WAYS, NO_JAR: HELPER_MISSING}
    checks: list[Check] = []
    for finding in findings:
        checks.append(finding)
        if isinstance(finding, HelperOffer):
            checks.append(Check("helper", True, _(ways.get(finding.problem, finding.problem))))
    return checks


async def try_helper(
    adb: AdbServer, offer: HelperOffer, settings: PhoneSettings, notes: HelperNotes
) -> HelperOffer:
    """Measure what the resident helper gains, which runs meanwhile. Raises `PhoneError` for a lost phone."""
    allowed = settings.model_copy(update={"resident_helper": True})
    abilities = await measure_abilities(adb, offer.serial, allowed)
    if abilities.both_looks is not None:
        notes.note(offer.phone, *abilities.both_looks)
        times = LookTimes(*abilities.both_looks, datetime.now().astimezone())
        return replace(offer, state=_offered(times.sentence), is_measured=True)
    problem = abilities.helper_problem or NO_ANSWER
    words = _("The resident helper cannot be used on this phone: {reason}.").format(reason=_(problem))
    return replace(offer, state=words, problem=problem)


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


HELPER_OFF = later("off by the setting phone.resident_helper; assistant devices --helper times it")
NOT_MEASURED = later("not measured: the phone is not ready")
MEASURING = 1.0
"""Seconds for which looks are measured; one that takes longer is awaited, and measured once."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Speed:
    """Seconds for one look and one input; None if it does not work or was not tried.

    `look` is the median of so many `looks`.
    """

    look: float | None = None
    input: float | None = None
    looks: int = 0


@dataclass(frozen=True, slots=True)
class Abilities:
    """What works on a phone, and how fast.

    `pictures`, `trees`, `input` and `typing_problem` are None if they were not tried. `typing_problem` says
    in English why not every script can be typed, `helper_problem` why the resident helper does not work;
    both are empty where the helper works, which pastes any script. `png_seconds` and `packed_seconds` are how
    long plain adb takes for a picture in its two ways; None where it gives none.
    """

    pictures: bool | None = None
    trees: bool | None = None
    input: bool | None = None
    typing_problem: str | None = None
    screen_reader: bool = False
    plain: Speed = Speed()
    helper: Speed = Speed()
    helper_problem: str = NOT_MEASURED
    png_seconds: float | None = None
    packed_seconds: float | None = None

    @property
    def both_looks(self) -> tuple[float, float] | None:
        """Seconds for a look over plain adb and through the helper; None where one was not measured."""
        plain, helped = self.plain.look, self.helper.look
        return None if self.helper_problem or plain is None or helped is None else (plain, helped)


async def measure_abilities(adb: AdbServer, serial: str, settings: PhoneSettings) -> Abilities:
    """Try what the phone can do; the helper is started only if the settings allow it, and ended.

    Raises:
        PhoneError: the phone is lost.
    """
    shell = Shell(adb, serial, settings.command_deadline)
    screen_reader = await accessibility_in_use(shell)
    abilities = await _measure_plain(shell, wants_tree=not screen_reader)
    plain = AdbScreenSource(shell)
    typing_problem = await PhoneKeyboard(shell, Touch(shell), plain, SavedKeyboards()).problem()
    speed, problem = await _measure_helper(shell, plain, settings)
    return replace(
        abilities,
        # The helper pastes what no keyboard types.
        typing_problem=typing_problem if problem else "",
        screen_reader=screen_reader,
        helper=speed,
        helper_problem=problem,
    )


async def _measure_plain(shell: Shell, *, wants_tree: bool) -> Abilities:
    """What works over plain adb and how fast: pictures and an input are tried beside the first tree."""
    source, end = AdbScreenSource(shell), time.perf_counter() + MEASURING
    reading = asyncio.create_task(_timed(source.tree)) if wants_tree else None
    try:
        png_seconds = await source.capture_seconds(packed=False)
        packed_seconds = await source.capture_seconds(packed=True)
        accepted, echo = await _timed(lambda: _accepts(Touch(shell)))
        tree, seconds = await reading if reading is not None else (None, 0.0)
    finally:
        await end_work(reading)
    works = png_seconds is not None or tree is not None
    first = max(png_seconds or 0.0, seconds)
    looks = await measure_looks(source, first, end, wants_tree=wants_tree)
    return Abilities(
        pictures=png_seconds is not None,
        trees=None if reading is None else tree is not None,
        input=accepted,
        plain=Speed(
            sorted(looks)[len(looks) // 2] if works else None, echo if accepted else None, len(looks)
        ),
        png_seconds=png_seconds,
        packed_seconds=packed_seconds,
    )


async def measure_looks(source: ScreenSource, first: float, end: float, *, wants_tree: bool) -> list[float]:
    """The seconds of looks: of the first one, and of as many more as pass before `end`."""
    looks = [first]
    while time.perf_counter() + looks[-1] <= end:
        _seen, seconds = await _timed(lambda: _look(source, wants_tree=wants_tree))
        looks.append(seconds)
    return looks


async def _measure_helper(shell: Shell, plain: ScreenSource, settings: PhoneSettings) -> tuple[Speed, str]:
    """The speed of the helper, and why it is not used; empty if it is."""
    if not settings.resident_helper:
        return Speed(), HELPER_OFF
    helper = make_helper(shell, shell, settings)
    try:
        await helper.start()
        source, end = HelperScreenSource(helper, plain), time.perf_counter() + MEASURING
        _seen, look = await _timed(lambda: _look(source, wants_tree=True))
        accepted, echo = await _timed(lambda: _accepts(HelperTouch(helper, shell)))
        looks = await measure_looks(source, look, end, wants_tree=True)
    except HelperLost as lost:
        return Speed(), str(lost)
    finally:
        await helper.stop()
    if helper.lost:
        return Speed(), helper.lost
    return Speed(sorted(looks)[len(looks) // 2], echo if accepted else None, len(looks)), ""


async def _look(source: ScreenSource, *, wants_tree: bool) -> tuple[bool, bool | None]:
    """Whether a picture and a tree could be read; None for a tree that was not asked for."""
    if not wants_tree:
        return bool((await source.screenshot()).png), None
    shot, tree = await asyncio.gather(source.screenshot(), source.tree())
    return bool(shot.png), tree is not None


async def _accepts(touch: Touch) -> bool:
    try:
        await touch.key(KEY_NOTHING)
    except PhoneError as error:
        if error.state is PhoneState.NO_INPUT_PERMISSION:
            return False
        raise
    except ActionRefused:
        return False
    return True


async def _timed(work: Callable[[], Awaitable[Result]]) -> tuple[Result, float]:
    begun = time.perf_counter()
    answer = await work()
    return answer, time.perf_counter() - begun

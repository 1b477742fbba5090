"""Why a phone or an action fails: states of the phone, refused actions, and what to do about each.

Also what the resident helper gains on a phone, and whether the user declined it, in words and in a file.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from assistant.events import PhoneState
from assistant.files import JsonFile
from assistant.i18n import _, later, retold


class PhoneError(Exception):
    """The phone cannot be used now. `state` says why, the message says what the user can do."""

    def __init__(self, state: PhoneState, sentence: str) -> None:
        super().__init__(sentence)
        self.state = state
        self.sentence = sentence


class HelperLost(Exception):
    """The resident helper is lost; the message says why, in English. `sent`: a request may have arrived."""

    def __init__(self, reason: str, *, sent: bool = False) -> None:
        super().__init__(reason)
        self.sent = sent


class Refusal(StrEnum):
    """Why an action is not performed. Stored and told to the model in English."""

    STOPPED = later("The action was stopped before it was done.")
    INPUT = later("The phone refused the input: {reason}")
    NO_ANSWER = later("The phone did not say whether the input arrived: {reason}")
    NO_APP = later("No app is called “{name}”.")
    NO_APP_BUT = later("No app is called “{name}”. The nearest are {near}.")
    NO_APP_AMONG = later("No app is called “{name}”. The phone has {apps}.")
    NO_ADDRESS = later("“{address}” is no page of the settings and no address that an app opens.")
    NOT_STARTED = later("The app does not start: {reason}")
    NO_FIELD = later("No text field has focus. Tap a text field first.")
    NO_KEYBOARD = later(
        "The phone can only type plain Latin letters over adb. Install ADBKeyBoard on it to type other "
        "characters."
    )
    KEYBOARD_FORBIDDEN = later(
        "The phone forbids switching keyboards over adb, so it can only type plain Latin letters. Turn on "
        "“Disable permission monitoring” in its Developer options, then restart it."
    )
    KEYBOARD_STAYS = later("The phone does not switch its keyboard: {reason}")
    KEYBOARD_UNSAVED = later(
        "The keyboard in use cannot be noted ({reason}), so none is put in its place to type over adb."
    )
    KEYBOARD_DEAD = later("The keyboard for typing over adb does not start on the phone.")
    NOT_TYPED = later("The text did not reach the keyboard: {reason}")
    OTHER_DISPLAY = later(
        "The phone's one keyboard types on another display now, so only plain Latin letters can be typed."
    )
    NOT_ON_DISPLAY = later("This is not done on another display than the phone's own screen.")
    OWN_SCREEN = later("{name} is open on the phone's own screen, so it is not moved to another display.")
    OTHERWISE_TYPED = later("The text did not arrive as typed: the field now reads “{text}”.")
    COMPOSED = later(
        "The phone's keyboard makes “{text}” of the text, so it was deleted again. Switch that keyboard to "
        "Latin letters, or install ADBKeyBoard on the phone."
    )
    NO_PASSWORD_FIELD = later("Secrets are typed into password fields only; none has focus.")
    NO_SECRET = later("There is no secret named {name}. “assistant secret add” adds one.")
    APP_LOCKED = later("This task stays in {apps}; {name} is not opened.")
    LEFT_APP = later("This task stays in {apps}; nothing is done in {name}. Go back.")
    NOT_ALLOWED = later("the user did not allow it")
    INTERRUPTED = later("interrupted before it began")
    PHONE_LOST = later("not clear whether it was done, look on the phone: the connection was lost")
    MAYBE_DONE = later("not clear whether it was done, look on the phone: the program ended meanwhile")
    ENDED_UNCLEAR = later("not clear whether it was done, look on the phone: {reason}")
    SCREEN_CHANGED = later("The screen changed before this was done, so it was not done. Look again.")


def refusal_words(reason: str) -> str:
    """A `Refusal` translated for the user."""
    if reason == Refusal.NOT_ALLOWED:
        return _("you did not allow it")
    return retold(reason, Refusal)


class ActionRefused(Exception):
    """The phone is there, but this one action could not be performed; the message is told to the model."""


_SENTENCES = {
    PhoneState.READY: later("Phone is ready."),
    PhoneState.NO_ADB: later("adb is missing. Install Android platform-tools, or set ADBUTILS_ADB_PATH."),
    PhoneState.ABSENT: later(
        "No phone is connected. Plug one in with USB debugging on, or name its address."
    ),
    PhoneState.UNAUTHORIZED: later(
        "The phone does not trust this computer yet. Confirm the dialog on the phone."
    ),
    PhoneState.OFFLINE: later("The phone's connection is down. Connect its cable or network again."),
    PhoneState.FROZEN: later("The phone does not answer. Check its cable or network, or restart it."),
    PhoneState.SCREEN_OFF: later("The phone's screen is off. Switch it on to go on."),
    PhoneState.LOCKED: later("Phone is locked. Unlock it to go on."),
    PhoneState.NO_INPUT_PERMISSION: later(
        "The phone forbids input over adb. Turn on “USB debugging (Security settings)” in its "
        "Developer options, then restart it."
    ),
}

_NO_USB_PERMISSION = later(
    "This computer may not open the phone's USB port. Install the udev rules for Android phones."
)


@dataclass(frozen=True, slots=True)
class PhoneStatus:
    """A phone at a glance. `battery` is a percentage, `screen` its size in pixels; None where unknown."""

    state: PhoneState
    sentence: str
    serial: str = ""
    model: str = ""
    android: str = ""
    battery: int | None = None
    screen: tuple[int, int] | None = None


def state_sentence(state: PhoneState) -> str:
    """What a state means and what the user can do, as a sentence."""
    return _(_SENTENCES[state])


def error_for_state(state: PhoneState, words: str = "") -> PhoneError:
    """The error for a state, with `words` as its message or else the state's own sentence."""
    return PhoneError(state, words or state_sentence(state))


def listed_failure(state: str, serial: str) -> PhoneError | None:
    """The error for adb's word for a device's state; None for `device`. Empty: the device is not listed."""
    match state.split(" ")[0]:
        case "device":
            return None
        case "unauthorized" | "authorizing":
            return error_for_state(PhoneState.UNAUTHORIZED)
        case "no":
            return error_for_state(PhoneState.UNAUTHORIZED, _(_NO_USB_PERMISSION))
        case "":
            return absent_error(serial)
        case "offline" | "connecting":
            return error_for_state(PhoneState.OFFLINE)
        case other:
            return error_for_state(
                PhoneState.OFFLINE,
                _("The phone is in {other} mode. Start it normally to go on.").format(other=other),
            )


def refused_failure(text: str, serial: str) -> PhoneError | None:
    """The error for the text of a FAIL of the adb server; None if the text is not about the phone.

    Source of the texts: AOSP adb, transport.cpp.
    """
    if "unauthorized" in text or "authorizing" in text:
        return error_for_state(PhoneState.UNAUTHORIZED)
    if "not found" in text or "no devices" in text:
        return absent_error(serial)
    if "more than one" in text:
        return error_for_state(
            PhoneState.ABSENT, _("Several phones are connected. Name one of them as serial.")
        )
    if "permissions" in text:
        return error_for_state(PhoneState.UNAUTHORIZED, _(_NO_USB_PERMISSION))
    if "offline" in text or "connecting" in text:
        return error_for_state(PhoneState.OFFLINE)
    return None


def refuses_screenshot(printed: str) -> bool:
    """Whether `screencap` printed that screenshots are forbidden, as some phones do for secure screens."""
    return "Status: -1" in printed or "Failed" in printed


def absent_error(serial: str) -> PhoneError:
    """The error for a phone that is not there."""
    if not serial:
        return error_for_state(PhoneState.ABSENT)
    return error_for_state(
        PhoneState.ABSENT,
        _("Phone {serial} is not connected. Plug it in, or check its network.").format(serial=serial),
    )


HELPER_TIMES = "helper.json"


@dataclass(frozen=True, slots=True)
class LookTimes:
    """Seconds for a look over plain adb and through the resident helper, and when both were measured."""

    plain: float
    helped: float
    at: datetime

    @property
    def sentence(self) -> str:
        """What the helper gains, for a person."""
        words = _(
            "On this phone a look takes {helped:.2f} s through the resident helper (uiautomator2's server) "
            "and {plain:.2f} s without, as measured on {date}."
        )
        if self.helped >= self.plain:
            words = _(
                "On this phone the resident helper (uiautomator2's server) gains nothing: a look takes "
                "{helped:.2f} s through it and {plain:.2f} s without, as measured on {date}."
            )
        return words.format(helped=self.helped, plain=self.plain, date=f"{self.at:%Y-%m-%d}")


class HelperNotes:
    """What the resident helper was measured to gain on each phone, and where the user did not want to try it.

    A phone is known by its own number, which it keeps at any address; see `Phone.identity`.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._note = JsonFile(path)

    def times(self, phone: str) -> LookTimes | None:
        """The last measurement on a phone; None if there is none."""
        noted = self._of(phone)
        plain, helped, at = noted.get("plain"), noted.get("helped"), noted.get("at")
        numbers = [value for value in (plain, helped, at) if isinstance(value, (int, float))]
        if len(numbers) < 3:
            return None
        return LookTimes(numbers[0], numbers[1], datetime.fromtimestamp(numbers[2]))

    def is_declined(self, phone: str) -> bool:
        """Whether the user did not want to try it on a phone."""
        return self._of(phone).get("declined") is True

    def note(self, phone: str, plain: float, helped: float) -> None:
        """Note what a look took on a phone, in seconds, over plain adb and through the helper."""
        self._save(phone, {"plain": round(plain, 3), "helped": round(helped, 3), "at": round(time.time())})

    def decline(self, phone: str) -> None:
        """Note that the user does not want to try it on a phone."""
        self._save(phone, {"declined": True})

    def _save(self, phone: str, values: dict[str, object]) -> None:
        # What cannot be noted is measured, or asked, once more.
        with suppress(OSError):
            self._note.change(lambda notes: notes | {phone: values})

    def _of(self, phone: str) -> Mapping[str, object]:
        noted = self._note.load().get(phone)
        return noted if isinstance(noted, dict) else {}

"""What can go wrong with a phone, in words that say what to do."""

from __future__ import annotations

from enum import StrEnum

from assistant.events import PhoneState
from assistant.i18n import _, later, retold


class PhoneError(Exception):
    """The phone cannot be used now. `state` says why, the message says what the user can do."""

    def __init__(self, state: PhoneState, sentence: str) -> None:
        super().__init__(sentence)
        self.state = state
        self.sentence = sentence


class Refusal(StrEnum):
    """Why an action is not performed, in English: so it is kept, and told to the model."""

    STOPPED = later("The action was stopped before it was done.")
    INPUT = later("The phone refused the input: {reason}")
    NO_APP = later("No app is called “{name}”.")
    NO_APP_BUT = later("No app is called “{name}”. The nearest are {near}.")
    NOT_STARTED = later("The app does not start: {reason}")
    NO_FIELD = later("No text field has focus. Tap a text field first.")
    NO_KEYBOARD = later(
        "The phone can only type plain Latin letters over adb. Install ADBKeyBoard on it to type other "
        "characters."
    )
    KEYBOARD_STAYS = later("The phone does not switch its keyboard: {reason}")
    KEYBOARD_DEAD = later("The keyboard for typing over adb does not start on the phone.")
    NOT_TYPED = later("The text did not reach the keyboard: {reason}")
    OTHERWISE_TYPED = later("The text did not arrive as typed: the field now reads “{text}”.")
    NO_PASSWORD_FIELD = later("Secrets are typed into password fields only; none has focus.")
    NO_SECRET = later("There is no secret named {name}. “assistant secret add” adds one.")
    APP_LOCKED = later("This task stays in {apps}; {name} is not opened.")
    LEFT_APP = later("This task stays in {apps}; nothing is done in {name}. Go back.")
    NOT_ALLOWED = later("the user did not allow it")
    INTERRUPTED = later("interrupted before it began")
    PHONE_LOST = later("the phone was lost; it may have happened all the same")


def refusal_words(kept: str) -> str:
    """Why an action was not performed, as the user is told it in the language of the interface."""
    if kept == Refusal.NOT_ALLOWED:
        return _("you did not allow it")
    return retold(kept, Refusal)


class ActionRefused(Exception):
    """The phone is there, but this one action could not be performed; the message is told to the model."""

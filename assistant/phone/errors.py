"""What can go wrong with a phone, in words that say what to do."""

from __future__ import annotations

from assistant.events import PhoneState


class PhoneError(Exception):
    """The phone cannot be used now. `state` says why, the message says what the user can do."""

    def __init__(self, state: PhoneState, sentence: str) -> None:
        super().__init__(sentence)
        self.state = state
        self.sentence = sentence


class ActionRefused(Exception):
    """The phone is there, but this one action could not be performed; the message is told to the model."""

"""Messages from the engine's side to the widgets. Only their handlers touch widgets."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from assistant.events import Event


@dataclass
class Arrived(Message):
    """The engine said something."""

    event: Event


@dataclass
class CopyWished(Message):
    """The user wants a text in the clipboard."""

    text: str


@dataclass
class EngineStarted(Message):
    """The engine has started."""


@dataclass
class EngineBroke(Message):
    """The engine cannot go on; `reason` says why."""

    reason: str

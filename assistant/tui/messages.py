"""Messages from engine and widgets to the app. Only their handlers touch widgets."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from assistant.events import Event


@dataclass
class EngineEventArrived(Message):
    """An event of the engine."""

    event: Event


@dataclass
class CopyRequested(Message):
    """The user wants to copy a text."""

    text: str


@dataclass
class EngineStarted(Message):
    """The engine has started."""


@dataclass
class EngineFailed(Message):
    """The engine failed; `reason` says why."""

    reason: str

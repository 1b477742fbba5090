"""What a turn works with."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from assistant.config import Settings
from assistant.events import ActionKind, Event
from assistant.execute.resolving import Understands
from assistant.execute.secrets import NamedSecrets
from assistant.memory.store import Store
from assistant.phone.device import Phone

if TYPE_CHECKING:
    from assistant.model.client import VisionModel


@dataclass(frozen=True, slots=True)
class TurnParts:
    """The engine's parts as one turn uses them.

    `attended` tells whether a person can answer; if not, the turn fails where it would have to wait for one.
    `approved` are the kinds of sensitive actions that need no asking in this turn. `secrets` are what the
    model may ask for by name. `understands` finds out what a command means; by default itself. It is not
    asked before the memory that is being filled, if any, is `filled`.
    """

    phone: Phone
    model: VisionModel
    store: Store
    settings: Settings
    now: Callable[[], datetime]
    emit: Callable[[Event], None]
    attended: bool = True
    approved: frozenset[ActionKind] = frozenset()
    secrets: NamedSecrets | None = None
    understands: Understands | None = None
    filled: asyncio.Future[None] | None = None

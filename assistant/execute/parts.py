"""The objects that the parts of a turn share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from assistant.agent.context import Understands
from assistant.agent.secret_entry import NamedSecrets
from assistant.events import ActionKind, Event
from assistant.memory.store import Store
from assistant.phone.device import Phone
from assistant.settings.schema import Settings

if TYPE_CHECKING:
    from assistant.model.client import VisionModel


@dataclass(frozen=True, slots=True)
class TurnParts:
    """The phone, model, store and settings of one turn.

    Attributes:
        attended: whether a user can answer; if not, the turn fails where it would have to wait for one.
        approved_kinds: kinds of sensitive actions that need no approval in this turn.
        secrets: the secrets that the model may refer to by name.
        command_resolver: resolves what the command means; without it the command is used as typed.
        filled: if set, the command is resolved only after this future is done (a memory is being loaded).
    """

    phone: Phone
    model: VisionModel
    store: Store
    settings: Settings
    now: Callable[[], datetime]
    emit: Callable[[Event], None]
    attended: bool = True
    approved_kinds: frozenset[ActionKind] = frozenset()
    secrets: NamedSecrets | None = None
    command_resolver: Understands | None = None
    filled: asyncio.Future[None] | None = None

"""Notes what leaves this machine: in turns, and when setting up and the doctor try the model."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from assistant.memory.sent import SentLine
from assistant.memory.store import Store, StoreError, local_time, open_store
from assistant.memory.turns import Checkpoint
from assistant.settings.schema import Settings

if TYPE_CHECKING:
    from assistant.model.outgoing import Outgoing

_log = logging.getLogger(__name__)


def note_sent(
    store: Store, user_id: str, time: datetime, request: Outgoing, turn: Checkpoint | None = None
) -> None:
    """Keep one request that is about to leave; a memory that cannot be written stops nothing.

    Args:
        store: of the user.
        user_id: whose request it is.
        time: the local time.
        request: what is sent.
        turn: the turn that sends it, if one does.
    """
    line = SentLine(
        user_id=user_id,
        turn_id=turn.turn_id if turn else "",
        step=len(turn.steps) + 1 if turn else 0,
        time=time,
        endpoint=request.endpoint,
        model=request.model,
        text_bytes=request.text_bytes,
        picture_bytes=request.picture_bytes,
        parts=request.parts,
    )
    try:
        store.sent.add(line)
    except StoreError as problem:
        _log.warning("what was sent is not kept: %s", problem)


class SentNote:
    """Keeps requests outside of turns in the user's log, which is opened for each.

    Args:
        settings: whose memory, and where.
        now: the local time.
    """

    def __init__(self, settings: Settings, now: Callable[[], datetime] = local_time) -> None:
        self._settings = settings
        self._now = now

    def __call__(self, request: Outgoing) -> None:
        """Keep one request that is about to leave; a memory that cannot be opened stops nothing."""
        try:
            store = open_store(self._settings)
        except StoreError as problem:
            _log.warning("what was sent is not kept: %s", problem)
            return
        try:
            note_sent(store, self._settings.user_id, self._now(), request)
        finally:
            store.close()

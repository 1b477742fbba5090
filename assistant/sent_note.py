"""Notes what leaves this machine outside of turns: when setting up and the doctor try the model."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from assistant.config import Settings
from assistant.memory.sent import SentLine
from assistant.memory.store import StoreError, local_time, open_store

if TYPE_CHECKING:
    from assistant.model.outgoing import Outgoing

_log = logging.getLogger(__name__)


class SentNote:
    """Keeps requests in the user's log; a memory that cannot be written stops nothing.

    Args:
        settings: whose memory, and where.
        now: the local time.
    """

    def __init__(self, settings: Settings, now: Callable[[], datetime] = local_time) -> None:
        self._settings = settings
        self._now = now

    def __call__(self, request: Outgoing) -> None:
        """Keep one request that is about to leave."""
        line = SentLine(
            user_id=self._settings.user_id,
            turn_id="",
            step=0,
            time=self._now(),
            endpoint=request.endpoint,
            model=request.model,
            text_bytes=request.text_bytes,
            picture_bytes=request.picture_bytes,
            parts=request.parts,
        )
        try:
            store = open_store(self._settings)
            try:
                store.sent.add(line)
            finally:
                store.close()
        except StoreError as problem:
            _log.warning("what was sent is not kept: %s", problem)

"""Makes the parts of the engine whose libraries take longer to import than the interface may take to appear.

Each function imports what it makes when it is called; call them in a thread.

Notes what leaves this machine: in turns, and when setting up and the doctor try the model.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from assistant.events import Event
from assistant.memory.database import StoreError
from assistant.memory.request_log import LoggedRequest
from assistant.memory.store import Store, local_time, open_store
from assistant.memory.turns import Checkpoint
from assistant.phone.adb import Shell
from assistant.phone.apps import known_apps
from assistant.records import State
from assistant.safety.classifier import is_sensitive_instruction
from assistant.settings.schema import ModelSettings, Settings

if TYPE_CHECKING:
    from assistant.command_resolver import PersonalCommandResolver
    from assistant.model.client import VisionModel
    from assistant.model.endpoint import RequestLogEntry
    from assistant.model.text_requests import TextModel
    from assistant.proactive.service import Companion
    from assistant.proactive.wording import ModelWording


def make_model(settings: ModelSettings, tell: Callable[[RequestLogEntry], None]) -> VisionModel:
    """The client of the vision-language model; `tell` hears what is sent to it.

    Raises:
        ModelRejected: the settings name no model that could be asked.
    """
    from assistant.model.client import VisionModel

    return VisionModel(settings, tell=tell)


def make_recollection(
    settings: Settings,
    store: Store,
    state: Callable[[], State],
    emit: Callable[[Event], None],
    tell: Callable[[RequestLogEntry], None],
) -> PersonalCommandResolver:
    """What understands commands and learns from turns, at home in the `state` of the moment."""
    from assistant.command_resolver import PersonalCommandResolver

    return PersonalCommandResolver(
        settings,
        store,
        state,
        lambda: known_apps(settings.store),
        emit,
        lambda: _make_text_model(settings.model, tell),
    )


def make_companion(
    settings: Settings,
    store: Store,
    recollection: PersonalCommandResolver,
    *,
    phone: Callable[[], Shell | None],
    busy: Callable[[], bool],
    begin: Callable[[str, str], None],
    now: Callable[[], datetime],
    emit: Callable[[Event], None],
    tell: Callable[[RequestLogEntry], None],
    speaks: bool,
) -> Companion:
    """Whoever offers routines unasked.

    Args:
        settings: all settings.
        store: of the user.
        recollection: has the prototypes.
        phone: a shell on the phone in use; None without one.
        busy: whether a turn runs.
        begin: carries out what the user lets begin by itself: its suggestion's id, and the instruction.
        now: the local time with its zone.
        emit: hears the events.
        tell: hears what is sent to the model.
        speaks: whether a person is there to be offered anything.
    """
    from assistant.proactive.service import Companion, ProactiveDependencies

    company = ProactiveDependencies(
        phone,
        busy,
        recollection.open_prototypes,
        recollection.split_profile,
        begin,
        lambda one: not is_sensitive_instruction(one.instruction, one.actions),
        _make_wording(settings, tell),
    )
    return Companion(settings, store, company, now, emit, speaks=speaks and settings.proactive.enabled)


def _make_wording(settings: Settings, tell: Callable[[RequestLogEntry], None]) -> ModelWording | None:
    """The model's word on suggestions, where the settings want it and one is set."""
    model = settings.model
    if not (settings.proactive.wording and model.base_url and model.name):
        return None
    from assistant.model.text_requests import TextModel
    from assistant.proactive.wording import PATIENCE, ModelWording

    return ModelWording(TextModel(model, tell, PATIENCE))


def _make_text_model(settings: ModelSettings, tell: Callable[[RequestLogEntry], None]) -> TextModel:
    """The client of the model for text; `tell` hears what is sent to it."""
    from assistant.model.text_requests import TextModel

    return TextModel(settings, tell)


_log = logging.getLogger(__name__)


def note_sent(
    store: Store, user_id: str, time: datetime, request: RequestLogEntry, turn: Checkpoint | None = None
) -> None:
    """Keep one request that is about to leave; a memory that cannot be written stops nothing.

    Args:
        store: of the user.
        user_id: whose request it is.
        time: the local time.
        request: what is sent.
        turn: the turn that sends it, if one does.
    """
    line = LoggedRequest(
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

    def __call__(self, request: RequestLogEntry) -> None:
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

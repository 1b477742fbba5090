"""Makes the parts of the engine whose libraries take longer to import than the interface may take to appear.

Each function imports what it makes when it is called; call them in a thread.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from assistant.events import Event
from assistant.execute.guards.foreseen import needs_a_yes
from assistant.memory.store import Store
from assistant.phone.labels import known_apps
from assistant.phone.shell import Shell
from assistant.records import State
from assistant.settings.schema import ModelSettings, Settings

if TYPE_CHECKING:
    from assistant.command_resolver import Recollection
    from assistant.model.client import VisionModel
    from assistant.model.outgoing import Outgoing
    from assistant.proactive.companion import Companion
    from assistant.proactive.wording import WordedByModel


def make_model(settings: ModelSettings, tell: Callable[[Outgoing], None]) -> VisionModel:
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
    tell: Callable[[Outgoing], None],
) -> Recollection:
    """What understands commands and learns from turns, at home in the `state` of the moment."""
    from assistant.command_resolver import Recollection

    return Recollection(settings, store, state, lambda: known_apps(settings.store), emit, tell)


def make_companion(
    settings: Settings,
    store: Store,
    recollection: Recollection,
    *,
    phone: Callable[[], Shell | None],
    busy: Callable[[], bool],
    begin: Callable[[str, str], None],
    now: Callable[[], datetime],
    emit: Callable[[Event], None],
    tell: Callable[[Outgoing], None],
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
    from assistant.proactive.companion import Companion, Company

    company = Company(
        phone,
        busy,
        recollection.hierarchy,
        recollection.tidy,
        begin,
        lambda one: not needs_a_yes(one.instruction, one.actions),
        _make_wording(settings, tell),
    )
    return Companion(settings, store, company, now, emit, speaks=speaks and settings.proactive.enabled)


def _make_wording(settings: Settings, tell: Callable[[Outgoing], None]) -> WordedByModel | None:
    """The model's word on suggestions, where the settings want it and one is set."""
    model = settings.model
    if not (settings.proactive.wording and model.base_url and model.name):
        return None
    from assistant.model.writing import Writer
    from assistant.proactive.wording import PATIENCE, WordedByModel

    return WordedByModel(Writer(model, tell, PATIENCE))

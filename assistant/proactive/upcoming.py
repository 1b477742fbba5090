"""The routines as they stand: when each is likely next, and whether it begins by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from assistant.memory.prototypes.model import Prototype
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.store import Store
from assistant.proactive.days import Calendar
from assistant.proactive.forecast import habits_of
from assistant.proactive.occasions import Expected
from assistant.proactive.offers import Offering
from assistant.settings.schema import Settings


@dataclass(frozen=True, slots=True)
class Upcoming:
    """A routine with its next likely occasions within a week, soonest first; none while it is kept quiet."""

    routine: Prototype
    occasions: tuple[Expected, ...]


def upcoming(
    store: Store,
    memory: HierarchicalMemory,
    settings: Settings,
    now: Callable[[], datetime],
    user_id: str | None = None,
) -> list[Upcoming]:
    """The routines that are likely within a week, the soonest first, and those that begin by themselves.

    Args:
        store: the memory.
        memory: its prototypes.
        settings: the user's rules.
        now: the user's local time with its zone.
        user_id: whose; the settings' user by default.

    Raises:
        UnknownCountry: of the settings.
        EmbeddingError: new records cannot be placed.
    """
    user = user_id or settings.user_id
    habits = habits_of(memory, user, Calendar(settings.proactive.country), now().date())
    found = Offering(store, user, settings.proactive, now, lambda _: habits).expected()
    routines = dict.fromkeys([one.routine for one in found])
    routines |= dict.fromkeys(one.id for one in habits.prototypes.values() if one.alone)
    return [
        Upcoming(habits.prototypes[routine], tuple(one for one in found if one.routine == routine))
        for routine in routines
    ]

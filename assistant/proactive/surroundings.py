"""Follows where the user is by asking the phone now and then."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta

from assistant.events import Event, PlaceAsked, ScenarioChanged
from assistant.memory.database import StoreError
from assistant.memory.store import Store
from assistant.phone.errors import ActionRefused, PhoneError
from assistant.phone.sensing import Signals
from assistant.proactive.habit_table import UNKNOWN
from assistant.proactive.location import Place, Places, recognise
from assistant.proactive.scenario import Compass, Whereabouts

EVERY = 60.0
"""Seconds between two looks; each is one command of a few lines that wakes nothing."""
_A_WHILE = timedelta(minutes=10)
_PASSING = frozenset({"urban street", "outdoors"})
_AGAIN = 5.0
"""Seconds until a phone that could not be asked is asked again."""
_log = logging.getLogger(__name__)

Senses = Callable[[], Awaitable[Signals | None]]
"""Looks around; None when the phone is not to be asked now. Raises PhoneError."""


class Surroundings:
    """Where the user is, as the phone's surroundings tell. All methods belong to the event loop's thread.

    Args:
        store: where places are kept.
        user_id: whose.
        senses: looks around.
        emit: takes changes of the scenario.
        every: seconds between two looks.
    """

    def __init__(
        self,
        store: Store,
        user_id: str,
        senses: Senses,
        emit: Callable[[Event], None],
        every: float = EVERY,
    ) -> None:
        self._store = store
        self._places = Places(store, user_id)
        self._senses = senses
        self._emit = emit
        self._every = every
        self._compass = Compass(self._places.all, self._tell)
        self._looking: asyncio.Task[None] | None = None
        self._strange: tuple[tuple[str, str], datetime] | None = None

    @property
    def scenario(self) -> str:
        """Where the user is."""
        return self._compass.now.scenario

    def start(self) -> None:
        """Begin to look."""
        self._looking = asyncio.create_task(self._look_on())

    async def close(self) -> None:
        """Look no more. Again is harmless."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait([self._looking])
            self._looking = None

    async def look(self) -> bool:
        """Look once; a phone that cannot be asked leaves things as they were. Returns whether it could."""
        try:
            signals = await self._senses()
            if signals is not None:
                self._compass.sensed(signals)
                self._wonder(signals)
        except (PhoneError, ActionRefused, StoreError) as problem:
            _log.info("the surroundings are not known: %s", problem)
            return False
        return signals is not None

    def say(self, scenario: str) -> None:
        """The user says where they are, until the phone is somewhere else; an empty word takes it back.

        What is seen there, and belongs to no place yet, becomes a place of that name, so that the answer is
        needed once; not so for scenarios without a place.
        """
        seen = self._compass.signals
        known = recognise(seen, self._places.all()) is not None
        if scenario and not known and (seen.bssid or seen.device) and scenario not in _PASSING:
            self.name_here(scenario, scenario)
        else:
            self._compass.say(scenario)

    def name_here(self, name: str, scenario: str) -> Place:
        """Learn the place where the phone is.

        Raises:
            Unrecognisable: nothing is seen by which it could be known again.
        """
        place = self._places.learn(name, scenario, self._compass.signals)
        self._compass.say("")
        return place

    def places(self) -> Sequence[Place]:
        """The places that have a name."""
        return self._places.all()

    async def _look_on(self) -> None:
        while True:
            looked = await self.look()
            await asyncio.sleep(self._every if looked else min(_AGAIN, self._every))

    def _wonder(self, signals: Signals) -> None:
        """Ask where this is, once, when an unknown access point or device has been in use for a while."""
        spot, now = (signals.bssid, signals.device), self._store.now()
        if not any(spot) or self._compass.now.scenario != UNKNOWN:
            self._strange = None
        elif self._strange is None or self._strange[0] != spot:
            self._strange = spot, now
        elif now - self._strange[1] >= _A_WHILE and not self._places.asked_about(signals):
            self._places.note_asked(signals)
            self._emit(PlaceAsked(time=now, seen=signals.device or signals.ssid))

    def _tell(self, found: Whereabouts) -> None:
        self._emit(
            ScenarioChanged(
                time=self._store.now(),
                scenario=found.scenario,
                place=found.place,
                origin=found.origin.value,
            )
        )

"""Where the user is: what they said; else the place that the phone recognises; else unknown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from assistant.phone.sensing import Signals
from assistant.proactive.habit_table import UNKNOWN
from assistant.proactive.location import Place, recognise


class Origin(StrEnum):
    """Who says where the user is."""

    USER = "user"
    PLACE = "place"
    NOBODY = ""


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """A scenario, the name of the place where it has one, and who says so."""

    scenario: str = UNKNOWN
    place: str = ""
    origin: Origin = Origin.NOBODY


class Compass:
    """Follows where the user is.

    What the user says holds until the phone is somewhere else than when they said it.

    Args:
        places: the places there are now.
        changed: hears of every change.
    """

    def __init__(self, places: Callable[[], Sequence[Place]], changed: Callable[[Whereabouts], None]) -> None:
        self._places = places
        self._changed = changed
        self._said = ""
        self._said_at: object = None
        self._signals = Signals()
        self.now = Whereabouts()

    @property
    def signals(self) -> Signals:
        """What the phone saw last."""
        return self._signals

    def say(self, scenario: str) -> None:
        """The user says where they are; an empty word leaves it to the phone again."""
        self._said = scenario.strip()
        self._said_at = self._spot()
        self._settle()

    def sensed(self, signals: Signals) -> None:
        """The phone has looked around."""
        self._signals = signals
        if self._said and self._spot() != self._said_at:
            self._said = ""
        self._settle()

    def _spot(self) -> object:
        """What tells one spot from another, whether it has a name or not."""
        place = recognise(self._signals, self._places())
        return place.id if place else (self._signals.bssid, self._signals.device)

    def _settle(self) -> None:
        found = self._found()
        if found != self.now:
            self.now = found
            self._changed(found)

    def _found(self) -> Whereabouts:
        if self._said:
            return Whereabouts(self._said, "", Origin.USER)
        place = recognise(self._signals, self._places())
        return Whereabouts(place.scenario, place.name, Origin.PLACE) if place else Whereabouts()

"""Places that the user has named, and by what they are known again. They never leave the machine.

Follows where the user is by asking the phone now and then.

Where the user is: what they said; else the place that the phone recognises; else unknown.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from math import asin, cos, radians, sin, sqrt
from typing import Any

from sqlalchemy import insert, select

from assistant.events import Event, PlaceAsked, ScenarioChanged
from assistant.i18n import _
from assistant.memory.database import StoreError
from assistant.memory.schema import places as table
from assistant.memory.store import Store
from assistant.phone.errors import ActionRefused, PhoneError
from assistant.phone.sensors import Position, SensorReadings
from assistant.proactive.habit_table import UNKNOWN

_NEAR = 150.0
_EARTH = 6_371_000.0


@dataclass(frozen=True, slots=True)
class PlaceFingerprint:
    """By what a place is known: access points, Bluetooth devices, a position."""

    bssids: frozenset[str] = frozenset()
    devices: frozenset[str] = frozenset()
    position: Position | None = None

    def with_signals(self, signals: SensorReadings) -> PlaceFingerprint:
        """The marks, and what is seen now."""
        return PlaceFingerprint(
            self.bssids | ({signals.bssid} - {""}),
            self.devices | ({signals.device} - {""}),
            self.position or signals.position,
        )

    def __or__(self, other: PlaceFingerprint) -> PlaceFingerprint:
        """Both."""
        return PlaceFingerprint(
            self.bssids | other.bssids, self.devices | other.devices, self.position or other.position
        )


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """A place with the user's name for it and the scenario that it stands for."""

    id: str
    name: str
    scenario: str
    marks: PlaceFingerprint


class NoSuchPlace(LookupError):
    """There is no place of a name; the message is for the user."""


class UnrecognisablePlace(Exception):
    """Nothing is seen here by which a place could be known again; the message is for the user."""


def recognise(signals: SensorReadings, places: Sequence[NamedPlace]) -> NamedPlace | None:
    """The place whose marks are seen.

    A car's Bluetooth says more than the access point that is still in reach, that more than the position.
    """
    for one in places:
        if signals.device and signals.device in one.marks.devices:
            return one
    for one in places:
        if signals.bssid and signals.bssid in one.marks.bssids:
            return one
    # An access point that is new may belong to a known place; headphones say nothing about one.
    return _nearest(signals.position, places) if signals.position is not None else None


def distance(one: Position, other: Position) -> float:
    """Metres between two positions, on a sphere."""
    north, east = (
        radians(other.latitude - one.latitude),
        radians(other.longitude - one.longitude),
    )
    chord = (
        sin(north / 2) ** 2 + cos(radians(one.latitude)) * cos(radians(other.latitude)) * sin(east / 2) ** 2
    )
    return 2 * _EARTH * asin(min(1.0, sqrt(chord)))


def _nearest(position: Position, places: Sequence[NamedPlace]) -> NamedPlace | None:
    near = [
        (distance(position, one.marks.position), one)
        for one in places
        if one.marks.position is not None and not one.marks.devices
    ]
    metres, found = min(near, key=lambda one: one[0], default=(_NEAR + 1, None))
    return found if metres <= _NEAR else None


class Places:
    """The named places of one user. Every change is one line of the audit, and can be undone."""

    def __init__(self, store: Store, user_id: str) -> None:
        self._store = store
        self._user_id = user_id

    def all(self) -> list[NamedPlace]:
        """The places, by name."""
        return [one for one in self._select() if one.name]

    def asked_about(self, signals: SensorReadings) -> bool:
        """Whether the user was asked about what is seen here."""
        return recognise(signals, [one for one in self._select() if not one.name]) is not None

    def note_asked(self, signals: SensorReadings) -> None:
        """Never ask about what is seen here again."""
        marks = PlaceFingerprint(frozenset({signals.bssid} - {""}), frozenset({signals.device} - {""}))
        row = self._row(NamedPlace(uuid.uuid4().hex[:12], "", "", marks))
        with self._store.change("Ask about a place", "the phone is somewhere new") as change:
            change.rebuild(table, insert(table), [{**row, "made": self._store.now().isoformat()}])

    def named(self, name: str) -> NamedPlace:
        """The place of a name.

        Raises:
            NoSuchPlace: there is none.
        """
        for one in self.all():
            if one.name == name:
                return one
        raise NoSuchPlace(
            _("There is no place called “{name}”. List them with: assistant places list").format(name=name)
        )

    def learn(self, name: str, scenario: str, signals: SensorReadings) -> NamedPlace:
        """Name where the phone is now; a known name gets the marks that are seen here as well.

        Raises:
            Unrecognisable: nothing is seen by which it could be known again.
        """
        marks = PlaceFingerprint().with_signals(signals)
        if marks == PlaceFingerprint():
            raise UnrecognisablePlace(
                _("Nothing is seen here to know the place by. Turn on Wi-Fi or location on the phone.")
            )
        known = next((one for one in self.all() if one.name == name), None)
        if known is None:
            place = NamedPlace(uuid.uuid4().hex[:12], name, scenario, marks)
            with self._store.change("Name a place", "asked by the user") as change:
                change.insert(table, [{**self._row(place), "made": self._store.now().isoformat()}])
            return place
        place = replace(known, scenario=scenario, marks=known.marks | marks)
        self._update("Extend a place", place)
        return place

    def rename(self, name: str, new: str) -> NamedPlace:
        """Call a place something else.

        Raises:
            NoSuchPlace: there is none of the name.
        """
        place = replace(self.named(name), name=new)
        self._update("Rename a place", place)
        return place

    def place_in(self, name: str, scenario: str) -> NamedPlace:
        """Let a place stand for another scenario.

        Raises:
            NoSuchPlace: there is none of the name.
        """
        place = replace(self.named(name), scenario=scenario)
        self._update("Give a place its scenario", place)
        return place

    def merge(self, name: str, other: str) -> NamedPlace:
        """Make one place of two; the first one's name and scenario stay.

        Raises:
            NoSuchPlace: one is missing.
        """
        kept, gone = self.named(name), self.named(other)
        merged = replace(kept, marks=kept.marks | gone.marks)
        with self._store.change("Merge two places", "asked by the user") as change:
            change.delete(table, {"id": gone.id})
            change.update(table, {"id": merged.id}, self._row(merged))
        return merged

    def forget(self, name: str) -> None:
        """Delete a place for good, with what the audit keeps of it.

        Raises:
            NoSuchPlace: there is none of the name.
        """
        place = self.named(name)
        with self._store.change("Forget a place", "asked by the user") as change:
            change.erase(table, [{"id": place.id}])

    def _select(self) -> list[NamedPlace]:
        query = select(table).where(table.c.user_id == self._user_id).order_by(table.c.name, table.c.id)
        with self._store.reader() as connection:
            return [_read(row) for row in connection.execute(query).mappings()]

    def _update(self, what: str, place: NamedPlace) -> None:
        with self._store.change(what, "asked by the user") as change:
            change.update(table, {"id": place.id}, self._row(place))

    def _row(self, place: NamedPlace) -> dict[str, Any]:
        where = place.marks.position
        return {
            "id": place.id,
            "user_id": self._user_id,
            "name": place.name,
            "scenario": place.scenario,
            "signals": {
                "bssids": sorted(place.marks.bssids),
                "devices": sorted(place.marks.devices),
                "position": [where.latitude, where.longitude, where.accuracy] if where else None,
            },
        }


def _read(row: Mapping[Any, Any]) -> NamedPlace:
    signals = row["signals"]
    position = Position(*signals["position"]) if signals["position"] else None
    marks = PlaceFingerprint(frozenset(signals["bssids"]), frozenset(signals["devices"]), position)
    return NamedPlace(row["id"], row["name"], row["scenario"], marks)


class ScenarioOrigin(StrEnum):
    """Who says where the user is."""

    USER = "user"
    PLACE = "place"
    NOBODY = ""


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """A scenario, the name of the place where it has one, and who says so."""

    scenario: str = UNKNOWN
    place: str = ""
    origin: ScenarioOrigin = ScenarioOrigin.NOBODY


class ScenarioTracker:
    """Follows where the user is.

    What the user says holds until the phone is somewhere else than when they said it.

    Args:
        places: the places there are now.
        changed: hears of every change.
    """

    def __init__(
        self, places: Callable[[], Sequence[NamedPlace]], changed: Callable[[Whereabouts], None]
    ) -> None:
        self._places = places
        self._changed = changed
        self._said = ""
        self._said_at: object = None
        self._signals = SensorReadings()
        self.now = Whereabouts()

    @property
    def signals(self) -> SensorReadings:
        """What the phone saw last."""
        return self._signals

    def say(self, scenario: str) -> None:
        """The user says where they are; an empty word leaves it to the phone again."""
        self._said = scenario.strip()
        self._said_at = self._spot()
        self._settle()

    def sensed(self, signals: SensorReadings) -> None:
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
            return Whereabouts(self._said, "", ScenarioOrigin.USER)
        place = recognise(self._signals, self._places())
        return Whereabouts(place.scenario, place.name, ScenarioOrigin.PLACE) if place else Whereabouts()


EVERY = 60.0
"""Seconds between two looks; each is one command of a few lines that wakes nothing."""
_A_WHILE = timedelta(minutes=10)
_PASSING = frozenset({"urban street", "outdoors"})
_AGAIN = 5.0
"""Seconds until a phone that could not be asked is asked again."""
_log = logging.getLogger(__name__)

Senses = Callable[[], Awaitable[SensorReadings | None]]
"""Looks around; None when the phone is not to be asked now. Raises PhoneError."""


class LocationMonitor:
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
        self._compass = ScenarioTracker(self._places.all, self._tell)
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

    def name_here(self, name: str, scenario: str) -> NamedPlace:
        """Learn the place where the phone is.

        Raises:
            Unrecognisable: nothing is seen by which it could be known again.
        """
        place = self._places.learn(name, scenario, self._compass.signals)
        self._compass.say("")
        return place

    def places(self) -> Sequence[NamedPlace]:
        """The places that have a name."""
        return self._places.all()

    async def _look_on(self) -> None:
        while True:
            looked = await self.look()
            await asyncio.sleep(self._every if looked else min(_AGAIN, self._every))

    def _wonder(self, signals: SensorReadings) -> None:
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

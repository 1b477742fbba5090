"""Where the user is: what they said, else the named place that the phone recognises, else unknown.

Places are recognised by access points, Bluetooth devices and position. They never leave the machine.
"""

from __future__ import annotations

import asyncio
import logging
import time
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
from assistant.phone.adb import Shell
from assistant.phone.errors import ActionRefused, PhoneError
from assistant.phone.monitor import Position, SensorReadings, read_sensors
from assistant.proactive.habit_table import UNKNOWN

_NEAR = 150.0
_EARTH = 6_371_000.0


@dataclass(frozen=True, slots=True)
class PlaceFingerprint:
    """What a place is recognised by: access points, Bluetooth devices, a position."""

    bssids: frozenset[str] = frozenset()
    devices: frozenset[str] = frozenset()
    position: Position | None = None

    def with_signals(self, signals: SensorReadings) -> PlaceFingerprint:
        """The fingerprint with the present sensor readings added."""
        return PlaceFingerprint(
            self.bssids | ({signals.bssid} - {""}),
            self.devices | ({signals.device} - {""}),
            self.position or signals.position,
        )

    def __or__(self, other: PlaceFingerprint) -> PlaceFingerprint:
        """The union of two fingerprints."""
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
    """The sensors read nothing to recognise a place by; the message is for the user."""


def recognise(signals: SensorReadings, places: Sequence[NamedPlace]) -> NamedPlace | None:
    """The place whose fingerprint matches the sensor readings.

    A Bluetooth device, such as a car's, counts before an access point in reach, and that before the position.
    """
    for place in places:
        if signals.device and signals.device in place.marks.devices:
            return place
    for place in places:
        if signals.bssid and signals.bssid in place.marks.bssids:
            return place
    # A new access point may belong to a named place; headphones say nothing about the place.
    return _nearest(signals.position, places) if signals.position is not None else None


def distance_in_metres(first: Position, second: Position) -> float:
    """Metres between two positions, on a sphere."""
    north, east = (
        radians(second.latitude - first.latitude),
        radians(second.longitude - first.longitude),
    )
    chord = (
        sin(north / 2) ** 2
        + cos(radians(first.latitude)) * cos(radians(second.latitude)) * sin(east / 2) ** 2
    )
    return 2 * _EARTH * asin(min(1.0, sqrt(chord)))


def _nearest(position: Position, places: Sequence[NamedPlace]) -> NamedPlace | None:
    distances = [
        (distance_in_metres(position, place.marks.position), place)
        for place in places
        if place.marks.position is not None and not place.marks.devices
    ]
    metres, place = min(distances, key=lambda entry: entry[0], default=(_NEAR + 1, None))
    return place if metres <= _NEAR else None


class Places:
    """The named places of one user. Every change is one line of the audit, and can be undone."""

    def __init__(self, store: Store, user_id: str) -> None:
        self._store = store
        self._user_id = user_id

    def all(self) -> list[NamedPlace]:
        """The places, by name."""
        return [place for place in self._select() if place.name]

    def was_asked_about(self, signals: SensorReadings) -> bool:
        """Whether the user was asked already which place this is."""
        return recognise(signals, [place for place in self._select() if not place.name]) is not None

    def note_asked(self, signals: SensorReadings) -> None:
        """Never ask again which place this is."""
        marks = PlaceFingerprint(frozenset({signals.bssid} - {""}), frozenset({signals.device} - {""}))
        row = self._row(NamedPlace(uuid.uuid4().hex[:12], "", "", marks))
        with self._store.change("Ask about a place", "the phone is somewhere new") as change:
            change.rebuild(table, insert(table), [{**row, "made": self._store.now().isoformat()}])

    def find(self, name: str) -> NamedPlace:
        """The place of a name.

        Raises:
            NoSuchPlace: there is none.
        """
        for place in self.all():
            if place.name == name:
                return place
        raise NoSuchPlace(
            _("There is no place called “{name}”. List them with: assistant places list").format(name=name)
        )

    def learn(self, name: str, scenario: str, signals: SensorReadings) -> NamedPlace:
        """Name the place where the phone is; an existing place of the name gets this fingerprint as well.

        Raises:
            UnrecognisablePlace: the sensors read nothing to recognise it by.
        """
        marks = PlaceFingerprint().with_signals(signals)
        if marks == PlaceFingerprint():
            raise UnrecognisablePlace(
                _(
                    "No Wi-Fi, Bluetooth or location to recognise this place by. "
                    "Turn on Wi-Fi or location on the phone."
                )
            )
        existing = next((place for place in self.all() if place.name == name), None)
        if existing is None:
            place = NamedPlace(uuid.uuid4().hex[:12], name, scenario, marks)
            with self._store.change("Name a place", "asked by the user") as change:
                change.insert(table, [{**self._row(place), "made": self._store.now().isoformat()}])
            return place
        place = replace(existing, scenario=scenario, marks=existing.marks | marks)
        self._update("Extend a place", place)
        return place

    def rename(self, name: str, new: str) -> NamedPlace:
        """Rename a place.

        Raises:
            NoSuchPlace: there is none of the name.
        """
        place = replace(self.find(name), name=new)
        self._update("Rename a place", place)
        return place

    def set_scenario(self, name: str, scenario: str) -> NamedPlace:
        """Change the scenario of a place.

        Raises:
            NoSuchPlace: there is none of the name.
        """
        place = replace(self.find(name), scenario=scenario)
        self._update("Give a place its scenario", place)
        return place

    def merge(self, name: str, other: str) -> NamedPlace:
        """Merge two places; the name and scenario of the first stay.

        Raises:
            NoSuchPlace: one is missing.
        """
        first, second = self.find(name), self.find(other)
        merged = replace(first, marks=first.marks | second.marks)
        with self._store.change("Merge two places", "asked by the user") as change:
            change.delete(table, {"id": second.id})
            change.update(table, {"id": merged.id}, self._row(merged))
        return merged

    def forget(self, name: str) -> None:
        """Delete a place for good, in the audit too.

        Raises:
            NoSuchPlace: there is none of the name.
        """
        place = self.find(name)
        with self._store.change("Forget a place", "asked by the user") as change:
            change.erase(table, [{"id": place.id}])

    def _select(self) -> list[NamedPlace]:
        query = select(table).where(table.c.user_id == self._user_id).order_by(table.c.name, table.c.id)
        with self._store.reader() as connection:
            return [_parse_place(row) for row in connection.execute(query).mappings()]

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


def _parse_place(row: Mapping[Any, Any]) -> NamedPlace:
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
    """The user's scenario. What the user says holds until the phone is somewhere else.

    Args:
        places: the named places.
        changed: is called with every change.
    """

    def __init__(
        self, places: Callable[[], Sequence[NamedPlace]], changed: Callable[[Whereabouts], None]
    ) -> None:
        self._places = places
        self._changed = changed
        self._stated_scenario = ""
        self._stated_at: object = None
        self._signals = SensorReadings()
        self.now = Whereabouts()

    @property
    def signals(self) -> SensorReadings:
        """The latest sensor readings."""
        return self._signals

    def set_scenario(self, scenario: str) -> None:
        """The user says where they are; an empty word leaves it to the phone again."""
        self._stated_scenario = scenario.strip()
        self._stated_at = self._current_spot()
        self._update()

    def update_signals(self, signals: SensorReadings) -> None:
        """Take in new sensor readings."""
        self._signals = signals
        if self._stated_scenario and self._current_spot() != self._stated_at:
            self._stated_scenario = ""
        self._update()

    def _current_spot(self) -> object:
        """A value that differs from spot to spot, whether the spot has a name or not."""
        place = recognise(self._signals, self._places())
        return place.id if place else (self._signals.bssid, self._signals.device)

    def _update(self) -> None:
        whereabouts = self._find_whereabouts()
        if whereabouts != self.now:
            self.now = whereabouts
            self._changed(whereabouts)

    def _find_whereabouts(self) -> Whereabouts:
        if self._stated_scenario:
            return Whereabouts(self._stated_scenario, "", ScenarioOrigin.USER)
        place = recognise(self._signals, self._places())
        return Whereabouts(place.scenario, place.name, ScenarioOrigin.PLACE) if place else Whereabouts()


CHECK_INTERVAL = 60.0
"""Seconds between two readings; each is one short command that does not wake the screen."""
_A_WHILE = timedelta(minutes=10)
_PASSING = frozenset({"urban street", "outdoors"})
_AGAIN = 5.0
"""Seconds until the next try, after the sensors could not be read."""
_log = logging.getLogger(__name__)

Senses = Callable[[], Awaitable[SensorReadings | None]]
"""Reads the sensors; None while the phone must not be disturbed. Raises PhoneError."""


class LocationMonitor:
    """Follows where the user is by the phone's sensors. All methods belong to the event loop's thread.

    Args:
        store: where places are kept.
        user_id: whose.
        senses: reads the sensors.
        emit: takes changes of the scenario.
        every: seconds between two readings.

    Attributes:
        whereabouts: where the user is: what they said, else the place that the phone recognises.
    """

    def __init__(
        self,
        store: Store,
        user_id: str,
        senses: Senses,
        emit: Callable[[Event], None],
        every: float = CHECK_INTERVAL,
    ) -> None:
        self._store = store
        self._places = Places(store, user_id)
        self._senses = senses
        self._emit = emit
        self._every = every
        self._compass = ScenarioTracker(self._places.all, self._tell)
        self.whereabouts = self._compass.now
        self._looking: asyncio.Task[None] | None = None
        self._strange: tuple[tuple[str, str], datetime] | None = None

    @property
    def battery(self) -> int | None:
        """The phone's charge in percent at the latest reading; None where unknown."""
        return self._compass.signals.battery

    def start(self) -> None:
        """Begin to read the sensors."""
        self._looking = asyncio.create_task(self._keep_looking())

    async def close(self) -> None:
        """Stop reading the sensors; can be called again."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait([self._looking])
            self._looking = None

    async def look(self) -> bool:
        """Read the sensors once; returns whether that was possible. If not, nothing changes."""
        try:
            signals = await self._senses()
            if signals is not None:
                self._compass.update_signals(signals)
                self._ask_about_new_place(signals)
        except (PhoneError, ActionRefused, StoreError) as problem:
            _log.info("the surroundings are not known: %s", problem)
            return False
        return signals is not None

    def set_scenario(self, scenario: str) -> None:
        """The user says where they are, until the phone is somewhere else; an empty text takes it back.

        If the spot belongs to no place yet, it becomes a place of that name, so that the user has to say it
        once; except for scenarios that are not a place, such as the street.
        """
        signals = self._compass.signals
        is_known = recognise(signals, self._places.all()) is not None
        if scenario and not is_known and (signals.bssid or signals.device) and scenario not in _PASSING:
            self.name_here(scenario, scenario)
        else:
            self._compass.set_scenario(scenario)

    def name_here(self, name: str, scenario: str) -> NamedPlace:
        """Name the place where the phone is.

        Raises:
            UnrecognisablePlace: the sensors read nothing to recognise it by.
        """
        place = self._places.learn(name, scenario, self._compass.signals)
        self._compass.set_scenario("")
        return place

    def places(self) -> Sequence[NamedPlace]:
        """The named places."""
        return self._places.all()

    async def _keep_looking(self) -> None:
        while True:
            looked = await self.look()
            await asyncio.sleep(self._every if looked else min(_AGAIN, self._every))

    def _ask_about_new_place(self, signals: SensorReadings) -> None:
        """Ask once which place this is, after an unknown access point or device was in use for a while."""
        spot, now = (signals.bssid, signals.device), self._store.now()
        if not any(spot) or self.whereabouts.scenario != UNKNOWN:
            self._strange = None
        elif self._strange is None or self._strange[0] != spot:
            self._strange = spot, now
        elif now - self._strange[1] >= _A_WHILE and not self._places.was_asked_about(signals):
            self._places.note_asked(signals)
            self._emit(PlaceAsked(time=now, seen=signals.device or signals.ssid))

    def _tell(self, whereabouts: Whereabouts) -> None:
        self.whereabouts = whereabouts
        self._emit(
            ScenarioChanged(
                time=self._store.now(),
                scenario=whereabouts.scenario,
                place=whereabouts.place,
                origin=whereabouts.origin.value,
            )
        )


_TIMES_READ = 3


@dataclass(frozen=True, slots=True)
class SensingCost:
    """What reading the sensors costs the phone: commands a minute, and the median milliseconds of one."""

    a_minute: float
    milliseconds: float
    signals: SensorReadings

    def format(self) -> str:
        """One line for a person."""
        seen = [
            name
            for name, there in (
                (_("access point"), self.signals.bssid),
                (_("Bluetooth"), self.signals.device),
                (_("position"), self.signals.position),
            )
            if there
        ]
        summary = _("sees no Wi-Fi, Bluetooth or location to recognise a place by")
        if seen:
            summary = _("sees {marks}").format(marks=_(", ").join(seen))
        cost = _("{told}; {count:g} command a minute, {milliseconds:.0f} ms each, wakes no screen")
        return cost.format(told=summary, count=self.a_minute, milliseconds=self.milliseconds)


async def measure_sensing(shell: Shell) -> SensingCost:
    """Read the sensors a few times, as is done every minute, and measure the time.

    Raises:
        PhoneError: the phone cannot be reached.
    """
    taken = []
    signals = SensorReadings()
    for _time in range(_TIMES_READ):
        begun = time.perf_counter()
        signals = await read_sensors(shell)
        taken.append((time.perf_counter() - begun) * 1000)
    return SensingCost(60 / CHECK_INTERVAL, sorted(taken)[_TIMES_READ // 2], signals)


def describe_place(store: Store, user_id: str, cost: SensingCost) -> str:
    """The place where the phone is, if it has a name, and what reading the sensors costs."""
    places = Places(store, user_id).all()
    place = recognise(cost.signals, places)
    summary = _("{count} places have a name, this is none of them").format(count=len(places))
    if place:
        summary = _("at {name}").format(name=place.name)
    return _("{place}; {looks}").format(place=summary, looks=cost.format())

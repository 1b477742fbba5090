"""Places that the user has named, and by what they are known again. They never leave the machine."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import asin, cos, radians, sin, sqrt
from typing import Any

from sqlalchemy import insert, select

from assistant.i18n import _
from assistant.memory.schema import places as table
from assistant.memory.store import Store
from assistant.phone.sensing import Position, Signals

_NEAR = 150.0
_EARTH = 6_371_000.0


@dataclass(frozen=True, slots=True)
class Marks:
    """By what a place is known: access points, Bluetooth devices, a position."""

    bssids: frozenset[str] = frozenset()
    devices: frozenset[str] = frozenset()
    position: Position | None = None

    def with_signals(self, signals: Signals) -> Marks:
        """The marks, and what is seen now."""
        return Marks(
            self.bssids | ({signals.bssid} - {""}),
            self.devices | ({signals.device} - {""}),
            self.position or signals.position,
        )

    def __or__(self, other: Marks) -> Marks:
        """Both."""
        return Marks(
            self.bssids | other.bssids, self.devices | other.devices, self.position or other.position
        )


@dataclass(frozen=True, slots=True)
class Place:
    """A place with the user's name for it and the scenario that it stands for."""

    id: str
    name: str
    scenario: str
    marks: Marks


class NoSuchPlace(LookupError):
    """There is no place of a name; the message is for the user."""


class Unrecognisable(Exception):
    """Nothing is seen here by which a place could be known again; the message is for the user."""


def recognise(signals: Signals, places: Sequence[Place]) -> Place | None:
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


def _nearest(position: Position, places: Sequence[Place]) -> Place | None:
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

    def all(self) -> list[Place]:
        """The places, by name."""
        return [one for one in self._select() if one.name]

    def asked_about(self, signals: Signals) -> bool:
        """Whether the user was asked about what is seen here."""
        return recognise(signals, [one for one in self._select() if not one.name]) is not None

    def note_asked(self, signals: Signals) -> None:
        """Never ask about what is seen here again."""
        marks = Marks(frozenset({signals.bssid} - {""}), frozenset({signals.device} - {""}))
        row = self._row(Place(uuid.uuid4().hex[:12], "", "", marks))
        with self._store.change("Ask about a place", "the phone is somewhere new") as change:
            change.rebuild(table, insert(table), [{**row, "made": self._store.now().isoformat()}])

    def named(self, name: str) -> Place:
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

    def learn(self, name: str, scenario: str, signals: Signals) -> Place:
        """Name where the phone is now; a known name gets the marks that are seen here as well.

        Raises:
            Unrecognisable: nothing is seen by which it could be known again.
        """
        marks = Marks().with_signals(signals)
        if marks == Marks():
            raise Unrecognisable(
                _("Nothing is seen here to know the place by. Turn on Wi-Fi or location on the phone.")
            )
        known = next((one for one in self.all() if one.name == name), None)
        if known is None:
            place = Place(uuid.uuid4().hex[:12], name, scenario, marks)
            with self._store.change("Name a place", "asked by the user") as change:
                change.insert(table, [{**self._row(place), "made": self._store.now().isoformat()}])
            return place
        place = replace(known, scenario=scenario, marks=known.marks | marks)
        self._update("Extend a place", place)
        return place

    def rename(self, name: str, new: str) -> Place:
        """Call a place something else.

        Raises:
            NoSuchPlace: there is none of the name.
        """
        place = replace(self.named(name), name=new)
        self._update("Rename a place", place)
        return place

    def place_in(self, name: str, scenario: str) -> Place:
        """Let a place stand for another scenario.

        Raises:
            NoSuchPlace: there is none of the name.
        """
        place = replace(self.named(name), scenario=scenario)
        self._update("Give a place its scenario", place)
        return place

    def merge(self, name: str, other: str) -> Place:
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

    def _select(self) -> list[Place]:
        query = select(table).where(table.c.user_id == self._user_id).order_by(table.c.name, table.c.id)
        with self._store.reader() as connection:
            return [_read(row) for row in connection.execute(query).mappings()]

    def _update(self, what: str, place: Place) -> None:
        with self._store.change(what, "asked by the user") as change:
            change.update(table, {"id": place.id}, self._row(place))

    def _row(self, place: Place) -> dict[str, Any]:
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


def _read(row: Mapping[Any, Any]) -> Place:
    signals = row["signals"]
    position = Position(*signals["position"]) if signals["position"] else None
    marks = Marks(frozenset(signals["bssids"]), frozenset(signals["devices"]), position)
    return Place(row["id"], row["name"], row["scenario"], marks)

"""The places that the user has named, and the records that were made in their scenario."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, select

from assistant.i18n import _, later
from assistant.memory import schema
from assistant.memory.records import read_record
from assistant.memory_view.evidence import EVIDENCE, details_of
from assistant.memory_view.items import Act, Details, Field, Item, Listing, MemoryProblem, heat_of
from assistant.memory_view.labels import scenario_of, scenario_words
from assistant.memory_view.part import Desk, Part
from assistant.proactive.places import NoSuchPlace, Place, Places
from assistant.records import SCENARIOS

_ACTS = frozenset({Act.EDIT, Act.MERGE, Act.FORGET})
_LONGEST = 80
_SEEN = 2000


class PlacesPart(Part):
    """Named places."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._places = Places(desk.store, desk.user_id)

    def build(self) -> Listing:
        """The places by name."""
        done = self._done_there()
        items = tuple(_item(one, *done.get(one.scenario, (0, None))) for one in self._places.all())
        note = _(
            "No place has a name yet. Where the phone is, type: assistant places here NAME --scenario office"
        )
        return Listing(items, "" if items else note)

    def details(self, item: Item) -> Details:
        """By what a place is known, and what was done in its scenario."""
        place = self._place(item)
        marks = place.marks
        found = [
            (later("scenario"), scenario_words(place.scenario)),
            (later("wi-fi"), ", ".join(sorted(marks.bssids))),
        ]
        found.append((later("bluetooth"), ", ".join(sorted(marks.devices))))
        if marks.position is not None:
            found.append(
                (later("position"), f"{marks.position.latitude:.4f}, {marks.position.longitude:.4f}")
            )
        columns = schema.records.c
        query = select(schema.records).where(
            columns.user_id == self._desk.user_id, columns.scenario == place.scenario
        )
        with self._desk.store.reader() as connection:
            rows = connection.execute(query.order_by(columns.moment.desc()).limit(_SEEN)).mappings().all()
        records = [read_record(row) for row in rows[:EVIDENCE]]
        apps = Counter(row["app"] for row in rows if row["app"]).most_common(3)
        if apps:
            found.append((later("apps there"), ", ".join(f"{app} ({count})" for app, count in apps)))
        found.append(
            (later("does"), _("tells where you are when the phone sees it; it never leaves this machine"))
        )
        return details_of(
            tuple((label, text) for label, text in found if text),
            [row["id"] for row in rows],
            records,
            heat=heat_of([one.time for one in map(read_record, rows)]),
            fields=(
                Field(later("name"), place.name, _("what you call the place")),
                Field(
                    later("scenario"),
                    scenario_words(place.scenario),
                    _("one of {scenarios} …, or your own word").format(
                        scenarios=_(", ").join(_(one) for one in SCENARIOS[:3])
                    ),
                ),
            ),
        )

    def edit(self, item: Item, field: str, text: str) -> str:
        """Another name or scenario."""
        if not text:
            raise MemoryProblem(_("Nothing is typed. To delete it, forget it."))
        if len(text) > _LONGEST:
            raise MemoryProblem(
                _("It has {count} characters; at most {longest} are kept.").format(
                    count=len(text), longest=_LONGEST
                )
            )
        place = self._place(item)
        if field == "scenario":
            text = scenario_of(text)
            self._places.place_in(place.name, text)
            return _("Changed: {name} is {text}.").format(name=place.name, text=scenario_words(text))
        if any(one.name == text for one in self._places.all()):
            raise MemoryProblem(_("“{text}” is another place. Merge the two with m.").format(text=text))
        self._places.rename(place.name, text)
        return _("Changed: {text}").format(text=text)

    def merge(self, item: Item, other: Item) -> str:
        """One place that is known by the marks of both."""
        kept, gone = self._place(item), self._place(other)
        if kept.id == gone.id:
            raise MemoryProblem(_("Choose another one to merge it with."))
        self._places.merge(kept.name, gone.name)
        return _("Merged: {kept} is known by what {gone} was known by.").format(
            kept=kept.name, gone=gone.name
        )

    def goes_with(self, item: Item) -> str:
        """The marks go with the name."""
        return _("Its name and what it is known by go for good; records made there stay.")

    def forget(self, item: Item) -> str:
        """Delete the place."""
        self._places.forget(self._place(item).name)
        return _("Forgotten.")

    def _done_there(self) -> dict[str, tuple[int, datetime]]:
        """How many records each scenario has, and when the newest was made."""
        columns = schema.records.c
        query = (
            select(columns.scenario, func.count(), func.max(columns.moment))
            .where(columns.user_id == self._desk.user_id)
            .group_by(columns.scenario)
        )
        zone = self._desk.store.now().tzinfo
        with self._desk.store.reader() as connection:
            return {
                scenario: (count, datetime.fromtimestamp(newest, zone))
                for scenario, count, newest in connection.execute(query)
            }

    def _place(self, item: Item) -> Place:
        found: Sequence[Place] = [one for one in self._places.all() if one.id == item.id]
        if not found:
            raise NoSuchPlace(item.id)
        return found[0]


def _item(place: Place, count: int, last: datetime | None) -> Item:
    marks = len(place.marks.bssids) + len(place.marks.devices) + (place.marks.position is not None)
    return Item(
        id=place.id,
        name=place.name,
        acts=_ACTS,
        count=count,
        last=last,
        scenario=place.scenario,
        tail=_("{scenario} · known by {marks}").format(scenario=scenario_words(place.scenario), marks=marks),
    )

"""The sections of records, suggestions, schedules, places, changes and requests.

Each lists its items, shows what stands behind one, and edits or forgets it where that makes sense.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func, select

from assistant.events import Answer
from assistant.i18n import _, counted, joined, labelled, later, moment
from assistant.memory import schema
from assistant.memory.audit import AuditLine, ChangeKind, RowChange
from assistant.memory.forgetting import free_pages
from assistant.memory.profile.service import Profile
from assistant.memory.prototypes.model import Classification, format_scenario, parse_scenario
from assistant.memory.request_log import LoggedRequest
from assistant.memory.schema import suggestions as table
from assistant.memory.store import INCOGNITO, read_record
from assistant.memory_view.items import (
    EVIDENCE,
    Item,
    ItemAction,
    ItemDetails,
    ItemField,
    ItemList,
    MemoryProblem,
    RecordMeanings,
    SectionProvider,
    ViewContext,
    app_title,
    check_text,
    deletion_preview,
    details_of,
    forget_records,
    heat_of,
    records_of,
)
from assistant.memory_view.labels import (
    change_words,
    key_words,
    kind_words,
    made_by,
    node_words,
    outcome_words,
    reason_words,
    table_words,
    value_words,
    verb_words,
)
from assistant.memory_view.prototypes import PrototypeCache
from assistant.model.types import one_line
from assistant.proactive.location import NamedPlace, NoSuchPlace, Places
from assistant.proactive.schedule_events import format_sender
from assistant.proactive.schedules import Schedule, Schedules, format_run_state
from assistant.proactive.suggestions import Stage, Suggestion, Suggestions, format_reason
from assistant.records import SCENARIOS, Outcome, Record, shown

_ACTIONS, _TAUGHT = 12, 8
_LONGEST_RECORD = 400
_RECORD_ACTIONS = frozenset({ItemAction.EDIT, ItemAction.FORGET})


class RecordsSection(SectionProvider):
    """All records, newest first.

    Args:
        context: the store and its user.
        profile: opens the profile, for what rests on a record.
        meanings: finds records by meaning.
        kind_of: says what a record counts as.
    """

    def __init__(
        self,
        context: ViewContext,
        profile: Callable[[], Profile],
        meanings: RecordMeanings,
        kind_of: Callable[[str], Classification | None],
    ) -> None:
        super().__init__(context)
        self._profile = profile
        self._meanings = meanings
        self._kind_of = kind_of

    def build(self) -> ItemList:
        """One line a record; actions are read when one is looked at."""
        columns = schema.records.c
        fields = (
            columns.id,
            columns.time,
            columns.instruction,
            columns.outcome,
            columns.app,
            columns.package,
        )
        query = select(*fields, columns.scenario, columns.source).where(
            columns.user_id == self._context.user_id
        )
        with self._context.store.reader() as connection:
            rows = connection.execute(query.order_by(columns.moment.desc(), columns.id.desc())).mappings()
            items = tuple(_record_item(row) for row in rows)
        return ItemList(items, "" if items else _("No records yet. Each finished turn adds one."))

    def details(self, item: Item) -> ItemDetails:
        """What a record says, and what was made of it."""
        record = self._record(item)
        fields = (
            ItemField(later("instruction"), record.instruction, _("what it was understood to mean")),
            ItemField(later("scenario"), record.scenario, _("where you were, such as office")),
            ItemField(later("app"), record.app, _("the app's name")),
        )
        return ItemDetails((*_facts(record), *self._counts_as(record), *self._taught(record)), fields=fields)

    def alike(self, words: str, most: int) -> list[str]:
        """Records that are near in meaning."""
        columns = schema.records.c
        with self._context.store.reader() as connection:
            query = select(columns.id).where(columns.user_id == self._context.user_id)
            ids = connection.execute(query).scalars().all()
        return self._meanings.nearest(words, most, ids)

    def edit(self, item: Item, field: str, text: str) -> str:
        """Another instruction, scenario or app."""
        name = field if field in ("scenario", "app") else "instruction"
        if not text and name != "app":
            raise MemoryProblem(_("Enter a text. To delete the item, forget it."))
        if len(text) > _LONGEST_RECORD:
            raise MemoryProblem(
                _("It has {count} characters; at most {longest} are kept.").format(
                    count=len(text), longest=_LONGEST_RECORD
                )
            )
        self._context.store.records.edit(item.id, {name: text})
        return _("Changed: {text}").format(text=text)

    def goes_with(self, item: Item) -> str:
        """The record, and what rests on it alone."""
        return deletion_preview(self._context.store, self._profile(), (item.id,))

    def forget(self, item: Item) -> str:
        """Delete the record."""
        return forget_records(self._context.store, (item.id,))

    def _record(self, item: Item) -> Record:
        record = self._context.store.records.get(item.id)
        if record is None:
            raise KeyError(item.id)
        return record

    def _taught(self, record: Record) -> list[tuple[str, str]]:
        """The values of the profile that it is evidence for."""
        evidence, values, nodes = schema.profile_evidence, schema.profile_values, schema.profile_nodes
        query = (
            select(nodes.c.name, values.c.key, values.c.text)
            .select_from(evidence.join(values, values.c.id == evidence.c.value_id))
            .join(nodes, nodes.c.id == values.c.node_id)
            .where(evidence.c.record_id == record.id)
            .limit(_TAUGHT)
        )
        with self._context.store.reader() as connection:
            rows = connection.execute(query).all()
        return [
            (later("tells"), labelled(f"{node_words(name)} · {key_words(key)}", value_words(key, text)))
            for name, key, text in rows
        ]

    def _counts_as(self, record: Record) -> list[tuple[str, str]]:
        if record.source == INCOGNITO:
            return [(later("counts as"), _("nothing: learning was paused"))]
        classification = self._kind_of(record.id)
        if classification is None:
            return []
        sentence = _("{kind}. {why}").format(
            kind=kind_words(classification.kind.value), why=" ".join(classification.why)
        )
        return [(later("counts as"), sentence)]


def _facts(record: Record) -> tuple[tuple[str, str], ...]:
    facts = [(later("time"), moment(record.time, year=True)), (later("said"), record.said)]
    facts += [
        (later("app"), app_title(record.app, record.package)),
        (later("place"), format_scenario(record.scenario)),
    ]
    facts.append((later("ended"), outcome_words(record.outcome or "")))
    facts.append((later("from"), made_by(record.source)))
    facts.append((later("steps"), _("; ").join(shown(action, _) for action in record.actions[:_ACTIONS])))
    return tuple((label, text) for label, text in facts if text)


def _record_item(row: Mapping[Any, Any]) -> Item:
    outcome = row["outcome"] or ""
    states = [outcome] if outcome not in ("", Outcome.SUCCESS.value) else []
    if row["source"] == INCOGNITO:
        states.append(later("not learnt"))
    return Item(
        id=row["id"],
        name=row["instruction"],
        acts=_RECORD_ACTIONS,
        last=datetime.fromisoformat(row["time"]),
        over=" · ".join(states),
        app=row["app"] or row["package"],
        scenario=row["scenario"],
        source=row["source"],
    )


_MOST_SUGGESTIONS = 2000
ANSWER_WORDS = {
    Answer.NONE: later("open"),
    Answer.ACCEPTED: later("accepted"),
    Answer.EDITED: later("edited"),
    Answer.NOT_NOW: later("not now"),
    Answer.NEVER: later("never"),
    Answer.DONE: later("done by you"),
    Answer.LAPSED: later("no answer"),
}
_PUT_OFF = later("put off")


class SuggestionsSection(SectionProvider):
    """Suggestions, newest first."""

    def __init__(self, context: ViewContext, cache: PrototypeCache, meanings: RecordMeanings) -> None:
        super().__init__(context)
        self._prototypes = cache
        self._meanings = meanings
        self._suggestions = Suggestions(context.store, context.user_id)

    def build(self) -> ItemList:
        """One line a suggestion."""
        items = tuple(
            _suggestion_item(suggestion) for suggestion in self._suggestions.latest(_MOST_SUGGESTIONS)
        )
        return ItemList(
            items, "" if items else _("No suggestions yet. Routines are suggested at their usual time.")
        )

    def details(self, item: Item) -> ItemDetails:
        """Why it was made, and what became of it."""
        suggestion = self._find_suggestion(item)
        facts = [
            (later("made"), moment(suggestion.made, year=True)),
            (later("likely"), f"{suggestion.score:.0%}"),
        ]
        facts += [(later("because"), format_reason(reason)) for reason in suggestion.why]
        facts.append((later("place"), format_scenario(suggestion.scenario)))
        facts.append((later("became"), _became(suggestion)))
        facts.append((later("does"), _("your answer counts when its routine is likely again")))
        routine = self._prototypes.of_record(suggestion.anchor)
        if routine is not None:
            hidden = f" ({_('hidden')})" if routine.hidden else ""
            facts.append((later("routine"), routine.instruction + hidden))
        records = records_of(self._context.store, suggestion.evidence[:EVIDENCE])
        heat = heat_of([record.time for record in records_of(self._context.store, suggestion.evidence)])
        return details_of(
            tuple((label, text) for label, text in facts if text), suggestion.evidence, records, heat=heat
        )

    def alike(self, words: str, most: int) -> list[str]:
        """Suggestions of routines that are near in meaning."""
        anchors: dict[str, list[str]] = {}
        for suggestion in self._suggestions.latest(_MOST_SUGGESTIONS):
            anchors.setdefault(suggestion.anchor, []).append(suggestion.id)
        nearest = self._meanings.nearest(words, most, anchors)
        return [name for anchor in nearest for name in anchors[anchor]][:most]

    def goes_with(self, item: Item) -> str:
        """The suggestion alone."""
        return _("Deletes the suggestion and its answer permanently. The routine and its records stay.")

    def forget(self, item: Item) -> str:
        """Delete the suggestion."""
        with self._context.store.change("Forget a suggestion", "asked by the user") as change:
            change.erase(table, [{"id": item.id}])
        free_pages(self._context.store.database)
        return _("Forgotten.")

    def _find_suggestion(self, item: Item) -> Suggestion:
        for suggestion in self._suggestions.latest(_MOST_SUGGESTIONS):
            if suggestion.id == item.id:
                return suggestion
        raise KeyError(item.id)


def _became(suggestion: Suggestion) -> str:
    """How it ended, when, and how often it was put off."""
    parts = [_(ANSWER_WORDS[suggestion.answer])]
    if suggestion.answered:
        parts.append(moment(suggestion.answered))
    if suggestion.snoozes:
        parts.append(_("put off: {times}").format(times=counted(suggestion.snoozes, "time")))
    return joined(parts)


def _suggestion_item(suggestion: Suggestion) -> Item:
    state = ANSWER_WORDS[suggestion.answer]
    if suggestion.stage is Stage.SNOOZED:
        state = _PUT_OFF
    return Item(
        id=suggestion.id,
        name=suggestion.instruction,
        acts=frozenset({ItemAction.FORGET}),
        last=suggestion.made,
        over=state,
        scenario=suggestion.scenario,
        source=state,
    )


_PAST_RUNS = 8


class SchedulesSection(SectionProvider):
    """Schedules, the oldest first; hiding one pauses it."""

    forgets_for_good = False

    def __init__(self, context: ViewContext) -> None:
        super().__init__(context)
        self._schedules = Schedules(context.store, context.user_id)

    def build(self) -> ItemList:
        """One line a schedule."""
        now = self._context.store.now()
        items = tuple(_schedule_item(schedule, now) for schedule in self._schedules.all())
        note = _("Nothing is scheduled. Example: /schedule every weekday at 8 order my usual coffee")
        return ItemList(items, "" if items else note)

    def details(self, item: Item) -> ItemDetails:
        """When it begins, and what became of its last occasions."""
        schedule = self._schedules.find(item.id)
        upcoming = schedule.upcoming(self._context.store.now())
        facts = [
            (later("begins"), schedule.times),
            (later("counts"), format_sender(schedule.rule)),
            (later("next time"), _(", ").join(map(moment, upcoming)) or _(item.over)),
            (later("zone"), schedule.zone),
            (later("made"), moment(schedule.made, year=True)),
            (later("does"), _("asks before it pays or sends")),
            (later("run now"), f"assistant schedule run {shlex.quote(schedule.instruction)}"),
        ]
        runs = self._schedules.history(schedule.id, _PAST_RUNS)
        facts += [(later("was"), f"{moment(run.due)} · {format_run_state(run)}") for run in runs]
        return details_of(tuple((label, text) for label, text in facts if text), (), ())

    def hide(self, item: Item, hidden: bool) -> None:
        """Pause or resume it."""
        schedule = self._schedules.find(item.id)
        self._schedules.pause(schedule, paused=hidden, now=self._context.store.now())

    def goes_with(self, item: Item) -> str:
        """Its past occasions stay."""
        return _("Removes the schedule; undo brings it back. What it did stays in the history.")

    def forget(self, item: Item) -> str:
        """Remove it."""
        self._schedules.remove(self._schedules.find(item.id))
        return _("Removed.")


def _schedule_item(schedule: Schedule, now: datetime) -> Item:
    upcoming = schedule.upcoming(now, 1)
    state = _PAUSED if schedule.paused else "" if upcoming or schedule.rule.event else _OVER
    return Item(
        id=schedule.id,
        name=schedule.instruction,
        acts=frozenset({ItemAction.HIDE, ItemAction.FORGET}),
        context=schedule.times,
        hidden=schedule.paused,
        over=state,
        source=state,
        tail=moment(upcoming[0]) if upcoming else "",
    )


_PAUSED, _OVER = later("paused"), later("over")
_PLACE_ACTIONS = frozenset({ItemAction.EDIT, ItemAction.MERGE, ItemAction.FORGET})
_LONGEST_PLACE = 80
_SEEN = 2000


class PlacesSection(SectionProvider):
    """Named places."""

    def __init__(self, context: ViewContext) -> None:
        super().__init__(context)
        self._places = Places(context.store, context.user_id)

    def build(self) -> ItemList:
        """The places by name."""
        done = self._done_there()
        items = tuple(
            _place_item(place, *done.get(place.scenario, (0, None))) for place in self._places.all()
        )
        note = _(
            "No place has a name yet. Where the phone is, type: assistant places here NAME --scenario office"
        )
        return ItemList(items, "" if items else note)

    def details(self, item: Item) -> ItemDetails:
        """By what a place is known, and what was done in its scenario."""
        place = self._place(item)
        marks = place.marks
        facts = [
            (later("scenario"), format_scenario(place.scenario)),
            (later("wi-fi"), joined(sorted(marks.bssids))),
        ]
        facts.append((later("bluetooth"), joined(sorted(marks.devices))))
        if marks.position is not None:
            facts.append(
                (later("position"), f"{marks.position.latitude:.4f}, {marks.position.longitude:.4f}")
            )
        columns = schema.records.c
        query = select(schema.records).where(
            columns.user_id == self._context.user_id, columns.scenario == place.scenario
        )
        with self._context.store.reader() as connection:
            rows = connection.execute(query.order_by(columns.moment.desc()).limit(_SEEN)).mappings().all()
        records = [read_record(row) for row in rows[:EVIDENCE]]
        apps = Counter(row["app"] for row in rows if row["app"]).most_common(3)
        if apps:
            facts.append((later("apps there"), joined(f"{app} ({count})" for app, count in apps)))
        facts.append(
            (later("does"), _("tells where you are when the phone sees it; it never leaves this machine"))
        )
        return details_of(
            tuple((label, text) for label, text in facts if text),
            [row["id"] for row in rows],
            records,
            heat=heat_of([record.time for record in map(read_record, rows)]),
            fields=(
                ItemField(later("name"), place.name, _("what you call the place")),
                ItemField(
                    later("scenario"),
                    format_scenario(place.scenario),
                    _("one of {scenarios} …, or your own word").format(
                        scenarios=_(", ").join(_(scenario) for scenario in SCENARIOS[:3])
                    ),
                ),
            ),
        )

    def edit(self, item: Item, field: str, text: str) -> str:
        """Another name or scenario."""
        check_text(text, _LONGEST_PLACE)
        place = self._place(item)
        if field == "scenario":
            text = parse_scenario(text)
            self._places.set_scenario(place.name, text)
            return _("Changed: {name} is {text}.").format(name=place.name, text=format_scenario(text))
        if any(place.name == text for place in self._places.all()):
            raise MemoryProblem(_("“{text}” is another place. Merge the two with m.").format(text=text))
        self._places.rename(place.name, text)
        return _("Changed: {text}").format(text=text)

    def merge(self, item: Item, other: Item) -> str:
        """One place that is known by the marks of both."""
        target, removed = self._place(item), self._place(other)
        if target.id == removed.id:
            raise MemoryProblem(_("Choose a different item to merge with."))
        self._places.merge(target.name, removed.name)
        return _("Merged {gone} into {kept}. Its marks are kept.").format(kept=target.name, gone=removed.name)

    def goes_with(self, item: Item) -> str:
        """The marks go with the name."""
        return _("Deletes its name and marks permanently. Records made there stay.")

    def forget(self, item: Item) -> str:
        """Delete the place."""
        self._places.forget(self._place(item).name)
        return _("Forgotten.")

    def _done_there(self) -> dict[str, tuple[int, datetime]]:
        """How many records each scenario has, and when the newest was made."""
        columns = schema.records.c
        query = (
            select(columns.scenario, func.count(), func.max(columns.moment))
            .where(columns.user_id == self._context.user_id)
            .group_by(columns.scenario)
        )
        zone = self._context.store.now().tzinfo
        with self._context.store.reader() as connection:
            return {
                scenario: (count, datetime.fromtimestamp(newest, zone))
                for scenario, count, newest in connection.execute(query)
            }

    def _place(self, item: Item) -> NamedPlace:
        places: Sequence[NamedPlace] = [place for place in self._places.all() if place.id == item.id]
        if not places:
            raise NoSuchPlace(item.id)
        return places[0]


def _place_item(place: NamedPlace, count: int, last: datetime | None) -> Item:
    marks = len(place.marks.bssids) + len(place.marks.devices) + (place.marks.position is not None)
    return Item(
        id=place.id,
        name=place.name,
        acts=_PLACE_ACTIONS,
        count=count,
        last=last,
        scenario=place.scenario,
        tail=_("{scenario} · known by {marks}").format(scenario=format_scenario(place.scenario), marks=marks),
    )


_CHANGES = 2000
_FINAL = (ChangeKind.FORGET, ChangeKind.REBUILD)
_FEW = 500
"""The most rows that are looked through one by one."""
_TOLD, _LONGEST_CHANGE = 12, 60
_OF_RECORDS = {"records": "id", "profile_evidence": "record_id", "prototype_decisions": "record_id"}
"""The tables whose rows name a record, and in which column of their key."""


class ChangesSection(SectionProvider):
    """The newest changes of the memory, newest first."""

    def build(self) -> ItemList:
        """One line a change."""
        items = tuple(_change(line) for line in self._context.store.audit.lines(_CHANGES))[::-1]
        note = "" if items else _("No changes yet.")
        return ItemList(
            items,
            _("The newest {changes} are shown.").format(changes=_CHANGES) if len(items) == _CHANGES else note,
        )

    def details(self, item: Item) -> ItemDetails:
        """What a change did."""
        line = self._context.store.audit.line(int(item.id))
        facts = [(later("time"), moment(line.time, year=True)), (later("why"), reason_words(line.why))]
        for table_name, counts in line.counts.items():
            summary = joined(f"{count} {verb_words(what)}" for what, count in counts.items() if count)
            if summary:
                facts.append((later("rows"), labelled(table_words(table_name), summary)))
        if line.kind in _FINAL:
            facts.append((later("undo"), _("It cannot be undone.")))
        elif line.undone:
            facts.append((later("does"), _("nothing: undone; r redoes it")))
        else:
            facts.append((later("does"), _("in effect; u undoes it")))
        rows = self._rows(line)
        facts += [(later("row"), line_text) for line_text in _describe_rows(rows[:_TOLD])]
        if len(rows) > _TOLD:
            facts.append((later("row"), _("… and {count} more").format(count=len(rows) - _TOLD)))
        ids = list(dict.fromkeys(_records(rows)))
        records = records_of(self._context.store, ids[:EVIDENCE])
        return details_of(tuple((label, text) for label, text in facts if text), ids, records)

    def _rows(self, line: AuditLine) -> list[RowChange]:
        """The rows that are kept of a change; none where they are too many to be looked through."""
        count = sum(sum(counts.values()) for counts in line.counts.values())
        return self._context.store.audit.rows(line.id) if count <= _FEW else []


def _change(line: AuditLine) -> Item:
    turned = ItemAction.REDO if line.undone else ItemAction.UNDO
    return Item(
        id=str(line.id),
        name=change_words(line.what),
        acts=frozenset() if line.kind in _FINAL else frozenset({turned}),
        last=line.time,
        over=later("undone") if line.undone else "",
        source=reason_words(line.why),
    )


def _describe_rows(rows: Sequence[RowChange]) -> Iterator[str]:
    """What was done to each row: what it said before, and what it says since."""
    for row in rows:
        table = table_words(row.table)
        key = " ".join(map(str, row.key.values()))
        if row.before is None:
            yield _("{table}: added {key}").format(table=table, key=_short(key))
        elif row.after is None:
            text_of_row = next(
                (text for text in row.before.values() if isinstance(text, str) and " " in text), ""
            )
            yield _("{table}: deleted {what}").format(table=table, what=_short(text_of_row or key))
        else:
            for name, after in row.after.items():
                before = _short(str(row.before[name]))
                yield f"{table}, {name}: “{before}” → “{_short(str(after))}”"


def _records(rows: Iterable[RowChange]) -> Iterator[str]:
    """The ids of the records that rows are about."""
    return (str(row.key[_OF_RECORDS[row.table]]) for row in rows if row.table in _OF_RECORDS)


def _short(text: str) -> str:
    return one_line(text, _LONGEST_CHANGE)


_MOST_REQUESTS = 5000
_SHOWN = 20_000
_REQUEST_ACTIONS = frozenset({ItemAction.FORGET})


class RequestsSection(SectionProvider):
    """Requests, newest first."""

    def build(self) -> ItemList:
        """One line a request."""
        lines = self._context.store.sent.lines(self._context.user_id, _MOST_REQUESTS)
        note = "" if lines else _("No requests yet. Each request to the model is listed here.")
        return ItemList(tuple(_request_item(request) for request in lines), note)

    def details(self, item: Item) -> ItemDetails:
        """Where it went, how much it was, and every word of it."""
        line = self._context.store.sent.line(int(item.id))
        picture = (
            _("yes, {size}").format(size=format_size(line.picture_bytes)) if line.picture_bytes else _("no")
        )
        facts = [
            (later("time"), f"{moment(line.time, year=True)}{line.time::%S}"),
            (later("to"), line.endpoint),
            (later("model"), line.model),
            (later("turn"), _step(line) if line.turn_id else _("none")),
            (later("screenshot"), picture),
            (later("words"), format_size(line.text_bytes)),
        ]
        facts += [(role, text[:_SHOWN]) for role, text in line.parts]
        return ItemDetails(tuple((label, text) for label, text in facts if text))

    def mark(self) -> int:
        """Requests leave no line among the changes."""
        return self._context.store.sent.newest()

    def goes_with(self, item: Item) -> str:
        """The line alone."""
        return _("Deletes this log entry. What was sent cannot be recalled.")

    def forget(self, item: Item) -> str:
        """Delete the line."""
        self._context.store.sent.drop([int(item.id)])
        free_pages(self._context.store.database)
        return _("Forgotten.")


def format_size(count: int) -> str:
    """`950 bytes`, `34 kB`, `1.2 MB`."""
    if count < 1000:
        return _("{count} bytes").format(count=count)
    return f"{count / 1000:.0f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def _step(line: LoggedRequest) -> str:
    return f"{line.turn_id}, {_('step {number}').format(number=line.step)}"


def _request_item(line: LoggedRequest) -> Item:
    what = _("screenshot and words") if line.picture_bytes else _("words")
    return Item(
        id=str(line.id),
        name=_("{what} to {host}").format(
            what=what, host=line.endpoint.partition("://")[2].partition("/")[0] or _("the model")
        ),
        acts=_REQUEST_ACTIONS,
        context=_("step {number}").format(number=line.step) if line.turn_id else "",
        last=line.time,
        tail=f"{format_size(line.size)} · {moment(line.time)}",
        source=line.turn_id,
    )

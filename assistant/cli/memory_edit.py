"""`assistant memory list --section|pin|hide|merge|split`: items that are no records, by their ids.

`assistant memory edit|forget|undo|redo|audit`: what changes the memory, and what was changed.

`assistant memory conflicts`: what only the user can decide, and their decision.

The functions at the top are shared by all commands on the memory: opening the store, selecting records,
printing them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from sqlalchemy import select

from assistant.cli.help import ConfigOption, JsonOption, StoreOption, name_of, settings_of
from assistant.embedding.embedder import LazyEmbedder
from assistant.embedding.models import ModelRegistry
from assistant.i18n import _, counted, fitted, joined, labelled, padded
from assistant.memory import schema
from assistant.memory.audit import AuditLine
from assistant.memory.database import StoreError
from assistant.memory.forgetting import ForgetResult, everything, forget, preview_quotes
from assistant.memory.profile.graph import Value, latest_time
from assistant.memory.profile.retrieval import ValueConflict
from assistant.memory.profile.service import Profile
from assistant.memory.store import RecordFilter, Store, open_store, owner_of
from assistant.memory_view.items import (
    Item,
    ItemDetails,
    MemoryProblem,
    Section,
    UnreadableMoment,
    parse_moment,
    tell_queued,
    tell_quotes,
)
from assistant.memory_view.labels import (
    change_words,
    key_words,
    node_words,
    reason_words,
    table_words,
    verb_words,
)
from assistant.memory_view.service import MemoryView
from assistant.model.types import one_line
from assistant.records import Record
from assistant.understand.memory_sources import NoEmbedder

ItemArgument = Annotated[str, typer.Argument(metavar="ID", help="An item's id, as list --section shows it.")]


@contextmanager
def viewed(folder: Path | None, config: Path | None, user: str | None = None) -> Iterator[MemoryView]:
    """The memory as the panel shows it, closed at the end; the embedder is loaded when it is needed.

    It is that of `user`, by default of the one that commands are understood for.

    Raises:
        StoreError: the memory cannot be opened, or something cannot be done with it.
    """
    settings = settings_of(folder, "", config)
    store = open_store(settings)
    owner = user or owner_of(store, settings.user_id)
    settings = settings.model_copy(update={"user_id": owner})
    try:
        yield MemoryView(store, LazyEmbedder(lambda: ModelRegistry().load(settings.embedding)), settings)
    except MemoryProblem as problem:
        raise StoreError(str(problem)) from problem
    finally:
        store.close()


def located(view: MemoryView, item_id: str) -> tuple[Section, Item]:
    """An item by its id.

    Raises:
        StoreError: there is none.
    """
    place = view.locate(item_id)
    if place is None:
        name = one_line(item_id, 80)
        raise StoreError(
            _(
                "There is no record {name}, nor another item. List them with: assistant memory "
                "list --section …"
            ).format(name=name)
        )
    return place


def list_section(view: MemoryView, section: Section, words: str, newest: int | None, as_json: bool) -> None:
    """Print the items of a section, a line each, found by words where there are some."""
    listing = view.find(section, words) if words else view.items(section)
    items = listing.items
    if words:
        there = {item.id for item in items}
        items = (*items, *(similar for similar in view.alike(section, words) if similar.id not in there))
    for item in items[:newest]:
        typer.echo(json.dumps(as_plain(section, item), ensure_ascii=False) if as_json else _line(item))
    if newest is not None and len(items) > newest and not as_json:
        more = _("and {count} more: --newest {all} shows them")
        typer.echo(more.format(count=len(items) - newest, all=len(items)), err=True)
    if listing.note and not as_json:
        typer.echo(one_line(listing.note), err=True)


def show_item(view: MemoryView, item_id: str, as_json: bool) -> None:
    """Print what stands behind an item, with the records that it rests on.

    Raises:
        StoreError: there is none of this id.
    """
    section, item = located(view, item_id)
    details = view.details(section, item)
    if as_json:
        typer.echo(json.dumps(as_plain(section, item) | _behind(details), ensure_ascii=False))
        return
    typer.echo(f"{_(section.value)}: {_line(item)}")
    for label, text in details.facts:
        typer.echo(f"  {padded(one_line(_(label)), 10)} {one_line(text)}")
    for record in details.evidence:
        place = " · ".join(one_line(word) for word in (record.scenario, record.app) if word)
        words, name = one_line(record.instruction), one_line(record.id)
        typer.echo(f"  {record.time:%Y-%m-%d %H:%M}  {place}  “{words}”  [{name}]")
    if details.more:
        typer.echo("  " + _("and {count} older").format(count=details.more))


def edit_item(view: MemoryView, item_id: str, given: list[str]) -> list[str]:
    """Change texts of an item, each given as FIELD=TEXT; returns what happened, a sentence each.

    Raises:
        StoreError: there is no such item or field.
    """
    section, item = located(view, item_id)
    fields = view.details(section, item).fields
    sentences = []
    for assignment in given:
        name, equals, text = assignment.partition("=")
        if not equals or name not in [field.name for field in fields]:
            names = "; ".join(f"{field.name} ({field.hint})" for field in fields) or _("none")
            raise StoreError(
                _("--set takes FIELD=TEXT. The fields of this item: {known}").format(known=names)
            )
        sentences.append(view.edit(section, item, text, name))
    return sentences


def memory_pin(
    item_id: ItemArgument, as_json: JsonOption = False, store: StoreOption = None, config: ConfigOption = None
) -> None:
    """Pin an item, so that it stays; a pinned one is unpinned."""
    _done(item_id, lambda view, section, item: view.pin(section, item), as_json, store, config)


def memory_hide(
    item_id: ItemArgument, as_json: JsonOption = False, store: StoreOption = None, config: ConfigOption = None
) -> None:
    """Hide an item, so that it is neither used nor suggested; a hidden one is shown again."""
    _done(item_id, lambda view, section, item: view.hide(section, item), as_json, store, config)


def memory_merge(
    item_id: ItemArgument,
    other_id: Annotated[str, typer.Argument(metavar="OTHER", help="The item that becomes part of it.")],
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Merge two preferences, routines, entities, concepts or places; undo separates them again."""

    def merge(view: MemoryView, section: Section, item: Item) -> str:
        its, other = located(view, other_id)
        if its is not section:
            raise StoreError(
                _("Not merged: one is in {section}, the other in {other}.").format(
                    section=_(section.value), other=_(its.value)
                )
            )
        return view.merge(section, item, other)

    _done(item_id, merge, as_json, store, config)


def memory_split(
    item_id: ItemArgument,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WORDS]...",
            help="Which records to split off: words that they contain, app:NAME, since:TIME",
        ),
    ] = None,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Split a preference or routine by its records, or a concept of the profile by similarity."""
    description = " ".join(words or ())
    _done(item_id, lambda view, section, item: view.split(section, item, description), as_json, store, config)


def as_plain(section: Section, item: Item) -> dict[str, Any]:
    """An item as a JSON object."""
    return {
        "section": section.value,
        "id": item.id,
        "name": item.name,
        "context": item.context,
        "count": item.count,
        "confidence": round(item.weight, 4),
        "last": item.last.isoformat() if isinstance(item.last, datetime) else None,
        "pinned": item.pinned,
        "hidden": item.hidden,
        "state": item.over,
        "app": item.app,
        "scenario": item.scenario,
        "source": item.source,
        "can": sorted(act.value for act in item.acts),
    }


def _behind(details: ItemDetails) -> dict[str, Any]:
    return {
        "facts": [[label, text] for label, text in details.facts],
        "fields": {field.name: field.text for field in details.fields},
        "evidence": [
            {
                "id": record.id,
                "time": record.time.isoformat(),
                "scenario": record.scenario,
                "app": record.app,
                "instruction": record.instruction,
            }
            for record in details.evidence
        ],
        "older": details.more,
        "by_day_and_hour": [list(day) for day in details.heat],
    }


def _line(item: Item) -> str:
    pinned, hidden = _("pinned") if item.pinned else "", _("hidden") if item.hidden else ""
    states = [state for state in (pinned, hidden, item.over) if state]
    often = f"{item.count}, {item.weight:.2f}" if item.count else item.tail
    context = f"{item.context}: " if item.context else ""
    tail = "  ".join(part for part in (often, joined(states)) if part)
    near = "≈ " if item.near else ""
    name = one_line(context + item.name, 100)
    return f"{'  ' * item.depth}{near}{name}  {one_line(tail)}  [{one_line(item.id)}]"


def _done(
    item_id: str,
    act: Callable[[MemoryView, Section, Item], str],
    as_json: bool,
    store: Path | None,
    config: Path | None,
) -> None:
    with viewed(store, config) as view:
        section, item = located(view, item_id)
        sentence = act(view, section, item)
    typer.echo(json.dumps({"id": item_id, "done": sentence}, ensure_ascii=False) if as_json else sentence)


UserOption = Annotated[str | None, typer.Option("--user", help="Records of this user only.")]
AppOption = Annotated[str, typer.Option("--app", help="Records in this app only, by name or package.")]
SinceOption = Annotated[
    str,
    typer.Option(
        "--since", help="Records since a day or time such as 2026-03-09, or from the last 7d or 12h."
    ),
]
TextOption = Annotated[str, typer.Option("--text", help="Records that hold this text.")]


@contextmanager
def opened(folder: Path | None, config: Path | None) -> Iterator[Store]:
    """The store that options and settings name, closed at the end.

    Raises:
        SettingsError: the settings cannot be used.
        StoreError: the memory cannot be opened.
    """
    store = open_store(settings_of(folder, "", config))
    try:
        yield store
    finally:
        store.close()


def filter_of(user: str | None, app: str, since: str, text: str, now: datetime) -> RecordFilter:
    """Which records the options mean.

    Raises:
        TyperException: `since` is no time.
    """
    return RecordFilter(user, app, parse_since(since, now) if since else None, text)


def parse_since(text: str, now: datetime) -> datetime:
    """A moment as a user writes it; without a zone it is that of `now`.

    Raises:
        TyperException: it cannot be read.
    """
    try:
        return parse_moment(text, now)
    except UnreadableMoment as error:
        raise typer.TyperException(
            _("--since takes 2026-03-09, 2026-03-09T12:00, 7d or 12h, not “{text}”.").format(
                text=one_line(text, 40)
            )
        ) from error


def known_record(store: Store, record_id: str) -> Record:
    """A record by its id.

    Raises:
        StoreError: there is none.
    """
    record = store.records.get(record_id)
    if record is None:
        raise StoreError(
            _("There is no record {record_id}. List them with: assistant memory list").format(
                record_id=one_line(record_id, 80)
            )
        )
    return record


def line_of(record: Record) -> str:
    """One line for a record, with its id at the end."""
    when = record.time.astimezone().strftime("%Y-%m-%d %H:%M")
    outcome = padded(name_of(record.outcome or "?"), 9)
    app, said = fitted(one_line(record.app) or "-", 12), one_line(record.instruction, 80)
    return f"{when}  {outcome}  {app}  {said}  [{one_line(record.id)}]"


ChangeArgument = Annotated[
    int | None,
    typer.Argument(metavar="[CHANGE]", help="A change's number, as audit shows it; else the latest."),
]

_SHOWN = 10
_ROWS = 50


def memory_edit(
    record_id: Annotated[str, typer.Argument(metavar="ID", help="A record's id.")],
    instruction: Annotated[str | None, typer.Option(help="What it was understood to mean.")] = None,
    scenario: Annotated[str | None, typer.Option(help="Where the user was.")] = None,
    app: Annotated[str | None, typer.Option(help="The app's name.")] = None,
    given: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="FIELD=TEXT", help="A text of any item of the memory."),
    ] = None,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Edit a record, or a text of another item. What was derived from a record is rebuilt."""
    given_columns = {"instruction": instruction, "scenario": scenario, "app": app}
    values = {name: value.strip() for name, value in given_columns.items() if value is not None}
    if not values and not given:
        raise typer.TyperException(_("Give at least one of --instruction, --scenario, --app, --set."))
    if given:
        with viewed(store, config) as view:
            done = edit_item(view, record_id, [*given, *(f"{name}={text}" for name, text in values.items())])
        typer.echo(
            json.dumps({"id": record_id, "done": done}, ensure_ascii=False) if as_json else "\n".join(done)
        )
        return
    if not values.get("instruction", "x") or not values.get("scenario", "x"):
        raise typer.TyperException(_("An instruction or scenario cannot be empty."))
    with opened(store, config) as memory:
        known_record(memory, record_id)
        change_id = memory.records.edit(record_id, values)
        record = known_record(memory, record_id)
    if as_json:
        record_json = record.model_dump(mode="json", exclude_none=True)
        typer.echo(json.dumps({"change": change_id, "record": record_json}, ensure_ascii=False))
    elif change_id is None:
        typer.echo(_("Nothing to change: it already says this."))
    else:
        typer.echo(line_of(record))
        typer.echo(_("Undo it with: assistant memory undo {change}").format(change=change_id))


def memory_forget(
    record_ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="Ids of records.")] = None,
    user: UserOption = None,
    app: AppOption = "",
    since: SinceOption = "",
    text: TextOption = "",
    everything_too: Annotated[bool, typer.Option("--all", help="Every record.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Delete records for good, with all that was made from them, or one other item. This cannot be undone."""
    if record_ids and len(record_ids) == 1 and _forget_item(record_ids[0], yes, as_json, store, config):
        return
    if [bool(record_ids), any((user is not None, app, since, text)), everything_too].count(True) != 1:
        raise typer.TyperException(_("Give either ids, or filters, or --all."))
    with opened(store, config) as memory:
        if record_ids or everything_too:
            going = list(dict.fromkeys(record_ids or everything(memory)))
            for record_id in going:
                if not memory.audit.history(schema.records, {"id": record_id}):
                    known_record(memory, record_id)
            lines = [_line_of(memory, record_id) for record_id in going]
        else:
            records = list(memory.records.where(filter_of(user, app, since, text, memory.now())))
            going, lines = [record.id for record in records], [line_of(record) for record in records]
        if not going:
            typer.echo(_("No records match."), err=True)
        elif not yes:
            quotes = [] if everything_too else tell_quotes(preview_quotes(memory, going))
            _confirm(lines, counted(len(lines), "record"), quotes)
        done = forget(memory, going) if going else ForgetResult(0, 0, 0, scrubbed=True)
    if as_json:
        figures = {
            "records": done.records,
            "observations": done.observations,
            "screenshots": done.screenshots,
            "scrubbed": done.scrubbed,
            "quotes": done.quotes,
            "queued": len(done.queued),
        }
        typer.echo(json.dumps(figures))
    else:
        typer.echo(
            _("{records} records and {screenshots} screenshots forgotten.").format(
                records=done.records, screenshots=done.screenshots
            )
        )
    for sentence in tell_queued(done.queued):
        typer.echo(sentence, err=True)
    if not done.scrubbed:
        typer.echo(
            _(
                "Another program reads the memory, or the disk is full: deleted text may linger in its files "
                "until you forget something again."
            ),
            err=True,
        )


def _forget_item(item_id: str, yes: bool, as_json: bool, store: Path | None, config: Path | None) -> bool:
    """Delete an item that is no record; returns whether there is one."""
    with opened(store, config) as memory:
        if memory.records.get(item_id) is not None:
            return False
    with viewed(store, config) as view:
        place = view.locate(item_id)
        if place is None:
            return False
        section, item = place
        if not yes:
            _confirm([f"{one_line(item.name, 80)}: {view.goes_with(section, item)}"], _("one item"))
        sentence = view.forget(section, item)
    typer.echo(json.dumps({"id": item_id, "done": sentence}, ensure_ascii=False) if as_json else sentence)
    return True


def memory_undo(
    change_id: ChangeArgument = None,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Undo a change, by default the latest."""
    with opened(store, config) as memory:
        _tell_line(memory, memory.undo(change_id), as_json)


def memory_redo(
    change_id: ChangeArgument = None,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Redo an undone change, by default the latest."""
    with opened(store, config) as memory:
        _tell_line(memory, memory.redo(change_id), as_json)


def memory_audit(
    change_id: Annotated[
        int | None, typer.Argument(metavar="[CHANGE]", help="One change, row by row.")
    ] = None,
    newest: Annotated[int, typer.Option(min=1, help="How many of the latest changes.")] = 20,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """The latest changes of the memory, oldest first, or one of them row by row."""
    with opened(store, config) as memory:
        if change_id is None:
            lines = list(memory.audit.lines(newest))
            for line in lines:
                _tell_line(memory, line, as_json)
            if not lines and not as_json:
                typer.echo(_("Nothing was changed yet."), err=True)
        else:
            _tell_change(memory, change_id, as_json)


def _confirm(lines: list[str], what: str, sentences: Sequence[str] = ()) -> None:
    for line in lines[:_SHOWN]:
        typer.echo(line, err=True)
    if len(lines) > _SHOWN:
        typer.echo(_("and {count} more").format(count=len(lines) - _SHOWN), err=True)
    for sentence in sentences:
        typer.echo(sentence, err=True)
    if not sys.stdin.isatty():
        raise typer.TyperException(
            _("Forgetting {what} cannot be undone. Add --yes to do it all the same.").format(what=what)
        )
    question = _("Forget {what}? This cannot be undone.").format(what=what)
    typer.confirm(question, abort=True, err=True)


def _line_of(memory: Store, record_id: str) -> str:
    record = memory.records.get(record_id)
    return (
        line_of(record)
        if record
        else _("what the audit keeps of {record_id}, if anything").format(record_id=one_line(record_id, 80))
    )


def _tell_line(memory: Store, line: AuditLine, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(_change_as_json(line), ensure_ascii=False))
        return
    counts = joined(
        labelled(f"{table_words(table)} {verb_words(verb)}", str(count))
        for table, verbs in line.counts.items()
        for verb, count in verbs.items()
    )
    state = _(", undone") if line.undone else ""
    when = line.time.astimezone().strftime("%Y-%m-%d %H:%M")
    what, why = one_line(change_words(line.what)), one_line(reason_words(line.why))
    typer.echo(f"{line.id:>5}  {when}  {what}{_schedules_of(memory, line)} ({why}): {counts}{state}")


def _schedules_of(memory: Store, line: AuditLine) -> str:
    """What the schedules do that a change is about, as far as the memory still has their rows."""
    if schema.schedules.name not in line.counts:
        return ""
    instructions = [
        _schedule_instruction(memory, row.key)
        for row in memory.audit.rows(line.id)
        if row.table == schema.schedules.name
    ]
    return "".join(f" “{one_line(instruction, 60)}”" for instruction in instructions if instruction)


def _schedule_instruction(memory: Store, key: Mapping[str, Any]) -> str:
    """What a schedule does: as its row says, or the audit if it was removed."""
    table = schema.schedules
    with memory.reader() as connection:
        query = select(table.c.instruction).where(table.c.id == key["id"])
        instruction = connection.execute(query).scalar()
    removed = (row.before or {} for _change, row in reversed(memory.audit.history(table, key)))
    return str(instruction or next((row["instruction"] for row in removed if "instruction" in row), ""))


def _tell_change(memory: Store, change_id: int, as_json: bool) -> None:
    line, rows = memory.audit.line(change_id), memory.audit.rows(change_id)
    if as_json:
        rows_as_json = [
            {"table": row.table, "key": row.key, "before": row.before, "after": row.after} for row in rows
        ]
        typer.echo(json.dumps(_change_as_json(line) | {"rows": rows_as_json}, ensure_ascii=False))
        return
    _tell_line(memory, line, as_json)
    for row in rows[:_ROWS]:
        key = one_line(" ".join(map(str, row.key.values())))
        if row.before is None:
            typer.echo(f"       + {row.table} {key}")
        elif row.after is None:
            typer.echo(f"       - {row.table} {key}")
        else:
            for name, value in row.after.items():
                before = one_line(str(row.before[name]), 60)
                typer.echo(f"       ~ {row.table} {key} {name}: {before} → {one_line(str(value), 60)}")
    if len(rows) > _ROWS:
        typer.echo("       " + _("and {count} more").format(count=len(rows) - _ROWS))


def _change_as_json(line: AuditLine) -> dict[str, Any]:
    return {
        "id": line.id,
        "time": line.time.isoformat(),
        "what": line.what,
        "why": line.why,
        "kind": line.kind.value,
        "target": line.target,
        "undone": line.undone,
        "counts": line.counts,
    }


def memory_conflicts(
    settle: Annotated[str, typer.Option(metavar="ID", help="The id of the value that holds.")] = "",
    user: UserOption = None,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Facts with two conflicting values that are about as frequent and recent; --settle chooses one."""
    settings = settings_of(store, "", config)
    memory = open_store(settings)
    try:
        profile = Profile(memory, NoEmbedder(), user or owner_of(memory, settings.user_id))
        if settle:
            _tell_settled(profile, settle, as_json)
        else:
            _tell(profile.conflicts(), as_json)
    finally:
        memory.close()


def _tell_settled(profile: Profile, value_id: str, as_json: bool) -> None:
    value = profile.graph.find_value(value_id)
    if value is None:
        raise StoreError(
            _("There is no value {value_id}. List them with: assistant memory conflicts").format(
                value_id=one_line(value_id, 40)
            )
        )
    change = profile.decide(value_id)
    if as_json:
        typer.echo(json.dumps({"change": change, "value": value.text}, ensure_ascii=False))
    elif change is None:
        typer.echo(_("Already the current value."))
    else:
        typer.echo(_("{text} holds.").format(text=one_line(value.text)))
        typer.echo(_("Undo it with: assistant memory undo {change}").format(change=change))


def _tell(conflicts: list[ValueConflict], as_json: bool) -> None:
    if as_json:
        for conflict in conflicts:
            typer.echo(json.dumps(_conflict_as_json(conflict), ensure_ascii=False))
        return
    if not conflicts:
        typer.echo(_("No conflicts."))
    for conflict in conflicts:
        asked = _("{entity}, {key}: which holds?")
        entity, key = one_line(node_words(conflict.entity)), one_line(key_words(conflict.key))
        typer.echo(asked.format(entity=entity, key=key))
        for value in conflict.choices:
            typer.echo(f"  {one_line(value.text)}  {_seen(value)}  [{value.id}]")
    if conflicts:
        typer.echo(_("Choose the correct value with: assistant memory conflicts --settle ID"))


def _seen(value: Value) -> str:
    last = latest_time(value.evidence)
    times = _("once") if value.uses == 1 else _("{count} times").format(count=value.uses)
    if not last:
        return times
    return _("{times}, last {day:%Y-%m-%d}").format(times=times, day=last.astimezone())


def _conflict_as_json(conflict: ValueConflict) -> dict[str, Any]:
    choices = [
        {"id": value.id, "value": value.text, "count": value.uses, "evidence": list(value.record_ids)}
        for value in conflict.choices
    ]
    return {"entity": conflict.entity, "key": conflict.key, "question": conflict.question, "choices": choices}

"""What the commands on the memory share: the open store, which records are meant, how they are told.

`assistant memory list --section|pin|hide|merge|split`, and items that are no records by their ids.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from assistant.cli.help import ConfigOption, JsonOption, StoreOption, name_of, settings_of
from assistant.embedding.models import LazyEmbedder, ModelRegistry
from assistant.i18n import _
from assistant.memory.database import StoreError
from assistant.memory.records import RecordFilter
from assistant.memory.store import Store, open_store
from assistant.memory_view.items import (
    Item,
    ItemDetails,
    MemoryProblem,
    Section,
    UnreadableMoment,
    parse_moment,
)
from assistant.memory_view.service import MemoryView
from assistant.model.types import one_line
from assistant.records import Record
from assistant.text_layout import fitted, padded

ItemArgument = Annotated[str, typer.Argument(metavar="ID", help="An item's id, as list --section shows it.")]


@contextmanager
def viewed(folder: Path | None, config: Path | None) -> Iterator[MemoryView]:
    """The memory as the panel shows it, closed at the end; the embedder is loaded when it is needed.

    Raises:
        StoreError: the memory cannot be opened, or something cannot be done with it.
    """
    settings = settings_of(folder, "", config)
    store = open_store(settings)
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
    found = view.locate(item_id)
    if found is None:
        name = one_line(item_id, 80)
        raise StoreError(
            _(
                "There is no record {name}, nor another item. List them with: assistant memory "
                "list --section …"
            ).format(name=name)
        )
    return found


def list_section(view: MemoryView, section: Section, words: str, newest: int | None, as_json: bool) -> None:
    """Print the items of a section, a line each, found by words where there are some."""
    listing = view.find(section, words) if words else view.items(section)
    items = listing.items
    if words:
        there = {one.id for one in items}
        items = (*items, *(one for one in view.alike(section, words) if one.id not in there))
    for item in items[:newest]:
        typer.echo(json.dumps(as_plain(section, item), ensure_ascii=False) if as_json else _line(item))
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
    for seen in details.evidence:
        place = " · ".join(one_line(word) for word in (seen.scenario, seen.app) if word)
        typer.echo(
            f"  {seen.time:%Y-%m-%d %H:%M}  {place}  “{one_line(seen.instruction)}”  [{one_line(seen.id)}]"
        )
    if details.more:
        typer.echo("  " + _("and {count} older").format(count=details.more))


def edit_item(view: MemoryView, item_id: str, given: list[str]) -> list[str]:
    """Change texts of an item, each given as FIELD=TEXT; returns what happened, a sentence each.

    Raises:
        StoreError: there is no such item or field.
    """
    section, item = located(view, item_id)
    fields = view.details(section, item).fields
    told = []
    for one in given:
        name, found, text = one.partition("=")
        if not found or name not in [field.name for field in fields]:
            known = "; ".join(f"{field.name} ({field.hint})" for field in fields) or _("none")
            raise StoreError(
                _("--set takes FIELD=TEXT. The fields of this item: {known}").format(known=known)
            )
        told.append(view.edit(section, item, text, name))
    return told


def memory_pin(
    item_id: ItemArgument, as_json: JsonOption = False, store: StoreOption = None, config: ConfigOption = None
) -> None:
    """Pin an item, so that it stays, or unpin it."""
    _done(item_id, lambda view, section, item: view.pin(section, item), as_json, store, config)


def memory_hide(
    item_id: ItemArgument, as_json: JsonOption = False, store: StoreOption = None, config: ConfigOption = None
) -> None:
    """Hide an item, so that it is neither used nor suggested, or show it again."""
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
            metavar="[WORDS]...", help="What the records to split off contain: words, app:, since:"
        ),
    ] = None,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Split a preference or routine by its records, or a concept of the profile by similarity."""
    wanted = " ".join(words or ())
    _done(item_id, lambda view, section, item: view.split(section, item, wanted), as_json, store, config)


def as_plain(section: Section, item: Item) -> dict[str, Any]:
    """An item as JSON takes it."""
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
                "id": seen.id,
                "time": seen.time.isoformat(),
                "scenario": seen.scenario,
                "app": seen.app,
                "instruction": seen.instruction,
            }
            for seen in details.evidence
        ],
        "older": details.more,
        "by_day_and_hour": [list(day) for day in details.heat],
    }


def _line(item: Item) -> str:
    pinned, hidden = _("pinned") if item.pinned else "", _("hidden") if item.hidden else ""
    states = [state for state in (pinned, hidden, item.over) if state]
    often = f"{item.count}, {item.weight:.2f}" if item.count else item.tail
    context = f"{item.context}: " if item.context else ""
    told = "  ".join(part for part in (often, ", ".join(states)) if part)
    return f"{'  ' * item.depth}{one_line(context + item.name, 100)}  {one_line(told)}  [{one_line(item.id)}]"


def _done(
    item_id: str,
    act: Callable[[MemoryView, Section, Item], str],
    as_json: bool,
    store: Path | None,
    config: Path | None,
) -> None:
    with viewed(store, config) as view:
        section, item = located(view, item_id)
        told = act(view, section, item)
    typer.echo(json.dumps({"id": item_id, "done": told}, ensure_ascii=False) if as_json else told)


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

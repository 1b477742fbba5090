"""What the commands on the memory share: the open store, which records are meant, how they are told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from assistant.commands.options import settings_of
from assistant.commands.words import name_of
from assistant.i18n import _
from assistant.memory.database import StoreError
from assistant.memory.records import RecordFilter
from assistant.memory.store import Store, open_store
from assistant.memory_view.items import UnreadableMoment
from assistant.memory_view.items import moment as read_moment
from assistant.model.types import one_line
from assistant.records import Record
from assistant.text_layout import fitted, padded

UserOption = Annotated[str | None, typer.Option("--user", help="Records of this user only.")]
AppOption = Annotated[str, typer.Option("--app", help="Records in this app only, by name or package.")]
SinceOption = Annotated[
    str, typer.Option("--since", help="Records since a day or time, 2026-03-09, or for so long, 7d, 12h.")
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
    return RecordFilter(user, app, moment(since, now) if since else None, text)


def moment(text: str, now: datetime) -> datetime:
    """A moment as a user writes it; without a zone it is that of `now`.

    Raises:
        TyperException: it cannot be read.
    """
    try:
        return read_moment(text, now)
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

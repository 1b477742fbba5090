"""`assistant memory`: looks at the local memory from the command line, without changing it.

`assistant history`: past turns, one turn with its steps, and a turn as a file to read.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from sqlalchemy import func, select

from assistant.cli.help import Commands, ConfigOption, JsonOption, StoreOption, name_of, settings_of
from assistant.cli.memory_data import (
    learn_imported,
    memory_export,
    memory_import,
    memory_keep,
    memory_pause,
    memory_sent,
    memory_sources,
    memory_wipe,
)
from assistant.cli.memory_edit import (
    AppOption,
    SinceOption,
    TextOption,
    UserOption,
    filter_of,
    known_record,
    line_of,
    list_section,
    memory_audit,
    memory_conflicts,
    memory_edit,
    memory_forget,
    memory_hide,
    memory_merge,
    memory_pin,
    memory_redo,
    memory_split,
    memory_undo,
    opened,
    show_item,
    viewed,
)
from assistant.embedding.embedder import EmbeddingError
from assistant.embedding.models import ModelRegistry
from assistant.files import write_privately
from assistant.history import (
    PastTurn,
    PastTurns,
    WholeTurn,
    export_name,
    find_turns,
    step_words,
    turn_facts,
    turn_html,
)
from assistant.i18n import _, counted, later, moment, pad_left, padded
from assistant.memory import schema
from assistant.memory.audit import AuditLine, RowChange
from assistant.memory.database import StoreError
from assistant.memory.prototypes.service import hierarchical_memory
from assistant.memory.store import Store, open_store
from assistant.memory_view.items import Section
from assistant.memory_view.labels import change_words, reason_words
from assistant.model.types import one_line
from assistant.phone.errors import refusal_words
from assistant.records import Record, shown
from assistant.settings.schema import Settings

memory_app = Commands(help="The local memory.")
memory_app.command("import")(memory_import)
memory_app.command("export")(memory_export)
memory_app.command("edit")(memory_edit)
memory_app.command("forget")(memory_forget)
memory_app.command("undo")(memory_undo)
memory_app.command("redo")(memory_redo)
memory_app.command("audit")(memory_audit)
memory_app.command("conflicts")(memory_conflicts)
memory_app.command("pin")(memory_pin)
memory_app.command("hide")(memory_hide)
memory_app.command("merge")(memory_merge)
memory_app.command("split")(memory_split)
memory_app.command("pause")(memory_pause)
memory_app.command("sources")(memory_sources)
memory_app.command("sent")(memory_sent)
memory_app.command("keep")(memory_keep)
memory_app.command("wipe")(memory_wipe)

_PLAIN = {
    "records": later("records"),
    "first": later("first"),
    "last": later("last"),
    "users": later("users"),
    "apps": later("apps"),
    "prototypes": later("things done alike"),
    "profile_values": later("facts of the profile"),
    "places": later("places"),
    "suggestions": later("suggestions"),
    "prototype_decisions": later("your decisions"),
    "approvals": later("approvals"),
    "changes": later("changes"),
    "sent": later("requests to models"),
    "screenshots": later("screenshots"),
    "screenshot_bytes": later("their size"),
    "database_bytes": later("size of the memory"),
}
"""What people are told of the figures; the rest is for programs."""

RecordArgument = Annotated[
    str, typer.Argument(metavar="ID", help="The id of a record or of another item, as list shows it.")
]


@memory_app.command("list")
def memory_list(
    newest: Annotated[int, typer.Option(min=1, help="How many of the latest records or first items.")] = 20,
    user: UserOption = None,
    app: AppOption = "",
    since: SinceOption = "",
    text: TextOption = "",
    section: Annotated[
        Section | None, typer.Option(help="Another part of the memory, as the panel shows it.")
    ] = None,
    find: Annotated[
        str, typer.Option(help="With --section: words, and app: scenario: source: since: as in the panel.")
    ] = "",
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """The latest records, oldest first; or the items of another part, the most important first."""
    if section is not None or find:
        with viewed(store, config, user) as view:
            list_section(view, section or Section.RECORDS, find, newest, as_json)
        return
    with opened(store, config) as memory:
        criteria = filter_of(user, app, since, text, memory.now())
        records = list(memory.records.where(criteria, newest))
        for record in records:
            typer.echo(record.model_dump_json(exclude_none=True) if as_json else line_of(record))
        if not records and not as_json:
            nothing = _("Nothing is remembered yet.")
            typer.echo(_("No record fits.") if memory.records.count() else nothing, err=True)


@memory_app.command("show")
def memory_show(
    record_id: RecordArgument,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """One record with its actions, what was kept of its screens, and what it belongs to; or another item."""
    if not _is_record(record_id, store, config):
        with viewed(store, config) as view:
            show_item(view, record_id, as_json)
        return
    with opened(store, config) as memory:
        record = known_record(memory, record_id)
        more = _seen(memory, record_id) | _belongings(memory, settings_of(store, "", config), record)
    if as_json:
        typer.echo(json.dumps(_plain(record) | more, ensure_ascii=False))
        return
    for name, value in _plain(record).items():
        if name != "actions" and value != "":
            typer.echo(f"{padded(name_of(name), 12)}  {one_line(_shown(value))}")
    for number, action in enumerate(record.actions, start=1):
        typer.echo(f"{number:>12}  {one_line(shown(action, _))}")
    for name, value in more.items():
        typer.echo(f"{padded(name_of(name), 12)}  {one_line(_shown(value))}")


@memory_app.command("why")
def memory_why(
    record_id: RecordArgument,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Where a record comes from, and every change that was made to it; what another item rests on."""
    if not _is_record(record_id, store, config):
        with viewed(store, config) as view:
            show_item(view, record_id, as_json)
        return
    with opened(store, config) as memory:
        record = known_record(memory, record_id)
        history = memory.audit.history(schema.records, {"id": record_id})
        more = _belongings(memory, settings_of(store, "", config), record)
    if as_json:
        values = {
            "id": record.id,
            "source": record.source,
            "history": [_step(*line) for line in history],
            **more,
        }
        typer.echo(json.dumps(values, ensure_ascii=False))
        return
    source = name_of(one_line(record.source) or "unknown")
    typer.echo(_("source: {source}").format(source=source))
    for line, row in history:
        undone = _(", undone") if line.undone else ""
        typer.echo(
            _("{time:%Y-%m-%d %H:%M}  change {id}{undone}: {what} ({why})").format(
                time=line.time,
                id=line.id,
                undone=undone,
                what=one_line(change_words(line.what)),
                why=one_line(reason_words(line.why)),
            )
        )
        for name, value in (row.after or {}).items():
            before = one_line(str((row.before or {}).get(name)), 60)
            typer.echo(f"{'':18}{name_of(name)}: {before} → {one_line(str(value), 60)}")
    for name, value in more.items():
        typer.echo(f"{name_of(name)}: {one_line(_shown(value))}")


@memory_app.command("aggregate")
def memory_aggregate(
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Update prototypes and profile from the records, as the nightly job does."""
    settings = settings_of(store, "", config)
    with opened(store, config) as memory:
        learn_imported(memory, settings)
        users = memory.records.users()
        records = memory.records.count()
    figures = {"records": records, "users": users}
    typer.echo(
        json.dumps(figures, ensure_ascii=False)
        if as_json
        else _("{records} records of {users} are aggregated.").format(
            records=records, users=", ".join(users) or _("nobody")
        )
    )


@memory_app.command("stats")
def memory_stats(
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """How much the memory holds."""
    with opened(store, config) as memory:
        figures = _stats(memory)
    if as_json:
        typer.echo(json.dumps(figures, ensure_ascii=False))
        return
    for name, words in _PLAIN.items():
        typer.echo(f"{padded(_(words), 24)}  {one_line(_in_plain_words(name, figures[name])) or '-'}")


def _in_plain_words(name: str, value: Any) -> str:
    """A statistic of the memory in words."""
    if isinstance(value, dict):
        return _(", ").join(f"{key} {count}" for key, count in value.items())
    if name in ("first", "last"):
        return moment(datetime.fromisoformat(value), year=True) if value else ""
    return f"{value / 1e6:.1f} MB" if name.endswith("_bytes") else str(value)


def _shown(value: object) -> str:
    """A value in words; several are listed."""
    match value:
        case list() | tuple():
            return "; ".join(map(str, value)) or "-"
        case dict():
            return ", ".join(f"{name_of(name)} {count}" for name, count in value.items())
        case _:
            return name_of(value)


def _is_record(item_id: str, store: Path | None, config: Path | None) -> bool:
    """Whether an id is that of a record. Other items need the embedder, which takes longer to load."""
    with opened(store, config) as memory:
        return memory.records.get(item_id) is not None


def _plain(record: Record) -> dict[str, Any]:
    return record.model_dump(mode="json", exclude_none=True)


def _seen(store: Store, record_id: str) -> dict[str, Any]:
    table = schema.observations
    with store.reader() as connection:
        query = select(table.c.screenshot).where(table.c.turn_id == record_id)
        shots = connection.execute(query).scalars().all()
    return {"observations": len(shots), "screenshots": sum(map(bool, shots))}


def _belongings(store: Store, settings: Settings, record: Record) -> dict[str, Any]:
    """Whether a record is a moment, a preference or a routine, and why; nothing without an embedder."""
    try:
        its_own = settings.model_copy(update={"user_id": record.user_id})
        memory = hierarchical_memory(store, ModelRegistry().load(settings.embedding), its_own)
        classification = memory.kind_of(record.id)
    except EmbeddingError as problem:
        typer.echo(_("{problem} Its kind of record cannot be determined.").format(problem=problem), err=True)
        return {}
    if classification is None:
        return {}
    return {
        "kind": classification.kind.value,
        "prototype": classification.prototype_id,
        "because": list(classification.why),
        "evidence": list(classification.evidence),
    }


def _step(line: AuditLine, row: RowChange) -> dict[str, Any]:
    return {
        "change": line.id,
        "time": line.time.isoformat(),
        "what": line.what,
        "why": line.why,
        "undone": line.undone,
        "before": row.before,
        "after": row.after,
    }


def _stats(store: Store) -> dict[str, Any]:
    records = schema.records
    users: Counter[str] = Counter()
    apps: Counter[str] = Counter()
    with store.reader() as connection:
        grouped = select(records.c.user_id, records.c.app, func.count()).group_by(
            records.c.user_id, records.c.app
        )
        for user, app, count in connection.execute(grouped).all():
            users[user] += count
            apps[app or "-"] += count
        ends = select(records.c.time).order_by(records.c.moment)
        first = connection.execute(ends.limit(1)).scalar()
        last = connection.execute(ends.order_by(None).order_by(records.c.moment.desc()).limit(1)).scalar()
        rows = {
            table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in schema.metadata.sorted_tables
            if table is not records
        }
    shots = [file.stat().st_size for file in store.screenshots.iterdir() if file.is_file()]
    return {
        "records": users.total(),
        "first": first or "",
        "last": last or "",
        "users": dict(users.most_common()),
        "apps": dict(apps.most_common(20)),
        **rows,
        "screenshots": len(shots),
        "screenshot_bytes": sum(shots),
        "database_bytes": sum(file.stat().st_size for file in store.folder.glob("memory.sqlite*")),
    }


history_app = Commands(help="Past turns.")

TurnArgument = Annotated[
    str, typer.Argument(metavar="ID", help="A turn's id, as list shows it; “last” for the newest.")
]


class Format(StrEnum):
    """What a turn is exported as."""

    HTML = "html"
    SVG = "svg"


@history_app.command("list")
def history_list(
    newest: Annotated[int, typer.Option(min=1, help="How many of the latest turns.")] = 20,
    text: Annotated[
        str, typer.Option("--text", help="Turns that match these words, also approximately.")
    ] = "",
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """The latest turns, newest first."""
    with _opened(store, config) as past:
        turns = find_turns(past.newest(), text)[:newest] if text else past.newest(newest)
    for turn in turns:
        typer.echo(json.dumps(_as_json(turn), ensure_ascii=False) if as_json else _line(turn))
    if not turns and not as_json:
        typer.echo(_("No past turn fits.") if text else _("There are no past turns yet."), err=True)


@history_app.command("show")
def history_show(
    turn_id: TurnArgument,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """One turn with its steps."""
    with _opened(store, config) as past:
        whole = _find_turn(past, turn_id)
    if as_json:
        typer.echo(json.dumps(_whole_json(whole), ensure_ascii=False))
        return
    for name, words in turn_facts(whole):
        typer.echo(f"{padded(name, 8)}  {one_line(words)}")
    for kept_step in whole.steps:
        step = kept_step.step
        typer.echo(f"{step.number:>8}  {step_words(step.action)}  [{name_of(step.source.value)}]")
        if step.error:
            typer.echo(f"{'':10}" + _("not done: {error}").format(error=one_line(refusal_words(step.error))))
    kept = _("{pictures} kept, {swept} deleted") if whole.swept else _("{pictures} kept")
    words = kept.format(pictures=whole.pictures, swept=whole.swept)
    typer.echo(f"{padded(_('pictures'), 8)}  {words}")


@history_app.command("export")
def history_export(
    turn_id: TurnArgument,
    file: Annotated[
        Path | None,
        typer.Argument(help="The file to write; by default one in this folder, named after the turn."),
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="A web page with pictures, or a drawing.")] = (
        Format.HTML
    ),
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Write a turn with its steps and pictures to one file that needs nothing else."""
    # For start-up time: the drawing needs all of Textual.
    from assistant.tui.screens.history import draw_turn

    with _opened(store, config) as past:
        whole = _find_turn(past, turn_id)
        content = (draw_turn if form is Format.SVG else turn_html)(whole, past.picture)
    target = file or Path(f"{export_name(whole.turn)}.{form.value}")
    try:
        write_privately(target, content)
    except OSError as error:
        raise StoreError(
            _("{file} cannot be written: {reason}.").format(file=target, reason=error.strerror)
        ) from error
    exported = {
        "file": str(target),
        "steps": len(whole.steps),
        "pictures": whole.pictures,
        "swept": whole.swept,
    }
    typer.echo(
        json.dumps(exported, ensure_ascii=False) if as_json else _("Wrote {file}.").format(file=target)
    )


@contextmanager
def _opened(folder: Path | None, config: Path | None) -> Iterator[PastTurns]:
    settings = settings_of(folder, "", config)
    store = open_store(settings)
    try:
        yield PastTurns(store, settings.user_id)
    finally:
        store.close()


def _find_turn(past: PastTurns, turn_id: str) -> WholeTurn:
    name = turn_id
    if turn_id == "last":
        name = next((turn.turn_id for turn in past.newest(1)), "")
    whole = past.whole(name)
    if whole is None:
        raise StoreError(
            _("There is no turn {turn_id}. List them with: assistant history list").format(
                turn_id=one_line(turn_id, 80)
            )
        )
    return whole


def _line(turn: PastTurn) -> str:
    when = f"{turn.started.astimezone():%Y-%m-%d %H:%M}"
    steps = pad_left(counted(turn.steps, "step"), 10)
    return (
        f"{when}  {padded(_(turn.ended), 9)} {steps}  {one_line(turn.said, 80)}  [{one_line(turn.turn_id)}]"
    )


def _as_json(turn: PastTurn) -> dict[str, Any]:
    return {
        "id": turn.turn_id,
        "time": turn.started.isoformat(),
        "said": turn.said,
        "instruction": turn.instruction,
        "outcome": turn.outcome.value if turn.outcome else None,
        "open": turn.is_open,
        "steps": turn.steps,
        "seconds": round(turn.seconds, 3),
        "apps": list(turn.apps),
        "answer": turn.answer,
    }


def _whole_json(whole: WholeTurn) -> dict[str, Any]:
    kept = whole.checkpoint
    steps = [
        {**kept_step.step.model_dump(mode="json", exclude_none=True), "picture": kept_step.picture.value}
        for kept_step in whole.steps
    ]
    more = {"scenario": kept.scenario, "model": kept.model, "notes": list(kept.notes)}
    return {**_as_json(whole.turn), **more, "steps": steps}

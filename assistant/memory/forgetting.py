"""Deletes records for good, with everything derived from them; and old screenshots and request log lines.

`forget` deletes records. Data that quotes them, such as the user's decisions about prototypes, has a function
in `_FORGET_DERIVED`; what can be computed again from records is deleted by `store`. `sweep` deletes
screenshots by age and total size, and lines of the request log by age. Deleting rows leaves their text in
free pages of the file; `free_pages` rewrites the file without it.

Requests and steps of other turns may quote what is forgotten, as when the model is told past orders:
`erase_quotes` finds its words there. Queued commands are the user's own wishes; they are named, and stay.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Column, Connection, Row, Table, and_, delete, insert, or_, select, update
from sqlalchemy.exc import OperationalError

from assistant.memory import schema
from assistant.memory.audit import Change, ChangeHeader, ChangeKind, changing, find_copies, read_key
from assistant.memory.database import AT_ONCE, Database, key_condition, portions, unwritable
from assistant.memory.profile.graph import ALIAS, NodeKind, Value
from assistant.memory.profile.lexicon import lexicon
from assistant.memory.programs import queued_commands
from assistant.memory.prototypes.similarity import TextFinder
from assistant.memory.request_log import forget_sent
from assistant.memory.schema import (
    NODE_VECTOR,
    action_queue,
    experience_queue,
    profile_evidence,
    profile_links,
    profile_nodes,
    profile_queue,
    profile_values,
    prototype_decisions,
    replay_outcomes,
    schedule_runs,
    skills,
    suggestions,
    vectors,
)
from assistant.memory.store import Store
from assistant.memory.turns import StoredScreenshot, with_parts
from assistant.settings.schema import MemorySettings


@dataclass(frozen=True, slots=True)
class ForgetResult:
    """The numbers of deleted records, observations and screenshots, and of redacted requests and turns.

    `scrubbed` is false if deleted text may remain in free pages of the file, see `free_pages`. `queued` are
    the commands in the queue that say the same, and stay.
    """

    records: int
    observations: int
    screenshots: int
    scrubbed: bool
    quotes: int = 0
    queued: tuple[str, ...] = ()


def everything(store: Store) -> list[str]:
    """The ids of all records, of all ended turns, and of deleted records of which the audit has copies."""
    rows = schema.change_rows
    audited = select(rows.c.key).where(rows.c.table_name == schema.records.name).distinct()
    with store.reader() as connection:
        ids = dict.fromkeys(connection.execute(select(schema.records.c.id)).scalars())
        ids |= dict.fromkeys(
            connection.execute(select(schema.turns.c.id).where(~schema.turns.c.open)).scalars()
        )
        ids |= dict.fromkeys(read_key(key)["id"] for key in connection.execute(audited).scalars())
    return list(ids)


def forget(store: Store, record_ids: Iterable[str], why: str = "asked by the user") -> ForgetResult:
    """Delete the records and turns with some ids for good; unknown ids are ignored.

    The id of a record that an undo removed deletes its copies in the audit.

    Sub-tasks, observations, screenshots, vectors, prototypes and copies in the audit are deleted too. At the
    end the file is rewritten, so that nothing can be read from its free pages or its write-ahead log.

    Raises:
        StoreBusy: another program holds the write lock for too long.
        StoreError: the disk is full, or the memory is read-only; then nothing is deleted.
    """
    observations, files = schema.observations, list[Path]()
    erased = {"records": 0, "observations": 0, "quotes": 0}
    heading = ChangeHeader("Forget records", why, ChangeKind.FORGET)
    with ExitStack() as restoring:
        with changing(store.database, heading, store.now) as change:
            all_ids = with_parts(change.connection, record_ids)
            texts = _texts_of(change.connection, all_ids)
            erased["quotes"] = erase_quotes(change, texts, all_ids)
            for ids in portions(all_ids):
                query = select(observations.c.turn_id, observations.c.step, observations.c.screenshot)
                observed = (
                    change.connection.execute(query.where(observations.c.turn_id.in_(ids))).mappings().all()
                )
                files += [store.screenshots / row["screenshot"] for row in observed if row["screenshot"]]
                for forget_derived in _FORGET_DERIVED:
                    forget_derived(change, ids)
                erased["observations"] += change.erase(observations, [{**row} for row in observed])
                change.erase(schema.turns, [{"id": turn_id} for turn_id in ids])
                erased["records"] += change.erase(schema.records, [{"id": record_id} for record_id in ids])
            _erase_former(change, frozenset(all_ids))
            # Pictures are renamed before the commit, so that none keeps its name without a row, and get their
            # names back if the commit fails, as on a full disk. `sweep` deletes what a kill leaves renamed.
            aside = _set_aside(files, restoring)
        restoring.pop_all()
    for file in aside:
        file.unlink(missing_ok=True)
    scrubbed = free_pages(store.database)
    return ForgetResult(
        erased["records"],
        erased["observations"],
        len(aside),
        scrubbed,
        erased["quotes"],
        tuple(find_queued(store, texts)),
    )


@dataclass(frozen=True, slots=True)
class QuotePreview:
    """Where something is quoted that is to be forgotten.

    `requests` and `turns` are the numbers of requests and of turns in which the words are replaced; `queued`
    are the commands in the queue that say them, and stay.
    """

    requests: int
    turns: int
    queued: tuple[str, ...]


def preview_quotes(store: Store, record_ids: Iterable[str]) -> QuotePreview:
    """Where `forget` finds the words of some records."""
    with store.reader() as connection:
        ids = with_parts(connection, record_ids)
        texts = _texts_of(connection, ids)
    return preview_text_quotes(store, texts, ids, least=4)


def preview_text_quotes(
    store: Store, texts: Iterable[str], ids: Collection[str] = (), least: int = 2
) -> QuotePreview:
    """Where `erase_quotes` finds texts, apart from turns with some ids; in the queue also single words."""
    texts = list(texts)
    with store.reader() as connection:
        finder = _own_words(connection, texts, ids)
        quotes = [(table, turn_id) for table, turn_id, _row in _quotes(connection, finder, ids)]
    requests = sum(table is schema.sent for table, _turn_id in quotes)
    turn_ids = {turn_id for table, turn_id in quotes if table is not schema.sent}
    return QuotePreview(requests, len(turn_ids), tuple(find_queued(store, texts, least)))


def erase_quotes(change: Change, texts: Iterable[str], ids: Collection[str] = ()) -> int:
    """Replace some texts where requests and steps of turns quote them, unless other records say them too.

    Args:
        change: the open change.
        texts: what is forgotten.
        ids: the records that are forgotten; their turns are left out, and their ids go from others.

    Returns:
        The number of requests and turns in which something was replaced.
    """
    connection = change.connection
    finder = _own_words(connection, texts, ids)
    places = set()
    for table, turn_id, row in list(_quotes(connection, finder, ids)):
        connection.execute(update(table).where(key_condition(table, [row])).values(row))
        change.count(table, "redacted", 1)
        places.add((table is schema.sent, row["id"] if table is schema.sent else turn_id))
    return len(places)


def find_queued(store: Store, texts: Iterable[str], least: int = 4) -> list[str]:
    """The queued commands that say one of some texts; see `TextFinder` about the least."""
    finder = TextFinder(texts, least)
    return [command for command in queued_commands(store.folder) if finder.find(command)]


def _texts_of(connection: Connection, record_ids: Iterable[str]) -> list[str]:
    """What some records and turns say: commands, instructions, and what was typed."""
    texts: dict[str, None] = {}
    for ids in portions(record_ids):
        records = select(schema.records).where(schema.records.c.id.in_(ids))
        for row in connection.execute(records).mappings():
            texts |= dict.fromkeys(_said_in(row))
        turns = select(schema.turns.c.said, schema.turns.c.checkpoint).where(schema.turns.c.id.in_(ids))
        for command, checkpoint in connection.execute(turns):
            texts |= dict.fromkeys((command, checkpoint.get("instruction", "")))
    return [text for text in texts if text]


def _said_in(record: Mapping[Any, Any]) -> list[str]:
    typed = [action.get("text", "") for action in record["actions"] if action.get("type") == "type"]
    return [record["said"], record["instruction"], *typed]


def _own_words(connection: Connection, texts: Iterable[str], ids: Collection[str]) -> TextFinder:
    """Finds those of some texts that no record, open turn or schedule says that stays."""
    finder = TextFinder(texts)
    if not finder.texts:
        return finder
    forgotten_ids = frozenset(ids)
    records, turns = schema.records, schema.turns
    rows = connection.execute(select(records).execution_options(yield_per=AT_ONCE)).mappings()
    staying = [text for row in rows if row["id"] not in forgotten_ids for text in _said_in(row)]
    for row in connection.execute(select(turns.c.id, turns.c.said, turns.c.checkpoint).where(turns.c.open)):
        if row.id not in forgotten_ids:
            staying += [row.said, row.checkpoint.get("instruction", "")]
    staying += connection.execute(select(schema.schedules.c.instruction)).scalars()
    return finder.without(staying)


_QUOTING = (
    (schema.sent.c.parts, schema.sent.c.turn_id),
    (schema.turns.c.checkpoint, schema.turns.c.id),
    (schema.open_steps.c.step, schema.open_steps.c.turn_id),
)
"""What may quote records: requests, turns and the steps of open turns, each with the column of its turn."""


def _quotes(
    connection: Connection, finder: TextFinder, ids: Collection[str]
) -> Iterator[tuple[Table, str, dict[str, Any]]]:
    """What of other turns quotes something or names a forgotten record: its table, turn, and redacted row."""
    forgotten_ids = frozenset(ids)
    for content, turn_id in _QUOTING if finder.texts or forgotten_ids else ():
        table: Any = content.table
        keys = list(table.primary_key)
        query = select(*keys, turn_id.label("turn"), content).execution_options(yield_per=AT_ONCE)
        for row in connection.execute(query).mappings():
            before = row[content.name]
            if row["turn"] not in forgotten_ids:
                after = _redacted(before, finder, forgotten_ids)
                if after != before:
                    yield (
                        table,
                        row["turn"],
                        {**{key.name: row[key.name] for key in keys}, content.name: after},
                    )


def _redacted(value: Any, finder: TextFinder, forgotten_ids: Collection[str]) -> Any:
    """JSON data with redacted texts, and without the ids of forgotten records in its lists."""
    if isinstance(value, str):
        return finder.redact(value)
    if isinstance(value, list):
        return [
            _redacted(each, finder, forgotten_ids)
            for each in value
            if not (isinstance(each, str) and each in forgotten_ids)
        ]
    if isinstance(value, dict):
        return {finder.redact(name): _redacted(each, finder, forgotten_ids) for name, each in value.items()}
    return value


def erase_if_forgotten(store: Store, record_id: str) -> bool:
    """Erase what was learnt from a record while it was forgotten; whether that is so.

    To be called after learning: what is forgotten later than this takes with it what was learnt.

    Raises:
        StoreError: the memory cannot be written.
    """
    is_forgotten = store.records.get(record_id) is None
    if is_forgotten:
        forget(store, [record_id])
    return is_forgotten


def _set_aside(files: Iterable[Path], restoring: ExitStack) -> list[Path]:
    """Rename files so that no reader finds them; returns the new names. `restoring` renames them back.

    Raises:
        StoreError: the folder cannot be written.
    """
    aside = []
    for file in files:
        try:
            aside.append(file.rename(file.with_name(f"{file.name}.gone")))
        except FileNotFoundError:
            continue
        except OSError as error:
            raise unwritable(file.parent, error) from error
        restoring.callback(aside[-1].rename, file)
    return aside


def free_pages(database: Database) -> bool:
    """Rewrite the database without deleted content, so that it cannot be read from free pages.

    The log and the backups of a server may still have it.

    Returns:
        False if another program is reading, or the disk has no room to rewrite the file: then free pages
        stay, though SQLite has overwritten the deleted content in them.

    Raises:
        StoreBusy: another program writes.
    """
    with database.connect_plainly() as connection:
        if connection.dialect.name == "sqlite":
            return _free_file(connection, database.wait)
        return _free_tables(connection, database)


def _free_file(connection: Connection, wait: float) -> bool:
    """Rewrite the file of SQLite and empty its write-ahead log, waiting for no reader."""
    rewritten = True
    try:
        connection.exec_driver_sql("VACUUM")
    except OperationalError as error:
        if "full" not in str(error.orig):
            raise
        rewritten = False
    connection.exec_driver_sql("PRAGMA busy_timeout=100")
    busy, _, _ = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
    connection.exec_driver_sql(f"PRAGMA busy_timeout={round(wait * 1000)}")
    return rewritten and not busy


def _free_tables(connection: Connection, database: Database) -> bool:
    """Rewrite the tables on a PostgreSQL server."""
    tables = ", ".join(table.name for table in schema.metadata.sorted_tables)
    connection.exec_driver_sql(f"SET lock_timeout = '{round(database.wait * 1000)}ms'")
    try:
        connection.exec_driver_sql(f"VACUUM FULL {tables}")
    except OperationalError as error:
        if not database.is_busy(error):
            raise
        return False
    finally:
        connection.exec_driver_sql("RESET lock_timeout")
    return True


_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class SweepResult:
    """The number of deleted pictures, and their bytes."""

    pictures: int
    size: int


@dataclass(frozen=True, slots=True)
class RetentionUsage:
    """The number of screenshots, their bytes, and the number of lines of the request log (`sent`)."""

    pictures: int = 0
    size: int = 0
    sent: int = 0


def sweep(store: Store, settings: MemorySettings, now: datetime) -> SweepResult:
    """Delete screenshots that are too old or take too much room, and old lines of the request log, for good.

    Screenshots of open turns stay, and so do records, elements and actions.

    Raises:
        StoreError: the memory cannot be written.
    """
    heading = ChangeHeader("Sweep old screenshots", "the settings of the memory", ChangeKind.FORGET)
    with changing(store.database, heading, store.now) as change:
        shots = store.turns.screenshots()
        outdated = _too_old_or_many(shots, settings, now)
        stray = store.turns.stray_screenshots(now)
        for shot in outdated:
            table = schema.observations
            key = {"turn_id": shot.turn_id, "step": shot.step}
            change.connection.execute(update(table).where(key_condition(table, [key])).values(screenshot=""))
        change.count(schema.observations, "cleared", len(outdated))
    size = sum(shot.size for shot in outdated) + sum(file.stat().st_size for file in stray)
    for file in (*(shot.file for shot in outdated), *stray):
        file.unlink(missing_ok=True)
    if settings.sent_days:
        store.sent.drop_before(_since(now, settings.sent_days))
    return SweepResult(len(outdated) + len(stray), size)


def measure_usage(store: Store) -> RetentionUsage:
    """The size of what `sweep` may delete some day."""
    shots = [shot.size for shot in store.turns.screenshots() if shot.size]
    return RetentionUsage(len(shots), sum(shots), store.sent.lines_of_all())


def preview_sweep(store: Store, settings: MemorySettings, now: datetime) -> RetentionUsage:
    """The size of what `sweep` would delete now."""
    shots = [shot.size for shot in _too_old_or_many(store.turns.screenshots(), settings, now) if shot.size]
    lines = store.sent.lines_of_all(_since(now, settings.sent_days)) if settings.sent_days else 0
    return RetentionUsage(len(shots), sum(shots), lines)


def _since(now: datetime, days: int) -> datetime:
    """The moment `days` before `now`; the earliest datetime where there is none so early."""
    try:
        return now - timedelta(days=days)
    except OverflowError:
        return datetime.min.replace(tzinfo=now.tzinfo)


def _too_old_or_many(
    shots: list[StoredScreenshot], settings: MemorySettings, now: datetime
) -> list[StoredScreenshot]:
    limit = _since(now, settings.screenshot_days)
    room = settings.screenshot_megabytes * _MEGABYTE
    taken = sum(shot.size for shot in shots)
    outdated = []
    for shot in shots:
        too_old = settings.screenshot_days and shot.started < limit
        too_many = settings.screenshot_megabytes and taken > room
        if too_old or too_many or not shot.size:
            outdated.append(shot)
            taken -= shot.size
    return outdated


_Forget = Callable[[Change, Sequence[str]], None]
"""Erases every row that quotes the records with these ids, and its copies in the audit: see
`Change.erase`."""


def _forget_decisions(change: Change, record_ids: Sequence[str]) -> None:
    """Erase the user's decisions about some records, because they may quote them."""
    columns = prototype_decisions.c
    about = or_(columns.record_id.in_(record_ids), columns.other.in_(record_ids))
    rows = change.connection.execute(select(prototype_decisions).where(about)).mappings().all()
    change.erase(prototype_decisions, [dict(row) for row in rows])


def _forget_suggestions(change: Change, record_ids: Sequence[str]) -> None:
    """Erase suggestions whose words come from some records, and remove those records from other evidence."""
    forgotten_ids = set(record_ids)
    rows = [dict(row) for row in change.connection.execute(select(suggestions)).mappings()]
    touched = [row for row in rows if row["anchor"] in forgotten_ids or forgotten_ids & set(row["evidence"])]
    change.erase(suggestions, touched)
    reworded = [
        {**row, "evidence": [name for name in row["evidence"] if name not in forgotten_ids]}
        for row in touched
        if row["anchor"] not in forgotten_ids
    ]
    if reworded:
        change.rebuild(suggestions, insert(suggestions), reworded)


def _forget_skills(change: Change, record_ids: Sequence[str]) -> None:
    """Erase the skills that were learnt from some records, because their steps and slots quote them."""
    for table in (action_queue, experience_queue, replay_outcomes):
        change.erase(table, [{"turn_id": record_id} for record_id in record_ids])
    forgotten_ids = set(record_ids)
    rows = change.connection.execute(select(skills.c.id, skills.c.evidence)).all()
    change.erase(skills, [{"id": row.id} for row in rows if forgotten_ids & set(row.evidence)])


def _forget_scheduled_turns(change: Change, record_ids: Sequence[str]) -> None:
    """Remove the ids of some turns from the runs of schedules.

    A schedule's text stays: the user ordered it.
    """
    named = update(schedule_runs).where(schedule_runs.c.turn_id.in_(record_ids)).values(turn_id="")
    change.rebuild(schedule_runs, named)


def _forget_learnt(change: Change, record_ids: Sequence[str]) -> None:
    """Erase profile values that have no other evidence than some records, and nodes that are empty then."""
    change.erase(profile_queue, [{"record_id": record_id} for record_id in record_ids])
    connection = change.connection
    learnt = select(profile_evidence).where(profile_evidence.c.record_id.in_(record_ids))
    rows = connection.execute(learnt).mappings().all()
    change.erase(profile_evidence, [dict(row) for row in rows])
    touched = list(dict.fromkeys(row["value_id"] for row in rows))
    owners: dict[str, None] = {}
    texts: list[str] = []
    for portion in portions(touched):
        nodes_of_values = _column(connection, profile_values.c.node_id, profile_values.c.id.in_(portion))
        owners.update(dict.fromkeys(nodes_of_values))
        texts += _column(connection, profile_values.c.text, profile_values.c.id.in_(portion))
        texts += _column(connection, profile_nodes.c.name, profile_nodes.c.id.in_(nodes_of_values))
        value_id = profile_evidence.c.value_id
        supported = set(_column(connection, value_id, value_id.in_(portion)))
        change.erase(profile_values, [{"id": name} for name in portion if name not in supported])
    erase_vectors(change, owners)
    _erase_empty(change, owners)
    redact_concepts(change, texts)


def redact_concepts(change: Change, texts: Iterable[str]) -> int:
    """Replace the words of forgotten texts in the names of concepts, where nothing in the profile says them.

    A concept that was split off is named by words of what hangs on it. Returns the number of such concepts.
    """
    finder = TextFinder([word for text in texts for word in _words_for_names(text)], least=2)
    named = select(profile_nodes.c.id, profile_nodes.c.name).where(
        profile_nodes.c.kind == NodeKind.CONCEPT.value
    )
    quoting = [row for row in change.connection.execute(named) if finder.find(row.name)]
    if not quoting:
        return 0
    is_entity = profile_nodes.c.kind == NodeKind.ENTITY.value
    staying = _column(change.connection, profile_nodes.c.name, is_entity)
    staying += change.connection.execute(select(profile_values.c.text)).scalars()
    finder = finder.without([*staying, *lexicon().domains])
    quoting = [row for row in quoting if finder.find(row.name)]
    for row in quoting:
        renamed = update(profile_nodes).where(profile_nodes.c.id == row.id)
        change.connection.execute(renamed.values(name=finder.redact(row.name)))
    change.count(profile_nodes, "redacted", len(quoting))
    change.erase_copies(profile_nodes, [{"id": row.id} for row in quoting])
    erase_vectors(change, [row.id for row in quoting])
    return len(quoting)


def _words_for_names(text: str) -> list[str]:
    """The words of a text that the name of a concept may have, see `edits.draft_split`."""
    return [match[1] or match[2] for match in _NAME_WORD.finditer(text)]


_NAME_WORD = re.compile(r"([A-Za-z]{3,})|(?=([\u4e00-\u9fff]{2}))")


_NAMING_RECORDS = (
    (schema.observations, ("turn_id",)),
    (prototype_decisions, ("record_id", "other")),
    (suggestions, ("anchor", "evidence")),
    (skills, ("evidence",)),
)
"""What is made from records, with the columns that name them."""


def _erase_former(change: Change, record_ids: frozenset[str]) -> None:
    """Erase what the audit alone has of data from some records, which was changed or deleted before."""
    for table, columns in _NAMING_RECORDS:
        former = [
            key
            for key, values in find_copies(change.connection, table)
            if not record_ids.isdisjoint(_listed({**values, **key}, columns))
        ]
        change.erase_copies(table, former)
    sources: dict[str, set[str]] = {}
    for key, _columns in find_copies(change.connection, profile_evidence):
        sources.setdefault(key["value_id"], set()).add(key["record_id"])
    named_by = {value_id: ids for value_id, ids in sources.items() if not record_ids.isdisjoint(ids)}
    keys = [{"value_id": value_id, "record_id": name} for value_id in named_by for name in named_by[value_id]]
    change.erase_copies(profile_evidence, [key for key in keys if key["record_id"] in record_ids])
    erase_former_values(change, {value_id for value_id, ids in named_by.items() if ids <= record_ids})


def _listed(values: Mapping[str, Any], columns: Iterable[str]) -> list[str]:
    """The ids of records in some columns: each holds one, or a list."""
    entries = (values.get(column, ()) for column in columns)
    return [name for entry in entries for name in ((entry,) if isinstance(entry, str) else entry)]


def erase_former_values(change: Change, value_ids: Collection[str], node_ids: Collection[str] = ()) -> None:
    """Erase what the audit alone has of some values, of some nodes, and of the nodes that held nothing else.

    What still stands in the profile stays.
    """
    connection = change.connection
    owners: dict[str, set[str]] = {}
    for key, values in find_copies(connection, profile_values):
        if owner := values.get("node_id"):
            owners.setdefault(owner, set()).add(key["id"])
    former = {*value_ids, *(name for node_id in node_ids for name in owners.get(node_id, ()))}
    former -= _present(connection, profile_values.c.id, former)
    nodes = {owner for owner, held in owners.items() if held & former and held <= former} | set(node_ids)
    nodes -= _present(connection, profile_values.c.node_id, nodes)
    nodes -= _present(connection, profile_nodes.c.id, nodes)
    for table, key_name in ((profile_values, "id"), (profile_evidence, "value_id")):
        keys = (key for key, _columns in find_copies(connection, table))
        change.erase_copies(table, [key for key in keys if key[key_name] in former])
    change.erase_copies(profile_nodes, [{"id": node_id} for node_id in nodes])
    links = (key for key, _columns in find_copies(connection, profile_links))
    change.erase_copies(profile_links, [key for key in links if key["one"] in nodes or key["other"] in nodes])


def find_former_values(connection: Connection, values: Iterable[Value]) -> set[str]:
    """The ids that some values had in the audit, before their entity was merged or made anew."""
    owners = {(value.key, value.sense): value.node_id for value in values}
    former = {
        key["id"]: columns["node_id"]
        for key, columns in find_copies(connection, profile_values)
        if columns.get("node_id") and (columns.get("key"), columns.get("sense")) in owners
    }
    standing = _present(connection, profile_nodes.c.id, former.values()) - set(owners.values())
    return {value_id for value_id, owner in former.items() if owner not in standing}


def _present(connection: Connection, column: Column[Any], ids: Iterable[str]) -> set[str]:
    """Those of some ids that a table has."""
    return {name for portion in portions(ids) for name in _column(connection, column, column.in_(portion))}


def erase_vectors(change: Change, node_ids: Iterable[str]) -> None:
    """Delete the vectors of some nodes, whichever model made them."""
    for portion in portions(node_ids):
        old = delete(vectors).where(vectors.c.kind == NODE_VECTOR, vectors.c.owner.in_(portion))
        change.rebuild(vectors, old)


def _erase_empty(change: Change, node_ids: Iterable[str]) -> None:
    """Erase entities of which nothing but names is known, then concepts without entities."""
    connection = change.connection
    candidates = dict.fromkeys(node_ids)
    while candidates:
        around: dict[str, None] = {}
        for node_id in candidates:
            same = select(profile_nodes).where(profile_nodes.c.id == node_id)
            node = connection.execute(same).one_or_none()
            if node is None or node.pinned or _is_used(connection, node):
                continue
            _erase_names(change, node_id)
            attached = or_(profile_links.c.one == node_id, profile_links.c.other == node_id)
            query = select(profile_links).where(attached)
            links = [dict(row) for row in connection.execute(query).mappings()]
            change.erase(profile_links, links)
            change.erase(profile_nodes, [{"id": node_id}])
            erase_vectors(change, [node_id])
            around.update((row["other"] if row["one"] == node_id else row["one"], None) for row in links)
        candidates = around


def _erase_names(change: Change, node_id: str) -> None:
    """Erase the other names of an entity."""
    names = _column(change.connection, profile_values.c.id, profile_values.c.node_id == node_id)
    evidence = select(profile_evidence).where(profile_evidence.c.value_id.in_(names))
    change.erase(profile_evidence, [dict(row) for row in change.connection.execute(evidence).mappings()])
    change.erase(profile_values, [{"id": name} for name in names])


def _is_used(connection: Connection, node: Row[Any]) -> bool:
    """Whether an entity has values other than names, or a concept has entities or joins other nodes.

    A concept of the lexicon that only joins others is not used: it is created again when needed.
    """
    if node.kind == NodeKind.ENTITY:
        values = and_(profile_values.c.node_id == node.id, profile_values.c.key != ALIAS)
        return bool(_column(connection, profile_values.c.id, values))
    around = [
        *_column(connection, profile_links.c.one, profile_links.c.other == node.id),
        *_column(connection, profile_links.c.other, profile_links.c.one == node.id),
    ]
    entities = and_(profile_nodes.c.id.in_(around), profile_nodes.c.kind == NodeKind.ENTITY.value)
    joins_others = node.name not in lexicon().domains and len(around) > 1
    return joins_others or bool(_column(connection, profile_nodes.c.id, entities))


def _column(connection: Connection, column: Column[Any], condition: Any) -> list[str]:
    return list(connection.execute(select(column).where(condition)).scalars())


_FORGET_DERIVED: tuple[_Forget, ...] = (
    _forget_learnt,
    _forget_decisions,
    _forget_suggestions,
    _forget_skills,
    _forget_scheduled_turns,
    forget_sent,
)
"""Data whose rows, or their copies in the audit, may quote records. Runs before the records are erased."""

"""FingerTip's folders into the memory and out of it. See `episodes` for their form."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import select

from assistant.memory import schema, screenshots
from assistant.memory.records import RecordFilter, row_of
from assistant.memory.rows import found, portions
from assistant.memory.screenshots import safe_name
from assistant.memory.store import Store
from assistant.memory.transfer.fingertip import (
    EPISODE,
    PROFILES,
    SCREENSHOTS,
    TREES,
    Codec,
    Episode,
    episode_folders,
    read_episode,
    read_profiles,
)
from assistant.memory.transfer.importing import Imported, Refuse, Refused, Tell
from assistant.memory.transfer.jsonl import Unreadable
from assistant.memory.transfer.trees import tree_xml
from assistant.memory.turn_store import observation_row, read_elements, turn_row
from assistant.memory.turns import Checkpoint, StoredStep
from assistant.records import Record, Source

_EPISODES_AT_ONCE = 10
_UNKNOWN_SCREEN = (99_999, 99_999)


def import_folder(
    store: Store, root: Path, codec: Codec, tell: Tell, refuse: Refuse, *, pictures: bool = True
) -> Imported:
    """Import FingerTip's folders: records, what was seen, and what users declared of themselves.

    Args:
        store: where they go.
        root: the folder of all users, of one user, or of one episode.
        codec: reads action strings and UI trees.
        tell: is told of each portion.
        refuse: is told of each episode that cannot be read.
        pictures: whether screenshots and UI trees come too.

    Raises:
        OSError: the folder cannot be listed.
        StoreError: the memory cannot be written; what was told as imported stays.
    """
    at, what, change_id = Imported(), f"Import episodes from {root.name}", None
    try:
        profiles = read_profiles(root)
    except Unreadable as error:
        profiles, at = {}, Imported(refused=1)
        refuse(Refused(0, str(error)))
    if profiles:
        with store.change(what, "asked by the user") as change:
            rows = [{"user_id": user, "fields": fields} for user, fields in profiles.items()]
            change.insert_missing(schema.user_profiles, rows)
        change_id = change.id
    numbered = enumerate(episode_folders(root), start=1)
    for portion in portions(numbered, _EPISODES_AT_ONCE):
        refused: list[Refused] = []
        episodes = list(_read(portion, codec, refused, pictures=pictures))
        with store.change(what, "asked by the user", change_id) as change:
            keys = [{"id": episode.record.id} for episode in episodes]
            known = {row["id"] for row in found(change.connection, schema.records, keys).values()}
            new = {one.record.id: one for one in episodes if one.record.id not in known}
            change.insert(schema.records, [row_of(one.record) for one in new.values()])
            if pictures:
                seen = {one.record.id: one for one in new.values() if one.seen}
                rows = [row for one in seen.values() for row in _observations(store, one)]
                change.insert_missing(schema.turns, map(_turn, seen.values()))
                change.insert_missing(schema.observations, rows)
        change_id = change.id
        for one in refused:
            refuse(one)
        at = Imported(
            at.imported + len(new),
            at.known + len(episodes) - len(new),
            at.refused + len(refused),
            portion[-1][0],
        )
        tell(at)
    return at


def export_folder(store: Store, root: Path, codec: Codec, wanted: RecordFilter) -> Iterator[Record]:
    """Write records as FingerTip's folders; yields each when it is written.

    The format has no place for what was said, the outcome, the package, usage and costs, nor for an action's
    target; coordinates are rounded to pixels. Where no screen is known they count in one of 99,999.

    Raises:
        OSError: the folder cannot be written.
    """
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    _write_profiles(store, root)
    for record in store.records.where(wanted):
        stamp = record.id.removeprefix(f"u{record.user_id}-")
        folder = root / safe_name(record.user_id) / safe_name(stamp)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        seen = _seen(store, record.id)
        width, height = next(((row["width"], row["height"]) for row in seen if row["width"]), _UNKNOWN_SCREEN)
        for row in seen:
            _write_seen(store, folder, row)
        episode = {
            "id": record.id,
            "user_id": record.user_id,
            "time": record.time.isoformat(),
            "scenario": record.scenario,
            "app": record.app,
            "intent_description": record.instruction,
            "screen": [width, height],
            "actions": [{"action": codec.write_action(action, width, height)} for action in record.actions],
        }
        (folder / EPISODE).write_text(json.dumps(episode, ensure_ascii=False, indent=1), "utf-8")
        yield record


def _read(
    folders: Sequence[tuple[int, Path]], codec: Codec, refused: list[Refused], *, pictures: bool
) -> Iterator[Episode]:
    for number, folder in folders:
        try:
            yield read_episode(folder, codec, pictures=pictures)
        except Unreadable as error:
            refused.append(Refused(number, f"{folder.parent.name}/{folder.name}: {error}"))


def _turn(episode: Episode) -> dict[str, Any]:
    """The trace of an episode, as that of a turn in which the user did every step."""
    record = episode.record
    steps = (
        StoredStep(number=number, action=action, source=Source.USER, app=record.app, package=record.package)
        for number, action in enumerate(record.actions, start=1)
    )
    checkpoint = Checkpoint(
        turn_id=record.id,
        user_id=record.user_id,
        started=record.time,
        said=record.said,
        instruction=record.instruction,
        scenario=record.scenario,
        steps=tuple(steps),
    )
    return turn_row(checkpoint, is_open=False)


def _observations(store: Store, episode: Episode) -> Iterator[dict[str, Any]]:
    for step, seen in episode.seen.items():
        row = observation_row(episode.record.id, step, seen)
        if row["screenshot"]:
            screenshots.keep(store.screenshots / row["screenshot"], seen.screenshot)
        yield row


def _seen(store: Store, record_id: str) -> Sequence[Mapping[Any, Any]]:
    table = schema.observations
    with store.reader() as connection:
        query = select(table).where(table.c.turn_id == record_id).order_by(table.c.step)
        return connection.execute(query).mappings().all()


def _write_seen(store: Store, folder: Path, row: Mapping[Any, Any]) -> None:
    if row["elements"]:
        (folder / TREES).mkdir(mode=0o700, exist_ok=True)
        xml = tree_xml(read_elements(row))
        (folder / TREES / f"{row['step']:03}.xml").write_text(xml, "utf-8")
    picture = store.screenshots / row["screenshot"]
    if row["screenshot"] and picture.is_file():
        (folder / SCREENSHOTS).mkdir(mode=0o700, exist_ok=True)
        screenshots.keep(folder / SCREENSHOTS / f"{row['step']:03}.jpg", picture.read_bytes())


def _write_profiles(store: Store, root: Path) -> None:
    table = schema.user_profiles
    with store.reader() as connection:
        rows = connection.execute(select(table).order_by(table.c.user_id)).mappings().all()
    if rows:
        listed = [{"user_id": row["user_id"], **row["fields"]} for row in rows]
        (root / PROFILES).write_text(json.dumps(listed, ensure_ascii=False, indent=1), "utf-8")

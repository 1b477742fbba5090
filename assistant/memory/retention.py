"""Retention: deleting screenshots by age and total size, and lines of the request log by age."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import select, update

from assistant.memory import schema
from assistant.memory.audit import ChangeHeader, ChangeKind, changing
from assistant.memory.database import where
from assistant.memory.store import Store
from assistant.settings.schema import MemorySettings

_MEGABYTE = 1_000_000
_YOUNG = timedelta(hours=1)
"""A file without a row may just be about to get one."""


@dataclass(frozen=True, slots=True)
class SweepResult:
    """What went: how many pictures, how many bytes, and how many of them belonged to nothing."""

    pictures: int
    size: int
    stray: int


@dataclass(frozen=True, slots=True)
class RetentionUsage:
    """How many screenshots, how many bytes of them, and how many lines of what was sent."""

    pictures: int = 0
    size: int = 0
    sent: int = 0


@dataclass(frozen=True, slots=True)
class _Shot:
    turn_id: str
    step: int
    started: datetime
    file: Path
    size: int


def sweep(store: Store, settings: MemorySettings, now: datetime) -> SweepResult:
    """Delete screenshots that are too old or too many, those of open turns stay; and old lines of requests.

    Records, elements and actions stay. What is swept cannot come back.

    Raises:
        StoreError: the memory cannot be written.
    """
    heading = ChangeHeader("Sweep old screenshots", "the settings of the memory", ChangeKind.FORGET)
    with changing(store.database, heading, store.now) as change:
        shots = list(_shots(store))
        outdated = _too_old_or_many(shots, settings, now)
        stray = _stray(store, now)
        for shot in outdated:
            table = schema.observations
            key = {"turn_id": shot.turn_id, "step": shot.step}
            change.connection.execute(update(table).where(where(table, [key])).values(screenshot=""))
        change.count(schema.observations, "cleared", len(outdated))
    size = sum(shot.size for shot in outdated) + sum(file.stat().st_size for file in stray)
    for file in (*(shot.file for shot in outdated), *stray):
        file.unlink(missing_ok=True)
    if settings.sent_days:
        store.sent.drop_before(_since(now, settings.sent_days))
    return SweepResult(len(outdated) + len(stray), size, len(stray))


def measure_usage(store: Store) -> RetentionUsage:
    """What there is of what may become too old or too much."""
    shots = [shot.size for shot in _shots(store) if shot.size]
    return RetentionUsage(len(shots), sum(shots), store.sent.lines_of_all())


def preview_sweep(store: Store, settings: MemorySettings, now: datetime) -> RetentionUsage:
    """What a sweep would delete now."""
    shots = [shot.size for shot in _too_old_or_many(list(_shots(store)), settings, now) if shot.size]
    lines = store.sent.lines_of_all(_since(now, settings.sent_days)) if settings.sent_days else 0
    return RetentionUsage(len(shots), sum(shots), lines)


def _since(now: datetime, days: int) -> datetime:
    """The moment before which things are too old; the earliest there is for more days than there were."""
    try:
        return now - timedelta(days=days)
    except OverflowError:
        return datetime.min.replace(tzinfo=now.tzinfo)


def _shots(store: Store) -> Iterator[_Shot]:
    """The screenshots of ended turns, oldest first; size 0 where the file is gone."""
    table, turns = schema.observations, schema.turns
    query = (
        select(table.c.turn_id, table.c.step, table.c.screenshot, turns.c.started)
        .join(turns, turns.c.id == table.c.turn_id)
        .where(table.c.screenshot != "", ~turns.c.open)
    )
    with store.reader() as connection:
        rows = connection.execute(query).all()
    shots = []
    for turn_id, step, name, started in rows:
        file = store.screenshots / name
        size = file.stat().st_size if file.exists() else 0
        shots.append(_Shot(turn_id, step, datetime.fromisoformat(started), file, size))
    yield from sorted(shots, key=lambda shot: (shot.started, shot.turn_id, shot.step))


def _too_old_or_many(shots: list[_Shot], settings: MemorySettings, now: datetime) -> list[_Shot]:
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


def _stray(store: Store, now: datetime) -> list[Path]:
    """Files that no row names, left by a kill or by an import that was undone."""
    with store.reader() as connection:
        named = set(connection.execute(select(schema.observations.c.screenshot)).scalars())
    limit = (now - _YOUNG).timestamp()
    files = (file for file in store.screenshots.iterdir() if file.name not in named and file.is_file())
    return sorted(file for file in files if file.stat().st_mtime < limit)

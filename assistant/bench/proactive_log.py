"""`bench proactive --log`: when to speak, on logs that people kept themselves.

The last days of each log are lived again minute by minute, as `proactive_replay` says, with all before them
as history. Where lines have a `habit`, those of a habit are the same, and a line without is of none. Where
no line has, the habits are what the memory makes of the whole log in the end, for every way of speaking
alike: such figures tell when each speaks, not whether the memory knows a habit again. How the user answers
is drawn.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from assistant.bench.corpora import DataMissing
from assistant.bench.proactive_methods import History, baselines, history_of
from assistant.bench.proactive_replay import (
    EVIDENCE,
    Day,
    Done,
    Voice,
    homes_of,
    offered_cluster,
    replay,
    speak_as_product,
    speak_from,
    summary,
)
from assistant.bench.report import Report, progress
from assistant.embedding.embedder import CachedEmbedder, Embedder
from assistant.memory.prototypes.model import Prototype
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.store import Store
from assistant.memory.transfer.jsonl import UnreadableRecord, read_lines, read_record
from assistant.proactive.forecast import USUAL, select_habits
from assistant.records import Record
from assistant.settings.schema import ProactiveSettings

LOGGED = "The user's answers; the deeds are those of the logs"
"""What a report simulates that is about logs of people."""
_OURS = (("ours", USUAL, True), ("ours without feedback", USUAL, False))


@dataclass(frozen=True, slots=True)
class Log:
    """One person's records, oldest first; `habits` names the habit of records whose line does."""

    name: str
    records: tuple[Record, ...]
    habits: Mapping[str, str]


def read_log(file: Path) -> Log:
    """Read a log in the exchange format of records; of several users, the one with the most lines.

    Raises:
        DataMissing: the file cannot be read, or has no record.
    """
    records, habits = [], {}
    try:
        with file.open("rb") as stream:
            for line in read_lines(stream):
                if not (line.text or b"-").strip():
                    continue
                try:
                    record = read_record(line.text)
                except UnreadableRecord as problem:
                    progress(f"{file}, line {line.number}: {problem}")
                    continue
                records.append(record)
                habit = json.loads(line.text or b"{}").get("habit")
                if isinstance(habit, str) and habit:
                    habits[record.id] = habit
    except OSError as problem:
        raise DataMissing(f"{file}: {problem.strerror}") from problem
    if not records:
        raise DataMissing(f"{file} has no record.")
    user = Counter(record.user_id for record in records).most_common(1)[0][0]
    own = sorted((record for record in records if record.user_id == user), key=attrgetter("time"))
    return Log(file.name, tuple(own), habits)


def log_days(log: Log, judged: int, embeds: Embedder) -> list[Day]:
    """The last days of a log, as many as are `judged`, each with what the memory held on its morning.

    Raises:
        DataMissing: the log is no longer than that.
    """
    last = log.records[-1].time.date()
    first = last - timedelta(days=judged - 1)
    history = [record for record in log.records if record.time.date() < first]
    if not history:
        raise DataMissing(f"{log.name} has no day before the {judged} that are judged.")
    user, mornings = log.records[0].user_id, []
    with TemporaryDirectory(prefix="assistant-bench-") as folder:
        store = Store(Path(folder), lambda: log.records[-1].time)
        try:
            store.records.add(history)
            memory = HierarchicalMemory(store, embeds)
            prototypes = memory.prototypes(user)
            wordings = memory.wordings(prototypes)
            for number in range(judged):
                day = first + timedelta(days=number)
                today = [record for record in log.records if record.time.date() == day]
                store.records.add(today)
                evening = memory.prototypes(user)
                held = history_of(prototypes, until=day, wordings=wordings)
                wordings = memory.wordings(evening)
                mornings.append((day, today, held, homes_of(prototypes, evening, wordings)))
                prototypes = evening
        finally:
            store.close()
    clusters, zone = _clusters(log, prototypes, wordings), history[-1].time.tzinfo
    seen, days = Counter(clusters[record.id] for record in history if record.id in clusters), []
    for day, today, held, homes in mornings:
        zone = today[0].time.tzinfo if today else zone
        days.append(_day(datetime.combine(day, time(), zone), today, held, homes, clusters, seen))
        seen.update(done.cluster for done in days[-1].done)
    return days


def _clusters(log: Log, prototypes: Sequence[Prototype], wordings: Sequence[Sequence[str]]) -> dict[str, str]:
    """The habit of each record: what its line says; where none does, the memory's, in whatever words."""
    alone = {record.id: record.id for record in log.records}
    if log.habits:
        return alone | dict(log.habits)
    own = {prototype.id: prototype.id for prototype in prototypes}
    for habit in select_habits(prototypes, wordings, EVIDENCE)[1]:
        own |= dict.fromkeys(habit.variants, habit.id)
    return alone | {
        member.record_id: own[prototype.id] for prototype in prototypes for member in prototype.members
    }


def _day(
    midnight: datetime,
    today: Sequence[Record],
    history: History,
    homes: Mapping[str, str],
    clusters: dict[str, str],
    seen: Counter[str],
) -> Day:
    done = tuple(
        Done(
            record,
            clusters[record.id],
            homes.get(record.id, ""),
            seen[clusters[record.id]] >= EVIDENCE,
        )
        for record in today
    )
    about = {name: offered_cluster(prototype, clusters) for name, prototype in history.prototypes.items()}
    return Day(midnight.date(), None, history, about, done, midnight)


def run(files: Sequence[Path], judged: int, embeds: Embedder, settings: ProactiveSettings) -> Report:
    """Live the last days of logs again with the product and with the baselines.

    Args:
        files: the logs, one person each.
        judged: how many days at the end of each are lived.
        embeds: the sentence embedder.
        settings: when the product speaks.

    Raises:
        DataMissing: a log cannot be read, or is too short.
    """
    remembering = CachedEmbedder(embeds)
    logs = [read_log(file) for file in files]
    people = [log_days(log, judged, remembering) for log in logs]
    progress(f"{len(people)} logs, {judged} days each, model {embeds.model_id}")
    tried = [[Voice(name, speak_as_product(weighing, settings), learns)] for name, weighing, learns in _OURS]
    tried += [
        [Voice(method.name, speak_from(method.judge, least), False) for least in method.least]
        for method in baselines()
    ]
    rows: list[dict[str, Any]] = []
    by_person: list[dict[str, Any]] = [{"log": log.name} for log in logs]
    for voices in tried:
        lived = [
            [replay(days, voice, settings, f"log {place}") for place, days in enumerate(people)]
            for voice in voices
        ]
        best = max(lived, key=lambda each: float(summary("", each)["f1"]))
        rows.append(summary(voices[0].name, best))
        for row, each in zip(by_person, best, strict=True):
            row[voices[0].name] = round(each.f1(), 3)
        progress(f"{rows[-1]['method']}: F1 {rows[-1]['f1']}, {rows[-1]['needless_a_day']} needless a day")
    values = {
        "benchmark": "proactive, logs",
        "model": embeds.model_id,
        "days": judged,
        "lived": rows,
        "f1_by_log": by_person,
    }
    return Report(values, all(row["f1"] <= rows[0]["f1"] for row in rows[1:]), LOGGED)

"""What goes with records that are forgotten, and the records behind an item.

Previews and reports of forgetting are sentences. `RecordMeanings` finds records by the meaning of a text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import Column, func, select

from assistant.embedding.embedder import Embedder
from assistant.i18n import _, counted
from assistant.memory import schema
from assistant.memory.database import portions
from assistant.memory.derived import RECORD_VECTOR
from assistant.memory.forgetting import forget
from assistant.memory.profile.service import Profile
from assistant.memory.store import RevisionCache, Store
from assistant.memory.vectors import VectorCache
from assistant.memory_view.items import EvidenceRecord, Heat, ItemDetails, ItemField, listed
from assistant.records import Record


def deletion_preview(store: Store, profile: Profile, ids: Collection[str]) -> str:
    """What goes with some records, as a sentence."""
    parts = [counted(len(ids), "record")]
    if pictures := _pictures(store, ids):
        parts.append(counted(pictures, "screenshot"))
    if values := _resting_on(store, profile, ids):
        parts.append(_("{values} of the profile").format(values=counted(values, "value")))
    if offered := _count(store, schema.suggestions.c.anchor, ids):
        parts.append(counted(offered, "suggestion"))
    if lines := _count(store, schema.sent.c.turn_id, ids):
        parts.append(_("{lines} of what was sent").format(lines=counted(lines, "line")))
    return _("Deletes {what} permanently.").format(what=listed(parts))


def forget_records(store: Store, ids: Iterable[str]) -> str:
    """Delete records for good, with all that rests on them; returns what went, in words."""
    done = forget(store, ids)
    parts = [counted(done.records, "record")]
    if done.screenshots:
        parts.append(counted(done.screenshots, "screenshot"))
    forgotten = _("Forgotten: {what}.").format(what=listed(parts))
    return forgotten if done.scrubbed else f"{forgotten} {lingering()}"


def lingering() -> str:
    """What is to be said where deleted text cannot be wiped off the file yet."""
    return _("Another program reads the memory, or the disk is full: text may linger until you forget again.")


def _pictures(store: Store, ids: Collection[str]) -> int:
    table, count = schema.observations, 0
    with store.reader() as connection:
        for portion in portions(ids):
            shot_query = select(func.count()).where(table.c.turn_id.in_(portion), table.c.screenshot != "")
            count += int(connection.execute(shot_query).scalar_one())
    return count


def _resting_on(store: Store, profile: Profile, ids: Collection[str]) -> int:
    """How many values of the profile nothing but some records tells."""
    forgotten, touched = set(ids), set[str]()
    with store.reader() as connection:
        for portion in portions(ids):
            evidence = schema.profile_evidence
            query = select(evidence.c.value_id).where(evidence.c.record_id.in_(portion))
            touched.update(connection.execute(query).scalars())
    with profile.reading() as graph:
        values = (graph.find_value(value_id) for value_id in touched)
        return sum(
            all(evidence.record_id in forgotten for evidence in value.evidence) for value in values if value
        )


def _count(store: Store, column: Column[str], ids: Collection[str]) -> int:
    """How many rows name one of the records in a column."""
    count = 0
    with store.reader() as connection:
        for portion in portions(ids):
            query = select(func.count()).where(column.in_(portion))
            count += int(connection.execute(query).scalar_one())
    return count


EVIDENCE = 20
"""The most records told as evidence of one item."""


def records_of(store: Store, ids: Iterable[str]) -> list[Record]:
    """The records with these ids that are there, in this order."""
    records = (store.records.get(record_id) for record_id in ids)
    return [record for record in records if record is not None]


def details_of(
    facts: tuple[tuple[str, str], ...],
    record_ids: Sequence[str],
    records: Sequence[Record],
    *,
    heat: Heat = (),
    fields: tuple[ItemField, ...] = (),
) -> ItemDetails:
    """Facts with the newest records behind them; `wanted` are the ids of all there are."""
    evidence = tuple(
        EvidenceRecord(
            record.id, record.time, record.scenario, record.instruction, record.app or record.package
        )
        for record in records[:EVIDENCE]
    )
    return ItemDetails(facts, evidence, max(0, len(record_ids) - len(evidence)), heat, fields)


LIKE_ENOUGH = 0.35
"""The cosine from which something is near enough in meaning to be shown."""


class RecordMeanings:
    """The vectors of records that the memory has made.

    Args:
        store: where the vectors are kept.
        embeds: embeds what is searched for.
    """

    def __init__(self, store: Store, embeds: Embedder) -> None:
        self._embeds = embeds
        tables = (schema.records, schema.vectors)
        self._index = RevisionCache(store, VectorCache(store, embeds).index, tables)

    def nearest(self, text: str, most: int, within: Iterable[str]) -> list[str]:
        """The records of some that are near in meaning to some words, nearest first.

        Raises:
            EmbeddingError: the embedder cannot be run.
        """
        index = self._index.get(RECORD_VECTOR)
        chosen: Collection[str] = [record_id for record_id in within if record_id in index]
        if not chosen:
            return []
        vector = self._embeds.embed([text])[0]
        keys, _ = index.search(vector, most, at_least=LIKE_ENOUGH, within=chosen)
        return keys

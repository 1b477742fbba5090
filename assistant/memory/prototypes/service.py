"""The hierarchical memory: aggregates records, and answers with prototypes, preferences and routines."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select

from assistant.embedding.embedder import Embedder
from assistant.memory import schema
from assistant.memory.database import portions
from assistant.memory.prototypes.clustering import ClusteringRules, faded
from assistant.memory.prototypes.model import (
    BOUNDARY,
    STABLE,
    UNKNOWN,
    Classification,
    Member,
    Preference,
    Prototype,
    Routine,
    kind_of_record,
    routines,
    usual_slots,
)
from assistant.memory.prototypes.preferences import PreferenceWeights, plain_command, query, rank
from assistant.memory.prototypes.repository import (
    AggregationJob,
    AggregationResult,
    PrototypeRepository,
    Tell,
)
from assistant.memory.prototypes.similarity import ConsistencyWeights, read
from assistant.memory.prototypes.terms import main_clause
from assistant.memory.prototypes.time_window import read_window
from assistant.memory.prototypes.user_edits import OverrideSet, UserOverrides, decided
from assistant.memory.records import read_record
from assistant.memory.store import RevisionCache, Store
from assistant.memory.vectors import VectorCache
from assistant.records import Record
from assistant.settings.schema import PrototypeSettings, Settings

_NEAREST, _HEAVIEST = 48, 48
"""How many prototypes a command is compared with: the nearest, and those with most evidence."""
_AT_LEAST = 2


def rules_of(settings: PrototypeSettings) -> ClusteringRules:
    """How records become prototypes, as the settings say."""
    return ClusteringRules(
        theta=settings.theta,
        weights=ConsistencyWeights(settings.cosine, settings.words, settings.actions, settings.arguments),
        half_life_days=settings.half_life_days,
        archive_below=settings.archive_below,
    )


class HierarchicalMemory:
    """Prototypes, preferences and routines of the users of one store.

    What it makes can be made anew from the records at any time, and is where rules or the model have changed.

    Args:
        store: the records, and where prototypes are kept.
        embeds: the sentence embedder.
        rules: how records become prototypes; see `rules_of`.
        scales: what counts when a command is matched.
        threshold: the confidence below which a preference is not told, 0..1.
        boundary: the Φ above which a prototype is a routine.
    """

    def __init__(
        self,
        store: Store,
        embeds: Embedder,
        rules: ClusteringRules | None = None,
        scales: PreferenceWeights | None = None,
        threshold: float = 0.2,
        boundary: float = BOUNDARY,
    ) -> None:
        self._store = store
        self._embeds = embeds
        self._vectors = VectorCache(store, embeds)
        self._rules = rules or ClusteringRules()
        self._scales = scales or PreferenceWeights()
        self._threshold = threshold
        self._boundary = boundary
        self._aggregator = AggregationJob(store, self._vectors, self._rules)
        self._current = RevisionCache(
            store, self._brought_up, (*schema.PROTOTYPE_TABLES, schema.learning_switches)
        )

    def aggregate(
        self, until: datetime | None = None, tell: Tell | None = None, user_id: str | None = None
    ) -> AggregationResult:
        """Place the records that are in no prototype yet, of one user or of all.

        A run that is killed goes on where it was; running again changes nothing.

        Args:
            until: the last moment that counts, by default all records.
            tell: hears how far it is.
            user_id: whose records, by default everybody's.

        Raises:
            StoreError: the store cannot be written.
        """
        total = AggregationResult()
        for user in [user_id] if user_id is not None else self._users():
            repository, overrides = self._open_repository(user)
            total += self._aggregator.run(repository, overrides, until, tell)
        return total

    def decisions(self, user_id: str) -> UserOverrides:
        """Where the user's wishes about prototypes are written; the next question keeps to them."""
        return UserOverrides(self._store, user_id)

    def bring_up(self, user_id: str) -> None:
        """Aggregate where a user's prototypes are not those of the records, wishes and rules of now.

        Raises:
            EmbeddingError: new records cannot be embedded.
            StoreError: the store cannot be written.
        """
        self._ready(user_id)

    def prototypes(self, user_id: str, at_least: int = 1) -> list[Prototype]:
        """A user's prototypes with at least so many records, oldest first; archived and hidden ones too."""
        repository, overrides = self._ready(user_id)
        return self._load_prototypes(repository, overrides, None, at_least)

    def preferences(
        self, command: str, user_id: str, now: datetime, scenario: str = UNKNOWN, top: int = 3
    ) -> list[Preference]:
        """What a command most probably means, surest first; nothing where nothing is sure enough.

        Args:
            command: what the user said.
            user_id: who said it.
            now: when.
            scenario: where.
            top: the most answers wanted.
        """
        repository, overrides = self._ready(user_id)
        stream = self._aggregator.stream(repository, overrides)
        core = plain_command(command)
        vector = self._embeds.embed([core])[0] if core else None
        names = dict.fromkeys(stream.nearest(vector, _NEAREST) if vector is not None else [])
        names |= dict.fromkeys(repository.heaviest(_HEAVIEST))
        hidden = set(repository.homes(overrides.hidden).values())
        clusters = [
            cluster
            for cluster in stream.fetched(names)
            if cluster.count >= _AT_LEAST and cluster.id not in hidden
        ]
        asked = query(command, vector, now, scenario)
        ranked = rank(asked, clusters, self._scales, self._rules.half_life_days)[:top]
        sure = [candidate for candidate in ranked if candidate.confidence >= self._threshold]
        prototypes = {
            prototype.id: prototype
            for prototype in self._load_prototypes(
                repository, overrides, [prototype.cluster.id for prototype in sure]
            )
        }
        return [
            Preference(
                prototype=prototypes[candidate.cluster.id],
                confidence=candidate.confidence,
                slots=usual_slots([sampled.reading for sampled in candidate.cluster.sample]),
            )
            for candidate in sure
        ]

    def find_prototype(self, record: Record) -> str:
        """The id of the prototype that a record would join, empty for none. Changes nothing.

        Raises:
            EmbeddingError: it cannot be compared.
        """
        repository, overrides = self._ready(record.user_id)
        stream = self._aggregator.stream(repository, overrides)
        vector = self._embeds.embed([main_clause(record.instruction)])[0]
        matched = stream.match(read(record, vector))
        return matched[0].id if matched is not None else ""

    def routines(self, user_id: str) -> list[Routine]:
        """The prototypes regular enough to be suggested unasked, by the paper's Φ, surest first."""
        return routines(self.prototypes(user_id, at_least=STABLE), self._boundary)

    def kind_of(self, record_id: str) -> Classification | None:
        """Whether a record is a moment, a preference or a routine, and why; None when there is none."""
        record = self._store.records.get(record_id)
        if record is None:
            return None
        repository, overrides = self._ready(record.user_id)
        home = repository.homes([record_id]).get(record_id)
        prototypes = self._load_prototypes(repository, overrides, [home]) if home else []
        return kind_of_record(record_id, prototypes[0] if prototypes else None)

    def _users(self) -> list[str]:
        with self._store.reader() as connection:
            column = schema.records.c.user_id
            return list(connection.execute(select(column).distinct().order_by(column)).scalars())

    def _open_repository(self, user_id: str) -> tuple[PrototypeRepository, OverrideSet]:
        with self._store.reader() as connection:
            overrides = decided(connection, user_id)
        return PrototypeRepository(self._store, self._vectors, user_id, self._rules), overrides

    def _ready(self, user_id: str) -> tuple[PrototypeRepository, OverrideSet]:
        """The user's prototypes, brought up to what the store holds now."""
        return self._current.get(user_id)

    def _brought_up(self, user_id: str) -> tuple[PrototypeRepository, OverrideSet]:
        repository, overrides = self._open_repository(user_id)
        if not self._aggregator.is_current(repository, overrides):
            self._aggregator.run(repository, overrides, None, None)
        return repository, overrides

    def _load_prototypes(
        self,
        repository: PrototypeRepository,
        overrides: OverrideSet,
        ids: Sequence[str] | None,
        at_least: int = 1,
    ) -> list[Prototype]:
        """Prototypes as the user sees them: with what was decided about them."""
        rows = repository.rows(ids, at_least)
        names = [row["id"] for row in rows]
        members = repository.members(names)
        centres = self._records([row["centre"] for row in rows])
        marked = repository.homes(
            [
                *overrides.names,
                *overrides.hidden,
                *overrides.pinned,
                *overrides.alone,
                *overrides.windows,
                *overrides.places,
            ]
        )
        windows = {
            marked[record_id]: read_window(text)
            for record_id, text in overrides.windows.items()
            if record_id in marked
        }
        places = {
            marked[record_id]: scenario
            for record_id, scenario in overrides.places.items()
            if record_id in marked
        }
        wording = {marked[record]: text for record, text in overrides.names.items() if record in marked}
        hidden = {marked[record] for record in overrides.hidden if record in marked}
        pinned = {marked[record] for record in overrides.pinned if record in marked}
        alone = {marked[record] for record in overrides.alone if record in marked}
        now = self._store.now()
        prototypes = []
        for row in rows:
            centre, name = centres.get(row["centre"]), row["id"]
            if centre is None:
                continue
            last = datetime.fromisoformat(row["last"])
            fits = dict(row["sample"])
            prototypes.append(
                Prototype(
                    id=name,
                    user_id=repository.user_id,
                    centre_id=centre.id,
                    instruction=wording.get(name, centre.instruction),
                    actions=centre.actions,
                    app=centre.app,
                    package=centre.package,
                    members=tuple(
                        Member(
                            member.record_id,
                            datetime.fromisoformat(member.time),
                            member.scenario,
                            fits.get(member.record_id, member.fit),
                        )
                        for member in members[name]
                    ),
                    weight=faded(row["weight"], last, now, self._rules.half_life_days),
                    archived=row["archived"],
                    hidden=name in hidden,
                    pinned=name in pinned,
                    window=windows.get(name),
                    place=places.get(name, ""),
                    alone=name in alone,
                    worded=name in wording,
                )
            )
        return prototypes

    def _records(self, ids: Sequence[str]) -> dict[str, Record]:
        table = schema.records
        records = {}
        with self._store.reader() as connection:
            for portion in portions(ids):
                for row in connection.execute(select(table).where(table.c.id.in_(portion))).mappings():
                    records[row["id"]] = read_record(row)
        return records


def hierarchical_memory(store: Store, embeds: Embedder, settings: Settings) -> HierarchicalMemory:
    """The hierarchical memory of a store, with the rules and the threshold of the settings."""
    return HierarchicalMemory(
        store, embeds, rules_of(settings.prototypes), threshold=settings.prototypes.confidence
    )

"""The hierarchical memory: aggregates records, and answers with prototypes, preferences and routines.

`rank` finds which prototypes a (vague) command means, and how sure that is (PersonalAlign 5.2). Each
prototype gets a score: a weighted sum of what the command shares with it and of how likely it is now. The
confidences are the shares of all prototypes and of "none of them" (a conditional logit), so that two equally
good answers have half each and a command without any good answer leaves most to "none".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import lru_cache
from math import exp, log

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from assistant.embedding.embedder import Embedder
from assistant.memory import schema
from assistant.memory.database import portions
from assistant.memory.prototypes.clustering import Cluster, ClusteringRules
from assistant.memory.prototypes.model import (
    BOUNDARY,
    STABLE,
    UNKNOWN,
    Classification,
    Member,
    Preference,
    Prototype,
    Routine,
    faded,
    hour_density,
    hour_of,
    kind_of_record,
    read_window,
    routines,
    share,
    usual_slots,
)
from assistant.memory.prototypes.repository import (
    AggregationJob,
    AggregationResult,
    OverrideSet,
    PrototypeRepository,
    Tell,
    UserOverrides,
    decided,
)
from assistant.memory.prototypes.similarity import ConsistencyWeights, read
from assistant.memory.prototypes.terms import (
    VERBS,
    Signature,
    main_clause,
    plain_command,
    signature,
    signatures_oppose,
    without_opening,
    without_vague,
    word_set,
)
from assistant.memory.store import RevisionCache, Store, read_record
from assistant.memory.vectors import VectorCache
from assistant.records import Record
from assistant.settings.schema import PrototypeSettings, Settings

_SATURDAY = 5


@dataclass(frozen=True, slots=True)
class PreferenceQuery:
    """A command and its state. `vector` is that of its words without vague ones, None without words.

    It is `vague` where such words were taken from it.
    """

    words: frozenset[str]
    verbs: Signature
    vector: NDArray[np.float32] | None
    time: datetime
    scenario: str
    vague: bool = False


@dataclass(frozen=True, slots=True)
class PreferenceFeatures:
    """What speaks for a prototype: the command's likeness, then how likely it is at this time and place.

    Attributes:
        cosine: the largest cosine with the centre and the sample, 0..1.
        centre: the cosine with the centre, 0..1.
        cover: the share of the command's words that the prototype has, rare words counting more, 0..1; verbs
            with an opposite do not count, so that "order" alone covers nothing.
        weight: the logarithm of the faded evidence.
        fresh: the logarithm of the share of all its evidence that has not faded: what began lately is meant
            rather than what it took the place of.
        hour: the logarithm of how dense its records lie around this time of day.
        scenario: the logarithm of the share of its records in this scenario, over an even share.
        silence: the logarithm of how often it should have come since it came last, at its usual pace: what
            has stopped, or was replaced, is overdue.
        weekday: the logarithm of the share of its records on working days, or on weekends, as today is one,
            over an even share.
    """

    cosine: float
    centre: float
    cover: float
    weight: float
    fresh: float
    hour: float
    scenario: float
    silence: float
    weekday: float


@dataclass(frozen=True, slots=True)
class PreferenceWeights:
    """What each feature counts, and the score of "none of them".

    Found on lives of seeds 100 to 105: the logit in which their commands mean what they mean, and each of
    them once more, without its answer among the prototypes, means none. `none_unsaid` is that score for a
    command that says nothing but that something is meant ("the usual").
    """

    cosine: float = 10.5
    centre: float = 3.6
    cover: float = 1.0
    weight: float = 0.85
    fresh: float = 2.3
    hour: float = 0.86
    scenario: float = 0.16
    silence: float = -1.04
    weekday: float = 1.1
    none: float = 6.5
    none_unsaid: float = 0.0

    def score(self, features: PreferenceFeatures) -> float:
        """The weighted sum of the features."""
        pairs = (
            (getattr(self, feature.name), getattr(features, feature.name))
            for feature in fields(PreferenceFeatures)
        )
        return float(sum(scale * value for scale, value in pairs))


@dataclass(frozen=True, slots=True)
class RankedPreference:
    """A prototype as an answer, and the share of all answers that it has, 0..1."""

    cluster: Cluster
    confidence: float
    features: PreferenceFeatures


def query(
    command: str, vector: NDArray[np.float32] | None, time: datetime, scenario: str = "unknown"
) -> PreferenceQuery:
    """A command ready to be matched. `vector` is that of `plain_command(command)`, None where it is empty."""
    core = plain_command(command)
    words = word_set(core)
    vague = words != word_set(without_opening(command))
    return PreferenceQuery(words, signature(core), vector if core else None, time, scenario, vague)


def rank(
    query: PreferenceQuery,
    clusters: Sequence[Cluster],
    scales: PreferenceWeights,
    half_life_days: float,
    rarity: Mapping[str, float] | None = None,
) -> list[RankedPreference]:
    """All prototypes that the command may mean, surest first.

    Those with opposite verbs are left out, and those that are as vague as the command: they are what the user
    said before, not what was meant, and would take the share of what they stand for.
    """
    rare = word_rarity(clusters) if rarity is None else rarity
    candidates = [
        (cluster, features_of(query, cluster, rare, half_life_days))
        for cluster in clusters
        if not signatures_oppose(query.verbs, cluster.centre.verbs) and not _only_repeats(query, cluster)
    ]
    scores = [scales.score(features) for _, features in candidates]
    none = scales.none if query.words else scales.none_unsaid
    highest = max([*scores, none])
    shares = [exp(score - highest) for score in scores]
    total = sum(shares) + exp(none - highest)
    ranked = [
        RankedPreference(cluster, confidence / total, features)
        for (cluster, features), confidence in zip(candidates, shares, strict=True)
    ]
    return sorted(ranked, key=lambda preference: (-preference.confidence, preference.cluster.id))


def _only_repeats(query: PreferenceQuery, cluster: Cluster) -> bool:
    """Whether all that is sampled of a prototype is vague, too, and names nothing else than the command."""
    texts = [sampled.reading.text for sampled in cluster.sample] or [cluster.centre.text]
    return query.vague and all(_plain_words(text) <= query.words and _is_vague(text) for text in texts)


def _is_vague(text: str) -> bool:
    return _plain_words(text) != word_set(text)


@lru_cache(maxsize=65536)
def _plain_words(text: str) -> frozenset[str]:
    return word_set(without_vague(text))


def features_of(
    asked: PreferenceQuery, cluster: Cluster, rarity: Mapping[str, float], half_life_days: float
) -> PreferenceFeatures:
    """What speaks for a prototype."""
    readings = [sampled.reading for sampled in cluster.sample] or [cluster.centre]
    cosine = centre = 0.0
    if asked.vector is not None:
        centre = max(0.0, float(cluster.centre.vector @ asked.vector))
        cosine = max(centre, float(np.max(np.stack([reading.vector for reading in readings]) @ asked.vector)))
    words = frozenset().union(*(reading.words for reading in readings), word_set(cluster.centre.app))
    weight = faded(cluster.weight, cluster.last, asked.time, half_life_days)
    hours = hour_density([hour_of(reading.time) for reading in readings], hour_of(asked.time))
    even = share((), asked.scenario)
    pace = cluster.count / (1.0 + _days(cluster.first, cluster.last))
    return PreferenceFeatures(
        cosine=cosine,
        centre=centre,
        cover=_cover(asked.words, words, rarity),
        weight=log(weight + 0.05),
        fresh=log((weight + 0.05) / max(1, cluster.count)),
        hour=log(hours),
        scenario=log(share((reading.scenario for reading in readings), asked.scenario) / even),
        silence=log(1.0 + pace * _days(cluster.last, asked.time)),
        weekday=log(_weekday_share([reading.time for reading in readings], asked.time)),
    )


def _weekday_share(times: Sequence[datetime], now: datetime) -> float:
    """How much more often than evenly some times lie on such days as now, of working days and weekends."""
    weekend = now.weekday() >= _SATURDAY
    alike = sum((time.weekday() >= _SATURDAY) == weekend for time in times)
    even = 2 / 7 if weekend else 5 / 7
    return (alike + even) / (len(times) + 1.0) / even


def _days(since: datetime, until: datetime) -> float:
    return max(0.0, (until - since).total_seconds() / 86400)


def word_rarity(clusters: Iterable[Cluster]) -> dict[str, float]:
    """How rare words are among prototypes: the logarithm of all over those that have the word."""
    words_of_clusters = [
        frozenset().union(*(sampled.reading.words for sampled in cluster.sample)) for cluster in clusters
    ]
    counts = Counter(word for words in words_of_clusters for word in words)
    return {word: log(1.0 + len(words_of_clusters) / count) for word, count in counts.items()}


def _cover(query_words: frozenset[str], cluster_words: frozenset[str], rarity: Mapping[str, float]) -> float:
    """The share of the asked words that are there, by rarity; words that no prototype has do not count."""
    known_words = [word for word in query_words - VERBS if word in rarity or word in cluster_words]
    total = sum(rarity.get(word, 1.0) for word in known_words)
    return (
        sum(rarity.get(word, 1.0) for word in known_words if word in cluster_words) / total if total else 0.0
    )


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
        ranked = self._rank(command, user_id, now, scenario, _AT_LEAST)[:top]
        return self._preferences_of(user_id, [each for each in ranked if each.confidence >= self._threshold])

    def alike_or_likely(
        self, command: str, user_id: str, now: datetime, scenario: str = UNKNOWN, top: int = 20
    ) -> list[Preference]:
        """What a command may mean, however unsure: the likeliest and the most alike in words in turn.

        What was done only once is among them.

        Args:
            command: what the user said.
            user_id: who said it.
            now: when.
            scenario: where.
            top: the most answers wanted.
        """
        likely = self._rank(command, user_id, now, scenario, 1)
        alike = sorted(likely, key=lambda each: -each.features.cosine)
        in_turn = [each for pair in zip(likely, alike, strict=True) for each in pair]
        distinct = {each.cluster.id: each for each in in_turn}
        return self._preferences_of(user_id, list(distinct.values())[:top])

    def _rank(
        self, command: str, user_id: str, now: datetime, scenario: str, at_least: int
    ) -> list[RankedPreference]:
        """The prototypes with at least so many records that a command may mean, surest first."""
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
            if cluster.count >= at_least and cluster.id not in hidden
        ]
        asked = query(command, vector, now, scenario)
        return rank(asked, clusters, self._scales, self._rules.half_life_days)

    def _preferences_of(self, user_id: str, ranked: Sequence[RankedPreference]) -> list[Preference]:
        repository, overrides = self._ready(user_id)
        prototypes = {
            prototype.id: prototype
            for prototype in self._load_prototypes(
                repository, overrides, [candidate.cluster.id for candidate in ranked]
            )
        }
        return [
            Preference(
                prototype=prototypes[candidate.cluster.id],
                confidence=candidate.confidence,
                slots=usual_slots([sampled.reading for sampled in candidate.cluster.sample]),
            )
            for candidate in ranked
            if candidate.cluster.id in prototypes
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

"""The hierarchical memory: aggregates records into prototypes, and ranks prototypes for a vague command.

`rank` computes which prototypes a command may mean, and with what confidence (PersonalAlign 5.2). The score
of a prototype is a weighted sum of features: what it shares with the command, and how likely it is at this
time. The confidences are the softmax of the scores of all prototypes and of "none of them" (a conditional
logit): two equally good answers get half each, and without a good answer most goes to "none".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import lru_cache
from math import exp, log

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from assistant.embedding.embedder import Embedder
from assistant.embedding.heads import HabitMatcher
from assistant.memory import schema
from assistant.memory.database import portions
from assistant.memory.prototypes.clustering import Cluster, ClusteringRules
from assistant.memory.prototypes.matching import find_confidences
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
    read_overrides,
)
from assistant.memory.prototypes.similarity import ConsistencyWeights, extract_features
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
    """A command with its time and scenario.

    `vector` is that of the command without vague words ("usual"); None if nothing else is left. `vague`: the
    command has such words.
    """

    words: frozenset[str]
    verbs: Signature
    vector: NDArray[np.float32] | None
    time: datetime
    scenario: str
    vague: bool = False


@dataclass(frozen=True, slots=True)
class PreferenceFeatures:
    """The features of a prototype for a command: its similarity, and its likelihood at this time and place.

    Attributes:
        cosine: the largest cosine of the command with the centre and the sample, 0..1.
        centre: the cosine with the centre, 0..1.
        cover: the share of the command's words that the prototype has, weighted by rarity, 0..1. Verbs with
            an opposite do not count, so that "order" alone covers nothing.
        weight: log of the faded evidence.
        fresh: log of the share of its evidence that has not faded, so that a new habit wins over the one that
            it replaced.
        hour: log of the density of its records around this time of day.
        scenario: log of the share of its records in this scenario, relative to an even share.
        silence: log of how many times overdue it is at its usual pace; high for what was given up or
            replaced.
        weekday: log of the share of its records on days like today (working day or weekend), relative to an
            even share.
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
    """The weight of each feature, and the score of "none of them".

    Fitted as a conditional logit to the commands of the simulated lives of seeds 100 to 105; each command
    occurs twice, once with its true prototype, and once without it, where "none" is the answer. `none_unsaid`
    is the score of "none" for a command that consists of vague words only ("the usual").
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
    """A prototype that the command may mean, with its confidence, 0..1."""

    cluster: Cluster
    confidence: float
    features: PreferenceFeatures


def query(
    command: str, vector: NDArray[np.float32] | None, time: datetime, scenario: str = "unknown"
) -> PreferenceQuery:
    """The query for a command; `vector` is that of `plain_command(command)`, None if that is empty."""
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
    """All prototypes that the command may mean, highest confidence first.

    Prototypes with opposite verbs are left out. So are prototypes that only repeat the vague command: they
    are what the user said before, not what was meant, and would take confidence from what they stand for.
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
    """Whether all sampled records of a prototype are vague too, with no other words than the command."""
    texts = [sampled.record.text for sampled in cluster.sample] or [cluster.centre.text]
    return query.vague and all(_plain_words(text) <= query.words and _is_vague(text) for text in texts)


def _is_vague(text: str) -> bool:
    return _plain_words(text) != word_set(text)


@lru_cache(maxsize=65536)
def _plain_words(text: str) -> frozenset[str]:
    return word_set(without_vague(text))


def features_of(
    query: PreferenceQuery, cluster: Cluster, rarity: Mapping[str, float], half_life_days: float
) -> PreferenceFeatures:
    """The features of a prototype for a query."""
    records = [sampled.record for sampled in cluster.sample] or [cluster.centre]
    cosine = centre = 0.0
    if query.vector is not None:
        centre = max(0.0, float(cluster.centre.vector @ query.vector))
        cosine = max(centre, float(np.max(np.stack([record.vector for record in records]) @ query.vector)))
    words = frozenset().union(*(record.words for record in records), word_set(cluster.centre.app))
    weight = faded(cluster.weight, cluster.last, query.time, half_life_days)
    hours = hour_density([hour_of(record.time) for record in records], hour_of(query.time))
    even = share((), query.scenario)
    pace = cluster.count / (1.0 + _days(cluster.first, cluster.last))
    return PreferenceFeatures(
        cosine=cosine,
        centre=centre,
        cover=_cover(query.words, words, rarity),
        weight=log(weight + 0.05),
        fresh=log((weight + 0.05) / max(1, cluster.count)),
        hour=log(hours),
        scenario=log(share((record.scenario for record in records), query.scenario) / even),
        silence=log(1.0 + pace * _days(cluster.last, query.time)),
        weekday=log(_weekday_share([record.time for record in records], query.time)),
    )


def _weekday_share(times: Sequence[datetime], now: datetime) -> float:
    """The share of times on days like today (working day or weekend), relative to an even share."""
    weekend = now.weekday() >= _SATURDAY
    alike = sum((time.weekday() >= _SATURDAY) == weekend for time in times)
    even = 2 / 7 if weekend else 5 / 7
    return (alike + even) / (len(times) + 1.0) / even


def _days(since: datetime, until: datetime) -> float:
    return max(0.0, (until - since).total_seconds() / 86400)


def word_rarity(clusters: Iterable[Cluster]) -> dict[str, float]:
    """The rarity of words among prototypes (IDF): log of all prototypes over those that have the word."""
    words_of_clusters = [
        frozenset().union(*(sampled.record.words for sampled in cluster.sample)) for cluster in clusters
    ]
    counts = Counter(word for words in words_of_clusters for word in words)
    return {word: log(1.0 + len(words_of_clusters) / count) for word, count in counts.items()}


def _cover(query_words: frozenset[str], cluster_words: frozenset[str], rarity: Mapping[str, float]) -> float:
    """The share of the query's words that a cluster has, by rarity; words of no prototype do not count."""
    known_words = [word for word in query_words - VERBS if word in rarity or word in cluster_words]
    total = sum(rarity.get(word, 1.0) for word in known_words)
    return (
        sum(rarity.get(word, 1.0) for word in known_words if word in cluster_words) / total if total else 0.0
    )


_COMMANDS = 32
"""Number of commands whose vectors are kept: understanding one asks several times."""
_NEAREST, _HEAVIEST = 48, 48
"""How many prototypes a command is compared with: the nearest, and those with most evidence."""
_COMPARED = 4
"""Number of instructions of a prototype that are compared with those of another one."""
_AT_LEAST = 2
"""Minimum number of records of a prototype for a preference."""


def _instructions_of(cluster: Cluster) -> list[str]:
    return [sampled.record.text for sampled in cluster.sample] or [cluster.centre.text]


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

    Prototypes are derived from records at any time, and again when the rules or the model have changed.

    Args:
        store: the database with records and prototypes.
        embeds: the sentence embedder.
        rules: how records become prototypes; see `rules_of`.
        scales: the weights with which a command is matched.
        threshold: minimum confidence of a preference, 0..1.
        boundary: the Φ above which a prototype is a routine.
        matcher: judges how well prototypes fit a whole command; None to compare words and vectors alone.
    """

    def __init__(
        self,
        store: Store,
        embeds: Embedder,
        rules: ClusteringRules | None = None,
        scales: PreferenceWeights | None = None,
        threshold: float = 0.2,
        boundary: float = BOUNDARY,
        matcher: HabitMatcher | None = None,
    ) -> None:
        self._store = store
        self._embeds = embeds
        self._embed_command = lru_cache(_COMMANDS)(lambda command: embeds.embed([command])[0])
        self._vectors = VectorCache(store, embeds)
        self._rules = rules or ClusteringRules()
        self._scales = scales or PreferenceWeights()
        self._threshold = threshold
        self._boundary = boundary
        self._matcher = matcher
        self._aggregator = AggregationJob(store, self._vectors, self._rules)
        self._current = RevisionCache(
            store, self._brought_up, (*schema.PROTOTYPE_TABLES, schema.learning_switches)
        )

    def aggregate(
        self, until: datetime | None = None, tell: Tell | None = None, user_id: str | None = None
    ) -> AggregationResult:
        """Place the records that are in no prototype yet, of one user or of all.

        After a kill, the next run continues. A second run without new records changes nothing.

        Args:
            until: the time of the newest record to place; None for all records.
            tell: called with the progress.
            user_id: the user; None for all users.

        Raises:
            StoreError: the store cannot be written.
        """
        total = AggregationResult()
        for user in [user_id] if user_id is not None else self._users():
            repository, overrides = self._open_repository(user)
            total += self._aggregator.run(repository, overrides, until, tell)
        return total

    def decisions(self, user_id: str) -> UserOverrides:
        """Writes the user's decisions about prototypes; they apply from the next call on."""
        return UserOverrides(self._store, user_id)

    def bring_up(self, user_id: str) -> None:
        """Aggregate if the records, the user's decisions, the rules or the model have changed.

        Raises:
            EmbeddingError: new records cannot be embedded.
            StoreError: the store cannot be written.
        """
        self._ready(user_id)

    def prototypes(self, user_id: str, at_least: int = 1) -> list[Prototype]:
        """All prototypes of a user with at least `at_least` records, oldest first, archived ones too."""
        repository, overrides = self._ready(user_id)
        return self._load_prototypes(repository, overrides, None, at_least)

    def preferences(
        self, command: str, user_id: str, now: datetime, scenario: str = UNKNOWN, top: int = 3
    ) -> list[Preference]:
        """The prototypes that a command most probably means, highest confidence first.

        Empty if none reaches the threshold. Prototypes of one record are left out.

        Args:
            command: what the user said.
            user_id: the user.
            now: the local time.
            scenario: the user's situation.
            top: maximum number of results.
        """
        ranked = self._rank(command, user_id, now, scenario, _AT_LEAST)[:top]
        return self._preferences_of(user_id, [each for each in ranked if each.confidence >= self._threshold])

    def habits(
        self, command: str, user_id: str, now: datetime, scenario: str = UNKNOWN, top: int = 3
    ) -> list[Preference]:
        """The prototypes that a whole command most probably means, highest confidence first.

        As `preferences`, but a matcher, if there is one, judges how well they fit the command.
        """
        ranked = self._rank(command, user_id, now, scenario, _AT_LEAST)
        if self._matcher is not None:
            clusters = [candidate.cluster for candidate in ranked]
            matches = self._matcher.match(command, [_instructions_of(cluster) for cluster in clusters])
            half_life = self._rules.half_life_days
            confidences = find_confidences(clusters, matches, now, scenario, half_life)
            pairs = zip(ranked, confidences, strict=True)
            ranked = [replace(candidate, confidence=confidence) for candidate, confidence in pairs]
            ranked.sort(key=lambda candidate: -candidate.confidence)
        likely = [candidate for candidate in ranked[:top] if candidate.confidence >= self._threshold]
        return self._preferences_of(user_id, likely)

    def likeness(self, left: Sequence[str], right: Sequence[str]) -> float:
        """The mean cosine of two prototypes' instructions as the matcher judges; 0 without a matcher."""
        if self._matcher is None or not left:
            return 0.0
        fits = [self._matcher.match(text, [right]).fits[0] for text in left[:_COMPARED]]
        return sum(fits) / len(fits)

    def alike_or_likely(
        self, command: str, user_id: str, now: datetime, scenario: str = UNKNOWN, top: int = 20
    ) -> list[Preference]:
        """The prototypes that a command may mean, at any confidence: the likeliest and most similar in turn.

        Prototypes of one record are included.

        Args:
            command: what the user said.
            user_id: the user.
            now: the local time.
            scenario: the user's situation.
            top: maximum number of results.
        """
        likely = self._rank(command, user_id, now, scenario, 1)
        alike = sorted(likely, key=lambda each: -each.features.cosine)
        in_turn = [each for pair in zip(likely, alike, strict=True) for each in pair]
        distinct = {each.cluster.id: each for each in in_turn}
        return self._preferences_of(user_id, list(distinct.values())[:top])

    def _rank(
        self, command: str, user_id: str, now: datetime, scenario: str, at_least: int
    ) -> list[RankedPreference]:
        """The prototypes with at least `at_least` records that a command may mean, best first."""
        repository, overrides = self._ready(user_id)
        stream = self._aggregator.stream(repository, overrides)
        core = plain_command(command)
        vector = self._embed_command(core) if core else None
        names = dict.fromkeys(stream.nearest(vector, _NEAREST) if vector is not None else [])
        names |= dict.fromkeys(repository.heaviest(_HEAVIEST))
        hidden = set(repository.homes(overrides.hidden).values())
        clusters = [
            cluster
            for cluster in stream.fetched(names)
            if cluster.count >= at_least and cluster.id not in hidden
        ]
        ranked_for = query(command, vector, now, scenario)
        return rank(ranked_for, clusters, self._scales, self._rules.half_life_days)

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
                slots=usual_slots([sampled.record for sampled in candidate.cluster.sample]),
            )
            for candidate in ranked
            if candidate.cluster.id in prototypes
        ]

    def find_prototype(self, record: Record) -> str:
        """The id of the prototype that a record would join; empty for none. Changes nothing.

        Raises:
            EmbeddingError: the record cannot be embedded.
        """
        repository, overrides = self._ready(record.user_id)
        stream = self._aggregator.stream(repository, overrides)
        vector = self._embeds.embed([main_clause(record.instruction)])[0]
        matched = stream.match(extract_features(record, vector))
        return matched[0].id if matched is not None else ""

    def routines(self, user_id: str) -> list[Routine]:
        """The routines by the paper's rule (Φ above the boundary), highest Φ first."""
        return routines(self.prototypes(user_id, at_least=STABLE), self._boundary)

    def kind_of(self, record_id: str) -> Classification | None:
        """Whether a record is a moment, a preference or a routine, and why; None without such a record."""
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
            overrides = read_overrides(connection, user_id)
        return PrototypeRepository(self._store, self._vectors, user_id, self._rules), overrides

    def _ready(self, user_id: str) -> tuple[PrototypeRepository, OverrideSet]:
        """The user's prototypes, updated first if necessary."""
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
        """Load prototypes and apply the user's decisions: names, windows, places, hidden, pinned, alone."""
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

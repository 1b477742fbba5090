"""The hierarchical memory: aggregates records into prototypes, and finds those that a command may mean.

`learn_from_records` learns from many records at once, as after an import.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import lru_cache
from itertools import islice
from typing import Any

from sqlalchemy import select

from assistant.embedding.embedder import CachedEmbedder, Embedder
from assistant.embedding.models import HabitMatcher, Matches
from assistant.memory import schema
from assistant.memory.database import portions
from assistant.memory.profile.edits import Naming
from assistant.memory.profile.service import Profile
from assistant.memory.prototypes.clustering import Cluster, ClusteringRules, group_wordings
from assistant.memory.prototypes.model import (
    UNKNOWN,
    Classification,
    Member,
    Preference,
    Prototype,
    faded,
    kind_of_record,
    read_window,
    usual_slots,
)
from assistant.memory.prototypes.preferences import (
    PreferenceWeights,
    RankedPreference,
    find_confidences,
    query,
    rank,
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
    main_clause,
    plain_command,
)
from assistant.memory.store import RevisionCache, Store, ignored_records, read_record
from assistant.memory.vectors import VectorCache
from assistant.records import Record
from assistant.settings.schema import PrototypeSettings, Settings

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


def _said_of(cluster: Cluster) -> Sequence[str]:
    """What was said for the records of a prototype, where that was not the instruction."""
    return tuple(dict.fromkeys(sampled.record.said for sampled in cluster.sample if sampled.record.said))


def rules_of(settings: PrototypeSettings) -> ClusteringRules:
    """How records become prototypes, as the settings say."""
    return ClusteringRules(
        theta=settings.theta,
        weights=ConsistencyWeights(settings.cosine, settings.words, settings.actions, settings.arguments),
        half_life_days=settings.half_life_days,
        archive_below=settings.archive_below,
    )


@dataclass(frozen=True, slots=True)
class _CurrentState:
    """A user's prototypes at a revision; `loaded` has those that were asked for, by id and day."""

    repository: PrototypeRepository
    overrides: OverrideSet
    loaded: dict[tuple[str, date], Prototype] = field(default_factory=dict)


class HierarchicalMemory:
    """Prototypes, preferences and routines of the users of one store.

    Prototypes are derived from records at any time, and again when the rules or the model have changed.

    Args:
        store: the database with records and prototypes.
        embeds: the sentence embedder.
        rules: how records become prototypes; see `rules_of`.
        scales: the weights with which a command is matched.
        threshold: minimum confidence of a preference, 0..1.
        matcher: judges how well prototypes fit a whole command; None to compare words and vectors alone.
    """

    def __init__(
        self,
        store: Store,
        embeds: Embedder,
        rules: ClusteringRules | None = None,
        scales: PreferenceWeights | None = None,
        threshold: float = 0.2,
        matcher: HabitMatcher | None = None,
    ) -> None:
        self._store = store
        self._embeds = embeds
        self._embed_command = lru_cache(_COMMANDS)(lambda command: embeds.embed([command])[0])
        self._vectors = VectorCache(store, embeds)
        self._rules = rules or ClusteringRules()
        self._scales = scales or PreferenceWeights()
        self._threshold = threshold
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

    def wordings(self, prototypes: Iterable[Prototype]) -> list[tuple[str, ...]]:
        """Which of some prototypes are one habit in other words, see `group_wordings`.

        What was done tells more than what was said: those with actions are left out, as are those that the
        user has decided something about, which holds for one prototype only.

        Raises:
            EmbeddingError: an instruction cannot be embedded.
            StoreError: the store cannot be written.
        """
        alike = [each for each in prototypes if not each.actions and not each.is_customized]
        texts = {each.centre_id: main_clause(each.instruction) for each in alike}
        return group_wordings(alike, self._vectors.vectors("record", texts)) if len(texts) > 1 else []

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
        current = self._current.get(user_id)
        ranked = self._rank(command, current, now, scenario, _AT_LEAST)[:top]
        return self._preferences_of(current, [each for each in ranked if each.confidence >= self._threshold])

    def habits(
        self, command: str, user_id: str, now: datetime, scenario: str = UNKNOWN, top: int = 3
    ) -> list[Preference]:
        """The prototypes that a whole command most probably means, highest confidence first.

        As `preferences`, but a matcher, if there is one, judges how well they fit the command.
        """
        current = self._current.get(user_id)
        ranked = self._rank(command, current, now, scenario, _AT_LEAST)
        if self._matcher is not None:
            clusters = [candidate.cluster for candidate in ranked]
            matches = self._fits(command, clusters)
            half_life = self._rules.half_life_days
            confidences = find_confidences(clusters, matches, now, scenario, half_life)
            pairs = zip(ranked, confidences, strict=True)
            ranked = [replace(candidate, confidence=confidence) for candidate, confidence in pairs]
            ranked.sort(key=lambda candidate: -candidate.confidence)
        likely = [candidate for candidate in ranked[:top] if candidate.confidence >= self._threshold]
        return self._preferences_of(current, likely)

    def _fits(self, command: str, clusters: Sequence[Cluster]) -> Matches:
        """How well the instructions of prototypes fit a command, or what was said for them before."""
        if self._matcher is None:
            return Matches((0.0,) * len(clusters), 0.0)
        matches = self._matcher.match(command, [_instructions_of(cluster) for cluster in clusters])
        spoken = [list(_said_of(cluster)) for cluster in clusters]
        each = iter(self._matcher.match(command, [[said] for texts in spoken for said in texts]).fits)
        best = (max(islice(each, len(texts)), default=-1.0) for texts in spoken)
        return replace(matches, fits=tuple(map(max, matches.fits, best)))

    def likeness(self, left: Sequence[str], right: Sequence[str]) -> float:
        """The mean cosine of two prototypes' instructions as the matcher judges; 0 without a matcher."""
        if self._matcher is None or not left:
            return 0.0
        fits = [self._matcher.match(text, [right]).fits[0] for text in left[:_COMPARED]]
        return sum(fits) / len(fits)

    def alike_or_likely(
        self, command: str, user_id: str, now: datetime, scenario: str = UNKNOWN, top: int = 20
    ) -> list[Preference]:
        """The prototypes that a command may mean, at any confidence: the likeliest and best fitting in turn.

        Prototypes of one record are included, and last archived ones, because a pause of months makes none
        unlikely, and those with opposite verbs: what a command denies may only be why it is said.

        Args:
            command: what the user said.
            user_id: the user.
            now: the local time.
            scenario: the user's situation.
            top: maximum number of results.
        """
        current = self._current.get(user_id)
        likely = self._rank(command, current, now, scenario, 1)
        agreeing = {each.cluster.id for each in likely}
        every = self._rank(command, current, now, scenario, 1, with_all=True)
        likely += [each for each in every if each.cluster.id not in agreeing]
        fits = self._fits(command, [each.cluster for each in likely]).fits
        fitting = [each for _fit, each in sorted(zip(fits, likely, strict=True), key=lambda pair: -pair[0])]
        alike = sorted(likely, key=lambda each: -each.features.cosine)
        in_turn = [each for group in zip(likely, fitting, alike, strict=True) for each in group]
        distinct = {each.cluster.id: each for each in in_turn}
        return self._preferences_of(current, list(distinct.values())[:top])

    def _rank(
        self,
        command: str,
        current: _CurrentState,
        now: datetime,
        scenario: str,
        at_least: int,
        *,
        with_all: bool = False,
    ) -> list[RankedPreference]:
        """The prototypes with at least `at_least` records that a command may mean, best first.

        Without those with opposite verbs, and those of the archive that are not alike; `with_all` with them.
        """
        repository, overrides = current.repository, current.overrides
        stream = self._aggregator.stream(repository, overrides)
        core = plain_command(command)
        vector = self._embed_command(core) if core else None
        names = dict.fromkeys(stream.nearest(vector, _NEAREST) if vector is not None else [])
        names |= dict.fromkeys(repository.heaviest(_HEAVIEST, with_archived=with_all))
        hidden = set(repository.homes(overrides.hidden - overrides.unsuggested).values())
        clusters = [
            cluster
            for cluster in stream.fetched(names)
            if cluster.count >= at_least and cluster.id not in hidden
        ]
        ranked_for = query(command, vector, now, scenario)
        if with_all:
            ranked_for = replace(ranked_for, verbs=frozenset())
        return rank(ranked_for, clusters, self._scales, self._rules.half_life_days)

    def _preferences_of(self, current: _CurrentState, ranked: Sequence[RankedPreference]) -> list[Preference]:
        today, loaded = self._store.now().date(), current.loaded
        ids = [candidate.cluster.id for candidate in ranked]
        if missing := [each for each in ids if (each, today) not in loaded]:
            made = self._load_prototypes(current.repository, current.overrides, missing)
            loaded.update({(prototype.id, today): prototype for prototype in made})
        return [
            Preference(
                prototype=loaded[candidate.cluster.id, today],
                confidence=candidate.confidence,
                slots=usual_slots([sampled.record for sampled in candidate.cluster.sample]),
            )
            for candidate in ranked
            if (candidate.cluster.id, today) in loaded
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

    def kind_of(self, record_id: str) -> Classification | None:
        """Whether a record is a moment, a preference or a routine, and why; None without such a record."""
        record = self._store.records.get(record_id)
        if record is None:
            return None
        repository, overrides = self._ready(record.user_id)
        home = repository.homes([record_id]).get(record_id)
        prototypes = self._load_prototypes(repository, overrides, [home]) if home else []
        return kind_of_record(record_id, prototypes[0] if prototypes else None, record.outcome)

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
        current = self._current.get(user_id)
        return current.repository, current.overrides

    def _brought_up(self, user_id: str) -> _CurrentState:
        repository, overrides = self._open_repository(user_id)
        if not self._aggregator.is_current(repository, overrides):
            self._aggregator.run(repository, overrides, None, None)
        return _CurrentState(repository, overrides)

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
        windows, places, wording = (
            {marked[record]: value for record, value in values.items() if record in marked}
            for values in (overrides.windows, overrides.places, overrides.names)
        )
        hidden, unsuggested, pinned, alone = (
            {marked[record] for record in records if record in marked}
            for records in (overrides.hidden, overrides.unsuggested, overrides.pinned, overrides.alone)
        )
        now = self._store.now()
        prototypes = []
        for row in rows:
            centre, name = centres.get(row["centre"]), row["id"]
            if centre is None:
                continue
            last = datetime.fromisoformat(row["last"])
            prototypes.append(
                Prototype(
                    id=name,
                    user_id=repository.user_id,
                    centre_id=centre.id,
                    instruction=wording.get(name, centre.instruction),
                    actions=centre.actions,
                    app=centre.app,
                    package=centre.package,
                    members=_as_members(members[name], dict(row["sample"])),
                    weight=faded(row["weight"], last, now, self._rules.half_life_days),
                    archived=row["archived"],
                    hidden=name in hidden,
                    unsuggested=name in unsuggested,
                    pinned=name in pinned,
                    window=read_window(windows[name]) if name in windows else None,
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


def _as_members(rows: Sequence[Any], fits: Mapping[str, float]) -> tuple[Member, ...]:
    """The records of a prototype, oldest first; how well one fits is `fits`, where that was measured."""
    return tuple(
        Member(
            row.record_id,
            datetime.fromisoformat(row.time),
            row.scenario,
            fits.get(row.record_id, row.fit),
        )
        for row in rows
    )


def hierarchical_memory(
    store: Store, embeds: Embedder, settings: Settings, matcher: HabitMatcher | None = None
) -> HierarchicalMemory:
    """The hierarchical memory of a store, with the rules and the threshold of the settings."""
    return HierarchicalMemory(
        store,
        embeds,
        rules_of(settings.prototypes),
        threshold=settings.prototypes.confidence,
        matcher=matcher,
    )


_PORTION = 500


def learn_from_records(
    store: Store,
    embeds: Embedder,
    settings: Settings,
    users: Iterable[str],
    tell: Callable[[str, int, int], None] = lambda what, done, total: None,
    naming: Naming | None = None,
) -> None:
    """Learn from the records of some users, and part what is crowded then.

    What was learnt before is not learnt again.

    Args:
        store: the records, and where the memory of them is kept.
        embeds: the sentence embedder.
        settings: how prototypes are made.
        users: whose records.
        tell: hears what is done, how many records of how many.
        naming: names the parts of crowded concepts; by default they are named by their own words.

    Raises:
        EmbeddingError: the embedder cannot be loaded or run.
        StoreError: the store cannot be written.
    """
    remembering = CachedEmbedder(embeds)
    memory = hierarchical_memory(store, remembering, settings)
    for user in users:
        profile = Profile(store, remembering, user)
        with store.reader() as connection:
            ignored = ignored_records(connection, user)
        records = [record for record in store.records.of(user) if record.id not in ignored]
        for start in range(0, len(records), _PORTION):
            profile.learn_all(records[start : start + _PORTION])
            tell("learning", min(start + _PORTION, len(records)), len(records))
        profile.split_crowded(naming)
        memory.aggregate(tell=lambda progress: tell("grouping", progress.done, progress.total), user_id=user)

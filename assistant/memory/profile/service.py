"""The door to a person's profile: what to know for a task, what a word of theirs means, learning, editing.

A profile that is opened once, by whoever needs it first, and shared from then on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from assistant.embedding.embedder import Embedder
from assistant.memory.audit import ChangeHeader, ChangeKind, changing
from assistant.memory.derived import erase_vectors
from assistant.memory.profile import repository, retrieval
from assistant.memory.profile.edits import GraphDraft, Operation, draft_operations
from assistant.memory.profile.extract import Supersession, draft_findings, findings, place_concept
from assistant.memory.profile.graph import Beliefs, DisGraph, Evidence, Node, NodeKind, Strength, Value
from assistant.memory.profile.repository import StalenessCheck
from assistant.memory.profile.retrieval import (
    STARTS,
    EntityFacts,
    LearnResult,
    MatchMethod,
    NodeVectors,
    ProfileFact,
    ProfileMatch,
    Retrieved,
    ValueConflict,
    retrieve,
)
from assistant.memory.profile.split import Naming, crowded, draft_split
from assistant.memory.store import Store
from assistant.records import Record

__all__ = ["LearnResult", "MatchMethod", "Profile", "ProfileMatch", "ValueConflict"]

_RANKED = 256
_NEAR = 8


class Profile:
    """The profile graph of one person, resident. May be used from several threads.

    Every change is one line of the audit and can be undone, except forgetting. What other programs change,
    and what is undone, is noticed at the next call.

    Args:
        store: where it is kept.
        embeds: embeds tasks and nodes.
        user_id: whose profile it is.
    """

    def __init__(self, store: Store, embeds: Embedder, user_id: str) -> None:
        self.user_id = user_id
        self._store = store
        self._embeds = embeds
        self._lock = threading.RLock()
        self._watch = StalenessCheck(store)
        self._domains = retrieval.DomainIndex(embeds)
        self._load()

    @property
    def graph(self) -> DisGraph:
        """The graph as it is now; to be read only."""
        with self._lock:
            self._catch_up()
            return self._graph

    @contextmanager
    def reading(self) -> Iterator[DisGraph]:
        """The graph as it is now, which nobody changes meanwhile."""
        with self._lock:
            self._catch_up()
            yield self._graph

    def facts_for(self, task: str, token_budget: int = 2000, starts: int = STARTS) -> Retrieved:
        """What is worth knowing for a task, within a budget of tokens. Needs no model but the embedder.

        Raises:
            EmbeddingError: the embedder cannot be run.
        """
        with self._lock:
            self._catch_up()
            self._vectors.refresh()
            nearest, _ = self._vectors.nearest(self._embeds.embed([task])[0], _RANKED)
            return retrieve(self._facts, nearest, token_budget, starts)

    def facts(self) -> list[ProfileFact]:
        """Everything that holds, entity by entity."""
        with self._lock:
            self._catch_up()
            entities = (node for node in self._graph.nodes() if node.kind is NodeKind.ENTITY)
            return [fact for node in entities if not node.hidden for fact in self._facts.of(node)]

    def find(self, words: str) -> ProfileMatch | None:
        """What a word of the user's stands for: "mom", "我家", "my usual drink", "mom's phone number".

        Raises:
            EmbeddingError: the embedder cannot be run.
        """
        with self._lock:
            self._catch_up()
            if (found := retrieval.said(self._facts, words)) is not None:
                return found
            return retrieval.alike(self._facts, words, lambda: self.nearest(words, _NEAR))

    def learn(self, record: Record) -> LearnResult:
        """Learn from one interaction what the user's own words tell. Learning twice changes nothing.

        Raises:
            StoreError: the store cannot be written.
        """
        return self.learn_all([record])

    def learn_all(self, records: Iterable[Record]) -> LearnResult:
        """Learn from several interactions of this person in one change."""
        with self._lock:
            self._catch_up()
            draft = GraphDraft(self._graph, self.user_id)
            count = 0
            superseded: list[Supersession] = []
            for record in records:
                found = findings(record, self._domains.nearest) if record.user_id == self.user_id else []
                superseded += draft_findings(draft, found, record.id, record.time)
                count += len(found)
            change_id = self._keep(draft, "learn from what was asked", "a record tells it")
            self._vectors.refresh()
            return LearnResult(count, tuple(superseded), change_id)

    def apply(
        self, operations: Sequence[Operation], why: str, evidence: Evidence | None = None
    ) -> int | None:
        """Make operations, all or none. Returns the change that can be undone.

        Raises:
            Refused: one does not fit; the reason says why, and nothing is changed.
        """
        with self._lock:
            self._catch_up()
            draft = GraphDraft(self._graph, self.user_id)
            draft_operations(draft, operations, evidence or self._by_user())
            return self._keep(draft, "change the profile", why)

    def remember(self, words: str, text: str, evidence: Evidence, key: str = "is") -> int | None:
        """Keep what a word of the user's stands for where that word is looked up: so it settles a conflict.

        A word that is new becomes an entity with that `key`.
        """
        with self._lock:
            self._catch_up()
            draft = GraphDraft(self._graph, self.user_id)
            known = retrieval.place_of(self._facts, words)
            if known is None:
                node = draft.add_node(NodeKind.ENTITY, words)
                draft.link(node, place_concept(draft, self._domains.nearest(words)))
                known = node, key
            draft.believe(*known, text, evidence, sense=retrieval.sense_in(self._graph, *known, text))
            return self._keep(draft, "remember what a word means", "it was told or confirmed")

    def edit(self, value_id: str, text: str) -> int | None:
        """Replace a value by the user's own; the old one stays in the history.

        Raises:
            KeyError: there is no such value.
        """
        with self._lock:
            value = self._value(value_id)
            draft = GraphDraft(self._graph, self.user_id)
            node = draft.node(value.node_id)
            if node is not None:
                draft.believe(node, value.key, text, self._by_user(), single=value.single)
            if not value.single:
                draft.delete_value(value)
            return self._keep(draft, "edit a value of the profile", "asked by the user")

    def decide(self, value_id: str) -> int | None:
        """Settle a conflict, or confirm a value: from now on it holds by the user's own word.

        Raises:
            KeyError: there is no such value.
        """
        with self._lock:
            value = self._value(value_id)
            draft = GraphDraft(self._graph, self.user_id)
            node = self._graph.node(value.node_id)
            if node is not None:
                draft.believe(
                    node, value.key, value.text, self._by_user(), single=value.single, sense=value.sense
                )
            return self._keep(draft, "settle what holds in the profile", "asked by the user")

    def tend(self, edit: Callable[[GraphDraft, Evidence], None], what: str) -> int | None:
        """Make what a draft of the user's changes, all or nothing; see `tending`.

        Args:
            edit: fills the draft, with the user's own word as evidence.
            what: what is changed, for the audit.

        Raises:
            GraphError: the graph does not allow it.
        """
        with self._lock:
            self._catch_up()
            draft = GraphDraft(self._graph, self.user_id)
            edit(draft, self._by_user())
            return self._keep(draft, what, "asked by the user")

    def part(self, node_id: str) -> int | None:
        """Part one concept into sub-concepts; None where it has too few entities, or nothing parts them.

        Raises:
            KeyError: there is no such node.
        """
        with self._lock:
            self._catch_up()
            self._vectors.refresh()
            if (concept := self._graph.node(node_id)) is None:
                raise KeyError(node_id)
            draft = GraphDraft(self._graph, self.user_id)
            parted = draft_split(draft, self._facts, concept, self._vectors.vectors)
            return self._keep(draft, "part a concept", "asked by the user") if parted else None

    def nearest(self, words: str, most: int) -> list[tuple[Node, float]]:
        """The nodes nearest in meaning to some words, with their cosines, nearest first.

        Raises:
            EmbeddingError: the embedder cannot be run.
        """
        with self._lock:
            self._catch_up()
            self._vectors.refresh()
            ids, cosines = self._vectors.nearest(self._embeds.embed([words])[0], most)
            found = (
                (self._graph.node(one), cosine) for one, cosine in zip(ids, cosines.tolist(), strict=True)
            )
            return [(node, cosine) for node, cosine in found if node is not None]

    def prepare(self, most: int) -> bool:
        """Make some of the vectors that `nearest` needs; whether all are there. Others go on between calls.

        Raises:
            EmbeddingError: the embedder cannot be run.
        """
        with self._lock:
            self._catch_up()
            return self._vectors.refresh(most)

    def pin(self, node_id: str, pinned: bool = True) -> int | None:
        """Let a node be told before others of its concept, and never go by itself.

        Raises:
            KeyError: there is no such node.
        """
        return self._mark(node_id, lambda node: replace(node, pinned=pinned), "pin a node")

    def hide(self, node_id: str, hidden: bool = True) -> int | None:
        """Keep a node from being suggested, found or learnt.

        Raises:
            KeyError: there is no such node.
        """
        return self._mark(node_id, lambda node: replace(node, hidden=hidden), "hide a node")

    def hide_value(self, value_id: str, hidden: bool = True) -> int | None:
        """Keep a value from being told; it is not learnt anew.

        Raises:
            KeyError: there is no such value.
        """
        with self._lock:
            value = self._value(value_id)
            draft = GraphDraft(self._graph, self.user_id)
            draft.change_value(replace(value, hidden=hidden))
            return self._keep(draft, "hide a value of the profile", "asked by the user")

    def forget(self, thing_id: str) -> None:
        """Delete a node or a value for good, with its vectors and what the audit keeps of it.

        Raises:
            KeyError: there is neither node nor value of that id.
        """
        with self._lock:
            self._catch_up()
            draft = GraphDraft(self._graph, self.user_id)
            if (node := self._graph.node(thing_id)) is not None:
                draft.delete_node(node)
            else:
                draft.delete_value(self._value(thing_id))
            heading = ChangeHeader("forget a part of the profile", "asked by the user", ChangeKind.FORGET)
            with changing(self._store.database, heading, self._store.now) as change:
                repository.erase(change, draft)
                erase_vectors(change, draft.touched())
            self._watch.own(change.id)
            self._store.database.scrub()
            self._made(draft)

    def conflicts(self) -> list[ValueConflict]:
        """What only the user can decide."""
        with self._lock:
            self._catch_up()
            return retrieval.conflicts_in(self._graph)

    def history(self, node_id: str) -> dict[str, Beliefs]:
        """The keys of an entity with all their values: what holds, what held, what is rare."""
        with self._lock:
            self._catch_up()
            node = self._graph.node(node_id)
            return retrieval.standings_of(self._graph, node) if node is not None else {}

    def split(self, naming: Naming | None = None) -> list[str]:
        """Part crowded concepts into sub-concepts. Returns the names of those that were parted."""
        with self._lock:
            self._catch_up()
            self._vectors.refresh()
            names = []
            for concept in crowded(self._graph):
                draft = GraphDraft(self._graph, self.user_id)
                if draft_split(draft, self._facts, concept, self._vectors.vectors, naming):
                    self._keep(draft, "part a crowded concept", "too many entities hang on it")
                    names.append(concept.name)
            return names

    def _load(self) -> None:
        with self._store.reader() as connection:
            self._watch.seen(connection)
            self._graph = repository.load(connection, self.user_id)
        self._facts = EntityFacts(self._graph)
        self._vectors = NodeVectors(self._store, self._embeds, self._facts)

    def _catch_up(self) -> None:
        if self._watch.is_behind():
            self._load()

    def _keep(self, draft: GraphDraft, what: str, why: str) -> int | None:
        if not draft:
            return None
        with self._store.change(what, why) as change:
            repository.write(change, draft, self.user_id)
        self._watch.own(change.id)
        self._made(draft)
        return change.id

    def _made(self, draft: GraphDraft) -> None:
        touched = draft.touched()
        draft.apply()
        self._facts.touch(touched)
        self._vectors.touch(touched)

    def _mark(self, node_id: str, mark: Callable[[Node], Node], what: str) -> int | None:
        with self._lock:
            self._catch_up()
            node = self._graph.node(node_id)
            if node is None:
                raise KeyError(node_id)
            draft = GraphDraft(self._graph, self.user_id)
            draft.change_node(mark(node))
            return self._keep(draft, what, "asked by the user")

    def _value(self, value_id: str) -> Value:
        self._catch_up()
        value = self._graph.find_value(value_id)
        if value is None:
            raise KeyError(value_id)
        return value

    def _by_user(self) -> Evidence:
        return Evidence("", self._store.now(), Strength.USER)


class LazyProfile:
    """Called, it gives the profile; the first time takes long for a big one, so that is done in a thread.

    Args:
        store: where it is kept.
        embeds: gives what embeds tasks and nodes.
        user_id: whose profile it is.
    """

    def __init__(self, store: Store, embeds: Callable[[], Embedder], user_id: str) -> None:
        self._store = store
        self._embeds = embeds
        self._user_id = user_id
        self._opening = threading.Lock()
        self._profile: Profile | None = None

    @property
    def there(self) -> bool:
        """Whether it is open."""
        return self._profile is not None

    def __call__(self) -> Profile:
        """The profile."""
        with self._opening:
            if self._profile is None:
                self._profile = Profile(self._store, self._embeds(), self._user_id)
            return self._profile

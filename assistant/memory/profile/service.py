"""The profile of a user: retrieval for a task, the meaning of a word, learning from records, and edits.

`Profile` keeps the graph in memory and writes each change to the database; `LazyProfile` opens it on first
use. The functions at the end load the graph from the tables and write drafts to them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from assistant.embedding.embedder import Embedder
from assistant.memory import schema
from assistant.memory.audit import Change, ChangeHeader, ChangeKind, changing
from assistant.memory.forgetting import (
    erase_former_values,
    erase_quotes,
    erase_vectors,
    find_former_values,
    free_pages,
    redact_concepts,
)
from assistant.memory.profile import retrieval
from assistant.memory.profile.edits import (
    GraphDraft,
    Naming,
    Operation,
    draft_operations,
    draft_split,
    find_crowded,
)
from assistant.memory.profile.extract import (
    ExtractedFact,
    add_domain_concept,
    draft_facts,
    extract_facts,
    merge_facts,
)
from assistant.memory.profile.graph import (
    Beliefs,
    DisGraph,
    Evidence,
    Node,
    NodeKind,
    Strength,
    Value,
    find_held_before,
    make_value_id,
    normalize_text,
)
from assistant.memory.profile.lexicon import lexicon
from assistant.memory.profile.retrieval import (
    START_COUNT,
    EntityFacts,
    MatchMethod,
    NodeVectors,
    ProfileFact,
    ProfileMatch,
    Retrieved,
    ValueConflict,
    retrieve,
)
from assistant.memory.profile.statements import read_stated_facts
from assistant.memory.schema import profile_evidence, profile_links, profile_nodes, profile_values
from assistant.memory.store import RevisionCache, Store
from assistant.records import Record

__all__ = ["MatchMethod", "Profile", "ProfileMatch", "ValueConflict"]

_RANKED_NODES = 256
"""Number of nodes nearest to a task that order its retrieval."""
_MATCH_CANDIDATES = 8
"""Number of nodes nearest to a word that are considered as its meaning."""


@dataclass(frozen=True, slots=True)
class FactGroup:
    """What one line or card of an import tells; `origin` is the id of its evidence."""

    origin: str
    facts: tuple[ExtractedFact, ...]


class Profile:
    """The profile graph of one user, resident in memory. Thread-safe.

    Each change is one entry of the audit and can be undone, except forgetting. Changes by other programs and
    undone changes are loaded at the next call.

    Args:
        store: the database.
        embeds: embeds tasks and nodes.
        user_id: the user.
    """

    def __init__(self, store: Store, embeds: Embedder, user_id: str) -> None:
        self.user_id = user_id
        self._store = store
        self._embeds = embeds
        self._lock = threading.RLock()
        self._loaded = RevisionCache(store, self._load, (*schema.PROFILE_TABLES, schema.profile_forgotten))
        self._domains = retrieval.DomainIndex(embeds)
        self._catch_up()

    @property
    def graph(self) -> DisGraph:
        """The current graph; callers must not change it."""
        with self._lock:
            self._catch_up()
            return self._graph

    @contextmanager
    def reading(self) -> Iterator[DisGraph]:
        """The current graph, locked against changes within the context."""
        with self._lock:
            self._catch_up()
            yield self._graph

    def facts_for(self, task: str, token_budget: int = 2000, starts: int = START_COUNT) -> Retrieved:
        """The facts that are relevant to a task, within a budget of tokens. Needs only the embedder.

        Raises:
            EmbeddingError: the embedder cannot be run.
        """
        with self._lock:
            self._catch_up()
            self._vectors.refresh()
            nearest, _ = self._vectors.find_nearest(self._embeds.embed([task])[0], _RANKED_NODES)
            return retrieve(self._facts, nearest, token_budget, starts)

    def facts(self) -> list[ProfileFact]:
        """All facts that hold, entity by entity."""
        with self._lock:
            self._catch_up()
            entities = (node for node in self._graph.nodes() if node.kind is NodeKind.ENTITY)
            return [fact for node in entities if not node.hidden for fact in self._facts.of(node)]

    def find(self, words: str, *, similar: bool = True) -> ProfileMatch | None:
        """The meaning of a user's word: "mom", "我家", "my usual drink", "mom's phone number".

        Args:
            words: the word.
            similar: whether an entity with a similar name may be meant; comparing takes an embedding.

        Raises:
            EmbeddingError: the embedder cannot be run.
        """
        with self._lock:
            self._catch_up()
            if (match := retrieval.find_exact_match(self._facts, words)) is not None or not similar:
                return match
            return retrieval.find_similar_match(
                self._facts, words, lambda: self.nearest(words, _MATCH_CANDIDATES)
            )

    def learn(self, record: Record) -> int | None:
        """Learn the facts in the user's own words of one record. Learning it twice changes nothing.

        Returns:
            The id of the change, for undo; None where nothing is new.

        Raises:
            StoreError: the store cannot be written.
        """
        return self.learn_all([record])

    def learn_all(self, records: Iterable[Record]) -> int | None:
        """`learn` from several records of this user in one change; records of other users are ignored."""
        with self._lock:
            self._catch_up()
            draft = GraphDraft(self._graph, self.user_id)
            for record in records:
                if record.user_id != self.user_id:
                    continue
                facts = merge_facts(
                    extract_facts(record, self._domains.find_nearest), read_stated_facts(record)
                )
                draft_facts(draft, facts, record.id, record.time)
            change_id = self._save(draft, "learn from what was asked", "a record tells it")
            self._vectors.refresh()
            return change_id

    def add_facts(self, groups: Iterable[FactGroup], description: str) -> int:
        """Add imported facts in one change, except for those that were imported before.

        Args:
            groups: the facts of each line or card.
            description: describes the change in the audit.

        Returns:
            The number of groups that told something new.

        Raises:
            StoreError: the store cannot be written.
        """
        with self._lock:
            self._catch_up()
            draft = GraphDraft(self._graph, self.user_id)
            count = 0
            for group in groups:
                fresh = [fact for fact in group.facts if not _is_imported(draft, fact)]
                draft_facts(draft, fresh, group.origin, self._store.now())
                count += bool(fresh)
            self._save(draft, description, "asked by the user")
            return count

    def nearest_domain(self, text: str) -> str:
        """The area of life that a text is about.

        Raises:
            EmbeddingError: the embedder cannot be run.
        """
        return self._domains.find_nearest(text)

    def apply(
        self, operations: Sequence[Operation], why: str, evidence: Evidence | None = None
    ) -> int | None:
        """Apply operations, all or none. Returns the id of the change, for undo; None if nothing changed.

        Raises:
            RefusedOperations: an operation is invalid; nothing is changed.
        """
        with self._lock:
            self._catch_up()
            draft = GraphDraft(self._graph, self.user_id)
            draft_operations(draft, operations, evidence or self._user_evidence())
            return self._save(draft, "change the profile", why)

    def remember(self, words: str, text: str, evidence: Evidence, key: str = "is") -> int | None:
        """Store the meaning of a user's word at the entity and key where the word is looked up.

        Stored there, it also settles a conflict. A new word becomes an entity with `key`, somebody a name.
        """
        with self._lock:
            self._catch_up()
            draft = GraphDraft(self._graph, self.user_id)
            slot = retrieval.find_value_slot(self._facts, words)
            name, slot_key = (slot[0].name, slot[1]) if slot else retrieval.new_value_slot(words, text, key)
            sense = retrieval.find_sense(self._graph, *slot, text) if slot else lexicon().sense_of(text)
            if draft.is_forgotten(evidence, name, slot_key, text, sense):
                return None
            if slot is None:
                node = draft.add_node(NodeKind.ENTITY, name)
                draft.link(node, add_domain_concept(draft, self._domains.find_nearest(name)))
                slot = node, slot_key
            draft.set_value(*slot, text, evidence, sense=sense)
            return self._save(draft, "remember what a word means", "it was told or confirmed")

    def edit(self, value_id: str, text: str) -> int | None:
        """Replace the text of a value by the user's; the old value of a single key stays in the history.

        Raises:
            KeyError: there is no such value.
        """
        with self._lock:
            value = self._require_value(value_id)
            draft = GraphDraft(self._graph, self.user_id)
            node = draft.node(value.node_id)
            if node is not None:
                draft.set_value(node, value.key, text, self._user_evidence(), single=value.single)
            if not value.single:
                draft.delete_value(value)
            return self._save(draft, "edit a value of the profile", "asked by the user")

    def decide(self, value_id: str) -> int | None:
        """Confirm a value as the user's decision, which also settles a conflict.

        Raises:
            KeyError: there is no such value.
        """
        with self._lock:
            value = self._require_value(value_id)
            draft = GraphDraft(self._graph, self.user_id)
            node = self._graph.node(value.node_id)
            if node is not None:
                draft.set_value(
                    node, value.key, value.text, self._user_evidence(), single=value.single, sense=value.sense
                )
            return self._save(draft, "settle what holds in the profile", "asked by the user")

    def apply_edit(self, edit: Callable[[GraphDraft, Evidence], None], description: str) -> int | None:
        """Apply an edit of the user, all or nothing.

        Args:
            edit: adds the changes to a draft, with the evidence that the user made them.
            description: describes the change in the audit.

        Raises:
            GraphError: the graph does not allow it.
        """
        with self._lock:
            self._catch_up()
            draft = GraphDraft(self._graph, self.user_id)
            edit(draft, self._user_evidence())
            return self._save(draft, description, "asked by the user")

    def split_concept(self, node_id: str) -> int | None:
        """Split one concept into sub-concepts; None if it has too few entities or forms no clusters.

        Raises:
            KeyError: there is no such node.
        """
        with self._lock:
            self._catch_up()
            self._vectors.refresh()
            if (concept := self._graph.node(node_id)) is None:
                raise KeyError(node_id)
            draft = GraphDraft(self._graph, self.user_id)
            is_split = draft_split(draft, self._facts, concept, self._vectors.vectors)
            return self._save(draft, "part a concept", "asked by the user") if is_split else None

    def nearest(self, words: str, limit: int) -> list[tuple[Node, float]]:
        """The nodes nearest in meaning to some words with their cosines, nearest first; at most `limit`.

        Raises:
            EmbeddingError: the embedder cannot be run.
        """
        with self._lock:
            self._catch_up()
            self._vectors.refresh()
            ids, cosines = self._vectors.find_nearest(self._embeds.embed([words])[0], limit)
            pairs = zip(ids, cosines.tolist(), strict=True)
            neighbours = ((self._graph.node(node_id), cosine) for node_id, cosine in pairs)
            return [(node, cosine) for node, cosine in neighbours if node is not None]

    def prepare_vectors(self, limit: int) -> bool:
        """Compute at most `limit` of the vectors that `nearest` needs; returns whether all are computed.

        In portions, so that other threads can use the profile between two calls.

        Raises:
            EmbeddingError: the embedder cannot be run.
        """
        with self._lock:
            self._catch_up()
            return self._vectors.refresh(limit)

    def pin(self, node_id: str, pinned: bool = True) -> int | None:
        """Pin a node: it is retrieved before its neighbours, and splitting never moves it.

        Raises:
            KeyError: there is no such node.
        """
        return self._change_node(node_id, lambda node: replace(node, pinned=pinned), "pin a node")

    def hide(self, node_id: str, hidden: bool = True) -> int | None:
        """Hide a node: it is neither retrieved nor found nor learned again.

        Raises:
            KeyError: there is no such node.
        """
        return self._change_node(node_id, lambda node: replace(node, hidden=hidden), "hide a node")

    def hide_value(self, value_id: str, hidden: bool = True) -> int | None:
        """Hide a value: it is not retrieved, nor learned again.

        Raises:
            KeyError: there is no such value.
        """
        with self._lock:
            value = self._require_value(value_id)
            draft = GraphDraft(self._graph, self.user_id)
            draft.change_value(replace(value, hidden=hidden))
            return self._save(draft, "hide a value of the profile", "asked by the user")

    def words_of(self, thing_id: str) -> list[str]:
        """What a value says; the name of a node with what its values say.

        Raises:
            KeyError: there is neither a node nor a value with that id.
        """
        node = self._graph.node(thing_id)
        if node is None:
            return [self._require_value(thing_id).text]
        return [node.name, *(value.text for value in self._graph.values(thing_id).values())]

    def forget(self, thing_id: str) -> tuple[Value, ...]:
        """Delete a node or a value for good, with its vectors and its copies in the audit. No undo.

        What it says is replaced in requests and turns that quote it, unless a record says it too. Records
        up to now do not teach it again; of that only a digest is kept.

        Returns:
            The values that held before a forgotten one, hidden by an undoable change: none holds unasked.

        Raises:
            KeyError: there is neither a node nor a value with that id.
        """
        with self._lock:
            self._catch_up()
            draft = GraphDraft(self._graph, self.user_id)
            texts, former = self.words_of(thing_id), find_held_before(self._graph, thing_id)
            if (node := self._graph.node(thing_id)) is not None:
                draft.delete_node(node)
                ids = draft.ids_by_names(node)
            else:
                value = self._require_value(thing_id)
                draft.delete_value(value)
                owner = self._graph.node(value.node_id)
                ids = {value.id} if owner is None else draft.ids_by_names(owner, value)
            removed = draft.removed_values().values()
            until = max((self._store.now(), *(item.time for value in removed for item in value.evidence)))
            header = ChangeHeader("forget a part of the profile", "asked by the user", ChangeKind.FORGET)
            with changing(self._store.database, header, self._store.now) as change:
                _erase_draft(change, draft)
                erase_former_values(change, find_former_values(change.connection, removed), draft.nodes)
                marks = [{"user_id": self.user_id, "id": name, "until": until.isoformat()} for name in ids]
                change.replace(schema.profile_forgotten, marks)
                erase_vectors(change, draft.touched_nodes())
                erase_quotes(change, texts)
                is_renamed = redact_concepts(change, texts) > 0
            if not is_renamed:
                self._loaded.keep_after(change)
            free_pages(self._store.database)
            self._apply_draft(draft)
            for name in ids:
                self._graph.mark_forgotten(name, until)
            for held in reversed(former):
                self.hide_value(held.id)
            return former

    def conflicts(self) -> list[ValueConflict]:
        """The conflicts between values that only the user can decide."""
        with self._lock:
            self._catch_up()
            return retrieval.find_conflicts(self._graph)

    def history(self, node_id: str) -> dict[str, Beliefs]:
        """All values of an entity by key with their status: current, former or rare."""
        with self._lock:
            self._catch_up()
            node = self._graph.node(node_id)
            return retrieval.assess_all_beliefs(self._graph, node) if node is not None else {}

    def split_crowded(self, name_parts: Naming | None = None) -> list[str]:
        """Split concepts with too many entities. Returns the names of the concepts that were split."""
        with self._lock:
            self._catch_up()
            self._vectors.refresh()
            names = []
            for concept in find_crowded(self._graph):
                draft = GraphDraft(self._graph, self.user_id)
                if draft_split(draft, self._facts, concept, self._vectors.vectors, name_parts):
                    self._save(draft, "part a crowded concept", "too many entities hang on it")
                    names.append(concept.name)
            return names

    def _load(self, user_id: str) -> None:
        with self._store.reader() as connection:
            self._graph = _load_graph(connection, user_id)
        self._facts = EntityFacts(self._graph)
        self._vectors = NodeVectors(self._store, self._embeds, self._facts)

    def _catch_up(self) -> None:
        self._loaded.get(self.user_id)

    def _save(self, draft: GraphDraft, description: str, reason: str) -> int | None:
        if not draft:
            return None
        with self._store.change(description, reason) as change:
            _write_draft(change, draft, self.user_id)
        self._loaded.keep_after(change)
        self._apply_draft(draft)
        return change.id

    def _apply_draft(self, draft: GraphDraft) -> None:
        touched = draft.touched_nodes()
        draft.apply()
        self._facts.invalidate(touched)
        self._vectors.invalidate(touched)

    def _change_node(self, node_id: str, change_node: Callable[[Node], Node], description: str) -> int | None:
        with self._lock:
            self._catch_up()
            node = self._graph.node(node_id)
            if node is None:
                raise KeyError(node_id)
            draft = GraphDraft(self._graph, self.user_id)
            draft.change_node(change_node(node))
            return self._save(draft, description, "asked by the user")

    def _require_value(self, value_id: str) -> Value:
        self._catch_up()
        value = self._graph.find_value(value_id)
        if value is None:
            raise KeyError(value_id)
        return value

    def _user_evidence(self) -> Evidence:
        return Evidence("", self._store.now(), Strength.USER)


def _is_imported(draft: GraphDraft, fact: ExtractedFact) -> bool:
    """Whether a fact was imported before, or is hidden by the user."""
    entity = draft.find_by_name(fact.entity, NodeKind.ENTITY)
    if entity is None:
        return False
    value = draft.value(entity.id, make_value_id(entity.id, normalize_text(fact.key), fact.sense))
    return entity.hidden or (
        value is not None
        and (value.hidden or any(evidence.strength is Strength.IMPORTED for evidence in value.evidence))
    )


class LazyProfile:
    """Opens the profile of a user at the first call, and returns the same one from then on.

    Loading a large profile takes long; make the first call in a thread.

    Args:
        store: the database.
        embeds: returns the embedder of tasks and nodes.
        user_id: the user.
    """

    def __init__(self, store: Store, embeds: Callable[[], Embedder], user_id: str) -> None:
        self._store = store
        self._embeds = embeds
        self._user_id = user_id
        self._opening = threading.Lock()
        self._profile: Profile | None = None

    @property
    def is_open(self) -> bool:
        """Whether the profile is loaded."""
        return self._profile is not None

    def __call__(self) -> Profile:
        """The profile."""
        with self._opening:
            if self._profile is None:
                self._profile = Profile(self._store, self._embeds(), self._user_id)
            return self._profile


def _load_graph(connection: Connection, user_id: str) -> DisGraph:
    """Load the graph of a user."""
    graph = DisGraph()
    own_node_ids = select(profile_nodes.c.id).where(profile_nodes.c.user_id == user_id)
    kinds = {kind.value: kind for kind in NodeKind}
    nodes = profile_nodes.c
    columns = (nodes.id, nodes.kind, nodes.name, nodes.pinned, nodes.hidden)
    node_query = select(*columns).where(nodes.user_id == user_id).order_by(nodes.id)
    for node_id, kind, name, pinned, hidden in connection.execute(node_query):
        graph.put_node(Node(node_id, kinds[kind], name, pinned, hidden))
    links = profile_links.c
    link_query = select(links.one, links.other).where(links.one.in_(own_node_ids))
    for first_id, second_id in connection.execute(link_query):
        if first_id in graph and second_id in graph:
            graph.link(first_id, second_id)
    evidence_by_value = _load_evidence(connection, user_id)
    values = profile_values.c
    value_columns = (
        values.id,
        values.node_id,
        values.key,
        values.text,
        values.sense,
        values.single,
        values.hidden,
    )
    value_query = select(*value_columns).where(values.node_id.in_(own_node_ids)).order_by(values.id)
    for value_id, node_id, key, text, sense, single, hidden in connection.execute(value_query):
        evidence = tuple(evidence_by_value.get(value_id, ()))
        graph.put_value(Value(value_id, node_id, key, text, sense, single, hidden, evidence))
    forgotten = schema.profile_forgotten.c
    marks = select(forgotten.id, forgotten.until).where(forgotten.user_id == user_id)
    for thing_id, until in connection.execute(marks):
        graph.mark_forgotten(thing_id, datetime.fromisoformat(until))
    return graph


def _write_draft(change: Change, draft: GraphDraft, user_id: str) -> None:
    """Write the changes of a draft; call it before the draft is applied in memory."""
    removed = draft.removed_values()
    for value in removed.values():
        for evidence in value.evidence:
            change.delete(profile_evidence, _evidence_key(value.id, evidence))
        change.delete(profile_values, {"id": value.id})
    for link, is_linked in draft.links.items():
        if not is_linked and draft.was_linked(link):
            change.delete(profile_links, {"one": link[0], "other": link[1]})
    for node_id, node in draft.nodes.items():
        if node is None and draft.was_there(node_id):
            change.delete(profile_nodes, {"id": node_id})
    for node in draft.nodes.values():
        if node is not None:
            _put_node(change, draft, node, user_id)
    new_links = [link for link, is_linked in draft.links.items() if is_linked and not draft.was_linked(link)]
    if new_links:
        change.insert_missing(profile_links, [{"one": first, "other": second} for first, second in new_links])
    _put_values(change, draft)


def _erase_draft(change: Change, draft: GraphDraft) -> None:
    """Delete for good what a draft removes; its other changes are not written."""
    removed = draft.removed_values()
    keys = [_evidence_key(value.id, evidence) for value in removed.values() for evidence in value.evidence]
    change.erase(profile_evidence, keys)
    change.erase(profile_values, [{"id": value_id} for value_id in removed])
    removed_links = [
        link for link, is_linked in draft.links.items() if not is_linked and draft.was_linked(link)
    ]
    change.erase(profile_links, [{"one": first, "other": second} for first, second in removed_links])
    change.erase(
        profile_nodes,
        [
            {"id": node_id}
            for node_id, node in draft.nodes.items()
            if node is None and draft.was_there(node_id)
        ],
    )


def _load_evidence(connection: Connection, user_id: str) -> dict[str, list[Evidence]]:
    evidence_by_value: dict[str, list[Evidence]] = {}
    strengths = {strength.value: strength for strength in Strength}
    evidence, values = profile_evidence.c, profile_values.c
    joined = profile_evidence.join(profile_values, values.id == evidence.value_id).join(
        profile_nodes, profile_nodes.c.id == values.node_id
    )
    query = (
        select(evidence.value_id, evidence.record_id, evidence.time, evidence.strength)
        .select_from(joined)
        .where(profile_nodes.c.user_id == user_id)
        .order_by(evidence.time, evidence.record_id)
    )
    for value_id, record_id, time, strength in connection.execute(query):
        item = Evidence(record_id, datetime.fromisoformat(time), strengths[strength])
        evidence_by_value.setdefault(value_id, []).append(item)
    return evidence_by_value


def _put_node(change: Change, draft: GraphDraft, node: Node, user_id: str) -> None:
    row = {
        "id": node.id,
        "user_id": user_id,
        "kind": node.kind.value,
        "name": node.name,
        "pinned": node.pinned,
        "hidden": node.hidden,
    }
    if draft.was_there(node.id):
        change.update(profile_nodes, {"id": node.id}, row)
    else:
        change.insert(profile_nodes, [row])


def _put_values(change: Change, draft: GraphDraft) -> None:
    new_values: list[dict[str, Any]] = []
    new_evidence: list[dict[str, Any]] = []
    for value in draft.values.values():
        if value is None:
            continue
        before = draft.value_before(value.id)
        row = _value_row(value)
        if before is None:
            new_values.append(row)
        elif _value_row(before) != row:
            change.update(profile_values, {"id": value.id}, row)
        old_evidence = {evidence.record_id: evidence for evidence in before.evidence} if before else {}
        new_by_record = {evidence.record_id: evidence for evidence in value.evidence}
        for record_id in old_evidence.keys() - new_by_record.keys():
            change.delete(profile_evidence, _evidence_key(value.id, old_evidence[record_id]))
        for record_id, evidence in new_by_record.items():
            if record_id not in old_evidence:
                new_evidence.append(_evidence_row(value.id, evidence))
            elif old_evidence[record_id] != evidence:
                change.update(
                    profile_evidence, _evidence_key(value.id, evidence), _evidence_row(value.id, evidence)
                )
    if new_values:
        change.insert(profile_values, new_values)
    if new_evidence:
        change.insert_missing(profile_evidence, new_evidence)


def _value_row(value: Value) -> dict[str, Any]:
    names = ("id", "node_id", "key", "text", "sense", "single", "hidden")
    return {name: getattr(value, name) for name in names}


def _evidence_key(value_id: str, evidence: Evidence) -> dict[str, Any]:
    return {"value_id": value_id, "record_id": evidence.record_id}


def _evidence_row(value_id: str, evidence: Evidence) -> dict[str, Any]:
    return {
        **_evidence_key(value_id, evidence),
        "time": evidence.time.isoformat(),
        "strength": evidence.strength.value,
    }

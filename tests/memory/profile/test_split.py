from __future__ import annotations

import numpy as np

from assistant.memory.profile.edits import (
    MAX_ENTITIES,
    AddNode,
    Operation,
    SetValue,
    cluster_vectors,
    distinctive_words,
)
from assistant.memory.profile.graph import NodeKind
from assistant.memory.profile.service import Profile
from assistant.memory.prototypes.service import learn_from_records
from assistant.memory.store import Store
from assistant.settings.schema import Settings
from tests.memory.profile.embedding import WordEmbedder


def crowd(profile: Profile) -> None:
    """A concept with forty entities of two plain kinds."""
    operations: list[Operation] = [AddNode(kind=NodeKind.CONCEPT, name="Places to eat")]
    for number in range(MAX_ENTITIES // 2 + 4):
        for kind in ("ramen", "burger"):
            name = f"{kind} house {number}"
            operations.append(AddNode(kind=NodeKind.ENTITY, name=name, concepts=("Places to eat",)))
            operations.append(SetValue(name=name, key="sells", value=f"{kind} {kind} {kind}"))
    for start in range(0, len(operations), 60):
        profile.apply(operations[start : start + 60], "told")


def concept_names(profile: Profile) -> list[str]:
    return [node.name for node in profile.graph.nodes() if node.kind is NodeKind.CONCEPT]


def test_a_crowded_concept_is_parted_by_likeness(profile: Profile, store: Store) -> None:
    crowd(profile)
    assert profile.split_crowded() == ["Places to eat"]
    graph = profile.graph
    for node in graph.nodes():
        if node.kind is NodeKind.CONCEPT and node.name != "Places to eat":
            kinds = {other.name.split()[0] for other in graph.neighbours(node.id, NodeKind.ENTITY)}
            assert len(kinds) == 1
            assert kinds.pop() in node.name
    assert profile.split_crowded() == []
    retrieved = profile.facts_for("ramen", 200)
    assert retrieved.text.count("ramen house") > retrieved.text.count("burger house")
    store.undo()
    assert concept_names(profile) == ["Places to eat"]


def test_a_model_may_name_the_parts(profile: Profile) -> None:
    crowd(profile)
    profile.split_crowded(lambda name, parts: [f"{name} {number}" for number, _ in enumerate(parts)])
    assert {"Places to eat", "Places to eat 0", "Places to eat 1"} <= set(concept_names(profile))


def test_digesting_parts_what_is_crowded_and_can_be_undone(profile: Profile, store: Store) -> None:
    crowd(profile)
    learn_from_records(store, WordEmbedder(), Settings(), ["1"])
    assert len(concept_names(profile)) > 1
    store.undo()
    assert concept_names(profile) == ["Places to eat"]


def test_a_concept_with_few_entities_stays(profile: Profile) -> None:
    profile.apply([AddNode(kind=NodeKind.CONCEPT, name="Food")], "told")
    assert profile.split_crowded() == []


def test_clusters_are_those_that_point_the_same_way() -> None:
    rows = np.eye(4, dtype=np.float32)[[0, 1, 0, 1, 0]]
    labels = cluster_vectors(rows, 2)
    assert labels[0] == labels[2] == labels[4] != labels[1] == labels[3]


def test_the_words_that_set_a_group_apart() -> None:
    ramen, burgers = distinctive_words([["ramen house", "ramen bar"], ["burger house", "burger bar"]])
    assert (ramen[0], burgers[0]) == ("ramen", "burger")

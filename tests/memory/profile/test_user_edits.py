from __future__ import annotations

import pytest

from assistant.memory.profile.edits import draft_alias, draft_merge, draft_rename
from assistant.memory.profile.graph import ALIAS, Evidence, GraphError, Node, NodeKind, Strength
from assistant.memory.profile.service import Profile
from assistant.memory.store import Store
from tests.memory.profile.conftest import STARTED
from tests.memory.profile.test_split import concept_names, crowd


def remembered(profile: Profile, *pairs: tuple[str, str]) -> list[Node]:
    for number, (words, text) in enumerate(pairs):
        profile.remember(words, text, Evidence(f"r{number}", STARTED, Strength.STATED))
    return [node for words, _ in pairs if (node := profile.graph.find_by_name(words, NodeKind.ENTITY))]


def texts(profile: Profile, node: Node) -> set[tuple[str, str]]:
    return {(value.key, value.text) for value in profile.graph.values(node.id).values()}


def test_two_entities_become_one_and_two_again(profile: Profile, store: Store) -> None:
    gym, club = remembered(profile, ("gym", "12 Park Street"), ("fitness club", "4 Main Street"))
    around = {neighbour.name for neighbour in profile.graph.neighbours(club.id)}
    profile.apply_edit(lambda draft, by: draft_merge(draft, profile.graph, gym, club, by), "merge two nodes")
    assert texts(profile, gym) == {("is", "12 Park Street"), ("is", "4 Main Street"), (ALIAS, "fitness club")}
    assert profile.graph.node(club.id) is None
    assert around <= {neighbour.name for neighbour in profile.graph.neighbours(gym.id)}
    match = profile.find("fitness club")
    assert match is not None
    assert match.entity == "gym"
    assert {
        record_id for value in profile.graph.values(gym.id).values() for record_id in value.record_ids
    } == {
        "r0",
        "r1",
    }
    store.undo()
    assert texts(profile, gym) == {("is", "12 Park Street")}
    assert texts(profile, club) == {("is", "4 Main Street")}


def test_a_renamed_entity_is_still_found_by_its_old_name(profile: Profile) -> None:
    gym, club = remembered(profile, ("gym", "12 Park Street"), ("club", "4 Main Street"))
    profile.apply_edit(lambda draft, by: draft_rename(draft, gym, "The Iron Room", by), "rename a node")
    match = profile.find("gym")
    assert match is not None
    assert (match.entity, match.value) == ("The Iron Room", "12 Park Street")
    with pytest.raises(GraphError, match="Merge the two"):
        profile.apply_edit(lambda draft, by: draft_rename(draft, gym, "club", by), "rename a node")
    with pytest.raises(GraphError, match="Merge the two"):
        profile.apply_edit(lambda draft, by: draft_alias(draft, gym, "club", by), "add a word")
    profile.apply_edit(lambda draft, by: draft_alias(draft, gym, "workout", by), "add a word")
    assert (match := profile.find("workout")) is not None
    assert match.value == "12 Park Street"
    assert club.name == "club"


def test_a_concept_and_an_entity_stay_two(profile: Profile) -> None:
    (gym,) = remembered(profile, ("gym", "12 Park Street"))
    concept = profile.graph.neighbours(gym.id)[0]
    with pytest.raises(GraphError, match="is a concept"):
        profile.apply_edit(lambda draft, by: draft_merge(draft, profile.graph, gym, concept, by), "merge")
    with pytest.raises(GraphError, match="with itself"):
        profile.apply_edit(lambda draft, by: draft_merge(draft, profile.graph, gym, gym, by), "merge")


def test_one_concept_is_parted_when_asked(profile: Profile, store: Store) -> None:
    crowd(profile)
    concept = profile.graph.find_by_name("Places to eat", NodeKind.CONCEPT)
    assert concept is not None
    assert profile.split_concept(concept.id) is not None
    assert len(concept_names(profile)) > 2
    store.undo()
    assert concept_names(profile) == ["Places to eat"]
    nearest = profile.nearest("ramen", 5)
    assert all("ramen" in node.name for node, _ in nearest)

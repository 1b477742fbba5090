from __future__ import annotations

import pytest

from assistant.memory.profile.edits import GraphDraft
from assistant.memory.profile.graph import (
    DisGraph,
    GraphError,
    Node,
    NodeKind,
    Value,
    clean_text,
    make_node_id,
    normalize_text,
)

FOOD = Node("c1", NodeKind.CONCEPT, "Food")
HEALTH = Node("c2", NodeKind.CONCEPT, "Health")
MEALS = Node("e1", NodeKind.ENTITY, "Meals")
SHOES = Node("e2", NodeKind.ENTITY, "Shoes")


@pytest.fixture
def graph() -> DisGraph:
    graph = DisGraph()
    for node in (FOOD, HEALTH, MEALS, SHOES):
        graph.put_node(node)
    graph.link("c1", "e1")
    return graph


def test_entities_link_to_concepts_only(graph: DisGraph) -> None:
    graph.link("c1", "c2")
    with pytest.raises(GraphError, match="entities link to concepts only"):
        graph.link("e1", "e2")
    with pytest.raises(GraphError, match="itself"):
        graph.link("c1", "c1")
    assert graph.neighbours("c1") == [MEALS, HEALTH]
    assert graph.neighbours("c1", NodeKind.ENTITY) == [MEALS]


def test_only_entities_hold_values(graph: DisGraph) -> None:
    graph.put_value(Value("v", "e1", "taste", "mild", "mild"))
    assert graph.find_value("v") == Value("v", "e1", "taste", "mild", "mild")
    assert graph.holders("taste") == ["e1"]
    with pytest.raises(GraphError, match="only entities hold values"):
        graph.put_value(Value("w", "c1", "taste", "mild", "mild"))


def test_a_node_goes_with_its_values_and_links(graph: DisGraph) -> None:
    graph.put_value(Value("v", "e1", "taste", "mild", "mild"))
    graph.remove_node("e1")
    assert graph.find_by_name("meals") is None
    assert graph.find_value("v") is None
    assert graph.holders("taste") == []
    assert graph.neighbours("c1") == []


def test_names_are_found_whatever_their_case_article_or_possessive(graph: DisGraph) -> None:
    assert graph.find_by_name("my MEALS") == MEALS
    graph.put_node(Node("e1", NodeKind.ENTITY, "Lunches"))
    assert graph.find_by_name("Meals") is None
    assert graph.find_by_name("the lunches.", NodeKind.ENTITY) is not None


def test_a_draft_changes_nothing_until_it_is_applied(graph: DisGraph) -> None:
    draft = GraphDraft(graph, "1")
    tea = draft.add_node(NodeKind.ENTITY, "Tea")
    draft.link(tea, FOOD)
    draft.delete_node(MEALS)
    assert draft.find_by_name("meals") is None
    assert draft.are_linked(FOOD.id, tea.id)
    assert graph.find_by_name("tea") is None
    assert graph.find_by_name("meals") == MEALS
    draft.apply()
    assert graph.find_by_name("meals") is None
    assert graph.neighbours("c1") == [tea]


def test_a_name_taken_by_a_renamed_node_gets_another_id(graph: DisGraph) -> None:
    first = GraphDraft(graph, "1")
    tea = first.add_node(NodeKind.ENTITY, "Tea")
    first.apply()
    second = GraphDraft(graph, "1")
    second.change_node(Node(tea.id, NodeKind.ENTITY, "Green tea"))
    other = second.add_node(NodeKind.ENTITY, "Tea")
    assert other.id != tea.id
    assert tea.id == make_node_id("1", NodeKind.ENTITY, "my TEA")


def test_text_is_cleaned_of_control_characters_and_length() -> None:
    assert clean_text("a\x1b[31mb\n\tc\u202ed" + "x" * 500)[:10] == "a [31mb c "
    assert len(clean_text("x" * 500)) == 160
    assert normalize_text("  My Mom’s ") == "mom’s"
    assert normalize_text("我的医生") == "医生"

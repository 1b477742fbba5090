from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.memory.profile.graph import DisGraph, Evidence, Node, NodeKind, Strength, Value
from assistant.memory.profile.retrieval import EntityFacts, count_tokens, facts_named, retrieve
from tests.memory.profile.conftest import STARTED
from tests.tables import each


def graph_of(concepts: dict[str, dict[str, int]], links: tuple[tuple[str, str], ...] = ()) -> EntityFacts:
    """A graph of concepts with entities, each with a number of values of one token."""
    graph = DisGraph()
    for concept, entities in concepts.items():
        graph.put_node(Node(concept, NodeKind.CONCEPT, concept))
        for entity, count in entities.items():
            graph.put_node(Node(entity, NodeKind.ENTITY, entity))
            graph.link(concept, entity)
            for number in range(count):
                text = f"{entity}{number}"
                reason = Evidence("r", STARTED, Strength.IMPLIED)
                graph.put_value(Value(text, entity, "has", text, text, False, False, (reason,)))
    for first, other in links:
        graph.link(first, other)
    return EntityFacts(graph)


def test_the_budget_is_shared_among_the_starts() -> None:
    facts = graph_of({"A": {"a": 40}, "B": {"b": 40}})
    retrieved = retrieve(facts, ["a", "b"], 20, count=lambda _: 1)
    texts = [fact.value.text for fact in retrieved.facts]
    assert retrieved.tokens == 20
    assert texts == ["a0", "b0", "a1", "b1", "a2", "b2", "a3", "b3", "a4", "b4"]


def test_what_a_start_leaves_over_goes_to_the_others() -> None:
    facts = graph_of({"A": {"a": 1}, "B": {"b": 40}})
    retrieved = retrieve(facts, ["a", "b"], 20, count=lambda _: 1)
    assert len(retrieved.facts) == 10
    assert sum(fact.node.name == "b" for fact in retrieved.facts) == 9


def test_a_walk_goes_over_concepts_and_tells_its_path() -> None:
    facts = graph_of({"A": {"a": 1, "a2": 1}, "B": {"b": 1}, "C": {"c": 1}}, (("A", "B"),))
    retrieved = retrieve(facts, ["a"], 100)
    paths = {fact.node.name: fact.path for fact in retrieved.facts}
    assert paths == {"a": ("a",), "a2": ("a", "A", "a2"), "b": ("a", "A", "B", "b")}


def test_near_neighbours_are_visited_first() -> None:
    facts = graph_of({"A": dict.fromkeys("uvwxyz", 1)})
    retrieved = retrieve(facts, ["A", "y", "w"], 1000, starts=1)
    assert [fact.node.name for fact in retrieved.facts] == ["y", "w", "u", "v", "x", "z"]


def test_what_is_left_goes_to_the_next_nearest() -> None:
    facts = graph_of({"A": {"a": 1}, "B": {"b": 1}})
    retrieved = retrieve(facts, ["A", "B"], 100, starts=1)
    assert [fact.node.name for fact in retrieved.facts] == ["a", "b"]


def test_nothing_is_found_in_nothing() -> None:
    assert retrieve(EntityFacts(DisGraph()), [], 100).text == ""


@settings(max_examples=40)
@given(
    st.dictionaries(st.sampled_from("ABCDE"), st.integers(0, 30), min_size=1),
    st.integers(0, 200),
    st.integers(1, 6),
)
def test_the_budget_is_kept_and_nothing_is_told_twice(
    sizes: dict[str, int], budget: int, starts: int
) -> None:
    facts = graph_of({name: {name.lower(): count} for name, count in sizes.items()})
    retrieved = retrieve(facts, list(sizes), budget, starts)
    assert retrieved.tokens <= budget
    assert count_tokens(retrieved.text) <= budget
    assert len({fact.value.id for fact in retrieved.facts}) == len(retrieved.facts)


def test_tokens_are_counted_in_both_languages() -> None:
    assert count_tokens("") == 0
    assert count_tokens("no coriander") == 3
    assert count_tokens("不要香菜") == 4
    assert count_tokens("¥1234.50") == 5


@each(
    ("order", "named", "told"),
    [
        ("给林素珊发消息说我晚点", ["林素珊"], ["林素珊"]),
        ("给妈妈打电话", ["妈妈"], ["林素珊"]),
        ("text Mom hi", ["Mom"], ["林素珊"]),
        ("order noodles to the office", ["the office"], ["Cloud Tower"]),
        ("打车去公司", ["公司"], ["Cloud Tower"]),
        # What the order says itself, what nobody is named by, what was guessed and what is disputed.
        ("take me to the office (Cloud Tower)", ["office"], []),
        ("play songs of the office", [], []),
        ("call Ann and her boss", ["Ann"], []),
        ("take me home", ["home"], []),
        ("text Anna hi", ["Anna"], []),
        ("text Max hi", ["Max"], ["Max"]),
        # Another person whose name begins so, and a word that is spelt like a name.
        ("text Max Weber hi", ["Max Weber"], []),
        ("给林素珊珊发消息", ["林素珊珊"], []),
        ("text Bob we run to the max", ["Bob"], []),
    ],
)
def test_only_what_is_sure_is_known_of_whom_an_order_names(
    order: str, named: list[str], told: list[str]
) -> None:
    graph = DisGraph()
    graph.put_node(Node("People", NodeKind.CONCEPT, "People"))
    for number, (entity, key, text, strength) in enumerate(
        (
            ("mom", "name", "林素珊", Strength.STATED),
            ("office", "address", "Cloud Tower", Strength.USER),
            ("home", "address", "12 Park Street", Strength.STATED),
            ("home", "address", "9 Elm Road", Strength.STATED),
            ("boss", "name", "Ann", Strength.IMPLIED),
            ("son", "name", "Max", Strength.STATED),
        )
    ):
        if graph.node(entity) is None:
            graph.put_node(Node(entity, NodeKind.ENTITY, entity))
            graph.link("People", entity)
        reason = Evidence(f"r{number}", STARTED, strength)
        graph.put_value(Value(text, entity, key, text, text, True, False, (reason,)))
    facts = [fact for node in graph.nodes() for fact in EntityFacts(graph).of(node)]
    assert [fact.value.text for fact in facts_named(facts, order, named)] == told

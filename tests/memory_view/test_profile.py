from __future__ import annotations

from assistant.memory.profile.graph import DisGraph, Node, NodeKind
from assistant.memory.profile.lexicon import lexicon
from assistant.memory_view.profile import branches

C, E = NodeKind.CONCEPT, NodeKind.ENTITY


def graph(kinds: dict[str, NodeKind], *links: tuple[str, str]) -> DisGraph:
    made = DisGraph()
    for name, kind in kinds.items():
        made.put_node(Node(name, kind, name))
    for link in links:
        made.link(*link)
    return made


def test_the_earlier_concept_stands_above_and_rings_end() -> None:
    made = graph(
        {"Food": C, "Noodles": C, "Soup": C, "lunch": E, "stray": E},
        ("Food", "Noodles"),
        ("Noodles", "Soup"),
        ("Soup", "Food"),
        ("lunch", "Noodles"),
        ("lunch", "Soup"),
    )
    found = branches(made)
    assert [one.name for one in found.roots] == ["Food"]
    assert {above: [one.name for one in below] for above, below in found.below.items()} == {
        "Food": ["Noodles", "Soup"]
    }
    assert (found.entities["Noodles"], found.entities["Soup"]) == (1, 1)
    assert [one.name for one in found.loose] == ["stray"]


def test_areas_of_life_stand_side_by_side() -> None:
    one, other = list(lexicon().domains)[:2]
    found = branches(graph({"Own": C, one: C, other: C}, (one, other), ("Own", other)))
    assert [node.name for node in found.roots] == [one, other]
    assert [node.name for node in found.below[other]] == ["Own"]

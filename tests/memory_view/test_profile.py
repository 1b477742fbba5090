from __future__ import annotations

from assistant.i18n import Language, speaking
from assistant.memory.profile.graph import DisGraph, Node, NodeKind
from assistant.memory.profile.lexicon import lexicon
from assistant.memory_view.labels import node_words, value_words
from assistant.memory_view.profile import branches
from tests.tables import each

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
    tree = branches(made)
    assert [node.name for node in tree.roots] == ["Food"]
    assert {above: [node.name for node in below] for above, below in tree.below.items()} == {
        "Food": ["Noodles", "Soup"]
    }
    assert (tree.entities["Noodles"], tree.entities["Soup"]) == (1, 1)
    assert [node.name for node in tree.loose] == ["stray"]


def test_areas_of_life_stand_side_by_side() -> None:
    first, second = list(lexicon().domains)[:2]
    tree = branches(graph({"Own": C, first: C, second: C}, (first, second), ("Own", second)))
    assert [node.name for node in tree.roots] == [first, second]
    assert [node.name for node in tree.below[second]] == ["Own"]


@each(("name", "shown"), [("mom", "妈妈"), ("husband", "老公"), ("son", "儿子"), ("older sister", "姐姐")])
def test_a_relation_is_called_by_its_chinese_word(name: str, shown: str) -> None:
    with speaking(Language.CHINESE):
        assert node_words(name) == shown


@each(
    ("language", "key", "text", "shown"),
    [
        (Language.ENGLISH, "deliver to", "to the office", "the office"),
        (Language.ENGLISH, "deliver to", "Tokyo", "Tokyo"),
        (Language.ENGLISH, "avoid", "avoid", "avoid"),
        (Language.CHINESE, "deliver to", "送到公司", "公司"),
        (Language.CHINESE, "name", "高医生", "高医生"),
    ],
)
def test_a_value_does_not_repeat_its_key(language: Language, key: str, text: str, shown: str) -> None:
    with speaking(language):
        assert value_words(key, text) == shown

"""PerPilot's element memory: what a person's word for somebody or something stands for.

First by alias: the entity's own name, another word of the user's, or a word of the same group ("mother" for
"mom"). Then by key ("my size"). Embeddings come last and elsewhere, as they only suggest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.memory.profile.describing import Fact, Facts
from assistant.memory.profile.graph import DisGraph
from assistant.memory.profile.nodes import ALIAS, Node, NodeKind, normalised
from assistant.memory.profile.relations import same_one

_USUAL = re.compile(
    r"^(?:usual|favou?rite|regular|preferred|normal|standard|often[- ]\w+|frequent(?:ly)?(?: \w+ed)?)\s+"
    r"|^(?:平时的?|常用的?|一般的?|最喜欢的?|最爱的?|习惯的?|喜欢的?)(?=.)",
    re.IGNORECASE,
)
_OWNED = re.compile(r"^(?P<who>.+?)(?:['’]s\s+|\s*的)(?P<what>.+)$")
_MAIN_KEYS = ("name", "is", "address", "number")
_KEYS = {
    "尺码": "size", "颜色": "colour", "品牌": "brand", "口味": "taste", "辣度": "taste", "饮料": "drink",
    "支付方式": "payment", "付款方式": "payment", "座位": "seat", "忌口": "avoid", "菜系": "cuisine",
    "电话": "phone", "手机号": "phone", "号码": "number", "地址": "address", "名字": "name", "家": "address",
    "phone number": "phone", "telephone": "phone", "home": "address", "house": "address", "color": "colour",
    "spice level": "taste", "genre": "genre", "music": "music", "app": "app", "company": "office",
}  # fmt: skip


def by_alias(graph: DisGraph, words: str) -> Node | None:
    """The entity that some words name."""
    wanted = normalised(words)
    group = same_one(wanted)
    for name in dict.fromkeys(one for one in (wanted, group, _USUAL.sub("", wanted)) if one):
        if (node := graph.named(name, NodeKind.ENTITY)) is not None and not node.hidden:
            return node
    return next(_with_alias(graph, {wanted, group or wanted}), None)


def by_key(facts: Facts, words: str) -> Fact | None:
    """What holds for a key that some words name: "my size", "usual drink"."""
    plain = _USUAL.sub("", normalised(words))
    key = _KEYS.get(plain, plain)
    nodes = (facts.graph.node(node_id) for node_id in facts.graph.holders(key))
    holding = (
        fact
        for node in nodes
        if node is not None and not node.hidden
        for fact in facts.of(node)
        if fact.value.key == key
    )
    return max(holding, key=lambda fact: fact.confidence, default=None)


def fact_of(facts: Facts, node: Node, what: str = "") -> Fact | None:
    """What an entity stands for, or one key of it."""
    known = facts.of(node)
    if what:
        wanted = normalised(what)
        keys = {wanted, _KEYS.get(wanted, wanted)}
        return next((fact for fact in known if fact.value.key in keys), None)
    for key in _MAIN_KEYS:
        for fact in known:
            if fact.value.key == key:
                return fact
    return None


def place_of(facts: Facts, words: str) -> tuple[Node, str] | None:
    """Where some words have their meaning: an entity and a key that is known of it; None for none."""
    if (node := by_alias(facts.graph, words)) is not None:
        return node, fact.value.key if (fact := fact_of(facts, node)) is not None else "is"
    if (owned := owner_and_key(words)) is not None and (node := by_alias(facts.graph, owned[0])) is not None:
        return node, _KEYS.get(owned[1], owned[1])
    fact = by_key(facts, words)
    return (fact.node, fact.value.key) if fact is not None and fact.value.single else None


def owner_and_key(words: str) -> tuple[str, str] | None:
    """The parts of a possessive: "mom" and "phone number" of "mom's phone number"."""
    found = _OWNED.match(normalised(words))
    return (found["who"], found["what"]) if found else None


def _with_alias(graph: DisGraph, wanted: set[str]) -> Iterator[Node]:
    for node_id in graph.holders(ALIAS):
        node = graph.node(node_id)
        aliases = (
            value for value in graph.values(node_id).values() if value.key == ALIAS and not value.hidden
        )
        if node is not None and not node.hidden and any(normalised(one.text) in wanted for one in aliases):
            yield node

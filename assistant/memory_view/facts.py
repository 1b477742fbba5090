"""The profile: its values entity by entity, and what stands behind one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from assistant.memory.profile.nodes import ALIAS, Node, NodeKind, Strength, Value, latest
from assistant.memory.profile.profile import Profile
from assistant.memory_view.items import HOURS, Act, Item, Listing

_ACTS = frozenset({Act.EDIT, Act.PIN, Act.HIDE, Act.FORGET})
_LEARNT = {
    Strength.IMPLIED: "asked for",
    Strength.EXPLORED: "read in an app",
    Strength.STATED: "said by you",
    Strength.SWITCHED: "said by you from then on",
    Strength.USER: "written by you",
}


def listing(profile: Profile) -> Listing:
    """Everything that holds, then what is hidden."""
    told = [_item(fact.node, fact.value, fact.confidence) for fact in profile.facts()]
    hidden = [_item(node, value, 0.0) for node, value in _hidden(profile)]
    note = "" if told or hidden else "Nothing yet: what your words tell of you comes to stand here."
    return Listing((*told, *hidden), note)


def facts(profile: Profile, value: Value) -> tuple[tuple[str, str], ...]:
    """What is known of a value."""
    node = profile.graph.node(value.node_id)
    found = [("of", node.name if node else ""), ("what", value.key)]
    around = profile.graph.neighbours(value.node_id)
    if around:
        found.append(("beside", ", ".join(sorted(one.name for one in around))))
    ways = Counter(_LEARNT[one.strength] for one in value.evidence)
    found.append(("learnt", ", ".join(f"{way} ({count})" for way, count in ways.items())))
    standings = profile.history(value.node_id).get(value.key)
    for other, _, standing in standings.values if standings else ():
        if other.id != value.id:
            found.append((standing.value, other.text))
    if standings and value in standings.disputed:
        found.append(("disputed", "edit it to say what holds"))
    return tuple(found)


def _hidden(profile: Profile) -> Iterator[tuple[Node, Value]]:
    for node in profile.graph.nodes():
        if node.kind is NodeKind.ENTITY:
            for value in profile.graph.values(node.id).values():
                if value.key != ALIAS and (node.hidden or value.hidden):
                    yield node, value


def _item(node: Node, value: Value, sure: float) -> Item:
    # What the user wrote has no record of an hour that tells a habit.
    counted = Counter(one.time.hour for one in value.evidence if one.record_id)
    return Item(
        id=value.id,
        name=value.text,
        acts=_ACTS,
        context=f"{node.name} · {value.key}",
        count=value.uses,
        weight=sure,
        last=latest(value.evidence),
        hours=tuple(counted[hour] for hour in range(HOURS)) if counted else (),
        pinned=node.pinned,
        hidden=value.hidden or node.hidden,
    )

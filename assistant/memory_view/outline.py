"""The profile as it is told while it is being opened: its areas of life, counted by the store."""

from __future__ import annotations

from sqlalchemy import func, or_, select

from assistant.i18n import _, counted
from assistant.memory import schema
from assistant.memory.profile.lexicon import lexicon
from assistant.memory.profile.nodes import NodeKind
from assistant.memory.store import Store
from assistant.memory_view.items import Item, Listing
from assistant.memory_view.labels import node_words


def outline(store: Store, user_id: str) -> Listing:
    """The areas of life with their entities; nothing can be done with them yet."""
    above, links, hung = schema.profile_nodes.alias(), schema.profile_links, schema.profile_nodes.alias()
    ends = or_(
        (links.c.one == above.c.id) & (links.c.other == hung.c.id),
        (links.c.other == above.c.id) & (links.c.one == hung.c.id),
    )
    query = (
        select(above.c.id, above.c.name, func.count())
        .select_from(above.join(links, or_(links.c.one == above.c.id, links.c.other == above.c.id)))
        .join(hung, ends & (hung.c.kind == NodeKind.ENTITY.value))
        .where(
            above.c.user_id == user_id,
            above.c.kind == NodeKind.CONCEPT.value,
            above.c.name.in_(lexicon().domains),
        )
        .group_by(above.c.id, above.c.name)
        .order_by(above.c.id)
    )
    with store.reader() as connection:
        rows = connection.execute(query).all()
    items = tuple(
        Item(node_id, node_words(name), frozenset(), tail=counted(count, "entity"))
        for node_id, name, count in rows
    )
    return Listing(items, _("The profile is being opened …"))

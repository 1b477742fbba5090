"""Learning from records: the profile takes facts about the user, the prototypes what recurs."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from assistant.embedding.embedder import Embedder
from assistant.embedding.models import CachedEmbedder
from assistant.memory.learning_switches import ignored_records
from assistant.memory.profile.service import Profile
from assistant.memory.profile.split import Naming
from assistant.memory.prototypes.service import hierarchical_memory
from assistant.memory.store import Store
from assistant.settings.schema import Settings

_PORTION = 500


def learn_from_records(
    store: Store,
    embeds: Embedder,
    settings: Settings,
    users: Iterable[str],
    tell: Callable[[str, int, int], None] = lambda what, done, total: None,
    naming: Naming | None = None,
) -> None:
    """Learn from the records of some users, and part what is crowded then.

    What was learnt before is not learnt again.

    Args:
        store: the records, and where the memory of them is kept.
        embeds: the sentence embedder.
        settings: how prototypes are made.
        users: whose records.
        tell: hears what is done, how many records of how many.
        naming: names the parts of crowded concepts; by default they are named by their own words.

    Raises:
        EmbeddingError: the embedder cannot be loaded or run.
        StoreError: the store cannot be written.
    """
    remembering = CachedEmbedder(embeds)
    memory = hierarchical_memory(store, remembering, settings)
    for user in users:
        profile = Profile(store, remembering, user)
        with store.reader() as connection:
            ignored = ignored_records(connection, user)
        records = [record for record in store.records.of(user) if record.id not in ignored]
        for start in range(0, len(records), _PORTION):
            profile.learn_all(records[start : start + _PORTION])
            tell("learning", min(start + _PORTION, len(records)), len(records))
        profile.split_crowded(naming)
        memory.aggregate(tell=lambda progress: tell("grouping", progress.done, progress.total), user_id=user)

"""The revision of the memory, and values that are cached by it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.memory import schema
from assistant.memory.forgetting import forget
from assistant.memory.store import RevisionCache, Store
from assistant.memory_view.retention import CONFIRMATION, BulkOperations
from assistant.records import Record

NOON = datetime(2026, 3, 9, 12, tzinfo=UTC)


def record(name: str) -> Record:
    return Record(id=name, user_id="me", time=NOON, instruction=f"do {name}")


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    """Two stores on one file, as two programs have them."""
    ours, theirs = Store(tmp_path, lambda: NOON), Store(tmp_path, lambda: NOON)
    yield ours, theirs
    ours.close()
    theirs.close()


WRITES: dict[str, Callable[[Store], object]] = {
    "add": lambda store: store.records.add([record("new")]),
    "edit": lambda store: store.records.edit("old", {"instruction": "do it"}),
    "undo": lambda store: store.undo(),
    "redo": lambda store: store.redo(),
    "forget": lambda store: forget(store, ["old"]),
}


@pytest.mark.parametrize("writer", ["here", "elsewhere"])
@pytest.mark.parametrize("way", list(WRITES))
def test_every_write_raises_the_revision(stores: tuple[Store, Store], way: str, writer: str) -> None:
    ours, theirs = stores
    store = ours if writer == "here" else theirs
    ours.records.add([record("old")])
    ours.records.edit("old", {"said": "old"})
    if way == "redo":
        ours.undo()
    before = ours.revision()
    WRITES[way](store)
    assert ours.revision() == theirs.revision() > before


def test_wiping_the_memory_raises_the_revision_though_the_audit_is_emptied(
    stores: tuple[Store, Store],
) -> None:
    ours, theirs = stores
    for name in ("first", "second", "third"):
        theirs.records.add([record(name)])

    def count(_key: str) -> int:
        return ours.records.count()

    cache = RevisionCache(ours, count)
    assert cache.get("") == 3
    BulkOperations(theirs, "me").wipe(CONFIRMATION)
    assert ours.revision() == 4
    assert cache.get("") == 0


def test_nothing_written_leaves_the_revision(stores: tuple[Store, Store]) -> None:
    ours, theirs = stores
    assert ours.revision() == 0
    ours.records.add([record("old")])
    before = ours.revision()
    ours.records.add([record("old")])
    theirs.records.edit("old", {"instruction": "do old"})
    assert ours.revision() == before


def test_each_portion_of_a_long_change_raises_it_though_another_change_came_between(
    stores: tuple[Store, Store],
) -> None:
    ours, theirs = stores
    with theirs.change("Import", "a test") as change:
        change.insert(schema.records, [_row("first")])
    ours.records.add([record("between")])
    before = ours.revision()
    with theirs.change("Import", "a test", change.id) as portion:
        portion.insert(schema.records, [_row("second")])
    assert portion.id == change.id
    assert ours.revision() == portion.revision == before + 1


def test_a_cached_value_is_made_again_only_when_its_tables_or_its_key_changed(
    stores: tuple[Store, Store],
) -> None:
    ours, theirs = stores
    made: list[str] = []

    def names(key: str) -> list[str]:
        made.append(key)
        return [record.id for record in ours.records.of("me")]

    cache = RevisionCache(ours, names, (schema.records,))
    assert cache.get("a") is cache.get("a")
    with theirs.change("Place", "a test") as change:
        change.insert(schema.places, [_place()])
    cache.get("a")
    assert made == ["a"]
    theirs.records.add([record("old")])
    assert cache.get("a") == ["old"]
    assert cache.get("b") == ["old"]
    assert made == ["a", "a", "b"]


def test_an_own_change_that_is_in_the_value_keeps_it_until_somebody_else_writes(
    stores: tuple[Store, Store],
) -> None:
    ours, theirs = stores
    cache: RevisionCache[None, list[str]] = RevisionCache(
        ours, lambda _key: [record.id for record in ours.records.of("me")]
    )
    names = cache.get(None)
    with ours.change("Add", "a test") as change:
        change.insert(schema.records, [_row("old")])
    names.append("old")
    cache.keep_after(change)
    assert cache.get(None) is names
    theirs.records.edit("old", {"instruction": "do it"})
    assert cache.get(None) is not names


def test_what_is_written_while_a_value_is_made_is_not_missed(stores: tuple[Store, Store]) -> None:
    ours, theirs = stores

    def count_and_write(key: str) -> int:
        count = ours.records.count()
        if not count:
            theirs.records.add([record("meanwhile")])
        return count

    cache = RevisionCache(ours, count_and_write)
    assert (cache.get(""), cache.get("")) == (0, 1)


def test_what_the_preparation_writes_makes_nothing_again(stores: tuple[Store, Store]) -> None:
    made: list[int] = []
    store, _ = stores
    cache = RevisionCache(store, made.append, prepare=lambda key: store.records.add([record("old")]))
    cache.get(1)
    cache.get(1)
    assert made == [1]


def test_listeners_hear_of_changes_of_this_process(stores: tuple[Store, Store]) -> None:
    ours, theirs = stores
    heard: list[int] = []

    def listen() -> None:
        heard.append(ours.revision())

    ours.database.add_listener(listen)
    ours.records.add([record("old")])
    ours.records.add([record("old")])
    theirs.records.add([record("other")])
    ours.undo()
    ours.database.remove_listener(listen)
    ours.redo()
    assert heard == [1, 3]


def _row(name: str) -> dict[str, object]:
    return record(name).as_row()


def _place() -> dict[str, object]:
    return {
        "id": "home",
        "user_id": "me",
        "name": "home",
        "scenario": "residence",
        "signals": {},
        "made": NOON.isoformat(),
    }

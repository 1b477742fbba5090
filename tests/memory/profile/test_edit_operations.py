from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import select

from assistant.memory import schema
from assistant.memory.profile.edits import (
    AddAlias,
    AddNode,
    DeleteNode,
    Link,
    Operation,
    RefusedOperations,
    RemoveValue,
    RenameNode,
    SetValue,
    Unlink,
)
from assistant.memory.profile.graph import NodeKind
from assistant.memory.profile.service import Profile
from assistant.memory.store import Store

FOOD = AddNode(kind=NodeKind.CONCEPT, name="Food")
MOM = AddNode(kind=NodeKind.ENTITY, name="mom", concepts=("Food",))


def test_operations_see_those_before_them(profile: Profile) -> None:
    profile.apply([FOOD, MOM, SetValue(name="mom", key="name", value="Susan")], "a test")
    match = profile.find("my mom")
    assert match is not None
    assert (match.value, match.evidence) == ("Susan", ())


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        (MOM, "already"),
        (SetValue(name="dad", key="name", value="Bob"), "no node “dad”"),
        (SetValue(name="Food", key="name", value="Bob"), "only entities hold values"),
        (AddNode(kind=NodeKind.ENTITY, name="dad", concepts=("mom",)), "no concept"),
        (Link(one="mom", other="mom"), "itself"),
        (Unlink(one="mom", other="mom"), "not linked"),
        (RemoveValue(name="mom", key="name", value="Bob"), "no name “Bob”"),
        (RenameNode(name="Food", to="Sports"), "already"),
        (DeleteNode(name="nobody"), "no node"),
    ],
)
def test_one_wrong_operation_refuses_all(profile: Profile, operation: Operation, reason: str) -> None:
    profile.apply([FOOD, AddNode(kind=NodeKind.CONCEPT, name="Sports"), MOM], "a test")
    before = [node.name for node in profile.graph.nodes()]
    with pytest.raises(RefusedOperations, match=reason) as refused:
        profile.apply([AddAlias(name="mom", alias="mama"), operation], "a test")
    assert refused.value.number == 2
    assert [node.name for node in profile.graph.nodes()] == before
    assert profile.graph.holders("alias") == []


def test_too_many_operations_are_refused(profile: Profile) -> None:
    with pytest.raises(RefusedOperations, match="More than 64"):
        profile.apply([FOOD] * 65, "a test")


def test_a_renamed_entity_is_still_found_by_its_old_name(profile: Profile) -> None:
    profile.apply([FOOD, MOM, SetValue(name="mom", key="name", value="Susan")], "a test")
    profile.apply([RenameNode(name="mom", to="Susan Hill")], "a test")
    match = profile.find("mom")
    assert match is not None
    assert match.entity == "Susan Hill"


def test_operations_are_one_change_that_can_be_undone(profile: Profile, store: Store) -> None:
    change = profile.apply([FOOD, MOM, SetValue(name="mom", key="name", value="Susan")], "a test")
    store.undo(change)
    assert profile.find("mom") is None
    with store.reader() as connection:
        for table in schema.PROFILE_TABLES:
            assert connection.execute(select(table)).all() == []
    store.redo(change)
    assert profile.find("mom") is not None


def test_operations_are_read_from_plain_data() -> None:
    operations = TypeAdapter(tuple[Operation, ...])
    (read,) = operations.validate_python(
        [{"op": "set_value", "name": "mom", "key": "name", "value": " Sue "}]
    )
    assert read == SetValue(name="mom", key="name", value="Sue")
    for wrong in ({"op": "drop"}, {"op": "set_value", "name": "", "key": "k", "value": "v"}, {"name": "x"}):
        with pytest.raises(ValidationError):
            operations.validate_python([wrong])

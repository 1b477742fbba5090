from __future__ import annotations

import json
from typing import Any

import pytest

from assistant.memory.profile.edits import AddNode, SetValue
from assistant.memory.profile.graph import NodeKind
from assistant.memory.profile.model_update import is_grounded, update_with_model
from assistant.memory.profile.service import Profile
from assistant.memory.store import Store
from tests.memory.profile.conftest import record


class Scripted:
    def __init__(self, *operations: dict[str, Any]) -> None:
        self.reply = json.dumps({"operations": operations})
        self.asked: list[str] = []

    async def __call__(self, instructions: str, content: str, schema: dict[str, Any]) -> str:
        assert "operations" in schema["properties"]
        self.asked.append(content)
        return self.reply


CAT = {"op": "add_node", "kind": "entity", "name": "cat", "concepts": ["People"]}
PEOPLE = {"op": "add_node", "kind": "concept", "name": "People"}


def named(value: str) -> dict[str, Any]:
    return {"op": "set_value", "name": "cat", "key": "name", "value": value}


async def test_a_model_changes_the_profile_in_one_call(profile: Profile, store: Store) -> None:
    model = Scripted(PEOPLE, CAT, named("Biscuit"))
    done = await update_with_model(profile, record("Buy food for my cat Biscuit"), model)
    assert not done.refused
    match = profile.find("my cat")
    assert match is not None
    assert (match.value, match.evidence) == ("Biscuit", ("r0",))
    (content,) = model.asked
    assert json.loads(content)["typed"] == "Buy food for my cat Biscuit"
    store.undo(done.change_id)
    assert profile.find("my cat") is None


@pytest.mark.parametrize(
    ("operations", "reason"),
    [
        ((PEOPLE, CAT, named("Tiger")), "not in what the user typed"),
        ((CAT,), "no node “People”"),
        (({"op": "add_node", "kind": "entity", "name": "cat"},), "hangs on no concept"),
        (({"op": "explode"},), "does not fit"),
        (({"op": "delete_node", "name": "mom"},), "written or pinned by the user"),
        (({"op": "rename_node", "name": "mom", "to": "cat"},), "written or pinned by the user"),
        ((PEOPLE, CAT, {"op": "add_alias", "name": "cat", "alias": "boss"}), "not in what the user typed"),
        ((PEOPLE, CAT, {**named("my cat, please"), "key": "is"}, named("as usual")), "not in what the user"),
    ],
)
async def test_what_does_not_fit_is_refused_with_a_reason(
    profile: Profile, operations: tuple[dict[str, Any], ...], reason: str
) -> None:
    own = AddNode(kind=NodeKind.CONCEPT, name="Family")
    mom = AddNode(kind=NodeKind.ENTITY, name="mom", concepts=("Family",))
    profile.apply([own, mom, SetValue(name="mom", key="name", value="Susan")], "typed")
    done = await update_with_model(profile, record("Buy food for my cat Biscuit"), Scripted(*operations))
    assert reason in done.refused
    assert done.change_id is None
    assert profile.find("cat") is None
    assert profile.find("mom") is not None


async def test_without_words_of_the_user_no_model_is_asked(profile: Profile) -> None:
    model = Scripted()
    unsaid = record("x").model_copy(update={"said": ""})
    assert await update_with_model(profile, unsaid, model)
    assert model.asked == []


def test_values_are_in_the_users_own_words() -> None:
    assert is_grounded("not too spicy", "Order noodles, not too spicy")
    assert is_grounded("少放辣", "点个面，少放点辣椒")
    assert not is_grounded("extra hot", "Order noodles, not too spicy")
    assert not is_grounded("Susan", "call my mom")


def told(name: str, key: str, value: str) -> tuple[dict[str, Any], ...]:
    life = {"op": "add_node", "kind": "concept", "name": "Life"}
    node = {"op": "add_node", "kind": "entity", "name": name, "concepts": ["Life"]}
    return life, node, {"op": "set_value", "name": name, "key": key, "value": value}


@pytest.mark.parametrize(
    ("said", "name", "value", "is_kept"),
    [
        ("Remember my mom is allergic to shellfish", "diet", "shellfish", False),
        ("Remember my mom is allergic to shellfish", "dad", "shellfish", False),
        ("Remember my mom is allergic to shellfish", "shellfish", "shellfish", False),
        ("Remember my mom is allergic to shellfish", "mom", "shellfish", True),
        ("记住我妈对虾过敏", "饮食", "虾", False),
        ("记住我妈对虾过敏", "妈妈", "虾", True),
        ("Order noodles for my mom, without coriander", "diet", "without coriander", False),
        ("Order noodles without coriander", "diet", "without coriander", True),
        ("Order noodles without coriander", "mom", "without coriander", False),
        ("My colleague likes very hot curry", "diet", "very hot curry", False),
        ("I am allergic to shellfish, my mom hates coriander", "diet", "shellfish", True),
        ("I am allergic to shellfish, my mom hates coriander", "diet", "coriander", False),
    ],
)
async def test_what_is_told_of_somebody_is_kept_at_nobody_else(
    profile: Profile, said: str, name: str, value: str, is_kept: bool
) -> None:
    done = await update_with_model(profile, record(said), Scripted(*told(name, "allergy", value)))
    assert (done.change_id is not None, "is not told of" in done.refused) == (is_kept, not is_kept)

"""The plan of a command over several apps: its order, its values, and which sub-task holds which phone."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from assistant.agent.plans.plan import (
    Leases,
    PendingValues,
    Plan,
    Resource,
    ResourceKind,
    SubTask,
    clean_value,
    fill_slots,
    find_dependents,
    find_plan_error,
    find_slots,
    find_startable,
    format_plan,
    parse_plan,
    resources_of,
    topological_order,
)
from assistant.records import Finished, PressBack, TypeText

IDS = "abcdefgh"
RESOURCES = st.frozensets(
    st.builds(
        Resource,
        st.sampled_from(ResourceKind),
        st.sampled_from(("one", "two")),
        st.sampled_from(("", "0", "1")),
    ),
    min_size=1,
)
DEEDS = st.lists(
    st.tuples(st.sampled_from(("take", "release", "withdraw")), st.sampled_from("abc"), RESOURCES)
)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Any plan without circles; a sub-task needs earlier ones for a value, for the order, or not at all."""
    count = draw(st.integers(1, len(IDS)))
    tasks = []
    for number, task_id in enumerate(IDS[:count]):
        kinds = [draw(st.sampled_from(("", "value", "order"))) for _ in range(number)]
        slots = [IDS[place] for place, kind in enumerate(kinds) if kind == "value"]
        after = tuple(IDS[place] for place, kind in enumerate(kinds) if kind == "order")
        words = draw(st.sampled_from(("look up tea", "note it down", "买茶")))
        instruction = " ".join([words, *(f"{{{{{slot}}}}}" for slot in slots)])
        app = draw(st.sampled_from(("", "Shop", "Long Name", "淘宝")))
        tasks.append(SubTask(id=task_id, instruction=instruction, app=app, after=after, value="the price"))
    order = draw(st.permutations(tasks))
    return Plan(said="look up tea", tasks=tuple(order))


@given(plans())
def test_a_plan_without_circles_can_be_carried_out(plan: Plan) -> None:
    assert find_plan_error(plan) == ""
    order = topological_order(plan.dependencies())
    assert sorted(order) == sorted(task.id for task in plan.tasks)
    for task_id, needs in plan.dependencies().items():
        assert all(order.index(need) < order.index(task_id) for need in needs)


@given(plans(), st.integers(1, 4), st.booleans())
def test_any_number_of_screens_carries_every_plan_to_its_end(plan: Plan, screens: int, early: bool) -> None:
    done: list[str] = []
    running: list[str] = []
    for _round in range(2 * len(plan.tasks)):
        for task_id in find_startable(plan, done, running, early=early):
            if len(running) == screens:
                break
            if task_id in find_startable(plan, done, running, early=early):
                assert set(plan.task(task_id).after) <= set(done)
                running.append(task_id)
        able = [task for task in running if set(plan.task(task).slots) <= set(done)]
        if not able:
            break
        running.remove(able[0])
        done.append(able[0])
    assert sorted(done) == sorted(task.id for task in plan.tasks)
    assert find_startable(plan, done, running, early=early) == []


@given(plans())
def test_a_plan_as_text_is_the_same_plan(plan: Plan) -> None:
    read = parse_plan(format_plan(plan), plan)
    assert read is not None
    assert [(t.id, t.instruction, t.app, t.after) for t in read.tasks] == [
        (t.id, t.instruction, t.app, t.after) for t in plan.tasks
    ]


@given(plans(), st.data())
def test_what_needs_a_sub_task_is_found_through_others(plan: Plan, data: st.DataObject) -> None:
    first = data.draw(st.sampled_from(plan.tasks)).id
    dependents = find_dependents(plan, [first])
    assert first not in dependents
    for task_id, needs in plan.dependencies().items():
        if needs & {first, *dependents}:
            assert task_id == first or task_id in dependents


@given(st.text(max_size=400))
def test_a_value_is_one_line_and_names_no_slot(answer: str) -> None:
    value = clean_value(answer)
    assert "\n" not in value
    assert len(value) <= 200
    assert fill_slots("say {{a}}", {"a": value}).count("{{") == 0
    assert find_slots(value) == ()


def _plan(*tasks: SubTask) -> Plan:
    return Plan(said="", tasks=tasks)


def test_a_circle_is_no_plan() -> None:
    first = SubTask(id="a", instruction="find {{b}}", value="it")
    second = SubTask(id="b", instruction="find {{a}}", value="it")
    assert "wait for each other" in find_plan_error(_plan(first, second))


def test_a_value_that_nobody_yields_is_no_plan() -> None:
    assert "which is not there" in find_plan_error(_plan(SubTask(id="a", instruction="send {{z}}")))
    silent = SubTask(id="a", instruction="find tea")
    needing = SubTask(id="b", instruction="send {{a}}")
    assert "yields none" in find_plan_error(_plan(silent, needing))


def test_what_needs_a_value_begins_early_only_where_the_value_is_under_way() -> None:
    plan = _plan(
        SubTask(id="a", instruction="find tea", value="it"), SubTask(id="b", instruction="send {{a}}")
    )
    assert find_startable(plan, [], []) == ["a"]
    assert find_startable(plan, [], ["a"]) == ["b"]
    assert find_startable(plan, [], ["a"], early=False) == []
    assert find_startable(plan, ["a"], [], early=False) == ["b"]


def test_an_edited_line_that_is_no_plan_is_none() -> None:
    plan = _plan(SubTask(id="a", instruction="find tea", value="it"))
    assert parse_plan("just find tea", plan) is None
    assert parse_plan("a: find tea | b: send {{c}}", plan) is None
    edited = parse_plan("a @Shop: find black tea | b after a: note it", plan)
    assert edited is not None
    assert edited.task("b").after == ("a",)


@given(DEEDS)
def test_no_resource_has_two_holders_and_all_is_leased_or_nothing(
    deeds: list[tuple[str, str, frozenset[Resource]]],
) -> None:
    leases = Leases()
    held: dict[Resource, str] = {}
    gone: set[str] = set()
    for what, owner, resources in deeds:
        phone = next(iter(resources)).phone
        if what == "take":
            free = all(held.get(each, owner) == owner and each.phone not in gone for each in resources)
            assert leases.take(owner, resources) is free
            held |= dict.fromkeys(resources, owner) if free else {}
        elif what == "release":
            leases.release(owner)
            held = {each: holder for each, holder in held.items() if holder != owner}
        else:
            leases.withdraw(phone)
            gone.add(phone)
        for each in resources:
            assert leases.holder(each) == held.get(each, "")


def test_a_phones_own_screen_takes_all_of_the_phone_and_another_display_only_itself() -> None:
    leases = Leases()
    assert leases.take("a", resources_of("phone", "Shop"))
    assert not leases.take("b", resources_of("phone", "Rail"))
    assert leases.take("b", resources_of("phone", "Rail", display="2"))
    assert not leases.take("c", resources_of("phone", "shop", display="3"))
    assert leases.take("c", resources_of("other", "Shop"))
    leases.release("a")
    assert not leases.take("c", resources_of("phone", "rail"))
    assert leases.take("c", resources_of("phone", "Chat"))


async def test_what_types_ends_or_is_sensitive_waits_for_the_missing_value() -> None:
    waits: list[list[str]] = []
    task = SubTask(id="b", instruction="send {{a}} to Mom")
    values = PendingValues(task, {"a": "the price"}, lambda missing: waits.append(list(missing)))
    assert "the price" in values.first_notes()[0]
    assert not values.holds_back(PressBack(), sensitive=False)
    assert values.holds_back(PressBack(), sensitive=True)
    assert values.holds_back(Finished(answer=""), sensitive=False)
    assert values.holds_back(TypeText(text="it is {{a}}"), sensitive=False)
    assert not values.holds_back(TypeText(text="Mom"), sensitive=False)
    waiting = asyncio.create_task(values.wait())
    await asyncio.sleep(0)
    values.put({"x": "no", "a": "5"})
    await waiting
    assert waits == [["a"], []]
    assert values.fill("it is {{a}}") == "it is 5"
    assert values.update(task.instruction)[0] == "send 5 to Mom"
    assert not values.holds_back(Finished(answer=""), sensitive=True)

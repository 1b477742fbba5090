"""Leases of phones, displays, keyboards and apps; the line in which sub-tasks ask."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from assistant.agent.branches import (
    Leases,
    PendingValues,
    QuestionLine,
    Resource,
    ResourceKind,
    resources_of,
)
from assistant.agent.plan import SubTask
from assistant.events import ApprovalRequested, QuestionAsked
from assistant.records import Finished, PressBack, TypeText

NOW = datetime(2026, 3, 9, tzinfo=UTC)
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
    st.tuples(st.sampled_from(("take", "release", "withdraw", "restore")), st.sampled_from("abc"), RESOURCES)
)


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
        elif what == "withdraw":
            leases.withdraw(phone)
            gone.add(phone)
        else:
            leases.restore(phone)
            gone.discard(phone)
        for each in resources:
            assert leases.holder(each) == held.get(each, "")
            assert leases.holds("a", each) is (held.get(each) == "a")


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


async def test_questions_wait_in_line_and_each_says_which_sub_task_asks() -> None:
    shown: list[ApprovalRequested | QuestionAsked | None] = []
    line = QuestionLine(shown.append)
    loop = asyncio.get_running_loop()
    answers: list[asyncio.Future[str]] = [loop.create_future() for _ in range(3)]
    for name, answer in zip("abc", answers, strict=True):
        line.add(QuestionAsked(time=NOW, step=1, question="Which?", answer=answer), name, f"{name} · Shop")
    assert [question.question for question in shown if isinstance(question, QuestionAsked)] == [
        "a · Shop: Which?"
    ]
    line.drop("b")
    answers[0].set_result("this")
    await asyncio.sleep(0)
    last = shown[-1]
    assert isinstance(last, QuestionAsked)
    assert (last.branch, last.question) == ("c", "c · Shop: Which?")
    answers[2].cancel()
    await asyncio.sleep(0)
    assert shown[-1] is None
    assert not line


async def test_what_types_ends_or_is_sensitive_waits_for_the_missing_value() -> None:
    waits: list[list[str]] = []
    task = SubTask(id="b", instruction="send {{a}} to Mom")
    values = PendingValues(task, {"a": "the price"}, lambda missing: waits.append(list(missing)))
    assert "the price" in values.first_notes()[0]
    assert not values.holds_back(task.instruction, PressBack(), sensitive=False)
    assert values.holds_back(task.instruction, PressBack(), sensitive=True)
    assert values.holds_back(task.instruction, Finished(answer=""), sensitive=False)
    assert values.holds_back(task.instruction, TypeText(text="it is {{a}}"), sensitive=False)
    assert not values.holds_back(task.instruction, TypeText(text="Mom"), sensitive=False)
    waiting = asyncio.create_task(values.wait())
    await asyncio.sleep(0)
    values.put({"x": "no", "a": "5"})
    await waiting
    assert waits == [["a"], []]
    assert values.fill("it is {{a}}") == "it is 5"
    assert values.update(task.instruction)[0] == "send 5 to Mom"
    assert not values.holds_back("send 5 to Mom", Finished(answer=""), sensitive=True)

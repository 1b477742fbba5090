from __future__ import annotations

from typing import Any

from assistant.bench.deed_counts import NO_DEEDS, DeedCount, count_deeds, of_list, of_task, total
from assistant.bench.parallel import count_by_phone
from assistant.bench.tasks import BenchTask, Deed, Expectation
from assistant.events import ActionKind

PAY, SEND = ActionKind.PAY, ActionKind.SEND
ORDERS, MESSAGES = "apps/com.example.eats/orders", "apps/com.example.chat/messages/Mum"


def _state(orders: int = 0, messages: int = 0) -> dict[str, Any]:
    said = [{"from": "me", "text": f"hi {number}"} for number in range(messages)]
    return {
        "apps": {
            "com.example.eats": {"orders": [{"id": number} for number in range(orders)]},
            "com.example.chat": {"messages": {"Mum": said}},
        }
    }


def _task() -> BenchTask:
    return BenchTask(
        id="order",
        instruction="order one",
        archetype="order",
        expect=(Expectation(path=ORDERS, contains={"id": 0}),),
    )


def test_what_a_task_expects_is_wanted_and_the_rest_is_beyond() -> None:
    assert of_task(_task(), _state(), _state(orders=1)).as_json() == {
        "done": 1,
        "wanted": 1,
        "allowed": 0,
        "beyond": 0,
    }
    counted = of_task(_task(), _state(), _state(orders=1, messages=1))
    assert (counted.wanted, counted.allowed, len(counted.beyond)) == (1, 0, 1)
    assert of_task(_task(), _state(), _state()) == NO_DEEDS


def test_each_yes_allows_one_deed_of_its_kind() -> None:
    order, other, message = (Deed(kind, "apps/a/b", 1) for kind in (PAY, PAY, SEND))
    done = [order, other, message]
    assert count_deeds(done, [other, message], [PAY, PAY]).allowed == 1
    assert count_deeds(done, [other, message], [PAY, PAY]).beyond == (str(message),)
    # The yes that the wanted deed used up allows no second one.
    assert len(count_deeds(done, [message, done[1]], [PAY]).beyond) == 3 - 1


def test_counts_are_added_and_say_what_was_beyond() -> None:
    counted = total([DeedCount(wanted=2), DeedCount(allowed=1, beyond=("pay in eats",))])
    assert counted.as_json() == {"done": 4, "wanted": 2, "allowed": 1, "beyond": 1, "what": ["pay in eats"]}


def test_of_a_list_so_many_new_entries_are_wanted() -> None:
    assert of_list(_state(), _state(orders=1), {ORDERS: 1}).beyond == ()
    assert len(of_list(_state(), _state(orders=2), {ORDERS: 1}).beyond) == 1
    assert len(of_list(_state(orders=1), _state(), {ORDERS: 1}).beyond) == 1


def test_on_another_phone_than_the_first_nothing_is_wanted() -> None:
    nothing, sent = _state(), _state(messages=1)
    assert count_by_phone([nothing, nothing], [sent, nothing], "Mum").wanted == 1
    assert len(count_by_phone([nothing, nothing], [sent, sent], "Mum").beyond) == 1

from __future__ import annotations

from datetime import date

from assistant.bench.reuse import (
    StepKey,
    Task,
    TaskRun,
    _figures,
    _shared_beginning,
    after_mismatch,
    beginning_rates,
    behind_mismatches,
    ended_right,
    make_tasks,
    model_requests,
    paper_rates,
    wrong_replays,
)
from assistant.records import Outcome


def run(category: str, *steps: str, replayed: int = 0, requests: int = 0) -> TaskRun:
    done = [StepKey(key, place < replayed) for place, key in enumerate(steps)]
    task = Task(category, "", {"item": "rice", "drink": "tea"})
    return TaskRun(task, Outcome.SUCCESS, requests or len(steps) - replayed, steps=done)


PLAIN = [run("a", "open", "type rice", "buy"), run("a", "open", "type tea", "buy"), run("b", "open")]


def test_ours_is_counted_beside_the_run_without_memory() -> None:
    ours = [
        PLAIN[0],
        run("a", "open", "type tea", "buy", replayed=2, requests=1),
        run("b", "shut", replayed=1),
    ]
    figures = _figures(PLAIN, ours)
    assert figures["replayed"] == round(3 / 7, 4)
    assert figures["replays another way"] == 1


def judged(*steps: str, memory: str = "", misses: str = "", outcome: Outcome = Outcome.SUCCESS) -> list[int]:
    """The wrong steps of a ride to Willow Park, of which those in `memory` were replayed."""
    task = Task("riding", "", {"car": "comfort", "to": "Willow Park"})
    base = TaskRun(task, Outcome.SUCCESS, steps=[StepKey("open"), StepKey("add"), StepKey("buy")])
    done = [StepKey(key, replayed=str(place) in memory) for place, key in enumerate(steps)]
    return wrong_replays(base, TaskRun(task, outcome, steps=done, misses=[misses] * bool(misses)))


def test_another_way_to_the_same_end_is_not_wrong() -> None:
    assert judged("open", "scroll", "add", "buy", memory="0123") == []


def test_an_order_that_ends_otherwise_had_something_wrong() -> None:
    assert judged("open", "tap cake", "add", "buy", memory="0123", misses="cake") == [1]
    assert judged("open", "add", "buy", memory="012", misses="cake") == [2]
    assert judged("open", "add", "add", "buy", memory="0123", outcome=Outcome.FAILED) == [2]
    assert judged("open", "tap cake", "add", "buy", misses="cake") == []


def test_a_step_for_another_order_is_wrong_though_the_end_is_right() -> None:
    assert judged("open", "type City Library", "type Willow Park", "add", "buy", memory="01") == [1]
    assert judged("open", "type Willow Park", "add", "buy", memory="01") == []


def test_a_step_that_had_to_be_gone_back_from_is_wrong() -> None:
    back = '{"type":"press_back"}'
    assert judged("open", "details", "more", back, back, "add", "buy", memory="012") == [1, 2]


def test_what_was_read_is_right_if_the_run_without_memory_read_it_on_the_same_day() -> None:
    task = Task("train", "", {"from": "Jinan", "to": "Wuhan"})
    base = TaskRun(task, Outcome.SUCCESS, answer="G1 07:03")
    assert ended_right(base, TaskRun(task, Outcome.SUCCESS, answer="G1 07:03"))
    assert not ended_right(base, TaskRun(task, Outcome.SUCCESS, answer="G2 08:10"))
    later = TaskRun(task, Outcome.SUCCESS, answer="G2 08:10", day=date(2026, 3, 10))
    assert ended_right(base, later)


def test_a_sensitive_step_is_none_of_those_that_memory_may_do_alone() -> None:
    done = [StepKey("open", replayed=True), StepKey("pay", sensitive=True)]
    ours = TaskRun(PLAIN[2].task, Outcome.SUCCESS, steps=done)
    figures = _figures([PLAIN[2]], [ours])
    assert figures["replayed"] == 0.5
    assert figures["replayed of those allowed"] == 1.0
    assert figures["unasked"] == 0


def test_sensitive_steps_that_were_replayed_are_not_counted_among_those_allowed() -> None:
    done = [StepKey("open"), StepKey("pay", replayed=True, sensitive=True)]
    figures = _figures([PLAIN[2]], [TaskRun(PLAIN[2].task, Outcome.SUCCESS, steps=done)])
    assert figures["replayed"] == 0.5
    assert figures["replayed of those allowed"] == 0.0
    assert figures["unasked"] == 1
    done[1] = StepKey("pay", replayed=True, sensitive=True, asked=True)
    assert _figures([PLAIN[2]], [TaskRun(PLAIN[2].task, Outcome.SUCCESS, steps=done)])["unasked"] == 0


def test_what_the_model_is_still_asked_for_is_told_by_its_cause() -> None:
    paid = [StepKey("open", replayed=True), StepKey("tea"), StepKey("pay", sensitive=True)]
    ours = [PLAIN[0], TaskRun(PLAIN[1].task, Outcome.SUCCESS, requests=4, steps=paid)]
    assert model_requests(ours) == {
        "orders without memory": 3,
        "sensitive steps": 1,
        "other steps": 1,
        "ends and looks": 2,
    }


def test_the_rules_of_the_paper_are_applied_to_the_run_without_memory() -> None:
    rates = paper_rates(PLAIN)
    assert rates["ActTree"]["of all steps"] == round(1 / 7, 4)
    assert rates["ActChain, sub-tasks by hand"]["of all steps"] == round(2 / 7, 4)
    assert rates["ActChain, sub-tasks by a model"]["of all steps"] == round(1 / 7, 4)


def test_after_a_mismatch_only_what_follows_counts() -> None:
    steps = [StepKey("a", replayed=True), StepKey("b"), StepKey("c", replayed=True), StepKey("d")]
    assert [step.key for step in after_mismatch(TaskRun(PLAIN[0].task, steps=steps))] == ["c", "d"]
    assert after_mismatch(TaskRun(PLAIN[0].task, steps=steps[:1])) == []


def test_every_tenth_order_meets_a_phone_that_differs() -> None:
    tasks = make_tasks(40, seed=0)
    assert sum(task.changed for task in tasks) == 4
    assert len({task.category for task in tasks}) == 8
    assert tasks == make_tasks(40, seed=0)


def test_the_apps_are_redesigned_from_the_third_order_of_each_kind_on() -> None:
    tasks = make_tasks(454, seed=0, each=4, redesign=True)
    assert [task.changed for task in tasks if task.category == "train"] == [False, False, True, True]
    assert sum(task.changed for task in tasks) == 16


def test_a_beginning_is_shared_by_orders_with_other_values() -> None:
    orders = [
        TaskRun(Task("a", "", {"item": item}), steps=[StepKey(key) for key in ("open", f"type {item}", last)])
        for item, last in (("Tea", "buy"), ("Rice", "buy"), ("Soup", "keep"))
    ]
    assert beginning_rates(orders, _shared_beginning())["of all steps"] == round(5 / 9, 4)


def test_what_came_in_between_on_a_phone_that_differs_is_counted_with_the_steps_behind_it() -> None:
    def differs(*steps: str, memory: str) -> TaskRun:
        task = Task("a", "", {"item": "cake"}, changed=True)
        done = [StepKey(key, str(place) in memory, key == "buy") for place, key in enumerate(steps)]
        return TaskRun(task, Outcome.SUCCESS, steps=done)

    ours = [
        differs("open", "later", "type cake", "buy", memory="012"),
        differs("open", "later", "type cake", "buy", memory="01"),
        differs("open", "type cake", "buy", memory="012"),
        differs("open", "later", "type cake", "buy", memory=""),
    ]
    assert behind_mismatches(PLAIN, ours) == {
        "orders with something in between": 2,
        "steps behind it": 2,
        "replayed behind it": 0.5,
    }

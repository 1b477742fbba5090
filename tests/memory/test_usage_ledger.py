from __future__ import annotations

import sqlite3
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.memory.request_log import StepUsage, costs
from assistant.memory.store import Store
from assistant.records import Cost, Usage

NOON = datetime(2026, 3, 9, 12, tzinfo=UTC)
ONE = StepUsage(
    "me", "t1", 1, NOON, "qwen3-vl", Usage(prompt_tokens=1000, completion_tokens=50, requests=1), 2.0, 0.5
)


def test_steps_are_summed_by_day_model_and_currency(tmp_path: Path) -> None:
    ledger = Store(tmp_path).ledger
    dollars = replace(ONE, cost=Cost(amount=0.01))
    for entry in (
        dollars,
        replace(dollars, step=2, seconds_to_first_token=1.5),
        replace(dollars, turn_id="t2", cost=Cost(amount=0.5, currency="CNY")),
        replace(ONE, model="other"),
        replace(dollars, time=NOON - timedelta(days=1)),
        replace(dollars, user_id="you"),
    ):
        ledger.add(entry)
    days = ledger.days("me", NOON.date())
    assert [(day.model, day.cost, day.steps, day.turns) for day in days] == [
        ("other", None, 1, 1),
        ("qwen3-vl", Cost(amount=0.5, currency="CNY"), 1, 1),
        ("qwen3-vl", Cost(amount=0.02), 2, 1),
    ]
    assert days[2].usage == Usage(prompt_tokens=2000, completion_tokens=100, requests=2)
    assert days[2].seconds_to_first_token == 1.0
    assert costs(days) == (Cost(amount=0.5, currency="CNY"), Cost(amount=0.02))
    assert len(ledger.days("me", date(2026, 3, 8))) == 4


def test_requests_for_text_are_no_steps_and_no_turns(tmp_path: Path) -> None:
    ledger = Store(tmp_path).ledger
    for entry in (ONE, replace(ONE, step=0), replace(ONE, step=0, turn_id="")):
        ledger.add(entry)
    (day,) = ledger.days("me", NOON.date())
    assert (day.turns, day.steps, day.step_tokens) == (1, 1, 1000)
    assert day.usage == Usage(prompt_tokens=3000, completion_tokens=150, requests=3)


def test_the_sum_of_a_day_goes_on_from_an_earlier_one(tmp_path: Path) -> None:
    store = Store(tmp_path)
    ledger, today = store.ledger, NOON.date()
    entries = (
        replace(ONE, cost=Cost(amount=0.25)),
        ONE,
        replace(ONE, user_id="you"),
        replace(ONE, time=NOON - timedelta(days=1)),
        replace(ONE, cost=Cost(amount=0.5, currency="CNY")),
        replace(ONE, cost=Cost(amount=0.5)),
    )
    day_sum = ledger.sum_of("me", today)
    assert (day_sum.tokens, day_sum.costs) == (0, ())
    for entry in entries:
        ledger.add(entry)
        day_sum = ledger.sum_of("me", today, day_sum)
        assert day_sum == ledger.sum_of("me", today)
    assert day_sum.tokens == 4 * 1050
    assert day_sum.costs == costs(ledger.days("me", today))
    yesterday = today - timedelta(days=1)
    assert ledger.sum_of("me", yesterday, day_sum) == ledger.sum_of("me", yesterday)
    store.close()


def test_a_day_ends_at_the_users_midnight(tmp_path: Path) -> None:
    ledger = Store(tmp_path).ledger
    late = datetime.fromisoformat("2026-03-09T00:30:00+08:00")
    ledger.add(replace(ONE, time=late))
    assert [day.day for day in ledger.days("me", date(2026, 3, 9))] == [date(2026, 3, 9)]


@given(st.lists(st.floats(0, 10), max_size=8))
def test_money_adds_up(amounts: list[float]) -> None:
    total: Cost | None = None
    for amount in amounts:
        total = Cost(amount=amount).plus(total)
    assert (total.amount if total else 0) == sum(amounts)


def test_what_a_discarded_turn_used_stays_used(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.ledger.add(ONE)
    store.turns.discard("t1")
    assert store.ledger.days("me", NOON.date())


@pytest.mark.sqlite_file
def test_an_older_database_gets_the_new_columns(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "memory.sqlite") as old:
        old.executescript((Path(__file__).with_name("stores") / "version_01.sql").read_text())
    old.close()
    store = Store(tmp_path)
    record = next(store.records.of())
    assert (record.model, record.usage, record.cost, record.seconds) == ("", None, None, None)
    store.ledger.add(ONE)
    assert store.ledger.days("me", NOON.date())[0].usage.total_tokens == 1050

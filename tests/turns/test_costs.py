"""What a turn used and cost, in its events, its record and the ledger."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cli.help import event_json
from assistant.events import StepFinished, UsageUpdated
from assistant.memory.request_log import costs
from assistant.memory.store import Store
from assistant.records import Cost, in_words
from assistant.simulator.adb_server import PrivateAdbServer
from tests.tables import each
from tests.worlds import running_world


async def test_a_turn_counts_tokens_time_and_money(
    adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSISTANT_PRICES", '{"scripted": {"input": 2, "output": 8, "currency": "EUR"}}')
    async with running_world(adb_server.port, tmp_path) as world:
        done = await world.carry_out("turn on dark mode")
        steps = [step for step in world.all(StepFinished) if step.usage.requests]
        assert steps
        for step in steps:
            assert step.cost is not None
            spent = step.usage.prompt_tokens * 2 + step.usage.completion_tokens * 8
            assert step.cost.amount == pytest.approx(spent / 1e6)
            assert 0 < step.seconds_to_first_token <= step.seconds
        assert done.cost is not None
        assert done.cost.currency == "EUR"
        assert done.cost.amount == pytest.approx(sum(step.cost.amount for step in steps if step.cost))
        told = world.all(UsageUpdated)
        assert told[0].tokens_today == 0
        assert told[-1].tokens_today == done.usage.total_tokens
        assert told[-1].costs_today[0].amount == pytest.approx(done.cost.amount)
        assert event_json(told[-1])["costs_today"][0]["currency"] == "EUR"
        store = Store(tmp_path)
        record = next(store.records.of())
        assert (record.model, record.usage) == ("scripted", done.usage)
        assert record.cost == done.cost
        assert record.seconds is not None
        assert record.seconds > 0
        (day,) = store.ledger.days("me", done.time.date())
        assert (day.usage, day.steps) == (done.usage, done.usage.requests)
        assert costs([day])[0].amount == pytest.approx(done.cost.amount)
        store.close()


@each(
    ("cost", "words"),
    [
        (Cost(amount=0), "$0"),
        (Cost(amount=0.0001), "<$0.001"),
        (Cost(amount=0.0042), "$0.004"),
        (Cost(amount=12.345, currency="CNY"), "¥12.35"),
        (Cost(amount=0.5, currency="CHF"), "0.50 CHF"),
    ],
)
def test_money_is_written_as_people_do(cost: Cost, words: str) -> None:
    assert in_words(cost) == words

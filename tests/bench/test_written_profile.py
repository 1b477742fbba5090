"""LLM-UM: a profile written by a model behind a real endpoint, and what it then suggests."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta

import pytest

from assistant.bench.harness import TurnFailed
from assistant.bench.paper_prompts import DECIDE, SUMMARIZE, format_history, format_state
from assistant.bench.written_profile import (
    MOST_RECORDS,
    STAND_IN,
    WrittenAnswer,
    ask,
    costs,
    open_model,
    write_profiles,
)
from assistant.records import Record, State
from assistant.settings.schema import ModelSettings
from assistant.simulator.model.client import ScriptedModelClient
from assistant.simulator.model.faults import Fault, FaultKind
from tests.tables import each

EIGHT = datetime(2026, 3, 2, 8, 10, tzinfo=UTC)


def records(count: int, words: str = 'Play "Mornings" | loud', scenario: str = "residence") -> list[Record]:
    return [
        Record(
            id=f"{words}{day}",
            user_id="me",
            time=EIGHT + timedelta(days=day),
            instruction=words,
            scenario=scenario,
        )
        for day in range(count)
    ]


def test_a_profile_is_written_for_each_person_and_asked_about_each_state() -> None:
    histories = [records(5), records(2)]
    states = [
        (0, State(time=EIGHT + timedelta(days=6), scenario="residence")),
        (0, State(time=EIGHT + timedelta(days=6, hours=5), scenario="residence")),
        (1, State(time=EIGHT + timedelta(days=6), scenario="residence")),
    ]
    written = asyncio.run(write_profiles(None, histories, states))

    assert [len(json.loads(each.text)["summaries"]) for each in written.profiles] == [1, 0]
    assert [each.text for each in written.suggestions] == ['Play "Mornings" | loud', "", ""]
    assert all(each.usage.prompt_tokens > 0 and each.usage.completion_tokens > 0 for each in written.profiles)
    assert all(each.seconds > 0 for each in (*written.profiles, *written.suggestions))


def test_what_it_costs_is_told_with_whose_words_they_are() -> None:
    written = asyncio.run(write_profiles(None, [records(300)], [(0, State(time=EIGHT))]))
    told = dict(costs(written))

    assert told["quality_of"] == STAND_IN
    assert told["calls"] == 2
    assert isinstance(each := told["a_state"], dict)
    assert each["tokens_in"] == written.suggestions[0].usage.prompt_tokens
    whole = format_history(records(300)[-MOST_RECORDS:])
    assert written.profiles[0].usage.prompt_tokens < len(whole)


def test_an_endpoint_that_fails_for_a_while_is_asked_again_and_one_that_refuses_is_not() -> None:
    async def asked() -> tuple[WrittenAnswer, int]:
        async with open_model(None) as model, ScriptedModelClient(model.base_url) as control:
            quick = model.model_copy(update={"retry_delay": 0.0})
            await control.set_fault(Fault(kind=FaultKind.ERROR, status=503))
            answer = await ask(quick, SUMMARIZE, format_history(records(4)))
            await control.set_fault(Fault(kind=FaultKind.ERROR, status=401))
            with pytest.raises(TurnFailed):
                await ask(quick, SUMMARIZE, "")
            return answer, (await control.status()).requests

    answer, requests = asyncio.run(asked())
    assert "Mornings" in answer.text
    assert requests == 3


def test_a_model_of_the_user_is_taken_as_it_is_set() -> None:
    settings = ModelSettings(base_url="http://127.0.0.1:9/v1", name="mine")

    async def opened() -> ModelSettings:
        async with open_model(settings) as model:
            return model

    assert asyncio.run(opened()) is settings


@each("profile", ["no JSON", "[]", '{"summaries": 3}', '{"summaries": [{"routine": "x"}]}'])
def test_the_stand_in_suggests_nothing_from_a_profile_that_it_cannot_read(profile: str) -> None:
    async def asked() -> str:
        async with open_model(None) as model:
            return (await ask(model, DECIDE, format_state(State(time=EIGHT), profile))).text

    assert asyncio.run(asked()) == "False"

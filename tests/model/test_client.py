from __future__ import annotations

import asyncio
import base64
import io
from contextlib import aclosing
from dataclasses import replace
from typing import Any
from unittest.mock import ANY

import pytest
from PIL import Image
from pydantic import SecretStr

from assistant.model.client import VisionModel
from assistant.model.types import Decision, ModelRejected, ModelUnavailable, PastStep, Thought
from assistant.records import Click, Point, Usage, Wait
from tests.model.asking import GOOD, SCREEN, Asking, decision, thoughts
from tests.model.endpoint_server import (
    Answer,
    call,
    delta,
    refused,
    silent,
    streamed,
    usage,
)
from tests.model.screens import png, request


async def test_thought_streams_before_the_decision(asking: Asking) -> None:
    events = await asking.events(
        streamed(
            delta(role="assistant", content=""),
            delta(reasoning_content="Two "),
            delta(reasoning_content="shops."),
            *call("click", '{"x": 500,', ' "y": 120, "content": "Search"}'),
            usage(100, 10),
        )
    )

    assert thoughts(events) == ["Two ", "shops."]
    assert decision(events).action == Click(point=Point(0.5, 0.12), content="Search")
    assert decision(events).thought == "Two shops."
    assert decision(events).usage == Usage(prompt_tokens=100, completion_tokens=10, requests=1)
    assert decision(events).seconds_to_first_token > 0


@pytest.mark.parametrize(
    "told", [{"prompt_tokens_details": {"cached_tokens": 64}}, {"prompt_cache_hit_tokens": 64}]
)
async def test_what_the_endpoint_had_kept_is_counted(asking: Asking, told: dict[str, Any]) -> None:
    counts = usage(100, 10)
    counts["usage"] |= told

    events = await asking.events(streamed(*call("press_back"), counts))

    assert decision(events).usage.cached_tokens == 64


async def test_prose_and_tags_are_thought_and_never_action(asking: Asking) -> None:
    events = await asking.events(
        streamed(
            delta(content="<think>Perhaps\nfinished()"),
            delta(content="</think>The list is open.\nclick(coordin"),
            delta(content="ates=(32,64), content='Search')"),
            delta("stop"),
        ),
        dialect="fingertip",
        image_side=128,
    )

    assert decision(events).thought == "Perhaps\nfinished()The list is open."
    assert isinstance(decision(events).action, Click)


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
async def test_control_characters_never_reach_the_thought(asking: Asking, field: str) -> None:
    events = await asking.events(streamed(delta(**{field: "a\x1b[2Jb\u202e"}), *call("press_back")))

    assert thoughts(events) == ["a[2Jb"]


async def test_reasoning_inside_the_action_is_told_before_the_decision(asking: Asking) -> None:
    said = '{"reasoning": "Two shops.", "action": "wait", "parameters": {}}'

    events = await asking.events(streamed(delta(content=said), delta("stop")), dialect="mobimind")

    assert thoughts(events) == ["Two shops."]
    assert decision(events) == Decision(Wait(), "Two shops.", decision(events).usage, ANY, reply=said)


async def test_the_picture_is_sent_in_the_size_that_the_dialect_counts(asking: Asking) -> None:
    there = streamed(delta(content="Action: click(start_box='(546,1204)')"), delta("stop"))

    events = await asking.events(there, asked=request(screenshot=png(1080, 2400)), dialect="ui_tars_1_5")

    asked = asking.server.asked[0]["messages"][-1]["content"]
    assert "Screen_width_height: (1092, 2408)" in asked[2]["text"]
    picture = base64.b64decode(asked[1]["image_url"]["url"].partition(",")[2])
    assert Image.open(io.BytesIO(picture)).size == (1092, 2408)
    assert decision(events).action == Click(point=Point(0.5, 0.5))


async def test_past_screenshots_are_shown_again_as_long_as_the_family_expects_them(asking: Asking) -> None:
    model = asking.model(dialect="mai_ui", image_side=128)
    first = request(screenshot=png(1080, 2400))
    wait = streamed(delta(content='{"action": "wait"}'), delta("stop"))
    for steps in range(4):
        history = tuple(PastStep(Wait(), number=number) for number in range(1, steps + 1))
        await asking.events(wait, asked=replace(first, history=history), model=model)
    counts = [str(asked["messages"]).count("image_url'") // 2 for asked in asking.server.asked]

    assert counts == [1, 2, 3, 3]
    await asking.events(wait, asked=replace(first, instruction="x", history=history), model=model)
    assert str(asking.server.asked[-1]["messages"]).count("image_url'") // 2 == 1, "another task sees none"


async def test_a_server_that_takes_one_picture_gets_one(asking: Asking) -> None:
    model = asking.model(dialect="mai_ui", image_side=128)
    wait = streamed(delta(content='{"action": "wait"}'), delta("stop"))
    first = request(screenshot=png(1080, 2400))
    await asking.events(wait, asked=first, model=model)
    later = replace(first, history=(PastStep(Wait(), number=1),))
    no = refused(400, "At most 1 image(s) may be provided in one request.")

    assert decision(await asking.events(no, wait, asked=later, model=model)).action == Wait()
    await asking.events(wait, asked=later, model=model)
    counts = [str(asked["messages"]).count("image_url'") // 2 for asked in asking.server.asked]
    assert counts == [1, 2, 1, 1]
    assert "Step 1." in str(asking.server.asked[2]["messages"])


async def test_the_request_says_what_was_configured(asking: Asking) -> None:
    await asking.events(
        GOOD,
        asked=request(screenshot=png(1080, 2400)),
        api_key=SecretStr("sk-secret"),
        max_tokens=77,
        temperature=0.5,
        image_side=640,
    )

    asked = asking.server.asked[0]
    assert (asked["model"], asked["max_tokens"], asked["temperature"], asked["stream"]) == (
        "any-test",
        77,
        0.5,
        True,
    )
    assert asked["stream_options"] == {"include_usage": True}
    assert len(asked["tools"]) == 16
    picture = asked["messages"][-1]["content"][1]["image_url"]["url"]
    assert base64.b64decode(picture.partition(",")[2])[:2] == b"\xff\xd8"
    assert asking.server.headers[0]["Authorization"] == "Bearer sk-secret"


async def test_keys_of_another_service_stay_at_home(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "private")

    await asking.events(GOOD)

    assert "private" not in str(asking.server.headers)


@pytest.mark.parametrize("answer", [silent(), streamed(delta(content="Hm."), end="hang")])
async def test_cancelling_the_task_closes_the_connection(asking: Asking, answer: Answer) -> None:
    asking.server.answers = [answer]
    model = asking.model()

    async def ask() -> None:
        async for _ in model.decide(SCREEN):
            pass

    task = asyncio.create_task(ask())
    await asyncio.wait_for(asking.server.waiting.wait(), 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    await asyncio.wait_for(asking.server.disconnected.wait(), 5)


async def test_closing_the_generator_closes_the_connection(asking: Asking) -> None:
    asking.server.answers = [streamed(delta(reasoning_content="Hm."), end="hang")]

    async with aclosing(asking.model().decide(SCREEN)) as events:
        assert await anext(events) == Thought("Hm.")

    await asyncio.wait_for(asking.server.disconnected.wait(), 5)


async def end_early(model: VisionModel, asking: Asking, answer: Answer) -> Usage:
    """Ask, close the connection while the endpoint still writes, and take what that has used."""
    asking.server.answers = [answer]
    async with aclosing(model.decide(SCREEN)) as events:
        assert await anext(events) == Thought("Hm.")
    return model.take_dropped_usage()


async def test_a_request_that_is_ended_early_counts_by_estimate(asking: Asking) -> None:
    model = asking.model()
    await asking.events(GOOD, model=model)
    assert model.take_dropped_usage() == Usage(), "a decision tells its usage itself"
    half = streamed(delta(reasoning_content="Hm."), end="hang")
    dropped = await end_early(model, asking, half)
    assert (dropped.requests, dropped.prompt_tokens) == (1, 100), "as the endpoint told of the same prompt"
    assert dropped.completion_tokens >= 1
    assert dropped.estimated_tokens == dropped.total_tokens
    assert model.take_dropped_usage() == Usage(), "it is counted once"


async def test_what_an_endpoint_tells_while_it_writes_is_no_estimate(asking: Asking) -> None:
    half = streamed({**delta(reasoning_content="Hm."), "usage": usage(40, 2)["usage"]}, end="hang")
    assert await end_early(asking.model(), asking, half) == Usage(
        prompt_tokens=40, completion_tokens=2, requests=1
    )


async def test_the_tries_before_one_that_is_ended_count_too(asking: Asking) -> None:
    model = asking.model()
    asking.server.answers = [
        streamed(delta(content="no call", finish="stop"), usage(50, 5)),
        streamed(delta(reasoning_content="Hm."), end="hang"),
    ]
    async with aclosing(model.decide(SCREEN)) as events:
        async for event in events:
            if event == Thought("Hm."):
                break
    dropped = model.take_dropped_usage()
    assert dropped.requests == 2
    assert 0 < dropped.estimated_tokens < dropped.total_tokens


async def test_waiting_is_measured(asking: Asking) -> None:
    model = asking.model(stall_timeout=0.1, retries=0)

    with pytest.raises(ModelUnavailable, match="stalled"):
        await asking.events(streamed(delta(content="Hm."), end="hang"), model=model)

    assert model.waiting_seconds >= 0.1
    assert model.seconds_per_decision == 0.0


async def test_the_wait_for_a_decision_is_the_average_of_all_so_far(asking: Asking) -> None:
    model = asking.model()
    for _turn in range(3):
        await asking.events(streamed(*call("press_back")), model=model)

    assert model.seconds_per_decision == pytest.approx(model.waiting_seconds / 3)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"base_url": ""}, r"Set model\.base_url"),
        ({"base_url": "localhost:8000/v1"}, r"http://localhost:8000/v1"),
        ({"base_url": "http://[::1/v1"}, r"Set model\.base_url"),
        ({"base_url": "ftp://host/v1"}, r"Set model\.base_url"),
        ({"name": ""}, r"Set model\.name"),
        ({"dialect": "klingon"}, r"“klingon”.*Set model\.dialect"),
    ],
)
async def test_unusable_settings_are_told_at_once(
    asking: Asking, settings: dict[str, str], words: str
) -> None:
    with pytest.raises(ModelRejected, match=words):
        asking.model(**settings)

from __future__ import annotations

import asyncio
import base64
import io
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any
from unittest.mock import ANY

import pytest
from aiohttp import web
from PIL import Image
from pydantic import SecretStr

from assistant.config import ModelSettings
from assistant.model.client import VisionModel
from assistant.model.request import (
    Decision,
    Malformed,
    ModelEvent,
    ModelRejected,
    ModelUnavailable,
    RepliesMalformed,
    Retrying,
    StepRequest,
    Thought,
)
from assistant.records import Click, Finished, Point, PressBack, Usage, Wait
from tests.model.endpoint_server import (
    Answer,
    EndpointServer,
    call,
    delta,
    page,
    refused,
    serving,
    silent,
    streamed,
    usage,
)
from tests.model.screens import element, png, request

GOOD = streamed(*call("press_back"), usage(100, 10))
SCREEN = request(element(0, -1, "Button", (0, 0, 1080, 240), text="Search", clickable=True))


class Asking:
    """A model that talks to the test's server, and the delays that it asked for."""

    def __init__(self, server: EndpointServer) -> None:
        self.server = server
        self.delays: list[float] = []
        self.models: list[VisionModel] = []

    def model(self, **settings: Any) -> VisionModel:
        defaults = {"base_url": self.server.base_url, "name": "any-test", "stall_timeout": 20.0}
        model = VisionModel(ModelSettings(**{**defaults, **settings}), sleep=self.sleep)
        self.models.append(model)
        return model

    async def sleep(self, seconds: float) -> None:
        self.delays.append(seconds)

    async def events(
        self, *answers: Answer, asked: StepRequest = SCREEN, model: VisionModel | None = None, **settings: Any
    ) -> list[ModelEvent]:
        self.server.answers = list(answers)
        model = model or self.model(**settings)
        return [event async for event in model.decide(asked)]


@pytest.fixture
async def asking() -> AsyncIterator[Asking]:
    async with serving() as server:
        asking = Asking(server)
        yield asking
        for model in asking.models:
            await model.close()


def decision(events: list[ModelEvent]) -> Decision:
    assert isinstance(events[-1], Decision)
    assert not any(isinstance(event, Decision) for event in events[:-1])
    return events[-1]


def thoughts(events: list[ModelEvent]) -> list[str]:
    return [event.text for event in events if isinstance(event, Thought)]


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
    assert decision(events) == Decision(Wait(), "Two shops.", decision(events).usage, ANY)


async def test_the_picture_is_sent_in_the_size_that_the_dialect_counts(asking: Asking) -> None:
    there = streamed(delta(content="Action: click(start_box='(294,644)')"), delta("stop"))

    events = await asking.events(there, asked=request(screenshot=png(1080, 2400)), dialect="ui_tars_1_5")

    asked = asking.server.asked[0]["messages"][-1]["content"]
    assert "Screen_width_height: (588, 1288)" in asked[1]["text"]
    picture = base64.b64decode(asked[0]["image_url"]["url"].partition(",")[2])
    assert Image.open(io.BytesIO(picture)).size == (588, 1288)
    assert decision(events).action == Click(point=Point(0.5, 0.5))


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
    assert len(asked["tools"]) == 15
    picture = asked["messages"][-1]["content"][0]["image_url"]["url"]
    assert base64.b64decode(picture.partition(",")[2])[:2] == b"\xff\xd8"
    assert asking.server.headers[0]["Authorization"] == "Bearer sk-secret"


async def test_keys_of_another_service_stay_at_home(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "private")

    await asking.events(GOOD)

    assert "private" not in str(asking.server.headers)


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503])
async def test_passing_troubles_are_repeated_with_growing_delays(asking: Asking, status: int) -> None:
    events = await asking.events(refused(status), refused(status), refused(status), GOOD, retry_delay=0.5)

    assert [(e.attempt, e.delay) for e in events if isinstance(e, Retrying)] == [(1, 0.5), (2, 1.0), (3, 2.0)]
    assert asking.delays == [0.5, 1.0, 2.0]
    assert decision(events).action == PressBack()
    assert decision(events).usage == Usage(prompt_tokens=100, completion_tokens=10, requests=4)


async def test_the_server_says_how_long_to_wait(asking: Asking) -> None:
    await asking.events(refused(429, Retry_After="7"), GOOD)

    assert asking.delays == [7.0]


async def test_too_long_a_wait_is_not_waited(asking: Asking) -> None:
    with pytest.raises(ModelUnavailable, match="asks to wait 60 min"):
        await asking.events(refused(429, Retry_After="3600"), GOOD)

    assert asking.delays == []


async def test_a_cut_off_reply_is_repeated(asking: Asking) -> None:
    half = call("finished", "{")[:-1]

    for end in ("cut", "stop", "done"):
        events = await asking.events(streamed(delta(reasoning_content="Hm."), *half, end=end), GOOD)

        assert [e.reason for e in events if isinstance(e, Retrying)] == ["The reply was cut off."]
        assert decision(events).thought == ""
        assert decision(events).action == PressBack()


async def test_silence_within_a_reply_is_repeated(asking: Asking) -> None:
    events = await asking.events(streamed(delta(content="Hm."), end="hang"), GOOD, stall_timeout=0.1)

    assert [e.reason for e in events if isinstance(e, Retrying)] == [
        "The reply stalled: nothing came for 0.1 s."
    ]
    assert asking.server.disconnected.is_set()
    assert decision(events).action == PressBack()


async def test_silence_before_a_reply_is_repeated(asking: Asking) -> None:
    events = await asking.events(silent(), GOOD, stall_timeout=0.1)

    assert [e.reason for e in events if isinstance(e, Retrying)] == [
        "The model endpoint does not answer in time."
    ]


async def test_damage_within_a_reply_is_repeated(asking: Asking) -> None:
    broken = page('data: {"choices": [\n\n', "text/event-stream")
    failed = page('data: {"error": {"message": "overloaded", "code": 502}}\n\n', "text/event-stream")

    events = await asking.events(broken, failed, GOOD)

    assert [e.reason for e in events if isinstance(e, Retrying)] == [
        "The reply is damaged: it is not the JSON that was expected.",
        "The model endpoint has trouble (502 Bad Gateway): overloaded",
    ]


async def test_when_the_repeats_are_used_up_the_model_is_unavailable(asking: Asking) -> None:
    with pytest.raises(ModelUnavailable, match=r"500 Internal Server Error.*Tried 3 times") as caught:
        await asking.events(refused(500), retries=2)

    assert len(asking.delays) == 2
    assert caught.value.usage.requests == 3


async def test_an_endpoint_that_is_not_there_is_unavailable(asking: Asking) -> None:
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        await asking.events(GOOD, base_url="http://127.0.0.1:1/v1", retries=1)

    assert len(asking.delays) == 1


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (refused(400, "image too small"), r"model\.dialect\. It says: image too small$"),
        (refused(400, "maximum context length is 4096 tokens"), r"model\.image_side"),
        (refused(401, "bad key"), r"model\.api_key"),
        (refused(402, "pay first"), "no credit"),
        (refused(403), r"model\.api_key and model\.name"),
        (refused(404, "no such model"), r"“any-test”.*model\.name.*model\.base_url"),
        (refused(413), r"model\.image_side"),
        (refused(429, "You exceeded your quota", "insufficient_quota"), "no credit"),
        (refused(307, Location="http://127.0.0.1:9/v1"), r"model\.base_url"),
        (page("<html>Welcome</html>"), r"model\.base_url"),
        (page('data: {"error": {"message": "x", "code": 401}}\n\n', "text/event-stream"), r"model\.api_key"),
    ],
)
async def test_refusals_name_the_setting_and_are_not_repeated(
    asking: Asking, answer: Answer, words: str
) -> None:
    with pytest.raises(ModelRejected, match=words):
        await asking.events(answer)

    assert len(asking.server.asked) == 1


async def test_parameters_that_are_refused_are_left_out_from_then_on(asking: Asking) -> None:
    server = asking.server
    server.answers = [
        refused(400, "Unknown parameter: stream_options"),
        refused(400, "'max_tokens' is not supported. Use 'max_completion_tokens' instead."),
        refused(422, "temperature: only 1 is supported"),
        refused(400, "this model does not support tools"),
        streamed(delta(content='{"name": "press_back", "arguments": {}}'), delta("stop")),
    ]
    model = asking.model()

    first = [event async for event in model.decide(SCREEN)]
    again = [event async for event in model.decide(SCREEN)]

    assert decision(first).action == decision(again).action == PressBack()
    assert len(server.asked) == 6
    assert set(server.asked[-1]) == {"messages", "model", "stream", "max_completion_tokens"}


async def test_a_malformed_reply_is_asked_for_again_with_the_reason(asking: Asking) -> None:
    bad = streamed(delta(content="All done, finished()."), delta("stop"), usage(50, 5))

    events = await asking.events(bad, GOOD)

    assert [e for e in events if isinstance(e, Malformed)] == [
        Malformed(
            1,
            "The reply has no action on a line of its own.",
            Usage(prompt_tokens=50, completion_tokens=5, requests=1),
        )
    ]
    assert decision(events).usage == Usage(prompt_tokens=150, completion_tokens=15, requests=2)
    reply, complaint = asking.server.asked[1]["messages"][-2:]
    assert reply == {"role": "assistant", "content": "All done, finished()."}
    assert "The reply has no action on a line of its own." in complaint["content"]


@pytest.mark.parametrize(
    "bad",
    [
        streamed(delta("stop")),
        streamed(delta(content="<think>finished()"), delta("stop")),
        streamed(delta(reasoning_content="finished"), delta("stop")),
        streamed(*call("finished", '{"answer": "ye')),
        streamed(*call("finished", "{}")[:-1], delta("length")),
        streamed(*call("finished", "{}")[:-1], delta("content_filter")),
        streamed(*call("finished", "{}")[:-1], *call("press_back", "{}")[:-1], delta("tool_calls")),
        streamed(delta(content="a" * 200_000), *call("finished", "{}")),
    ],
)
async def test_replies_that_stay_malformed_end_in_words_and_never_in_success(
    asking: Asking, bad: Answer
) -> None:
    with pytest.raises(RepliesMalformed, match="no usable action in 3 replies") as caught:
        await asking.events(bad, malformed_retries=2)

    assert len(asking.server.asked) == 3
    assert caught.value.usage.requests == 3


async def test_strange_chunks_do_no_harm(asking: Asking) -> None:
    strange: list[dict[str, Any]] = [
        {"choices": None},
        {"choices": [None]},
        {"choices": [{"delta": None}]},
        {"choices": [{"delta": {"content": [1], "tool_calls": [None], "reasoning": 5}}]},
        {"usage": {"prompt_tokens": "many"}},
        {},
    ]
    whole = {"id": "c1", "function": {"name": "finished", "arguments": {"answer": "ok"}}}

    events = await asking.events(streamed(*strange, delta("stop", tool_calls=[whole])), malformed_retries=0)

    assert decision(events).action == Finished(answer="ok")


async def test_calls_numbered_alike_are_parted_by_their_ids(asking: Asking) -> None:
    calls = [
        {"index": 0, "id": f"c{n}", "function": {"name": "press_back", "arguments": "{}"}} for n in range(2)
    ]

    events = await asking.events(streamed(*(delta(tool_calls=[one]) for one in calls), delta("stop")))

    assert decision(events).action == PressBack()


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


async def test_waiting_is_measured(asking: Asking) -> None:
    model = asking.model(stall_timeout=0.1, retries=0)

    with pytest.raises(ModelUnavailable, match="stalled"):
        await asking.events(streamed(delta(content="Hm."), end="hang"), model=model)

    assert model.waiting_seconds >= 0.1


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


async def test_the_check_proves_that_the_model_answers(asking: Asking) -> None:
    asking.server.answers = [streamed(delta(content="ok"), end="hang")]

    assert (
        await asking.model().check()
        == "The model “any-test” answers. It is spoken to in the dialect tool_calls."
    )
    await asyncio.wait_for(asking.server.disconnected.wait(), 5)


async def test_the_check_names_the_models_that_there_are(asking: Asking) -> None:
    asking.server.answers = [refused(404, "no such model")]
    asking.server.models = web.json_response({"data": [{"id": "other"}, {"id": "another"}]})

    with pytest.raises(ModelRejected, match=r"Check model\.name.* It has: another, other\.$"):
        await asking.model().check()


@pytest.mark.parametrize("listed", ["<html>", "[]", '{"data": [1]}', '{"data": null}'])
async def test_the_check_does_without_a_list_of_models(asking: Asking, listed: str) -> None:
    asking.server.answers = [refused(401)]
    asking.server.models = web.Response(text=listed)

    with pytest.raises(ModelRejected, match=r"Set model\.api_key\.$"):
        await asking.model().check()


async def test_the_check_tells_when_nothing_answers(asking: Asking) -> None:
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        await asking.model(base_url="http://127.0.0.1:1/v1").check()

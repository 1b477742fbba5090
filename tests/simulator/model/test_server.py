from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any, get_args

import aiohttp
import httpx2
import openai
import pytest
from openai import AsyncOpenAI

from assistant.model.client import VisionModel
from assistant.model.dialects import registry
from assistant.model.dialects.base import Dialect, ModelReply, ToolCall
from assistant.model.types import Decision, Malformed, Retrying, StepRequest
from assistant.records import Click
from assistant.settings.schema import ModelSettings
from assistant.simulator.model.client import ScriptedModelClient, ScriptedModelError
from assistant.simulator.model.families import families
from assistant.simulator.model.faults import INJECTIONS, Fault, FaultKind, MalformedStyle
from assistant.simulator.model.options import ControlChange, ModelOptions, ThoughtsIn
from assistant.simulator.model.server import ScriptedModel
from tests.simulator.model.prompt import Row, body, frame, observation

SKIP = observation(
    [Row("Big offer", clickable=False), Row("Skip"), Row("Buy now")], package="com.example.eats", app="Eats"
)
ASKED = body("order beef noodles", SKIP)


@pytest.fixture
async def model() -> AsyncIterator[ScriptedModel]:
    async with ScriptedModel() as running:
        yield running


@pytest.fixture
async def client(model: ScriptedModel) -> AsyncIterator[AsyncOpenAI]:
    # Making ready for TLS takes longer than the tests.
    plain = openai.DefaultAsyncHttpxClient(verify=False, timeout=20)
    async with AsyncOpenAI(
        base_url=model.address.base_url, api_key="any", max_retries=0, http_client=plain
    ) as one:
        yield one


@pytest.fixture
async def control(model: ScriptedModel) -> AsyncIterator[ScriptedModelClient]:
    async with ScriptedModelClient(model.address.base_url) as one:
        yield one


async def streamed(client: AsyncOpenAI, asked: dict[str, Any]) -> tuple[str, str, str, str, Any]:
    """Reasoning, text, function name, function arguments, usage."""
    thought = text = name = arguments = ""
    usage = None
    stream = await client.chat.completions.create(
        **asked, stream=True, stream_options={"include_usage": True}
    )
    async for chunk in stream:
        usage = chunk.usage or usage
        for choice in chunk.choices:
            thought += getattr(choice.delta, "reasoning_content", None) or ""
            text += choice.delta.content or ""
            for call in choice.delta.tool_calls or []:
                assert call.function is not None
                name += call.function.name or ""
                arguments += call.function.arguments or ""
    return thought, text, name, arguments, usage


async def test_a_tool_call_is_streamed_with_reasoning_and_usage(client: AsyncOpenAI) -> None:
    thought, text, name, arguments, usage = await streamed(client, ASKED)
    action = registry.get("tool_calls").parse(ModelReply(text, (ToolCall(name, arguments),)), frame())
    assert isinstance(action, Click)
    assert action.content == "Skip"
    assert SKIP.element_at(action.point) == SKIP.elements[1]
    assert thought.startswith("[scripted]")
    assert usage.completion_tokens > 5
    assert usage.prompt_tokens > 20 * 43
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens


async def test_the_same_answer_comes_whole(client: AsyncOpenAI) -> None:
    whole = await client.chat.completions.create(**ASKED)
    call = (whole.choices[0].message.tool_calls or [])[0]
    assert call.type == "function"
    *_, name, arguments, usage = await streamed(client, ASKED)
    assert (call.function.name, call.function.arguments) == (name, arguments)
    assert whole.usage is not None
    assert whole.usage.completion_tokens == usage.completion_tokens
    assert whole.choices[0].finish_reason == "tool_calls"


async def test_fingertip_is_answered_with_a_string_in_pixels(client: AsyncOpenAI) -> None:
    _, text, name, *_ = await streamed(client, body("order beef noodles", SKIP, dialect="fingertip"))
    assert not name
    action = registry.get("fingertip").parse(ModelReply(text), frame())
    assert isinstance(action, Click)
    assert SKIP.element_at(action.point) == SKIP.elements[1]


async def test_thoughts_can_come_as_text_before_the_action(
    client: AsyncOpenAI, control: ScriptedModelClient
) -> None:
    await control.change(ControlChange(thoughts="content"))
    thought, text, *_ = await streamed(client, body("order beef noodles", SKIP, dialect="fingertip"))
    assert not thought
    assert text.startswith("[scripted]")
    assert isinstance(registry.get("fingertip").parse(ModelReply(text), frame()), Click)


async def test_models_are_listed_and_every_answer_is_marked(
    model: ScriptedModel, client: AsyncOpenAI
) -> None:
    assert [one.id async for one in client.models.list()] == ["scripted"]
    async with aiohttp.ClientSession(model.address.base_url.removesuffix("v1")) as plain:
        for path in ("v1/models", "control", "nowhere"):
            async with plain.get(path) as answer:
                assert answer.headers["x-scripted-model"] == "true"
        async with plain.post("v1/chat/completions", json={**ASKED, "stream": True}) as answer:
            assert answer.headers["x-scripted-model"] == "true"


async def test_a_key_may_be_required() -> None:
    async with ScriptedModel(ModelOptions(key="right")) as model:
        for key, refused in (("wrong", True), ("right", False)):
            async with AsyncOpenAI(base_url=model.address.base_url, api_key=key, max_retries=0) as client:
                if refused:
                    with pytest.raises(openai.AuthenticationError):
                        await client.chat.completions.create(**ASKED)
                else:
                    assert (await client.chat.completions.create(**ASKED)).choices
        async with ScriptedModelClient(model.address.base_url, "right") as control:
            assert (await control.status()).answered == 1


async def test_a_picture_that_does_not_decode_is_refused(client: AsyncOpenAI) -> None:
    broken = json.loads(json.dumps(ASKED).replace("iVBORw0KGgo", "AAAAAAAAAAA"))
    assert broken != ASKED
    with pytest.raises(openai.BadRequestError, match="cannot be decoded"):
        await client.chat.completions.create(**broken)


@pytest.mark.parametrize(
    "content", ["{", "[]", "{}", '{"model": "m", "messages": []}', '{"messages": [{}]}', "\xff"]
)
async def test_a_body_that_is_no_request_is_refused(model: ScriptedModel, content: str) -> None:
    url = model.address.base_url + "/chat/completions"
    async with aiohttp.ClientSession() as plain, plain.post(url, data=content.encode("latin-1")) as answer:
        assert answer.status == 400
        assert (await answer.json())["error"]["message"]


async def test_errors_and_rate_limits_pass_after_their_times(
    client: AsyncOpenAI, control: ScriptedModelClient
) -> None:
    await control.set_fault(Fault(kind=FaultKind.RATE_LIMIT, seconds=2.5))
    await control.set_fault(Fault(kind=FaultKind.ERROR, skip=1, times=2, status=503))
    with pytest.raises(openai.RateLimitError) as limited:
        await client.chat.completions.create(**ASKED)
    assert limited.value.response.headers["retry-after"] == "2.5"
    for _ in range(2):
        with pytest.raises(openai.InternalServerError) as failed:
            await client.chat.completions.create(**ASKED)
        assert failed.value.status_code == 503
    assert (await client.chat.completions.create(**ASKED)).choices
    status = await control.status()
    assert (status.requests, status.refused, status.answered, status.faults) == (4, 3, 1, [])


async def test_a_cut_ends_the_connection_in_mid_stream(
    client: AsyncOpenAI, control: ScriptedModelClient
) -> None:
    await control.set_fault(Fault(kind=FaultKind.CUT, after=3))
    with pytest.raises((openai.APIConnectionError, httpx2.TransportError)):
        await streamed(client, ASKED)
    assert (await streamed(client, ASKED))[2] == "click"


async def test_a_stalled_stream_that_is_abandoned_is_noticed(
    client: AsyncOpenAI, control: ScriptedModelClient
) -> None:
    await control.set_fault(Fault(kind=FaultKind.STALL, after=2, seconds=60))
    stream = await client.chat.completions.create(**ASKED, stream=True)
    first = await anext(aiter(stream))
    assert first.choices
    await stream.close()
    status = await control.status()
    while status.open:
        status = await control.status()
    assert (status.abandoned, status.answered) == (1, 0)


@pytest.mark.parametrize("dialect", registry.available(), ids=lambda dialect: dialect.name)
async def test_malformed_replies_are_no_actions(
    client: AsyncOpenAI, control: ScriptedModelClient, dialect: Dialect
) -> None:
    asked = body("order beef noodles", SKIP, dialect=dialect.name)
    for style in get_args(MalformedStyle):
        await control.set_fault(Fault(kind=FaultKind.MALFORMED, style=style))
        _, text, name, arguments, _ = await streamed(client, asked)
        calls = (ToolCall(name, arguments),) if name else ()
        with pytest.raises(registry.MalformedReply):
            pytest.fail(f"{style}: {dialect.parse(ModelReply(text, calls), frame())}")


@pytest.mark.parametrize("style", ["instructions", "markup", "control", "long"])
async def test_hostile_text_comes_with_a_valid_action(
    client: AsyncOpenAI, control: ScriptedModelClient, style: Any
) -> None:
    await control.set_fault(Fault(kind=FaultKind.HOSTILE, style=style))
    thought, _, name, arguments, _ = await streamed(client, ASKED)
    assert INJECTIONS[style] in thought
    assert isinstance(
        registry.get("tool_calls").parse(ModelReply("", (ToolCall(name, arguments),)), frame()), Click
    )


async def test_a_mistake_taps_something_else_and_the_seed_decides_when(
    client: AsyncOpenAI, control: ScriptedModelClient
) -> None:
    async def taps() -> list[str]:
        await control.change(
            ControlChange(clear=True, seed=7, faults=[Fault(kind=FaultKind.WRONG, times=None, fraction=0.5)])
        )
        return [json.loads((await streamed(client, ASKED))[3])["content"] for _ in range(12)]

    first = await taps()
    assert set(first) == {"Skip", "Buy now"}
    assert await taps() == first


@pytest.mark.parametrize(
    ("note", "is_known"),
    [
        ("", False),
        ('It was carried out by "1. open Eats; 2. tap “Skip”". For reference only.', True),
        ('It was carried out by "1. open Eats; 2. tap “Buy now”". For reference only.', False),
    ],
)
async def test_a_forgetful_model_knows_only_the_steps_that_a_note_names(
    client: AsyncOpenAI, control: ScriptedModelClient, note: str, is_known: bool
) -> None:
    forgetful = Fault(kind=FaultKind.FORGETFUL, times=None)
    await control.change(ControlChange(clear=True, seed=7, faults=[forgetful]))
    asked = body("order beef noodles", SKIP, notes=[note] if note else [])
    steps = [(await streamed(client, asked))[2:4] for _ in range(12)]
    right = [name for name, arguments in steps if json.loads(arguments).get("content") == "Skip"]
    assert (len(right) >= 9) is is_known
    assert is_known or {name for name, _arguments in steps} == {"click", "failed"}


async def test_false_success_is_claimed_when_told(client: AsyncOpenAI, control: ScriptedModelClient) -> None:
    await control.set_fault(FaultKind.FALSE_SUCCESS)
    assert (await streamed(client, ASKED))[2] == "finished"
    assert (await streamed(client, ASKED))[2] == "click"


async def test_an_unknown_fault_is_refused(model: ScriptedModel, control: ScriptedModelClient) -> None:
    url = model.address.base_url.removesuffix("/v1") + "/control"
    async with (
        aiohttp.ClientSession() as plain,
        plain.post(url, json={"faults": [{"kind": "meteor"}]}) as answer,
    ):
        assert answer.status == 422
    with pytest.raises(ScriptedModelError):
        await control.change(ControlChange.model_construct(pace=-1.0))


async def test_the_pace_spreads_a_reply(client: AsyncOpenAI, control: ScriptedModelClient) -> None:
    await control.change(ControlChange(pace=2000.0))
    assert (await streamed(client, ASKED))[2] == "click"


@pytest.mark.parametrize(
    ("family", "thoughts", "retries"), [("any", "reasoning", [2, 0]), ("ui_tars", "content", [2])]
)
async def test_a_thought_of_8000_tokens_at_every_request_still_ends_in_the_action(
    family: str, thoughts: ThoughtsIn, retries: list[int]
) -> None:
    name = families()[family].example
    always = Fault(kind=FaultKind.OVERTHINK, times=None)
    seen = StepRequest("order beef noodles", SKIP)
    async with ScriptedModel(ModelOptions(faults=(always,), thoughts=thoughts)) as server:
        model = VisionModel(ModelSettings(base_url=server.address.base_url, name=name))
        events = [[event async for event in model.decide(seen)] for _ in retries]
        await model.close()

    for step in events:
        decision = step[-1]
        assert isinstance(decision, Decision)
        assert isinstance(decision.action, Click)
        assert SKIP.element_at(decision.action.point) == SKIP.elements[1]
        assert len(decision.thought) > 20_000
        assert not [event for event in step if isinstance(event, Malformed)]
    # 2,048 and 4,096 tokens are too few; the limit that was enough stays for the next step.
    assert [sum(isinstance(event, Retrying) for event in step) for step in events] == retries

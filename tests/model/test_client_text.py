"""Requests for text over real HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from assistant.model.client import RequestLogEntry, TextModel
from assistant.model.types import ModelRejected, ModelUnavailable
from assistant.records import Usage
from assistant.settings.schema import ModelSettings
from tests.model.endpoint_server import EndpointServer, delta, refused, serving, silent, streamed


@pytest.fixture
async def server() -> AsyncIterator[EndpointServer]:
    async with serving() as endpoint:
        yield endpoint


def writer(
    server: EndpointServer, patience: float = 20.0, sent: list[RequestLogEntry] | None = None
) -> TextModel:
    settings = ModelSettings(base_url=server.base_url, name="m")
    return TextModel(settings, (sent if sent is not None else []).append, patience)


async def test_the_answer_comes_without_its_reasoning(server: EndpointServer) -> None:
    server.answers = [
        streamed(delta(reasoning_content="Hm."), delta(content="<think>so</think>[]"), delta("stop"))
    ]
    sent: list[RequestLogEntry] = []
    assert await writer(server, sent=sent)("do", "with", {"type": "object"}) == "[]"
    (asked,) = server.asked
    assert [one["content"] for one in asked["messages"]] == ["do", "with"]
    assert asked["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert [one.parts for one in sent] == [(("system", "do"), ("user", "with"))]


async def test_an_endpoint_without_schemas_is_asked_without(server: EndpointServer) -> None:
    server.answers = [
        refused(400, "response_format is not supported"),
        streamed(delta(content="[]"), delta("stop")),
    ]
    assert await writer(server)("do", "with", {"type": "object"}) == "[]"
    assert "response_format" not in server.asked[1]


async def test_what_goes_wrong_is_told(server: EndpointServer) -> None:
    server.answers = [refused(401, "no"), streamed(delta(content="[")), silent()]
    with pytest.raises(ModelRejected, match="key"):
        await writer(server)("do", "with")
    with pytest.raises(ModelUnavailable, match="cut off"):
        await writer(server)("do", "with")
    with pytest.raises(ModelUnavailable, match=r"no answer in 0.05 s"):
        await writer(server, patience=0.05)("do", "with")


async def test_what_a_request_used_is_counted(server: EndpointServer) -> None:
    used: list[Usage] = []
    settings = ModelSettings(base_url=server.base_url, name="m")
    model = TextModel(settings, count=lambda usage, seconds: used.append(usage) if seconds > 0 else None)
    told = {"prompt_tokens": 40, "completion_tokens": 2, "total_tokens": 42}
    server.answers = [streamed(delta(content="[]"), delta("stop") | {"usage": told}), refused(401, "no")]
    assert await model("do", "with") == "[]"
    with pytest.raises(ModelRejected):
        await model("do", "with")
    assert [(each.prompt_tokens, each.completion_tokens, each.requests) for each in used] == [(40, 2, 1)]

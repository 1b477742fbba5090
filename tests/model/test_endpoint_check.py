from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import openai
import pytest
from aiohttp import web

from assistant.model.types import ModelRejected, ModelUnavailable
from tests.model.asking import Asking
from tests.model.endpoint_server import (
    delta,
    refused,
    streamed,
)


async def test_the_check_proves_that_the_model_answers(asking: Asking) -> None:
    asking.server.answers = [streamed(delta(content="ok"), end="hang")]

    assert (await asking.model().check()).startswith(
        "The model “any-test” answers. Dialect: tool_calls, which is a guess"
    )
    assert await asking.model(dialect="tool_calls").check() == (
        "The model “any-test” answers. Dialect: tool_calls."
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

    with pytest.raises(ModelRejected, match=r"model\.api_key.*assistant setup$"):
        await asking.model().check()


async def test_the_check_tells_when_nothing_answers(asking: Asking) -> None:
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        await asking.model(base_url="http://127.0.0.1:1/v1").check()


@pytest.mark.parametrize(
    ("address", "verified"),
    [
        ("http://127.0.0.1:1/v1", False),
        ("http://localhost:1/v1", False),
        ("https://127.0.0.1:1/v1", True),
        ("http://models.example.com/v1", True),
        ("https://models.example.com/v1", True),
    ],
)
async def test_certificates_are_verified_unless_the_connection_is_plain_and_stays_here(
    asking: Asking, monkeypatch: pytest.MonkeyPatch, address: str, verified: bool
) -> None:
    told: list[bool] = []
    made = openai.DefaultAsyncHttpxClient

    def remembered(*, verify: bool, **options: Any) -> httpx2.AsyncClient:
        told.append(verify)
        return made(verify=verify, **options)

    monkeypatch.setattr(openai, "DefaultAsyncHttpxClient", remembered)
    asking.model(base_url=address)

    assert told == [verified]

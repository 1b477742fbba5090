from __future__ import annotations

import asyncio

import pytest
from aiohttp import web

from assistant.model.request import (
    ModelRejected,
    ModelUnavailable,
)
from tests.model.asking import Asking
from tests.model.endpoint_server import (
    delta,
    refused,
    streamed,
)


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

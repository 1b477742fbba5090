from __future__ import annotations

import pytest
from pydantic import SecretStr

from assistant.model.client import VisionModel
from assistant.model.endpoint import RequestLogEntry, address, outgoing
from assistant.model.prompts import ChatMessage
from assistant.settings.schema import ModelSettings
from tests.model.asking import GOOD, Asking
from tests.model.endpoint_server import refused
from tests.model.screens import element, png, request


async def test_every_request_is_told_before_it_leaves(asking: Asking) -> None:
    told: list[RequestLogEntry] = []
    settings = ModelSettings(
        base_url=asking.server.base_url, name="any-test", api_key=SecretStr("sk-zanzibar")
    )
    model = VisionModel(settings, sleep=asking.sleep, tell=told.append)
    button = element(0, -1, "Button", (0, 0, 1080, 240), text="Search")
    seen = request(button, screenshot=png(1080, 2400))
    await asking.events(refused(503), GOOD, asked=seen, model=model)
    await model.close()
    assert len(told) == len(asking.server.asked) == 2
    words = "\n".join(text for _, text in told[0].parts)
    assert seen.instruction in words
    assert "Search" in words
    assert told[0].picture_bytes > 0
    assert told[0].text_bytes == len(words.encode()) - (len(told[0].parts) - 1)
    assert "zanzibar" not in repr(told)
    assert "base64" not in words


def test_calls_of_earlier_steps_are_words_too() -> None:
    call = {"function": {"name": "click", "arguments": '{"x": 1}'}}
    messages: list[ChatMessage] = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "user", "content": "go"},
    ]
    found = outgoing(messages, ModelSettings(base_url="http://me:key@host:1/v1?token=x", name="m"))
    assert found.parts == (("assistant", 'click({"x": 1})'), ("user", "go"))
    assert (found.endpoint, found.picture_bytes) == ("http://host:1/v1", 0)


@pytest.mark.parametrize("url", ["http://[bad", ""])
def test_an_address_that_cannot_be_read_is_no_error(url: str) -> None:
    assert "bad" not in address(url)

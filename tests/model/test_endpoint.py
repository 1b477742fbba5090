"""Requests to the endpoint: their parameters, the log of what is sent, and the failures."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pydantic import SecretStr

from assistant.model.client import RequestLogEntry, VisionModel, address_without_secrets, log_entry
from assistant.model.endpoint import retry_after, without_refused
from assistant.model.types import LONGEST_DELAY, ChatMessage, delay_before
from assistant.settings.schema import ModelSettings
from tests.model.asking import GOOD, Asking
from tests.model.endpoint_server import refused
from tests.model.screens import element, png, request
from tests.tables import each

ALL = {"max_tokens": 5, "temperature": 0.0, "stream_options": {"include_usage": True}, "tools": [{}]}


def test_what_the_endpoint_names_is_left_out() -> None:
    assert without_refused(ALL, "Unrecognized request argument supplied: stream_options") == {
        "max_tokens": 5,
        "temperature": 0.0,
        "tools": [{}],
    }
    assert "temperature" not in (
        without_refused(ALL, "'temperature' does not support 0.0 with this model") or ALL
    )
    complaint = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
    assert "tools" not in (without_refused(ALL, complaint) or ALL)


def test_max_tokens_takes_its_newer_name_before_it_goes() -> None:
    newer = without_refused(
        {"max_tokens": 5}, "'max_tokens' is not supported. Use 'max_completion_tokens' instead."
    )

    assert newer == {"max_completion_tokens": 5}
    assert without_refused(newer, "unknown field max_completion_tokens") == {}


def test_other_complaints_name_nothing() -> None:
    assert without_refused(ALL, "The image cannot be decoded.") is None
    assert without_refused({}, "temperature") is None


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
    found = log_entry(messages, ModelSettings(base_url="http://me:key@host:1/v1?token=x", name="m"))
    assert found.parts == (("assistant", 'click({"x": 1})'), ("user", "go"))
    assert (found.endpoint, found.picture_bytes) == ("http://host:1/v1", 0)


@pytest.mark.parametrize("url", ["http://[bad", ""])
def test_an_address_that_cannot_be_read_is_no_error(url: str) -> None:
    assert "bad" not in address_without_secrets(url)


NOW = datetime(2026, 3, 9, 12, 0, 0, tzinfo=UTC)


@each(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Mon, 09 Mar 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Mon, 09 Mar 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after-ms": "nan"}, None),
        ({"retry-after-ms": "soon"}, None),
    ],
)
def test_retry_after_is_read_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


def test_delays_double_up_to_a_limit_unless_the_server_asks() -> None:
    assert [delay_before(attempt, 1.0, None) for attempt in (1, 2, 3, 4)] == [1.0, 2.0, 4.0, 8.0]
    assert delay_before(1000, 1.0, None) == LONGEST_DELAY
    assert delay_before(5, 1.0, 0.0) == 0.0

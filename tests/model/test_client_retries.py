from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from assistant.model.endpoint import LONGEST_LINE, LONGEST_REPLY
from assistant.model.types import Malformed, ModelRejected, ModelUnavailable, RepliesMalformed, Retrying
from assistant.records import Finished, PressBack, Usage
from tests.model.asking import GOOD, SCREEN, Asking, decision
from tests.model.endpoint_server import (
    Answer,
    call,
    delta,
    dripping,
    page,
    raw,
    refused,
    silent,
    streamed,
    usage,
)


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
        "The model endpoint has trouble (502 Bad Gateway): overloaded.",
    ]


def _event(data: str) -> bytes:
    return f"data: {data}\n\n".encode()


_COMMENT = b":" + b"x" * 998 + b"\n"
_ANSWER = b"".join(_event(json.dumps(chunk)) for chunk in call("press_back")) + _event("[DONE]")
_LATE_ANSWER = _COMMENT * (LONGEST_REPLY // len(_COMMENT) + 1) + _ANSWER
_MANY_CALLS = delta(tool_calls=[{"index": number, "function": {"name": "x"}} for number in range(5000)])


@pytest.mark.parametrize(
    "answer",
    [
        raw(_event("[" * 100_000 + "]" * 100_000)),
        raw(_event('{"choices": [{"delta": {"content": ' + '{"a":' * 900 + "1" + "}" * 900 + "}}]}")),
        raw(_event(json.dumps(usage(10**30, 1)))),
        raw(_event(json.dumps({"choices": [], "usage": {"prompt_tokens": 10**30, "completion_tokens": 1}}))),
        raw(_event(json.dumps(_MANY_CALLS))),
        raw(b"x" * (LONGEST_LINE + 1)),
        raw(_LATE_ANSWER),
        raw(gzip.compress(_LATE_ANSWER, 1), Content_Encoding="gzip"),
        raw(gzip.compress(b"x" * 2**26, 1), Content_Encoding="gzip"),
        raw(b"no gzip", Content_Encoding="gzip"),
    ],
    ids=[
        "nested",
        "nested less",
        "counts",
        "counts alone",
        "calls",
        "line",
        "long",
        "packed",
        "bomb",
        "not packed",
    ],
)
async def test_what_no_reply_can_be_is_damage_and_repeated(asking: Asking, answer: Answer) -> None:
    events = await asking.events(answer, GOOD)

    reasons = [e.reason for e in events if isinstance(e, Retrying)]
    assert reasons in (
        ["The reply is damaged: it is not the JSON that was expected."],
        ["The reply was cut off."],
    )
    assert decision(events).action == PressBack()


async def test_an_answer_that_is_packed_is_read(asking: Asking) -> None:
    events = await asking.events(raw(gzip.compress(_ANSWER), Content_Encoding="gzip"))

    assert decision(events).action == PressBack()


async def test_a_reply_that_never_ends_is_given_up(asking: Asking) -> None:
    with pytest.raises(ModelUnavailable, match=r"longer than 0\.2 s, which model\.reply_timeout"):
        await asking.events(dripping(0.01), reply_timeout=0.2)

    assert asking.delays == []


@pytest.mark.parametrize(
    "answer",
    [
        refused(400, "Unknown parameter for sk-abc-123"),
        refused(502, "sk-abc-123 is overloaded"),
        page('data: {"error": {"message": "no sk-abc-123", "code": "x"}}\n\n', "text/event-stream"),
    ],
)
async def test_the_key_is_not_told_whatever_the_endpoint_repeats(asking: Asking, answer: Answer) -> None:
    with pytest.raises((ModelRejected, ModelUnavailable)) as caught:
        await asking.events(answer, api_key="sk-abc-123", retries=0)

    assert "sk-abc" not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-密码", "sk-a\nb", "sk-\x00"])
def test_a_key_that_no_header_can_carry_is_refused_in_words(asking: Asking, key: str) -> None:
    with pytest.raises(ModelRejected, match=r"model\.api_key") as caught:
        asking.model(api_key=key)

    assert "sk-" not in str(caught.value)


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


async def test_a_reply_cut_by_its_length_is_asked_again_with_twice_the_tokens(asking: Asking) -> None:
    cut = streamed(*call("finished", "{}")[:-1], delta("length"))

    events = await asking.events(cut, cut, cut, streamed(*call("press_back", "{}")), max_tokens=2048)

    assert [asked["max_tokens"] for asked in asking.server.asked] == [2048, 4096, 8192, 16384]
    assert decision(events).action == PressBack()
    told = [event.reason for event in events if isinstance(event, Retrying)]
    assert "model.max_tokens" in told[0]
    assert not [event for event in events if isinstance(event, Malformed)]


async def test_a_reply_that_stays_cut_off_names_the_setting(asking: Asking) -> None:
    with pytest.raises(RepliesMalformed, match=r"model\.max_tokens"):
        await asking.events(
            streamed(*call("finished", "{}")[:-1], delta("length")), malformed_retries=0, max_tokens=512
        )


async def test_a_note_is_kept_and_the_next_action_asked_for(asking: Asking) -> None:
    note = streamed(delta(content='do(action="Note", message="Room 12: 80")'), delta("stop"))
    back = streamed(delta(content='do(action="Back")'), delta("stop"))

    events = await asking.events(note, back, dialect="autoglm")

    assert (decision(events).action, decision(events).notes) == (PressBack(), ("Room 12: 80",))
    assert not [event for event in events if isinstance(event, Malformed)]


async def test_more_parameters_are_sent_as_configured(asking: Asking) -> None:
    await asking.events(
        streamed(*call("press_back", "{}")),
        top_p=0.8,
        reasoning_effort="low",
        extra_body='{"enable_thinking": false}',
    )

    asked = asking.server.asked[0]
    assert (asked["top_p"], asked["reasoning_effort"], asked["enable_thinking"]) == (0.8, "low", False)


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

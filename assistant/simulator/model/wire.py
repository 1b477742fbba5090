"""The shapes of OpenAI's chat completions: whole answers, streamed chunks, errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from assistant.simulator.model.tokens import pieces, text_tokens


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A function that the model calls. `arguments` is JSON text, or what should have been."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model says: its reasoning, its text, and the functions that it calls, usually one at most.

    `cut`: it was longer than the request allowed.
    """

    thought: str = ""
    content: str = ""
    call: ToolCall | None = None
    second: ToolCall | None = None
    cut: bool = False

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The functions in order."""
        return tuple(call for call in (self.call, self.second) if call)

    def within(self, limit: int) -> Reply:
        """The reply up to so many tokens, 0 for all: what is longer ends in the middle, as servers end it."""
        if not limit or self.tokens <= limit:
            return self
        thought = pieces(self.thought)
        said = pieces(self.content)[: max(0, limit - len(thought))]
        return Reply("".join(thought[:limit]), "".join(said), cut=True)

    @property
    def tokens(self) -> int:
        """About how many tokens the reply has."""
        called = sum(text_tokens(call.name) + text_tokens(call.arguments) for call in self.calls)
        return text_tokens(self.thought) + text_tokens(self.content) + called

    @property
    def finish_reason(self) -> str:
        """Why the reply ends where it does."""
        if self.cut:
            return "length"
        return "tool_calls" if self.call else "stop"


@dataclass(frozen=True, slots=True)
class Frame:
    """What every part of one answer carries: its id, when it was made, and the model's name as asked for."""

    id: str
    created: int
    model: str

    def completion(self, reply: Reply, usage: dict[str, Any]) -> dict[str, Any]:
        """The whole answer in one object."""
        message: dict[str, Any] = {"role": "assistant", "content": reply.content or None, "refusal": None}
        if reply.thought:
            message["reasoning_content"] = reply.thought
        if reply.call:
            message["tool_calls"] = [_call(self.id, call, place) for place, call in enumerate(reply.calls)]
        choice = {"index": 0, "message": message, "finish_reason": reply.finish_reason, "logprobs": None}
        return self._object("chat.completion", [choice]) | {"usage": usage}

    def chunks(self, reply: Reply, tokens: int = 1) -> Iterator[dict[str, Any]]:
        """The answer in pieces of about so many tokens: reasoning, text, the tool call, then the end."""
        yield self._chunk({"role": "assistant", "content": ""})
        for piece in pieces(reply.thought, tokens):
            yield self._chunk({"reasoning_content": piece})
        for piece in pieces(reply.content, tokens):
            yield self._chunk({"content": piece})
        for place, call in enumerate(reply.calls):
            opening = _call(self.id, ToolCall(call.name, ""), place)
            yield self._chunk({"tool_calls": [{"index": place, **opening}]})
            for piece in pieces(call.arguments, tokens):
                yield self._chunk({"tool_calls": [{"index": place, "function": {"arguments": piece}}]})
        yield self._chunk({}, reply.finish_reason)

    def usage_chunk(self, usage: dict[str, Any]) -> dict[str, Any]:
        """The last chunk, for a caller that asked for usage."""
        return self._object("chat.completion.chunk", []) | {"usage": usage}

    def _chunk(self, delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason, "logprobs": None}
        return self._object("chat.completion.chunk", [choice])

    def _object(self, kind: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            "id": self.id,
            "object": kind,
            "created": self.created,
            "model": self.model,
            "system_fingerprint": "scripted",
            "choices": choices,
        }


def usage(prompt: int, completion: int, cached: int = 0) -> dict[str, Any]:
    """The token counts in OpenAI's form; `cached` of the prompt's were computed before."""
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached},
    }


def error(message: str, kind: str, code: str | None = None, param: str | None = None) -> dict[str, Any]:
    """The body of an error answer."""
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def event(payload: dict[str, Any] | str) -> bytes:
    """One server-sent event."""
    text = payload if isinstance(payload, str) else json.dumps(payload, ensure_ascii=False)
    return f"data: {text}\n\n".encode()


def _call(frame_id: str, call: ToolCall, place: int) -> dict[str, Any]:
    identity = f"call_{place}_" + frame_id.removeprefix("chatcmpl-")
    return {"id": identity, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}

"""Puts a streamed reply together from its chunks, whatever the endpoint makes of the interface."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from assistant.i18n import later
from assistant.model.dialects.base import MalformedReply, Reply, ToolCall
from assistant.model.text import plain
from assistant.model.thinking import ThoughtSplitter
from assistant.records import Usage

LIMIT = 100_000
"""The most characters that are read of one reply; every chunk counts as one more."""


class StreamedReply:
    """One reply while it arrives.

    Fields of the chunks are looked at with care: the client library does not check their types.
    """

    def __init__(self, prose_end: Callable[[str, int], int]) -> None:
        """Start with nothing; `prose_end` is the dialect's."""
        self.thought = ""
        self.usage = Usage(requests=1)
        self.begun = False
        self.finish_reason = ""
        self._splitter = ThoughtSplitter(prose_end)
        self._calls: list[_GrowingCall] = []
        self._size = 0

    @property
    def overlong(self) -> bool:
        """Whether the reply is beyond any use and need not be read on."""
        return self._size > LIMIT

    def feed(self, chunk: object) -> Iterator[str]:
        """Take one chunk; the pieces of thought that it brings come back."""
        self._count(getattr(chunk, "usage", None))
        self._size += 1
        choices = getattr(chunk, "choices", None)
        if not isinstance(choices, list) or not choices:
            return
        delta = getattr(choices[0], "delta", None)
        reasoning = _text(delta, "reasoning_content") or _text(delta, "reasoning")
        content = _text(delta, "content") or _text(delta, "refusal")
        self._size += len(reasoning) + len(content)
        if reasoning:
            yield from self._told(reasoning)
        if content:
            yield from self._told(self._splitter.feed(content))
        for call in _list(delta, "tool_calls"):
            self._take_call(call)
        self.begun = self.begun or bool(reasoning or content or self._calls)
        self.finish_reason = _text(choices[0], "finish_reason") or self.finish_reason

    def finish(self) -> Iterator[str]:
        """The stream is over; the last pieces of thought come back."""
        yield from self._told(self._splitter.finish(all_prose=bool(self._calls)))

    def reply(self, max_tokens: int) -> Reply:
        """What was said, without the thought.

        Raises:
            MalformedReply: a reply that did not come to its end.
        """
        if self.overlong:
            raise MalformedReply(later("The reply is far too long. Give one action."))
        if self.finish_reason == "length":
            raise MalformedReply(
                f"The reply was cut off after {max_tokens} tokens. Think less and give the action."
            )
        if self.finish_reason == "content_filter":
            raise MalformedReply(later("The endpoint's content filter stopped the reply."))
        return self.said()

    def said(self) -> Reply:
        """What was said so far, whether it came to its end or not."""
        calls = tuple(ToolCall(call.name, call.arguments) for call in self._calls)
        return Reply("" if calls else self._splitter.answer.strip(), calls)

    def _told(self, thought: str) -> Iterator[str]:
        if clean := plain(thought):
            self.thought += clean
            yield clean

    def _count(self, usage: object) -> None:
        """Keep the latest counts; some endpoints send growing ones with every chunk."""
        sent, made = _number(usage, "prompt_tokens"), _number(usage, "completion_tokens")
        if sent or made:
            self.usage = Usage(prompt_tokens=sent, completion_tokens=made, requests=1)

    def _take_call(self, piece: object) -> None:
        function = getattr(piece, "function", None)
        call_id, name, arguments = _text(piece, "id"), _text(function, "name"), _arguments(function)
        self._size += len(name) + len(arguments)
        index = getattr(piece, "index", None)
        call = self._call_at(index, call_id, name)
        call.id = call.id or call_id
        call.name = call.name or name
        call.arguments += arguments

    def _call_at(self, index: Any, call_id: str, name: str) -> _GrowingCall:
        """The call that a piece belongs to. Some endpoints number all calls 0; then the ids part them."""
        for call in reversed(self._calls):
            same = index is None or call.index == index
            if same and not (call_id and name and call.id and call.id != call_id):
                return call
        self._calls.append(_GrowingCall(index))
        return self._calls[-1]


class _GrowingCall:
    def __init__(self, index: Any) -> None:
        self.index = index
        self.id = ""
        self.name = ""
        self.arguments = ""


def _text(value: object, name: str) -> str:
    text = getattr(value, name, None)
    return text if isinstance(text, str) else ""


def _list(value: object, name: str) -> list[object]:
    values = getattr(value, name, None)
    return values if isinstance(values, list) else []


def _number(value: object, name: str) -> int:
    number = getattr(value, name, None)
    return number if isinstance(number, int) and number > 0 else 0


def _arguments(function: object) -> str:
    """A piece of the arguments' JSON text; an endpoint that sends them whole as an object is taken too."""
    values = getattr(function, "arguments", None)
    return json.dumps(values) if isinstance(values, dict) else _text(function, "arguments")

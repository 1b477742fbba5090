"""One reply of a model while it streams, put together from its chunks.

`StreamedReply` joins text, reasoning and function calls; `ThoughtSplitter` parts the reasoning in the text
from the answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from typing import Any

from assistant.i18n import later
from assistant.model.dialects.base import MalformedReply, ModelReply, ToolCall
from assistant.model.types import MOST_COUNTED, damaged_reply, without_control_characters
from assistant.records import Usage

_NAMES = ("think", "thinking", "thought", "reasoning", "thinkt", "tink", "seed:think", "think_never_used")
_TAG = re.compile(rf"< {{0,2}}(/?)(?:{'|'.join(_NAMES)})(?:_\w{{1,40}})? {{0,2}}>", re.IGNORECASE)
_PARTIAL = re.compile(r"< {0,2}/?[\w:]* {0,2}", re.IGNORECASE)
_LONGEST = 64
_LABEL = re.compile(r"\s*(?:Thought|思考)\s?[:：]\s*")
_LABELS = ("Thought:", "Thought：", "思考:", "思考：")


class ThoughtSplitter:
    """Splits a growing reply into thought and answer: `<think>…</think>`, and the prose before the action.

    A label `Thought:` at the beginning of the prose is dropped.
    A closing tag without an opening one makes everything before it thought: some chat templates write the
    opening tag into the prompt. An opening tag that is never closed leaves no answer.
    """

    def __init__(self, prose_end: Callable[[str, int], int]) -> None:
        """Start empty; `prose_end` is `Dialect.prose_end`, which finds the prose before the action."""
        self.answer = ""
        self._prose_end = prose_end
        self._shown = 0
        self._pending = ""
        self._inside = False

    def feed(self, piece: str) -> str:
        """Add the next piece of the reply; returns what it adds to the thought."""
        self._pending += piece
        thought = ""
        while tag := _TAG.search(self._pending):
            thought += self._take(self._pending[: tag.start()], last=True)
            if tag[1] and not self._inside:
                thought += self._release()
                self.answer = ""
                self._shown = 0
            self._inside = not tag[1]
            self._pending = self._pending[tag.end() :]
        certain = len(self._pending) - _partial_tag(self._pending)
        thought += self._take(self._pending[:certain])
        self._pending = self._pending[certain:]
        return thought

    def finish(self, *, all_prose: bool) -> str:
        """End the reply; returns the rest of the thought, with `all_prose` the whole remaining text."""
        thought = self._take(self._pending, last=True)
        self._pending = ""
        return thought + (self._release() if all_prose else "")

    def _take(self, text: str, *, last: bool = False) -> str:
        if self._inside:
            return text
        self.answer += text
        end = max(self._shown, self._prose_end(self.answer, self._shown))
        prose = self.answer[self._shown : end]
        if not self._shown:
            if not last and any(label.startswith(prose.lstrip()) for label in _LABELS):
                return ""
            prose = _LABEL.sub("", prose, count=1) if _LABEL.match(prose) else prose
        self._shown = end
        return prose

    def _release(self) -> str:
        rest = self.answer[self._shown :]
        self._shown = len(self.answer)
        return rest


def split_thought(text: str) -> tuple[str, str]:
    """The tagged reasoning and the answer of a whole text."""
    splitter = ThoughtSplitter(lambda answer, start: 0)
    thought = splitter.feed(text) + splitter.finish(all_prose=False)
    return thought, splitter.answer


def _partial_tag(text: str) -> int:
    """How many characters at the end may be the beginning of a tag."""
    start = text.rfind("<", max(0, len(text) - _LONGEST))
    tail = text[start:].lower() if start >= 0 else ""
    name = tail.lstrip("</ ").rstrip()
    is_tag_name = any(tag_name.startswith(name) or name.startswith(f"{tag_name}_") for tag_name in _NAMES)
    return len(tail) if tail and is_tag_name and _PARTIAL.fullmatch(tail) else 0


LIMIT = 100_000
"""Maximum number of characters that are read of one reply; every chunk counts as one more."""

_MOST_CALLS = 100
"""Maximum number of function calls in one reply. Usual replies have one, or the few of one step."""


class StreamedReply:
    """One reply while it arrives.

    A chunk is unvalidated JSON: each field may be missing or have another type.
    """

    def __init__(self, prose_end: Callable[[str, int], int]) -> None:
        """Start empty; `prose_end` is `Dialect.prose_end`."""
        self.thought = ""
        self.usage = Usage(requests=1)
        self.begun = False
        self.finish_reason = ""
        self._splitter = ThoughtSplitter(prose_end)
        self._calls: list[_GrowingCall] = []
        self._size = 0
        self._chunks = 0

    @property
    def rough_tokens(self) -> int:
        """About how many tokens have arrived: most endpoints send each in a chunk of its own."""
        return max(self._chunks, (self._size - self._chunks) // 4)

    @property
    def overlong(self) -> bool:
        """Whether the reply is too long to be of use, so that reading can stop."""
        return self._size > LIMIT

    async def read(self, chunks: AsyncGenerator[object]) -> None:
        """Read chunks to their end, or until the reply is `overlong`, without reporting thoughts.

        Raises:
            RequestFailure: a chunk has impossible token counts.
        """
        async with aclosing(chunks):
            async for chunk in chunks:
                for _piece in self.feed(chunk):
                    pass
                if self.overlong:
                    break
        for _piece in self.finish():
            pass

    def feed(self, chunk: object) -> Iterator[str]:
        """Add one chunk; yields the pieces of thought in it.

        Raises:
            RequestFailure: it has impossible token counts.
        """
        self._count(_field(chunk, "usage"))
        self._size += 1
        self._chunks += 1
        choices = _field(chunk, "choices")
        if not isinstance(choices, list) or not choices:
            return
        delta = _field(choices[0], "delta")
        reasoning = _text(delta, "reasoning_content") or _text(delta, "reasoning")
        content = _text(delta, "content") or _text(delta, "refusal")
        self._size += len(reasoning) + len(content)
        if reasoning:
            yield from self._add_thought(reasoning)
        if content:
            yield from self._add_thought(self._splitter.feed(content))
        for call in _list(delta, "tool_calls"):
            self._take_call(call)
        self.begun = self.begun or bool(reasoning or content or self._calls)
        self.finish_reason = _text(choices[0], "finish_reason") or self.finish_reason

    def finish(self) -> Iterator[str]:
        """End the stream; yields the last pieces of thought."""
        yield from self._add_thought(self._splitter.finish(all_prose=bool(self._calls)))

    def reply(self, max_tokens: int) -> ModelReply:
        """The reply without the thought.

        Raises:
            MalformedReply: the reply was cut off.
        """
        if self.overlong:
            raise MalformedReply(later("The reply is far too long. Give one action."))
        if self.finish_reason == "length":
            raise MalformedReply(
                f"The reply was cut off after {max_tokens} tokens, which model.max_tokens sets. "
                "Think less and "
                "give the action."
            )
        if self.finish_reason == "content_filter":
            raise MalformedReply(later("The endpoint's content filter stopped the reply."))
        return self.reply_so_far()

    def reply_so_far(self) -> ModelReply:
        """The reply so far, complete or not."""
        calls = tuple(ToolCall(call.name, call.arguments) for call in self._calls)
        return ModelReply("" if calls else self._splitter.answer.strip(), calls)

    def _add_thought(self, thought: str) -> Iterator[str]:
        if clean := without_control_characters(thought):
            self.thought += clean
            yield clean

    def _count(self, usage: object) -> None:
        """Keep the latest token counts; some endpoints send growing counts with every chunk."""
        sent, made = _number(usage, "prompt_tokens"), _number(usage, "completion_tokens")
        if max(sent, made) > MOST_COUNTED:
            raise damaged_reply()
        if sent or made:
            details = _field(usage, "prompt_tokens_details")
            cached = _number(details, "cached_tokens") or _number(usage, "prompt_cache_hit_tokens")
            self.usage = Usage(
                prompt_tokens=sent, completion_tokens=made, requests=1, cached_tokens=min(cached, sent)
            )

    def _take_call(self, piece: object) -> None:
        function = _field(piece, "function")
        call_id, name, arguments = _text(piece, "id"), _text(function, "name"), _arguments(function)
        self._size += len(name) + len(arguments)
        index = _field(piece, "index")
        call = self._call_at(index, call_id, name)
        call.id = call.id or call_id
        call.name = call.name or name
        call.arguments += arguments

    def _call_at(self, index: Any, call_id: str, name: str) -> _GrowingCall:
        """The call that a piece belongs to.

        Some endpoints number all calls 0; then the ids tell them apart.
        """
        for call in reversed(self._calls):
            same = index is None or call.index == index
            if same and not (call_id and name and call.id and call.id != call_id):
                return call
        if len(self._calls) == _MOST_CALLS:
            raise damaged_reply()
        self._calls.append(_GrowingCall(index))
        return self._calls[-1]


class _GrowingCall:
    def __init__(self, index: Any) -> None:
        self.index = index
        self.id = ""
        self.name = ""
        self.arguments = ""


def _field(value: object, name: str) -> Any:
    """A field of a JSON object; None where it is missing or this is no object."""
    return value.get(name) if isinstance(value, dict) else None


def _text(value: object, name: str) -> str:
    text = _field(value, name)
    return text if isinstance(text, str) else ""


def _list(value: object, name: str) -> list[object]:
    values = _field(value, name)
    return values if isinstance(values, list) else []


def _number(value: object, name: str) -> int:
    number = _field(value, name)
    return number if isinstance(number, int) and number > 0 else 0


def _arguments(function: object) -> str:
    """A piece of the arguments' JSON text; an endpoint that sends them whole as an object is taken too."""
    values = _field(function, "arguments")
    return json.dumps(values) if isinstance(values, dict) else _text(function, "arguments")

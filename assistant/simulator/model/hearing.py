"""Finds out which dialect a request is written in, and reads in it what was done before."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any

from assistant.model.client import split_thought
from assistant.model.dialects import registry
from assistant.model.dialects.base import Dialect, MalformedReply, ModelReply
from assistant.model.types import SentImage
from assistant.records import Action
from assistant.simulator.model.situation import Past
from assistant.simulator.model.tokens import message_texts

_REMARK = re.compile(r" \| (?:by the user|replayed from memory|not performed: )")
_ERROR = re.compile(r"(?:^| )not performed: (?P<error>.*)")
_TEXTS = ("content", "text", "name", "direction", "answer", "reason", "question")
_BEFORE = re.compile(r"Previous_step: (?P<remark>.*)")


def dialect_of(messages: Sequence[dict[str, Any]], tools: bool, frame: SentImage) -> Dialect:
    """The dialect whose rules stand in the request; without any, function calls or FingerTip's strings."""
    said = "\n".join(text for message in messages for text in message_texts(message))
    for dialect in registry.available():
        if dialect.rules(frame) in said:
            return dialect
    return registry.get("tool_calls" if tools else "fingertip")


def listed_past(line: str, dialect: Dialect, frame: SentImage) -> Past:
    """One line of `Previous_actions`. The action ends before the first remark where it can be read."""
    text = line.partition(". ")[2]
    for end in [*(remark.start() for remark in _REMARK.finditer(text)), len(text)]:
        if action := _read(text[:end], dialect, frame):
            return _past(action, text[end:])
    return Past("unknown", text)


def told_past(messages: Sequence[dict[str, Any]], dialect: Dialect, frame: SentImage) -> Iterator[Past]:
    """The steps that a conversation shows: each answer, and the remark at the beginning of the next message.

    `messages` end with the one that holds the facts.
    """
    for message, following in itertools.pairwise(messages):
        if message.get("role") == "assistant":
            text = "\n".join(message_texts(message))
            action = _read(split_thought(text)[1], dialect, frame)
            remark = _BEFORE.match("\n".join(message_texts(following)))
            yield _past(action, remark["remark"] if remark else "") if action else Past("unknown", text)


def _read(text: str, dialect: Dialect, frame: SentImage) -> Action | None:
    try:
        return dialect.parse(ModelReply(text), frame)
    except MalformedReply:
        return None


def _past(action: Action, remark: str) -> Past:
    detail = next((str(text) for key in _TEXTS if (text := getattr(action, key, ""))), "")
    error = _ERROR.search(remark)
    return Past(action.type, detail, error["error"] if error else "")

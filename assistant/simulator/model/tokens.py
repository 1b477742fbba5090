"""Honest estimates of token counts, from what was sent and what is answered."""

from __future__ import annotations

import json
import re
from typing import Any

PATCH = 28
"""Side in pixels of the square of a picture that costs one token, as in Qwen2.5-VL."""

_PIECE = re.compile(r"\s*(?:[^\W\u2e80-\uffff]{1,6}|\S)|\s+")


def pieces(text: str) -> list[str]:
    """Cut text the way a tokenizer roughly does: short runs of letters, single CJK characters, signs, blanks.

    Joined again the pieces give the text back.
    """
    return _PIECE.findall(text)


def text_tokens(text: str) -> int:
    """How many tokens a text has, about."""
    return len(pieces(text))


def image_tokens(width: int, height: int) -> int:
    """How many tokens a picture has: one for each patch, also a partly covered one."""
    return -(-width // PATCH) * -(-height // PATCH)


def prompt_tokens(messages: list[dict[str, Any]], tools: list[Any], images: list[tuple[int, int]]) -> int:
    """What a request costs: its words, four for each message's frame, its tools, its pictures."""
    count = 3
    for message in messages:
        count += 4 + sum(text_tokens(text) for text in message_texts(message))
        count += text_tokens(json.dumps(message["tool_calls"])) if message.get("tool_calls") else 0
    if tools:
        count += text_tokens(json.dumps(tools, ensure_ascii=False))
    return count + sum(image_tokens(width, height) for width, height in images)


def message_texts(message: dict[str, Any]) -> list[str]:
    """The texts of one chat message, whose content is a string or a list of parts."""
    content = message.get("content")
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        return []
    return [
        str(part.get("text", "")) for part in content if isinstance(part, dict) and part.get("type") == "text"
    ]

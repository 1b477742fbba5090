"""Honest estimates of token counts, from what was sent and what is answered."""

from __future__ import annotations

import json
import re
from typing import Any

PATCH = 28
"""Side in pixels of the square of a picture that costs one token, as in Qwen2.5-VL."""

_PIECE = re.compile(r"\s*(?:[^\W\u2e80-\uffff]{1,6}|\S)|\s+")


def pieces(text: str, tokens: int = 1) -> list[str]:
    """Cut text the way a tokenizer roughly does: short runs of letters, single CJK characters, signs, blanks.

    Joined again the pieces, of `tokens` tokens each, give the text back.
    """
    cut = _PIECE.findall(text)
    return (
        ["".join(cut[start : start + tokens]) for start in range(0, len(cut), tokens)] if tokens > 1 else cut
    )


def text_tokens(text: str) -> int:
    """How many tokens a text has, about."""
    return len(pieces(text))


def image_tokens(width: int, height: int) -> int:
    """How many tokens a picture has: one for each patch, also a partly covered one."""
    return -(-width // PATCH) * -(-height // PATCH)


Token = str | tuple[int, int]
"""A piece of text, or a patch of a picture: the picture's hash and the patch's number."""

BLOCK = 16
"""Prompts are kept for reuse in whole blocks of so many tokens, as vLLM does."""


def prompt_pieces(
    messages: list[dict[str, Any]], tools: list[Any], pictures: list[tuple[int, int]]
) -> tuple[Token, ...]:
    """What a request costs, token by token in the order of a server: functions, then messages."""
    tokens: list[Token] = [*pieces(json.dumps(tools, ensure_ascii=False))] if tools else []
    sizes = iter(pictures)
    for message in messages:
        tokens += [f"<{message.get('role')}>", *[""] * 3]
        content = message.get("content")
        for part in content if isinstance(content, list) else [{"type": "text", "text": content or ""}]:
            if isinstance(part, dict) and part.get("type") == "image_url":
                seen = hash(str(part.get("image_url")))
                tokens += [(seen, number) for number in range(image_tokens(*next(sizes)))]
            elif isinstance(part, dict):
                tokens += pieces(str(part.get("text", "")))
        tokens += pieces(json.dumps(message["tool_calls"])) if message.get("tool_calls") else []
    return tuple(tokens)


class PromptCache:
    """Which part of a prompt was computed before: whole blocks from the beginning, as vLLM keeps them."""

    _LARGEST = 200_000

    def __init__(self) -> None:
        self._blocks: dict[int, None] = {}

    def reused(self, tokens: tuple[Token, ...]) -> int:
        """How many tokens of a prompt need not be computed again; the prompt is kept for the next."""
        reused = chain = 0
        met = True
        for start in range(0, len(tokens) - BLOCK + 1, BLOCK):
            chain = hash((chain, tokens[start : start + BLOCK]))
            met = met and chain in self._blocks
            reused += BLOCK if met else 0
            self._blocks[chain] = None
        while len(self._blocks) > self._LARGEST:
            self._blocks.pop(next(iter(self._blocks)))
        return reused


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

"""Values from memory, screens and people are data: made plain, and refused where they read like orders."""

from __future__ import annotations

import re

from assistant.model.text import one_line

MAX_VALUE_LENGTH = 120
"""Characters of a value that stands in an instruction."""

_INJECTION = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instruction|prompt|rule|above|previous|everything|all)"
    r"|\b(?:system|assistant|user)\s*:|\bsystem prompt\b|\byou (?:must|are now|should now)\b"
    r"|\bnew (?:task|instructions?)\b"
    r"|\binstead of\b.{0,40}\b(?:send|pay|transfer|delete)|\b(?:approve|confirm) (?:all|every|the) "
    r"|</?\w+>|```|忽略.{0,10}(?:指令|指示|规则|以上|之前|要求)|无视.{0,10}(?:指令|规则|要求)|系统提示|提示词|你(?:必须|现在是)|新的?(?:任务|指令)",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"(?:\w{4,}\.|[!?;])\s+\S+\s+\S|[。！？；]\s*\S")


def normalize_value(text: str) -> str:
    """A value on one line without control characters."""
    return one_line(text).strip(" \"'“”‘’")


def is_usable_value(value: str) -> bool:
    """Whether a value may stand in an instruction: a name, a thing, a place, not a text that gives orders.

    One that may not is still shown to the user, who can choose it.
    """
    if not value or len(value) > MAX_VALUE_LENGTH:
        return False
    return not is_prompt_injection(value) and not _SENTENCES.search(value)


def is_prompt_injection(text: str) -> bool:
    """Whether a text from memory or phone speaks to the assistant instead of telling something."""
    return bool(_INJECTION.search(text))

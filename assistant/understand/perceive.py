"""Perceive: which spans of a command depend on the user. Local, without a model, in microseconds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from assistant.understand.chinese import perceive_chinese
from assistant.understand.english import perceive_english
from assistant.understand.types import Language, Perceived, detect_language

_WORD = re.compile(r"[\w’']+")
MAX_COMMAND_LENGTH = 2000
"""How many characters of a command are read; what lies behind is a pasted text, not a command."""


def perceive(command: str, apps: Sequence[str] = ()) -> Perceived:
    """The personalized elements of a command.

    Args:
        command: the command as typed, English or Chinese.
        apps: labels of the apps on the phone, which are names wherever they stand.
    """
    language = detect_language(command)
    perceive_language = perceive_chinese if language is Language.ZH else perceive_english
    return Perceived(command, language, perceive_language(command[:MAX_COMMAND_LENGTH], apps))


def exclude_settled(perceived: Perceived, settled: str) -> Perceived:
    """A command without the elements that a complete instruction has in the same words."""
    if not settled:
        return perceived
    settled_text = _pad_words(settled, perceived.language)
    remaining = (
        element
        for element in perceived.elements
        if _pad_words(element.text, perceived.language) not in settled_text
    )
    return replace(perceived, elements=tuple(remaining))


def _pad_words(text: str, language: Language) -> str:
    """A text in which whole words are found as parts of it; Chinese has no spaces between words."""
    folded = text.casefold()
    return folded if language is Language.ZH else f" {' '.join(_WORD.findall(folded))} "

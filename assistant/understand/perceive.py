"""Perceive: which spans of a command depend on the user. Local, without a model, in microseconds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from assistant.understand.chinese import perceive_chinese
from assistant.understand.elements import Language, Perceived, language_of
from assistant.understand.english import perceive_english

_WORD = re.compile(r"[\w’']+")
LONGEST = 2000
"""How many characters of a command are read; what lies behind is a pasted text, not a command."""


def perceive(said: str, apps: Sequence[str] = ()) -> Perceived:
    """The personalized elements of a command.

    Args:
        said: the command as typed, English or Chinese.
        apps: labels of the apps on the phone, which are names wherever they stand.
    """
    language = language_of(said)
    read = perceive_chinese if language is Language.ZH else perceive_english
    return Perceived(said, language, read(said[:LONGEST], apps))


def beyond(perceived: Perceived, settled: str) -> Perceived:
    """A command without the elements that a complete instruction has in the same words."""
    if not settled:
        return perceived
    there = _spaced(settled, perceived.language)
    new = (one for one in perceived.elements if _spaced(one.text, perceived.language) not in there)
    return replace(perceived, elements=tuple(new))


def _spaced(text: str, language: Language) -> str:
    """A text in which whole words are found as parts of it; Chinese has no spaces between words."""
    plain = text.casefold()
    return plain if language is Language.ZH else f" {' '.join(_WORD.findall(plain))} "

"""Perceive: which spans of a command depend on the user. Local, without a model, in microseconds."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.understand.chinese import perceive_chinese
from assistant.understand.elements import Language, Perceived, language_of
from assistant.understand.english import perceive_english

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

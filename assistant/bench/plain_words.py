"""A plain list of words on what a tap touches: the baseline that the guards are measured against."""

from __future__ import annotations

import re
from functools import cache

from assistant.bench.corpora import read_yaml
from assistant.events import ActionKind
from assistant.records import Click, Observation, Target

_LONGEST_LABEL = 40
"""A label longer than this is content that mentions a word, not a button that does it."""


@cache
def _patterns() -> dict[ActionKind, re.Pattern[str]]:
    """What a label of each kind matches, read from `plain_words.yaml`."""
    words = read_yaml("plain_words.yaml")
    return {
        ActionKind(kind): re.compile(
            rf"^\W*(?:(?:{'|'.join(starts)})\b|(?:{'|'.join(words['english_whole'][kind])})\W*$)"
            rf"|.*(?:{'|'.join(words['chinese'][kind])})",
            re.IGNORECASE | re.DOTALL,
        )
        for kind, starts in words["english_starts"].items()
    }


def kind_by_words(tap: Click, seen: Observation) -> ActionKind | None:
    """The kind of a tap by the words of the element that it hits."""
    target = seen.target_at(tap.point)
    return kind_of_target(target) if target else None


def kind_of_target(target: Target) -> ActionKind | None:
    """What touching an element would do, by its words or, where it has none, by its id."""
    if target.class_name.endswith("EditText"):
        return None
    identifier = target.resource_id.rpartition("/")[2].replace("_", " ")
    for words in (target.text, target.description, "" if target.text or target.description else identifier):
        if words and len(words) <= _LONGEST_LABEL and (kind := _kind_of_words(words)):
            return kind
    return None


def _kind_of_words(words: str) -> ActionKind | None:
    return next((kind for kind, pattern in _patterns().items() if pattern.match(words)), None)

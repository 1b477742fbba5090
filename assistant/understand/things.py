"""The thing that a wish names, and how near preferences are to it: a latte is a coffee, a table no hotel."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.memory.prototypes.model import Preference
from assistant.memory.prototypes.terms import ENGLISH, without_vague, word_set
from assistant.understand import english_words as words
from assistant.understand.objects import find_object
from assistant.understand.sources import Alike
from assistant.understand.tokens import singular
from assistant.understand.types import (
    Category,
    Element,
    Language,
    detect_language,
    is_headless,
    normalize_key,
)

SAME_KIND_THRESHOLD = 0.5
"""The cosine from which an object or an app is of a named kind: most such pairs reach it, few others do."""

_TIE_MARGIN = 0.05
"""How much less alike another preference may be and be meant as well."""

_GENERAL_NOUNS = words.words_of(
    "usual always before same one ones thing things stuff something order purchase place spot time hour "
    "times item choice pick selection routine whatever last"
) | {"东西", "地方", "时间", "时候", "老地方", "那个", "一个", "单", "次", "件", "家", "样"}
"""Words that name nothing by which preferences differ."""

_MAX_ZH_NOUN = 3
"""Characters of a Chinese noun: what is longer is rather a clause."""

_VERBS = words.VERBS | words.USING | frozenset(ENGLISH)
_MARKS = re.compile(r"^[\W_]+|[\W_]+$")


@dataclass(frozen=True, slots=True)
class Near:
    """A preference and how near it is to the named thing: 1 where it has the very word."""

    preference: Preference
    similarity: float

    @property
    def is_same_kind(self) -> bool:
        """Whether it is of the named kind."""
        return self.similarity >= SAME_KIND_THRESHOLD

    @property
    def is_exact(self) -> bool:
        """Whether it has the very word."""
        return self.similarity >= 1.0


def find_thing(element: Element, wish: str) -> str:
    """What an element or, where it is only “as usual”, its wish names; empty for nothing certain."""
    if element.category in (Category.PLACE, Category.TIME):
        return ""
    if element.head and element.head != element.text and element.head not in _GENERAL_NOUNS | _VERBS:
        return element.head
    if not is_headless(element) or element.text not in wish:
        return ""
    rest = _MARKS.sub("", without_vague(wish.replace(element.text, " ", 1)))
    object_text = _MARKS.sub("", find_object(rest)) if rest else ""
    if detect_language(object_text) is Language.EN:
        nouns = [
            word for word in object_text.split() if word.lower() not in _GENERAL_NOUNS | words.DETERMINERS
        ]
        return nouns[0].lower() if len(nouns) == 1 and nouns[0].lower() not in _VERBS else ""
    return object_text if len(object_text) <= _MAX_ZH_NOUN and object_text not in _GENERAL_NOUNS else ""


def find_clause_words(element: Element) -> Sequence[str]:
    """The other words of a clause about what is meant: “run” of “the music I run to”."""
    is_clause = (
        element.category in (Category.HABIT, Category.PAST) and detect_language(element.text) is Language.EN
    )
    return sorted(word_set(without_vague(element.text))) if is_clause else ()


def has_word(preference: Preference, thing: str) -> bool:
    """Whether a preference's instruction, but for its verb, or its app has a word."""
    first, _, rest = preference.prototype.instruction.partition(" ")
    content = rest if first.lower() in words.VERBS else preference.prototype.instruction
    text = f"{content} {preference.prototype.app}"
    if detect_language(thing) is Language.ZH:
        return thing in text
    return f" {normalize_key(thing)} " in f" {normalize_key(text)} "


def match_preferences(
    thing: str, preferences: Sequence[Preference], similarity: Alike | None
) -> list[Near] | None:
    """How near preferences are to a thing, in the same order; None where nothing can tell."""
    if similarity is None or not preferences:
        return None
    texts = []
    for preference in preferences:
        app = preference.prototype.app
        object_text = find_object(preference.prototype.instruction, app)
        texts += [object_text, f"{object_text} {app}".strip(), app or object_text]
    similarities = similarity(singular(thing) if thing.isascii() else thing, texts)
    if len(similarities) != len(texts):
        return None
    return [
        Near(preference, 1.0 if has_word(preference, thing) else max(similarities[3 * index : 3 * index + 3]))
        for index, preference in enumerate(preferences)
    ]


def find_single_match(matches: Sequence[Near]) -> Near | None:
    """The one preference of the named kind, where there is a single one."""
    best = max(matches, key=lambda match: match.similarity, default=None)
    if best is None or not best.is_same_kind:
        return None
    rivals = [
        match
        for match in matches
        if match is not best and match.similarity >= max(SAME_KIND_THRESHOLD, best.similarity - _TIE_MARGIN)
    ]
    return None if rivals else best

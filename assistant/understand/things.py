"""The thing that a wish names, and how near preferences are to it: a latte is a coffee, a table no hotel."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.memory.him.prototype import Preference
from assistant.memory.him.verb_lists import ENGLISH
from assistant.memory.him.words import without_vague, word_set
from assistant.understand import english_words as words
from assistant.understand.elements import Category, Element, Language, headless, key, language_of
from assistant.understand.objects import object_of
from assistant.understand.sources import Alike
from assistant.understand.tokens import singular

AKIN = 0.5
"""The cosine from which an object or an app is of a named kind: most such pairs reach it, few others do."""

_SAME = 0.05
"""How much less alike another preference may be and be meant as well."""

_GENERAL = words.words_of(
    "usual always before same one ones thing things stuff something order purchase place spot time hour "
    "times item choice pick selection routine whatever last"
) | {"东西", "地方", "时间", "时候", "老地方", "那个", "一个", "单", "次", "件", "家", "样"}
"""Words that name nothing by which preferences differ."""

_SHORT = 3
"""Characters of a Chinese noun: what is longer is rather a clause."""

_VERBS = words.VERBS | words.USING | frozenset(ENGLISH)
_MARKS = re.compile(r"^[\W_]+|[\W_]+$")


@dataclass(frozen=True, slots=True)
class Near:
    """A preference and how near it is to the named thing: 1 where it has the very word."""

    preference: Preference
    likeness: float

    @property
    def akin(self) -> bool:
        """Whether it is of the named kind."""
        return self.likeness >= AKIN

    @property
    def exact(self) -> bool:
        """Whether it has the very word."""
        return self.likeness >= 1.0


def thing_named(element: Element, wish: str) -> str:
    """What an element or, where it is only “as usual”, its wish names; empty for nothing certain."""
    if element.category in (Category.PLACE, Category.TIME):
        return ""
    if element.head and element.head != element.text and element.head not in _GENERAL | _VERBS:
        return element.head
    if not headless(element) or element.text not in wish:
        return ""
    rest = _MARKS.sub("", without_vague(wish.replace(element.text, " ", 1)))
    named = _MARKS.sub("", object_of(rest)) if rest else ""
    if language_of(named) is Language.EN:
        kept = [word for word in named.split() if word.lower() not in _GENERAL | words.DETERMINERS]
        return kept[0].lower() if len(kept) == 1 and kept[0].lower() not in _VERBS else ""
    return named if len(named) <= _SHORT and named not in _GENERAL else ""


def told_in(element: Element) -> Sequence[str]:
    """The other words of a clause about what is meant: “run” of “the music I run to”."""
    told = element.category in (Category.HABIT, Category.PAST) and language_of(element.text) is Language.EN
    return sorted(word_set(without_vague(element.text))) if told else ()


def has_word(preference: Preference, thing: str) -> bool:
    """Whether a preference's instruction, but for its verb, or its app has a word."""
    first, _, rest = preference.prototype.instruction.partition(" ")
    stated = rest if first.lower() in words.VERBS else preference.prototype.instruction
    text = f"{stated} {preference.prototype.app}"
    if language_of(thing) is Language.ZH:
        return thing in text
    return f" {key(thing)} " in f" {key(text)} "


def nearness(thing: str, preferences: Sequence[Preference], alike: Alike | None) -> list[Near] | None:
    """How near preferences are to a thing, in the same order; None where nothing can tell."""
    if alike is None or not preferences:
        return None
    texts = []
    for one in preferences:
        app = one.prototype.app
        stated = object_of(one.prototype.instruction, app)
        texts += [stated, f"{stated} {app}".strip(), app or stated]
    found = alike(singular(thing) if thing.isascii() else thing, texts)
    if len(found) != len(texts):
        return None
    return [
        Near(one, 1.0 if has_word(one, thing) else max(found[3 * place : 3 * place + 3]))
        for place, one in enumerate(preferences)
    ]


def only_akin(near: Sequence[Near]) -> Near | None:
    """The one preference of the named kind, where there is a single one."""
    best = max(near, key=lambda one: one.likeness, default=None)
    if best is None or not best.akin:
        return None
    rivals = [one for one in near if one is not best and one.likeness >= max(AKIN, best.likeness - _SAME)]
    return None if rivals else best

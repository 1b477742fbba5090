"""Personalized elements: the spans of a command whose meaning depends on the user (PerPilot)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

_SPOTS_ZH = ("地方", "位置", "时间", "那家")
_HAN = re.compile(r"[\u3400-\u9fff]")
_LATIN = re.compile(r"[A-Za-z]{2,}")


class Category(StrEnum):
    """What kind of thing an element stands for; it decides where its meaning is looked for.

    `OPEN` is a thing of any kind that was left open ("order lunch"): no element by itself, as it can be
    carried out as it is, but a strong preference may fill it.
    """

    PERSON = "person"
    GROUP = "group"
    PLACE = "place"
    FACT = "fact"
    HABIT = "habit"
    PAST = "past"
    TIME = "time"
    THING = "thing"
    OPEN = "open"


class Language(StrEnum):
    """The languages that are understood without a model."""

    EN = "en"
    ZH = "zh"


@dataclass(frozen=True, slots=True)
class Element:
    """A span of a command. `text` is `said[start:end]`, offsets count characters.

    `head` is the word that carries the meaning ("mom", "number", "song"). `owner` is the person or place
    within the span to whom it belongs ("friend" in "friend's phone number"), empty for the user.
    """

    start: int
    end: int
    text: str
    category: Category
    head: str
    owner: str = ""

    @property
    def named_on_phone(self) -> bool:
        """Whether it is somebody whom the phone often has under the very words, such as Mom."""
        return self.category in (Category.PERSON, Category.GROUP)


def is_headless(element: Element) -> bool:
    """Whether an element says only that it is as ever, not what: “the usual”, 照旧."""
    if element.category is not Category.HABIT:
        return False
    return element.head in ("usual", "always", "before") or element.head == element.text


def is_adverbial(element: Element) -> bool:
    """Whether an element only says that something is done as ever: “as usual”, 照旧; not “the usual”."""
    first = element.text.split()[0].lower() if element.text.isascii() else ""
    return is_headless(element) and (
        first in ("as", "like", "same") or not (first or element.text.endswith(_SPOTS_ZH))
    )


@dataclass(frozen=True, slots=True)
class Perceived:
    """What was found in a command: its language, and its elements in the order of the text.

    An element that is said twice appears twice; `distinct` gives each once.
    """

    command: str
    language: Language
    elements: tuple[Element, ...]

    @property
    def personalized(self) -> bool:
        """Whether the command depends on the user at all."""
        return bool(self.elements)

    @property
    def distinct(self) -> tuple[Element, ...]:
        """The elements without repeats, by their keys."""
        elements_by_key: dict[str, Element] = {}
        for element in self.elements:
            elements_by_key.setdefault(normalize_key(element.text), element)
        return tuple(elements_by_key.values())


def detect_language(text: str) -> Language:
    """Chinese where Han characters outweigh Latin words, which are mostly names of apps then."""
    return Language.ZH if len(_HAN.findall(text)) > len(_LATIN.findall(text)) else Language.EN


_DROPPED = frozenset(("a", "an", "the", "my", "our", "your", "his", "her", "its", "their"))
_DROPPED_ZH = re.compile(r"^(?:我们的?|咱们?的?|我的?)(?=.)")
_WORD = re.compile(r"[\w\u3400-\u9fff]+(?:-\w+)*(?:'s|’s)?")
_IRREGULAR = {
    "children": "child",
    "wives": "wife",
    "people": "person",
    "men": "man",
    "women": "woman",
    "feet": "foot",
}


def normalize_key(text: str) -> str:
    """A form in which two elements that mean the same are equal.

    Case, articles, possessive pronouns and number do not count.
    """
    words = [word.replace("’", "'") for word in _WORD.findall(text.casefold())]
    content_words = [_singular(word) for word in words if word not in _DROPPED]
    return _DROPPED_ZH.sub("", " ".join(content_words or words))


def _singular(word: str) -> str:
    """The singular of an English noun, by its ending."""
    stem, tail = (word[:-2], "'s") if word.endswith("'s") else (word, "")
    if stem in _IRREGULAR:
        return _IRREGULAR[stem] + tail
    if stem.endswith("ies") and len(stem) > 4:
        return stem[:-3] + "y" + tail
    if stem.endswith(("sses", "shes", "ches", "xes")):
        return stem[:-2] + tail
    if len(stem) > 3 and stem.endswith("s") and not stem.endswith(("ss", "us", "is")):
        return stem[:-1] + tail
    return stem + tail

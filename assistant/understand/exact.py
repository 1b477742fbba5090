"""What single words say exactly: the language, negation, dislike, weekdays, numbers and changes.

`words/` has them, one file for each language. Which words depend on the user is not said by single words: a
trained tagger finds that (`assistant.embedding.tagger`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files

import yaml
from pydantic import BaseModel, ConfigDict

_KANA = re.compile(r"[\u3041-\u30ff]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_NUMBER = re.compile(r"\d+(?:[.:,]\d+)*")
_UNSPACED = frozenset(("zh", "ja"))
_QUANTITY = re.compile(
    r"\d+(?:[.,]\d+)?\s*(?:°\s?[cf]?|degrees?|percent|%|度|℃|号|码|grad|grados|degrés)?"
    r"|[零一二三四五六七八九十百]+(?:度|号|码)|百分之[零一二三四五六七八九十百]+",
    re.IGNORECASE,
)


class ExactWords(BaseModel):
    """The words of one language; see the files."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    function: tuple[str, ...]
    negation: tuple[str, ...]
    exclusion: tuple[str, ...]
    dislike: tuple[str, ...]
    change: tuple[str, ...]
    weekdays: tuple[tuple[str, ...], ...]
    weekend: tuple[str, ...]
    workday: tuple[str, ...]
    quantity: tuple[str, ...]


@cache
def exact_words(language: str) -> ExactWords:
    """The words of a language by its code, such as “de”."""
    text = files("assistant.understand").joinpath("words", f"{language}.yaml").read_text("utf-8")
    return ExactWords.model_validate(yaml.safe_load(text))


def language_code(text: str) -> str:
    """The likeliest language: zh or ja by script, else en, de, es or fr by function words."""
    if _KANA.search(text):
        return "ja"
    words = [word.casefold().replace("’", "'") for word in _WORD.findall(text)]
    if len(_HAN.findall(text)) > sum(word.isascii() and len(word) > 1 for word in words):
        return "zh"
    counts = {code: sum(word in _function_words(code) for word in words) for code in ("en", "de", "es", "fr")}
    best = max(counts, key=lambda code: counts[code])
    return best if counts[best] > counts["en"] else "en"


@cache
def _function_words(code: str) -> frozenset[str]:
    return frozenset(exact_words(code).function)


def contains_any(text: str, phrases: Iterable[str], code: str) -> bool:
    """Whether a text has one of some words or phrases; whole words where the language has spaces."""
    return bool((pattern := _pattern(tuple(phrases), code in _UNSPACED)) and pattern.search(text))


@cache
def _pattern(phrases: tuple[str, ...], unspaced: bool) -> re.Pattern[str] | None:
    if not phrases:
        return None
    joined = "|".join(
        re.escape(phrase).replace("'", "['’]") for phrase in sorted(phrases, key=len, reverse=True)
    )
    return re.compile(joined if unspaced else rf"(?<![\w'’]){'(?:' + joined + ')'}(?!\w)", re.IGNORECASE)


def is_disliked(text: str, code: str) -> bool:
    """Whether a text says that something is not liked or not borne: "the dish I hate"."""
    return contains_any(text, exact_words(code).dislike, code)


def is_excluded(before: str, code: str) -> bool:
    """Whether the words before an element deny or exclude it: "don't order", "anything but"."""
    words = exact_words(code)
    return contains_any(before, (*words.negation, *words.exclusion), code)


def weekdays_of(text: str, code: str) -> frozenset[int]:
    """The days that a text names, Monday is 0; none if it names none."""
    words = exact_words(code)
    days = {day for day, names in enumerate(words.weekdays) if contains_any(text, names, code)}
    if contains_any(text, words.weekend, code):
        days |= {5, 6}
    if contains_any(text, words.workday, code):
        days |= set(range(5))
    return frozenset(days)


def numbers_of(text: str) -> Sequence[str]:
    """The numbers of a text, in figures."""
    return _NUMBER.findall(text)


def quantity_of(text: str) -> str:
    """The first quantity of a text with its unit, such as “19 degrees”; empty if there is none."""
    match = _QUANTITY.search(text)
    return match[0].strip() if match else ""


def names_quantity(text: str, code: str) -> bool:
    """Whether words stand for a quantity: "the temperature I sleep at"."""
    return contains_any(text, exact_words(code).quantity, code)
